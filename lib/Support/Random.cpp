//===- Random.cpp - Reproducible data -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file is compiled with -ffp-contract=off: a fused multiply-add would
// round differently.
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Random.h"

#include "qcc/Support/Half.h"

#include <charconv>
#include <cmath>

namespace qcc {

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t goldenGamma = 0x9e3779b97f4a7c15u;

/// Where the counter of a stream starts.
static uint64_t streamStart(uint64_t seed, uint64_t stream) {
  return mix(mix(seed + goldenGamma) + (stream + 1) * goldenGamma);
}

uint64_t randomBits(uint64_t seed, uint64_t stream, uint64_t index) {
  return mix(streamStart(seed, stream) + (index + 1) * goldenGamma);
}

template <typename T, typename Fn>
static void fill(void *data, int64_t count, uint64_t start, Fn toElement) {
  T *elements = static_cast<T *>(data);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = toElement(mix(start + (uint64_t(i) + 1) * goldenGamma));
}

namespace {
/// Uniform in [low, high), rounded to the type. Where rounding would reach
/// `high`, the value below it is taken instead.
struct Uniform {
  double low, high;

  double operator()(uint64_t bits) const {
    double unit = double(bits >> 11) * 0x1p-53;
    double scaled = unit * (high - low);
    double value = low + scaled;
    return value < high || low == high ? value : std::nextafter(high, low);
  }
  float toFloat(uint64_t bits) const {
    float value = float((*this)(bits));
    return value < high || low == high ? value
                                       : std::nextafterf(value, -INFINITY);
  }
  template <uint16_t (*convert)(float), float (*widen)(uint16_t)>
  uint16_t toHalf(uint64_t bits) const {
    uint16_t value = convert(toFloat(bits));
    if (low == high || widen(value) < high)
      return value;
    // The next one below, in sign and magnitude.
    if (value == 0)
      return 0x8001;
    return value & 0x8000 ? value + 1 : value - 1;
  }
};
} // namespace

void fillRandom(void *data, rt::DType dtype, int64_t count,
                const RandomSpec &spec, uint64_t stream) {
  uint64_t start = streamStart(spec.seed, stream);
  Uniform uniform{spec.low, spec.high};
  if (dtype.code == QCC_BOOL) {
    fill<uint8_t>(data, count, start, [](uint64_t bits) { return bits >> 63; });
  } else if (dtype.code == QCC_BFLOAT) {
    fill<uint16_t>(data, count, start, [&](uint64_t bits) {
      return uniform.toHalf<floatToBF16, bf16ToFloat>(bits);
    });
  } else if (dtype.code == QCC_FLOAT) {
    switch (dtype.bits) {
    case 16:
      fill<uint16_t>(data, count, start, [&](uint64_t bits) {
        return uniform.toHalf<floatToF16, f16ToFloat>(bits);
      });
      break;
    case 32:
      fill<float>(data, count, start,
                  [&](uint64_t bits) { return uniform.toFloat(bits); });
      break;
    case 64:
      fill<double>(data, count, start, uniform);
      break;
    }
  } else {
    // The high bits, for integers of either signedness.
    switch (dtype.bits) {
    case 8:
      fill<uint8_t>(data, count, start,
                    [](uint64_t bits) { return bits >> 56; });
      break;
    case 16:
      fill<uint16_t>(data, count, start,
                     [](uint64_t bits) { return bits >> 48; });
      break;
    case 32:
      fill<uint32_t>(data, count, start,
                     [](uint64_t bits) { return bits >> 32; });
      break;
    case 64:
      fill<uint64_t>(data, count, start, [](uint64_t bits) { return bits; });
      break;
    }
  }
}

void fillRandom(HostTensor &tensor, const RandomSpec &spec, uint64_t stream) {
  fillRandom(tensor.data(), tensor.dtype(), tensor.numElements(), spec, stream);
}

//===----------------------------------------------------------------------===//
// random[:SEED[:LO:HI]]
//===----------------------------------------------------------------------===//

bool isRandomSpec(std::string_view text) {
  return text == "random" || text.substr(0, 7) == "random:";
}

template <typename T> static bool parseNumber(std::string_view text, T &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

rt::Result<RandomSpec> parseRandomSpec(std::string_view text) {
  RandomSpec spec;
  if (text == "random")
    return spec;
  auto fail = [&](const char *what) {
    return rt::invalidArgument("'" + std::string(text) + "': " + what +
                               "; write random[:SEED[:LO:HI]], such as "
                               "random:1:-1:1");
  };
  if (!isRandomSpec(text))
    return fail("this does not start with 'random'");
  std::vector<std::string_view> fields;
  for (std::string_view rest = text.substr(7);;) {
    size_t colon = rest.find(':');
    fields.push_back(rest.substr(0, colon));
    if (colon == std::string_view::npos)
      break;
    rest.remove_prefix(colon + 1);
  }
  if (fields.size() != 1 && fields.size() != 3)
    return fail("there must be a seed, or a seed and two bounds");
  if (!parseNumber(fields[0], spec.seed))
    return fail("the seed is no non-negative integer");
  if (fields.size() == 1)
    return spec;
  if (!parseNumber(fields[1], spec.low) || !parseNumber(fields[2], spec.high) ||
      !std::isfinite(spec.low) || !std::isfinite(spec.high) ||
      !std::isfinite(spec.high - spec.low))
    return fail("a bound is no finite number");
  if (spec.low > spec.high)
    return fail("the lower bound exceeds the upper one");
  return spec;
}

} // namespace qcc
