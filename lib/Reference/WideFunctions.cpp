//===- WideFunctions.cpp - The float functions in binary64 ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of parts and steps are those of docs/Numerics.md, "Parts in binary64".
// Compiled without contraction of a multiplication and an addition, so that
// every step is one operation.
//
//===----------------------------------------------------------------------===//

#include "FloatLibrary.h"
#include "Half.h"
#include <cmath>
#include <limits>

using namespace qcc::reference;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static constexpr uint64_t signBit = uint64_t(1) << 63;

static uint64_t bits(double value) { return bitsAs<uint64_t>(value); }
static double fromBits(uint64_t value) { return bitsAs<double>(value); }
static double roundEven(double value) { return std::nearbyint(value); }
static double magnitude(double value) {
  return fromBits(bits(value) & ~signBit);
}
static double withSignOf(double y, double x) {
  return fromBits(bits(y) | (bits(x) & signBit));
}
/// 1.0, or -1.0 where the lowest bit is set.
static double signOf(uint64_t k) {
  return fromBits(0x3ff0000000000000 | (k << 63));
}

/// q := q * x + c for each coefficient.
template <size_t size>
static double horner(const uint64_t (&coefficients)[size], double x) {
  double q = fromBits(coefficients[0]);
  for (size_t i = 1; i < size; ++i)
    q = q * x + fromBits(coefficients[i]);
  return q;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
struct Exponential {
  double z, h;
};
struct Angle {
  uint64_t k;
  double s, c;
};
} // namespace

static Exponential partH(double t) {
  double c = t > 700.0 ? 700.0 : t;
  c = c < -700.0 ? -700.0 : c;
  double w = c * fromBits(0x3ff71547652b82fe) + fromBits(0x4338000000000000);
  double k = w - fromBits(0x4338000000000000);
  double r = c - k * fromBits(0x3fe62e42fee00000);
  r = r - k * fromBits(0x3dea39ef35793c76);
  double q =
      horner({0x3efa1132017fcc47, 0x3f2a15179d80b294, 0x3f56c16858b792d4,
              0x3f81110c632a3087, 0x3fa5555555c87151, 0x3fc55555567532ad},
             r);
  q = q * r + 0.5;
  double h = q * (r * r) + r;
  return {fromBits((bits(w) + 1023) << 52), h};
}

static double partL(double z) {
  uint64_t k = bits(z) + 0x00095f619980c433;
  double e = fromBits((k >> 52) | 0x4330000000000000);
  e = e - fromBits(0x43300000000003ff);
  double m = fromBits((k & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  double f = m - 1.0;
  double s = f / (m + 1.0);
  double v = s * s;
  double q = horner({0x3fc8c8cb726d7aa8, 0x3fcc67ad18001868, 0x3fd249323f5fe311,
                     0x3fd999998cae671b, 0x3fe5555555564eb7},
                    v);
  double l = (q * v) * s + (s + s);
  l = e * fromBits(0x3fe62e42fefa39ef) + l;
  double y = z > 0.0 ? l : notANumber;
  y = z == 0.0 ? -infinity : y;
  return z == infinity ? z : y;
}

static double partP(double u) {
  double w = 1.0 + u;
  double l = partL(w);
  double c = (u - (w - 1.0)) / w;
  double y = l + c;
  y = w == 0.0 ? -infinity : y;
  y = u == 0.0 ? u : y;
  return u == infinity ? u : y;
}

static double partA(double y, double d) {
  double i = d * fromBits(0x3fda827999fcef32);
  double j = d * fromBits(0x4003504f333f9de6);
  double n = y > i ? y - d : y;
  n = y > j ? 0.0 - d : n;
  double e = y > i ? y + d : d;
  e = y > j ? y : e;
  double b = y > i ? fromBits(0x3fe921fb54442d18) : 0.0;
  b = y > j ? fromBits(0x3ff921fb54442d18) : b;
  double z = n / e;
  double v = z * z;
  double q = horner({0xbfa4b348fe3b2d73, 0x3fb24425baa721c3, 0xbfb71d3963f812c8,
                     0x3fbc6f683c69396c, 0xbfc2491c07b55d37, 0x3fc9999982560b1f,
                     0xbfd55555555020aa},
                    v);
  double a = (q * v) * z + z;
  return b + a;
}

/// What is left of whole turns.
static double turns(double x, uint64_t part) {
  double a = x * fromBits(part);
  return a - roundEven(a);
}

static Angle partT(double x) {
  double a = turns(x, 0x3fc45f306e000000);
  double b = turns(x, 0xbddb1bbeac000000);
  double d = turns(x, 0xbc1603d8a8000000);
  double e = turns(x, 0xba27056590000000);
  double f = turns(x, 0xb861f924ec000000);
  double t = (((a + b) + d) + e) + f;
  double n = roundEven(t * 4.0);
  double r = (((a - n * 0.25) + b) + d) + e;
  r = r + f;
  r = r + x * fromBits(0x3695993c44000000);
  r = r + x * fromBits(0xb4bbef8068000000);
  r = r * fromBits(0x401921fb54442d18);
  uint64_t k = bits(n + fromBits(0x4338000000000000));
  double u = r * r;
  double s = horner({0x3ec6dbc38841c3aa, 0xbf2a0139fe113d15, 0x3f811110de5d4b08,
                     0xbfc5555555452ac3},
                    u);
  s = (s * u) * r + r;
  double c = horner({0xbe92518d8918b099, 0x3efa01592cd09121, 0xbf56c16bf170e4b9,
                     0x3fa55555554dbca9},
                    u);
  c = c * u - 0.5;
  return {k, s, c * u + 1.0};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

float qcc::reference::fixedSin(float narrow) {
  double x = narrow;
  auto [k, s, c] = partT(x);
  double y = (k & 1) == 0 ? s : c;
  y = y * signOf(k >> 1 & 1);
  return float(x == 0.0 ? x : y);
}

float qcc::reference::fixedCos(float x) {
  auto [k, s, c] = partT(x);
  double y = (k & 1) == 0 ? c : s;
  return float(y * signOf((k + 1) >> 1 & 1));
}

float qcc::reference::fixedTan(float narrow) {
  double x = narrow;
  auto [k, s, c] = partT(x);
  double n = (k & 1) == 0 ? s : c;
  double d = (k & 1) == 0 ? c : s;
  double y = (n / d) * signOf(k & 1);
  return float(x == 0.0 ? x : y);
}

float qcc::reference::fixedAtan(float x) {
  return float(withSignOf(partA(magnitude(x), 1.0), x));
}

float qcc::reference::fixedAsin(float x) {
  double t = magnitude(x);
  return float(withSignOf(partA(t, std::sqrt(1.0 - t * t)), x));
}

float qcc::reference::fixedAcos(float x) {
  double t = magnitude(x);
  double y = partA(std::sqrt(1.0 - t * t), t);
  return float(x < 0.0f ? fromBits(0x400921fb54442d18) - y : y);
}

float qcc::reference::fixedExpm1(float narrow) {
  double x = narrow;
  auto [z, h] = partH(x);
  double y = z * h + (z - 1.0);
  return float(x == 0.0 ? x : y);
}

float qcc::reference::fixedLog1p(float x) { return float(partP(x)); }

float qcc::reference::fixedSinh(float x) {
  auto [z, h] = partH(magnitude(x));
  double m = z * h + (z - 1.0);
  double y = (m + m / (m + 1.0)) * 0.5;
  return float(withSignOf(y, x));
}

float qcc::reference::fixedCosh(float x) {
  auto [z, h] = partH(magnitude(x));
  double e = z * h + z;
  return float((e + 1.0 / e) * 0.5);
}

float qcc::reference::fixedAsinh(float x) {
  double t = magnitude(x);
  double v = t * t;
  double u = v / (std::sqrt(v + 1.0) + 1.0) + t;
  double y = partP(u);
  y = t == infinity ? t : y;
  return float(withSignOf(y, x));
}

float qcc::reference::fixedAcosh(float narrow) {
  double x = narrow;
  double u = x - 1.0;
  double y = partP(std::sqrt(u * (x + 1.0)) + u);
  return float(x < 1.0 ? notANumber : y);
}

float qcc::reference::fixedAtanh(float x) {
  double t = magnitude(x);
  double y = partP((t + t) / (1.0 - t)) * 0.5;
  return float(withSignOf(y, x));
}

float qcc::reference::fixedPow(float base, float exponent) {
  double x = base, y = exponent;
  double a = magnitude(x);
  double t = y * partL(a);
  t = a == 1.0 ? 0.0 : t;
  t = y == 0.0 ? 0.0 : t;
  auto [z, h] = partH(t);
  double e = z * h + z;
  uint64_t o = bits(x) & signBit;
  o = y * 0.5 == roundEven(y * 0.5) ? 0 : o;
  o = y == roundEven(y) ? o : 0;
  e = fromBits(bits(e) | o);
  double n = y == roundEven(y) ? e : notANumber;
  n = x == -infinity ? e : n;
  return float(x < 0.0 ? n : e);
}
