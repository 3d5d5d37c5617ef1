//===- Print.h - A graph as MLIR text ------------------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the text of an op stand for
//   $0, $1, ...      the operands
//   $t0, $t1, ...    their types
//   $r0, ...         the types of the results
//   $e0, ...         a tensor.empty of the type of a result
//   ${12}            the size that is number 12 of the table
//   $m               the maps and iterators of a linalg.generic
//   $b               the body of a linalg op
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_PRINT_H
#define QCC_TOOLS_FUZZ_PRINT_H

#include "Graph.h"

namespace qcc::fuzz {

std::string spell(Element element);
std::string spellType(const Graph &graph, const Type &type);
/// The text of a float or an integer with these bytes.
std::string spellElement(Element element, const uint8_t *bytes);

/// A program as text: functions, and the entries of the module's builtin
/// resources.
struct ProgramText {
  std::string functions, resources;
};
ProgramText print(const Graph &graph);

std::string moduleText(const std::vector<ProgramText> &programs);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_PRINT_H
