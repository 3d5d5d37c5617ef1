//===- LinalgLoops.h - Loops of one linalg op -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emitters of generic code share this class. It knows the iteration space
// of a linalg.generic on memrefs. It loads and stores operands at one point, or
// at a row of points along one dimension (the *lanes*). It computes the body on
// lanes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_VECTORLOOPS_LINALGLOOPS_H
#define QCC_TRANSFORMS_VECTORLOOPS_LINALGLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  /// A vector<count x i1>; null if all lanes are inside.
  mlir::Value mask;
};

/// The loops over a dimension, and the lanes of each.
struct Segments {
  unsigned dim;
  /// The number of lanes of each loop; the loops follow each other.
  llvm::SmallVector<unsigned> widths;
  /// Lanes of the masked vector that computes the rest; 0 if there is no rest.
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
  /// Whether an operand is loaded one element at a time if lanes are along the
  /// dimension: neither as a vector, nor as vectors that shuffles join.
  bool isGathered(mlir::OpOperand &operand, unsigned dim) const;

  /// The values of the body that differ between points along the dimension.
  llvm::DenseSet<mlir::Value> listVarying(unsigned dim) const;
  /// The loads of the body whose elements are loaded one at a time if lanes are
  /// along the dimension.
  llvm::SmallVector<mlir::memref::LoadOp> listGathers(unsigned dim) const;
  /// Whether the body itself loads elements.
  bool hasLoads() const;

  /// Whether the body can be computed on a vector of points at once.
  bool isBodyMappable() const;
  /// Whether the body may be computed for points outside without harm.
  bool isBodySpeculatable() const;
  /// The number of lanes of a vector of `bits` bits, for the widest element
  /// type of the op.
  unsigned getVectorWidth(unsigned bits) const;

  /// A dimension in blocks of `size` indices; only the last may have fewer.
  struct Blocked {
    unsigned dim;
    int64_t size;
  };
  struct Block {
    mlir::Value low, high;
  };
  /// Opens an scf.forall over the parallel dimensions except `inside`, and puts
  /// the insertion point into it. Dimensions of `blocked` are iterated in
  /// blocks. Writes the index of every other iterated dimension to `point`.
  /// Returns a block for each dimension of `blocked`.
  llvm::SmallVector<Block> openForall(llvm::ArrayRef<Blocked> blocked,
                                      Point &point,
                                      llvm::ArrayRef<unsigned> inside = {});
  /// Opens an scf.forall over the parallel dimensions with `count` iterations
  /// for each point, which follow each other. Returns the number of the
  /// iteration, from 0 on.
  mlir::Value openForallOfLanes(int64_t count, Point &point);

  /// Calls `body` for each whole tile of `rows` indices in the block, and for
  /// each remaining index. The argument is the number of indices; `point` has
  /// the first one.
  void emitRows(Block block, unsigned dim, unsigned rows, Point &point,
                llvm::function_ref<void(unsigned)> body);
  /// The `rows` points of a tile that begins at `point`, along the dimension.
  llvm::SmallVector<Point> getRows(const Point &point, unsigned dim,
                                   unsigned rows);

  /// Emits the loops of `segments` over the block [low, high). The body gets
  /// the index at which its lanes begin.
  void emitSegments(Block block, const Segments &segments,
                    llvm::function_ref<void(mlir::Value, const Lanes &)> body);

  /// Emits loops over the dimensions, in order; the last one is the innermost.
  llvm::SmallVector<mlir::Value>
  emitLoops(llvm::ArrayRef<unsigned> dims, Point point,
            mlir::ValueRange iterArgs,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(const Point &,
                                                              mlir::ValueRange)>
                body);

  /// Loads the operand at the lanes; a scalar if it does not move along them.
  mlir::Value load(mlir::OpOperand &operand, const Point &point,
                   const Lanes &lanes);
  void store(mlir::Value value, mlir::OpOperand &operand, const Point &point,
             const Lanes &lanes);
  /// The value as a vector of the lanes; the value itself for one lane.
  mlir::Value spread(mlir::Value value, const Lanes &lanes);

  /// Emits the part of the body that does not depend on the dimensions
  /// `moving`. Loops over these dimensions then neither load nor compute it
  /// again.
  void emitInvariants(const Point &point, llvm::ArrayRef<unsigned> moving);

  /// From now on the body takes `value` for the input and does not load it.
  void setInput(mlir::OpOperand &input, mlir::Value value);

  /// Computes the values `wanted` of the body at the lanes. `accumulators` are
  /// the values of the output arguments. If it is empty, loads those that are
  /// used.
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
  /// Mutable because ops are handles: a call of an op's function does not
  /// change the loops.
  mutable mlir::linalg::LinalgOp op;
  /// How the body converts between f32 and bf16.
  const BF16Conversions bf16;

private:
  /// The distance between the elements of neighbouring points along the
  /// dimension, if that is a constant and they lie in one line; or nothing.
  std::optional<int64_t> getStep(mlir::OpOperand &operand, unsigned dim) const;
  /// The ops of the body that `wanted` needs, last first. Indices of loads are
  /// left out if `onLanes`.
  llvm::SmallVector<mlir::Operation *>
  listNeeded(llvm::ArrayRef<mlir::Value> wanted, bool onLanes,
             llvm::DenseSet<mlir::Value> &needed) const;
  mlir::Value loadStrided(mlir::OpOperand &operand, const Point &point,
                          const Lanes &lanes, int64_t step);
  /// Computes a value of the body at one point. `mapping` has values of this
  /// point.
  mlir::Value emitScalar(mlir::Value value, mlir::IRMapping &mapping,
                         const Point &point);
  mlir::Value emitBodyLoad(mlir::memref::LoadOp load, const Point &point,
                           const Lanes &lanes);

  /// Opens an scf.forall over `outer`. Each pair has the variable that receives
  /// an index, and the number of its values.
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

/// Rewrites a linalg op on memrefs, or a memref.copy, to the linalg.generic of
/// which loops are made. Merges adjacent dimensions if every operand keeps them
/// together. An error if the op has no such form, or if an output depends on a
/// reduction dimension.
mlir::FailureOr<mlir::linalg::GenericOp>
prepareLoops(mlir::RewriterBase &rewriter, mlir::Operation *op);

/// The ops of a function that become loops of their own (prepareLoops).
llvm::SmallVector<mlir::Operation *> listLoopOps(mlir::Operation *func);

} // namespace qcc

#endif // QCC_TRANSFORMS_VECTORLOOPS_LINALGLOOPS_H
