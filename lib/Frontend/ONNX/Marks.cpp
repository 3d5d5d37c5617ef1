//===- Marks.cpp - Values that few ops take -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Marks.h"
#include "ChannelBlocks.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// Whether a node computes each element of images in blocks from those at the
/// same place, and gives 0 or another finite number for the 0 of the channels
/// that fill a block. Joining whole blocks is also one of these.
static bool keepsBlocks(NodeImporter &n) {
  static constexpr llvm::StringLiteral kElementwise[] = {
      "Add",       "Clip",     "Concat",    "Elu", "Gelu", "HardSigmoid",
      "HardSwish", "Identity", "LeakyRelu", "Max", "Min",  "Mul",
      "QuickGelu", "Relu",     "Sigmoid",   "Sub", "Sum",  "Tanh"};
  if (!llvm::is_contained(kElementwise, n.op()) ||
      (n.op() == "Concat" && n.getInt("axis", 0) != 1))
    return false;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (!n.has(i) || n.in(i).isBlocked)
      continue;
    std::optional<SmallVector<int64_t>> sizes = knownSizes(n.in(i).shape);
    if (!sizes || llvm::any_of(*sizes, [](int64_t size) { return size != 1; }))
      return false;
  }
  return true;
}

/// Whether a node only moves elements.
static bool movesElements(NodeImporter &n) {
  static constexpr llvm::StringLiteral kMovements[] = {
      "Concat",  "DepthToSpace",   "Expand",       "Flatten",
      "Gather",  "GatherElements", "GatherND",     "Identity",
      "Reshape", "Slice",          "SpaceToDepth", "Split",
      "Squeeze", "Tile",           "Transpose",    "Unsqueeze"};
  return llvm::is_contained(kMovements, n.op());
}

FailureOr<Marks> onnx::readMarks(NodeImporter &n) {
  bool isPacked = false, isDequantize = n.op() == "DequantizeLinear";
  Marks marks;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (!n.has(i))
      continue;
    isPacked |= n.in(i).packedBits != 0;
    marks.isBlocked |= n.in(i).isBlocked;
    marks.isUInt16 |= n.in(i).isUInt16;
  }
  if (isPacked && !isDequantize)
    return n.refuse() << "reads a constant of 2 or 4 bits, which only "
                         "DequantizeLinear may; make it int8 or uint8";
  if (marks.isUInt16 && !isDequantize && n.op() != "QuantizeLinear" &&
      !movesElements(n))
    return n.refuse() << "reads uint16, which only QuantizeLinear, "
                         "DequantizeLinear and ops that move elements may; use "
                         "int8, uint8, int16 or int32";
  // These ops know what they give.
  marks.isUInt16 = marks.isUInt16 && movesElements(n);
  if (!marks.isBlocked)
    return marks;
  if (n.node.domain == kBlockedDomain) {
    marks.isBlocked = false;
    return marks;
  }
  if (keepsBlocks(n))
    return marks;
  return n.refuse() << "reads an image in blocks of channels (com.microsoft."
                       "nchwc) and does not compute element by element; save "
                       "the model at the level EXTENDED";
}
