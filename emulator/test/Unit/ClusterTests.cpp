//===- ClusterTests.cpp - CTAs that share their memory --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

Snippet snippet(Dim3 grid, Dim3 cluster, const std::string &body) {
  Snippet result(body);
  result.chip = "sm_90a";
  result.module =
      ".shared .align 8 .b8 m[8];\n.shared .align 128 .b8 s[512];\n";
  result.grid = grid;
  result.cluster = cluster;
  return result;
}

/// The words of `out`, without reports and the same for all seeds.
std::vector<uint8_t> bytesOfAllSeeds(const Snippet &snippet) {
  return outcomeOfAllSeeds(snippet).bytes;
}

uint32_t wordOf(const std::vector<uint8_t> &bytes, int i) {
  uint32_t word;
  memcpy(&word, &bytes[size_t(4) * i], 4);
  return word;
}

} // namespace

TEST(Cluster, RegistersTellThePlace) {
  Snippet registers = snippet({4, 6, 2}, {2, 3, 1}, R"(
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r10, %ctaid.x;
  mov.u32 %r11, %ctaid.y;
  mov.u32 %r12, %ctaid.z;
  mad.lo.u32 %r13, %r12, 6, %r11;
  mad.lo.u32 %r13, %r13, 4, %r10;
  mul.wide.u32 %rd10, %r13, 32;
  add.u64 %rd11, %rd1, %rd10;
  mov.u32 %r20, %cluster_ctaid.x;
  mov.u32 %r21, %cluster_ctaid.y;
  mov.u32 %r22, %cluster_ctarank;
  mov.u32 %r23, %cluster_nctarank;
  mov.u32 %r24, %clusterid.x;
  mov.u32 %r25, %clusterid.y;
  mov.u32 %r26, %nclusterid.y;
  mov.u32 %r27, %cluster_nctaid.y;
  @%p1 bra END;
  st.global.v4.u32 [%rd11], {%r20, %r21, %r22, %r23};
  st.global.v4.u32 [%rd11+16], {%r24, %r25, %r26, %r27};
END:)");
  std::vector<uint8_t> bytes = bytesOfAllSeeds(registers);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 4; ++x) {
        int first = 8 * ((z * 6 + y) * 4 + x);
        const int expected[] = {
            x % 2, y % 3, y % 3 * 2 + x % 2, 6, x / 2, y / 3, 2, 3};
        for (int i = 0; i < 8; ++i)
          EXPECT_EQ(wordOf(bytes, first + i), uint32_t(expected[i]));
      }
}

// Ranks write to the memory of the next one, by all kinds of addresses.
TEST(Cluster, MemoryOfOthers) {
  std::vector<uint8_t> bytes = bytesOfAllSeeds(snippet({8, 1, 1}, {4, 1, 1}, R"(
  mov.u32 %r10, %cluster_ctarank;
  mov.u32 %r11, s;
  mad.lo.u32 %r11, %r1, 4, %r11;
  mov.u32 %r12, 1000;
  st.shared.u32 [%r11], %r12;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  add.u32 %r13, %r10, 1;
  and.b32 %r13, %r13, 3;
  mapa.shared::cluster.u32 %r14, %r11, %r13;
  getctarank.shared::cluster.u32 %r15, %r14;
  mul.lo.u32 %r16, %r2, 3;
  atom.shared::cluster.add.u32 %r17, [%r14], %r16;
  cvt.u64.u32 %rd10, %r11;
  cvta.shared.u64 %rd11, %rd10;
  mapa.u64 %rd12, %rd11, %r13;
  atom.add.u32 %r17, [%rd12], %r15;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.shared::cluster.u32 %r18, [%r11];
  st.global.u32 [%rd3], %r18;)"));
  for (int cta = 0; cta < 8; ++cta)
    for (int lane = 0; lane < 32; ++lane) {
      int before = cta / 4 * 4 + (cta + 3) % 4;
      EXPECT_EQ(wordOf(bytes, 32 * cta + lane),
                uint32_t(1000 + 3 * (32 * before + lane) + cta % 4));
    }
}

// Rank 0 waits for arrivals of all ranks at its own mbarrier.
TEST(Cluster, RemoteArrivals) {
  std::vector<uint8_t> bytes = bytesOfAllSeeds(snippet({2, 1, 1}, {2, 1, 1}, R"(
  mov.u32 %r10, %cluster_ctarank;
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r11, m;
  mov.u32 %r12, s;
  mad.lo.u32 %r12, %r1, 4, %r12;
  @!%p1 mbarrier.init.shared.b64 [%r11], 64;
  st.shared.u32 [%r12], %r2;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mapa.shared::cluster.u32 %r13, %r11, 0;
  mapa.shared::cluster.u32 %r14, %r12, 0;
  setp.eq.u32 %p2, %r10, 0;
  @!%p2 st.shared::cluster.u32 [%r14+128], %r2;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];
  @!%p2 bra END;
WAIT:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r11], 0;
  @!%p3 bra WAIT;
  ld.shared.u32 %r15, [%r12];
  ld.shared.u32 %r16, [%r12+128];
  add.u32 %r15, %r15, %r16;
  st.global.u32 [%rd3], %r15;
END:
  barrier.cluster.arrive;
  barrier.cluster.wait;)"));
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(wordOf(bytes, int(lane)), 32 + 2 * lane);
}

// Each of two ranks brings half of the bytes for both.
TEST(Cluster, Multicast) {
  Snippet halves = snippet({4, 1, 1}, {2, 1, 1}, R"(
  mov.u32 %r10, %cluster_ctarank;
  setp.ne.u32 %p1, %r1, 0;
  mov.u32 %r11, m;
  mov.u32 %r12, s;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [%r11], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 512;
READY:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @%p1 bra WAIT;
  mul.lo.u32 %r13, %r10, 256;
  add.u32 %r14, %r12, %r13;
  cvt.u64.u32 %rd10, %r13;
  add.u64 %rd11, %rd2, %rd10;
  mov.b16 %rs1, 3;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r14], [%rd11], 256, [%r11], %rs1;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0;
  @!%p2 bra WAIT;
  mad.lo.u32 %r15, %r1, 16, %r12;
  ld.shared.u32 %r16, [%r15];
  st.global.u32 [%rd3], %r16;
  barrier.cluster.arrive;
  barrier.cluster.wait;)");
  for (size_t i = 0; i < halves.in.size(); ++i)
    halves.in[i] = static_cast<uint8_t>(i / 16);
  std::vector<uint8_t> bytes = bytesOfAllSeeds(halves);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(wordOf(bytes, i), (i % 32) * 0x01010101u);
}

TEST(Cluster, LaunchesThatFail) {
  EXPECT_PART(snippet({3, 1, 1}, {2, 1, 1}, "").run().failure,
              "a grid of 3x1x1 CTAs is no multiple of clusters of 2x1x1");
  EXPECT_PART(snippet({32, 1, 1}, {32, 1, 1}, "").run().failure,
              "1 to 16 are possible");
  Snippet few = snippet({4, 1, 1}, {4, 1, 1}, "");
  few.options.residentCtas = 2;
  EXPECT_PART(few.run().failure, "a cluster has 4 CTAs, and 2 run at once");
}

TEST(Cluster, MisuseIsReported) {
  Report report =
      onlyReport(snippet({2, 1, 1}, {2, 1, 1}, "barrier.cluster.wait;"));
  EXPECT_EQ(report.kind, ReportKind::BarrierMisuse);
  EXPECT_PART(report.message, "has not arrived");
  report = onlyReport(snippet({2, 1, 1}, {2, 1, 1}, R"(
  mov.u32 %r10, s;
  mapa.shared::cluster.u32 %r11, %r10, 2;
  st.shared::cluster.u32 [%r11], %r1;)"));
  EXPECT_EQ(report.kind, ReportKind::OutOfBounds);
  EXPECT_PART(report.message, "the CTA of rank 2 of the cluster");
}

TEST(Cluster, ADeadlockNamesTheThreadsThatAreMissing) {
  Report report = onlyReport(snippet({2, 1, 1}, {2, 1, 1}, R"(
  mov.u32 %r10, %cluster_ctarank;
  setp.ne.u32 %p1, %r10, 0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  @%p1 bra MORE;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  bra END;
MORE:
  mov.u32 %r11, m;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra WAIT;
  mbarrier.init.shared.b64 [%r11], 1;
WAIT:
  bar.sync 0;
LOOP:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r11], 0;
  @!%p3 bra LOOP;
END:)"));
  EXPECT_EQ(report.kind, ReportKind::Deadlock);
  EXPECT_PART(formatReport(report), "wait for 32 threads of the cluster");
}
