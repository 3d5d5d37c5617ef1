//===- KernelKeyTests.cpp -------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernel.h"
#include "qcc/Target/X86/X86Target.h"
#include "qcc/Tuning/KernelKey.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::test;

static std::string fingerprint(const KernelText &text) {
  TestKernel kernel(text);
  EXPECT_TRUE(kernel.contract);
  return kernel.contract ? fingerprintOf(kernel.contract) : "";
}

/// The same wherever it is computed: databases are shared between hosts.
TEST(KernelKey, FingerprintIsAlwaysThis) {
  TestKernel kernel{KernelText()};
  EXPECT_EQ(describeKernel(kernel.contract),
            "lhs i8 (d0, d1, d2) -> (d0, d2)\n"
            "rhs i8 (d0, d1, d2) -> (d1, d2)\n"
            "epilogue_in f32 (d0, d1, d2) -> (d1)\n"
            "out f32 (d0, d1, d2) -> (d0, d1)\n"
            "reduce 2 16\n"
            "lhs_prologue {\n}\n"
            "rhs_prologue {\n}\n"
            "epilogue {\n"
            "0:i32 1:f32 \n"
            "arith.sitofp 0 2:f32\n"
            "arith.constant 3:f32\n"
            "arith.mulf 2 1 fastmath=#arith.fastmath<none> 4:f32\n"
            "arith.maximumf 4 3 fastmath=#arith.fastmath<none> 5:f32\n"
            "kernel.yield 5\n"
            "}\n");
  EXPECT_EQ(fingerprintOf(kernel.contract), "11902f758494f039");
}

TEST(KernelKey, IgnoresNamesSizesAndValuesOfConstants) {
  std::string usual = fingerprint({});
  KernelText text;
  text.rows = "128";
  EXPECT_EQ(fingerprint(text), usual);
  text = {};
  text.epilogue = "%other = arith.sitofp %acc : i32 to f32 loc(\"layer\")\n"
                  "%c = arith.constant 6.0 : f32\n"
                  "%g = arith.mulf %other, %s : f32\n"
                  "%y = arith.maximumf %g, %c : f32\n";
  EXPECT_EQ(fingerprint(text), usual);
  KernelText seven;
  seven.weight = "%weights";
  std::string usualSeven = fingerprint(seven);
  seven.weightValue = "64";
  EXPECT_EQ(fingerprint(seven), usualSeven);
  text = {};
  text.attributes = ", fused = [\"qnn.linear\"]";
  EXPECT_EQ(fingerprint(text), usual);
}

/// A table is a constant, too.
TEST(KernelKey, IgnoresElementsOfTables) {
  auto withTable = [](const std::string &element) {
    KernelText text;
    text.epilogue = "%t = arith.trunci %acc : i32 to i8\n"
                    "%l = kernel.lookup %t, [" +
                    element;
    for (int i = 1; i < 256; ++i)
      text.epilogue += ", " + element;
    text.epilogue += "] : i8\n"
                     "%g = arith.sitofp %l : i8 to f32\n"
                     "%y = arith.mulf %g, %s : f32\n";
    return fingerprint(text);
  };
  EXPECT_EQ(withTable("1"), withTable("2"));
  EXPECT_NE(withTable("1"), fingerprint({}));
}

TEST(KernelKey, TellsKernelsApart) {
  KernelText text;
  std::vector<std::string> fingerprints{fingerprint(text)};
  text.attributes = ", lhs_unsigned";
  fingerprints.push_back(fingerprint(text));
  // Widths of padding; none are others than no attribute.
  text.attributes = ", lhs_padding = #kernel.padding<[0, 0, 0, 0], 3>";
  fingerprints.push_back(fingerprint(text));
  text = {};
  text.scale = "%constant";
  fingerprints.push_back(fingerprint(text));
  text = {};
  // The other way around.
  text.epilogue = "%f = arith.sitofp %acc : i32 to f32\n"
                  "%c = arith.constant 2.0 : f32\n"
                  "%g = arith.mulf %f, %s : f32\n"
                  "%y = arith.maximumf %c, %g : f32\n";
  fingerprints.push_back(fingerprint(text));
  text.epilogue = "%f = arith.sitofp %acc : i32 to f32\n"
                  "%c = arith.constant 2.0 : f32\n"
                  "%g = arith.mulf %f, %s fastmath<nnan> : f32\n"
                  "%y = arith.maximumf %g, %c : f32\n";
  fingerprints.push_back(fingerprint(text));
  // A constant weight, of 7 bits and of more.
  text = {};
  text.weight = "%weights";
  text.weightValue = "-64";
  fingerprints.push_back(fingerprint(text));
  text.weightValue = "65";
  fingerprints.push_back(fingerprint(text));
  // Less 128 it is 63 from 0.
  text.attributes = ", rhs_unsigned";
  fingerprints.push_back(fingerprint(text));
  text.weightValue = "63";
  fingerprints.push_back(fingerprint(text));
  for (size_t i = 0; i < fingerprints.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(fingerprints[i], fingerprints[j]) << i << " and " << j;
}

TEST(KernelKey, Shapes) {
  KernelText text;
  EXPECT_EQ(shapeOf(TestKernel(text).contract), "?x8x16");
  text.rows = "128";
  EXPECT_EQ(shapeOf(TestKernel(text).contract), "128x8x16");
  // Two outer dimensions; reductions are one size.
  TestKernel batched(R"(
#lhs = affine_map<(b, h, m, n, k0, k1) -> (b, h, m, k0, k1)>
#rhs = affine_map<(b, h, m, n, k0, k1) -> (h, k0, n, k1)>
#out = affine_map<(b, h, m, n, k0, k1) -> (b, m, h, n)>
func.func @f(%x: tensor<?x4x5x3x2xi8>, %w: tensor<4x3x7x2xi8>, %o: tensor<?x5x4x7xi32>) -> tensor<?x5x4x7xi32> {
  %y = kernel.contract lhs(%x : tensor<?x4x5x3x2xi8>) rhs(%w : tensor<4x3x7x2xi8>) outs(%o : tensor<?x5x4x7xi32>)
      {indexing_maps = [#lhs, #rhs, #out], reduction_dims = array<i64: 4, 5>, reduction_sizes = array<i64: 3, 2>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<?x5x4x7xi32>
  return %y : tensor<?x5x4x7xi32>
})");
  ASSERT_TRUE(batched.contract);
  EXPECT_EQ(shapeOf(batched.contract), "?x4x5x7x6");
  // A row of another form.
  TestKernel row(R"(
#k = affine_map<(n, k) -> (k)>
#nk = affine_map<(n, k) -> (n, k)>
#n = affine_map<(n, k) -> (n)>
func.func @f(%x: tensor<3xi8>, %w: tensor<7x3xi8>, %o: tensor<7xi32>) -> tensor<7xi32> {
  %y = kernel.contract lhs(%x : tensor<3xi8>) rhs(%w : tensor<7x3xi8>) outs(%o : tensor<7xi32>)
      {indexing_maps = [#k, #nk, #n], reduction_dims = array<i64: 1>, reduction_sizes = array<i64: 3>}
      epilogue {
      ^bb0(%acc: i32):
        kernel.yield %acc : i32
      } -> tensor<7xi32>
  return %y : tensor<7xi32>
})");
  ASSERT_TRUE(row.contract);
  EXPECT_EQ(shapeOf(row.contract), "1x7x3");
}

TEST(KernelKey, TargetsDifferByFeaturesAndCaches) {
  x86::Spec spec = cantFail(x86::Spec::forCPU("cascadelake"));
  x86::X86Target target(spec);
  std::string name = target.tuningName();
  EXPECT_EQ(name.rfind("cascadelake avx,avx2,", 0), 0u) << name;
  x86::Spec other = spec;
  other.l2Bytes *= 2;
  EXPECT_NE(x86::X86Target(other).tuningName(), name);
  other = spec;
  other.features.erase("avx512vnni");
  EXPECT_NE(x86::X86Target(other).tuningName(), name);
  TestKernel kernel{KernelText()};
  EXPECT_EQ(keyOf(kernel.contract, target).target, name);
}
