//===- Blocks.cpp - Blocks of images --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Codes.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// SPACE_TO_DEPTH and DEPTH_TO_SPACE.
LogicalResult tflite::importBlocks(OpImporter &n) {
  bool isDeep = n.op.code == code::SPACE_TO_DEPTH;
  auto *options = n.options<fb::BlockOptions>(
      isDeep ? fb::OptionsType_SpaceToDepth : fb::OptionsType_DepthToSpace);
  GraphValue &x = n.in(0);
  if (!options)
    return failure();
  int64_t block = options->block_size();
  bool fits = x.rank() == 4 && block > 0 && block < (1 << 20);
  for (unsigned d : {1u, 2u, 3u})
    if (fits && isDeep == (d != 3)) {
      int64_t by = isDeep ? block : block * block;
      fits = knownSize(x.shape[d]).value_or(0) % by == 0;
    }
  if (!fits)
    return n.refuse() << "has blocks of " << block << " for "
                      << n.type(x.element, x.shape) << "; correct the model";
  OpFoldResult b = n.size(block);
  Shape s = x.shape, wide, flat;
  if (isDeep) {
    OpFoldResult rows = n.floorDiv(s[1], b), columns = n.floorDiv(s[2], b);
    wide = {s[0], rows, b, columns, b, s[3]};
    flat = {s[0], rows, columns, n.mul(s[3], n.size(block * block))};
  } else {
    OpFoldResult depth = n.floorDiv(s[3], n.size(block * block));
    wide = {s[0], s[1], s[2], b, b, depth};
    flat = {s[0], n.mul(s[1], b), n.mul(s[2], b), depth};
  }
  GraphValue split = reshape(n, x, wide);
  GraphValue moved = transpose(n, split, {0, 1, 3, 2, 4, 5});
  return n.set(reshape(n, moved, flat));
}

namespace {
/// The blocks of SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, which dimensions 1 to
/// `sizes.size()` have, and what is added to these or cut from them.
struct BatchBlocks {
  SmallVector<int64_t> sizes, low, high;
  int64_t product = 1;
};
} // namespace

static FailureOr<BatchBlocks> readBlocks(OpImporter &n) {
  auto sizes = n.constants(1, "its blocks"),
       borders = n.constants(2, "its borders");
  if (failed(sizes) || failed(borders))
    return failure();
  BatchBlocks blocks;
  blocks.sizes = *sizes;
  bool fits = borders->size() == 2 * sizes->size() &&
              static_cast<int64_t>(sizes->size()) < n.in(0).rank();
  for (int64_t size : *sizes) {
    fits = fits && size > 0 && size < (1 << 20) / blocks.product;
    blocks.product *= fits ? size : 1;
  }
  for (int64_t border : *borders)
    fits = fits && border >= 0 && border < (1 << 30);
  if (!fits)
    return n.refuse() << "has blocks or borders that do not fit "
                      << n.type(n.in(0).element, n.in(0).shape)
                      << "; correct the model";
  for (size_t i = 0; i < sizes->size(); ++i) {
    blocks.low.push_back((*borders)[2 * i]);
    blocks.high.push_back((*borders)[2 * i + 1]);
  }
  return blocks;
}

LogicalResult tflite::importSpaceToBatch(OpImporter &n) {
  auto blocks = readBlocks(n);
  if (failed(blocks))
    return failure();
  GraphValue x = n.in(0);
  int64_t count = blocks->sizes.size();
  double zero = n.info(0).type == fb::TensorType_UInt8 ? -128 : 0;
  if (n.isQuantized(0)) {
    auto affine = n.affine(0);
    if (failed(affine))
      return failure();
    zero = affine->zeroPoint;
  }
  SmallVector<OpFoldResult> low(x.rank(), n.size(0)), high = low;
  for (int64_t i = 0; i < count; ++i) {
    low[1 + i] = n.size(blocks->low[i]);
    high[1 + i] = n.size(blocks->high[i]);
  }
  x = pad(n, x, low, high, Scalars(n.b, n.loc).constant(x.element, zero));
  // [n, y, by, x, bx, c] becomes [by, bx, n, y, x, c].
  Shape wide{x.shape[0]}, flat{n.mul(x.shape[0], n.size(blocks->product))};
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) {
    OpFoldResult size = n.size(blocks->sizes[i]), all = x.shape[1 + i];
    if (knownSize(all).value_or(0) % blocks->sizes[i] != 0)
      return n.refuse() << "has blocks of " << blocks->sizes[i]
                        << " for a dimension that they do not divide; correct "
                           "the model";
    flat.push_back(n.floorDiv(all, size));
    wide.append({flat.back(), size});
    order.push_back(2 * i + 2);
  }
  order.push_back(0);
  for (int64_t i = 0; i < count; ++i)
    order.push_back(2 * i + 1);
  for (int64_t d = 1 + count; d < x.rank(); ++d) {
    order.push_back(static_cast<int64_t>(wide.size()));
    wide.push_back(x.shape[d]);
    flat.push_back(x.shape[d]);
  }
  GraphValue split = reshape(n, x, wide);
  GraphValue moved = transpose(n, split, order);
  return n.set(reshape(n, moved, flat));
}

LogicalResult tflite::importBatchToSpace(OpImporter &n) {
  auto blocks = readBlocks(n);
  if (failed(blocks))
    return failure();
  GraphValue &x = n.in(0);
  int64_t count = blocks->sizes.size();
  if (knownSize(x.shape[0]).value_or(0) % blocks->product != 0)
    return n.refuse() << "has a batch that its blocks do not divide; correct "
                         "the model";
  // [by, bx, n, y, x, c] becomes [n, y, by, x, bx, c].
  Shape wide, flat;
  for (int64_t size : blocks->sizes)
    wide.push_back(n.size(size));
  wide.push_back(n.floorDiv(x.shape[0], n.size(blocks->product)));
  flat.push_back(wide.back());
  wide.append(x.shape.begin() + 1, x.shape.end());
  SmallVector<int64_t> order{count};
  for (int64_t i = 0; i < count; ++i) {
    order.append({count + 1 + i, i});
    flat.push_back(n.mul(x.shape[1 + i], n.size(blocks->sizes[i])));
  }
  for (int64_t d = 1 + count; d < x.rank(); ++d) {
    order.push_back(count + d);
    flat.push_back(x.shape[d]);
  }
  GraphValue split = reshape(n, x, wide);
  GraphValue moved = transpose(n, split, order);
  GraphValue all = reshape(n, moved, flat);
  SmallVector<OpFoldResult> starts(x.rank(), n.size(0)), sizes(flat);
  for (int64_t i = 0; i < count; ++i) {
    int64_t cut = blocks->low[i] + blocks->high[i];
    if (knownSize(flat[1 + i]).value_or(cut) < cut)
      return n.refuse() << "cuts more elements than it has; correct the model";
    starts[1 + i] = n.size(blocks->low[i]);
    sizes[1 + i] = n.sub(flat[1 + i], n.size(cut));
  }
  return n.set(slice(n, all, starts, sizes, SmallVector<int64_t>(x.rank(), 1)));
}
