//===- Sparse.cpp - Sparse constants of a TFLite model --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sparse tensor is a tree with a level for each dimension, in an order of its
// own; dimensions may be divided into blocks, which are levels as well. A level
// is dense, or has a list of indices for each node of the level above. The
// elements are the leaves.
//
//===----------------------------------------------------------------------===//

#include "Sparse.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace qcc;
using namespace qcc::tflite;
using llvm::SmallVector;

/// Bytes of a constant that is made dense: a small file may name many.
static constexpr int64_t kMaxBytes = int64_t(1) << 28;

namespace {
struct Level {
  int64_t dim;  ///< of the tensor, or behind these a block
  int64_t size; ///< how many indices it may have
  bool isDense;
  std::vector<int64_t> segments, indices;
};

class Decoder {
public:
  explicit Decoder(const TensorInfo &tensor) : tensor(tensor) {}

  bool run();

  std::vector<char> dense;

private:
  bool readLevels();
  bool walk(size_t level, int64_t node);
  bool writeLeaf();

  const TensorInfo &tensor;
  std::vector<Level> levels;
  /// The dimension of each block, and its size.
  SmallVector<int64_t> blockDims, blockSizes;
  /// The index of each dimension and block at hand.
  SmallVector<int64_t> at;
  int64_t width = 0, next = 0;
};
} // namespace

template <typename T> static std::vector<int64_t> toList(const T *table) {
  std::vector<int64_t> list;
  if (table && table->values())
    list.assign(table->values()->begin(), table->values()->end());
  return list;
}

static std::vector<int64_t> readList(fb::Indices type, const void *list) {
  switch (type) {
  case fb::Indices_Int32Indices:
    return toList(static_cast<const fb::Int32Indices *>(list));
  case fb::Indices_UInt16Indices:
    return toList(static_cast<const fb::UInt16Indices *>(list));
  case fb::Indices_UInt8Indices:
    return toList(static_cast<const fb::UInt8Indices *>(list));
  default:
    return {};
  }
}

bool Decoder::readLevels() {
  const fb::Sparsity &sparsity = *tensor.sparsity;
  auto *order = sparsity.order();
  auto *dims = sparsity.dimensions();
  auto rank = static_cast<int64_t>(tensor.shape.size());
  if (sparsity.blocks())
    blockDims.assign(sparsity.blocks()->begin(), sparsity.blocks()->end());
  int64_t count = rank + static_cast<int64_t>(blockDims.size());
  if (!order || !dims || blockDims.size() > tensor.shape.size() ||
      order->size() != static_cast<size_t>(count) ||
      dims->size() != order->size())
    return false;
  SmallVector<int64_t> sizes(tensor.shape.begin(), tensor.shape.end());
  SmallVector<int64_t> sorted(order->data(), order->data() + order->size());
  llvm::sort(sorted);
  for (int64_t i = 0; i < count; ++i)
    if (sorted[i] != i)
      return false;
  // The sizes of blocks are those of their levels.
  blockSizes.assign(blockDims.size(), 0);
  for (int64_t i = 0; i < count; ++i)
    if (int64_t dim = order->Get(i); dim >= rank)
      blockSizes[dim - rank] = dims->Get(i)->size();
  for (auto [dim, size] : llvm::zip_equal(blockDims, blockSizes)) {
    if (dim < 0 || dim >= rank || size < 1 || sizes[dim] % size != 0)
      return false;
    sizes[dim] /= size;
  }
  sizes.append(blockSizes);
  for (int64_t i = 0; i < count; ++i) {
    const fb::SparseDimension &dim = *dims->Get(i);
    Level level{order->Get(i), sizes[order->Get(i)], dim.format() == 0, {}, {}};
    if (level.isDense && dim.size() != level.size)
      return false;
    if (!level.isDense) {
      level.segments = readList(dim.segments_type(), dim.segments());
      level.indices = readList(dim.indices_type(), dim.indices());
    }
    levels.push_back(std::move(level));
  }
  at.assign(count, 0);
  return true;
}

bool Decoder::writeLeaf() {
  SmallVector<int64_t> index(at.begin(), at.begin() + tensor.shape.size());
  for (auto [i, dim] : llvm::enumerate(blockDims))
    index[dim] = index[dim] * blockSizes[i] + at[tensor.shape.size() + i];
  int64_t place = 0;
  for (auto [size, i] : llvm::zip_equal(tensor.shape, index))
    place = place * size + i;
  if ((next + 1) * width > static_cast<int64_t>(tensor.data.size()))
    return false;
  std::copy_n(tensor.data.begin() + next * width, width,
              dense.begin() + place * width);
  ++next;
  return true;
}

bool Decoder::walk(size_t number, int64_t node) {
  if (number == levels.size())
    return writeLeaf();
  const Level &level = levels[number];
  if (level.isDense) {
    for (int64_t i = 0; i < level.size; ++i) {
      at[level.dim] = i;
      if (!walk(number + 1, node * level.size + i))
        return false;
    }
    return true;
  }
  if (node + 1 >= static_cast<int64_t>(level.segments.size()))
    return false;
  int64_t first = level.segments[node], last = level.segments[node + 1];
  if (first < 0 || last > static_cast<int64_t>(level.indices.size()))
    return false;
  for (int64_t i = first; i < last; ++i) {
    at[level.dim] = level.indices[i];
    if (level.indices[i] < 0 || level.indices[i] >= level.size ||
        !walk(number + 1, i))
      return false;
  }
  return true;
}

bool Decoder::run() {
  int64_t bytes = width = elementBits(tensor.type) / 8;
  for (int64_t size : tensor.shape) {
    if (size < 1 || bytes < 1 || bytes > kMaxBytes / size)
      return false;
    bytes *= size;
  }
  if (bytes < 1)
    return false;
  dense.assign(bytes, 0);
  return readLevels() && walk(0, 0) &&
         next * width == static_cast<int64_t>(tensor.data.size());
}

rt::Result<std::vector<char>> tflite::makeDense(const TensorInfo &tensor) {
  Decoder decoder(tensor);
  if (decoder.run())
    return std::move(decoder.dense);
  return rt::corrupt("constant '" + tensor.name.str() +
                     "' is sparse, and its indices do not fit its shape, or it "
                     "is larger than 256 MiB; make it dense");
}
