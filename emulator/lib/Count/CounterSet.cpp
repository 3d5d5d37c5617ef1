//===- CounterSet.cpp - Counting while a kernel runs ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/CounterSet.h"

#include "PTX/InstructionTable.h"

#include <algorithm>

namespace qcc::emu {

void CounterSet::add(const CounterSet &other) {
  for (size_t i = 0; i < sites.size(); ++i) {
    sites[i].executions += other.sites[i].executions;
    sites[i].lanes += other.sites[i].lanes;
    sites[i].shared.add(other.sites[i].shared);
    sites[i].global.add(other.sites[i].global);
  }
  barriers += other.barriers;
}

namespace {

class Summary {
public:
  Summary(const Program &program, const Function &kernel, const CounterSet &set,
          int outputElementBytes)
      : program_(program), kernel_(kernel), set_(set),
        elementBytes_(outputElementBytes) {}

  Counters run() {
    counters_.kernel = kernel_.functionName;
    counters_.registers = kernel_.liveRegisters;
    counters_.barriers = set_.barriers;
    counters_.hottestAtomic = set_.hottestAtomic;
    addLoops();
    for (const auto &function : program_.functions)
      for (const Instruction &inst : function->code)
        if (function.get() == &kernel_ || set_.sites[inst.site].executions > 0)
          addInstruction(*function, inst);
    findHottestLoop();
    countOutputs();
    return std::move(counters_);
  }

private:
  void addLoops() {
    for (const Loop &loop : kernel_.loops) {
      LoopCounters counters;
      counters.parent = loop.parent;
      counters.depth = loop.depth;
      counters_.loops.push_back(counters);
    }
  }

  /// Multiply-accumulates of one mma, or of one warp's wgmma.
  static int64_t macsOf(const Instruction &inst) {
    constexpr int rowsOfWarp = 16;
    for (Mod mod : inst.modifiers)
      switch (mod) {
      case Mod::m64nNk8:
        return int64_t(rowsOfWarp) * inst.columns * 8;
      case Mod::m64nNk16:
        return int64_t(rowsOfWarp) * inst.columns * 16;
      case Mod::m64nNk32:
        return int64_t(rowsOfWarp) * inst.columns * 32;
      case Mod::m8n8k4:
        return 8 * 8 * 4;
      case Mod::m8n8k16:
        return 8 * 8 * 16;
      case Mod::m8n8k32:
        return 8 * 8 * 32;
      case Mod::m16n8k4:
        return 16 * 8 * 4;
      case Mod::m16n8k8:
        return 16 * 8 * 8;
      case Mod::m16n8k16:
        return 16 * 8 * 16;
      case Mod::m16n8k32:
        return 16 * 8 * 32;
      case Mod::m16n8k64:
        return 16 * 8 * 64;
      default:
        break;
      }
    return 0;
  }

  void addInstruction(const Function &function, const Instruction &inst) {
    const CounterSet::Site &site = set_.sites[inst.site];
    bool isKernel = &function == &kernel_;
    InstructionCounters row;
    row.line = static_cast<int>(inst.line);
    row.text = program_.locate(inst).instruction;
    row.cost = inst.cost;
    row.loop = isKernel ? kernel_.loopOf[inst.site - kernel_.firstSite] : -1;
    row.executions = site.executions;
    row.lanes = site.lanes;
    row.shared = site.shared;
    row.global = site.global;
    row.useDistance = inst.useDistance;

    counters_.executions += site.executions;
    counters_.lanes += site.lanes;
    counters_.byClass[static_cast<int>(inst.cost)] += site.executions;
    counters_.shared.add(site.shared);
    if (inst.cost == CostClass::Matrix) {
      counters_.matrix.instructions += site.executions;
      int64_t macs = macsOf(inst) * site.executions;
      // Products of 4 bits take half the time of products of 8 bits. Products
      // of f64 take 16 times the time of products of f16.
      int bits = bitsOf(inst.types[1]);
      MatrixCounters &matrix = counters_.matrix;
      bool isOfWarpgroup = inst.has(Mod::mma_async);
      if (bits <= 8) {
        matrix.int8Macs += macs * bits / 8;
        matrix.warpgroupInt8Macs += isOfWarpgroup ? macs : 0;
      } else {
        matrix.halfMacs += bits == 64 ? 16 * macs : macs;
        matrix.warpgroupHalfMacs += isOfWarpgroup ? macs : 0;
      }
    }
    if (site.global.requests > 0) {
      if (inst.cost == CostClass::Atomic) {
        counters_.globalAtomics += site.global.requests;
        counters_.atomicTraffic.add(site.global);
      } else if (inst.isStore) {
        counters_.globalStores.add(site.global);
      } else {
        counters_.globalLoads.add(site.global);
      }
    }
    for (int loop = row.loop; loop >= 0; loop = counters_.loops[loop].parent) {
      LoopCounters &counters = counters_.loops[loop];
      counters.executions += site.executions;
      if (inst.cost == CostClass::Matrix)
        counters.mmas += site.executions;
      counters.firstLine = counters.firstLine
                               ? std::min(counters.firstLine, row.line)
                               : row.line;
      counters.lastLine = std::max(counters.lastLine, row.line);
    }
    counters_.instructions.push_back(std::move(row));
  }

  /// By loop: whether it waits for an mbarrier and does nothing else.
  std::vector<bool> findWaitLoops() const {
    std::vector<bool> waits(counters_.loops.size());
    for (uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const Instruction &inst = kernel_.code[pc];
      if (kernel_.loopOf[pc] >= 0 &&
          (inst.has(Mod::try_wait) || inst.has(Mod::test_wait)))
        waits[kernel_.loopOf[pc]] = true;
    }
    for (uint32_t pc = 0; pc < kernel_.code.size(); ++pc)
      if (kernel_.loopOf[pc] >= 0 &&
          kernel_.code[pc].cost != CostClass::Barrier &&
          kernel_.code[pc].cost != CostClass::Branch)
        waits[kernel_.loopOf[pc]] = false;
    return waits;
  }

  void findHottestLoop() {
    std::vector<bool> waits = findWaitLoops();
    std::vector<bool> isInnermost(counters_.loops.size());
    for (size_t i = 0; i < waits.size(); ++i)
      isInnermost[i] = !waits[i];
    for (size_t i = 0; i < waits.size(); ++i)
      if (counters_.loops[i].parent >= 0 && !waits[i])
        isInnermost[counters_.loops[i].parent] = false;
    auto heat = [&](int i) {
      const LoopCounters &loop = counters_.loops[i];
      return std::make_pair(loop.mmas, loop.executions);
    };
    for (size_t i = 0; i < counters_.loops.size(); ++i)
      if (isInnermost[i] && counters_.loops[i].executions > 0 &&
          (counters_.hottestLoop < 0 || heat(i) > heat(counters_.hottestLoop)))
        counters_.hottestLoop = static_cast<int>(i);
    if (counters_.hottestLoop < 0)
      return;
    const LoopCounters &loop = counters_.loops[counters_.hottestLoop];
    if (loop.mmas > 0)
      counters_.instructionsPerMma =
          double(loop.executions) / double(loop.mmas);
  }

  /// What runs once control has left the hottest loop: the code behind it that
  /// lies in no loop, or in another one.
  void countOutputs() {
    int64_t bytes = 0;
    int narrowest = 8;
    for (const Instruction &inst : kernel_.code) {
      const CounterSet::Site &site = set_.sites[inst.site];
      if (!inst.isStore || site.global.requests == 0)
        continue;
      // A bulk copy does not know its elements.
      if (inst.types[0] == ScalarType::None) {
        bytes += site.global.usefulBytes;
        continue;
      }
      int width = bytesOf(inst.types[0]);
      bytes += site.lanes * width * inst.vector;
      narrowest = std::min(narrowest, width);
    }
    if (bytes == 0)
      return;
    counters_.outputElements =
        bytes / (elementBytes_ > 0 ? elementBytes_ : narrowest);
    uint32_t end = 0;
    for (uint32_t pc = 0; pc < kernel_.code.size(); ++pc)
      if (counters_.hottestLoop >= 0 &&
          kernel_.loopOf[pc] == counters_.hottestLoop)
        end = pc + 1;
    int64_t lanes = 0;
    for (uint32_t pc = end; pc < kernel_.code.size(); ++pc)
      lanes += set_.sites[kernel_.firstSite + pc].lanes;
    if (counters_.outputElements > 0)
      counters_.instructionsPerOutput =
          double(lanes) / double(counters_.outputElements);
  }

  const Program &program_;
  const Function &kernel_;
  const CounterSet &set_;
  int elementBytes_;
  Counters counters_;
};

} // namespace

Counters summarize(const Program &program, const Function &kernel,
                   const CounterSet &set, int outputElementBytes) {
  return Summary(program, kernel, set, outputElementBytes).run();
}

} // namespace qcc::emu
