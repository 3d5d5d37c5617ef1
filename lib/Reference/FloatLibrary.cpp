//===- FloatLibrary.cpp - The fixed float functions -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of steps are those of docs/Numerics.md. Compiled without contraction of
// a multiplication and an addition, so that every step is one operation.
//
//===----------------------------------------------------------------------===//

#include "FloatLibrary.h"
#include "Half.h"
#include <cmath>
#include <limits>

using namespace qcc::reference;

static uint32_t bits(float value) { return bitsAs<uint32_t>(value); }
static float fromBits(uint32_t value) { return bitsAs<float>(value); }
static float fma(float a, float b, float c) { return std::fma(a, b, c); }

/// 2^n for a normal result.
static float powerOfTwo(uint32_t n) { return fromBits((n + 127) << 23); }

static float withSignOf(float y, float x) {
  return fromBits((bits(y) & 0x7fffffff) | (bits(x) & 0x80000000));
}

/// q := fma(q, x, c) for each coefficient.
template <size_t size>
static float horner(const uint32_t (&coefficients)[size], float x) {
  float q = fromBits(coefficients[0]);
  for (size_t i = 1; i < size; ++i)
    q = fma(q, x, fromBits(coefficients[i]));
  return q;
}

namespace {
struct ReducedExponential {
  uint32_t n; ///< an i32 that may be negative
  float p;
};
} // namespace

static ReducedExponential reduce(float c) {
  float t = fma(c, fromBits(0x3fb8aa3b), fromBits(0x4b400000));
  uint32_t n = bits(t) - 0x4b400000;
  float k = t - fromBits(0x4b400000);
  float r = fma(k, fromBits(0xbf317218), c);
  r = fma(k, fromBits(0x3102e308), r);
  float q =
      horner({0x3ab56281, 0x3c091ee5, 0x3d2aac2c, 0x3e2aaa46, 0x3efffffe}, r);
  float s = r * r;
  float p = fma(s, q, r);
  p = p + 1.0f;
  return {n, p};
}

float qcc::reference::fixedExp(float x) {
  float c = x > 89.0f ? 89.0f : x;
  c = c < -105.0f ? -105.0f : c;
  auto [n, p] = reduce(c);
  uint32_t a = static_cast<uint32_t>(static_cast<int32_t>(n) >> 1);
  uint32_t b = n - a;
  float u = p * powerOfTwo(a);
  return u * powerOfTwo(b);
}

float qcc::reference::fixedTanh(float x) {
  float t = fromBits(bits(x) & 0x7fffffff);
  float s = t * t;
  float q =
      horner({0xbbba8671, 0x3ca8fc67, 0xbd5c1ad2, 0x3e08837b, 0xbeaaaa99}, s);
  float v = t * s;
  float small = fma(v, q, t);
  float c = t > 10.0f ? 10.0f : t;
  float d = c + c;
  auto [n, p] = reduce(d);
  float e = p * powerOfTwo(n);
  float g = e + 1.0f;
  float h = 2.0f / g;
  float big = 1.0f - h;
  float y = t < 0.625f ? small : big;
  return withSignOf(y, x);
}

float qcc::reference::fixedErf(float x) {
  float t = fromBits(bits(x) & 0x7fffffff);
  float s = t * t;
  float q = horner({0x38a71c15, 0xba52dbe2, 0x3baa211f, 0xbcdc003f, 0x3de716b0,
                    0xbec093a0, 0x3e0375d4},
                   s);
  float small = fma(t, q, t);
  float c = t > 4.0f ? 4.0f : t;
  float w = horner({0x394c6bdd, 0xbb46d173, 0x3cb5c780, 0xbdd4b2b1, 0xbf2323d9,
                    0xbf905618, 0xb95913ee},
                   c);
  auto [n, p] = reduce(w);
  float e = p * powerOfTwo(n);
  float big = 1.0f - e;
  float y = t < 0.921875f ? small : big;
  return withSignOf(y, x);
}

float qcc::reference::fixedRsqrt(float x) {
  float r = std::sqrt(x);
  return 1.0f / r;
}

float qcc::reference::fixedLog(float x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float scaled = x * fromBits(0x4b000000);
  bool tiny = x < fromBits(0x00800000);
  float z = tiny ? scaled : x;
  float j = tiny ? -23.0f : 0.0f;
  uint32_t k = bits(z) - 0x3f2aaaab;
  float e = static_cast<float>(static_cast<int32_t>(k) >> 23);
  e = e + j;
  float m = fromBits((k & 0x007fffff) + 0x3f2aaaab);
  float f = m - 1.0f;
  float q = horner({0xbe03e44a, 0x3e0f33c6, 0xbdf9997c, 0x3e0f6b31, 0xbe2ace22,
                    0x3e4ce822, 0xbe7fff7e, 0x3eaaaa83},
                   f);
  q = fma(q, f, -0.5f);
  float s = f * f;
  float l = fma(s, q, f);
  l = fma(e, fromBits(0xb102e308), l);
  l = fma(e, fromBits(0x3f317218), l);
  float y = x > 0.0f ? l : std::numeric_limits<float>::quiet_NaN();
  y = x == 0.0f ? -infinity : y;
  return x == infinity ? infinity : y;
}
