//===- Module.h - A loaded program ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Module is one variant of an artifact, checked once and then immutable: any
// number of contexts and threads share it. It comes from a descriptor in memory
// or from a shared object on disk; after that there is no difference.
// The structures here are the descriptor of ABI.h with every reference resolved
// and every count checked. Strings and functions still live in the artifact,
// which the module keeps alive.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_MODULE_H
#define QCC_RUNTIME_MODULE_H

#include "qcc/Artifact/ABI.h"
#include "qcc/Artifact/DType.h"
#include "qcc/Artifact/SelfTest.h"
#include "qcc/Base/Status.h"
#include "qcc/Runtime/Allocator.h"
#include "qcc/Runtime/FunctionRef.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Runtime/Signature.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::rt {

class ArtifactFile;
class Device;
class DeviceProgram;
struct WeightPlace;

/// A literal, or the index of a value that the plan function computes.
class Size {
public:
  Size() = default;
  explicit Size(int64_t raw) : raw_(raw) {}

  bool isDynamic() const { return raw_ < 0; }
  int64_t literal() const { return raw_; }
  int64_t valueIndex() const { return -1 - raw_; }
  int64_t get(const int64_t *values) const {
    return isDynamic() ? values[valueIndex()] : raw_;
  }

private:
  int64_t raw_ = 0;
};

/// real = scale * (stored - zeroPoint)
struct Quantization {
  bool perChannel = false;
  int axis = 0;
  int64_t count = 0;
  const float *scales = nullptr;
  const int32_t *zeroPoints = nullptr;
};

/// An argument or a result.
struct TensorInfo {
  std::string_view name; ///< May be empty.
  DType dtype;
  std::vector<Size> dims;
  std::optional<Quantization> quantization;
  /// One for each dimension, which may be empty; or none.
  std::vector<std::string_view> dimNames;

  /// "?x512xf32"
  std::string describe() const;
};

/// A tensor that a step reads or writes.
struct OperandInfo {
  qcc_operand_kind kind = QCC_ARGUMENT;
  DType dtype;
  Size index; ///< What it counts depends on the kind; see ABI.h.
  std::vector<Size> dims;
  /// Which dimension is the first in memory, the second, and so on; empty
  /// where they lie in their order.
  std::vector<int> order;
  /// Elements from one row of the last dimension in memory to the next; 0:
  /// compact.
  int64_t rowPitch = 0;
  /// What was added to each byte, modulo 256, as it was stored.
  int64_t byteShift = 0;
  std::optional<Quantization> quantization;
  /// The layer whose value an output of a step is; may be empty. Where a step
  /// holds several layers, this is the last of them.
  std::string_view layer;
  /// The name of the value in the model; may be empty.
  std::string_view name;
  /// How many elements of a border are before the value in each dimension, then
  /// how many behind it; empty where there is no border. The border is a part
  /// of `dims`.
  std::vector<int64_t> border;
};

/// A tensor map of a launch; see qcc_tensor_map_desc.
struct TensorMapInfo {
  bool isOutput = false;
  int operand = 0; ///< Among the inputs or outputs.
  int swizzle = 0;
  int64_t offset = 0; ///< Bytes from the operand.
  std::vector<Size> dims;
  std::vector<int64_t> strides;
  std::vector<int32_t> box;
};

/// A parameter of a kernel: a pointer to a tensor of the step, a number, or a
/// tensor map.
struct LaunchParameter {
  qcc_parameter_kind kind = QCC_PARAMETER_SIZE;
  Size value; ///< The number; or a literal position among the inputs, the
              ///< outputs or the tensor maps.
};

/// How a device runs a step.
struct Launch {
  std::string_view kernel; ///< Ends with a 0.
  Size grid, block, sharedBytes;
  std::vector<LaunchParameter> parameters;
  std::vector<TensorMapInfo> tensorMaps;
  bool isProgrammatic = false; ///< May start while kernels before it end.
};

struct Step {
  std::string_view name;
  std::string_view layer;         ///< May be empty.
  std::string_view location;      ///< May be empty.
  qcc_step_fn function = nullptr; ///< Null where a device runs the step.
  std::optional<Launch> launch;   ///< Nothing where the host does.
  bool parallel = false;
  Size operations;
  Size bytes;
  Size scratchBytes; ///< Per thread.
  std::vector<OperandInfo> inputs;
  std::vector<OperandInfo> outputs;
};

struct Entry {
  std::string_view name;
  std::vector<TensorInfo> arguments;
  std::vector<TensorInfo> results;
  std::vector<int32_t> inPlace; ///< For each result an argument, or -1.
  int numSymbols = 0;
  int numValues = 0;
  std::vector<std::string_view> requirements;
  qcc_plan_fn plan = nullptr;
  std::vector<Step> steps;

  /// The text of a requirement, and the sizes of the dimensions that it names
  /// in the words of the compiler, such as "dimension 0 of argument 1".
  std::string describeRequirement(size_t number, const int64_t *values) const;
};

struct Variant {
  int device = QCC_DEVICE_CPU;
  std::string_view target;
  std::string_view features;
  std::vector<Entry> entries;
  const char *weights = nullptr;
  int64_t weightsSize = 0;
  std::string_view kernels; ///< PTX text, which ends with a 0; or empty.
  std::string_view binary;  ///< Machine code of the kernels, or empty.
  /// A hash of the weights; 0 where the artifact has none.
  uint64_t weightsKey = 0;
};

/// A variant that the artifact offers, loaded or not.
struct VariantInfo {
  int device = QCC_DEVICE_CPU;
  std::string_view target;
  std::string_view features;        ///< Required, comma-separated.
  std::vector<std::string> missing; ///< Those that the host lacks.
  /// Why this host cannot run it, "needs avx512f, avx512vnni"; empty if it can.
  std::string refusal;
};

/// A pair of texts that the program came with.
struct Metadata {
  std::string_view key;
  std::string_view value;
};

/// Whose memory weights are copied to.
struct WeightAllocator {
  Allocator allocator;
  /// What the allocator refers to; may be null.
  std::shared_ptr<void> owner;
  /// Modules share memory of equal weights if these are the same.
  std::array<uintptr_t, 3> identity = {};
};

/// Readable memory that an artifact occupies.
struct MemoryRange {
  const char *begin = nullptr;
  int64_t size = 0;
};

/// Which memory steps read the weights from.
enum class WeightPages {
  /// Huge for 8 MiB of weights or more, File for less.
  Auto,
  /// The artifact's own pages: all processes that load a file share them. Large
  /// weights are first read by the first run, which compares them with their
  /// hash.
  File,
  /// Huge pages of this process, to which they are copied; those of the
  /// artifact where the kernel gives none.
  Huge
};

struct ModuleOptions {
  /// What runs the program; null: the host. The module keeps the device.
  std::shared_ptr<Device> device;
  /// The target of the variant to load, such as "cascadelake"; empty: the best
  /// that the device can run. The best variant for the host is the one with the
  /// fastest instructions for int8, then the one that uses the most features;
  /// for a GPU the one of the latest architecture.
  std::string variant;
  /// Where the host can run no variant, load the best one all the same, to look
  /// at: contexts of it are refused.
  bool inspectOnly = false;
  WeightPages weightPages = WeightPages::Auto;
  /// Copy the weights to memory of this allocator, whatever weightPages says.
  std::optional<WeightAllocator> weightAllocator;
  /// Load a copy of the file in memory, so that nothing changes under a running
  /// module when the file is overwritten, and files load from where nothing may
  /// be executed.
  bool privateCopy = false;
  /// Load only what is signed by this key, as a private copy.
  std::optional<Key> publicKey;
  /// What the host can run; null: the running host. Tests hand over another.
  const HostFeatures *features = nullptr;
  /// The name of the artifact in messages; empty: its path.
  std::string name;
  /// Called before a variant with AMX is chosen.
  Status (*requestTiles)() = requestAmxPermission;
  /// Where everything that the descriptor refers to must lie; empty: unknown
  /// and unchecked.
  std::vector<MemoryRange> ranges;
};

class Module {
public:
  /// `keepAlive` owns the memory of the descriptor and of the code.
  static Result<std::shared_ptr<const Module>>
  create(const qcc_descriptor *descriptor, std::shared_ptr<void> keepAlive,
         const ModuleOptions &options = ModuleOptions());

  /// Loads a shared object, after it has been read and found undamaged. What
  /// passes is trusted: loading runs its code, so open only what you trust.
  static Result<std::shared_ptr<const Module>>
  open(const std::string &path, const ModuleOptions &options = ModuleOptions());

  /// The same of an open file, whose descriptor stays the caller's.
  static Result<std::shared_ptr<const Module>>
  open(int descriptor, const ModuleOptions &options = ModuleOptions());

  /// Loads the bytes of a shared object, which are copied.
  static Result<std::shared_ptr<const Module>>
  load(const void *data, size_t size,
       const ModuleOptions &options = ModuleOptions());

  const qcc_descriptor *descriptor() const { return descriptor_; }
  std::string_view producer() const { return producer_; }
  /// The minor version of the artifact: QCC_ABI_MINOR_VERSION or less.
  uint32_t minorVersion() const { return minorVersion_; }
  const std::vector<Metadata> &metadata() const { return metadata_; }
  /// The runs whose results the compiler knew.
  const std::vector<SelfTest> &selfTests() const { return selfTests_; }
  /// The hash of the artifact's contents, 16 hexadecimal digits; empty of a
  /// descriptor in memory.
  const std::string &fingerprint() const { return fingerprint_; }
  /// The key that the artifact's signature was checked with, 64 hexadecimal
  /// digits; empty where none was given.
  const std::string &publicKey() const { return publicKey_; }
  const Variant &variant() const { return variant_; }
  /// What runs the program: null for the host.
  const std::shared_ptr<Device> &device() const { return device_; }
  /// What the device has of the program; null for the host.
  DeviceProgram *deviceProgram() const { return deviceProgram_.get(); }
  const std::vector<Entry> &entries() const { return variant_.entries; }

  /// Memory of this process that holds the weights instead of the artifact, in
  /// bytes, which other modules may share; 0 where they are read from the
  /// artifact.
  int64_t copiedWeightBytes() const {
    return weightCopy_ ? variant_.weightsSize : 0;
  }

  /// All variants of the artifact; variant() is one of them.
  const std::vector<VariantInfo> &variants() const { return variants_; }

  /// Why this host cannot run variant(), which was loaded to be looked at.
  const Status &refusal() const { return refusal_; }

  /// The entry of a name, or null. The empty name finds the only entry of a
  /// module, or "main".
  const Entry *findEntry(std::string_view name) const;

  /// The entry of a name, or a failure that says which entries there are.
  Result<const Entry *> requireEntry(std::string_view name) const;

  /// Reads weights that were not read when they were loaded, and compares them
  /// with their hash, as a run does before it computes. The outcome stays.
  /// Callers at the same time, and children of fork, do so on their own.
  Status checkWeights() const;

private:
  Module() = default;

  static Result<std::shared_ptr<Module>> read(const qcc_descriptor *descriptor,
                                              std::shared_ptr<void> keepAlive,
                                              const ModuleOptions &options);
  static Result<std::shared_ptr<const Module>>
  loadFile(const ArtifactFile &file, const ModuleOptions &options);
  static Result<std::shared_ptr<const Module>>
  loadOpened(Result<ArtifactFile> file, const std::string &what,
             const ModuleOptions &options);
  void noteOrigin(uint64_t hash, const std::optional<Key> &publicKey);
  Status placeWeights(const ModuleOptions &options, const WeightPlace &place);
  /// Brings code and weights to the device, if there is one that runs them.
  /// What is only looked at goes there with the first run.
  Status loadOnDevice(const ModuleOptions &options);

  enum class WeightsState : int { Good, Unchecked, Damaged };
  mutable std::atomic<WeightsState> weightsState_{WeightsState::Good};
  std::shared_ptr<void> keepAlive_;
  const qcc_descriptor *descriptor_ = nullptr;
  std::string_view producer_;
  uint32_t minorVersion_ = 0;
  std::vector<Metadata> metadata_;
  std::vector<SelfTest> selfTests_;
  std::string fingerprint_, publicKey_;
  Variant variant_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<DeviceProgram> deviceProgram_;
  /// What variant_.weights is, where that is not the artifact's.
  std::shared_ptr<const char> weightCopy_;
  std::vector<VariantInfo> variants_;
  Status refusal_;
};

} // namespace qcc::rt

#endif // QCC_RUNTIME_MODULE_H
