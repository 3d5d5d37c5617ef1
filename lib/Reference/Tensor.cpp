//===- Tensor.cpp - Dense tensors of the interpreter ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"
#include "BatchOps.h"
#include "Half.h"
#include <cstdlib>

using namespace qcc::reference;

std::vector<int64_t>
qcc::reference::rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::shared_ptr<uint8_t>
qcc::reference::allocateZeros(const std::vector<int64_t> &shape,
                              size_t elementBytes) {
  size_t size = elementBytes;
  for (int64_t dim : shape)
    if (dim < 0 ||
        __builtin_mul_overflow(size, static_cast<size_t>(dim), &size))
      return nullptr;
  // calloc: large tensors cost nothing until they are written.
  void *data = std::calloc(size ? size : 1, 1);
  return std::shared_ptr<uint8_t>(static_cast<uint8_t *>(data), std::free);
}

Tensor Tensor::zeros(Elem elem, std::vector<int64_t> shape) {
  Tensor result;
  result.elem = elem;
  result.data = allocateZeros(shape, elem.bytes());
  result.shape = std::move(shape);
  return result;
}

Scalar Tensor::get(int64_t index) const {
  Scalar result;
  switch (elem.cls) {
  case Elem::F16:
    result.f = fromF16(as<uint16_t>()[index]);
    return result;
  case Elem::BF16:
    result.f = fromBF16(as<uint16_t>()[index]);
    return result;
  case Elem::F32:
    result.f = as<float>()[index];
    return result;
  case Elem::F64:
    result.d = as<double>()[index];
    return result;
  case Elem::Int:
    break;
  }
  switch (elem.bytes()) {
  case 1:
    result.i = as<int8_t>()[index];
    break;
  case 2:
    result.i = as<int16_t>()[index];
    break;
  case 4:
    result.i = as<int32_t>()[index];
    break;
  default:
    result.i = as<int64_t>()[index];
    break;
  }
  if (elem.width == 1)
    result.i = -(result.i & 1);
  return result;
}

void Tensor::set(int64_t index, Scalar value) {
  switch (elem.cls) {
  case Elem::F16:
    as<uint16_t>()[index] = toF16(value.f);
    return;
  case Elem::BF16:
    as<uint16_t>()[index] = toBF16(value.f);
    return;
  case Elem::F32:
    as<float>()[index] = value.f;
    return;
  case Elem::F64:
    as<double>()[index] = value.d;
    return;
  case Elem::Int:
    break;
  }
  switch (elem.bytes()) {
  case 1:
    as<int8_t>()[index] =
        static_cast<int8_t>(elem.width == 1 ? value.i & 1 : value.i);
    return;
  case 2:
    as<int16_t>()[index] = static_cast<int16_t>(value.i);
    return;
  case 4:
    as<int32_t>()[index] = static_cast<int32_t>(value.i);
    return;
  default:
    as<int64_t>()[index] = value.i;
    return;
  }
}
