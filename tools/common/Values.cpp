//===- Values.cpp - Between stored and real values ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Values.h"

#include "common/Compare.h"
#include "qcc/Support/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace qcc::tools {

bool isSameQuantization(const std::optional<rt::Quantization> &a,
                        const std::optional<rt::Quantization> &b) {
  if (!a || !b)
    return !a && !b;
  return a->perChannel == b->perChannel && a->axis == b->axis &&
         a->count == b->count &&
         std::equal(a->scales, a->scales + a->count, b->scales) &&
         std::equal(a->zeroPoints, a->zeroPoints + a->count, b->zeroPoints);
}

namespace {
/// Scale and zero point of each element of a tensor.
class Parameters {
public:
  Parameters(const rt::Quantization &quantization, const rt::Shape &shape)
      : quantization_(quantization) {
    if (quantization.perChannel)
      for (size_t d = quantization.axis + 1; d < shape.size(); ++d)
        inner_ *= shape[d];
  }
  float scale(int64_t i) const { return quantization_.scales[channel(i)]; }
  int32_t zeroPoint(int64_t i) const {
    return quantization_.zeroPoints[channel(i)];
  }

private:
  int64_t channel(int64_t i) const {
    return quantization_.perChannel ? i / inner_ % quantization_.count : 0;
  }

  const rt::Quantization &quantization_;
  int64_t inner_ = 1;
};
} // namespace

/// Per channel, as many channels as the tensor has; integers of up to 32 bits.
static rt::Status check(const rt::Quantization &quantization, rt::DType dtype,
                        const rt::Shape &shape) {
  if (!dtype.isInteger() || dtype.bits > 32)
    return rt::invalidArgument("elements of type " + dtype.name() +
                               " cannot be quantized values");
  if (quantization.perChannel &&
      (size_t(quantization.axis) >= shape.size() ||
       shape[quantization.axis] != quantization.count))
    return rt::invalidArgument(rt::describe(dtype, shape) + " does not have " +
                               std::to_string(quantization.count) +
                               " channels in dimension " +
                               std::to_string(quantization.axis));
  return rt::Status::ok();
}

rt::Result<HostTensor>
realValues(const rt::Tensor &tensor,
           const std::optional<rt::Quantization> &quantization) {
  if (quantization) {
    rt::Status status = check(*quantization, tensor.dtype, tensor.shape);
    if (!status.isOk())
      return status;
  }
  rt::DType dtype = quantization ? rt::DType{QCC_FLOAT, 32} : tensor.dtype;
  rt::Result<HostTensor> real = HostTensor::create(dtype, tensor.shape);
  if (!real.isOk())
    return real;
  if (!quantization) {
    if (real->numBytes() > 0)
      memcpy(real->data(), tensor.data, real->numBytes());
    return real;
  }
  Parameters parameters(*quantization, tensor.shape);
  for (int64_t i = 0; i < real->numElements(); ++i) {
    auto q = int64_t(elementOf(tensor, i)) - parameters.zeroPoint(i);
    real->as<float>()[i] = float(q) * parameters.scale(i);
  }
  return real;
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

/// N5: saturate(rint(x / s) + z); NaN gives z.
static int64_t quantize(float x, float scale, int32_t zeroPoint, int64_t least,
                        int64_t most) {
  float rounded = std::nearbyint(x / scale);
  if (std::isnan(rounded))
    rounded = 0;
  // Beyond this everything saturates, whatever the zero point is.
  constexpr float bound = 0x1p40f;
  int64_t q = int64_t(std::clamp(rounded, -bound, bound)) + zeroPoint;
  return std::clamp(q, least, most);
}

template <typename T>
static void fill(HostTensor &stored, const HostTensor &real,
                 T (*convert)(float)) {
  rt::Tensor view(const_cast<void *>(real.data()), real.dtype(), real.shape());
  for (int64_t i = 0; i < stored.numElements(); ++i)
    stored.as<T>()[i] = convert(float(elementOf(view, i)));
}

rt::Result<HostTensor>
storedValues(const HostTensor &real, rt::DType dtype,
             const std::optional<rt::Quantization> &quantization) {
  if (quantization) {
    rt::Status status = check(*quantization, dtype, real.shape());
    if (!status.isOk())
      return status;
  } else if (!dtype.isFloat()) {
    return rt::invalidArgument(
        "nothing says how real values become elements of type " + dtype.name() +
        ": they have no quantization");
  }
  rt::Result<HostTensor> stored = HostTensor::create(dtype, real.shape());
  if (!stored.isOk())
    return stored;
  rt::Tensor view(const_cast<void *>(real.data()), real.dtype(), real.shape());
  if (!quantization) {
    if (dtype.code == QCC_BFLOAT)
      fill<uint16_t>(*stored, real, floatToBF16);
    else if (dtype.bits == 16)
      fill<uint16_t>(*stored, real, floatToF16);
    else if (dtype.bits == 32)
      fill<float>(*stored, real, [](float x) { return x; });
    else
      for (int64_t i = 0; i < stored->numElements(); ++i)
        stored->as<double>()[i] = double(elementOf(view, i));
    return stored;
  }
  Parameters parameters(*quantization, real.shape());
  bool isSigned = dtype.code == QCC_INT;
  int64_t most = (int64_t(1) << (dtype.bits - isSigned)) - 1;
  int64_t least = isSigned ? -most - 1 : 0;
  for (int64_t i = 0; i < stored->numElements(); ++i) {
    int64_t q = quantize(float(elementOf(view, i)), parameters.scale(i),
                         parameters.zeroPoint(i), least, most);
    // Little endian: the low bytes come first.
    memcpy(stored->as<char>() + i * dtype.size(), &q, dtype.size());
  }
  return stored;
}

} // namespace qcc::tools
