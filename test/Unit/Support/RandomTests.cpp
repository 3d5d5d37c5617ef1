//===- RandomTests.cpp - Reproducible data --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Half.h"
#include "qcc/Support/Random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace qcc;

static HostTensor makeRandom(const char *dtype, int64_t count,
                             const RandomSpec &spec, uint64_t stream = 0) {
  rt::Result<HostTensor> tensor =
      HostTensor::create(*rt::DType::parse(dtype), {count});
  EXPECT_TRUE(tensor.isOk());
  fillRandom(*tensor, spec, stream);
  return *std::move(tensor);
}

// What one machine filled yesterday, another fills tomorrow. The numbers come
// from the formula, computed elsewhere.
TEST(Random, NumbersAreFixed) {
  EXPECT_EQ(randomBits(0, 0, 0), 0x238275bc38fcbe91u);
  EXPECT_EQ(randomBits(0, 0, 1), 0xf89a2566b5822c54u);
  EXPECT_EQ(randomBits(1, 2, 3), 0x8568f7c4e53b5a35u);
  HostTensor ints = makeRandom("i8", 4, RandomSpec());
  const int8_t expectedInts[] = {35, -8, 71, -25};
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(ints.as<int8_t>()[i], expectedInts[i]);
  HostTensor floats = makeRandom("f32", 2, RandomSpec{7, -1.0, 1.0});
  EXPECT_EQ(floats.as<float>()[0], 0x1.c0147ap-3f);
  EXPECT_EQ(floats.as<float>()[1], -0x1.740032p-3f);
}

TEST(Random, SeedsAndStreamsDiffer) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (uint64_t stream = 0; stream < 10; ++stream)
      for (uint64_t index = 0; index < 100; ++index)
        seen.insert(randomBits(seed, stream, index));
  EXPECT_EQ(seen.size(), 10000u);
}

TEST(Random, IntegersTakeTheirWholeRange) {
  HostTensor bytes = makeRandom("i8", 20000, RandomSpec());
  std::set<int8_t> values(bytes.as<int8_t>(), bytes.as<int8_t>() + 20000);
  EXPECT_EQ(values.size(), 256u);
  for (const char *dtype : {"i16", "u16", "i32", "u32", "i64", "u64"}) {
    HostTensor tensor = makeRandom(dtype, 1000, RandomSpec());
    const auto *data = tensor.as<uint8_t>();
    int64_t size = tensor.dtype().size();
    bool high = false, low = false;
    for (int64_t i = 0; i < 1000; ++i)
      (data[(i + 1) * size - 1] & 0x80 ? high : low) = true;
    EXPECT_TRUE(high && low) << dtype;
  }
  HostTensor booleans = makeRandom("i1", 1000, RandomSpec());
  int ones = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_LE(booleans.as<uint8_t>()[i], 1);
    ones += booleans.as<uint8_t>()[i];
  }
  EXPECT_GT(ones, 400);
  EXPECT_LT(ones, 600);
}

TEST(Random, FloatsStayWithinBounds) {
  for (RandomSpec spec :
       {RandomSpec{1, 0.0, 1.0}, RandomSpec{2, -3.5, 2.25},
        RandomSpec{3, 1.0, 1.0009765625}, RandomSpec{4, -1e-7, 0.0},
        RandomSpec{5, 100.0, 100.0}, RandomSpec{6, 0.1, 0.1000001}})
    for (const char *dtype : {"f16", "bf16", "f32", "f64"}) {
      HostTensor tensor = makeRandom(dtype, 5000, spec);
      double sum = 0;
      for (int i = 0; i < 5000; ++i) {
        double value = tensor.dtype().bits == 64   ? tensor.as<double>()[i]
                       : tensor.dtype().bits == 32 ? tensor.as<float>()[i]
                       : tensor.dtype().code == QCC_BFLOAT
                           ? bf16ToFloat(tensor.as<uint16_t>()[i])
                           : f16ToFloat(tensor.as<uint16_t>()[i]);
        sum += value;
        // Below `low` only by the rounding to the type.
        double ulp = std::fabs(spec.low) * 0x1p-8 + 0x1p-24;
        EXPECT_GE(value, spec.low - ulp) << dtype;
        if (spec.low == spec.high)
          EXPECT_NEAR(value, spec.high, ulp);
        else
          EXPECT_LT(value, spec.high) << dtype;
      }
      if (spec.high - spec.low > 0.5)
        EXPECT_NEAR(sum / 5000, (spec.low + spec.high) / 2,
                    (spec.high - spec.low) / 20);
    }
}

TEST(Random, ParsesSpecs) {
  rt::Result<RandomSpec> spec = parseRandomSpec("random");
  ASSERT_TRUE(spec.isOk());
  EXPECT_EQ(spec->seed, 0u);
  EXPECT_EQ(spec->high, 1.0);
  spec = parseRandomSpec("random:18446744073709551615:-1.5:2e3");
  ASSERT_TRUE(spec.isOk()) << spec.message();
  EXPECT_EQ(spec->seed, ~uint64_t(0));
  EXPECT_EQ(spec->low, -1.5);
  EXPECT_EQ(spec->high, 2000.0);
  EXPECT_EQ(parseRandomSpec("random:3")->seed, 3u);
  EXPECT_TRUE(isRandomSpec("random:x"));
  EXPECT_FALSE(isRandomSpec("random.npy"));
}

TEST(Random, RefusesBadSpecs) {
  const std::pair<const char *, const char *> cases[] = {
      {"rnd", "does not start with"},      {"random:", "no non-negative"},
      {"random:-1", "no non-negative"},    {"random:1x", "no non-negative"},
      {"random:1:2", "two bounds"},        {"random:1:2:3:4", "two bounds"},
      {"random:1:a:3", "finite number"},   {"random:1:nan:3", "finite number"},
      {"random:1:-1e308:1e308", "finite"}, {"random:1:3:2", "exceeds"},
      {"random:1::", "finite number"}};
  for (auto [text, message] : cases) {
    rt::Result<RandomSpec> spec = parseRandomSpec(text);
    ASSERT_FALSE(spec.isOk()) << text;
    EXPECT_NE(spec.message().find(message), std::string::npos)
        << spec.message();
    EXPECT_NE(spec.message().find("write random[:SEED[:LO:HI]]"),
              std::string::npos);
  }
}
