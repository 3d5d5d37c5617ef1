//===- Structured.h - Ops of linalg by their letters ---------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a named op of linalg indexes its operands, with a letter for each loop.
// The same op can be written by its name or as a linalg.generic.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_STRUCTURED_H
#define QCC_TOOLS_FUZZ_STRUCTURED_H

#include "Builder.h"
#include <map>

namespace qcc::fuzz {

/// A dimension of an input that windows of `kernel` elements slide along.
struct Window {
  DimId input = -1, kernel = -1;
  int64_t stride = 1, dilation = 1;
};

struct Structured {
  std::string name; // "batch_matmul"
  /// What stands between the name and the operands: maps, attributes.
  std::string attributes;
  /// A letter for each dimension. In the first operand, a letter that has a
  /// window is a place in the input, in the second one a place in the window.
  std::vector<std::string> operands;
  std::string result;
  std::map<char, DimId> sizes; // of loops; of a window letter: of the result
  std::map<char, Window> windows;

  Dims operandDims(size_t operand) const;
  Dims resultDims() const;
  /// How many times the body runs, dynamic dimensions being 64.
  int64_t steps(const Builder &builder) const;
};

/// The parallel loops, then those that are reduced, in the order in which the
/// first operand that has them has them. The loop over places in a window is
/// the letter of its dimension, in upper case.
std::string loopsOf(const Structured &op);

/// Adds the op. `body` has the operands and the result as arguments.
ValueId addStructured(Builder &builder, const Structured &op,
                      const std::vector<ValueId> &operands, ValueId init,
                      Body body, bool byName);

/// acc + (x - zx) * (w - zw), the zero points being operands where there are
/// four of them. Integers are extended by their sign or by zeros.
Body contractionBody(const std::vector<Element> &operands, Element result,
                     bool isUnsignedLeft = false, bool isUnsignedRight = false);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_STRUCTURED_H
