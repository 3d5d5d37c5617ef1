//===- Peaks.cpp - Peaks of the machine -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop has more independent accumulators than latency times throughput of
// any processor asks for. Operands stay in registers, except those of AMX,
// whose tiles are loaded from the L1 cache as in a 2 x 2 block of a kernel.
//
//===----------------------------------------------------------------------===//

#include "Peaks.h"
#include <immintrin.h>

using namespace qcc;
using namespace qcc::bench;

#define QCC_REPEAT_12(X)                                                       \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

//===----------------------------------------------------------------------===//
// Clock and fp32
//===----------------------------------------------------------------------===//

/// A chain of multiplications, each of three cycles on every processor with
/// AVX2: its rate is the frequency.
static constexpr int kChain = 16, kMultiplyCycles = 3;

static void runClock(int64_t iterations, const void *) {
  int64_t value = 3;
  __asm__ volatile("1:\n\t"
                   ".rept 16\n\timulq %[v], %[v]\n\t.endr\n\t"
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations), [v] "+r"(value)
                   :
                   : "cc");
}

#define QCC_FMA_ZMM(R) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" #R "\n\t"
#define QCC_ZERO_ZMM(R) "vpxorq %%zmm" #R ", %%zmm" #R ", %%zmm" #R "\n\t"
#define QCC_CLOBBER_ZMM                                                        \
  "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7", "zmm8",      \
      "zmm9", "zmm10", "zmm11", "zmm12", "zmm13", "zmm14", "zmm15", "zmm30",   \
      "zmm31", "cc", "memory"
#define QCC_CLOBBER_YMM                                                        \
  "ymm0", "ymm1", "ymm2", "ymm3", "ymm4", "ymm5", "ymm6", "ymm7", "ymm8",      \
      "ymm9", "ymm10", "ymm11", "ymm12", "ymm13", "ymm14", "ymm15", "cc",      \
      "memory"

/// Small numbers: sums never leave the range of normal numbers.
alignas(64) static const float kFloats[32] = {
    1.0f, 0.7f, 1.3f, 0.9f, 1.1f, 0.3f, 0.6f, 1.9f, 0.8f, 1.2f, 1.4f,
    0.5f, 1.7f, 0.4f, 1.6f, 1.5f, 0.1f, 0.2f, 0.7f, 0.3f, 1.1f, 1.8f,
    0.9f, 0.6f, 1.3f, 0.5f, 0.8f, 1.2f, 0.4f, 1.9f, 1.0f, 0.7f};

__attribute__((target("avx512f"))) static void runFma512(int64_t iterations,
                                                         const void *) {
  __asm__ volatile("vmovups (%[d]), %%zmm30\n\t"
                   "vmovups 64(%[d]), %%zmm31\n\t" //
                   QCC_REPEAT_12(QCC_ZERO_ZMM)     //
                   "1:\n\t"                        //
                   QCC_REPEAT_12(QCC_FMA_ZMM)      //
                   QCC_REPEAT_12(QCC_FMA_ZMM)      //
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations)
                   : [d] "r"(kFloats)
                   : QCC_CLOBBER_ZMM);
}

#define QCC_FMA_YMM(R) "vfmadd231ps %%ymm12, %%ymm13, %%ymm" #R "\n\t"
#define QCC_ZERO_YMM(R) "vpxor %%ymm" #R ", %%ymm" #R ", %%ymm" #R "\n\t"

__attribute__((target("avx2,fma"))) static void runFma256(int64_t iterations,
                                                          const void *) {
  __asm__ volatile("vmovups (%[d]), %%ymm12\n\t"
                   "vmovups 64(%[d]), %%ymm13\n\t" //
                   QCC_REPEAT_12(QCC_ZERO_YMM)     //
                   "1:\n\t"                        //
                   QCC_REPEAT_12(QCC_FMA_YMM)      //
                   QCC_REPEAT_12(QCC_FMA_YMM)      //
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations)
                   : [d] "r"(kFloats)
                   : QCC_CLOBBER_YMM);
}

//===----------------------------------------------------------------------===//
// Products of bytes
//===----------------------------------------------------------------------===//

#define QCC_DOT_ZMM(R) "vpdpbusd %%zmm30, %%zmm31, %%zmm" #R "\n\t"

__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
runDot512(int64_t iterations, const void *data) {
  __asm__ volatile("vmovdqu64 (%[d]), %%zmm30\n\t"
                   "vmovdqu64 64(%[d]), %%zmm31\n\t" //
                   QCC_REPEAT_12(QCC_ZERO_ZMM)       //
                   "1:\n\t"                          //
                   QCC_REPEAT_12(QCC_DOT_ZMM)        //
                   QCC_REPEAT_12(QCC_DOT_ZMM)        //
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations)
                   : [d] "r"(data)
                   : QCC_CLOBBER_ZMM);
}

#define QCC_DOT_YMM(R) "%{vex%} vpdpbusd %%ymm12, %%ymm13, %%ymm" #R "\n\t"

__attribute__((target("avx2,avxvnni"))) static void
runDot256(int64_t iterations, const void *data) {
  __asm__ volatile("vmovdqu (%[d]), %%ymm12\n\t"
                   "vmovdqu 64(%[d]), %%ymm13\n\t" //
                   QCC_REPEAT_12(QCC_ZERO_YMM)     //
                   "1:\n\t"                        //
                   QCC_REPEAT_12(QCC_DOT_YMM)      //
                   QCC_REPEAT_12(QCC_DOT_YMM)      //
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations)
                   : [d] "r"(data)
                   : QCC_CLOBBER_YMM);
}

/// Exact products without VNNI: pairs of 16-bit words, added. In groups,
/// because the two instructions compete for ports where they alternate.
#define QCC_PAIRS_ZMM(R, T) "vpmaddwd %%zmm30, %%zmm31, %%zmm" #T "\n\t"
#define QCC_ADD_ZMM(R, T) "vpaddd %%zmm" #T ", %%zmm" #R ", %%zmm" #R "\n\t"
#define QCC_GROUP_ZMM(X)                                                       \
  X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15)

__attribute__((target("avx512f,avx512bw"))) static void
runPairs512(int64_t iterations, const void *data) {
  __asm__ volatile("vmovdqu64 (%[d]), %%zmm30\n\t"
                   "vmovdqu64 64(%[d]), %%zmm31\n\t" //
                   QCC_REPEAT_12(QCC_ZERO_ZMM)       //
                   "1:\n\t"                          //
                   QCC_GROUP_ZMM(QCC_PAIRS_ZMM)      //
                   QCC_GROUP_ZMM(QCC_ADD_ZMM)        //
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations)
                   : [d] "r"(data)
                   : QCC_CLOBBER_ZMM);
}

#define QCC_PAIRS_YMM(R, T) "vpmaddwd %%ymm12, %%ymm13, %%ymm" #T "\n\t"
#define QCC_ADD_YMM(R, T) "vpaddd %%ymm" #T ", %%ymm" #R ", %%ymm" #R "\n\t"
#define QCC_FIRST_YMM(X) X(0, 8) X(1, 9) X(2, 10) X(3, 11)
#define QCC_SECOND_YMM(X) X(4, 8) X(5, 9) X(6, 10) X(7, 11)

__attribute__((target("avx2"))) static void runPairs256(int64_t iterations,
                                                        const void *data) {
  __asm__ volatile("vmovdqu (%[d]), %%ymm12\n\t"
                   "vmovdqu 64(%[d]), %%ymm13\n\t" //
                   QCC_REPEAT_12(QCC_ZERO_YMM)     //
                   "1:\n\t"                        //
                   QCC_FIRST_YMM(QCC_PAIRS_YMM)    //
                   QCC_FIRST_YMM(QCC_ADD_YMM)      //
                   QCC_SECOND_YMM(QCC_PAIRS_YMM)   //
                   QCC_SECOND_YMM(QCC_ADD_YMM)     //
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(iterations)
                   : [d] "r"(data)
                   : QCC_CLOBBER_YMM);
}

//===----------------------------------------------------------------------===//
// AMX
//===----------------------------------------------------------------------===//

static constexpr int kTileBytes = 1024, kTileRowBytes = 64, kAmxSteps = 8;

namespace {
/// The operand of ldtilecfg.
struct alignas(64) TileConfig {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
} // namespace

__attribute__((target("amx-tile,amx-int8"))) static void
runAmx(int64_t iterations, const void *data) {
  TileConfig config;
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t i = 0; i < iterations; ++i) {
    const char *tiles = static_cast<const char *>(data);
    for (int step = 0; step < kAmxSteps; ++step, tiles += 4 * kTileBytes) {
      _tile_loadd(4, tiles, kTileRowBytes);
      _tile_loadd(6, tiles + 2 * kTileBytes, kTileRowBytes);
      _tile_dpbssd(0, 4, 6);
      _tile_loadd(7, tiles + 3 * kTileBytes, kTileRowBytes);
      _tile_dpbssd(1, 4, 7);
      _tile_loadd(5, tiles + kTileBytes, kTileRowBytes);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
  }
  _tile_release();
}

static_assert(4 * kTileBytes * kAmxSteps <= kPeakDataBytes);

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::vector<Peak> peaksOfBytes(const Isa &isa) {
  const Peak clock{"clock", "GHz", kChain * kMultiplyCycles, runClock};
  const Peak fma512{"fp32 FMA zmm", "GFLOP/s", 24 * 16 * 2, runFma512};
  const Peak fma256{"fp32 FMA ymm", "GFLOP/s", 24 * 8 * 2, runFma256};
  const Peak dot512{"vpdpbusd zmm", "GOP/s", 24 * 64 * 2, runDot512};
  auto reference = [](Peak peak) {
    peak.isReference = true;
    return peak;
  };
  switch (isa.kind) {
  case IsaKind::Amx: {
    constexpr double operations = kAmxSteps * 4 * 16 * 16 * 64 * 2;
    Peak zeros{"tdpbssd on zeros", "GOP/s", operations, runAmx, true, true};
    Peak random{"tdpbssd on random data", "GOP/s", operations, runAmx};
    return {clock, fma512, dot512, zeros, random};
  }
  case IsaKind::Avx512Vnni:
    return {clock, fma512, reference(dot512)};
  case IsaKind::AvxVnni:
    return {
        clock, fma256, {"vpdpbusd ymm", "GOP/s", 24 * 32 * 2, runDot256, true}};
  case IsaKind::Avx512:
    return {clock,
            fma512,
            {"vpmaddwd+vpaddd zmm", "GOP/s", 8 * 32 * 2, runPairs512, true}};
  case IsaKind::Avx2:
    return {clock,
            fma256,
            {"vpmaddwd+vpaddd ymm", "GOP/s", 8 * 16 * 2, runPairs256, true}};
  }
  return {};
}

std::vector<Peak> bench::peaksOf(const Isa &isa, DataType type) {
  std::vector<Peak> peaks = peaksOfBytes(isa);
  if (type != DataType::F32)
    return peaks;
  // The clock, and the peak of fma.
  peaks.resize(2);
  peaks.back().isReference = true;
  return peaks;
}
