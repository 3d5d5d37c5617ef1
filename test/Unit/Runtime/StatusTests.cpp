//===- StatusTests.cpp - Statuses, element types, host features -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Artifact/DType.h"
#include "qcc/Base/Status.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Runtime/Tensor.h"

#include "gtest/gtest.h"

#include <memory>

using namespace qcc::rt;

TEST(Status, CarriesCodeAndMessage) {
  EXPECT_TRUE(Status::ok().isOk());
  Status status = corrupt("bad magic");
  EXPECT_FALSE(status.isOk());
  EXPECT_EQ(status.code(), StatusCode::Corrupt);
  EXPECT_EQ(status.withPrefix("x.npy: ").message(), "x.npy: bad magic");
  EXPECT_TRUE(Status::ok().withPrefix("x: ").isOk());
  EXPECT_STREQ(statusCodeName(StatusCode::InvalidArgument), "invalid argument");
}

TEST(Status, ResultHoldsValueOrStatus) {
  Result<std::unique_ptr<int>> value(std::make_unique<int>(7));
  ASSERT_TRUE(value.isOk());
  EXPECT_EQ(**value, 7);
  std::unique_ptr<int> moved = *std::move(value);
  EXPECT_EQ(*moved, 7);
  Result<std::unique_ptr<int>> failure(notFound("nothing"));
  EXPECT_FALSE(failure.isOk());
  EXPECT_EQ(failure.message(), "nothing");
}

TEST(DType, NamesRoundTrip) {
  for (const char *name : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
                           "f16", "f32", "f64", "bf16", "i1"}) {
    std::optional<DType> type = DType::parse(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(type->name(), name);
    EXPECT_TRUE(type->isKnown());
  }
  for (const char *name : {"", "i7", "f8", "bf32", "u1", "int8", "i256"})
    EXPECT_FALSE(DType::parse(name)) << name;
  EXPECT_EQ((DType{QCC_BOOL, 8}).size(), 1);
  EXPECT_EQ(DType::fromCode(QCC_BOOL, 1), (DType{QCC_BOOL, 8}));
  EXPECT_FALSE((DType{3, 64}).isKnown());
}

TEST(DType, ShapesAreChecked) {
  DType f32{QCC_FLOAT, 32};
  int64_t huge = int64_t(1) << 62;
  EXPECT_EQ(numBytes(f32, {2, 3}), 24);
  EXPECT_EQ(numBytes(f32, {}), 4);
  EXPECT_EQ(numBytes(f32, {2, 0}), 0);
  EXPECT_EQ(numBytes(f32, {huge, huge, 0}), 0);
  EXPECT_FALSE(numBytes(f32, {huge}));
  EXPECT_FALSE(numElements({huge, 4}));
  EXPECT_FALSE(numElements({-1, 0}));
  EXPECT_EQ(Tensor(nullptr, f32, {2, 3}).describe(), "2x3xf32");
}

TEST(HostFeatures, SplitsLists) {
  EXPECT_EQ(splitFeatures("avx2,+fma, f16c,,"),
            (std::vector<std::string>{"avx2", "fma", "f16c"}));
  EXPECT_TRUE(splitFeatures("").empty());
}

TEST(HostFeatures, FindsMissingOnes) {
  HostFeatures features(splitFeatures("sse2,avx2,fma"));
  EXPECT_TRUE(features.missing("fma,+avx2").empty());
  EXPECT_EQ(features.missing("avx512f,fma,no-such-thing"),
            (std::vector<std::string>{"avx512f", "no-such-thing"}));
}

TEST(HostFeatures, HidesWhatIsBuiltOnTheHiddenOnes) {
  HostFeatures all(splitFeatures(
      "amx-int8,amx-tile,avx2,avx512f,avx512vnni,avxvnni,fma,sse2"));
  auto namesWithout = [&](std::string_view list) {
    Result<HostFeatures> rest = all.without(list);
    EXPECT_TRUE(rest.isOk()) << rest.message();
    return rest.isOk() ? rest->names() : std::vector<std::string>();
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(namesWithout(""), all.names());
  EXPECT_EQ(namesWithout("avx512f, amx-tile"),
            (Names{"avx2", "avxvnni", "fma", "sse2"}));
  EXPECT_EQ(namesWithout("avx2"),
            (Names{"amx-int8", "amx-tile", "fma", "sse2"}));
  EXPECT_EQ(namesWithout("avx512vnni,amx-int8,sha"),
            (Names{"amx-tile", "avx2", "avx512f", "avxvnni", "fma", "sse2"}));
  Result<HostFeatures> unknown = all.without("fma,avx512_vnni");
  ASSERT_FALSE(unknown.isOk());
  EXPECT_EQ(unknown.message().find("'avx512_vnni' is no feature; known are "
                                   "x87, "),
            0u);
}

TEST(HostFeatures, OfThisHost) {
  const HostFeatures host = HostFeatures::detect();
  EXPECT_TRUE(host.has("sse2"));
  EXPECT_TRUE(host.has("64bit"));
  EXPECT_EQ(host.has("avx2"), bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(host.has("fma"), bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(host.has("avx512f"), bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(host.has("avx512vnni"), bool(__builtin_cpu_supports("avx512vnni")));
  Status tiles = requestAmxPermission();
  if (HostFeatures::host().has("amx-tile"))
    EXPECT_TRUE(tiles.isOk() ||
                tiles.message().find("the operating system refused the use of "
                                     "AMX tiles") == 0)
        << tiles.message();
  else
    EXPECT_EQ(tiles.message(),
              "this CPU or its operating system has no AMX; compile for a "
              "target without amx-tile");
  HostInfo info = hostInfo();
  EXPECT_GE(info.cpus, 1);
  EXPECT_GT(info.l1d, 0);
}
