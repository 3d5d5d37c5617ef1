//===- BroadcastCases.cpp - Contractions of broadcast operands ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg.generic contractions on bytes whose operands lack some of the parallel
// dimensions, or have them with size 1: rows, columns or batches that are all
// the same. So do the operands of the epilogue.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Cases.h"

namespace qcc::sweep {

namespace {

/// The names and sizes of the parallel dimensions: batches, then m and n.
struct Space {
  std::vector<std::string> names;
  Shape sizes;

  std::string all() const {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + name;
    return text;
  }
};

/// A tensor, and how a contraction over a space indexes it.
struct Indexed {
  Shape shape;
  std::string exprs;

  void add(int64_t size, const std::string &expr) {
    shape.push_back(size);
    exprs += (exprs.empty() ? "" : ", ") + expr;
  }
};

} // namespace

/// Adds a dimension, or not, or with size 1.
static void addByChance(Builder &b, Indexed &operand, const Space &space,
                        size_t d) {
  switch (b.choose(4)) {
  case 0:
  case 1:
    return operand.add(space.sizes[d], space.names[d]);
  case 2:
    return operand.add(1, "0");
  default:
    return;
  }
}

static Space chooseSpace(Builder &b, unsigned number) {
  Space space;
  for (unsigned i = 0, e = b.choose(3); i < e; ++i) {
    space.names.push_back("b" + std::to_string(i));
    space.sizes.push_back(1 + b.choose(3));
  }
  bool columnsVary = b.choose(4) == 0;
  space.names.insert(space.names.end(), {"m", "n"});
  space.sizes.push_back(columnsVary || b.choose(3) == 0
                            ? b.pick<int64_t>({1, 2, 5, 16, 17, 33, 64})
                            : kRows);
  space.sizes.push_back(columnsVary ? kRows : Builder::size(number, 11));
  return space;
}

/// The left operand, with or without rows, and the right one, which has
/// columns.
static std::pair<Indexed, Indexed>
chooseOperands(Builder &b, const Space &space, int64_t k) {
  size_t m = space.names.size() - 2, n = m + 1;
  Indexed left, right;
  for (size_t d = 0; d < m; ++d) {
    addByChance(b, left, space, d);
    addByChance(b, right, space, d);
  }
  addByChance(b, left, space, m);
  left.add(k, "k");
  bool transposed = b.choose(2);
  if (transposed)
    right.add(space.sizes[n], "n");
  right.add(k, "k");
  if (!transposed)
    right.add(space.sizes[n], "n");
  return {left, right};
}

/// The product of two i8 elements, each of either sign, less its zero point.
static std::string contractionBody(Builder &b) {
  std::string body;
  for (const char *name : {"x", "y"}) {
    std::string number(name);
    body += "    %" + number + "w = arith." + b.pick({"extsi", "extui"}) +
            " %" + number + " : i8 to i32\n";
    body += "    %" + number + "z = arith.constant " +
            std::to_string(b.pick({0, 0, 3, -128, 255})) + " : i32\n";
    body += "    %" + number + "d = arith.subi %" + number + "w, %" + number +
            "z : i32\n";
  }
  return body + "    %p = arith.muli %xd, %yd : i32\n    %s = arith.addi %acc, "
                "%p : i32\n    linalg.yield %s : i32\n";
}

static std::string mapOf(const std::string &dims, const std::string &exprs) {
  return "affine_map<(" + dims + ") -> (" + exprs + ")>";
}

static std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += (i ? ", " : "") + text;
  return result;
}

/// acc * scale + other, and perhaps quantized, `other` being broadcast.
static void addEpilogue(Builder &b, const Space &space, int64_t k,
                        const std::string &acc, const std::string &empty) {
  Indexed other;
  for (size_t d = 0; d < space.names.size(); ++d)
    addByChance(b, other, space, d);
  std::string dims = space.all(), accType = tensorType(space.sizes, "i32"),
              type = tensorType(space.sizes, "f32"),
              otherType = tensorType(other.shape, "f32");
  std::string value =
      b.argument(otherType, {Element::F32, other.shape, -100.0, 100.0});
  std::string y = b.op(
      "linalg.generic {indexing_maps = [" + mapOf(dims, dims) + ", " +
      mapOf(dims, other.exprs) + ", " + mapOf(dims, dims) +
      "], iterator_types = [" + repeat("\"parallel\"", space.names.size()) +
      "]} ins(" + acc + ", " + value + " : " + accType + ", " + otherType +
      ") outs(" + empty + " : " + type +
      ") {\n  ^bb0(%a: i32, %r: f32, %o: f32):\n    %c = arith.constant " +
      spell(b.scale(0.001, 0.01) / double(k)) +
      " : f32\n    %f = arith.sitofp %a : i32 to f32\n    %p = arith.mulf %f, "
      "%c : f32\n    %s = arith.addf %p, %r : f32\n    linalg.yield %s : f32\n"
      "  } -> " +
      type);
  if (b.choose(2)) {
    std::string out = tensorType(space.sizes, spell(b.quant(0.5)));
    y = b.op("qnn.quantize " + y + " : " + type + " -> " + out);
    type = out;
  }
  b.result(y, type);
}

static Program broadcast(unsigned number) {
  Builder b("broadcast", number);
  Space space = chooseSpace(b, number);
  int64_t k =
      b.pick<int64_t>({64, 64, 128, 192, 63, 4, 1, Builder::size(number, 3)});
  auto [left, right] = chooseOperands(b, space, k);
  std::string accType = tensorType(space.sizes, "i32"),
              leftType = tensorType(left.shape, "i8"),
              rightType = tensorType(right.shape, "i8"), dims = space.all();
  std::string x = b.argument(leftType, {Element::I8, left.shape, -128, 127});
  int64_t count = 1; // of the right operand; negative if it is not known
  for (int64_t size : right.shape)
    count *= size;
  std::string y =
      count > 0 && b.choose(2)
          ? b.constant(rightType, Element::I8, count, -128, 127)
          : b.argument(rightType, {Element::I8, right.shape, -128, 127});
  // Initial values, or only what has all sizes.
  std::string init = b.argument(
      accType, {Element::I32, space.sizes, -2147483648.0, 2147483647.0});
  std::string sizes;
  for (size_t d = 0; d < space.sizes.size(); ++d)
    if (space.sizes[d] == kRows)
      sizes = b.op("tensor.dim " + init + ", " +
                   b.op("arith.constant " + std::to_string(d) + " : index") +
                   " : " + accType);
  auto empty = [&](const std::string &element) {
    return b.op("tensor.empty(" + sizes +
                ") : " + tensorType(space.sizes, element));
  };
  if (b.choose(2))
    init = b.op("linalg.fill ins(" + b.op("arith.constant 0 : i32") +
                " : i32) outs(" + empty("i32") + " : " + accType + ") -> " +
                accType);
  std::string acc = b.op(
      "linalg.generic {indexing_maps = [" + mapOf(dims + ", k", left.exprs) +
      ", " + mapOf(dims + ", k", right.exprs) + ", " +
      mapOf(dims + ", k", dims) + "], iterator_types = [" +
      repeat("\"parallel\"", space.names.size()) + ", \"reduction\"]} ins(" +
      x + ", " + y + " : " + leftType + ", " + rightType + ") outs(" + init +
      " : " + accType + ") {\n  ^bb0(%x: i8, %y: i8, %acc: i32):\n" +
      contractionBody(b) + "  } -> " + accType);
  if (b.choose(2))
    addEpilogue(b, space, k, acc, empty("f32"));
  else
    b.result(acc, accType);
  return b.finish();
}

std::vector<Program> makeBroadcast() {
  std::vector<Program> programs;
  for (unsigned i = 0; i < 60; ++i)
    programs.push_back(broadcast(i));
  return programs;
}

} // namespace qcc::sweep
