//===- Emulator.h - Running PTX without a GPU -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads PTX text, keeps device memory, and runs kernels on the host, exactly
// and more strictly than hardware: whatever a chip might get away with is a
// report (Report.h).
//
//   Emulator emulator;
//   auto module = emulator.loadModule(ptx, "gemm.ptx");
//   auto a = emulator.allocate(1024, "A");
//   auto run = emulator.launch(**(*module)->kernel("gemm"), config, {*a});
//   run->reports, run->counters
//
// Device addresses are numbers that mean nothing to the host. Failures to load
// or to launch are statuses; what a running kernel does wrong is a report.
//
// An Emulator may be used by several threads; launches follow one another.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_EMULATOR_H
#define QCC_EMULATOR_EMULATOR_H

#include "qcc/Base/Status.h"
#include "qcc/Emulator/Counters.h"
#include "qcc/Emulator/Report.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace qcc::emu {

using DeviceAddress = uint64_t;

enum class Checking : uint8_t {
  None, ///< Bounds and alignment only, which hardware checks as well.
  All
};

struct LaunchOptions {
  /// Orders the warps, and chooses when asynchronous copies take effect, which
  /// older values strong reads get, and who executes activemask together. Every
  /// asynchronous copy is as late as possible for seed 0.
  uint64_t seed = 0;
  Checking checking = Checking::All;
  /// Counters beyond the number of executions: banks, sectors, loops.
  bool countAccesses = true;
  /// Host threads for independent CTAs; 0: one for each CPU.
  int threads = 0;
  /// Warp instructions of one CTA after which the launch ends with a report.
  int64_t maxInstructions = int64_t(1) << 28;
  /// CTAs of a kernel whose CTAs talk to each other that run at once. 0: 64,
  /// and more while they wait for others, up to what the chip holds.
  int residentCtas = 0;
  /// Bytes of an output element, for Counters::outputElements; 0: the narrowest
  /// element that the kernel stores.
  int outputElementBytes = 0;
  /// Kinds of which no report is made. Those that end a launch (trap, deadlock,
  /// limit) cannot be ignored.
  std::vector<ReportKind> ignored;
};

struct LaunchConfig {
  Dim3 grid;
  Dim3 block;
  int64_t dynamicShared = 0;
  /// Whether a chip may start the kernel while kernels before it end. Threads
  /// then have to execute griddepcontrol.wait before they write memory, or read
  /// what a kernel has written.
  bool isProgrammatic = false;
  /// CTAs of a cluster; 0s: as the kernel says (.reqnctapercluster), or one.
  Dim3 cluster{0, 0, 0};
};

/// One kernel argument: the bytes of its value.
struct Argument {
  std::vector<uint8_t> bytes;

  template <typename T,
            std::enable_if_t<std::is_trivially_copyable_v<T>> * = nullptr>
  Argument(const T &value) : bytes(sizeof(T)) {
    memcpy(bytes.data(), &value, sizeof(T));
  }
  explicit Argument(std::vector<uint8_t> bytes) : bytes(std::move(bytes)) {}
};

struct LaunchResult {
  /// In the order of CTAs, then of time; none with the same kind and
  /// instruction as another.
  std::vector<Report> reports;
  Counters counters;
};

/// What a kernel takes.
struct ParameterInfo {
  std::string name;
  ScalarType type = ScalarType::B8;
  int64_t size = 0; ///< Bytes.
  int64_t alignment = 1;
  bool isPointer = false; ///< Declared .ptr.
};

/// An entry function of a module.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual const std::string &name() const = 0;
  virtual const std::vector<ParameterInfo> &parameters() const = 0;
  virtual int64_t staticShared() const = 0;
  /// .reqntid, or 0s.
  virtual Dim3 requiredBlock() const = 0;
  /// 32-bit registers of a thread that are live at once, at most: about what
  /// ptxas needs.
  virtual int registers() const = 0;
};

/// Loaded PTX. Its global variables live as long as it does.
class Module {
public:
  virtual ~Module() = default;
  /// Owned by the module. A kernel that uses what the emulator does not have is
  /// refused here; the others of its module run.
  virtual rt::Result<const Kernel *> kernel(std::string_view name) const = 0;
  virtual std::vector<std::string> kernelNames() const = 0;
  /// Where a variable in .global or .const lies, and its size in bytes.
  virtual rt::Result<std::pair<DeviceAddress, int64_t>>
  variable(std::string_view name) const = 0;
  /// "sm_80"
  virtual const std::string &target() const = 0;
};

class Emulator {
public:
  Emulator();
  ~Emulator();
  Emulator(const Emulator &) = delete;
  Emulator &operator=(const Emulator &) = delete;

  /// `name` is for messages: "name:line:column: error".
  rt::Result<std::shared_ptr<const Module>>
  loadModule(std::string_view ptx, std::string_view name = "<ptx>");

  /// Memory full of garbage, 256-byte aligned, with unmapped addresses around
  /// it. A size of 0 gives address 0. `name` is for reports.
  rt::Result<DeviceAddress> allocate(int64_t size, std::string_view name = "");
  rt::Status deallocate(DeviceAddress address);
  rt::Status copyToDevice(DeviceAddress destination, const void *source,
                          int64_t size);
  rt::Status copyToHost(void *destination, DeviceAddress source, int64_t size);
  rt::Status copyOnDevice(DeviceAddress destination, DeviceAddress source,
                          int64_t size);

  /// Runs a kernel to its end. A report does not end it; Trap, Deadlock and
  /// Limit do.
  rt::Result<LaunchResult> launch(const Kernel &kernel,
                                  const LaunchConfig &config,
                                  const std::vector<Argument> &arguments,
                                  const LaunchOptions &options = {});

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace qcc::emu

#endif // QCC_EMULATOR_EMULATOR_H
