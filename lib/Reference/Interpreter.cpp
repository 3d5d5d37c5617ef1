//===- Interpreter.cpp - The reference interpreter ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The boundary of a run: inputs are checked against the types of the entry
// function and become values, results become tensors again.
//
//===----------------------------------------------------------------------===//

#include "qcc/Reference/Interpreter.h"
#include "Evaluator.h"
#include <thread>

using namespace mlir;
using namespace qcc::reference;

TensorValue TensorValue::allocate(ElementType type,
                                  std::vector<int64_t> shape) {
  TensorValue result;
  result.type = type;
  result.bytes = allocateZeros(shape, type.bytes());
  result.shape = std::move(shape);
  return result;
}

int64_t TensorValue::elementCount() const {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

size_t TensorValue::byteSize() const {
  return static_cast<size_t>(elementCount()) * type.bytes();
}

llvm::Expected<ElementType> qcc::reference::elementTypeOf(Type type) {
  std::optional<Elem> elem = elemOf(type);
  bool isTensor = isa<RankedTensorType>(type);
  if (!elem || (isa<ShapedType>(type) && !isTensor)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "values of type " + text +
            " are not supported; use ranked tensors or scalars of integers, "
            "f16, bf16, f32 or f64");
  }
  ElementType result;
  result.bits = elem->bytes() * 8;
  switch (elem->cls) {
  case Elem::BF16:
    result.code = TypeCode::BFloat;
    break;
  case Elem::F16:
  case Elem::F32:
  case Elem::F64:
    result.code = TypeCode::Float;
    break;
  case Elem::Int:
    result.code = elem->width == 1   ? TypeCode::Bool
                  : elem->isUnsigned ? TypeCode::UInt
                                     : TypeCode::Int;
    break;
  }
  return result;
}

static std::string textOf(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [d, size] : llvm::enumerate(shape))
    text += (d ? ", " : "") +
            (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text + "]";
}

static bool fits(ArrayRef<int64_t> shape, ArrayRef<int64_t> declared) {
  if (shape.size() != declared.size())
    return false;
  for (auto [size, limit] : llvm::zip(shape, declared))
    if (size < 0 || (!ShapedType::isDynamic(limit) && size != limit))
      return false;
  return true;
}

Interpreter::Interpreter(unsigned threads)
    : threads(threads ? threads
                      : std::max(1u, std::thread::hardware_concurrency())) {}

llvm::Error Interpreter::run(func::FuncOp entry, ArrayRef<TensorValue> inputs,
                             SmallVectorImpl<TensorValue> &results) {
  FunctionType type = entry.getFunctionType();
  if (inputs.size() != type.getNumInputs())
    return failure(entry, "takes " + llvm::Twine(type.getNumInputs()) +
                              " inputs, got " + llvm::Twine(inputs.size()));
  SmallVector<RtValue> values;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Type inputType = type.getInput(i);
    llvm::Expected<ElementType> element = elementTypeOf(inputType);
    if (!element)
      return failure(entry, "input " + llvm::Twine(i) + ": " +
                                llvm::toString(element.takeError()));
    if (!(*element == input.type))
      return failure(entry, "input " + llvm::Twine(i) +
                                " has another element type than the function "
                                "declares");
    SmallVector<int64_t> declared;
    if (auto tensorType = dyn_cast<RankedTensorType>(inputType))
      declared.assign(tensorType.getShape().begin(),
                      tensorType.getShape().end());
    if (!fits(input.shape, declared))
      return failure(entry, "input " + llvm::Twine(i) + " has shape " +
                                textOf(input.shape) +
                                " where the function declares " +
                                textOf(declared));
    Tensor tensor;
    tensor.elem = *elemOf(inputType);
    tensor.shape = input.shape;
    tensor.data = input.bytes;
    if (isa<RankedTensorType>(inputType))
      values.push_back(RtValue(std::move(tensor)));
    else
      values.push_back(RtValue(tensor.get(0)));
  }
  for (Type resultType : type.getResults())
    if (llvm::Expected<ElementType> element = elementTypeOf(resultType);
        !element)
      return failure(entry, "result: " + llvm::toString(element.takeError()));

  Evaluator evaluator(threads);
  if (observer)
    evaluator.observer = [&](OpResult value, const Tensor &tensor) {
      llvm::Expected<ElementType> element = elementTypeOf(value.getType());
      if (!element)
        return llvm::consumeError(element.takeError());
      observer(value, TensorValue{*element, tensor.shape, tensor.data});
    };
  SmallVector<RtValue> outputs;
  if (llvm::Error error = evaluator.call(entry, values, outputs, /*depth=*/1))
    return error;
  results.clear();
  for (auto [output, resultType] : llvm::zip(outputs, type.getResults())) {
    TensorValue result;
    result.type = *elementTypeOf(resultType);
    if (!isa<RankedTensorType>(resultType)) {
      output.tensor = Tensor::zeros(*elemOf(resultType), {});
      output.tensor.set(0, output.scalar);
    }
    result.shape = output.tensor.shape;
    result.bytes = output.tensor.data;
    results.push_back(std::move(result));
  }
  return llvm::Error::success();
}
