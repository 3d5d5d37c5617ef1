//===- Target.h - Targets ---------------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target consists of strategies, of the passes of its stage, and of the
// features that a host or device needs to run its code. Each strategy computes
// contractions in one way. Passes and tools know targets and strategies by
// these two classes alone; the config that a strategy decides on is an
// attribute of the target (qcc/Dialect/Kernel/IR/KernelInterfaces.td).
//
// Contractions may be packed or not, on tensors or on memrefs, unless a
// function says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_TARGET_H
#define QCC_TARGET_TARGET_H

#include "mlir/IR/DialectInterface.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Function;
class TargetMachine;
} // namespace llvm

namespace mlir {
class OpPassManager;
class RewriterBase;
} // namespace mlir

namespace qcc {

enum class Effort;

/// What a strategy expects a config to cost.
struct Cost {
  /// The time, in a unit that all strategies of a target share. Sizes that are
  /// not known count as large.
  double time = 0;
  /// The speed as a share of the peak of the config's atom; above 1 where the
  /// atom does less work than its peak counts.
  double shareOfPeak = 0;
};

/// The speed of one thread, by which Explain/ExpectedTime.h makes seconds of
/// the work of a step.
struct ThreadSpeed {
  /// Costs of 1024 products in a second, in the unit of Cost::time.
  double costs;
  /// The cost of 1024 products of bytes at the peak of the best atom that takes
  /// all weights.
  double leastByteCost;
  /// Vector operations of loops outside of kernels in a second, and the bits of
  /// a vector.
  double vectorOperations;
  unsigned vectorBits;
  /// Bytes in a second: of tensors that a step before has just written or read,
  /// of weights, which were last used in the run before, and of packing.
  double tensorBytes, weightBytes, packedBytes;
  /// Seconds that each step takes, whatever it does.
  double stepSeconds;
};

/// A config that a strategy proposes. The source of the config is `model`.
struct Candidate {
  kernel::LoweringConfigAttrInterface config;
  Cost cost;
  /// Candidates of one family differ in little: a tuner tries the best of each
  /// family before the others.
  std::string family;
  /// Whether the model may choose it; a tuner may try any.
  bool isForModel = true;
};

/// How kernel.pack lays out a right operand; its description has the meaning.
struct Packing {
  int64_t nr, kr, kStep;
  /// What is added to each element as it is packed.
  int64_t offset;
  /// Whether elements take 4 bits. Byte i of a word then has elements i and
  /// i + 4 of 8 that follow each other along K, the first in its low bits. With
  /// KR = 1 a word of i32 has `kStep` = 8 elements in their order. Only for
  /// constants.
  bool hasNibbles = false;
  /// Whether the kernel reads the sums of columns. Only groups of K, which have
  /// many, may lack them.
  bool hasSums = true;
  /// Whether elements are packed as they are stored, before the prologue of the
  /// operand, which the kernel then computes. Only for constants, and in
  /// contractions of floats.
  bool isNarrow = false;
};

/// One way to compute contractions: which of them, by which configs, at what
/// cost, and the code. docs/Rationale/Targets.md says how to add one.
class Strategy {
public:
  virtual ~Strategy() = default;

  /// The name by which configs refer to the strategy.
  virtual llvm::StringRef getName() const = 0;

  /// Why `config`, which has the name of the strategy, fits no contraction at
  /// all, and a remedy: a sentence whose subject is "lowering_config".
  virtual std::optional<std::string>
  verify(kernel::LoweringConfigAttrInterface config) const {
    return std::nullopt;
  }

  /// Why no config of the strategy computes `op`, and a remedy: a sentence
  /// whose subject is "it", the contraction. Nothing if one may.
  virtual std::optional<std::string>
  reasonToRefuse(kernel::ContractOp op) const {
    return std::nullopt;
  }

  /// Why `config` cannot compute `op`, and a remedy: a sentence whose subject
  /// is "lowering_config". Nothing if `config` can compute `op`. `op` has
  /// passed the check above.
  virtual std::optional<std::string>
  refuse(kernel::ContractOp op,
         kernel::LoweringConfigAttrInterface config) const = 0;

  /// The configs that may be the fastest for `op`, the best first; empty if the
  /// strategy cannot compute `op`. `op` has passed the check above.
  virtual llvm::SmallVector<Candidate> list(kernel::ContractOp op) const = 0;

  /// Candidates that differ from `candidate` in details that the model does not
  /// choose, in groups that a tuner tries in turn.
  virtual llvm::SmallVector<llvm::SmallVector<Candidate>>
  listVariants(kernel::ContractOp op, const Candidate &candidate) const {
    return {};
  }

  /// The expected cost of a config that is not refused.
  virtual Cost cost(kernel::ContractOp op,
                    kernel::LoweringConfigAttrInterface config) const = 0;

  /// The model chooses a config of this strategy only where the expected time,
  /// times this factor, is less than that of every other config.
  virtual double leastGain() const { return 1; }

  /// How the right operand is packed; nothing if the kernel reads the operand
  /// where it lies.
  virtual std::optional<Packing>
  packing(kernel::ContractOp op,
          kernel::LoweringConfigAttrInterface config) const = 0;

  /// The rows of a tile of results: a block of as many, or of a multiple, has
  /// no smaller tile at its end.
  virtual int64_t rowsOfTile(kernel::LoweringConfigAttrInterface config) const {
    return 1;
  }

  /// How far apart, in bytes, rows of `bytes` bytes of the left operand had
  /// best start.
  virtual int64_t rowPitch(kernel::LoweringConfigAttrInterface config,
                           int64_t bytes) const {
    return bytes;
  }

  /// The config for `op`, on memrefs, that replaces `config` if the layout of
  /// an operand is not the one that `config` needs. `reason` then says why the
  /// config was replaced.
  virtual kernel::LoweringConfigAttrInterface
  adapt(kernel::ContractOp op, kernel::LoweringConfigAttrInterface config,
        std::string &reason) const {
    return config;
  }

  /// Replaces `op`, on memrefs and packed as its config says, by the code that
  /// computes it. Reports a diagnostic if `op` is not in that form.
  virtual llvm::LogicalResult emit(mlir::RewriterBase &rewriter,
                                   kernel::ContractOp op) const = 0;
};

/// An atom that does not compute a contraction, or a config of one, and why:
/// for people, without a subject.
struct Alternative {
  std::string atom, reason;
};

/// Where bytes are looked up: in a pass over memory of its own; in an epilogue,
/// as many as a row of a tile has; or in the middle of operations on wider
/// elements, as many as a vector has of those.
enum class LookupPlace { Memory, Epilogue, Operations };

class Target {
public:
  virtual ~Target() = default;

  /// The name by which the target was asked for.
  const std::string &getName() const { return name; }
  /// The name that targets of one kind of code share: "x86", "cuda".
  virtual llvm::StringRef getFamily() const = 0;
  /// Whether steps are kernels that a device runs: after the target stage they
  /// are launched (kernel.launch), and their code is in modules of their own.
  virtual bool isDevice() const { return false; }
  llvm::ArrayRef<std::unique_ptr<Strategy>> getStrategies() const {
    return strategies;
  }
  /// The strategy of a config; null if the config is not of this target.
  const Strategy *strategyOf(kernel::LoweringConfigAttrInterface config) const;

  /// "avx2,fma,...": what a host or device must have, sorted.
  virtual std::string requiredFeatures() const = 0;
  /// Why times that are measured on a host would mean nothing, and a remedy;
  /// empty if such times mean something.
  virtual std::string refuseMeasuring() const { return ""; }
  /// What tells apart targets for which other configs may be the fastest: name,
  /// features, caches.
  virtual std::string tuningName() const = 0;

  /// Whether strategies ask for the range of a constant right operand, which
  /// cannot be seen once it is packed (`rhs_range`).
  virtual bool needsRhsRange() const { return false; }

  /// Whether strategies compute contractions of floats; where none does, these
  /// stay loops.
  virtual bool contractsFloats() const { return false; }

  /// Whether a strategy computes contractions with groups of K; where none
  /// does, sums of groups and the chain over them are steps of their own.
  virtual bool contractsGroups() const { return false; }

  /// Whether strategies read a left operand of unsigned bytes where it lies,
  /// but copy one of signed bytes.
  virtual bool prefersUnsignedLhs() const { return false; }

  /// Whether strategies read the left operand of `op`, which has no config yet,
  /// where it lies and at least as fast as a copy: whatever the sign of its
  /// bytes is, and as if it had the elements of `padding` around it, which is
  /// as `lhs_padding` or empty. `type` is that of the operand without padding.
  virtual bool readsLhsAsItLies(kernel::ContractOp op,
                                mlir::RankedTensorType type,
                                llvm::ArrayRef<int64_t> padding = {}) const {
    return false;
  }

  /// The time of a pass over memory of its own that reads and writes so many
  /// bytes, in the unit of costs. Nothing where kernels compute the prologue of
  /// a left operand once for each element, so that no such pass is faster.
  virtual std::optional<double> timeOfPass(int64_t bytes) const {
    return std::nullopt;
  }

  /// The bytes of the cache of one core, in which a thread may keep the
  /// temporaries of several ops; 0 where steps run on a device.
  virtual int64_t coreCacheBytes() const { return 0; }

  /// The speed of one thread; nothing where it is not known.
  virtual std::optional<ThreadSpeed> threadSpeed() const {
    return std::nullopt;
  }

  /// What `kernel.lookup` of a vector of bytes takes, in operations on vectors
  /// of as many bytes. Nothing where the target does not lower the op.
  virtual std::optional<double> lookupCost(LookupPlace place) const {
    return std::nullopt;
  }

  /// Whether code for the target converts between f32 and bf16 by instructions
  /// that do what arith.extf and arith.truncf mean: half to even, denormals
  /// kept (N7). Where it does not, these ops are gone after the tensor stage.
  virtual bool convertsBF16() const { return false; }

  /// The atoms that are better than the one of the config of `op`, the best
  /// first, and configs of it that would be, and why they do not compute `op`.
  virtual std::vector<Alternative>
  listAlternatives(kernel::ContractOp op) const {
    return {};
  }

  /// Adds the passes over memrefs after which contractions are the ones that
  /// steps compute; none where configs say nothing of that.
  virtual void addContractionPasses(mlir::OpPassManager &pm) const {}
  /// Adds the passes that lower what the buffer stage leaves.
  virtual void buildTargetStage(mlir::OpPassManager &pm) const = 0;

  /// A code generator that keeps every float operation as it is written.
  virtual llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createTargetMachine(Effort effort) const = 0;
  /// Sets the attributes of a function that name processor and features.
  virtual void annotate(llvm::Function &function) const = 0;

protected:
  explicit Target(std::string name) : name(std::move(name)) {}

  std::string name;
  std::vector<std::unique_ptr<Strategy>> strategies;
};

using TargetRef = std::shared_ptr<const Target>;

/// The dialect that has a target's configs knows its targets by name, for
/// passes that are told one by an option.
class TargetDialectInterface
    : public mlir::DialectInterface::Base<TargetDialectInterface> {
public:
  explicit TargetDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}
  /// The target of a name. If the dialect has none of the name: null, or an
  /// error that says what is wrong with the name.
  virtual llvm::Expected<TargetRef> find(llvm::StringRef name) const = 0;
};

/// The target of a name, by the loaded dialects of a context.
llvm::Expected<TargetRef> findTarget(llvm::StringRef name,
                                     mlir::MLIRContext &context);

} // namespace qcc

#endif // QCC_TARGET_TARGET_H
