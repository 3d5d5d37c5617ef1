//===- NonZero.cpp - NonZero ----------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of places is data, unless the elements are known. Exporters write
// the numbers from 0 on as the NonZero of a vector of ones.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../Compose.h"
#include "../Ops.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// Constants of more elements are left to the model's writer.
static constexpr int64_t kMaxElements = 1 << 24;

/// Which elements of a constant, or of known integers, are not 0; nothing if
/// they are not known.
static std::optional<std::vector<bool>> findElements(NodeImporter &n,
                                                     GraphValue &x) {
  std::vector<bool> result;
  if (n.knowsIntegers(x)) {
    for (OpFoldResult integer : *x.integers) {
      if (!knownSize(integer))
        return std::nullopt;
      result.push_back(*knownSize(integer) != 0);
    }
    return result;
  }
  if (auto bits = dyn_cast_or_null<DenseElementsAttr>(x.constant);
      bits && x.isBool() && bits.getNumElements() <= kMaxElements) {
    for (bool bit : bits.getValues<bool>())
      result.push_back(bit);
    return result;
  }
  std::optional<ConstantData> data = ConstantData::get(x.constant);
  unsigned width = getElementBytes(x.element);
  if (!data || width == 0 ||
      data->bytes.size() / width > static_cast<size_t>(kMaxElements))
    return std::nullopt;
  for (size_t at = 0; at < data->bytes.size(); at += width) {
    uint64_t word = 0;
    std::memcpy(&word, &data->bytes[at], width);
    // -0.0 is 0.
    if (x.isFloat())
      word &= ~(uint64_t(1) << (8 * width - 1));
    result.push_back(word != 0);
  }
  return result;
}

/// The places of elements that are not 0, [rank, count].
static GraphValue makePlaces(NodeImporter &n, ArrayRef<int64_t> sizes,
                             const std::vector<bool> &isOne) {
  size_t rank = sizes.size(), count = llvm::count(isOne, true), next = 0;
  std::vector<int64_t> places(rank * count);
  for (size_t i = 0; i < isOne.size(); ++i) {
    if (!isOne[i])
      continue;
    int64_t rest = static_cast<int64_t>(i);
    for (size_t d = rank; d-- > 0; rest /= sizes[d])
      places[d * count + next] = rest % sizes[d];
    ++next;
  }
  Shape shape{n.size(static_cast<int64_t>(rank)),
              n.size(static_cast<int64_t>(count))};
  ArrayRef<char> bytes(reinterpret_cast<const char *>(places.data()),
                       places.size() * sizeof(int64_t));
  return Constants::toValue(
      n.b, makeConstant(n.type(n.b.getI64Type(), shape), bytes, "places"));
}

LogicalResult onnx::importNonZero(NodeImporter &n) {
  GraphValue &x = n.in(0);
  std::optional<SmallVector<int64_t>> sizes = knownSizes(x.shape);
  if (auto isOne = findElements(n, x); isOne && sizes && x.rank() > 0) {
    if (llvm::is_contained(*isOne, true))
      return n.set(0, makePlaces(n, *sizes, *isOne));
    return n.refuse() << "finds no element other than 0, and a result without "
                         "elements is not supported; remove the node";
  }
  if (x.isFilled && x.rank() == 1) {
    Composer c(n);
    Composer::Ref all =
        c.op("Range", {c.integers(n.size(0)), c.integers(x.shape[0]),
                       c.integers(n.size(1))});
    return c.set(0, c.reshape(all, {n.size(1), x.shape[0]}));
  }
  return n.refuse() << "gives the places of elements that are known only when "
                       "the model runs: the size of its result is data, and an "
                       "artifact knows all sizes before it runs; cut the model "
                       "before the node, or give its input (--constant)";
}
