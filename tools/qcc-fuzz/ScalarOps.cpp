//===- ScalarOps.cpp - Ops on indices, bits and pairs of results ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of arith on whole tensors that other files do not make, and tensors made
// of indices.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"
#include "Print.h"

namespace qcc::fuzz {

static ValueId division(Builder &b, ValueId x) {
  ValueId y = b.another(b.typeOf(x));
  if (b.random.chance(50)) {
    Data data;
    data.role = Data::Integer;
    data.low = -2;
    data.high = 2;
    y = b.leaf(b.typeOf(x), data, 30);
  }
  return b.binary(b.random.pick(integerDivisions()), x, y);
}

/// The two results of an op, of which the first is returned.
static ValueId withTwoResults(Builder &b, ValueId x) {
  std::string name = b.random.pick(
      {"arith.addui_extended", "arith.mulsi_extended", "arith.mului_extended"});
  Type type = b.typeOf(x), second = type;
  if (name == "arith.addui_extended")
    second.element = Element::I1;
  ValueId y = b.another(type);
  std::string types = name == "arith.addui_extended" ? " : $r0, $r1" : " : $r0";
  ValueId low = b.op(name, {name + " $0, $1" + types, {x, y}}, type);
  ValueId high = static_cast<ValueId>(b.graph.types.size());
  b.graph.types.push_back(second);
  b.graph.nodes.back().results.push_back(high);
  b.keep(high);
  return low;
}

/// The bits of an integer as a float. No op looks at those of a computed float.
static ValueId bitcast(Builder &b, ValueId x) {
  Element to = b.elementOf(x) == Element::I32   ? Element::F32
               : b.elementOf(x) == Element::I64 ? Element::F64
               : b.random.chance(50)            ? Element::F16
                                                : Element::BF16;
  return b.cast("arith.bitcast", x, to);
}

/// A tensor whose elements are computed from where they are.
static ValueId generated(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  type.element = b.random.pick({Element::I32, Element::I64});
  std::string sizes, arguments, last = "%g0";
  for (size_t i = 0; i < type.rank(); ++i) {
    if (!b.isStatic(type.dims[i]))
      sizes +=
          (sizes.empty() ? "${" : ", ${") + std::to_string(type.dims[i]) + "}";
    last = "%g" + std::to_string(i);
    arguments += (i ? ", " : "") + last + ": index";
  }
  std::string map =
      b.random.pick({"(i, j) -> (i * 3 + j)", "(i, j) -> (i floordiv 2 - j)",
                     "(i, j) -> (i mod 3 + j ceildiv 2)"});
  std::string compute =
      b.random.chance(60)
          ? "affine.apply affine_map<" + map + ">(%g0, " + last + ")"
          : b.random.pick(
                {std::string("affine.max"), std::string("affine.min")}) +
                " affine_map<(i, j) -> (i - j, 2, j * 2 - 3)>(%g0, " + last +
                ")";
  std::string element = spell(type.element);
  return b.op("tensor.generate",
              {"tensor.generate " + sizes + " {\n  ^bb0(" + arguments +
                   "):\n    %gi = " + compute + "\n    %ge = arith." +
                   b.random.pick({"index_cast", "index_castui"}) +
                   " %gi : index to " + element +
                   "\n    tensor.yield %ge : " + element + "\n  } : $r0",
               {}},
              type);
}

/// An element written at a place that the program or the run decides.
static ValueId inserted(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  OpText text;
  ValueId element = b.leaf(Builder::scalar(type.element), b.anyData(), 100);
  text.text = "tensor.insert " + text.use(element) + " into ";
  text.text += text.use(x) + "[";
  for (size_t i = 0; i < type.rank(); ++i) {
    int64_t last = b.staticSize(type.dims[i]) - 1;
    ValueId index;
    if (b.random.chance(50)) {
      index = indexOfRun(b, last);
    } else {
      Data data;
      data.role = Data::Integer;
      data.high = last;
      index = b.constant(Builder::scalar(Element::Index), data);
    }
    text.text += (i ? ", " : "") + text.use(index);
  }
  text.text += "] : $t1";
  return b.op("tensor.insert", std::move(text), type);
}

/// Its sizes, as a tensor.
static ValueId sizesOf(Builder &b, ValueId x) {
  Data data;
  data.role = Data::Integer;
  data.high = static_cast<int64_t>(b.typeOf(x).rank()) - 1;
  ValueId index = b.constant(Builder::scalar(Element::Index), data);
  ValueId size = b.op("tensor.dim", {"tensor.dim $0, $1 : $t0", {x, index}},
                      Builder::scalar(Element::Index));
  ValueId rank = b.op("tensor.rank", {"tensor.rank $0 : $t0", {x}},
                      Builder::scalar(Element::Index));
  ValueId sum = b.op(
      "affine.apply",
      {"affine.apply affine_map<(a, b) -> (a * 5 + b)>($0, $1)", {size, rank}},
      Builder::scalar(Element::Index));
  OpText text = {"arith.index_cast $0 : $t0 to $r0", {sum}};
  ValueId number =
      b.op("arith.index_cast", text, Builder::scalar(Element::I64));
  return b.op("tensor.from_elements",
              {"tensor.from_elements $0, $0 : $r0", {number}},
              Builder::tensor(Element::I64, {b.fixed(2)}));
}

ValueId scalarOp(Builder &b, ValueId x) {
  Element element = b.elementOf(x);
  Type type = b.typeOf(x);
  bool isStatic = b.isStatic(type.dims) && b.elements(type.dims) > 0;
  switch (b.random.weighted({35, 20, 12, 13, 12, 8})) {
  case 0:
    if (isSignless(element) && element != Element::I1)
      return division(b, x);
    break;
  case 1:
    if (isSignless(element) && element != Element::I1)
      return withTwoResults(b, x);
    break;
  case 2:
    if (element == Element::I32 || element == Element::I16 ||
        element == Element::I64)
      return bitcast(b, x);
    break;
  case 3:
    break;
  case 4:
    if (isStatic && element != Element::I1)
      return inserted(b, x);
    break;
  default:
    if (type.rank())
      return sizesOf(b, x);
  }
  return type.rank() ? generated(b, x) : b.elementwise(x);
}

} // namespace qcc::fuzz
