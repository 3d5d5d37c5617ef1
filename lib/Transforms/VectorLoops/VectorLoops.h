//===- VectorLoops.h - The emitters of vector loops -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_VECTORLOOPS_VECTORLOOPS_H
#define QCC_LIB_TRANSFORMS_VECTORLOOPS_VECTORLOOPS_H

#include "qcc/Transforms/VectorLoops/LinalgLoops.h"

namespace qcc {

/// How a load of the body loads lanes: one element for all of them, a vector,
/// or one element at a time.
enum class LoadKind { Single, Contiguous, Gather };
/// `varying` has the values that differ between lanes along the dimension.
LoadKind getLoadKind(mlir::memref::LoadOp load, unsigned dim,
                     const llvm::DenseSet<mlir::Value> &varying);

/// Whether elements this far apart are loaded as vectors that shuffles join.
inline bool isShuffled(std::optional<int64_t> step) {
  return step && *step >= 2 && *step <= 4;
}

/// Ops without float reductions: the outputs at each point, reductions in
/// order.
void emitOrderedLoops(LinalgLoops &loops, unsigned vectorBits);

/// The summand of a sum of integers that can be computed on vectors along its
/// last reduction dimension, but not along a dimension of its result; null for
/// all other ops.
mlir::Value matchIntegerSum(const LinalgLoops &loops);
/// Sums of integers, which wrap: in any order.
void emitIntegerSum(LinalgLoops &loops, mlir::Value summand,
                    unsigned vectorBits);

/// Float reductions of N8: 32 lanes and a tree.
void emitFloatReduction(LinalgLoops &loops,
                        llvm::ArrayRef<FloatReductionOutput> outputs,
                        unsigned vectorBits);

/// The dimension along which all outputs are contiguous, or the last parallel
/// one; nothing if there is no parallel dimension.
struct InnermostDim {
  unsigned dim;
  bool isContiguous;
};
std::optional<InnermostDim> chooseInnermostDim(const LinalgLoops &loops);

/// Two dimensions of an elementwise op whose elements lie side by side in the
/// output, while an input is contiguous along the first one of them alone:
/// y[.., v, q] = x[.., q, .., v]. So lanes are along `along`, and the vectors
/// of all indices of `phase` are interleaved as they are stored.
struct InterleavedDims {
  unsigned along, phase;
  int64_t count; ///< indices of `phase`
  /// Operands that lie as the output does.
  llvm::SmallVector<mlir::OpOperand *> interleaved;
};
std::optional<InterleavedDims> chooseInterleavedDims(const LinalgLoops &loops);
/// Such an op: vectors along one dimension, interleaved with those of the
/// other.
void emitInterleavedLoops(LinalgLoops &loops, const InterleavedDims &dims,
                          unsigned vectorBits);

/// Two dimensions of an elementwise op whose outputs are contiguous along
/// `column`, and whose inputs `transposed` are contiguous along `row`: tiles of
/// `width` x `width` elements can be turned in registers.
struct TransposedDims {
  unsigned row, column;
  unsigned width;
  llvm::SmallVector<mlir::OpOperand *> transposed;
};
/// Nothing unless each input is contiguous along one of the two, or moves along
/// neither.
std::optional<TransposedDims> chooseTransposedDims(const LinalgLoops &loops,
                                                   unsigned vectorBits);
void emitTransposedLoops(LinalgLoops &loops, const TransposedDims &dims);

/// A parallel dimension other than `fastest` whose indices are computed `rows`
/// at once. An input that moves along `fastest` does not move along this
/// dimension, so one load serves all of these indices. A dynamic dimension may
/// have one index, so a static one of whole `rows` comes before it. Nothing if
/// the op has no such dimension.
std::optional<unsigned> chooseRowDim(const LinalgLoops &loops, unsigned fastest,
                                     unsigned rows);

/// Whether vectors along the dimension may have lanes outside: nothing is
/// gathered lane by lane, and the target has masks for all elements.
bool isMaskable(const LinalgLoops &loops, unsigned dim, unsigned vectorBits);

/// Vectors where that is possible, up to `unroll` of them at once where there
/// are as many.
Segments chooseSegments(const LinalgLoops &loops, InnermostDim innermost,
                        unsigned vectorBits, unsigned unroll);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_VECTORLOOPS_VECTORLOOPS_H
