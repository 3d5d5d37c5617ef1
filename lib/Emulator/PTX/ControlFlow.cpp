//===- ControlFlow.cpp - Where lanes meet again, and loops ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dominators by iteration over the blocks in reverse post-order (Cooper, Harvey
// and Kennedy); post-dominators are those of the reversed graph, in which a
// virtual block follows the function's end.
//
//===----------------------------------------------------------------------===//

#include "PTX/ControlFlow.h"

#include <algorithm>
#include <map>

namespace qcc::emu {
namespace {

constexpr int none = -1;
using Edges = std::vector<std::vector<int>>;

/// Immediate dominators of a graph; `none` where the entry does not reach, and
/// for the entry itself.
std::vector<int> dominators(const Edges &successors, const Edges &predecessors,
                            int entry) {
  size_t size = successors.size();
  std::vector<int> order, number(size, none);
  // Depth first with a stack of its own: graphs may be deep.
  std::vector<std::pair<int, size_t>> stack = {{entry, 0}};
  std::vector<bool> seen(size, false);
  seen[entry] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == successors[block].size()) {
      number[block] = static_cast<int>(order.size());
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    int successor = successors[block][next++];
    if (!seen[successor]) {
      seen[successor] = true;
      stack.push_back({successor, 0});
    }
  }
  std::vector<int> idom(size, none);
  idom[entry] = entry;
  auto meet = [&](int a, int b) {
    while (a != b) {
      while (number[a] < number[b])
        a = idom[a];
      while (number[b] < number[a])
        b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size(); i-- > 0;) {
      int block = order[i], best = none;
      if (block == entry)
        continue;
      for (int predecessor : predecessors[block])
        if (idom[predecessor] != none)
          best = best == none ? predecessor : meet(best, predecessor);
      if (idom[block] != best) {
        idom[block] = best;
        changed = true;
      }
    }
  }
  idom[entry] = none;
  return idom;
}

class Analysis {
public:
  explicit Analysis(Function &function) : function_(function) {}

  void run() {
    makeBlocks();
    connect();
    linkEnd();
    findReconvergence();
    findLoops();
    countLiveRegisters();
  }

private:
  int numBlocks() const { return static_cast<int>(begins_.size()) - 1; }
  uint32_t begin(int block) const { return begins_[block]; }
  uint32_t end(int block) const { return begins_[block + 1]; }

  void makeBlocks() {
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

  void connect() {
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
  void linkEnd() {
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

  void findReconvergence() {
    std::vector<int> postDominator =
        dominators(predecessors_, successors_, numBlocks());
    for (int block = 0; block < numBlocks(); ++block) {
      int meeting = postDominator[block];
      function_.code[end(block) - 1].reconvergence =
          meeting == none || meeting == numBlocks() ? noTarget : begin(meeting);
    }
  }

  void findLoops() {
    std::vector<int> idom = dominators(successors_, predecessors_, 0);
    auto dominates = [&](int a, int b) {
      while (b != none && b != a)
        b = idom[b];
      return b == a;
    };
    // Loops by header, each with its blocks. They serve counters alone, so a
    // text made to have too many has none.
    constexpr size_t maxBits = size_t(1) << 28;
    std::map<int, std::vector<bool>> bodies;
    for (int block = 0; block < numBlocks(); ++block) {
      if (block != 0 && idom[block] == none)
        continue; // Never reached.
      for (int header : successors_[block]) {
        if (header == numBlocks() || !dominates(header, block) ||
            (bodies.size() + 1) * numBlocks() > maxBits)
          continue;
        std::vector<bool> &body = bodies[header];
        body.resize(numBlocks());
        std::vector<int> work;
        body[header] = true;
        if (!body[block])
          work.push_back(block);
        body[block] = true;
        while (!work.empty()) {
          int inside = work.back();
          work.pop_back();
          for (int predecessor : predecessors_[inside])
            if (!body[predecessor]) {
              body[predecessor] = true;
              work.push_back(predecessor);
            }
        }
      }
    }
    // Outer loops first, so that inner ones overwrite loopOf.
    struct Body {
      int header;
      std::vector<bool> blocks;
      int64_t size;
    };
    std::vector<Body> loops;
    for (auto &[header, blocks] : bodies) {
      int64_t size = std::count(blocks.begin(), blocks.end(), true);
      loops.push_back({header, std::move(blocks), size});
    }
    std::sort(loops.begin(), loops.end(), [](const Body &a, const Body &b) {
      return a.size != b.size ? a.size > b.size : a.header < b.header;
    });
    function_.loopOf.assign(function_.code.size(), none);
    for (size_t i = 0; i < loops.size(); ++i) {
      Loop loop;
      loop.header = begin(loops[i].header);
      loop.parent = function_.loopOf[loop.header];
      loop.depth =
          loop.parent == none ? 1 : function_.loops[loop.parent].depth + 1;
      function_.loops.push_back(loop);
      for (int block = 0; block < numBlocks(); ++block)
        if (loops[i].blocks[block])
          for (uint32_t pc = begin(block); pc < end(block); ++pc)
            function_.loopOf[pc] = static_cast<int>(i);
    }
  }

  //===------------------------------------------------------------------===//
  // Live registers
  //===------------------------------------------------------------------===//

  /// Calls take(slot, words, isWrite) for the registers of an instruction.
  template <typename Take>
  void forRegisters(const Instruction &inst, Take take) const {
    if (inst.hasGuard)
      take(inst.guardSlot, 0, false);
    for (int group = 0; group < inst.numGroups; ++group)
      for (int i = 0; i < inst.count(group); ++i) {
        const Operand &operand = inst.op(group, i);
        bool isAddress = operand.kind == OperandKind::Address;
        if (operand.kind != OperandKind::Register &&
            !(isAddress && operand.origin == Origin::Register))
          continue;
        int words = operand.type == ScalarType::Pred
                        ? 0
                        : std::max(1, bitsOf(operand.type) / 32);
        take(operand.slot, words, operand.isWritten);
      }
  }

  void countLiveRegisters() {
    // Dense numbers for the places of registers.
    constexpr uint32_t line = 64;
    size_t places = function_.frameBytes / line + 1;
    constexpr size_t maxBits = size_t(1) << 28;
    if (places * numBlocks() > maxBits)
      return;
    using Bits = std::vector<bool>;
    std::vector<int> words(places, 0);
    std::vector<Bits> gen(numBlocks(), Bits(places)), kill = gen, in = gen;
    for (int block = 0; block < numBlocks(); ++block)
      for (uint32_t pc = begin(block); pc < end(block); ++pc) {
        const Instruction &inst = function_.code[pc];
        forRegisters(inst, [&](uint32_t slot, int size, bool isWrite) {
          words[slot / line] = size;
          if (!isWrite && !kill[block][slot / line])
            gen[block][slot / line] = true;
        });
        forRegisters(inst, [&](uint32_t slot, int, bool isWrite) {
          if (isWrite && !inst.hasGuard)
            kill[block][slot / line] = true;
        });
      }
    // Live at the start of each block, until nothing changes.
    auto liveOut = [&](int block) {
      Bits out(places);
      for (int successor : successors_[block])
        if (successor != numBlocks())
          for (size_t i = 0; i < places; ++i)
            if (in[successor][i])
              out[i] = true;
      return out;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (int block = numBlocks() - 1; block >= 0; --block) {
        Bits live = liveOut(block);
        for (size_t i = 0; i < places; ++i)
          live[i] = gen[block][i] || (live[i] && !kill[block][i]);
        if (live != in[block]) {
          in[block] = std::move(live);
          changed = true;
        }
      }
    }
    for (int block = 0; block < numBlocks(); ++block) {
      Bits live = liveOut(block);
      int count = 0;
      for (size_t i = 0; i < places; ++i)
        count += live[i] ? words[i] : 0;
      function_.liveRegisters = std::max(function_.liveRegisters, count);
      for (uint32_t pc = end(block); pc-- > begin(block);) {
        const Instruction &inst = function_.code[pc];
        auto set = [&](uint32_t slot, int size, bool value) {
          if (live[slot / line] != value)
            count += value ? size : -size;
          live[slot / line] = value;
        };
        forRegisters(inst, [&](uint32_t slot, int size, bool isWrite) {
          if (isWrite && !inst.hasGuard)
            set(slot, size, false);
        });
        forRegisters(inst, [&](uint32_t slot, int size, bool isWrite) {
          if (!isWrite)
            set(slot, size, true);
        });
        function_.liveRegisters = std::max(function_.liveRegisters, count);
      }
    }
  }

  Function &function_;
  std::vector<uint32_t> begins_; ///< Of blocks, and the end of the code.
  std::vector<int> blockOf_;     ///< Of instructions.
  Edges successors_, predecessors_;
  std::vector<int> ends_; ///< Blocks that end in ret or exit.
};

} // namespace

void analyzeControlFlow(Function &function) {
  if (function.code.empty())
    return;
  Analysis(function).run();
}

} // namespace qcc::emu
