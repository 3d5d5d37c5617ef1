//===- Products.cpp - Products of matrices --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"
#include "Contractions.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

using Iterator = utils::IteratorType;

LogicalResult tflite::importFullyConnected(OpImporter &n) {
  auto *options =
      n.options<fb::FullyConnectedOptions>(fb::OptionsType_FullyConnected);
  Contraction c;
  if (!options || failed(readOperands(n, c, 0, 1, /*axis=*/0)))
    return failure();
  if (options->weights_format() != 0)
    return n.refuse() << "has shuffled weights, which are not supported; "
                         "convert the model without them";
  std::optional<int64_t> outputs, depth;
  if (c.w.rank() == 2) {
    outputs = knownSize(c.w.shape[0]);
    depth = knownSize(c.w.shape[1]);
  }
  if (!outputs || !depth || *depth < 1 || c.x.rank() < 1)
    return n.refuse() << "takes weights of two known sizes, not "
                      << n.type(c.w.element, c.w.shape)
                      << "; correct the model";
  std::optional<int64_t> last = knownSize(c.x.shape.back());
  OpFoldResult elements = n.product(c.x.shape);
  std::optional<int64_t> known = knownSize(elements);
  if ((known && *known % *depth != 0) ||
      (options->keep_num_dims() && last != *depth))
    return n.refuse() << "has an operand " << n.type(c.x.element, c.x.shape)
                      << " for weights of " << *depth
                      << " inputs; correct the model";
  Shape shape = c.x.shape;
  shape.back() = n.size(*outputs);
  Shape rows{n.floorDiv(elements, n.size(*depth)), n.size(*depth)};
  c.x = reshape(n, c.x, rows);
  c.shape = {rows[0], n.size(*outputs)};
  AffineExpr i = n.b.getAffineDimExpr(0), j = n.b.getAffineDimExpr(1),
             k = n.b.getAffineDimExpr(2);
  c.readX = {i, k};
  c.readW = {j, k};
  c.roundsOnce = true;
  c.iterators = {Iterator::parallel, Iterator::parallel, Iterator::reduction};
  auto sums = contract(n, c, 2);
  if (failed(sums))
    return failure();
  auto result = finish(n, c, *sums, options->activation());
  if (failed(result))
    return failure();
  return n.set(options->keep_num_dims() ? reshape(n, *result, shape) : *result);
}

LogicalResult tflite::importBatchMatMul(OpImporter &n) {
  auto *options =
      n.options<fb::BatchMatMulOptions>(fb::OptionsType_BatchMatMul);
  Contraction c;
  if (!options || failed(readOperands(n, c, 0, 1, /*axis=*/-1)))
    return failure();
  int64_t rank = std::max(c.x.rank(), c.w.rank());
  if (std::min(c.x.rank(), c.w.rank()) < 2)
    return n.refuse() << "takes operands of at least 2 dimensions; reshape "
                         "them";
  auto split = [&](GraphValue &value, bool isAdjoint) {
    Shape batch(value.shape.begin(), value.shape.end() - 2);
    OpFoldResult rows = value.shape[value.rank() - 2],
                 columns = value.shape.back();
    if (isAdjoint)
      std::swap(rows, columns);
    return std::tuple(batch, rows, columns);
  };
  auto [batchX, rows, depthX] = split(c.x, options->adjoint_x());
  auto [batchW, depthW, columns] = split(c.w, options->adjoint_y());
  std::optional<int64_t> a = knownSize(depthX), b = knownSize(depthW);
  if (a && b && *a != *b)
    return n.refuse() << "multiplies rows of " << *a << " by columns of " << *b
                      << " elements; correct the model";
  auto batch = broadcast(n, {&batchX, &batchW});
  if (failed(batch))
    return failure();
  c.shape = *batch;
  c.shape.append({rows, columns});
  auto read = [&](const Shape &own, unsigned first, unsigned second,
                  bool isAdjoint) {
    SmallVector<AffineExpr> exprs;
    for (auto [d, size] : llvm::enumerate(own))
      exprs.push_back(knownSize(size) == 1
                          ? n.b.getAffineConstantExpr(0)
                          : n.b.getAffineDimExpr(rank - 2 - own.size() + d));
    exprs.push_back(n.b.getAffineDimExpr(isAdjoint ? second : first));
    exprs.push_back(n.b.getAffineDimExpr(isAdjoint ? first : second));
    return exprs;
  };
  c.readX = read(batchX, rank - 2, rank, options->adjoint_x());
  c.readW = read(batchW, rank, rank - 1, options->adjoint_y());
  c.iterators.assign(rank, Iterator::parallel);
  c.iterators.push_back(Iterator::reduction);
  return setContraction(n, c, ~0u, fb::Activation_None);
}
