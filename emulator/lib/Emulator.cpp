//===- Emulator.cpp - Running PTX without a GPU ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, memory, and the checks before a launch.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Emulator.h"

#include "Instructions/Rows.h"
#include "Machine/AddressSpace.h"
#include "Machine/Grid.h"
#include "PTX/Parser.h"

#include "qcc/Emulator/TimeModel.h"

#include <mutex>
#include <thread>

namespace qcc::emu {
namespace {

/// Outlives the emulator while modules need it.
struct State {
  std::mutex mutex;
  DeviceMemory memory;
  std::shared_ptr<rt::ThreadPool> pool;
  uint64_t modules = 0;
};

class LoadedModule : public Module {
public:
  LoadedModule(std::shared_ptr<State> state, std::unique_ptr<Program> program)
      : state_(std::move(state)), program_(std::move(program)) {}
  ~LoadedModule() override {
    std::lock_guard<std::mutex> lock(state_->mutex);
    for (const Variable &variable : program_->variables)
      if (isInDeviceMemory(variable))
        (void)state_->memory.deallocate(variable.address);
  }

  static bool isInDeviceMemory(const Variable &variable) {
    return variable.space == StateSpace::Global ||
           variable.space == StateSpace::Const;
  }

  /// Gives the variables their memory; the state is locked.
  rt::Status placeVariables() {
    for (const Variable &variable : program_->variables) {
      if (!isInDeviceMemory(variable))
        continue;
      rt::Result<Allocation *> allocation = state_->memory.allocateAt(
          variable.address, std::max<int64_t>(variable.size, 1), variable.name,
          variable.space == StateSpace::Const);
      if (!allocation.isOk())
        return allocation.status().withPrefix("variable '" + variable.name +
                                              "': ");
      if (!variable.initial.empty())
        memcpy((*allocation)->data(), variable.initial.data(),
               variable.initial.size());
    }
    return rt::Status::ok();
  }

  rt::Result<const Kernel *> kernel(std::string_view name) const override {
    for (const auto &function : program_->functions)
      if (function->isEntry && function->isDefined &&
          function->functionName == name)
        return function->refusal.isOk()
                   ? rt::Result<const Kernel *>(
                         static_cast<const Kernel *>(function.get()))
                   : rt::Result<const Kernel *>(function->refusal);
    std::string known;
    for (const std::string &kernel : kernelNames())
      known += (known.empty() ? "" : ", ") + kernel;
    return rt::notFound("no kernel '" + std::string(name) +
                        "'; the module has " +
                        (known.empty() ? "none" : known));
  }

  std::vector<std::string> kernelNames() const override {
    std::vector<std::string> names;
    for (const auto &function : program_->functions)
      if (function->isEntry && function->isDefined)
        names.push_back(function->functionName);
    return names;
  }

  rt::Result<std::pair<DeviceAddress, int64_t>>
  variable(std::string_view name) const override {
    for (const Variable &variable : program_->variables)
      if (variable.name == name && isInDeviceMemory(variable))
        return std::make_pair(DeviceAddress(variable.address), variable.size);
    return rt::notFound("no variable '" + std::string(name) +
                        "' in .global or .const");
  }

  const std::string &target() const override { return program_->target; }

private:
  std::shared_ptr<State> state_;
  std::unique_ptr<Program> program_;
};

} // namespace

class Emulator::Impl {
public:
  std::shared_ptr<State> state = std::make_shared<State>();
};

Emulator::Emulator() : impl_(std::make_unique<Impl>()) {}
Emulator::~Emulator() = default;

//===----------------------------------------------------------------------===//
// Modules and memory
//===----------------------------------------------------------------------===//

rt::Result<std::shared_ptr<const Module>>
Emulator::loadModule(std::string_view ptx, std::string_view name) {
  State &state = *impl_->state;
  std::lock_guard<std::mutex> lock(state.mutex);
  uint64_t base = moduleMemoryBase + state.modules * moduleBytes;
  rt::Result<std::unique_ptr<Program>> program =
      parseProgram(ptx, name, base, instructionTable());
  if (!program.isOk())
    return program.status();
  ++state.modules;
  auto module =
      std::make_shared<LoadedModule>(impl_->state, std::move(*program));
  rt::Status status = module->placeVariables();
  if (!status.isOk()) {
    // What was placed goes when the module does, which needs the lock.
    state.mutex.unlock();
    module.reset();
    state.mutex.lock();
    return status.withPrefix(std::string(name) + ": ");
  }
  return std::shared_ptr<const Module>(std::move(module));
}

rt::Result<DeviceAddress> Emulator::allocate(int64_t size,
                                             std::string_view name) {
  std::lock_guard<std::mutex> lock(impl_->state->mutex);
  return impl_->state->memory.allocate(size, name);
}

rt::Status Emulator::deallocate(DeviceAddress address) {
  std::lock_guard<std::mutex> lock(impl_->state->mutex);
  return impl_->state->memory.deallocate(address);
}

rt::Status Emulator::copyToDevice(DeviceAddress destination, const void *source,
                                  int64_t size) {
  if (size == 0)
    return rt::Status::ok();
  std::lock_guard<std::mutex> lock(impl_->state->mutex);
  rt::Result<uint8_t *> to = impl_->state->memory.hostPointer(
      destination, size, "a copy to the device");
  if (!to.isOk())
    return to.status();
  if (!source)
    return rt::invalidArgument("a copy to the device without a source");
  memcpy(*to, source, size);
  return rt::Status::ok();
}

rt::Status Emulator::copyToHost(void *destination, DeviceAddress source,
                                int64_t size) {
  if (size == 0)
    return rt::Status::ok();
  std::lock_guard<std::mutex> lock(impl_->state->mutex);
  rt::Result<uint8_t *> from =
      impl_->state->memory.hostPointer(source, size, "a copy from the device");
  if (!from.isOk())
    return from.status();
  if (!destination)
    return rt::invalidArgument("a copy from the device without a destination");
  memcpy(destination, *from, size);
  return rt::Status::ok();
}

rt::Status Emulator::copyOnDevice(DeviceAddress destination,
                                  DeviceAddress source, int64_t size) {
  if (size == 0)
    return rt::Status::ok();
  std::lock_guard<std::mutex> lock(impl_->state->mutex);
  rt::Result<uint8_t *> from = impl_->state->memory.hostPointer(
      source, size, "a copy on the device from");
  if (!from.isOk())
    return from.status();
  rt::Result<uint8_t *> to = impl_->state->memory.hostPointer(
      destination, size, "a copy on the device to");
  if (!to.isOk())
    return to.status();
  memmove(*to, *from, size);
  return rt::Status::ok();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static std::string dimText(Dim3 dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" +
         std::to_string(dim.z);
}

static rt::Status checkCluster(const Function &kernel,
                               const LaunchConfig &config, Launch &launch) {
  const Dim3 &grid = config.grid, &required = kernel.cluster;
  Dim3 cluster = config.cluster.x ? config.cluster : required;
  if (kernel.needsExplicitCluster && !cluster.x)
    return rt::invalidArgument("'" + kernel.functionName +
                               "' needs a size of clusters (.explicitcluster)");
  if (!cluster.x)
    return rt::Status::ok();
  bool isOther =
      required.x && (cluster.x != required.x || cluster.y != required.y ||
                     cluster.z != required.z);
  if (isOther)
    return rt::invalidArgument("clusters of " + dimText(cluster) + " CTAs; '" +
                               kernel.functionName + "' requires " +
                               dimText(required) + " (.reqnctapercluster)");
  int64_t ctas = int64_t(cluster.x) * cluster.y * cluster.z;
  if (cluster.x < 1 || cluster.y < 1 || cluster.z < 1 ||
      ctas > static_cast<int64_t>(maxClusterCtas))
    return rt::invalidArgument("clusters of " + dimText(cluster) +
                               " CTAs; 1 to 16 are possible");
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return rt::invalidArgument("a grid of " + dimText(grid) +
                               " CTAs is no multiple of clusters of " +
                               dimText(cluster));
  launch.cluster = cluster;
  return rt::Status::ok();
}

static rt::Status checkDims(const Function &kernel, const LaunchConfig &config,
                            Launch &launch) {
  const Dim3 &grid = config.grid, &block = config.block;
  constexpr int maxGridYZ = 65535, maxBlock = 1024, maxBlockZ = 64;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.y > maxGridYZ ||
      grid.z > maxGridYZ)
    return rt::invalidArgument("a grid of " + dimText(grid) +
                               " CTAs; 1 to 2147483647 x 65535 x 65535");
  int64_t threads = int64_t(block.x) * block.y * block.z;
  if (block.x < 1 || block.y < 1 || block.z < 1 || block.z > maxBlockZ ||
      threads > maxBlock)
    return rt::invalidArgument("a block of " + dimText(block) +
                               " threads; 1 to 1024 in all, 64 in z");
  const Dim3 &required = kernel.required, &most = kernel.maximal;
  if (required.x &&
      (block.x != required.x || block.y != required.y || block.z != required.z))
    return rt::invalidArgument("a block of " + dimText(block) + " threads; '" +
                               kernel.functionName + "' requires " +
                               dimText(required) + " (.reqntid)");
  if (most.x && threads > int64_t(most.x) * most.y * most.z)
    return rt::invalidArgument("a block of " + dimText(block) + " threads; '" +
                               kernel.functionName + "' allows " +
                               dimText(most) + " (.maxntid)");
  constexpr int64_t maxCtas = int64_t(1) << 26;
  // The product of three ints fits: each of the last two is below 2^16.
  launch.ctas = int64_t(grid.x) * grid.y * grid.z;
  if (launch.ctas > maxCtas)
    return rt::unsupported("a grid of " + dimText(grid) +
                           " CTAs; the emulator runs at most 2^26");
  if (rt::Status status = checkCluster(kernel, config, launch); !status.isOk())
    return status;
  launch.threadsPerCta = static_cast<int>(threads);
  launch.warpsPerCta = (launch.threadsPerCta + 31) / 32;
  return rt::Status::ok();
}

static rt::Status placeShared(const Program &program, const Function &kernel,
                              const LaunchConfig &config, Launch &launch) {
  const Layout &layout = kernel.sharedLayout;
  launch.staticShared = layout.bytes;
  launch.dynamicBegin =
      program.hasExternalShared ? program.externalSharedOffset : layout.end;
  if (config.dynamicShared < 0)
    return rt::invalidArgument("dynamic shared memory of negative size");
  const ChipInfo *chip = findChip(program.target);
  constexpr int64_t largestOfAnyChip = 232448;
  int64_t limit = chip ? chip->sharedBytesOfCta : largestOfAnyChip;
  int64_t before = alignUp(layout.bytes, program.externalSharedAlignment);
  if (config.dynamicShared > limit || before + config.dynamicShared > limit)
    return rt::invalidArgument(
        std::to_string(layout.bytes) + " bytes of static and " +
        std::to_string(config.dynamicShared) +
        " of dynamic shared memory; a CTA on " + program.target + " has " +
        std::to_string(limit));
  launch.totalShared = before + config.dynamicShared;
  launch.sharedStates = layout.states();
  if (config.dynamicShared > 0) {
    launch.sharedStates.resize(launch.dynamicBegin, Unmapped);
    launch.sharedStates.resize(launch.dynamicBegin + config.dynamicShared,
                               Unwritten);
  }
  return rt::Status::ok();
}

static rt::Status placeArguments(const Function &kernel,
                                 const std::vector<Argument> &arguments,
                                 Launch &launch) {
  if (arguments.size() != kernel.params.size())
    return rt::invalidArgument("'" + kernel.functionName + "' takes " +
                               std::to_string(kernel.params.size()) +
                               " arguments, not " +
                               std::to_string(arguments.size()));
  launch.params.assign(kernel.paramLayout.end, 0);
  launch.paramStates = kernel.paramLayout.states();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Variable &param = kernel.params[i];
    if (int64_t(arguments[i].bytes.size()) != param.size)
      return rt::invalidArgument("argument " + std::to_string(i) + " has " +
                                 std::to_string(arguments[i].bytes.size()) +
                                 " bytes; parameter '" + param.name + "' of '" +
                                 kernel.functionName + "' has " +
                                 std::to_string(param.size));
    memcpy(&launch.params[param.address], arguments[i].bytes.data(),
           param.size);
  }
  return rt::Status::ok();
}

/// CTAs of the kernel that the module's chip holds at once, at least 1.
static int64_t ctasOfChip(const Program &program, const Function &kernel,
                          const Launch &launch) {
  const ChipInfo *chip = findChip(program.target);
  if (!chip)
    chip = findChip("sm_80"); // For want of a better one.
  Counters counters;
  counters.warpsPerCta = launch.warpsPerCta;
  counters.registers =
      kernel.setsRegisters ? launch.registersAtStart() : kernel.liveRegisters;
  counters.staticShared = launch.staticShared;
  counters.dynamicShared = launch.config.dynamicShared;
  return std::max(1, residencyOf(counters, *chip).ctas) * int64_t(chip->sms);
}

rt::Result<LaunchResult>
Emulator::launch(const Kernel &kernel, const LaunchConfig &config,
                 const std::vector<Argument> &arguments,
                 const LaunchOptions &options) {
  State &state = *impl_->state;
  std::lock_guard<std::mutex> lock(state.mutex);
  const auto &function = static_cast<const Function &>(kernel);
  const Program &program = *function.program;
  Launch launch;
  launch.program = &program;
  launch.kernel = &function;
  launch.config = config;
  launch.options = options;
  launch.memory = &state.memory;
  for (rt::Status status : {checkDims(function, config, launch),
                            placeShared(program, function, config, launch),
                            placeArguments(function, arguments, launch)})
    if (!status.isOk())
      return status;
  if (options.threads < 0 || options.maxInstructions < 1 ||
      options.residentCtas < 0)
    return rt::invalidArgument("a limit of a launch that is not positive");
  for (ReportKind kind : options.ignored)
    if (endsLaunch(kind))
      return rt::invalidArgument("reports of the kind '" +
                                 std::string(reportKindName(kind)) +
                                 "' end a launch and cannot be ignored");
  launch.ctasOfChip = ctasOfChip(program, function, launch);
  int clusterCtas = launch.clusterCtas();
  if (options.residentCtas > 0 && options.residentCtas < clusterCtas)
    return rt::invalidArgument(
        "a cluster has " + std::to_string(clusterCtas) + " CTAs, and " +
        std::to_string(options.residentCtas) + " run at once");
  launch.ctasOfChip = std::max<int64_t>(
      launch.ctasOfChip / clusterCtas * clusterCtas, clusterCtas);
  launch.isTogether =
      function.communicates || launch.ctas == 1 || clusterCtas > 1;

  int threads = options.threads;
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  if (launch.isTogether)
    threads = 1;
  if (!state.pool || state.pool->size() < threads) {
    rt::Result<std::shared_ptr<rt::ThreadPool>> pool =
        rt::ThreadPool::create(threads);
    if (!pool.isOk())
      return pool.status();
    state.pool = std::move(*pool);
  }
  if (options.countAccesses)
    state.memory.resetSectors();

  Grid grid(launch);
  grid.run(*state.pool, threads);
  LaunchResult result;
  result.reports = grid.takeReports();
  result.counters =
      summarize(program, function, grid.counters(), options.outputElementBytes);
  if (function.setsRegisters)
    result.counters.registers = launch.registersAtStart();
  result.counters.ctas = launch.ctas;
  result.counters.threadsPerCta = launch.threadsPerCta;
  result.counters.warpsPerCta = launch.warpsPerCta;
  result.counters.staticShared = launch.staticShared;
  result.counters.dynamicShared = config.dynamicShared;
  if (options.countAccesses) {
    result.counters.loadedBytes =
        state.memory.loadedSectors() * SectorSet::sectorBytes;
    result.counters.storedBytes =
        state.memory.storedSectors() * SectorSet::sectorBytes;
  }
  return result;
}

} // namespace qcc::emu
