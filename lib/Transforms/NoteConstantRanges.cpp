//===- NoteConstantRanges.cpp - Ranges of constants onto epilogues --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Passes.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace qcc {
#define GEN_PASS_DEF_NOTECONSTANTRANGES
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
struct Extent {
  double low, high;
};
} // namespace

template <typename T> static Extent extentOf(ArrayRef<char> bytes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Extent range{infinity, -infinity};
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    if (std::isnan(double(value)))
      return {double(value), double(value)};
    range = {std::min(range.low, double(value)),
             std::max(range.high, double(value))};
  }
  return range;
}

/// The range of a constant of f32 or i32; two NaN for anything else.
static Extent extentOf(Value value) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Extent unknown{nan, nan};
  Attribute attr;
  Type element = getElementTypeOrSelf(value.getType());
  if (!matchPattern(value, m_Constant(&attr)) ||
      !(element.isF32() || element.isInteger(32)))
    return unknown;
  ArrayRef<char> bytes;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr))
    bytes = dense.getRawData();
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  if (bytes.empty())
    return unknown;
  return element.isF32() ? extentOf<float>(bytes) : extentOf<int32_t>(bytes);
}

namespace {
struct NoteConstantRanges
    : qcc::impl::NoteConstantRangesBase<NoteConstantRanges> {
  void runOnOperation() override {
    getOperation().walk([](kernel::ContractOp op) {
      SmallVector<double> ranges;
      bool isKnown = false;
      for (Value operand : op.getEpilogueOperands()) {
        Extent range = extentOf(operand);
        isKnown |= !std::isnan(range.low);
        ranges.append({range.low, range.high});
      }
      if (isKnown)
        op.setEpilogueRanges(ranges);
    });
  }
};
} // namespace
