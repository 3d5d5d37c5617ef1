//===- BulkCopyTests.cpp - Copies of many bytes ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Snippet.h"

#include "qcc/Emulator/TensorMap.h"

#include "gtest/gtest.h"

#include <functional>
#include <random>

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

constexpr uint64_t numSeeds = 6;

/// Loads a box of one tensor, stores it to another one, and writes shared
/// memory to `out`.
std::string boxKernel(int rank, int bytes) {
  std::string dims = std::to_string(rank) + "d", lists[2];
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < rank; ++i)
      lists[side] +=
          (i ? ", " : "") + std::string("%c") + std::to_string(5 * side + i);
  std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 1024 .b8 dyn[];
.visible .entry kernel(.param .align 64 .b8 from[128],
  .param .align 64 .b8 to[128], .param .u64 out, .param .align 8 .b8 c[40])
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b32 %c<10>;
  .reg .b64 %rd<10>;
  .shared .align 8 .b8 bar[8];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, dyn;
  setp.ne.u32 %p1, %r1, 0;
  mov.u64 %rd1, from;
  cvta.param.u64 %rd2, %rd1;
  mov.u64 %rd3, to;
  cvta.param.u64 %rd4, %rd3;
)";
  for (int i = 0; i < 10; ++i)
    text += "  ld.param.u32 %c" + std::to_string(i) + ", [c+" +
            std::to_string(4 * i) + "];\n";
  return text + R"(
  @%p1 bra READY;
  prefetch.tensormap [%rd2];
  mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar], )" +
         std::to_string(bytes) + R"(;
  cp.async.bulk.tensor.)" +
         dims +
         ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], "
         "[%rd2, {" +
         lists[0] + R"(}], [bar];
READY:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
  @!%p2 bra WAIT;
  @%p1 bra STORED;
  cp.async.bulk.tensor.)" +
         dims + ".global.shared::cta.bulk_group [%rd4, {" + lists[1] +
         R"(}], [%r2];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
STORED:
  ld.param.u64 %rd5, [out];
  mov.u32 %r3, %r1;
COPY:
  add.u32 %r4, %r2, %r3;
  ld.shared.u8 %r5, [%r4];
  cvt.u64.u32 %rd6, %r3;
  add.u64 %rd6, %rd6, %rd5;
  st.global.u8 [%rd6], %r5;
  add.u32 %r3, %r3, 32;
  setp.lt.u32 %p3, %r3, )" +
         std::to_string(bytes) + R"(;
  @%p3 bra COPY;
  ret;
}
)";
}

struct Tensor {
  TensorMap map;
  std::vector<uint8_t> bytes;
  int32_t coordinates[5] = {};
};

/// Calls take(byte in the box, byte in the tensor or -1) for the bytes of a
/// box.
void forBox(const Tensor &tensor,
            const std::function<void(int64_t, int64_t)> &take) {
  const TensorMap &map = tensor.map;
  int counts[5] = {};
  int64_t rows = 1, rowBytes = map.box[0] * map.elementBytes;
  for (int i = 1; i < map.rank; ++i) {
    counts[i] =
        (map.box[i] + map.elementStrides[i] - 1) / map.elementStrides[i];
    rows *= counts[i];
  }
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, begin = 0;
    bool exists = true;
    for (int i = 1; i < map.rank; ++i) {
      int64_t index =
          tensor.coordinates[i] + rest % counts[i] * map.elementStrides[i];
      rest /= counts[i];
      exists &= index >= 0 && index < int64_t(map.dims[i]);
      begin += index * int64_t(map.strides[i - 1]);
    }
    for (int64_t byte = 0; byte < rowBytes; ++byte) {
      int64_t column = int64_t(tensor.coordinates[0]) * map.elementBytes + byte;
      bool isInside = exists && column >= 0 &&
                      column < int64_t(map.dims[0]) * map.elementBytes;
      int64_t place = row * rowBytes + byte;
      int64_t chunk = place / 16;
      if (map.swizzle)
        chunk ^= place / 128 % (map.swizzle / 16);
      take(chunk * 16 + place % 16, isInside ? begin + column : -1);
    }
  }
}

Tensor randomTensor(std::mt19937 &random, int rank, int swizzle,
                    const TensorMap *box) {
  auto below = [&](int bound) { return int(random() % uint32_t(bound)); };
  Tensor tensor;
  TensorMap &map = tensor.map;
  map.rank = rank;
  map.swizzle = swizzle;
  map.elementBytes = box ? box->elementBytes : 1 << below(4);
  int rowBytes = swizzle ? swizzle : 16 << below(4);
  uint64_t stride = 0;
  for (int i = 0; i < rank; ++i) {
    map.box[i] = box      ? box->box[i]
                 : i == 0 ? rowBytes / map.elementBytes
                          : 1 + below(rank > 3 ? 3 : 6);
    map.elementStrides[i] = box ? box->elementStrides[i] : 1 + below(3) / 2;
    map.dims[i] = uint64_t(1 + map.box[i] / 2 + below(map.box[i] + 2));
    if (i > 0)
      map.strides[i - 1] = stride;
    uint64_t size =
        i == 0 ? map.dims[0] * map.elementBytes : stride * map.dims[i];
    stride = (size + 15) / 16 * 16;
    tensor.coordinates[i] = below(5) - 2;
  }
  tensor.bytes.resize(stride);
  for (uint8_t &byte : tensor.bytes)
    byte = static_cast<uint8_t>(random());
  return tensor;
}

int64_t boxBytes(const Tensor &tensor) {
  int64_t bytes = 0;
  forBox(tensor, [&](int64_t, int64_t) { ++bytes; });
  return bytes;
}

void checkBox(int rank, int swizzle, uint64_t seed, std::mt19937 &random) {
  Tensor from = randomTensor(random, rank, swizzle, nullptr);
  Tensor to = randomTensor(random, rank, swizzle, &from.map);
  int64_t bytes = boxBytes(from);
  if (swizzle && bytes % 128 != 0)
    return; // Bytes of the last line lie beyond those that are copied to out.
  Emulator emulator;
  auto module = emulator.loadModule(boxKernel(rank, int(bytes)), "box.ptx");
  ASSERT_TRUE(module.isOk()) << module.message();
  auto kernel = (*module)->kernel("kernel");
  ASSERT_TRUE(kernel.isOk()) << kernel.message();
  for (Tensor *tensor : {&from, &to}) {
    auto address = emulator.allocate(int64_t(tensor->bytes.size()), "tensor");
    ASSERT_TRUE(address.isOk());
    tensor->map.address = *address;
    ASSERT_TRUE(emulator
                    .copyToDevice(*address, tensor->bytes.data(),
                                  int64_t(tensor->bytes.size()))
                    .isOk());
  }
  auto out = emulator.allocate(bytes, "out");
  auto fromBytes = encodeTensorMap(from.map), toBytes = encodeTensorMap(to.map);
  ASSERT_TRUE(fromBytes.isOk()) << fromBytes.message();
  ASSERT_TRUE(toBytes.isOk()) << toBytes.message();
  std::array<int32_t, 10> coordinates;
  for (int i = 0; i < 5; ++i) {
    coordinates[i] = from.coordinates[i];
    coordinates[5 + i] = to.coordinates[i];
  }
  LaunchConfig config;
  config.grid = {1, 1, 1};
  config.block = {32, 1, 1};
  config.dynamicShared = (bytes + 127) / 128 * 128;
  LaunchOptions options;
  options.seed = seed;
  auto result = emulator.launch(
      **kernel, config, {*fromBytes, *toBytes, *out, coordinates}, options);
  ASSERT_TRUE(result.isOk()) << result.message();
  for (const Report &report : result->reports)
    ADD_FAILURE() << formatReport(report);

  std::vector<uint8_t> box(static_cast<size_t>(bytes));
  forBox(from, [&](int64_t shared, int64_t global) {
    box[shared] = global < 0 ? 0 : from.bytes[global];
  });
  EXPECT_EQ(download<uint8_t>(emulator, *out, bytes), box)
      << rank << "d, swizzle " << swizzle;
  std::vector<uint8_t> stored = to.bytes;
  forBox(to, [&](int64_t shared, int64_t global) {
    if (global >= 0)
      stored[global] = box[shared];
  });
  EXPECT_EQ(download<uint8_t>(emulator, to.map.address, int64_t(stored.size())),
            stored)
      << rank << "d, swizzle " << swizzle;
}

} // namespace

TEST(BulkCopy, BoxesOfAllRanks) {
  std::mt19937 random(1);
  for (int round = 0; round < 6; ++round)
    for (int rank = 1; rank <= 5; ++rank)
      for (int swizzle : {0, 32, 64, 128})
        checkBox(rank, swizzle, uint64_t(round) % numSeeds, random);
}

TEST(BulkCopy, MapsThatDriversRefuse) {
  auto refusal = [](const std::function<void(TensorMap &)> &change) {
    TensorMap map;
    map.rank = 2;
    map.dims = {64, 64};
    map.strides = {64};
    map.box = {64, 8};
    EXPECT_TRUE(encodeTensorMap(map).isOk());
    change(map);
    auto bytes = encodeTensorMap(map);
    return bytes.isOk() ? std::string() : std::string(bytes.message());
  };
  EXPECT_PART(refusal([](auto &map) { map.address = 8; }), "address");
  EXPECT_PART(refusal([](auto &map) { map.rank = 6; }), "rank 6");
  EXPECT_PART(refusal([](auto &map) { map.elementBytes = 3; }), "3 bytes");
  EXPECT_PART(refusal([](auto &map) { map.strides[0] = 24; }), "stride");
  EXPECT_PART(refusal([](auto &map) { map.dims[1] = 0; }), "0 elements");
  EXPECT_PART(refusal([](auto &map) { map.box[1] = 257; }), "257 elements");
  EXPECT_PART(refusal([](auto &map) { map.box[0] = 8; }), "multiple of 16");
  EXPECT_PART(refusal([](auto &map) { map.swizzle = 32; }), "swizzle of 32");
  EXPECT_PART(refusal([](auto &map) { map.swizzle = 16; }), "swizzle of 16");
  EXPECT_PART(refusal([](auto &map) { map.elementStrides[1] = 9; }), "stride");
}

// Lines without a map, in both directions.
TEST(BulkCopy, Lines) {
  Snippet lines(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [m], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [m], 1056;
  mov.u32 %r10, s;
  add.u64 %rd10, %rd2, 1024;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd2], 1024, [m];
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r10+1024], [%rd10], 32, [m];
READY:
  bar.sync 0;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;
  @!%p2 bra WAIT;
  mov.u32 %r10, s;
  mad.lo.u32 %r11, %r1, 32, %r10;
  ld.shared.u32 %r12, [%r11];
  add.u32 %r12, %r12, 1;
  st.shared.u32 [%r11], %r12;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 bra END;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r10], 512;
  cp.async.bulk.commit_group;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [%r10+512], 544;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 1;
  cp.async.bulk.wait_group 0;
END:)");
  lines.module = ".shared .align 8 .b8 m[8];\n.shared .align 16 .b8 s[1056];\n";
  lines.chip = "sm_90a";
  for (size_t i = 0; i < lines.in.size(); ++i)
    lines.in[i] = static_cast<uint8_t>(i * 7 / 16);
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    lines.options.seed = seed;
    Snippet::Outcome outcome = lines.run();
    ASSERT_EQ(outcome.failure, "");
    for (const Report &report : outcome.reports)
      ADD_FAILURE() << "seed " << seed << "\n" << formatReport(report);
    for (int i = 0; i < 1056 / 4; ++i) {
      uint32_t word;
      memcpy(&word, &lines.in[4 * i], 4);
      EXPECT_EQ(outcome.word(i), word + (i % 8 == 0 && i < 256));
    }
    EXPECT_EQ(outcome.word(1056 / 4), 0u);
  }
}

TEST(BulkCopy, MisuseIsReported) {
  struct Case {
    const char *body, *kind, *message;
  } cases[] = {
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
       "[%rd2], 24, [m];",
       "async-misuse", "a bulk copy of 24 bytes"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
       "[s+8], [%rd2], 32, [m];",
       "misaligned", "at 0x"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
       "[%rd2+8], 32, [m];",
       "misaligned", "of global memory"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
       "[%rd2], 32, [m+8];",
       "mbarrier-misuse", "there is no mbarrier"},
      {"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::"
       "bytes [s], [%rd2, {0}], [m];",
       "async-misuse", "are no tensor map"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
       "[s+1024], [%rd2], 64, [m];",
       "out-of-bounds", "a write of 64 bytes"},
  };
  for (const Case &test : cases) {
    Snippet snippet(std::string("mbarrier.init.shared.b64 [m], 1;\n"
                                "fence.mbarrier_init.release.cluster;\n") +
                    test.body);
    snippet.module =
        ".shared .align 8 .b8 m[16];\n.shared .align 128 .b8 s[1056];\n";
    snippet.chip = "sm_90a";
    snippet.block = {1, 1, 1};
    Report report = onlyReport(snippet);
    EXPECT_EQ(reportKindName(report.kind), test.kind) << test.body;
    EXPECT_PART(report.message, test.message);
  }
}
