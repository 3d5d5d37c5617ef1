//===- Layouts.h - In which order values are stored -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two halves of channels-last: ChooseLayouts.cpp decides in which order the
// dimensions of each value are stored, ChannelsLast.cpp rewrites the program
// so. Between them is nothing but the table of this file. What is chosen costs
// speed if it is bad, but never a bit: a value that an op needs in another
// order is transposed.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_LAYOUT_LAYOUTS_H
#define QCC_LIB_TRANSFORMS_LAYOUT_LAYOUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace qcc {

/// Dimension i of a value as it is stored is dimension order[i] of the value in
/// the program.
using Order = mlir::SmallVector<int64_t>;

Order identityOrder(int64_t rank);
bool isIdentity(mlir::ArrayRef<int64_t> order);

/// What belongs to the dimensions of a value, in the order of memory.
template <typename Range>
auto inMemory(const Range &values, mlir::ArrayRef<int64_t> order) {
  mlir::SmallVector<std::decay_t<decltype(values[0])>> result;
  for (int64_t d : order)
    result.push_back(values[d]);
  return result;
}

mlir::RankedTensorType inMemory(mlir::RankedTensorType type,
                                mlir::ArrayRef<int64_t> order);
/// A map whose results are the dimensions of a value.
mlir::AffineMap inMemory(mlir::AffineMap map, mlir::ArrayRef<int64_t> order);

/// The loop that a dimension of an operand moves along: that of a single loop,
/// and of a window the parallel one. None where the dimension is constant.
std::optional<unsigned> loopAlong(mlir::linalg::GenericOp op,
                                  mlir::AffineExpr dimension);

/// The order of an operand with the map: its dimensions lie as the loops of
/// `places` do that they move along; constant ones come first. None where the
/// place of a loop is not known.
std::optional<Order>
orderByLoops(mlir::linalg::GenericOp op, mlir::AffineMap map,
             mlir::ArrayRef<std::optional<int64_t>> places);

struct Layouts {
  /// Of results of ops that can be stored in any order; the others are stored
  /// as the program has them.
  mlir::DenseMap<mlir::Value, Order> values;
  /// Of left operands of convolutions, in which order these read them.
  mlir::DenseMap<mlir::OpOperand *, Order> operands;

  Order of(mlir::Value value) const;
  /// Whether every order is that of the program.
  bool areTrivial() const;
};

/// `formsFloats` says that convolutions of floats become kernels as well.
Layouts chooseLayouts(mlir::func::FuncOp function, bool formsFloats);

/// Whether the value exists in any order at no cost: it has no elements yet, or
/// one for all places, or is a constant. Such values have no layout.
bool isFree(mlir::Value value);

/// A reshape of tensors in terms of how they are stored: which dimensions of
/// the expanded tensor each dimension of the collapsed one consists of.
struct ReshapeLayout {
  Order expanded, collapsed;
  mlir::SmallVector<mlir::ReassociationIndices> groups;
};
/// Both tensors of a reshape, if the expanded one is stored in `order`; none
/// where groups are torn apart. `groups` are those of the op.
std::optional<ReshapeLayout>
layoutFromExpanded(mlir::RankedTensorType expanded,
                   mlir::ArrayRef<mlir::ReassociationIndices> groups,
                   mlir::ArrayRef<int64_t> order);
/// Both tensors, if the collapsed one is stored in `order`.
ReshapeLayout
layoutFromCollapsed(mlir::ArrayRef<mlir::ReassociationIndices> groups,
                    mlir::ArrayRef<int64_t> order);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_LAYOUT_LAYOUTS_H
