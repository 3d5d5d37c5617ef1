//===- OpImporter.cpp - An op of TensorFlow Lite, imported ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpImporter.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

Type tflite::elementType(fb::TensorType type, MLIRContext *context) {
  switch (type) {
  case fb::TensorType_Float32:
    return Float32Type::get(context);
  case fb::TensorType_Float16:
    return Float16Type::get(context);
  case fb::TensorType_BFloat16:
    return BFloat16Type::get(context);
  case fb::TensorType_Float64:
    return Float64Type::get(context);
  case fb::TensorType_Bool:
    return IntegerType::get(context, 1);
  case fb::TensorType_Int4:
  case fb::TensorType_Int8:
  case fb::TensorType_UInt8:
    return IntegerType::get(context, 8);
  case fb::TensorType_Int16:
    return IntegerType::get(context, 16);
  case fb::TensorType_Int32:
    return IntegerType::get(context, 32);
  case fb::TensorType_Int64:
    return IntegerType::get(context, 64);
  default:
    return {};
  }
}

OpImporter::OpImporter(const Model &model, const Graph &graph, const OpInfo &op,
                       StringRef name, OpBuilder &builder, Location loc,
                       ArrayRef<GraphValue *> operands, Constants &constants,
                       SizeArithmetic &sizes, GraphImporter &importer)
    : GraphBuilder(builder, loc, constants, sizes), op(op), name(name),
      importer(importer), model(model), graph(graph), operands(operands),
      values(op.outputs.size()) {}

InFlightDiagnostic OpImporter::refuse() {
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic << "op '" << name << "'";
  if (!op.outputs.empty())
    diagnostic << " of '" << result().name << "'";
  diagnostic << " ";
  return diagnostic;
}

LogicalResult OpImporter::refuseOptions() {
  return refuse() << "has options of another op, or they are damaged; convert "
                     "the model again";
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<OpFoldResult>> OpImporter::integers(unsigned i,
                                                          StringRef what) {
  GraphValue &value = in(i);
  if (!value.isBool() && knowsIntegers(value))
    return *value.integers;
  return refuse() << "takes " << what
                  << " from a value that is known only when the model runs; "
                     "only constants and sizes of inputs may decide of shapes";
}

FailureOr<SmallVector<int64_t>> OpImporter::constants(unsigned i,
                                                      StringRef what) {
  auto known = integers(i, what);
  if (failed(known))
    return failure();
  if (auto sizes = knownSizes(*known))
    return *sizes;
  return refuse() << "takes " << what
                  << " from dynamic sizes of inputs; it has to be constant";
}

FailureOr<int64_t> OpImporter::axisOf(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return refuse() << "names dimension " << axis << " of a value that has "
                  << rank << "; correct the model";
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

FailureOr<Affine> OpImporter::affine(const TensorInfo &tensor) {
  if (tensor.scales.size() != 1)
    return refuse() << "needs one scale for tensor '" << tensor.name
                    << "', which has " << tensor.scales.size()
                    << "; quantize it as a whole";
  float scale = tensor.scales.front();
  if (!std::isnormal(scale) || scale < 0)
    return refuse() << "has a scale of " << scale << " for tensor '"
                    << tensor.name
                    << "', which has to be positive, finite and normal; "
                       "quantize the model again";
  bool isUnsigned = tensor.type == fb::TensorType_UInt8;
  int64_t zeroPoint = tensor.zeroPoints.empty() ? 0 : tensor.zeroPoints.front();
  unsigned bits = std::min(elementBits(tensor.type), 32u);
  int64_t least = bits == 0 || isUnsigned ? 0 : -(int64_t(1) << (bits - 1));
  int64_t most = bits == 0 ? 0 : least + (int64_t(1) << bits) - 1;
  if (zeroPoint < least || zeroPoint > most)
    return refuse() << "has a zero point of " << zeroPoint << " for tensor '"
                    << tensor.name << "' of " << typeName(tensor.type)
                    << "; quantize the model again";
  return Affine{scale,
                static_cast<int32_t>(zeroPoint - (isUnsigned ? 128 : 0))};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult OpImporter::set(unsigned i, GraphValue value) {
  if (i >= values.size())
    return refuse() << "has " << values.size()
                    << " results, which are too few; correct the model";
  const TensorInfo &declared = result(i);
  if (resultElement(i) != value.element)
    return refuse() << "declares elements of " << typeName(declared.type)
                    << " but computes " << elementName(value.element)
                    << "; correct the model";
  bool fits = declared.shape.size() == value.shape.size() ||
              declared.shape.empty(); // of unknown rank
  for (auto [wanted, size] : llvm::zip(declared.shape, value.shape))
    if (std::optional<int64_t> known = knownSize(size))
      fits &= wanted < 0 || wanted == *known;
  if (!fits)
    return refuse() << "computes a value of "
                    << type(value.element, value.shape)
                    << ", for which the model declares other sizes; correct "
                       "the model";
  values[i] = std::move(value);
  return success();
}
