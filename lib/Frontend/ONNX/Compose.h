//===- Compose.h - Nodes that are made of other nodes -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many ops are defined by others: QLinearSigmoid is DequantizeLinear, Sigmoid
// and QuantizeLinear. They are imported as the nodes that they stand for, by
// the functions of those, so that both ways to write a model give one program.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_COMPOSE_H
#define QCC_LIB_FRONTEND_ONNX_COMPOSE_H

#include "../Builder/Emit.h"
#include "NodeImporter.h"
#include "OpTable.h"
#include <deque>

namespace qcc::onnx {

using mlir::LogicalResult;

NodeAttribute attribute(std::string_view name, int64_t value);
NodeAttribute attribute(std::string_view name, float value);
NodeAttribute attribute(std::string_view name, std::string_view value);
NodeAttribute attribute(std::string_view name, ArrayRef<int64_t> values);

/// Imports the nodes that a node is composed of. After a refusal `failed` is
/// true, and the results of the refused node and of later ones are scalars that
/// nobody uses.
class Composer {
public:
  explicit Composer(NodeImporter &n) : n(n) {}

  /// A value of the composition; null is an input that is left out.
  using Ref = GraphValue *;
  using Refs = SmallVector<Ref>;
  using Attributes = std::vector<NodeAttribute>;

  /// The result of an op of the default domain.
  Ref op(llvm::StringRef op, ArrayRef<Ref> inputs, Attributes attributes = {},
         int64_t operatorSet = kLastOperatorSet);
  /// All results of an op that has several.
  Refs ops(llvm::StringRef op, ArrayRef<Ref> inputs, unsigned outputs,
           Attributes attributes = {}, int64_t operatorSet = kLastOperatorSet);

  /// An input of the node, or null.
  Ref in(unsigned i) { return n.has(i) ? &n.in(i) : nullptr; }
  /// A value that other code made.
  Ref hold(GraphValue value);
  Ref hold(FailureOr<GraphValue> value);
  /// A number of the type of `like`.
  Ref number(Ref like, double value);
  /// Integers of int64 in one dimension, such as the shape of a Reshape.
  Ref integers(ArrayRef<OpFoldResult> values);
  /// Constants of float32 in one dimension.
  Ref floats(ArrayRef<float> values);
  Ref reshape(Ref x, const Shape &shape);
  Ref transpose(Ref x, ArrayRef<int64_t> permutation);
  /// The elements from `start` on along one dimension.
  Ref part(Ref x, int64_t dim, OpFoldResult start, OpFoldResult count);
  /// Element `i` along the first dimension, which the result does not have.
  Ref element(Ref x, OpFoldResult i);
  Ref map(ArrayRef<Ref> operands, mlir::Type element, ScalarBody body);
  /// The value in another element type.
  Ref convert(Ref x, mlir::Type element);

  bool failed() const { return hasFailed; }
  /// Sets output `i` of the node.
  LogicalResult set(unsigned i, Ref value);

private:
  NodeImporter &n;
  std::deque<GraphValue> values;
  bool hasFailed = false;
};

/// The product of quantized matrices, dequantized by `scale`, plus `bias`
/// unless it is null.
Composer::Ref dequantizedProduct(Composer &c, Composer::Ref x, Composer::Ref w,
                                 Composer::Ref scale, Composer::Ref xZero,
                                 Composer::Ref wZero, Composer::Ref bias);

/// Conv of input 0 with a weight, plus inputs 2 and 3 if the node has them,
/// then the function that the attribute `activation` names.
FailureOr<Composer::Ref> fusedConv(NodeImporter &n, Composer &c,
                                   Composer::Ref weight);

/// [N, ..., C] as [N, C, ...], and back.
Composer::Ref channelsFirst(Composer &c, Composer::Ref x);
Composer::Ref channelsLast(Composer &c, Composer::Ref x);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_COMPOSE_H
