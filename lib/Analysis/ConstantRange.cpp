//===- ConstantRange.cpp - The numbers of a constant ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "qcc/Analysis/NumberRange.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace qcc;

template <typename T>
static std::optional<NumberRange> rangeOfBytes(ArrayRef<char> bytes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  NumberRange range{infinity, -infinity, false};
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    if (std::isnan(double(value)))
      return std::nullopt;
    range = {std::min(range.low, double(value)),
             std::max(range.high, double(value)), false};
  }
  return range;
}

/// The range, unless a double may have rounded its ends.
static std::optional<NumberRange>
exactRange(const std::optional<NumberRange> &range) {
  constexpr double kExact = double(int64_t(1) << 53);
  bool isExact = range && range->low > -kExact && range->high < kExact;
  return isExact ? range : std::nullopt;
}

std::optional<NumberRange> qcc::rangeOfConstant(Value value, bool isUnsigned) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  if (bytes.empty())
    return std::nullopt;
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isF32())
    return rangeOfBytes<float>(bytes);
  if (element.isInteger(32))
    return rangeOfBytes<int32_t>(bytes);
  if (element.isInteger(64) && !isUnsigned)
    return exactRange(rangeOfBytes<int64_t>(bytes));
  if (element.isInteger(8))
    return isUnsigned ? rangeOfBytes<uint8_t>(bytes)
                      : rangeOfBytes<int8_t>(bytes);
  return std::nullopt;
}
