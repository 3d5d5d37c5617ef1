//===- LoadBatches.cpp - Loads that a warp waits for together -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/LoadBatches.h"

#include "PTX/BlockGraph.h"

namespace qcc::emu {

/// Loads, and atomics with a result.
static bool isLoad(const Instruction &inst) {
  if (inst.isStore ||
      (inst.cost != CostClass::Global && inst.cost != CostClass::Atomic))
    return false;
  bool hasResult = false;
  forRegisterOperands(
      inst, [&](const Operand &operand) { hasResult |= operand.isWritten; });
  return hasResult;
}

static bool usesAny(const Instruction &inst,
                    const std::vector<uint32_t> &slots) {
  auto isOne = [&](uint32_t slot) {
    for (uint32_t known : slots)
      if (known == slot)
        return true;
    return false;
  };
  bool uses = inst.hasGuard && isOne(inst.guardSlot);
  forRegisterOperands(inst, [&](const Operand &operand) {
    uses |= !operand.isWritten && isOne(operand.slot);
  });
  return uses;
}

void findLoadBatches(Function &function) {
  if (function.code.empty())
    return;
  BlockGraph graph(function);
  // Beyond that many results a batch has been waited for.
  constexpr size_t maxResults = 256;
  for (int block = 0; block < graph.numBlocks(); ++block) {
    std::vector<uint32_t> results;
    uint32_t first = 0, pc = graph.begin(block);
    auto end = [&] {
      if (!results.empty())
        function.code[first].useDistance = static_cast<int>(pc - first);
      results.clear();
    };
    for (; pc < graph.end(block); ++pc) {
      const Instruction &inst = function.code[pc];
      if (usesAny(inst, results) || results.size() > maxResults)
        end();
      if (!isLoad(inst))
        continue;
      if (results.empty())
        first = pc;
      forRegisterOperands(inst, [&](const Operand &operand) {
        if (operand.isWritten)
          results.push_back(operand.slot);
      });
    }
    end();
  }
}

} // namespace qcc::emu
