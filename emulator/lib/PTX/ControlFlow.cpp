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

#include "PTX/BlockGraph.h"

#include <algorithm>
#include <map>

namespace qcc::emu {
namespace {

constexpr int none = -1;
using Edges = BlockGraph::Edges;

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
  explicit Analysis(Function &function)
      : function_(function), graph_(function) {}

  void run() {
    findReconvergence();
    findLoops();
    countLiveRegisters();
  }

private:
  int numBlocks() const { return graph_.numBlocks(); }
  uint32_t begin(int block) const { return graph_.begin(block); }
  uint32_t end(int block) const { return graph_.end(block); }
  const Edges &successors() const { return graph_.successors(); }
  const Edges &predecessors() const { return graph_.predecessors(); }

  /// Whether lanes leave the function there: nothing is left to do together,
  /// and who has left is not waited for at barriers.
  bool isEnd(uint32_t pc) const {
    const Instruction &inst = function_.code[pc];
    return !inst.hasGuard &&
           (inst.flow == Flow::Return || inst.flow == Flow::Exit);
  }

  void findReconvergence() {
    std::vector<int> postDominator =
        dominators(predecessors(), successors(), numBlocks());
    for (int block = 0; block < numBlocks(); ++block) {
      int meeting = postDominator[block];
      bool meets =
          meeting != none && meeting != numBlocks() && !isEnd(begin(meeting));
      function_.code[end(block) - 1].reconvergence =
          meets ? begin(meeting) : noTarget;
    }
  }

  void findLoops() {
    std::vector<int> idom = dominators(successors(), predecessors(), 0);
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
      for (int header : successors()[block]) {
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
          for (int predecessor : predecessors()[inside])
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
    forRegisterOperands(inst, [&](const Operand &operand) {
      int words = operand.type == ScalarType::Pred
                      ? 0
                      : std::max(1, bitsOf(operand.type) / 32);
      take(operand.slot, words, operand.isWritten);
    });
  }

  void countLiveRegisters() {
    // Dense numbers for the places of registers.
    size_t places = numPlaces(function_);
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
          words[placeOf(slot)] = size;
          if (!isWrite && !kill[block][placeOf(slot)])
            gen[block][placeOf(slot)] = true;
        });
        forRegisters(inst, [&](uint32_t slot, int, bool isWrite) {
          if (isWrite && !inst.hasGuard)
            kill[block][placeOf(slot)] = true;
        });
      }
    // Live at the start of each block, until nothing changes.
    auto liveOut = [&](int block) {
      Bits out(places);
      for (int successor : successors()[block])
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
          if (live[placeOf(slot)] != value)
            count += value ? size : -size;
          live[placeOf(slot)] = value;
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
  BlockGraph graph_;
};

} // namespace

void analyzeControlFlow(Function &function) {
  if (function.code.empty())
    return;
  Analysis(function).run();
}

} // namespace qcc::emu
