//===- Matrix.cpp - mma, ldmatrix and stmatrix ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are gathered from their fragments into rows (columns of B),
// multiplied, and scattered. In every shape and type the fragments follow one
// rule: lane 4g + t holds rows g and g + 8 (of B: column g) and, of each group
// of 4E elements of k, those from E t on, E being the elements of a register;
// registers go through the rows first, then through the groups.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Matrix.h"

#include "qcc/Emulator/Arith/Convert.h"
#include "qcc/Emulator/Arith/Integer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace qcc::emu::arith {

namespace {

constexpr int lanes = 32, maxRows = 16, columns = 8, maxK = 32;

bool isInt8(ScalarType type) {
  return type == ScalarType::S8 || type == ScalarType::U8;
}
bool isInt4(ScalarType type) {
  return type == ScalarType::S4 || type == ScalarType::U4;
}
bool isFloat8(ScalarType type) {
  return type == ScalarType::E4M3 || type == ScalarType::E5M2;
}

bool hasShape(const MmaKind &kind, int m, int k) {
  return kind.m == m && kind.n == columns && kind.k == k;
}

/// Calls f(register, lane, row, first of k) for A (or B, whose columns count as
/// rows) of `rows` x k in registers of `perRegister` elements.
template <typename Function>
void forFragment(int rows, int k, int perRegister, Function f) {
  int index = 0;
  for (int group = 0; group < k; group += 4 * perRegister)
    for (int half = 0; half < rows; half += 8, ++index)
      for (int lane = 0; lane < lanes; ++lane)
        f(index, lane, half + lane / 4, group + perRegister * (lane % 4));
}

double doubleFromBits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
uint64_t doubleBits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// `bits`: of an element.
template <int bits, int k>
void gatherIntegers(const uint32_t *const *fragment, bool isSigned, int rows,
                    int16_t (*matrix)[k]) {
  constexpr int count = 32 / bits, unused = 32 - bits;
  forFragment(rows, k, count, [&](int index, int lane, int row, int first) {
    uint32_t word = fragment[index][lane];
    for (int i = 0; i < count; ++i) {
      uint32_t high = word << (unused - bits * i);
      matrix[row][first + i] = static_cast<int16_t>(
          isSigned ? int32_t(high) >> unused : int32_t(high >> unused));
    }
  });
}

/// Sums of products fit 32 bits with room.
template <int bits, int k>
void mmaIntegers(const MmaKind &kind, uint32_t *const *d,
                 const uint32_t *const *a, const uint32_t *const *b,
                 const uint32_t *const *c) {
  int16_t rowsOfA[maxRows][k], columnsOfB[columns][k];
  int32_t sums[maxRows][columns];
  gatherIntegers<bits>(a, isSigned(kind.a), kind.m, rowsOfA);
  gatherIntegers<bits>(b, isSigned(kind.b), columns, columnsOfB);
  for (int row = 0; row < kind.m; ++row)
    for (int column = 0; column < columns; ++column) {
      int32_t sum = 0;
      for (int i = 0; i < k; ++i)
        sum += int32_t(rowsOfA[row][i]) * columnsOfB[column][i];
      sums[row][column] = sum;
    }

  for (int index = 0; index < kind.m / 4; ++index)
    for (int lane = 0; lane < lanes; ++lane) {
      int32_t sum =
          sums[8 * (index / 2) + lane / 4][2 * (lane % 4) + index % 2];
      int32_t start = int32_t(c[index][lane]);
      d[index][lane] =
          uint32_t(kind.satfinite ? addSat(start, sum) : wrapAdd(start, sum));
    }
}

float toF32(uint32_t value, ScalarType from) {
  if (from == ScalarType::BF16)
    return floatFromBits(value << 16);
  if (from == ScalarType::TF32)
    return floatFromBits(value & ~0x1fffu);
  if (isFloat8(from)) {
    value = convertFromFloat8(uint8_t(value),
                              from == ScalarType::E4M3 ? ScalarType::E4M3x2
                                                       : ScalarType::E5M2x2,
                              /*relu=*/false);
    from = ScalarType::F16;
  }
  return floatFromBits(uint32_t(convert(value, ScalarType::F32, from)));
}

void gatherFloat(const uint32_t *const *fragment, ScalarType type, int rows,
                 int k, float (*matrix)[maxK]) {
  int bits = bitsOf(type);
  forFragment(rows, k, 32 / bits, [&](int index, int lane, int row, int first) {
    uint32_t word = fragment[index][lane];
    for (int i = 0; i < 32 / bits; ++i)
      matrix[row][first + i] = toF32(
          bits == 32 ? word : word >> (bits * i) & ((1u << bits) - 1), type);
  });
}

void mmaFloat(const MmaKind &kind, uint32_t *const *d, const uint32_t *const *a,
              const uint32_t *const *b, const uint32_t *const *c) {
  float rowsOfA[maxRows][maxK], columnsOfB[columns][maxK];
  gatherFloat(a, kind.a, kind.m, kind.k, rowsOfA);
  gatherFloat(b, kind.b, columns, kind.k, columnsOfB);

  auto accumulate = [&](int lane, int element, float sum) {
    const float *row = rowsOfA[8 * (element / 2) + lane / 4];
    const float *column = columnsOfB[2 * (lane % 4) + element % 2];
    for (int i = 0; i < kind.k; ++i)
      sum = std::fma(row[i], column[i], sum);
    // The canonical NaN.
    return std::isnan(sum) ? floatFromBits(0x7fffffff) : sum;
  };

  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < 4; ++element) {
      if (kind.d == ScalarType::F32) {
        float sum = accumulate(lane, element, floatFromBits(c[element][lane]));
        d[element][lane] = floatBits(sum);
        continue;
      }
      int shift = 16 * (element % 2);
      uint32_t start = c[element / 2][lane] >> shift & 0xffff;
      float sum = accumulate(lane, element, toF32(start, ScalarType::F16));
      uint32_t rounded =
          uint32_t(convert(floatBits(sum), ScalarType::F16, ScalarType::F32));
      uint32_t &word = d[element / 2][lane];
      uint32_t other = element % 2 ? word : c[element / 2][lane];
      word = (other & ~(0xffffu << shift)) | rounded << shift;
    }
}

} // namespace

bool isSupported(const MmaKind &kind) {
  if (isInt4(kind.a))
    return isInt4(kind.b) && kind.c == ScalarType::S32 &&
           kind.d == ScalarType::S32 &&
           (hasShape(kind, 8, 32) || hasShape(kind, 16, 32) ||
            hasShape(kind, 16, 64));
  if (isInt8(kind.a))
    return isInt8(kind.b) && kind.c == ScalarType::S32 &&
           kind.d == ScalarType::S32 &&
           (hasShape(kind, 8, 16) || hasShape(kind, 16, 16) ||
            hasShape(kind, 16, 32));
  bool f32 = kind.d == ScalarType::F32;
  if (kind.c != kind.d || kind.satfinite)
    return false;
  if (isFloat8(kind.a))
    return isFloat8(kind.b) && (f32 || kind.d == ScalarType::F16) &&
           (hasShape(kind, 16, 16) || hasShape(kind, 16, 32));
  if (kind.a != kind.b)
    return false;
  if (kind.a == ScalarType::F64)
    return kind.d == ScalarType::F64 &&
           (hasShape(kind, 8, 4) || hasShape(kind, 16, 4) ||
            hasShape(kind, 16, 8) || hasShape(kind, 16, 16));
  if (kind.a == ScalarType::TF32)
    return f32 && (hasShape(kind, 16, 4) || hasShape(kind, 16, 8));
  bool f16 = kind.a == ScalarType::F16;
  return (f16 || kind.a == ScalarType::BF16) &&
         (f32 || (f16 && kind.d == ScalarType::F16)) &&
         (hasShape(kind, 16, 8) || hasShape(kind, 16, 16));
}

MmaRegisters mmaRegisters(const MmaKind &kind) {
  auto count = [](int elements, ScalarType type) {
    int bits = bitsOf(type);
    return elements * bits / (std::max(bits, 32) * lanes);
  };
  return {count(kind.m * kind.n, kind.d), count(kind.m * kind.k, kind.a),
          count(kind.k * kind.n, kind.b), count(kind.m * kind.n, kind.c)};
}

void mma(const MmaKind &kind, uint32_t *const *d, const uint32_t *const *a,
         const uint32_t *const *b, const uint32_t *const *c) {
  if (isInt8(kind.a))
    (kind.k == 32 ? mmaIntegers<8, 32> : mmaIntegers<8, 16>)(kind, d, a, b, c);
  else if (isInt4(kind.a))
    (kind.k == 64 ? mmaIntegers<4, 64> : mmaIntegers<4, 32>)(kind, d, a, b, c);
  else
    mmaFloat(kind, d, a, b, c);
}

void mmaF64(const MmaKind &kind, uint64_t *const *d, const uint64_t *const *a,
            const uint64_t *const *b, const uint64_t *const *c) {
  double rowsOfA[maxRows][maxK], columnsOfB[columns][maxK];
  auto gather = [&](const uint64_t *const *fragment, int rows,
                    double (*matrix)[maxK]) {
    forFragment(rows, kind.k, 1, [&](int index, int lane, int row, int first) {
      matrix[row][first] = doubleFromBits(fragment[index][lane]);
    });
  };
  gather(a, kind.m, rowsOfA);
  gather(b, columns, columnsOfB);
  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < kind.m / 4; ++element) {
      double sum = doubleFromBits(c[element][lane]);
      const double *row = rowsOfA[8 * (element / 2) + lane / 4];
      const double *column = columnsOfB[2 * (lane % 4) + element % 2];
      for (int i = 0; i < kind.k; ++i)
        sum = std::fma(row[i], column[i], sum);
      d[element][lane] =
          std::isnan(sum) ? FloatFormat<ScalarType::F64>::nan : doubleBits(sum);
    }
}

void ldmatrix(int matrices, bool transpose, const uint8_t *const *rows,
              uint32_t *const *d) {
  auto element = [&](int matrix, int row, int column) -> uint32_t {
    const uint8_t *bytes = rows[8 * matrix + row];
    return bytes ? bytes[2 * column] | bytes[2 * column + 1] << 8 : 0;
  };
  for (int matrix = 0; matrix < matrices; ++matrix)
    for (int lane = 0; lane < lanes; ++lane) {
      int row = lane / 4, column = 2 * (lane % 4);
      d[matrix][lane] = transpose ? element(matrix, column, row) |
                                        element(matrix, column + 1, row) << 16
                                  : element(matrix, row, column) |
                                        element(matrix, row, column + 1) << 16;
    }
}

void stmatrix(int matrices, bool transpose, uint8_t *const *rows,
              const uint32_t *const *s) {
  auto store = [&](int matrix, int row, int column, uint32_t value) {
    uint8_t *bytes = rows[8 * matrix + row];
    if (!bytes)
      return;
    bytes[2 * column] = uint8_t(value);
    bytes[2 * column + 1] = uint8_t(value >> 8);
  };
  for (int matrix = 0; matrix < matrices; ++matrix)
    for (int lane = 0; lane < lanes; ++lane)
      for (int half = 0; half < 2; ++half) {
        int row = lane / 4, column = 2 * (lane % 4) + half;
        uint32_t value = s[matrix][lane] >> (16 * half);
        if (transpose)
          store(matrix, column, row, value);
        else
          store(matrix, row, column, value);
      }
}

} // namespace qcc::emu::arith
