//===- QuantizedCaches.cpp - Caches of integers of 8 or 4 bits ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float v becomes q = clamp(round(v * (1 / scale))), halves to even; q stands
// for q * scale. These are the steps of ONNX Runtime.
//
//===----------------------------------------------------------------------===//

#include "QuantizedCaches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;
using Ref = Composer::Ref;

FailureOr<CacheForm> onnx::readCacheForm(NodeImporter &n, Composer &c,
                                         StringRef type, unsigned scale,
                                         int64_t heads, int64_t size) {
  StringRef kind = n.getString(type, "NONE");
  StringRef scaleName = type.starts_with("k") ? "k_scale" : "v_scale";
  if (kind == "NONE") {
    if (n.has(scale))
      return n.refuse() << "has " << scaleName << " without " << type
                        << "; give both, or remove the input";
    return CacheForm();
  }
  bool hasChannels = kind == "PER_CHANNEL";
  if (!hasChannels && kind != "PER_TENSOR")
    return n.refuse() << "has " << type << " = " << kind
                      << "; give NONE, PER_TENSOR or PER_CHANNEL";
  if (!n.has(scale))
    return n.refuse() << "has " << type << " = " << kind << " without "
                      << scaleName << "; give both";
  CacheForm form;
  form.bits = n.getInt("kv_cache_bit_width", 8);
  if (form.bits != 8 && form.bits != 4)
    return n.refuse() << "has kv_cache_bit_width = " << form.bits
                      << "; caches have 8 or 4 bits";
  if (form.bits == 4 && size % 2 != 0)
    return n.refuse() << "has heads of " << size
                      << " elements, which two codes a byte do not fit; use "
                         "caches of 8 bits";
  int64_t count = 1, want = hasChannels ? heads * size : 1;
  for (OpFoldResult given : n.in(scale).shape)
    count *= knownSize(given).value_or(0);
  if (count != want)
    return n.refuse() << "has a " << scaleName << " that has not " << want
                      << (want == 1 ? " element" : " elements") << ", as its "
                      << type << " = " << kind << " needs; correct the shape";
  form.scale =
      c.reshape(c.in(scale), {n.size(1), n.size(hasChannels ? heads : 1),
                              n.size(1), n.size(hasChannels ? size : 1)});
  return form;
}

//===----------------------------------------------------------------------===//
// Codes of 4 bits
//===----------------------------------------------------------------------===//

/// [..., size] as [..., size / 2, 2].
static Ref splitPairs(NodeImporter &n, Composer &c, Ref x) {
  Shape shape = x->shape;
  shape.back() = n.size(*knownSize(shape.back()) / 2);
  shape.push_back(n.size(2));
  return c.reshape(x, shape);
}

/// An op on integers that takes the number `b` as a constant.
template <typename Op> static Value with(Scalars &s, Value a, int64_t b) {
  return Op::create(s.b, s.loc, a, s.constant(a.getType(), double(b)));
}

/// int8 codes, [..., size], as the bits of bytes, [..., size / 2].
static Ref packPairs(NodeImporter &n, Composer &c, Ref codes) {
  Ref pairs = splitPairs(n, c, codes);
  if (c.failed())
    return codes;
  Shape shape = pairs->shape;
  shape.pop_back();
  Ref halves[2];
  for (int64_t i : {0, 1})
    halves[i] = c.reshape(
        c.part(pairs, pairs->rank() - 1, n.size(i), n.size(1)), shape);
  return c.map(halves, codes->element, [](Scalars &s, ValueRange args) {
    Value low = with<arith::AndIOp>(s, args[0], 15);
    Value high = with<arith::ShLIOp>(s, args[1], 4);
    Value both = arith::OrIOp::create(s.b, s.loc, low, high);
    return with<arith::XOrIOp>(s, both, -120); // 0x88: the zero is 8
  });
}

/// The codes of the bits of bytes, [..., size / 2], as floats,
/// [..., size / 2, 2].
static Ref unpackPairs(NodeImporter &n, Composer &c, Ref bytes) {
  Shape shape = bytes->shape;
  shape.push_back(n.size(2));
  unsigned rank = shape.size();
  Ref repeated = c.hold(
      broadcastTo(n, *bytes, shape,
                  n.b.getMultiDimIdentityMap(rank).getMajorSubMap(rank - 1)));
  // The shifts lie as the codes do, so that lanes differ in constants alone.
  int64_t half = *knownSize(bytes->shape.back());
  GraphValue shifts;
  shifts.element = n.b.getI32Type();
  shifts.shape = {n.size(half), n.size(2)};
  SmallVector<int32_t> values;
  for (int64_t i = 0; i < half; ++i)
    values.append({28, 24});
  shifts.constant = DenseElementsAttr::get(
      RankedTensorType::get({half, 2}, shifts.element), ArrayRef(values));
  return c.map({repeated, c.hold(std::move(shifts))}, n.b.getF32Type(),
               [](Scalars &s, ValueRange args) -> Value {
                 Type i32 = s.b.getI32Type();
                 Value bits = arith::ExtSIOp::create(s.b, s.loc, i32, args[0]);
                 bits = with<arith::XOrIOp>(s, bits, 0x88);
                 bits = arith::ShLIOp::create(s.b, s.loc, bits, args[1]);
                 Value code = with<arith::ShRSIOp>(s, bits, 28);
                 return arith::SIToFPOp::create(s.b, s.loc, s.b.getF32Type(),
                                                code);
               });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Ref onnx::quantizeRows(NodeImporter &n, Composer &c, Ref rows,
                       const CacheForm &form) {
  double least = form.bits == 8 ? -128 : -8, greatest = -least - 1;
  Ref inverse = c.op("Div", {c.number(form.scale, 1), form.scale});
  Ref codes = c.op("Round",
                   {c.op("Mul", {c.convert(rows, n.b.getF32Type()), inverse})});
  codes =
      c.op("Clip", {codes, c.number(codes, least), c.number(codes, greatest)});
  codes = c.convert(codes, n.b.getI8Type());
  return form.bits == 8 || c.failed() ? codes : packPairs(n, c, codes);
}

Ref onnx::dequantizeRows(NodeImporter &n, Composer &c, Ref rows,
                         const CacheForm &form, Type element) {
  Type f32 = n.b.getF32Type();
  if (form.bits == 8)
    return c.convert(c.op("Mul", {c.convert(rows, f32), form.scale}), element);
  bool hasChannels = knownSize(form.scale->shape.back()) != 1;
  Ref scale = hasChannels ? splitPairs(n, c, form.scale) : form.scale;
  Ref pairs = c.op("Mul", {unpackPairs(n, c, rows), scale});
  if (c.failed())
    return pairs;
  Shape shape = rows->shape;
  shape.back() = n.size(2 * *knownSize(shape.back()));
  return c.convert(c.reshape(pairs, shape), element);
}
