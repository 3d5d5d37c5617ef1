//===- Warpgroups.h - Four warps that multiply together ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warpgroup is four warps whose first number is a multiple of four. Its warps
// meet at wgmma.mma_async and setmaxnreg: each waits there for the other three.
//
// A product (wgmma.mma_async) runs by itself at some time between its issue and
// the first wgmma.wait_group that waits for it. For seed 0 that is as late as
// possible. Until then it reads shared memory; whoever writes there races with
// it. Its reads are those of an agent of its own, whose clock is the number of
// the product. A warp that waits for the product knows the agent up to there,
// and may hand this on, by an mbarrier for example.
//
// Accumulators, and registers of A, belong to the product from its issue until
// their own warp waits for it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_WARPGROUPS_H
#define QCC_LIB_EMULATOR_MACHINE_WARPGROUPS_H

#include "Machine/MatrixDescriptor.h"
#include "PTX/Program.h"

#include "qcc/Emulator/Arith.h"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace qcc::emu {

class Cta;
class Warp;
struct Frame;

class Warpgroups {
public:
  static constexpr int warpsOfGroup = 4;

  /// One wgmma.mma_async.
  struct Product {
    const Instruction *inst = nullptr;
    arith::MmaKind kind; ///< Of the part of a warp with eight columns.
    int columns = 0;
    bool accumulates = false; ///< Else the result is the product alone.
    /// Signs that the factors' floats are multiplied with.
    bool negatesA = false, negatesB = false;
    bool hasDescriptorOfA = false;
    MatrixDescriptor a, b;
    uint32_t number = 0; ///< From 1, by warpgroup.
    bool isExecuted = false, isReleased = false;
    /// By warp: its registers, and the group that the product belongs to.
    std::array<Frame *, warpsOfGroup> frames = {};
    std::array<uint32_t, warpsOfGroup> groups = {};
    uint32_t waited = 0;    ///< Warps that have waited for it.
    bool isRefused = false; ///< Its operands lie outside of memory.
  };

  explicit Warpgroups(Cta &cta);

  /// A warp executes an instruction that the four warps execute together.
  /// Returns true for the last one; the others wait.
  bool meet(Warp &warp, const Instruction &inst);
  /// The last warp of a warpgroup has issued a product.
  void issue(Warp &warp, Product product);
  /// wgmma.commit_group by a warp.
  void commit(Warp &warp);
  /// wgmma.wait_group by a warp.
  void wait(Warp &warp, uint32_t allowed);
  /// The last warp of a warpgroup executes setmaxnreg.
  void setRegisters(Warp &warp, const Instruction &inst, int registers);

  /// Lets some products run, as the seed says.
  void advance();
  bool isIdle() const { return underWay_ == 0; }
  /// A frame whose registers products may use is about to end.
  void endFrame(const Frame *frame);
  /// A product that reads some of the bytes of shared memory, or null.
  const Product *reading(uint64_t offset, int size) const;

  /// What a warp waits for.
  std::string describe(const Warp &warp) const;

  /// Calls take(offset, bytes) for the parts of shared memory that a product
  /// reads.
  template <typename Take>
  static void forPieces(const Product &product, Take take) {
    auto matrix = [&](const MatrixDescriptor &descriptor, int rows) {
      constexpr int rowsOfPiece = 8, depth = 16;
      if (descriptor.isTransposed()) {
        for (int row = 0; row < rows; row += rowsOfPiece)
          for (int k = 0; k < depth; ++k)
            take(descriptor.placeOfElement(row, k), pieceBytes);
        return;
      }
      for (int row = 0; row < rows; ++row)
        for (int piece = 0; piece < 2; ++piece)
          take(descriptor.place(row, piece), pieceBytes);
    };
    constexpr int rowsOfA = 64;
    if (product.hasDescriptorOfA)
      matrix(product.a, rowsOfA);
    matrix(product.b, product.columns);
  }

private:
  static constexpr int pieceBytes = 16;

  struct Group {
    /// By warp: where it waits for the others.
    std::array<const Instruction *, warpsOfGroup> places = {};
    std::deque<Product> products; ///< In the order of issue.
    uint32_t issued = 0;
    std::array<uint32_t, warpsOfGroup> committed = {};
    int registers = 0; ///< Of a thread.
    int wanted = 0;    ///< What setmaxnreg.inc waits for; 0: nothing.
  };

  Group &groupOf(const Warp &warp);
  const Group &groupOf(const Warp &warp) const;
  void release(Group &group, const Instruction &inst);
  void executeUpTo(Group &group, size_t count);
  void execute(Group &group, Product &product);
  void giveRegisters();

  Cta &cta_;
  std::vector<Group> groups_;
  int underWay_ = 0; ///< Products that have not run.
  int pool_ = 0;     ///< Registers of a thread of a warpgroup that are free.
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_WARPGROUPS_H
