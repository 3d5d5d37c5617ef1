//===- Match.h - Which outputs of two programs are the same value -*- C++
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two programs with the same steps are compared step by step: one program on
// two processors, for example. Otherwise a layer's value is the output of the
// last step that says so (ABI.h, layer_ref). Layers match that compute a value
// of one name: tools that quantize a model fuse and rename its layers, but keep
// the names of their values. Other layers match by their own names. A layer may
// have its value in several forms, before and after it is quantized: two
// quantized programs are compared in a form that both have, a float program
// with what the other one goes on with. Results match by their positions.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_MATCH_H
#define QCC_TOOLS_COMMON_MATCH_H

#include "qcc/Runtime/Module.h"

namespace qcc::tools {

/// An output of a step.
struct StepOutput {
  size_t step = 0;
  size_t output = 0;

  const rt::OperandInfo &info(const rt::Entry &entry) const {
    return entry.steps[step].outputs[output];
  }
  /// Whether a step computes the value: the one that has the output, or another
  /// launch for the same value, where shapes decide which of them has blocks.
  bool isComputedBy(const rt::Entry &entry, size_t other) const;
  friend bool operator==(StepOutput x, StepOutput y) {
    return x.step == y.step && x.output == y.output;
  }
};

/// A value of both programs, under the name of its layer, step or result.
struct MatchedValue {
  std::string name;
  StepOutput a, b;
};

/// A layer of one program that the other shows no value of.
struct UnmatchedLayer {
  std::string name;
  size_t step = 0;
  /// The step of the other program that it is a part of, where that is known.
  std::optional<size_t> partOf;
};

struct Matching {
  bool byStep = false;
  std::vector<MatchedValue> values; ///< in the order of A's steps
  std::vector<UnmatchedLayer> onlyA, onlyB;
};

/// Whether outputs of two launches are the same value in the same memory.
bool areAlternatives(const rt::Step &step, const rt::OperandInfo &output,
                     const rt::Step &other, const rt::OperandInfo &otherOutput);

Matching matchValues(const rt::Entry &a, const rt::Entry &b);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_MATCH_H
