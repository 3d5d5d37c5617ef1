//===- NamedContractions.cpp - Contractions by their names ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contractions of linalg other than windows, with either sign of operands,
// zero points and maps of their own.
//
//===----------------------------------------------------------------------===//

#include "Extended.h"
#include "Structured.h"

namespace qcc::fuzz {

namespace {
struct Named {
  const char *name, *lhs, *rhs, *result;
  /// Whether the op says how it extends integers, and takes maps.
  bool hasCast = false;
  bool hasZeroPoints = false;
};
} // namespace

static const std::vector<Named> &contractions() {
  // Letters: b a batch, k and c reduced; a and e in the tiles of mmt4d.
  static const std::vector<Named> all = {
      {"matmul", "mk", "kn", "mn", true},
      {"matvec", "mk", "k", "m"},
      {"vecmat", "k", "kn", "n"},
      {"dot", "k", "k", ""},
      {"batch_matmul", "bmk", "bkn", "bmn", true},
      {"batch_matvec", "bmk", "bk", "bm"},
      {"batch_vecmat", "bk", "bkn", "bn"},
      {"batch_reduce_matmul", "bmk", "bkn", "mn"},
      {"mmt4d", "mkac", "nkec", "mnae"},
      {"batch_mmt4d", "bmkac", "bnkec", "bmnae"},
      {"quantized_matmul", "mk", "kn", "mn", false, true},
      {"quantized_batch_matmul", "bmk", "bkn", "bmn", false, true},
      {"contract", "mk", "kn", "mn", true},
      {"contract", "bmk", "nkb", "bmn", true},
      {"contract", "mbk", "nk", "bmn", true},
      {"contract", "kc", "kcn", "n", true},
      {"contract", "km", "nk", "nm", true},
      {"contract", "kbmc", "nkc", "mbn", true}};
  return all;
}

static DimId sizeOf(Builder &b, char letter, bool isLong, bool isTiled) {
  Random &random = b.random;
  if (isTiled && (letter == 'm' || letter == 'n' || letter == 'k'))
    return b.fixed(random.between(1, 3)); // tiles
  switch (letter) {
  case 'b':
    return b.fixed(random.between(1, 4));
  case 'a':
  case 'e':
    return b.fixed(random.pick<int64_t>({1, 2, 4, 8, 16}));
  case 'c':
    return b.fixed(random.pick<int64_t>({1, 2, 4, 8}));
  case 'k':
    if (isLong)
      return b.fixed(random.between(301, 2000));
    return random.chance(30) ? b.fixed(random.pick<int64_t>({16, 32, 64, 128}))
                             : b.someDim(70);
  default:
    break;
  }
  if (isLong)
    return b.fixed(random.between(1, 5));
  if (letter == 'm' && random.chance(40))
    return b.graph.dim({Dim::Dynamic, 0});
  return b.someDim(33);
}

/// "affine_map<(b, m, n, k) -> (m, k)>" of each
static std::string mapsOf(const Structured &op) {
  auto list = [](const std::string &letters) {
    std::string text;
    for (char letter : letters)
      text += (text.empty() ? "" : ", ") + std::string(1, letter);
    return "(" + text + ")";
  };
  std::string loops = loopsOf(op), text;
  for (const std::string &letters : {op.operands[0], op.operands[1], op.result})
    text += (text.empty() ? "" : ", ") + ("affine_map<" + list(loops)) +
            " -> " + list(letters) + ">";
  return " indexing_maps = [" + text + "]";
}

ValueId namedContraction(Builder &b) {
  Random &random = b.random;
  const Named &named = random.pick(contractions());
  Structured op;
  op.name = named.name;
  op.operands = {named.lhs, named.rhs};
  op.result = named.result;
  // These two may be transposed by maps.
  bool takesMaps = op.name == "contract";
  if ((op.name == "matmul" || op.name == "batch_matmul") && random.chance(40)) {
    takesMaps = true;
    std::string &operand = op.operands[random.below(2)];
    std::swap(operand[operand.size() - 1], operand[operand.size() - 2]);
  }
  bool isTiled = op.name.find("mmt4d") != std::string::npos;
  bool isLong = !isTiled && random.chance(15);
  for (char letter : loopsOf(op))
    op.sizes[letter] = sizeOf(b, letter, isLong, isTiled);
  if (takesMaps)
    op.attributes = mapsOf(op);

  Element left = Element::I8, right = Element::I8, out = Element::I32;
  size_t kind = named.hasZeroPoints ? 0 : random.weighted({45, 38, 7, 10});
  if (kind == 1) {
    left = right = out = Element::F32;
  } else if (kind == 2) {
    left = right = random.pick({Element::F16, Element::BF16});
    out = random.pick({Element::F32, left});
  } else if (kind == 3) {
    left = right = random.pick({Element::I16, Element::I32});
    out = random.pick({Element::I32, Element::I64});
  }
  std::vector<Element> elements = {left, right};
  std::vector<ValueId> operands = {
      b.contractionOperand(op.operandDims(0), left),
      b.contractionOperand(op.operandDims(1), right)};
  if (named.hasZeroPoints) {
    op.operands.insert(op.operands.end(), {"", ""});
    for (int i = 0; i < 2; ++i) {
      Data data;
      data.role = Data::ZeroPoint;
      data.low = -128;
      data.high = 127;
      operands.push_back(b.leaf(Builder::scalar(Element::I32), data, 70));
      elements.push_back(Element::I32);
    }
  }
  bool isUnsigned =
      named.hasCast && !isFloat(out) && left != out && random.chance(30);
  if (isUnsigned)
    op.attributes += " {cast = #linalg.type_fn<cast_unsigned>}";
  Type result = Builder::tensor(out, op.resultDims());
  ValueId init = random.chance(75) ? b.zeros(result) : b.another(result, 0.01);
  return addStructured(b, op, operands, init,
                       contractionBody(elements, out, isUnsigned, isUnsigned),
                       random.chance(90));
}

} // namespace qcc::fuzz
