//===- LoopNest.h - Iteration spaces and accesses ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements that an operand of a linalg op offers to the points of the
// iteration space, moved to and from registers in runs along the innermost
// loop.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_LOOPNEST_H
#define QCC_LIB_REFERENCE_LOOPNEST_H

#include "BatchOps.h"
#include "Evaluator.h"

namespace qcc::reference {

/// The value of `expr`, or none for a division by a number that is not
/// positive.
std::optional<int64_t> evaluateAffine(mlir::AffineExpr expr,
                                      llvm::ArrayRef<int64_t> dims,
                                      llvm::ArrayRef<int64_t> symbols);

struct Access {
  Elem elem;
  uint8_t *data = nullptr;
  /// Of a linear access: offset = base + sum of coefficient * loop index.
  bool linear = true;
  int64_t base = 0;
  llvm::SmallVector<int64_t> coefficients;
  /// Of any other: one expression per dimension of the operand.
  llvm::SmallVector<mlir::AffineExpr> exprs;
  std::vector<int64_t> shape;
  /// Per loop: whether the element depends on it.
  llvm::SmallVector<bool> uses;

  /// Checked against the loops' sizes where linear, at each use otherwise.
  static llvm::Expected<Access> get(mlir::Operation *op, mlir::AffineMap map,
                                    const Tensor &tensor,
                                    llvm::ArrayRef<int64_t> loopSizes);

  /// -1 for an element outside of the operand.
  int64_t offset(llvm::ArrayRef<int64_t> index) const;

  /// Moves `n` elements from loop index `index` on along loop `dim` (-1: n =
  /// 1).
  bool load(llvm::ArrayRef<int64_t> index, int dim, int n, Reg &reg,
            int position) const;
  bool store(llvm::ArrayRef<int64_t> index, int dim, int n, const Reg &reg,
             int position) const;
};

/// A walk over some of the loops, row-major, the others standing still.
class LoopWalk {
public:
  LoopWalk(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<unsigned> dims)
      : sizes(sizes.begin(), sizes.end()), dims(dims.begin(), dims.end()) {}

  int64_t count() const;
  int innermost() const { return dims.empty() ? -1 : int(dims.back()); }
  /// Sets the walked entries of `index` to point number `point`.
  void seek(int64_t point, llvm::MutableArrayRef<int64_t> index) const;

  /// Calls segment(position, n) for runs along the innermost loop that cover
  /// `count` points from `point` on, with `index` at the start of each run.
  template <typename F>
  void segments(int64_t point, int64_t count,
                llvm::MutableArrayRef<int64_t> index, F segment) const {
    seek(point, index);
    if (dims.empty()) {
      segment(0, 1);
      return;
    }
    unsigned inner = dims.back();
    for (int64_t done = 0; done < count;) {
      int64_t n = std::min(count - done, sizes[inner] - index[inner]);
      segment(static_cast<int>(done), static_cast<int>(n));
      done += n;
      index[inner] += n;
      for (size_t d = dims.size();
           d-- > 1 && index[dims[d]] == sizes[dims[d]];) {
        index[dims[d]] = 0;
        ++index[dims[d - 1]];
      }
    }
  }

private:
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<unsigned> dims;
};

/// Drops loops of one iteration and joins neighbours that all accesses step
/// through as one. Only for linear accesses.
void coalesce(llvm::SmallVectorImpl<int64_t> &sizes,
              llvm::MutableArrayRef<Access *> accesses);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_LOOPNEST_H
