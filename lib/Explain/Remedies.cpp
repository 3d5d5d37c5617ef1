//===- Remedies.cpp - Reasons of slow steps and edits ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Remedies.h"

using namespace qcc;

namespace {
/// What becomes of a step after an edit of the model.
enum class After {
  Unknown,
  Bytes, ///< A kernel multiplies bytes.
  Gone,  ///< There is no such step.
};

struct Remedy {
  llvm::StringLiteral reason; ///< a part of the text that a pass records
  llvm::StringLiteral edit;   ///< empty where no edit removes the reason
  After after;
};
} // namespace

static constexpr llvm::StringLiteral kOtherOrder =
    "no kernel computes or reads it in its other order";

/// The edits for the reasons that passes record (whyGeneric, leaveGeneric,
/// leaveOutside and others). The first row that a reason contains counts.
/// Reasons without a row have no edit that is known.
static constexpr Remedy kRemedies[] = {
    // Contractions.
    {"the left operand is not a dequantized value",
     "quantize the left operand to 8 bits", After::Bytes},
    {"the right operand is not a dequantized value",
     "quantize the right operand to 8 bits", After::Bytes},
    {"its result is f64", "compute in float32 instead of float64",
     After::Bytes},
    {"the scale of the left operand varies along a reduction dimension",
     "quantize the left operand with one scale for the tensor", After::Bytes},
    {"the scale of the right operand varies along a reduction dimension",
     "quantize the weight with one scale for each output channel, not for "
     "blocks of inputs",
     After::Bytes},
    {"could overflow the i32 accumulator",
     "split the product along K into several, and add their results",
     After::Bytes},
    {"a zero point varies along a reduction dimension",
     "use a symmetric weight, or one zero point for each output channel",
     After::Bytes},
    {"a zero point is neither a constant",
     "make the zero point a constant; 0, as a symmetric weight has it, is best",
     After::Bytes},
    {"a zero point is not indexed by single dimensions",
     "use one zero point for the tensor or for each channel", After::Bytes},
    {"the size of a reduction dimension (K) is dynamic",
     "make the inner dimension of the product static (--dim=NAME=N fixes one "
     "of an ONNX model)",
     After::Bytes},
    {"each result is a single product", "", After::Unknown},
    {"it has few columns", "", After::Unknown},
    {"kernels of floats have none", "quantize both operands to 8 bits",
     After::Bytes},
    {"only contractions of 8-bit integers", "quantize both operands to 8 bits",
     After::Bytes},
    {"its operands are floats", "quantize both operands to 8 bits",
     After::Bytes},
    // Packing.
    {"an operand is packed at every call",
     "make it a constant, such as an initializer", After::Gone},
    // Copies of rows by kernels.
    {"rows of the left operand are copied",
     "store the left operand with the channels, or K, innermost",
     After::Unknown},
    // Elementwise ops beside contractions.
    {"it is in a loop or a branch, but the contraction before it is not",
     "move it out of the loop or branch", After::Unknown},
    {"do not have whole bytes", "store the values as 8-bit integers",
     After::Unknown},
    {"it reads the contraction before it in two orders",
     "leave out the Transpose between the contraction and it", After::Unknown},
    {"its result does not have the channels innermost",
     "leave out the Transpose after the depthwise convolution", After::Unknown},
    {"whose windows would compute it repeatedly",
     "quantize the value where it is computed, so that the op before stores 8 "
     "bits",
     After::Unknown},
    // Maxima of floats whose result is quantized.
    {"so that it is no maximum of bytes", "quantize the operand of the maximum",
     After::Unknown},
    // Movement of data, loops and branches.
    {kOtherOrder,
     "leave out the Transpose: keep one order of dimensions from op to op",
     After::Gone},
    {"it is a loop of the program", "unroll the loop", After::Unknown},
    {"it is a branch of the program", "make the condition a constant",
     After::Unknown},
};

static std::string reasonOf(const StepExplanation &step) {
  if (step.work == WorkKind::Packing)
    return "an operand is packed at every call, since it is not a constant of "
           "the program";
  if (step.work == WorkKind::FloatContraction && step.refused.empty())
    return "its operands are floats";
  return step.refused;
}

/// Whether the user can edit what a row is about: of a model, only a Transpose
/// can be left out.
static bool isOfModel(const Remedy &row, const StepExplanation &step) {
  return row.reason != kOtherOrder || step.modelOp.empty() ||
         step.modelOp == "Transpose";
}

/// Whether the step only quantizes an argument of the entry.
static bool quantizesArgument(const StepExplanation &step) {
  return step.work == WorkKind::Elementwise && step.reads.size() == 1 &&
         llvm::StringRef(step.reads.front()).starts_with("argument") &&
         step.fused == std::vector<std::string>{"qnn.quantize"};
}

static std::optional<double> savingOf(const StepExplanation &step,
                                      After after) {
  if (after == After::Gone)
    return 1;
  if (after == After::Unknown || !step.expectedSeconds ||
      !step.expectedSecondsOfBytes)
    return std::nullopt;
  return 1 - *step.expectedSecondsOfBytes / *step.expectedSeconds;
}

SlowStep SlowStep::of(const StepExplanation &step) {
  std::string reason = reasonOf(step);
  if (quantizesArgument(step))
    return {reason, "let the program take the quantized tensor as its input",
            savingOf(step, After::Gone)};
  for (const Remedy &row : kRemedies)
    if (llvm::StringRef(reason).contains(row.reason)) {
      if (row.edit.empty() || !isOfModel(row, step))
        break;
      return {reason, row.edit.str(), savingOf(step, row.after)};
    }
  return {reason, "", std::nullopt};
}
