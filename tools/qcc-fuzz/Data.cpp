//===- Data.cpp - Elements of constants and inputs ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Data.h.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "qcc/Support/Half.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace qcc::fuzz {

const char *spell(Fill fill) {
  switch (fill) {
  case Fill::Random:
    return "random";
  case Fill::Small:
    return "small";
  case Fill::Lowest:
    return "lowest";
  case Fill::Highest:
    return "highest";
  case Fill::Alternating:
    return "alternating";
  case Fill::Special:
    return "special";
  }
  return "";
}

std::string spell(const Case &which) {
  std::string text = "dims";
  for (int64_t symbol : which.symbols)
    text += " " + std::to_string(symbol);
  if (which.symbols.empty())
    text = "static";
  return text + ", " + spell(which.fill) + ", " +
         std::to_string(which.threads) + " threads";
}

static int64_t pickSize(Random &random) {
  switch (random.weighted({8, 12, 12, 20, 20, 20, 6, 2})) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return random.between(2, 3);
  case 3:
    return random.between(15, 17);
  case 4:
    return random.between(31, 33);
  case 5:
    return random.between(63, 65);
  case 6:
    return random.between(4, 14);
  default:
    return random.between(100, 200);
  }
}

std::vector<Case> casesOf(const Graph &graph, uint64_t seed) {
  Random random(seed, /*stream=*/7);
  size_t symbols = graph.symbolCount();
  std::vector<Case> cases;
  const Fill fills[] = {
      Fill::Random,      Fill::Special,
      Fill::Alternating, Fill::Random,
      Fill::Small,       random.chance(50) ? Fill::Lowest : Fill::Highest};
  for (Fill fill : fills) {
    Case which;
    which.fill = fill;
    for (size_t i = 0; i < symbols; ++i)
      which.symbols.push_back(pickSize(random));
    which.threads = static_cast<unsigned>(random.between(1, 3));
    which.seed = random.bits();
    cases.push_back(std::move(which));
  }
  return cases;
}

rt::DType dtypeOf(Element element) {
  uint8_t bits = static_cast<uint8_t>(bitsOf(element));
  switch (element) {
  case Element::I1:
    return {QCC_BOOL, 8};
  case Element::U8:
    return {QCC_UINT, bits};
  case Element::BF16:
    return {QCC_BFLOAT, bits};
  case Element::F16:
  case Element::F32:
  case Element::F64:
    return {QCC_FLOAT, bits};
  default:
    return {QCC_INT, bits};
  }
}

double specialFloat(Random &random, double scale) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return random.pick({std::numeric_limits<double>::quiet_NaN(), infinity,
                      -infinity, 0.0, -0.0, 1e-45, -1e-40, 3e38, -3e38, 65504.0,
                      -65520.0, 6e-8, 0.5, -1.5, scale, -scale, 1e-20, 255.5,
                      -128.5});
}

static double makeFloat(Random &random, const Data &data, Fill fill,
                        int64_t index) {
  // Around 100 steps of a quantization by `scale`, so that some saturate.
  double width = data.scale * 150;
  switch (fill) {
  case Fill::Lowest:
    return -width;
  case Fill::Highest:
    return width;
  case Fill::Alternating:
    return index % 2 ? -width : width;
  case Fill::Small:
    // Multiples of half of the scale: ties, and zeros of both signs.
    return data.scale * 0.5 * random.between(-6, 6) *
           (random.chance(50) ? 1 : -1);
  case Fill::Special:
    if (random.chance(30))
      return specialFloat(random, data.scale);
    break;
  case Fill::Random:
    break;
  }
  return random.real(-width, width);
}

static int64_t makeInteger(Random &random, Element element, Fill fill,
                           int64_t index) {
  unsigned bits = bitsOf(element);
  int64_t lowest = element == Element::U8   ? 0
                   : element == Element::I1 ? 0
                                            : -(int64_t(1) << (bits - 1));
  int64_t highest = element == Element::I1 ? 1
                    : element == Element::U8
                        ? 255
                        : static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
  switch (fill) {
  case Fill::Lowest:
    return lowest;
  case Fill::Highest:
    return highest;
  case Fill::Alternating:
    return index % 2 ? lowest : highest;
  case Fill::Small:
    return std::max<int64_t>(lowest,
                             std::min<int64_t>(highest, random.between(-5, 5)));
  case Fill::Special:
    if (random.chance(30))
      return random.pick<int64_t>({lowest, highest, 0, lowest + 1, 1});
    break;
  case Fill::Random:
    // Sums of large ones wrap; let half of them stay small.
    if (bits > 16 && index % 2)
      return random.between(-5000, 5000);
    break;
  }
  return static_cast<int64_t>(random.bits()); // cut off to the width
}

void storeElement(Element element, double number, int64_t integer,
                  uint8_t *to) {
  auto write = [&](auto value) { memcpy(to, &value, sizeof(value)); };
  switch (element) {
  case Element::I1:
    return write(static_cast<uint8_t>(integer & 1));
  case Element::I8:
  case Element::U8:
    return write(static_cast<uint8_t>(integer));
  case Element::I16:
    return write(static_cast<uint16_t>(integer));
  case Element::I32:
    return write(static_cast<uint32_t>(integer));
  case Element::I64:
  case Element::Index:
    return write(integer);
  case Element::F16:
    return write(floatToF16(static_cast<float>(number)));
  case Element::BF16:
    return write(floatToBF16(static_cast<float>(number)));
  case Element::F32:
    return write(static_cast<float>(number));
  case Element::F64:
    return write(number);
  }
}

static double makeScale(Random &random, double scale, Fill fill) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Parameters of the run follow IEEE, whatever they are (N9).
  if (fill == Fill::Special && random.chance(6))
    return random.pick({0.0, infinity, std::numeric_limits<double>::quiet_NaN(),
                        1e-41, -scale, 1e30, 1e-30});
  return random.chance(20) ? scale : random.real(0.5, 1.5) * scale;
}

std::vector<uint8_t> makeElements(Element element, const Data &data,
                                  int64_t count, Fill fill, uint64_t seed) {
  Random random(seed, data.seed);
  size_t size = bytesOf(element);
  std::vector<uint8_t> bytes(count * size);
  for (int64_t i = 0; i < count; ++i) {
    double number = 0;
    int64_t integer = 0;
    switch (data.role) {
    case Data::Values:
      if (isFloat(element))
        number = makeFloat(random, data, fill, i);
      else
        integer = makeInteger(random, element, fill, i);
      break;
    case Data::Scale:
      number = makeScale(random, data.scale, fill);
      break;
    case Data::ZeroPoint:
    case Data::Integer:
      integer = random.chance(10)   ? data.low
                : random.chance(10) ? data.high
                                    : random.between(data.low, data.high);
      number = static_cast<double>(integer);
      break;
    case Data::Zero:
      break;
    case Data::Exact:
      number = data.scale;
      // A float need not have an integer.
      integer = isFloat(element) ? 0 : static_cast<int64_t>(data.scale);
      break;
    }
    storeElement(element, number, integer, bytes.data() + i * size);
  }
  return bytes;
}

std::vector<uint8_t> elementsOfConstant(const Graph &graph, const Node &node) {
  const Type &type = graph.types[node.results[0]];
  int64_t count = 1;
  for (int64_t size : graph.shapeOf(type, {}))
    count *= size;
  bool isSplat = node.form == Form::Splat && count > 0;
  std::vector<uint8_t> bytes =
      makeElements(type.element, node.data, isSplat ? 1 : count, Fill::Random,
                   node.data.seed);
  if (isSplat) {
    std::vector<uint8_t> one = bytes;
    for (int64_t i = 1; i < count; ++i)
      bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

} // namespace qcc::fuzz
