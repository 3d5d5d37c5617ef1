//===- Spell.cpp - Elements and types as MLIR text ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Print.h.
//
//===----------------------------------------------------------------------===//

#include "Print.h"
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace qcc::fuzz {

std::string spell(Element element) {
  switch (element) {
  case Element::I1:
    return "i1";
  case Element::I8:
    return "i8";
  case Element::U8:
    return "ui8";
  case Element::I16:
    return "i16";
  case Element::I32:
    return "i32";
  case Element::I64:
    return "i64";
  case Element::Index:
    return "index";
  case Element::F16:
    return "f16";
  case Element::BF16:
    return "bf16";
  case Element::F32:
    return "f32";
  case Element::F64:
    return "f64";
  }
  return "";
}

std::string spellElement(Element element, const uint8_t *bytes) {
  uint64_t bits = 0;
  memcpy(&bits, bytes, bytesOf(element));
  char text[32];
  if (isFloat(element)) {
    snprintf(text, sizeof(text), "0x%0*" PRIX64, bitsOf(element) / 4, bits);
    return text;
  }
  if (element == Element::I1)
    return bits & 1 ? "true" : "false";
  unsigned unused = 64 - bitsOf(element);
  int64_t value = element == Element::U8
                      ? static_cast<int64_t>(bits)
                      : static_cast<int64_t>(bits << unused) >> unused;
  return std::to_string(value);
}

static std::string spellFloat(double value) {
  char text[64];
  // The decimal of the binary32 value, which reads back exactly.
  snprintf(text, sizeof(text), "%.9e",
           static_cast<double>(static_cast<float>(value)));
  return text;
}

static std::string spellQuant(const Graph &graph, const Type &type) {
  const Quant &quant = graph.quants[type.quant];
  std::string text = "!quant.uniform<";
  text += quant.storage == Element::U8 ? "u8" : spell(quant.storage);
  text += ":f32";
  int64_t channels =
      quant.axis < 0 ? 1 : graph.sizeOf(type.dims[quant.axis], {});
  std::vector<float> scales = scalesOf(quant, channels);
  std::vector<int> zeroPoints = zeroPointsOf(quant, channels);
  std::string list;
  for (size_t i = 0; i < scales.size(); ++i)
    list += (i ? ", " : "") + spellFloat(scales[i]) +
            (zeroPoints[i] ? ":" + std::to_string(zeroPoints[i]) : "");
  if (quant.axis < 0)
    return text + ", " + list + ">";
  return text + ":" + std::to_string(quant.axis) + ", {" + list + "}>";
}

std::string spellType(const Graph &graph, const Type &type) {
  std::string element =
      type.quant < 0 ? spell(type.element) : spellQuant(graph, type);
  if (type.isScalar)
    return element;
  std::string text = "tensor<";
  for (DimId id : type.dims)
    text +=
        graph.isDynamic(id) ? "?x" : std::to_string(graph.sizeOf(id, {})) + "x";
  return text + element + ">";
}

} // namespace qcc::fuzz
