//===- Data.h - Elements of constants and inputs -------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Made from a seed for whatever shape a tensor has, the same on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_DATA_H
#define QCC_TOOLS_FUZZ_DATA_H

#include "Graph.h"
#include "Random.h"
#include "qcc/Artifact/DType.h"

namespace qcc::fuzz {

/// What values an input holds in a run.
enum class Fill : uint8_t {
  Random,      // integers over the whole range, floats around Data::scale
  Small,       // near zero
  Lowest,      // the lowest value everywhere
  Highest,     // the highest
  Alternating, // lowest and highest in turn
  Special      // floats: NaN, infinities, zeros, denormals, ties; extreme ints
};
const char *spell(Fill fill);

/// One run of a program: its dynamic dimensions, and what it is given.
struct Case {
  std::vector<int64_t> symbols;
  Fill fill = Fill::Random;
  unsigned threads = 1;
  uint64_t seed = 0;
};
std::string spell(const Case &which);

/// The runs of a program, the same every time.
std::vector<Case> casesOf(const Graph &graph, uint64_t seed);

rt::DType dtypeOf(Element element);

/// NaN, infinities, zeros, denormals, ties, the ends of f16, +-scale.
double specialFloat(Random &random, double scale);
/// Writes a float or an integer, cut off to its width, as the element has it.
void storeElement(Element element, double number, int64_t integer, uint8_t *to);

/// `count` elements, compact.
std::vector<uint8_t> makeElements(Element element, const Data &data,
                                  int64_t count, Fill fill, uint64_t seed);
/// The elements of a constant: for a splat too, one for each element.
std::vector<uint8_t> elementsOfConstant(const Graph &graph, const Node &node);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_DATA_H
