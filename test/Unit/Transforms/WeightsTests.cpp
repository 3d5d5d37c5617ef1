//===- WeightsTests.cpp ---------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Transforms/Program/Weights.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;

namespace {
struct WeightsTest : testing::Test {
  RankedTensorType tensor(int64_t size, Type element) {
    return RankedTensorType::get({size}, element);
  }
  DenseResourceElementsAttr resource(ArrayRef<char> bytes) {
    return DenseResourceElementsAttr::get(
        tensor(bytes.size(), builder.getI8Type()), "w",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64));
  }
  static std::vector<char> bytesOf(const Weights &weights) {
    std::vector<char> bytes(weights.size(), 'x');
    weights.copyTo(bytes.data());
    std::vector<char> visited;
    weights.visit([&](ArrayRef<char> piece) {
      visited.insert(visited.end(), piece.begin(), piece.end());
    });
    EXPECT_EQ(bytes, visited);
    return bytes;
  }

  MLIRContext context;
  Builder builder{&context};
};
} // namespace

TEST_F(WeightsTest, EachConstantIsAlignedAndWrittenAsBytes) {
  Weights weights;
  EXPECT_EQ(weights.add(resource({1, 2, 3})), 0);
  EXPECT_EQ(
      weights.add(DenseElementsAttr::get(tensor(9, builder.getI1Type()), true)),
      64);
  EXPECT_EQ(weights.add(DenseElementsAttr::get<int32_t>(
                tensor(2, builder.getI32Type()), {5, 6})),
            128);
  // More elements than are written at once.
  EXPECT_EQ(weights.add(DenseElementsAttr::get(
                tensor(5000, builder.getI16Type()), int16_t(0x0807))),
            192);
  EXPECT_EQ(weights.size(), 192 + 10000);
  std::vector<char> expected(192 + 10000, 0);
  for (int i = 0; i < 3; ++i)
    expected[i] = i + 1;
  std::fill_n(expected.begin() + 64, 9, 1);
  expected[128] = 5;
  expected[132] = 6;
  for (int i = 0; i < 10000; ++i)
    expected[192 + i] = i % 2 ? 8 : 7;
  EXPECT_EQ(bytesOf(weights), expected);
  Weights read = Weights::of(weights.toAttribute(&context));
  EXPECT_TRUE(read == weights);
  EXPECT_EQ(bytesOf(read), expected);
}

TEST_F(WeightsTest, EqualBytesAreEqualWeights) {
  Weights one, same, other, more;
  one.add(resource({1, 2, 3}));
  same.add(resource({1, 2, 3}));
  other.add(resource({1, 2, 4}));
  more.add(resource({1, 2, 3}));
  more.add(resource({1, 2, 4}));
  EXPECT_TRUE(one == same);
  EXPECT_FALSE(one == other);
  EXPECT_FALSE(one == more);
}

TEST_F(WeightsTest, ConstantsCanBeFreedAsTheyAreWritten) {
  DenseResourceElementsAttr first = resource({1, 2}), second = resource({3});
  Weights weights;
  weights.add(first);
  weights.add(second);
  std::vector<char> bytes(weights.size());
  weights.copyTo(bytes.data(), [](const Weights::Constant &constant) {
    releaseData(cast<DenseResourceElementsAttr>(constant.value));
  });
  EXPECT_EQ(bytes[1], 2);
  EXPECT_EQ(bytes[64], 3);
  EXPECT_TRUE(!first.getRawHandle().getBlob() ||
              first.getRawHandle().getBlob()->getData().empty());
  // What has no data is no weight.
  DenseResourceElementsHandle handle =
      DenseResourceElementsHandle::getManagerInterface(&context).insert("none");
  EXPECT_EQ(weights.add(DenseResourceElementsAttr::get(
                tensor(1, builder.getI8Type()), handle)),
            std::nullopt);
}

TEST_F(WeightsTest, EqualConstantsAreStoredOnce) {
  Weights weights;
  std::vector<char> large(10000, 1), another = large;
  another.back() = 2; // Its first bytes are the same.
  EXPECT_EQ(weights.add(resource(large)), 0);
  EXPECT_EQ(weights.add(resource(another)), 10048);
  EXPECT_EQ(weights.add(resource(large)), 0);
  EXPECT_EQ(weights.add(resource(another)), 10048);
  EXPECT_EQ(weights.add(resource({1, 1})), 20096);
  auto splat = DenseElementsAttr::get(tensor(9, builder.getI1Type()), true);
  EXPECT_EQ(weights.add(splat), 20160);
  EXPECT_EQ(weights.add(splat), 20160);
  EXPECT_EQ(weights.constants().size(), 4u);
  EXPECT_EQ(bytesOf(weights).size(), 20169u);
}

TEST_F(WeightsTest, ConstantsThatDifferInOneByteAreReadOnceEach) {
  // Wherever the byte is: in the first bytes, in the last, or between samples.
  constexpr size_t size = 100000, count = 200;
  for (size_t place : {0ul, 5000ul, 50001ul, 99998ul, size - 1}) {
    Weights weights;
    std::vector<char> bytes(size, 1);
    for (size_t i = 0; i < count; ++i) {
      bytes[place] = static_cast<char>(i);
      EXPECT_EQ(weights.add(resource(bytes)),
                static_cast<int64_t>(i * llvm::alignTo(size, 64)));
    }
    EXPECT_EQ(weights.constants().size(), count);
    // Samples and all bytes of each, not a comparison of each two.
    EXPECT_LT(weights.bytesRead(), int64_t(2 * count * size)) << place;
    // Equal constants are compared with one.
    int64_t before = weights.bytesRead();
    EXPECT_EQ(weights.add(resource(bytes)),
              static_cast<int64_t>((count - 1) * llvm::alignTo(size, 64)));
    EXPECT_LT(weights.bytesRead() - before, int64_t(4 * size)) << place;
    EXPECT_EQ(weights.constants().size(), count);
  }
}

TEST_F(WeightsTest, LargeConstantsOfOtherSamplesAreNotReadAtAll) {
  Weights weights;
  constexpr size_t size = 1 << 20;
  for (char first = 0; first < 10; ++first)
    weights.add(resource(std::vector<char>(size, first)));
  EXPECT_LT(weights.bytesRead(), int64_t(10 * size / 100));
}
