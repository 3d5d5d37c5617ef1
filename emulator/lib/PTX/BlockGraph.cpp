//===- BlockGraph.cpp - Basic blocks of a function ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/BlockGraph.h"

#include <algorithm>

namespace qcc::emu {

BlockGraph::BlockGraph(const Function &function) : function_(function) {
  makeBlocks();
  connect();
  linkEnd();
}

void BlockGraph::makeBlocks() {
  const std::vector<Instruction> &code = function_.code;
  std::vector<bool> starts(code.size() + 1, false);
  starts[0] = starts[code.size()] = true;
  for (size_t i = 0; i < code.size(); ++i) {
    const Instruction &inst = code[i];
    if (inst.flow == Flow::Next || inst.flow == Flow::Call)
      continue;
    starts[i + 1] = true;
    if (inst.flow == Flow::Branch)
      starts[inst.target] = true;
  }
  for (const std::vector<uint32_t> &table : function_.branchTables)
    for (uint32_t target : table)
      starts[target] = true;
  blockOf_.resize(code.size());
  for (uint32_t i = 0; i <= code.size(); ++i) {
    if (starts[i])
      begins_.push_back(i);
    if (i < code.size())
      blockOf_[i] = static_cast<int>(begins_.size()) - 1;
  }
}

void BlockGraph::connect() {
  // One more block than there is code: what follows all ends.
  successors_.resize(numBlocks() + 1);
  predecessors_.resize(numBlocks() + 1);
  auto link = [&](int from, int to) {
    std::vector<int> &list = successors_[from];
    if (std::find(list.begin(), list.end(), to) != list.end())
      return;
    list.push_back(to);
    predecessors_[to].push_back(from);
  };
  for (int block = 0; block < numBlocks(); ++block) {
    const Instruction &last = function_.code[end(block) - 1];
    bool fallsThrough = last.hasGuard;
    switch (last.flow) {
    case Flow::Next:
    case Flow::Call:
      fallsThrough = true;
      break;
    case Flow::Branch:
      link(block, blockOf_[last.target]);
      break;
    case Flow::IndexedBranch:
      for (uint32_t target : function_.branchTables[last.target])
        link(block, blockOf_[target]);
      break;
    case Flow::Return:
    case Flow::Exit:
      ends_.push_back(block);
      break;
    case Flow::Trap:
      // Nobody goes on from there, so nobody need be waited for.
      break;
    }
    if (fallsThrough)
      link(block, block + 1);
  }
}

/// Lanes that return early are not waited for either. So only the last end
/// that control can reach counts as the function's.
void BlockGraph::linkEnd() {
  std::vector<bool> reached(successors_.size(), false);
  std::vector<int> work = {0};
  reached[0] = true;
  while (!work.empty()) {
    int block = work.back();
    work.pop_back();
    for (int successor : successors_[block])
      if (!reached[successor]) {
        reached[successor] = true;
        work.push_back(successor);
      }
  }
  for (size_t i = ends_.size(); i-- > 0;)
    if (reached[ends_[i]]) {
      successors_[ends_[i]].push_back(numBlocks());
      predecessors_[numBlocks()].push_back(ends_[i]);
      return;
    }
}

} // namespace qcc::emu
