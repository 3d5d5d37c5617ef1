//===- LinalgLoops.h - The loops of one linalg op ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emitters of generic code share: the iteration space of a
// linalg.generic on memrefs, access to its operands at one point or at a row of
// points (the *lanes*) along one dimension, and its body computed on lanes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_VECTORLOOPS_LINALGLOOPS_H
#define QCC_TRANSFORMS_VECTORLOOPS_LINALGLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Conversion/LegalizeFloat/FloatOps.h"

namespace qcc {

/// Consecutive points along one dimension; one point where count is 1.
struct Lanes {
  unsigned dim = 0;
  unsigned count = 1;
  /// A vector<count x i1>; null where all lanes are inside.
  mlir::Value mask;
};

/// How a dimension is covered by lanes.
struct Segments {
  unsigned dim;
  /// Loops of so many lanes at once, one after the other.
  llvm::SmallVector<unsigned> widths;
  /// Lanes of the vector that computes what they leave, under a mask; 0 where
  /// they leave nothing.
  unsigned masked = 0;
};

class LinalgLoops {
public:
  /// Values of the loop dimensions, in their order.
  using Point = llvm::SmallVector<mlir::Value>;

  LinalgLoops(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
              BF16Conversions bf16);

  /// How an operand moves along a dimension.
  enum class Movement { None, Contiguous, Other };
  Movement getMovement(mlir::OpOperand &operand, unsigned dim) const;

  /// Whether the body can be computed on a vector of points at once.
  bool isBodyMappable() const;
  /// Whether it does no harm to compute the body for points outside.
  bool isBodySpeculatable() const;
  /// Lanes of a vector of `bits` for the widest element type of the op.
  unsigned getVectorWidth(unsigned bits) const;

  /// A dimension in blocks of so many; all but the last one are full.
  struct Blocked {
    unsigned dim;
    int64_t size;
  };
  struct Block {
    mlir::Value low, high;
  };
  /// Opens the scf.forall over the parallel dimensions: all whole but those of
  /// `blocked`, and without those of `inside`. The insertion point is then
  /// inside; `point` receives the indices and, for blocked dimensions and those
  /// of `inside`, nothing. Returns a block of each blocked dimension.
  llvm::SmallVector<Block> openForall(llvm::ArrayRef<Blocked> blocked,
                                      Point &point,
                                      llvm::ArrayRef<unsigned> inside = {});
  /// Opens the scf.forall over the parallel dimensions with `count` iterations
  /// for each point, one after the other. Returns which of them it is.
  mlir::Value openForallOfLanes(int64_t count, Point &point);

  /// Calls `body` with the whole tiles of `rows` of the dimension that are in
  /// the block, and with its remaining indices one by one. The point has the
  /// first index of the tile.
  void emitRows(Block block, unsigned dim, unsigned rows, Point &point,
                llvm::function_ref<void(unsigned)> body);
  /// The points of a tile of `rows` from `point` on along the dimension.
  llvm::SmallVector<Point> getRows(const Point &point, unsigned dim,
                                   unsigned rows);

  /// Covers [low, high) as `segments` says; the body gets where its lanes
  /// begin.
  void emitSegments(Block block, const Segments &segments,
                    llvm::function_ref<void(mlir::Value, const Lanes &)> body);

  /// Loops over the dimensions, in order.
  llvm::SmallVector<mlir::Value>
  emitLoops(llvm::ArrayRef<unsigned> dims, Point point,
            mlir::ValueRange iterArgs,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(const Point &,
                                                              mlir::ValueRange)>
                body);

  /// The operand at the lanes; a scalar where it does not move along them.
  mlir::Value load(mlir::OpOperand &operand, const Point &point,
                   const Lanes &lanes);
  void store(mlir::Value value, mlir::OpOperand &operand, const Point &point,
             const Lanes &lanes);
  /// The value as a vector of the lanes, if there are several.
  mlir::Value spread(mlir::Value value, const Lanes &lanes);

  /// Computes, once and here, what of the body does not depend on the
  /// dimensions `moving`: loops over these need not load and compute it again.
  void emitInvariants(const Point &point, llvm::ArrayRef<unsigned> moving);

  /// From now on the body takes a value for an input and does not load it.
  void setInput(mlir::OpOperand &input, mlir::Value value);

  /// Computes `wanted`, values of the body, at the lanes. `accumulators` are
  /// the values of the output arguments; empty loads those that are used.
  llvm::SmallVector<mlir::Value> emitBody(llvm::ArrayRef<mlir::Value> wanted,
                                          mlir::ValueRange accumulators,
                                          const Point &point,
                                          const Lanes &lanes);

  mlir::Value constant(int64_t value);
  mlir::Value getSize(unsigned dim);
  llvm::ArrayRef<unsigned> getReductionDims() const { return reductionDims; }
  llvm::ArrayRef<unsigned> getParallelDims() const { return parallelDims; }

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  /// Ops are handles: reading one does not change the loops.
  mutable mlir::linalg::LinalgOp op;
  /// How the body converts between f32 and bf16.
  const BF16Conversions bf16;

private:
  /// Opens the scf.forall over `outer`: where an index goes, and its size.
  void openForallOver(
      llvm::ArrayRef<std::pair<mlir::Value *, mlir::OpFoldResult>> outer);
  llvm::SmallVector<mlir::Value> getIndices(mlir::OpOperand &operand,
                                            const Point &point);
  mlir::Operation *emitOnLanes(mlir::Operation &nested,
                               mlir::IRMapping &mapping, const Lanes &lanes);
  void emitOp(mlir::Operation &nested, mlir::IRMapping &mapping,
              const Point &point, const Lanes &lanes);

  mlir::IRMapping invariants;
  llvm::SmallVector<unsigned> parallelDims, reductionDims;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// The op that loops are made of, of a linalg op or a memref.copy on memrefs:
/// a linalg.generic, adjacent dimensions of which are one where every operand
/// keeps them together. Outputs do not depend on reduction dimensions. An error
/// if there is none.
mlir::FailureOr<mlir::linalg::GenericOp>
prepareLoops(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// The ops of a function that have loops of their own (prepareLoops).
llvm::SmallVector<mlir::Operation *> listLoopOps(mlir::Operation *func);

} // namespace qcc

#endif // QCC_TRANSFORMS_VECTORLOOPS_LINALGLOOPS_H
