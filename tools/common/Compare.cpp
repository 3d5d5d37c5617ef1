//===- Compare.cpp - How far two tensors are apart ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Compare.h"

#include "common/Text.h"
#include "qcc/Support/Half.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace qcc::tools {

template <typename T> static T load(const rt::Tensor &tensor, int64_t i) {
  T value;
  memcpy(&value, static_cast<const char *>(tensor.data) + i * sizeof(T),
         sizeof(T));
  return value;
}

/// Calls `use` with element i in its own type; half floats become floats.
template <typename Use>
static auto withElement(const rt::Tensor &tensor, int64_t i, Use use) {
  const rt::DType dtype = tensor.dtype;
  if (dtype.code == QCC_INT || dtype.code == QCC_BOOL)
    switch (dtype.bits) {
    case 8:
      return use(load<int8_t>(tensor, i));
    case 16:
      return use(load<int16_t>(tensor, i));
    case 32:
      return use(load<int32_t>(tensor, i));
    default:
      return use(load<int64_t>(tensor, i));
    }
  if (dtype.code == QCC_UINT)
    switch (dtype.bits) {
    case 8:
      return use(load<uint8_t>(tensor, i));
    case 16:
      return use(load<uint16_t>(tensor, i));
    case 32:
      return use(load<uint32_t>(tensor, i));
    default:
      return use(load<uint64_t>(tensor, i));
    }
  if (dtype.code == QCC_BFLOAT)
    return use(bf16ToFloat(load<uint16_t>(tensor, i)));
  if (dtype.bits == 16)
    return use(f16ToFloat(load<uint16_t>(tensor, i)));
  if (dtype.bits == 32)
    return use(load<float>(tensor, i));
  return use(load<double>(tensor, i));
}

long double elementOf(const rt::Tensor &tensor, int64_t i) {
  return withElement(tensor, i,
                     [](auto value) -> long double { return value; });
}

std::string elementText(const rt::Tensor &tensor, int64_t i) {
  return withElement(tensor, i, [](auto value) -> std::string {
    char buffer[64];
    char *end;
    if constexpr (std::is_integral_v<decltype(value)> && sizeof(value) == 1)
      end = std::to_chars(buffer, buffer + sizeof(buffer), int(value)).ptr;
    else
      end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
    return std::string(buffer, end);
  });
}

double Difference::signalToNoise() const {
  if (noise == 0)
    return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

double Difference::relative() const {
  return noise == 0 ? 0 : std::sqrt(noise / signal);
}

static long double largestMagnitude(const rt::Tensor &tensor, int64_t count) {
  long double largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    long double magnitude = std::fabs(elementOf(tensor, i));
    if (std::isfinite(magnitude) && magnitude > largest)
      largest = magnitude;
  }
  return largest;
}

Difference compare(const rt::Tensor &actual, const rt::Tensor &expected,
                   double tolerance) {
  Difference result;
  int64_t count = result.elements = expected.elements().value_or(0);
  bool sameType = actual.dtype == expected.dtype;
  int64_t size = expected.dtype.size();
  // Everything is equal, most of the time.
  if (sameType && tolerance == 0 && !expected.dtype.isFloat() &&
      (count == 0 || memcmp(actual.data, expected.data, count * size) == 0))
    return result;
  long double allowed =
      tolerance > 0 ? tolerance * largestMagnitude(expected, count) : 0;
  long double sum = 0, signal = 0, noise = 0;
  for (int64_t i = 0; i < count; ++i) {
    long double a = elementOf(actual, i), b = elementOf(expected, i);
    bool equal =
        sameType &&
        memcmp(static_cast<const char *>(actual.data) + i * size,
               static_cast<const char *>(expected.data) + i * size, size) == 0;
    equal |= std::isnan(a) && std::isnan(b);
    // +0 and -0 differ in their bits only.
    long double error = equal || a == b ? 0 : std::fabs(a - b);
    if (std::isnan(error))
      error = std::numeric_limits<long double>::infinity();
    bool differs = !equal && (error > allowed || (sameType && tolerance == 0));
    if (differs && result.differing++ == 0)
      result.first = i;
    if (error > result.largest)
      result.largest = double(error);
    sum += error;
    noise += error * error;
    if (std::isfinite(b))
      signal += b * b;
  }
  result.mean = count ? double(sum / count) : 0;
  result.signal = double(signal);
  result.noise = double(noise);
  return result;
}

/// The bits of a float element, " (0x3fa00000)"; nothing for other types.
static std::string bitsText(const rt::Tensor &tensor, int64_t i) {
  if (!tensor.dtype.isFloat())
    return "";
  uint64_t bits = 0; // little-endian, as all hosts are
  memcpy(&bits,
         static_cast<const char *>(tensor.data) + i * tensor.dtype.size(),
         tensor.dtype.size());
  return format(" (0x%0*llx)", int(2 * tensor.dtype.size()),
                (unsigned long long)bits);
}

std::string differenceText(const rt::Tensor &actual, const rt::Tensor &expected,
                           int64_t i) {
  return indexText(i, expected.shape) + ": " + elementText(actual, i) +
         bitsText(actual, i) + " instead of " + elementText(expected, i) +
         bitsText(expected, i);
}

std::string indexText(int64_t i, const rt::Shape &shape) {
  std::vector<std::string> position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = std::to_string(i % shape[d]);
    i /= shape[d];
  }
  return "[" + join(position) + "]";
}

} // namespace qcc::tools
