//===- Slices.cpp - Types that forget sizes, and slices of a run ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts between types that know a size and types that do not, and slices whose
// offsets are data of the run.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"

namespace qcc::fuzz {

/// Forgets some of the sizes, or recalls what was forgotten.
ValueId changeOfType(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  bool any = false;
  for (DimId &id : type.dims) {
    const Dim dim = b.graph.dims[id];
    if (dim.kind == Dim::Unknown && b.random.chance(75)) {
      id = dim.a;
      any = true;
    } else if (b.isStatic(id) && b.random.chance(60)) {
      id = b.graph.dim({Dim::Unknown, 0, id});
      any = true;
    }
  }
  if (!any)
    return x;
  return b.op("tensor.cast", {"tensor.cast $0 : $t0 to $r0", {x}}, type);
}

ValueId indexOfRun(Builder &b, int64_t high) {
  Random &random = b.random;
  Data data;
  data.role = Data::Integer;
  data.low = -2; // clamped
  data.high = high + 2;
  if (random.chance(35))
    return b.argument(Builder::scalar(Element::Index), data);
  Element element = random.pick({Element::I32, Element::I64});
  ValueId numbers = b.argument(Builder::tensor(element, {b.fixed(2)}), data);
  Data zero;
  zero.role = Data::Integer;
  ValueId at = b.constant(Builder::scalar(Element::Index), zero);
  ValueId number =
      b.op("tensor.extract", {"tensor.extract $0[$1] : $t0", {numbers, at}},
           Builder::scalar(element));
  return b.op("arith.index_cast",
              {"arith.index_cast $0 : $t0 to $r0", {number}},
              Builder::scalar(Element::Index));
}

ValueId sliceAtRunTime(Builder &b, ValueId x) {
  Random &random = b.random;
  Type type = b.typeOf(x), part = type;
  OpText text;
  std::string offsets, sizes, strides;
  bool isInsertion = random.chance(40);
  // The operands come first: "$0[$1, 2]", "$0 into $1[$2, 2]".
  ValueId source = x;
  std::vector<ValueId> indices(type.rank(), -1);
  std::vector<int64_t> stride(type.rank(), 1);
  for (size_t i = 0; i < type.rank(); ++i) {
    bool isStatic = b.isStatic(type.dims[i]);
    int64_t size = isStatic ? b.staticSize(type.dims[i]) : 0;
    if (isStatic && size > 1 && random.chance(75)) {
      int64_t taken = random.between(1, size);
      if ((taken - 1) * 2 < size && random.chance(30))
        stride[i] = 2;
      part.dims[i] = b.fixed(taken);
    }
    if (random.chance(70))
      indices[i] = indexOfRun(b, size);
  }
  if (isInsertion)
    source = b.another(part);
  std::string first = text.use(source), into = isInsertion ? text.use(x) : "";
  for (size_t i = 0; i < type.rank(); ++i) {
    offsets += (i ? ", " : "") +
               (indices[i] < 0 ? std::string("0") : text.use(indices[i]));
    sizes += (i ? ", ${" : "${") + std::to_string(part.dims[i]) + "}";
    strides += (i ? ", " : "") + std::to_string(stride[i]);
  }
  std::string where = "[" + offsets + "] [" + sizes + "] [" + strides + "]";
  if (isInsertion) {
    text.text = "tensor.insert_slice " + first + " into " + into + where +
                " : $t0 into $t1";
    return b.op("tensor.insert_slice", std::move(text), type);
  }
  text.text = "tensor.extract_slice " + first + where + " : $t0 to $r0";
  return b.op("tensor.extract_slice", std::move(text), part);
}

} // namespace qcc::fuzz
