//===- MatrixTests.cpp - mma, ldmatrix and stmatrix -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragment layouts written from the text of the PTX ISA ("Matrix Fragments for
// mma.mMnNkK", "ldmatrix"), one formula per shape as it stands there, and
// matrices multiplied the plain way.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Matrix.h"

#include "Reference.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::Operands;

namespace {

//===----------------------------------------------------------------------===//
// The ISA's formulas: element i of a fragment lies at (row, col)
//===----------------------------------------------------------------------===//

struct Place {
  int row, col;
};
using Layout = Place (*)(int groupID, int threadID_in_group, int i);

Place a8816(int g, int t, int i) { return {g, t * 4 + i}; }
Place b8816(int g, int t, int i) { return {t * 4 + i, g}; }
Place c8816(int g, int t, int i) { return {g, t * 2 + i}; }

Place a16816Int(int g, int t, int i) {
  return {i < 4 ? g : g + 8, t * 4 + (i & 0x3)};
}
Place b16816Int(int g, int t, int i) { return {t * 4 + i, g}; }

Place a16832(int g, int t, int i) {
  return {(0 <= i && i < 4) || (8 <= i && i < 12) ? g : g + 8,
          i < 8 ? t * 4 + (i & 0x3) : t * 4 + (i & 0x3) + 16};
}
Place b16832(int g, int t, int i) {
  return {i < 4 ? t * 4 + (i & 0x3) : t * 4 + (i & 0x3) + 16, g};
}

Place a1688Half(int g, int t, int i) {
  return {i < 2 ? g : g + 8, t * 2 + (i & 0x1)};
}
Place b1688Half(int g, int t, int i) { return {t * 2 + i, g}; }

Place a16816Half(int g, int t, int i) {
  return {(0 <= i && i < 2) || (4 <= i && i < 6) ? g : g + 8,
          i < 4 ? t * 2 + (i & 0x1) : t * 2 + (i & 0x1) + 8};
}
Place b16816Half(int g, int t, int i) {
  return {i < 2 ? t * 2 + (i & 0x1) : t * 2 + (i & 0x1) + 8, g};
}

Place a1684(int g, int t, int i) { return {i == 0 ? g : g + 8, t}; }
Place b1684(int g, int t, int) { return {t, g}; }

Place a1688TF32(int g, int t, int i) {
  return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}
Place b1688TF32(int g, int t, int i) { return {i == 0 ? t : t + 4, g}; }

Place a8832(int g, int t, int i) { return {g, t * 8 + (i & 0x7)}; }
Place b8832(int g, int t, int i) { return {t * 8 + (i & 0x7), g}; }

Place a16832Int4(int g, int t, int i) {
  return {i < 8 ? g : g + 8, t * 8 + (i & 0x7)};
}
Place b16832Int4(int g, int t, int i) { return {t * 8 + (i & 0x7), g}; }

Place a16864(int g, int t, int i) {
  return {(0 <= i && i < 8) || (16 <= i && i < 24) ? g : g + 8,
          i < 16 ? t * 8 + (i & 0x7) : t * 8 + (i & 0x7) + 32};
}
Place b16864(int g, int t, int i) {
  return {i < 8 ? t * 8 + (i & 0x7) : t * 8 + (i & 0x7) + 32, g};
}

Place a884F64(int g, int t, int) { return {g, t}; }
Place b884F64(int g, int t, int) { return {t, g}; }
Place a1688F64(int g, int t, int i) {
  return {i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4};
}
Place b1688F64(int g, int t, int i) { return {i == 0 ? t : t + 4, g}; }
Place a16816F64(int g, int t, int i) {
  return {i % 2 == 0 ? g : g + 8, (i / 2) * 4 + t};
}
Place b16816F64(int g, int t, int i) { return {i * 4 + t, g}; }

Place c16n8(int g, int t, int i) {
  return {i < 2 ? g : g + 8, t * 2 + (i & 0x1)};
}

struct Shape {
  int m, n, k;
  bool integer;
  int bits; ///< Of an element of A and B.
  Layout a, b, c;
};

const Shape shapes[] = {
    {8, 8, 16, true, 8, a8816, b8816, c8816},
    {16, 8, 16, true, 8, a16816Int, b16816Int, c16n8},
    {16, 8, 32, true, 8, a16832, b16832, c16n8},
    {8, 8, 32, true, 4, a8832, b8832, c8816},
    {16, 8, 32, true, 4, a16832Int4, b16832Int4, c16n8},
    {16, 8, 64, true, 4, a16864, b16864, c16n8},
    {16, 8, 16, false, 8, a16816Int, b16816Int, c16n8},
    {16, 8, 32, false, 8, a16832, b16832, c16n8},
    {16, 8, 8, false, 16, a1688Half, b1688Half, c16n8},
    {16, 8, 16, false, 16, a16816Half, b16816Half, c16n8},
    {16, 8, 4, false, 32, a1684, b1684, c16n8},
    {16, 8, 8, false, 32, a1688TF32, b1688TF32, c16n8},
};

/// A matrix of bit patterns.
struct Matrix {
  int rows, cols;
  std::vector<uint32_t> values;

  Matrix(int rows, int cols) : rows(rows), cols(cols), values(rows * cols) {}
  uint32_t &at(Place p) { return values[p.row * cols + p.col]; }
  uint32_t &at(int row, int col) { return values[row * cols + col]; }
};

/// Registers of a warp: [register][lane].
struct Fragment {
  uint32_t lanes[8][32] = {};
  uint32_t *registers[8];

  Fragment() {
    for (int i = 0; i < 8; ++i)
      registers[i] = lanes[i];
  }
  Fragment(const Fragment &) = delete;
};

/// Elements go low to high through a lane's registers.
void scatter(Matrix &matrix, Layout layout, int bits, Fragment &fragment) {
  int perLane = matrix.rows * matrix.cols / 32, perRegister = 32 / bits;
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < perLane; ++i) {
      Place place = layout(lane >> 2, lane % 4, i);
      ASSERT_TRUE(seen.insert({place.row, place.col}).second);
      fragment.lanes[i / perRegister][lane] |= matrix.at(place)
                                               << (bits * (i % perRegister));
    }
}

Matrix gather(const Fragment &fragment, Layout layout, int rows, int cols,
              int bits) {
  Matrix matrix(rows, cols);
  int perLane = rows * cols / 32, perRegister = 32 / bits;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < perLane; ++i) {
      uint32_t word = fragment.lanes[i / perRegister][lane];
      matrix.at(layout(lane >> 2, lane % 4, i)) =
          uint32_t((uint64_t(word) >> (bits * (i % perRegister))) &
                   ((uint64_t(1) << bits) - 1));
    }
  return matrix;
}

/// d = mma(a, b, c), through fragments laid out as the ISA says.
Matrix multiply(const MmaKind &kind, const Shape &shape, Matrix &a, Matrix &b,
                Matrix &c) {
  int sumBits = bitsOf(kind.d);
  Fragment fa, fb, fc, fd;
  scatter(a, shape.a, shape.bits, fa);
  scatter(b, shape.b, shape.bits, fb);
  scatter(c, shape.c, sumBits, fc);
  mma(kind, fd.registers, fa.registers, fb.registers, fc.registers);
  // In place as well.
  mma(kind, fc.registers, fa.registers, fb.registers, fc.registers);
  EXPECT_EQ(memcmp(fc.lanes, fd.lanes, sizeof(fc.lanes)), 0);
  return gather(fd, shape.c, shape.m, shape.n, sumBits);
}

} // namespace

TEST(Matrix, IntegerMma) {
  Operands operands(50);
  for (const Shape &shape : shapes) {
    if (!shape.integer)
      continue;
    for (int mode = 0; mode < 8; ++mode)
      for (int round = 0; round < 20; ++round) {
        MmaKind kind;
        kind.m = shape.m;
        kind.n = shape.n;
        kind.k = shape.k;
        bool is8 = shape.bits == 8;
        ScalarType isSigned = is8 ? ScalarType::S8 : ScalarType::S4;
        ScalarType isUnsigned = is8 ? ScalarType::U8 : ScalarType::U4;
        int range = 1 << shape.bits;
        kind.a = mode & 1 ? isSigned : isUnsigned;
        kind.b = mode & 2 ? isSigned : isUnsigned;
        kind.c = kind.d = ScalarType::S32;
        kind.satfinite = mode & 4;
        ASSERT_TRUE(isSupported(kind));
        Matrix a(shape.m, shape.k), b(shape.k, shape.n), c(shape.m, shape.n);
        for (uint32_t &value : a.values)
          value = round == 0 ? range / 2 : operands.bits() & (range - 1);
        for (uint32_t &value : b.values)
          value = round == 0 ? range / 2 : operands.bits() & (range - 1);
        // Accumulators near the ends, so that sums leave the range.
        for (uint32_t &value : c.values) {
          uint32_t random = operands.bits();
          value = round % 2    ? random
                  : random & 1 ? 0x7fffffff - (random >> 20)
                               : 0x80000000 + (random >> 20);
        }
        Matrix d = multiply(kind, shape, a, b, c);
        for (int row = 0; row < shape.m; ++row)
          for (int col = 0; col < shape.n; ++col) {
            int64_t sum = int32_t(c.at(row, col));
            for (int i = 0; i < shape.k; ++i) {
              int x = a.at(row, i), y = b.at(i, col);
              if (mode & 1 && x >= range / 2)
                x -= range;
              if (mode & 2 && y >= range / 2)
                y -= range;
              sum += x * y;
            }
            if (kind.satfinite)
              sum = std::max<int64_t>(INT32_MIN,
                                      std::min<int64_t>(INT32_MAX, sum));
            ASSERT_EQ(d.at(row, col), uint32_t(sum))
                << "m" << shape.m << "k" << shape.k << " mode " << mode
                << " row " << row << " column " << col;
          }
      }
  }
}

namespace {

/// The name under which tests know an element of 8 bits.
ScalarType elementOf(ScalarType type) {
  return type == ScalarType::E4M3   ? ScalarType::E4M3x2
         : type == ScalarType::E5M2 ? ScalarType::E5M2x2
                                    : type;
}

/// f32 sums of exact products in the order of k, by MPFR.
uint32_t expectedSum(const MmaKind &kind, Matrix &a, Matrix &b, uint32_t start,
                     int row, int col) {
  ScalarType sumType = kind.d;
  double sum = test::decode(sumType, start);
  for (int i = 0; i < a.cols; ++i) {
    test::Number x(test::decode(elementOf(kind.a), a.at(row, i))),
        y(test::decode(elementOf(kind.b), b.at(i, col))), z(sum);
    sum = test::decode(ScalarType::F32,
                       test::rounded(ScalarType::F32, Rounding::Nearest,
                                     [&](mpfr_ptr r, mpfr_rnd_t direction) {
                                       return mpfr_fma(r, x, y, z, direction);
                                     }));
  }
  return uint32_t(test::rounded(sumType, Rounding::Nearest,
                                [&](mpfr_ptr r, mpfr_rnd_t direction) {
                                  return mpfr_set_d(r, sum, direction);
                                }));
}

void checkFloat(const Shape &shape, ScalarType type, ScalarType typeOfB,
                ScalarType sumType) {
  MmaKind kind;
  kind.m = shape.m;
  kind.n = shape.n;
  kind.k = shape.k;
  kind.a = type;
  kind.b = typeOfB;
  kind.c = kind.d = sumType;
  ASSERT_TRUE(isSupported(kind));
  Operands operands(60 + shape.k);
  for (int round = 0; round < 40; ++round) {
    Matrix a(shape.m, shape.k), b(shape.k, shape.n), c(shape.m, shape.n);
    // Mostly of similar size; in some rounds anything at all.
    auto fill = [&](Matrix &matrix, ScalarType of) {
      for (uint32_t &value : matrix.values) {
        double uniform = (double(operands.bits() >> 11) * 0x1p-52 - 1) * 8;
        value = round % 8 == 7 ? uint32_t(operands.ofFloat(of))
                               : uint32_t(test::rounded(
                                     of, Rounding::Nearest,
                                     [&](mpfr_ptr r, mpfr_rnd_t direction) {
                                       return mpfr_set_d(r, uniform, direction);
                                     }));
      }
    };
    fill(a, elementOf(type));
    fill(b, elementOf(typeOfB));
    fill(c, sumType);
    Matrix noisy = a;
    if (type == ScalarType::TF32) // Bits that are not looked at.
      for (uint32_t &value : noisy.values)
        value |= operands.bits() & 0x1fff;
    Matrix d = multiply(kind, shape, noisy, b, c);
    for (int row = 0; row < shape.m; ++row)
      for (int col = 0; col < shape.n; ++col) {
        uint32_t want = expectedSum(kind, a, b, c.at(row, col), row, col);
        ASSERT_TRUE(test::same(sumType, d.at(row, col), want))
            << typeName(type) << " k" << shape.k << " round " << round << ": "
            << test::hex(d.at(row, col)) << " not " << test::hex(want);
      }
  }
}

} // namespace

TEST(Matrix, FloatMma) {
  for (const Shape &shape : shapes) {
    if (shape.integer)
      continue;
    constexpr auto f16 = ScalarType::F16, f32 = ScalarType::F32,
                   bf16 = ScalarType::BF16, tf32 = ScalarType::TF32;
    if (shape.bits == 32) {
      checkFloat(shape, tf32, tf32, f32);
      continue;
    }
    if (shape.bits == 8) {
      for (ScalarType a : {ScalarType::E4M3, ScalarType::E5M2})
        for (ScalarType b : {ScalarType::E4M3, ScalarType::E5M2})
          for (ScalarType sum : {f16, f32})
            checkFloat(shape, a, b, sum);
      continue;
    }
    checkFloat(shape, f16, f16, f32);
    checkFloat(shape, f16, f16, f16);
    checkFloat(shape, bf16, bf16, f32);
  }
}

TEST(Matrix, DoubleMma) {
  struct Case {
    int m, k;
    Layout a, b, c;
  };
  const Case cases[] = {{8, 4, a884F64, b884F64, c8816},
                        {16, 4, a1684, b1684, c16n8},
                        {16, 8, a1688F64, b1688F64, c16n8},
                        {16, 16, a16816F64, b16816F64, c16n8}};
  using Doubles = std::vector<std::array<uint64_t, 32>>;
  Operands operands(77);
  for (const Case &test : cases) {
    constexpr auto f64 = ScalarType::F64;
    MmaKind kind{test.m, 8, test.k, f64, f64, f64, f64};
    ASSERT_TRUE(isSupported(kind));
    MmaRegisters count = mmaRegisters(kind);
    ASSERT_EQ(count.a, test.m * test.k / 32);
    ASSERT_EQ(count.b, test.k * 8 / 32);
    ASSERT_EQ(count.d, test.m * 8 / 32);
    // Values whose products and sums need rounding.
    std::map<std::pair<int, int>, double> a, b, c;
    auto fill = [&](Layout layout, int registers, auto &matrix) {
      Doubles words(registers);
      for (int i = 0; i < registers; ++i)
        for (int lane = 0; lane < 32; ++lane) {
          double value = (double(operands.bits() >> 2) - 0x1p29) / 3;
          memcpy(&words[i][lane], &value, 8);
          Place place = layout(lane >> 2, lane % 4, i);
          EXPECT_TRUE(matrix.insert({{place.row, place.col}, value}).second);
        }
      return words;
    };
    Doubles wordsOfA = fill(test.a, count.a, a),
            wordsOfB = fill(test.b, count.b, b),
            wordsOfC = fill(test.c, count.c, c), wordsOfD(count.d);
    auto pointers = [](Doubles &words) {
      std::vector<uint64_t *> result;
      for (auto &word : words)
        result.push_back(word.data());
      return result;
    };
    mmaF64(kind, pointers(wordsOfD).data(), pointers(wordsOfA).data(),
           pointers(wordsOfB).data(), pointers(wordsOfC).data());
    for (int i = 0; i < count.d; ++i)
      for (int lane = 0; lane < 32; ++lane) {
        auto [row, col] = test.c(lane >> 2, lane % 4, i);
        double sum = c.at({row, col}), got;
        for (int k = 0; k < test.k; ++k)
          sum = std::fma(a.at({row, k}), b.at({k, col}), sum);
        memcpy(&got, &wordsOfD[i][lane], 8);
        ASSERT_EQ(got, sum) << test.m << " " << test.k;
      }
  }
}

TEST(Matrix, CountsRegisters) {
  auto registers = [](int m, int k, ScalarType a, ScalarType d) {
    MmaKind kind{m, 8, k, d, a, a, d};
    EXPECT_TRUE(isSupported(kind));
    MmaRegisters count = mmaRegisters(kind);
    EXPECT_EQ(count.c, count.d);
    return std::vector<int>{count.d, count.a, count.b};
  };
  using V = std::vector<int>;
  constexpr auto s8 = ScalarType::S8, f16 = ScalarType::F16,
                 f32 = ScalarType::F32, s32 = ScalarType::S32,
                 tf32 = ScalarType::TF32;
  EXPECT_EQ(registers(8, 16, s8, s32), V({2, 1, 1}));
  EXPECT_EQ(registers(16, 16, s8, s32), V({4, 2, 1}));
  EXPECT_EQ(registers(16, 32, s8, s32), V({4, 4, 2}));
  EXPECT_EQ(registers(16, 8, f16, f32), V({4, 2, 1}));
  EXPECT_EQ(registers(16, 16, f16, f32), V({4, 4, 2}));
  EXPECT_EQ(registers(16, 16, f16, f16), V({2, 4, 2}));
  EXPECT_EQ(registers(16, 4, tf32, f32), V({4, 2, 1}));
  EXPECT_EQ(registers(16, 8, tf32, f32), V({4, 4, 2}));
}

TEST(Matrix, RejectsWhatPtxDoesNotHave) {
  constexpr auto s8 = ScalarType::S8, s32 = ScalarType::S32,
                 f16 = ScalarType::F16, bf16 = ScalarType::BF16,
                 f32 = ScalarType::F32;
  EXPECT_FALSE(isSupported({8, 8, 32, s32, s8, s8, s32}));
  constexpr auto s4 = ScalarType::S4, e4m3 = ScalarType::E4M3,
                 f64 = ScalarType::F64;
  EXPECT_FALSE(isSupported({16, 8, 16, s32, s4, s4, s32}));
  EXPECT_FALSE(isSupported({16, 8, 32, s32, s4, s8, s32}));
  EXPECT_FALSE(isSupported({16, 8, 32, s32, e4m3, e4m3, s32}));
  EXPECT_FALSE(isSupported({16, 8, 32, f32, e4m3, f16, f32}));
  EXPECT_FALSE(isSupported({16, 8, 32, f32, e4m3, e4m3, f32, true}));
  EXPECT_FALSE(isSupported({8, 8, 8, f64, f64, f64, f64}));
  EXPECT_FALSE(isSupported({8, 8, 4, f32, f64, f64, f32}));
  EXPECT_FALSE(isSupported({16, 16, 16, s32, s8, s8, s32}));
  EXPECT_FALSE(isSupported({16, 8, 32, f32, s8, s8, f32}));
  EXPECT_FALSE(isSupported({16, 8, 16, f32, f16, bf16, f32}));
  EXPECT_FALSE(isSupported({16, 8, 16, bf16, bf16, bf16, bf16}));
  EXPECT_FALSE(isSupported({16, 8, 16, f32, f16, f16, f16}));
  EXPECT_FALSE(isSupported({16, 8, 16, f32, f16, f16, f32, true}));
  EXPECT_FALSE(isSupported({}));
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

// "Each thread holds a fragment of a row: thread T the row T / 4, elements
// 2 (T % 4) and 2 (T % 4) + 1", of the matrix or, with .trans, of its
// transpose; matrix i goes to register i; threads 8i to 8i + 7 give its row
// addresses.
TEST(Matrix, LdmatrixAndStmatrix) {
  Operands operands(70);
  for (int matrices : {1, 2, 4})
    for (bool transpose : {false, true}) {
      uint16_t elements[4][8][8];
      uint8_t bytes[32][16];
      for (auto &matrix : elements)
        for (auto &row : matrix)
          for (uint16_t &element : row)
            element = operands.bits();
      for (int thread = 0; thread < 8 * matrices; ++thread)
        for (int i = 0; i < 8; ++i) {
          bytes[thread][2 * i] = elements[thread / 8][thread % 8][i] & 0xff;
          bytes[thread][2 * i + 1] = elements[thread / 8][thread % 8][i] >> 8;
        }
      const uint8_t *rows[32] = {};
      for (int thread = 0; thread < 8 * matrices; ++thread)
        rows[thread] = bytes[thread];
      Fragment fragment;
      ldmatrix(matrices, transpose, rows, fragment.registers);
      for (int thread = 0; thread < 32; ++thread)
        for (int matrix = 0; matrix < matrices; ++matrix) {
          int row = thread / 4, col = 2 * (thread % 4);
          auto &m = elements[matrix];
          uint32_t low = transpose ? m[col][row] : m[row][col];
          uint32_t high = transpose ? m[col + 1][row] : m[row][col + 1];
          ASSERT_EQ(fragment.lanes[matrix][thread], high << 16 | low);
        }
      uint8_t stored[32][16] = {};
      uint8_t *destinations[32] = {};
      for (int thread = 0; thread < 8 * matrices; ++thread)
        destinations[thread] = stored[thread];
      stmatrix(matrices, transpose, destinations, fragment.registers);
      EXPECT_EQ(memcmp(stored, bytes, 128 * matrices), 0);

      // A row without an address reads as zeros and is not written.
      rows[3] = nullptr;
      destinations[3] = nullptr;
      memset(stored, 0x5a, sizeof(stored));
      ldmatrix(matrices, transpose, rows, fragment.registers);
      uint32_t lost =
          transpose ? fragment.lanes[0][1] >> 16 : fragment.lanes[0][13];
      EXPECT_EQ(lost, 0u);
      stmatrix(matrices, transpose, destinations, fragment.registers);
      EXPECT_EQ(stored[3][0], 0x5a);
      EXPECT_EQ(memcmp(stored[2], bytes[2], 16), 0);
    }
}
