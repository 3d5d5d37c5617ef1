//===- TransposedPhasesTests.cpp ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phases against the definition: element i of the input adds element k of the
// kernel to the result at i * stride + k * dilation - padding.
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/Windows.h"
#include "gtest/gtest.h"
#include <set>

using namespace qcc::qnn;

namespace {
/// The pairs (element of the input, element of the kernel) of each result.
using Products = std::vector<std::set<std::pair<int64_t, int64_t>>>;
} // namespace

static Products byDefinition(const WindowDim &dim, int64_t size,
                             int64_t results) {
  Products products(results);
  for (int64_t i = 0; i < size; ++i)
    for (int64_t k = 0; k < dim.kernel; ++k) {
      int64_t at = i * dim.stride + k * dim.dilation - dim.padBefore;
      if (at >= 0 && at < results)
        products[at].insert({i, k});
    }
  return products;
}

static Products byPhases(const TransposedPhases &all, int64_t size,
                         int64_t results) {
  Products products(results);
  int64_t stride = all.phases.size(), each = size + all.more;
  EXPECT_EQ(each * stride - all.rest, results);
  for (int64_t q = 0; q < stride; ++q)
    for (int64_t t = 0; t < each; ++t) {
      const TransposedPhase &phase = all.phases[q];
      for (int64_t j = 0; j < phase.taps; ++j) {
        int64_t i = phase.offset + t + j * all.dilation;
        // What windows read is padded.
        EXPECT_GE(i, -all.before);
        EXPECT_LT(i, size + all.after);
        if (i >= 0 && i < size && q + t * stride < results)
          products[q + t * stride].insert(
              {i, phase.tap + (phase.taps - 1 - j) * all.tapStep});
      }
    }
  return products;
}

TEST(TransposedPhases, HaveTheProductsOfTheDefinition) {
  int64_t count = 0;
  for (int64_t kernel = 1; kernel <= 5; ++kernel)
    for (int64_t stride = 1; stride <= 5; ++stride)
      for (int64_t dilation = 1; dilation <= 4; ++dilation)
        for (int64_t before : {0, 1, 2, 5, 9})
          for (int64_t after : {0, 1, 4})
            for (int64_t added : {0, 1, 3, 7})
              for (int64_t size : {1, 2, 5}) {
                WindowDim dim{kernel, stride, dilation, before, after};
                int64_t results = dim.transposedSize(size, added);
                if (results < 1)
                  continue;
                ++count;
                TransposedPhases all = TransposedPhases::get(dim, added);
                ASSERT_EQ(byPhases(all, size, results),
                          byDefinition(dim, size, results))
                    << kernel << " " << stride << " " << dilation << " "
                    << before << " " << after << " " << added << " " << size;
              }
  EXPECT_GT(count, 5000);
}

TEST(TransposedPhases, AreEmptyWhereStrideAndDilationLeaveGaps) {
  TransposedPhases all =
      TransposedPhases::get({/*kernel=*/3, /*stride=*/2, /*dilation=*/2}, 0);
  ASSERT_EQ(all.phases.size(), 2u);
  EXPECT_EQ(all.phases[0].taps, 3);
  EXPECT_EQ(all.phases[1].taps, 0);
  EXPECT_EQ(all.tapStep, 1);
  EXPECT_EQ(all.dilation, 1);
}
