//===- TestSupport.h - Running a program in a test --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_REFERENCE_TESTSUPPORT_H
#define QCC_TEST_UNIT_REFERENCE_TESTSUPPORT_H

#include "qcc/Reference/Interpreter.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace qcc::reference::test {

template <typename T> ElementType typeOf();
template <> inline ElementType typeOf<float>() { return {TypeCode::Float, 32}; }
template <> inline ElementType typeOf<double>() {
  return {TypeCode::Float, 64};
}
template <> inline ElementType typeOf<int8_t>() { return {TypeCode::Int, 8}; }
template <> inline ElementType typeOf<uint8_t>() { return {TypeCode::UInt, 8}; }
template <> inline ElementType typeOf<int16_t>() { return {TypeCode::Int, 16}; }
template <> inline ElementType typeOf<int32_t>() { return {TypeCode::Int, 32}; }
template <> inline ElementType typeOf<int64_t>() { return {TypeCode::Int, 64}; }

template <typename T>
TensorValue tensor(std::vector<int64_t> shape, const std::vector<T> &values,
                   ElementType type = typeOf<T>()) {
  TensorValue result = TensorValue::allocate(type, std::move(shape));
  EXPECT_EQ(result.byteSize(), values.size() * sizeof(T));
  std::copy(values.begin(), values.end(),
            reinterpret_cast<T *>(result.bytes.get()));
  return result;
}

/// The bits of f16 or bf16 numbers.
inline TensorValue half(std::vector<int64_t> shape,
                        const std::vector<uint16_t> &bits,
                        TypeCode code = TypeCode::Float) {
  return tensor<uint16_t>(std::move(shape), bits, {code, 16});
}

template <typename T> std::vector<T> values(const TensorValue &tensor) {
  EXPECT_EQ(tensor.type.bytes(), sizeof(T));
  const T *bytes = reinterpret_cast<const T *>(tensor.bytes.get());
  return std::vector<T>(bytes, bytes + tensor.elementCount());
}

/// Runs @main of `program`; an error fails the test.
std::vector<TensorValue> run(llvm::StringRef program,
                             std::vector<TensorValue> inputs = {},
                             unsigned threads = 2);

/// The text of the error of running @main.
std::string errorOf(llvm::StringRef program,
                    std::vector<TensorValue> inputs = {});

/// Runs a program with one result.
template <typename T>
std::vector<T> runOne(llvm::StringRef program,
                      std::vector<TensorValue> inputs = {}) {
  std::vector<TensorValue> results = run(program, std::move(inputs));
  if (results.size() != 1)
    return {};
  return values<T>(results.front());
}

/// Bit patterns, so that zeros of different signs differ; NaNs are one.
inline std::vector<uint32_t> bitsOf(const std::vector<float> &numbers) {
  std::vector<uint32_t> result;
  for (float number : numbers) {
    uint32_t bits;
    std::memcpy(&bits, &number, 4);
    result.push_back(std::isnan(number) ? 0x7fc00000 : bits);
  }
  return result;
}

/// Pseudo-random numbers, the same in every run.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 2 + 1) {}
  uint32_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33);
  }
  /// In [low, high].
  int64_t integer(int64_t low, int64_t high) {
    return low + next() % (high - low + 1);
  }
  float real(float low, float high) {
    return low + (high - low) * (next() % 65536) / 65536.0f;
  }
  template <typename T>
  std::vector<T> integers(size_t count,
                          int64_t low = std::numeric_limits<T>::min(),
                          int64_t high = std::numeric_limits<T>::max()) {
    std::vector<T> result(count);
    for (T &value : result)
      value = static_cast<T>(integer(low, high));
    return result;
  }
  std::vector<float> reals(size_t count, float low = -4.0f, float high = 4.0f) {
    std::vector<float> result(count);
    for (float &value : result)
      value = real(low, high);
    return result;
  }

private:
  uint64_t state;
};

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

} // namespace qcc::reference::test

#endif // QCC_TEST_UNIT_REFERENCE_TESTSUPPORT_H
