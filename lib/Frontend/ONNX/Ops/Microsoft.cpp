//===- Microsoft.cpp - Fused ops of ONNX Runtime --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Compose.h"
#include "../Ops.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Gelu, FastGelu, BiasGelu and QuickGelu.
LogicalResult onnx::importFusedGelu(NodeImporter &n) {
  Composer c(n);
  Composer::Ref x = n.has(1) ? c.op("Add", {c.in(0), c.in(1)}) : c.in(0);
  if (n.op() == "QuickGelu") {
    float alpha = n.getFloat("alpha", 1.702f);
    return c.set(0, c.op("Swish", {x}, {attribute("alpha", alpha)}));
  }
  std::string_view form = n.op() == "FastGelu" ? "tanh" : "none";
  return c.set(0, c.op("Gelu", {x}, {attribute("approximate", form)}));
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// SkipLayerNormalization and SkipSimplifiedLayerNormalization: the
/// normalization of input + skip + bias, and that sum.
LogicalResult onnx::importSkipNormalization(NodeImporter &n) {
  bool isSimple = n.op() == "SkipSimplifiedLayerNormalization";
  unsigned biasInput = isSimple ? 3 : 4;
  Composer c(n);
  Composer::Ref sum = c.op("Add", {c.in(0), c.in(1)});
  if (n.has(biasInput))
    sum = c.op("Add", {sum, c.in(biasInput)});
  NodeAttribute epsilon = attribute("epsilon", n.getFloat("epsilon", 1e-12f));
  if (isSimple) {
    (void)c.set(0, c.op("RMSNormalization", {sum, c.in(2)}, {epsilon}));
  } else {
    Composer::Refs normal =
        c.ops("LayerNormalization", {sum, c.in(2), c.in(3)}, 3, {epsilon});
    for (unsigned i = 0; i < 3; ++i)
      (void)c.set(i, normal[i]);
  }
  return c.set(3, sum);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static Composer::Ref swapLast(Composer &c, Composer::Ref x) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, x->rank()));
  if (order.size() >= 2)
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  return c.transpose(x, order);
}

/// [rows, batch..., columns] as [batch..., rows, columns].
static Composer::Ref batchFirst(Composer &c, Composer::Ref x) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, x->rank()));
  if (order.size() >= 2)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  return c.transpose(x, order);
}

/// FusedMatMul, and TransposeMatMul, its name of before.
LogicalResult onnx::importFusedMatMul(NodeImporter &n) {
  Composer c(n);
  auto read = [&](unsigned i, StringRef rows, StringRef columns) {
    Composer::Ref x = n.getInt(rows, 0) ? batchFirst(c, c.in(i)) : c.in(i);
    return n.getInt(columns, 0) ? swapLast(c, x) : x;
  };
  Composer::Ref y = c.op("MatMul", {read(0, "transBatchA", "transA"),
                                    read(1, "transBatchB", "transB")});
  if (float alpha = n.getFloat("alpha", 1.0f); alpha != 1.0f)
    y = c.op("Mul", {y, c.number(y, alpha)});
  return c.set(0, y);
}

/// The attributes of an activation whose parameters are numbers in a list.
static std::optional<Composer::Attributes>
activationAttributes(StringRef name, ArrayRef<float> numbers) {
  using Names = SmallVector<StringLiteral, 2>;
  auto parameters =
      llvm::StringSwitch<std::optional<Names>>(name)
          .Cases({"Relu", "Tanh", "Sigmoid", "Softplus", "Softsign"}, Names{})
          .Cases({"LeakyRelu", "Elu", "ThresholdedRelu"}, Names{"alpha"})
          .Case("HardSigmoid", Names{"alpha", "beta"})
          .Case("Selu", Names{"alpha", "gamma"})
          .Default(std::nullopt);
  if (!parameters || (!numbers.empty() && numbers.size() != parameters->size()))
    return std::nullopt;
  Composer::Attributes attributes;
  for (auto [parameter, number] : llvm::zip(*parameters, numbers))
    attributes.push_back(attribute(
        std::string_view(parameter.data(), parameter.size()), number));
  return attributes;
}

/// What the attributes `activation` and the parameters make of a value.
static FailureOr<Composer::Ref> activate(NodeImporter &n, Composer &c,
                                         Composer::Ref y,
                                         ArrayRef<float> parameters) {
  StringRef name = n.getString("activation", "");
  if (name.empty())
    return y;
  if (name == "Clip" && parameters.size() == 2)
    return c.op("Clip",
                {y, c.number(y, parameters[0]), c.number(y, parameters[1])});
  auto attributes = activationAttributes(name, parameters);
  if (!attributes)
    return n.refuse() << "has the activation '" << name << "' with "
                      << parameters.size()
                      << " parameters, which is not supported; write it as a "
                         "node of its own";
  return c.op(name, {y}, *attributes);
}

/// The attributes that do not describe the activation.
static Composer::Attributes withoutActivation(NodeImporter &n) {
  Composer::Attributes rest;
  for (const NodeAttribute &given : n.node.attributes)
    if (!StringRef(given.name).starts_with("activation"))
      rest.push_back(given);
  return rest;
}

FailureOr<Composer::Ref> onnx::fusedConv(NodeImporter &n, Composer &c,
                                         Composer::Ref weight) {
  Composer::Ref y =
      c.op("Conv", {c.in(0), weight, c.in(2)}, withoutActivation(n));
  if (n.has(3))
    y = c.op("Add", {y, c.in(3)});
  ArrayRef<float> parameters;
  if (const NodeAttribute *numbers = n.find("activation_params"))
    parameters = numbers->reals;
  return activate(n, c, y, parameters);
}

LogicalResult onnx::importFusedConv(NodeImporter &n) {
  Composer c(n);
  FailureOr<Composer::Ref> result = fusedConv(n, c, c.in(1));
  return failed(result) ? failure() : c.set(0, *result);
}

/// Gemm and an activation, whose parameters are attributes.
LogicalResult onnx::importFusedGemm(NodeImporter &n) {
  Composer c(n);
  Composer::Ref y =
      c.op("Gemm", {c.in(0), c.in(1), c.in(2)}, withoutActivation(n));
  SmallVector<float> parameters;
  for (StringRef name :
       {"activation_alpha", "activation_beta", "activation_gamma"})
    if (n.find(name))
      parameters.push_back(n.getFloat(name, 0));
  FailureOr<Composer::Ref> result = activate(n, c, y, parameters);
  return failed(result) ? failure() : c.set(0, *result);
}

Composer::Ref onnx::dequantizedProduct(Composer &c, Composer::Ref x,
                                       Composer::Ref w, Composer::Ref scale,
                                       Composer::Ref xZero, Composer::Ref wZero,
                                       Composer::Ref bias) {
  Composer::Ref sum = c.op("MatMulInteger", {x, w, xZero, wZero});
  Composer::Ref y = c.op("Mul", {c.convert(sum, scale->element), scale});
  return bias ? c.op("Add", {y, bias}) : y;
}

/// MatMulIntegerToFloat (A, B, scales of A and B, zero points, bias).
LogicalResult onnx::importMatMulIntegerToFloat(NodeImporter &n) {
  Composer c(n);
  Composer::Ref scale = c.op("Mul", {c.in(2), c.in(3)});
  return c.set(0, dequantizedProduct(c, c.in(0), c.in(1), scale, c.in(4),
                                     c.in(5), c.in(6)));
}

/// DynamicQuantizeMatMul (A, B, scale and zero point of B, bias).
LogicalResult onnx::importDynamicQuantizeMatMul(NodeImporter &n) {
  Composer c(n);
  Composer::Refs x = c.ops("DynamicQuantizeLinear", {c.in(0)}, 3);
  Composer::Ref scale = c.op("Mul", {x[1], c.in(2)});
  return c.set(
      0, dequantizedProduct(c, x[0], c.in(1), scale, x[2], c.in(3), c.in(4)));
}

//===----------------------------------------------------------------------===//
// Ops that ONNX has as well
//===----------------------------------------------------------------------===//

/// GatherND and Trilu: the ops of their names.
LogicalResult onnx::importNamesake(NodeImporter &n) {
  Composer c(n);
  Composer::Refs inputs;
  for (unsigned i = 0; i < n.numInputs(); ++i)
    inputs.push_back(c.in(i));
  return c.set(0, c.op(n.op(), inputs, n.node.attributes));
}

/// The amounts may be a row in two dimensions.
LogicalResult onnx::importMicrosoftPad(NodeImporter &n) {
  Composer c(n);
  Composer::Ref amounts = c.in(1);
  if (amounts->rank() == 2 && knownSize(amounts->shape[0]) == 1)
    amounts = c.reshape(amounts, {amounts->shape[1]});
  return c.set(0, c.op("Pad", {c.in(0), amounts, c.in(2)}, n.node.attributes));
}

/// The delta is 1 where it is left out.
LogicalResult onnx::importMicrosoftRange(NodeImporter &n) {
  Composer c(n);
  Composer::Ref delta = n.has(2) ? c.in(2) : c.number(c.in(0), 1);
  return c.set(0, c.op("Range", {c.in(0), c.in(1), delta}));
}

/// Unsqueeze by one axis.
LogicalResult onnx::importExpandDims(NodeImporter &n) {
  FailureOr<SmallVector<int64_t>> axis = n.constantIntegers(1, "its axis");
  if (failed(axis))
    return failure();
  if (axis->size() != 1)
    return n.refuse() << "has several axes; give one";
  Composer c(n);
  return c.set(0,
               c.op("Unsqueeze", {c.in(0), c.integers(n.size(axis->front()))}));
}
