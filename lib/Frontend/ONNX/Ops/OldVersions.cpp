//===- OldVersions.cpp - Ops before operator set 11 -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before operator set 11 some inputs were attributes. Each op becomes the op of
// the last operator set.
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

/// An attribute of integers as an input; null if it is absent.
static Ref integersOf(NodeImporter &n, Composer &c, StringRef name) {
  if (!n.find(name))
    return nullptr;
  SmallVector<OpFoldResult> integers;
  for (int64_t integer : n.getInts(name))
    integers.push_back(n.size(integer));
  return c.integers(integers);
}

LogicalResult onnx::importOldClip(NodeImporter &n) {
  Composer c(n);
  auto bound = [&](StringRef name) -> Ref {
    return n.find(name) ? c.number(c.in(0), n.getFloat(name, 0)) : nullptr;
  };
  return c.set(0, c.op("Clip", {c.in(0), bound("min"), bound("max")}));
}

LogicalResult onnx::importOldPad(NodeImporter &n) {
  Composer c(n);
  StringRef mode = n.getString("mode", "constant");
  return c.set(
      0, c.op("Pad",
              {c.in(0), integersOf(n, c, "pads"),
               c.number(c.in(0), n.getFloat("value", 0))},
              {attribute("mode", std::string_view(mode.data(), mode.size()))}));
}

LogicalResult onnx::importOldSlice(NodeImporter &n) {
  Composer c(n);
  return c.set(
      0, c.op("Slice", {c.in(0), integersOf(n, c, "starts"),
                        integersOf(n, c, "ends"), integersOf(n, c, "axes")}));
}

LogicalResult onnx::importOldTopK(NodeImporter &n) {
  Composer c(n);
  Composer::Refs results =
      c.ops("TopK", {c.in(0), c.integers(n.size(n.getInt("k", 0)))}, 2,
            {attribute("axis", n.getInt("axis", -1))});
  (void)c.set(0, results[0]);
  return c.set(1, results[1]);
}

//===----------------------------------------------------------------------===//
// Resize and Upsample
//===----------------------------------------------------------------------===//

/// The dimensions that `scales` make larger, or those that they make smaller.
static Ref resize(Composer &c, Ref x, ArrayRef<float> scales, bool larger,
                  std::string_view mode) {
  SmallVector<float> some;
  for (float scale : scales)
    some.push_back((scale >= 1) == larger ? scale : 1);
  if (llvm::all_of(some, [](float scale) { return scale == 1; }))
    return x;
  return c.op(
      "Resize", {x, nullptr, c.floats(some)},
      {attribute("mode", mode),
       attribute("coordinate_transformation_mode",
                 std::string_view("asymmetric")),
       attribute("nearest_mode", std::string_view(larger ? "floor" : "ceil"))});
}

/// Places are i / scale. The nearest element is the one before, and of an
/// image that gets smaller the one behind, as ONNX Runtime takes them.
LogicalResult onnx::importOldResize(NodeImporter &n) {
  if (n.op() == "Upsample" && n.since >= 10)
    return n.refuse() << "is no op of operator set 10 and later ones; use "
                         "Resize";
  FailureOr<SmallVector<float>> scales = n.constantFloats(1, "its scales");
  if (failed(scales))
    return failure();
  StringRef given = n.getString("mode", "nearest");
  std::string_view mode(given.data(), given.size());
  Composer c(n);
  Ref y = resize(c, c.in(0), *scales, /*larger=*/true, mode);
  y = resize(c, y, *scales, /*larger=*/false, mode);
  return c.set(0, c.op("Identity", {y}));
}
