//===- CorpusTests.cpp - Kernels that LLVM compiled -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each kernel of emulator/test/Inputs/kernels.cu, as clang printed it, and
// compares with the same computation on the host.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "qcc/Emulator/Arith.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace qcc::emu;

namespace {

/// A module and the arguments of one launch, run with several seeds.
class Corpus : public testing::Test {
protected:
  void SetUp() override {
    auto module = emulator.loadModule(test::readInput("Inputs/kernels.ptx"),
                                      "kernels.ptx");
    ASSERT_TRUE(module.isOk()) << module.message();
    module_ = *module;
  }

  template <typename T>
  DeviceAddress upload(const std::vector<T> &values, const char *name) {
    return test::upload(emulator, values, name);
  }

  /// Launches and expects no reports.
  void launch(const char *name, Dim3 grid, int block,
              const std::vector<Argument> &arguments, uint64_t seed = 0) {
    auto kernel = module_->kernel(name);
    ASSERT_TRUE(kernel.isOk()) << kernel.message();
    LaunchConfig config;
    config.grid = grid;
    config.block = Dim3{block, 1, 1};
    LaunchOptions options;
    options.seed = seed;
    auto result = emulator.launch(**kernel, config, arguments, options);
    ASSERT_TRUE(result.isOk()) << result.message();
    EXPECT_TRUE(result->reports.empty()) << test::describe(result->reports);
  }

  template <typename T>
  void expectMemory(DeviceAddress address, const std::vector<T> &expected) {
    std::vector<T> got = test::download<T>(emulator, address, expected.size());
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(memcmp(&got[i], &expected[i], sizeof(T)), 0) << "element " << i;
  }

  template <typename T> std::vector<T> randomIntegers(size_t count) {
    std::vector<T> values(count);
    for (T &value : values)
      value = T(random_());
    return values;
  }
  std::vector<float> randomFloats(size_t count, float limit) {
    std::vector<float> values(count);
    for (float &value : values)
      value = (float(random_() % 20001) / 10000.0f - 1) * limit;
    return values;
  }

  Emulator emulator;

private:
  std::shared_ptr<const Module> module_;
  std::mt19937_64 random_{7};
};

} // namespace

TEST_F(Corpus, Axpy) {
  // The last CTA is not full.
  constexpr int n = 1000;
  std::vector<float> x = randomFloats(n, 3), y = randomFloats(n, 3), want = y;
  const float a = 1.25f;
  for (int i = 0; i < n; ++i) {
    float product = a * x[i];
    want[i] = product + y[i];
  }
  DeviceAddress dx = upload(x, "x"), dy = upload(y, "y");
  launch("axpy", Dim3{8, 1, 1}, 128, {n, a, dx, dy});
  expectMemory(dy, want);
}

TEST_F(Corpus, BlockSum) {
  std::vector<int> in = randomIntegers<int>(1024), want(4);
  for (int i = 0; i < 1024; ++i)
    want[i / 256] = int(unsigned(want[i / 256]) + unsigned(in[i]));
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<int>(4), "out");
  for (uint64_t seed = 0; seed < 4; ++seed) {
    launch("block_sum", Dim3{4, 1, 1}, 256, {din, dout}, seed);
    expectMemory(dout, want);
  }
}

TEST_F(Corpus, Transpose) {
  constexpr int size = 96;
  std::vector<float> in = randomFloats(size * size, 1), want(size * size);
  for (int i = 0; i < size * size; ++i)
    want[i % size * size + i / size] = in[i];
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<float>(size * size), "out");
  for (uint64_t seed = 0; seed < 4; ++seed) {
    launch("transpose", Dim3{3, 3, 1}, 256, {din, dout, size}, seed);
    expectMemory(dout, want);
  }
}

TEST_F(Corpus, Histogram) {
  constexpr int n = 3001;
  std::vector<uint8_t> in = test::randomBytes(n, 3);
  std::vector<int> want(256);
  for (uint8_t value : in)
    ++want[value];
  DeviceAddress din = upload(in, "in");
  for (uint64_t seed = 0; seed < 3; ++seed) {
    DeviceAddress bins = upload(std::vector<int>(256), "bins");
    launch("histogram", Dim3{3, 1, 1}, 256, {din, n, bins}, seed);
    expectMemory(bins, want);
  }
}

TEST_F(Corpus, Collatz) {
  std::vector<unsigned> in(128), want(128);
  for (unsigned i = 0; i < 128; ++i) {
    in[i] = i * 7;
    for (unsigned value = in[i]; value > 1; ++want[i])
      value = value % 2 ? 3 * value + 1 : value / 2;
  }
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<unsigned>(128), "out");
  for (uint64_t seed = 0; seed < 3; ++seed) {
    launch("collatz", Dim3{2, 1, 1}, 64, {din, dout}, seed);
    expectMemory(dout, want);
  }
}

TEST_F(Corpus, ChooseByJumpTable) {
  constexpr int n = 256;
  std::vector<int> what(n), x = randomIntegers<int>(n), want(n);
  for (int i = 0; i < n; ++i) {
    what[i] = (i * 5 + i / 32) % 9;
    unsigned u = unsigned(x[i]);
    const unsigned results[] = {u + 7,
                                u * u,
                                0 - u,
                                u ^ 0x55aa,
                                u << (i & 7),
                                unsigned(x[i] / (i + 1)),
                                unsigned(x[i] % (i + 3))};
    want[i] = what[i] < 7 ? int(results[what[i]]) : -1;
  }
  DeviceAddress dwhat = upload(what, "what"), dx = upload(x, "x"),
                dout = upload(std::vector<int>(n), "out");
  for (uint64_t seed = 0; seed < 3; ++seed) {
    launch("choose", Dim3{2, 1, 1}, 128, {dwhat, dx, dout}, seed);
    expectMemory(dout, want);
  }
}

TEST_F(Corpus, LocalSort) {
  const int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  constexpr int threads = 64;
  std::vector<int> in(threads * 16), want;
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i * 7919 % 1009) - 500;
  want = in;
  for (int thread = 0; thread < threads; ++thread) {
    auto first = want.begin() + thread * 16;
    for (int i = 0; i < 16; ++i)
      first[i] += table[(i + thread) % 16];
    std::sort(first, first + 16);
  }
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<int>(in.size()), "out");
  launch("local_sort", Dim3{1, 1, 1}, threads, {din, dout});
  expectMemory(dout, want);
}

TEST_F(Corpus, Calls) {
  constexpr int n = 64;
  std::vector<uint64_t> in = randomIntegers<uint64_t>(n), want(n);
  for (int i = 0; i < n; ++i) {
    uint64_t value = in[i];
    for (int k = 0; k < 3; ++k)
      value = value * unsigned(i + k) + (value >> 7);
    want[i] = value + uint64_t(2 * (i % 4) + 3); // Ackermann's function of 2.
  }
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<uint64_t>(n), "out");
  launch("calls", Dim3{2, 1, 1}, 32, {din, dout});
  expectMemory(dout, want);
}

TEST_F(Corpus, Widths) {
  constexpr int n = 96;
  std::vector<int8_t> a = randomIntegers<int8_t>(n);
  std::vector<uint16_t> b = randomIntegers<uint16_t>(n);
  std::vector<int64_t> c = randomIntegers<int64_t>(n), want(n);
  for (int i = 0; i < n; ++i) {
    int8_t x = int8_t(a[i] * 3 + 1);
    uint16_t y = uint16_t(b[i] + 60000);
    int64_t z = c[i];
    uint64_t high = uint64_t((static_cast<unsigned __int128>(uint64_t(z)) *
                              uint64_t(uint64_t(z) + uint64_t(i))) >>
                             64);
    int64_t quotient = z / (x ? x : 7), rest = z % (y + 1);
    int bits =
        __builtin_popcountll(z) + __builtin_clz(i + 1) + __builtin_ctz(i + 1);
    uint32_t low = uint32_t(z);
    uint32_t rotated = i % 32 ? low << (i % 32) | low >> (32 - i % 32) : low;
    uint32_t swapped = __builtin_bswap32(uint32_t(uint64_t(z) >> 32));
    uint32_t mixed = rotated ^ swapped, reversed = 0;
    for (int bit = 0; bit < 32; ++bit)
      reversed |= (mixed >> bit & 1) << (31 - bit);
    want[i] = int64_t(high + uint64_t(quotient) - uint64_t(rest) +
                      uint64_t(bits) + reversed + uint64_t(int64_t(x)) - y);
  }
  DeviceAddress da = upload(a, "a"), db = upload(b, "b"), dc = upload(c, "c"),
                dout = upload(std::vector<int64_t>(n), "out");
  launch("widths", Dim3{3, 1, 1}, 32, {da, db, dc, dout});
  expectMemory(dout, want);
}

TEST_F(Corpus, Floats) {
  using arith::ConvertMode;
  constexpr int n = 64;
  constexpr auto F16 = ScalarType::F16, F32 = ScalarType::F32;
  std::vector<float> a = randomFloats(n, 900);
  std::vector<double> b(n), wantD(n);
  std::vector<uint16_t> h(n), wantH(n);
  std::vector<float> wantF(n);
  std::vector<int> wantI(n);
  for (int i = 0; i < n; ++i) {
    b[i] = double(a[(i + 1) % n]) * 1.3 + i * 0.37;
    h[i] = uint16_t(arith::convert(qcc::floatBits(a[i] / 7), F16, F32));
    float x = a[i],
          z = qcc::floatFromBits(uint32_t(arith::convert(h[i], F32, F16)));
    double y = b[i];
    float fused = std::fma(x, z, float(y));
    float greater = std::max(x, std::fabs(float(y)));
    float sum = fused + greater;
    sum = sum - std::nearbyint(x);
    sum = sum + std::floor(x);
    float ratio = x / float(i + 3);
    wantF[i] = sum + ratio;
    double product = y * double(x), square = std::fma(y, y, double(z));
    double total = product + square;
    total = total + std::sqrt(std::fabs(y));
    double third = std::trunc(y) / 3.0;
    wantD[i] = total - third;
    uint16_t scaled = arith::mul<F16>(h[i], 0x4100); // 2.5
    scaled = arith::add<F16>(
        scaled, uint16_t(arith::convert(qcc::floatBits(x), F16, F32)));
    wantH[i] = arith::sub<F16>(
        scaled, uint16_t(arith::convert(i, F16, ScalarType::S32)));
    wantI[i] = int(x) + int(unsigned(std::fabs(y))) + (x < float(y)) +
               int(std::nearbyint(x));
  }
  DeviceAddress da = upload(a, "a"), db = upload(b, "b"), dh = upload(h, "h"),
                df = upload(std::vector<float>(n), "outF"),
                dd = upload(std::vector<double>(n), "outD"),
                doutH = upload(std::vector<uint16_t>(n), "outH"),
                di = upload(std::vector<int>(n), "outI");
  launch("floats", Dim3{2, 1, 1}, 32, {da, db, dh, df, dd, doutH, di});
  expectMemory(df, wantF);
  expectMemory(dd, wantD);
  expectMemory(doutH, wantH);
  expectMemory(di, wantI);
}

TEST_F(Corpus, Warps) {
  constexpr int n = 64;
  std::vector<uint32_t> in = randomIntegers<uint32_t>(n), want(n);
  in[40] = 0; // One vote of all fails.
  for (int i = 0; i < n; ++i) {
    int first = i / 32 * 32;
    uint32_t votes = 0, same = 0, least = ~0u, all = 1;
    for (int k = 0; k < 32; ++k) {
      uint32_t value = in[first + k];
      votes |= (value & 1) << k;
      same |= uint32_t(value % 5 == in[i] % 5) << k;
      least = std::min(least, value);
      all &= value != 0;
    }
    uint32_t pair[2] = {in[i], in[i ^ 3]};
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(pair);
    uint32_t chosen =
        bytes[5] | bytes[1] << 8 | bytes[7] << 16 | uint32_t(bytes[3]) << 24;
    want[i] = votes ^ same * 3 ^ chosen ^ least ^ all << 31;
  }
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<uint32_t>(n), "out");
  launch("warps", Dim3{1, 1, 1}, n, {din, dout});
  expectMemory(dout, want);
}

TEST_F(Corpus, Softmax) {
  constexpr int rows = 3;
  std::vector<float> in = randomFloats(rows * 32, 5);
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<float>(rows * 32), "out");
  launch("softmax", Dim3{rows, 1, 1}, 32, {din, dout});
  std::vector<float> got = test::download<float>(emulator, dout, rows * 32);
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < 32; ++i)
      sum += std::exp(double(in[row * 32 + i]));
    for (int i = 0; i < 32; ++i) {
      double want = std::exp(double(in[row * 32 + i])) / sum;
      EXPECT_NEAR(got[row * 32 + i], want, want * 3e-6);
    }
  }
}

TEST_F(Corpus, VectorsAndStructures) {
  struct {
    float scale[4];
    int shift;
  } affine = {{0.5f, 1.5f, -2.0f, 8.0f}, -3};
  constexpr int n = 64;
  std::vector<float> in = randomFloats(4 * n, 2), want(4 * n);
  for (int i = 0; i < 4 * n; ++i) {
    float value = i / 4 % 2 ? in[i] * 2.0f : in[i];
    value = value * affine.scale[i % 4];
    want[i] = value + float(affine.shift);
  }
  DeviceAddress din = upload(in, "in"),
                dout = upload(std::vector<float>(4 * n), "out");
  launch("vectors", Dim3{1, 1, 1}, n, {affine, din, dout});
  expectMemory(dout, want);
}

// Reads one element past the end, in a function that was inlined.
TEST(CorpusLines, ReportsNameTheSource) {
  Emulator emulator;
  auto module =
      emulator.loadModule(test::readInput("Inputs/lines.ptx"), "lines.ptx");
  ASSERT_TRUE(module.isOk()) << module.message();
  auto kernel = (*module)->kernel("lines");
  ASSERT_TRUE(kernel.isOk()) << kernel.message();
  DeviceAddress x = test::upload(emulator, std::vector<float>(64, 1.0f), "x"),
                y = test::upload(emulator, std::vector<float>(64), "y");
  LaunchConfig config;
  config.grid = Dim3{2, 1, 1};
  config.block = Dim3{32, 1, 1};
  auto result = emulator.launch(**kernel, config, {64, x, y});
  ASSERT_TRUE(result.isOk()) << result.message();
  ASSERT_EQ(result->reports.size(), 1u) << test::describe(result->reports);
  const Report &report = result->reports[0];
  EXPECT_EQ(report.kind, ReportKind::OutOfBounds);
  EXPECT_EQ(report.location.sourceFile, "lines.cu");
  EXPECT_EQ(report.location.sourceLine, 6);
  EXPECT_EQ(report.allocation.find("x") != std::string::npos, true);
  EXPECT_EQ(report.cta.x, 1);
  EXPECT_EQ(report.thread.x, 31);
}
