//===- IsaTests.cpp -------------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isa.h"
#include "qcc/Target/X86/X86Target.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::bench;

TEST(Isa, BestOfTheHost) {
  auto best = [](const char *features) {
    return findIsa("best", rt::HostFeatures(rt::splitFeatures(features)))->name;
  };
  std::string avx2 = "avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,popcnt";
  std::string avx512 = avx2 + ",avx512f,avx512bw,avx512dq,avx512vl";
  EXPECT_EQ(best(avx2.c_str()), "avx2");
  EXPECT_EQ(best((avx2 + ",avxvnni").c_str()), "avx-vnni");
  EXPECT_EQ(best(avx512.c_str()), "avx512");
  EXPECT_EQ(best((avx512 + ",avx512vnni,avxvnni").c_str()), "avx512-vnni");
  EXPECT_EQ(best((avx512 + ",avx512vnni,amx-tile,amx-int8").c_str()),
            "amx-int8");
  // One that has none of them says what it lacks.
  EXPECT_EQ(best("sse2"), "avx2");
  EXPECT_EQ(findIsa("neon", rt::HostFeatures()), nullptr);
}

TEST(Isa, TargetHasNoMore) {
  rt::HostFeatures host(rt::splitFeatures(
      "avx2,fma,f16c,bmi,bmi2,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512dq,"
      "avx512vl,avx512vnni,avxvnni,amx-tile,amx-int8"));
  auto has = [&](const char *isa, const char *feature) {
    auto target = findIsa(isa, host)->target(host);
    return target && x86::specOf(**target).has(feature);
  };
  EXPECT_TRUE(has("avx512-vnni", "avx512vnni"));
  EXPECT_TRUE(has("avx512", "avx512bw"));
  EXPECT_FALSE(has("avx512", "avx512vnni"));
  EXPECT_FALSE(has("avx-vnni", "avx512f"));
  EXPECT_TRUE(has("avx2", "avx2"));
  EXPECT_FALSE(has("avx2", "avx512f"));
}
