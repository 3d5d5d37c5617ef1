//===- BlockGraph.h - Basic blocks of a function ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the analyses of a function stand on: its basic blocks and the edges
// between them, and which registers an instruction reads and writes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_BLOCKGRAPH_H
#define QCC_LIB_EMULATOR_PTX_BLOCKGRAPH_H

#include "PTX/Program.h"

namespace qcc::emu {

/// Blocks are numbered in the order of their instructions. One more follows
/// them, the block numBlocks(), in which all ends of the function meet.
class BlockGraph {
public:
  using Edges = std::vector<std::vector<int>>;

  explicit BlockGraph(const Function &function);

  int numBlocks() const { return static_cast<int>(begins_.size()) - 1; }
  uint32_t begin(int block) const { return begins_[block]; }
  uint32_t end(int block) const { return begins_[block + 1]; }
  const Edges &successors() const { return successors_; }
  const Edges &predecessors() const { return predecessors_; }

private:
  void makeBlocks();
  void connect();
  void linkEnd();

  const Function &function_;
  std::vector<uint32_t> begins_; ///< Of blocks, and the end of the code.
  std::vector<int> blockOf_;     ///< Of instructions.
  Edges successors_, predecessors_;
  std::vector<int> ends_; ///< Blocks that end in ret or exit.
};

/// Registers start on lines of the frame; the number of a line stands for the
/// register that starts there.
constexpr uint32_t registerLine = 64;
inline uint32_t placeOf(uint32_t slot) { return slot / registerLine; }
inline size_t numPlaces(const Function &function) {
  return function.frameBytes / registerLine + 1;
}

/// Calls take(operand) for the operands that are registers, and for addresses
/// whose base is one. It leaves the guard out.
template <typename Take>
void forRegisterOperands(const Instruction &inst, Take take) {
  for (int group = 0; group < inst.numGroups; ++group)
    for (int i = 0; i < inst.count(group); ++i) {
      const Operand &operand = inst.op(group, i);
      if (operand.kind == OperandKind::Register ||
          (operand.kind == OperandKind::Address &&
           operand.origin == Origin::Register))
        take(operand);
    }
}

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_BLOCKGRAPH_H
