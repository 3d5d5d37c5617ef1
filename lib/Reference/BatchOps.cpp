//===- BatchOps.cpp - Scalar instructions over batches --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is one plain loop over the lanes of a batch. Compiled without
// contraction of a multiplication and an addition (N4).
//
//===----------------------------------------------------------------------===//

#include "BatchOps.h"
#include "FloatLibrary.h"
#include "Half.h"
#include <cmath>
#include <limits>

using namespace qcc::reference;

namespace {

template <typename T, typename F>
void unary(const Inst &inst, Reg *regs, int n, F op) {
  const T *a = regs[inst.a].lanes<T>();
  T *d = regs[inst.dst].lanes<T>();
  for (int l = 0; l < n; ++l)
    d[l] = op(a[l]);
}

template <typename T, typename F>
void binary(const Inst &inst, Reg *regs, int n, F op) {
  const T *a = regs[inst.a].lanes<T>();
  const T *b = regs[inst.b].lanes<T>();
  T *d = regs[inst.dst].lanes<T>();
  for (int l = 0; l < n; ++l)
    d[l] = op(a[l], b[l]);
}

/// As `binary`, for divisions and remainders: by zero, all give 0 (N8).
template <typename F> void division(const Inst &inst, Reg *regs, int n, F op) {
  binary<int64_t>(inst, regs, n,
                  [op](int64_t x, int64_t y) { return y == 0 ? 0 : op(x, y); });
}

uint64_t maskOf(unsigned width) { return ~uint64_t(0) >> (64 - width); }

// The least integer divided by -1 wraps, as the other operations do.
int64_t quotient(int64_t x, int64_t y) {
  return y == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x / y;
}
int64_t remainder(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }
bool signsDiffer(int64_t x, int64_t y) { return (x < 0) != (y < 0); }

bool compareInt(uint8_t predicate, int64_t x, int64_t y) {
  uint64_t ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  switch (predicate) {
  case 0:
    return x == y;
  case 1:
    return x != y;
  case 2:
    return x < y;
  case 3:
    return x <= y;
  case 4:
    return x > y;
  case 5:
    return x >= y;
  // Sign extension keeps the unsigned order.
  case 6:
    return ux < uy;
  case 7:
    return ux <= uy;
  case 8:
    return ux > uy;
  default:
    return ux >= uy;
  }
}

template <typename T> bool compareFloat(uint8_t predicate, T x, T y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case 0:
    return false;
  case 1:
    return x == y;
  case 2:
    return x > y;
  case 3:
    return x >= y;
  case 4:
    return x < y;
  case 5:
    return x <= y;
  case 6:
    return !unordered && x != y;
  case 7:
    return !unordered;
  case 8:
    return unordered || x == y;
  case 9:
    return unordered || x > y;
  case 10:
    return unordered || x >= y;
  case 11:
    return unordered || x < y;
  case 12:
    return unordered || x <= y;
  case 13:
    return x != y;
  case 14:
    return unordered;
  default:
    return true;
  }
}

/// Every lane compared into an i1, -1 for true: predicates are rare enough that
/// the switch inside the loop does not matter.
template <typename T, typename F>
void compare(const Inst &inst, Reg *regs, int n, F op) {
  const T *a = regs[inst.a].lanes<T>();
  const T *b = regs[inst.b].lanes<T>();
  int64_t *d = regs[inst.dst].i;
  for (int l = 0; l < n; ++l)
    d[l] = op(inst.predicate, a[l], b[l]) ? -1 : 0;
}

/// N7: -0 < +0 in all four.
template <typename T> T greater(T x, T y) {
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
template <typename T> T lesser(T x, T y) {
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
template <typename T> T maximum(T x, T y) {
  if (std::isnan(x))
    return x;
  return std::isnan(y) ? y : greater(x, y);
}
template <typename T> T minimum(T x, T y) {
  if (std::isnan(x))
    return x;
  return std::isnan(y) ? y : lesser(x, y);
}
template <typename T> T maxNum(T x, T y) {
  if (std::isnan(x))
    return y;
  return std::isnan(y) ? x : greater(x, y);
}
template <typename T> T minNum(T x, T y) {
  if (std::isnan(x))
    return y;
  return std::isnan(y) ? x : lesser(x, y);
}

template <typename T> void executeFloat(const Inst &inst, Reg *regs, int n) {
  switch (inst.opcode) {
  case Opcode::AddF:
    return binary<T>(inst, regs, n, [](T x, T y) { return x + y; });
  case Opcode::SubF:
    return binary<T>(inst, regs, n, [](T x, T y) { return x - y; });
  case Opcode::MulF:
    return binary<T>(inst, regs, n, [](T x, T y) { return x * y; });
  case Opcode::DivF:
    return binary<T>(inst, regs, n, [](T x, T y) { return x / y; });
  case Opcode::RemF:
    return binary<T>(inst, regs, n, [](T x, T y) { return std::fmod(x, y); });
  case Opcode::MaximumF:
    return binary<T>(inst, regs, n, maximum<T>);
  case Opcode::MinimumF:
    return binary<T>(inst, regs, n, minimum<T>);
  case Opcode::MaxNumF:
    return binary<T>(inst, regs, n, maxNum<T>);
  case Opcode::MinNumF:
    return binary<T>(inst, regs, n, minNum<T>);
  case Opcode::CopySign:
    return binary<T>(inst, regs, n,
                     [](T x, T y) { return std::copysign(x, y); });
  case Opcode::CmpF:
    return compare<T>(inst, regs, n, compareFloat<T>);
  case Opcode::NegF:
    return unary<T>(inst, regs, n, [](T x) { return -x; });
  case Opcode::AbsF:
    return unary<T>(inst, regs, n, [](T x) { return std::fabs(x); });
  case Opcode::Floor:
    return unary<T>(inst, regs, n, [](T x) { return std::floor(x); });
  case Opcode::Ceil:
    return unary<T>(inst, regs, n, [](T x) { return std::ceil(x); });
  case Opcode::Round:
    return unary<T>(inst, regs, n, [](T x) { return std::round(x); });
  case Opcode::RoundEven:
    return unary<T>(inst, regs, n, [](T x) { return std::nearbyint(x); });
  case Opcode::Trunc:
    return unary<T>(inst, regs, n, [](T x) { return std::trunc(x); });
  case Opcode::Sqrt:
    return unary<T>(inst, regs, n, [](T x) { return std::sqrt(x); });
  case Opcode::Fma: {
    const T *a = regs[inst.a].lanes<T>();
    const T *b = regs[inst.b].lanes<T>();
    const T *c = regs[inst.c].lanes<T>();
    T *d = regs[inst.dst].lanes<T>();
    for (int l = 0; l < n; ++l)
      d[l] = std::fma(a[l], b[l], c[l]);
    return;
  }
  default:
    break;
  }
  if constexpr (std::is_same_v<T, float>) {
    switch (inst.opcode) {
    case Opcode::Exp:
      return unary<T>(inst, regs, n, fixedExp);
    case Opcode::Tanh:
      return unary<T>(inst, regs, n, fixedTanh);
    case Opcode::Erf:
      return unary<T>(inst, regs, n, fixedErf);
    case Opcode::Rsqrt:
      return unary<T>(inst, regs, n, fixedRsqrt);
    case Opcode::Log:
      return unary<T>(inst, regs, n, fixedLog);
    default:
      break;
    }
  }
}

void executeInt(const Inst &inst, Reg *regs, int n) {
  using I = int64_t;
  using U = uint64_t;
  const unsigned width = inst.in.width;
  const U mask = maskOf(width);
  switch (inst.opcode) {
  case Opcode::AddI:
    binary<I>(inst, regs, n, [](I x, I y) { return I(U(x) + U(y)); });
    return;
  case Opcode::SubI:
    binary<I>(inst, regs, n, [](I x, I y) { return I(U(x) - U(y)); });
    return;
  case Opcode::MulI:
    binary<I>(inst, regs, n, [](I x, I y) { return I(U(x) * U(y)); });
    return;
  case Opcode::DivSI:
    return division(inst, regs, n, quotient);
  case Opcode::RemSI:
    return division(inst, regs, n, remainder);
  case Opcode::CeilDivSI:
    return division(inst, regs, n, [](I x, I y) {
      return quotient(x, y) + (remainder(x, y) != 0 && !signsDiffer(x, y));
    });
  case Opcode::FloorDivSI:
    return division(inst, regs, n, [](I x, I y) {
      return quotient(x, y) - (remainder(x, y) != 0 && signsDiffer(x, y));
    });
  case Opcode::DivUI:
    return division(inst, regs, n, [mask](I x, I y) {
      return I((U(x) & mask) / (U(y) & mask));
    });
  case Opcode::CeilDivUI:
    return division(inst, regs, n, [mask](I x, I y) {
      U ux = U(x) & mask, uy = U(y) & mask;
      return I(ux / uy + (ux % uy != 0));
    });
  case Opcode::RemUI:
    return division(inst, regs, n, [mask](I x, I y) {
      return I((U(x) & mask) % (U(y) & mask));
    });
  case Opcode::AndI:
    binary<I>(inst, regs, n, [](I x, I y) { return x & y; });
    return;
  case Opcode::OrI:
    binary<I>(inst, regs, n, [](I x, I y) { return x | y; });
    return;
  case Opcode::XOrI:
    binary<I>(inst, regs, n, [](I x, I y) { return x ^ y; });
    return;
  // A shift by the width or more is poison in MLIR, so that it may stand where
  // a select drops it; here it shifts everything out.
  case Opcode::ShLI:
    binary<I>(inst, regs, n, [=](I x, I y) {
      U amount = U(y) & mask;
      return amount >= width ? 0 : I(U(x) << amount);
    });
    return;
  case Opcode::ShRSI:
    binary<I>(inst, regs, n, [=](I x, I y) {
      U amount = U(y) & mask;
      return x >> (amount >= width ? width - 1 : amount);
    });
    return;
  case Opcode::ShRUI:
    binary<I>(inst, regs, n, [=](I x, I y) {
      U amount = U(y) & mask;
      return amount >= width ? 0 : I((U(x) & mask) >> amount);
    });
    return;
  case Opcode::MaxSI:
    binary<I>(inst, regs, n, [](I x, I y) { return x > y ? x : y; });
    return;
  case Opcode::MinSI:
    binary<I>(inst, regs, n, [](I x, I y) { return x < y ? x : y; });
    return;
  case Opcode::MaxUI:
    binary<I>(inst, regs, n, [](I x, I y) { return U(x) > U(y) ? x : y; });
    return;
  case Opcode::MinUI:
    binary<I>(inst, regs, n, [](I x, I y) { return U(x) < U(y) ? x : y; });
    return;
  case Opcode::CmpI:
    compare<I>(inst, regs, n, compareInt);
    return;
  case Opcode::AbsI:
    unary<I>(inst, regs, n, [](I x) { return x < 0 ? I(-U(x)) : x; });
    return;
  case Opcode::CountLeadingZeros:
    unary<I>(inst, regs, n, [=](I x) {
      U ux = U(x) & mask;
      return I(ux == 0 ? width : __builtin_clzll(ux) - (64 - width));
    });
    return;
  case Opcode::CountTrailingZeros:
    unary<I>(inst, regs, n, [=](I x) {
      U ux = U(x) & mask;
      return I(ux == 0 ? width : __builtin_ctzll(ux));
    });
    return;
  case Opcode::PopCount:
    unary<I>(inst, regs, n,
             [=](I x) { return I(__builtin_popcountll(U(x) & mask)); });
    return;
  default:
    return;
  }
}

void executeExtended(const Inst &inst, Reg *regs, int n) {
  const unsigned width = inst.in.width;
  const uint64_t mask = maskOf(width);
  for (int l = 0; l < n; ++l) {
    int64_t x = regs[inst.a].i[l], y = regs[inst.b].i[l];
    __int128 wide;
    if (inst.opcode == Opcode::MulSIExtended)
      wide = static_cast<__int128>(x) * y;
    else if (inst.opcode == Opcode::MulUIExtended)
      wide = static_cast<__int128>(static_cast<unsigned __int128>(x & mask) *
                                   (y & mask));
    else
      wide = static_cast<__int128>(static_cast<unsigned __int128>(x & mask) +
                                   (y & mask));
    regs[inst.dst].i[l] = wrapTo(static_cast<int64_t>(wide), width);
    int64_t high = static_cast<int64_t>(wide >> width);
    // The second result of an addition is an i1.
    regs[inst.dst2].i[l] =
        wrapTo(high, inst.opcode == Opcode::AddUIExtended ? 1 : width);
  }
}

/// N8: out of range saturates, NaN gives 0.
template <typename T> int64_t saturateSigned(T value, unsigned width) {
  if (std::isnan(value))
    return 0;
  T bound = std::ldexp(T(1), static_cast<int>(width) - 1);
  if (value >= bound)
    return static_cast<int64_t>(maskOf(width) >> 1);
  if (value <= -bound)
    return static_cast<int64_t>(~(maskOf(width) >> 1));
  return static_cast<int64_t>(value);
}
template <typename T> int64_t saturateUnsigned(T value, unsigned width) {
  if (!(value > T(0)))
    return 0;
  if (value >= std::ldexp(T(1), static_cast<int>(width)))
    return wrapTo(-1, width);
  return wrapTo(static_cast<int64_t>(static_cast<uint64_t>(value)), width);
}

template <typename T>
void executeFloatToInt(const Inst &inst, Reg *regs, int n) {
  const T *a = regs[inst.a].lanes<T>();
  int64_t *d = regs[inst.dst].i;
  bool isSigned = inst.opcode == Opcode::FPToSI;
  for (int l = 0; l < n; ++l)
    d[l] = isSigned ? saturateSigned(a[l], inst.out.width)
                    : saturateUnsigned(a[l], inst.out.width);
}

template <typename T>
void executeIntToFloat(const Inst &inst, Reg *regs, int n) {
  const int64_t *a = regs[inst.a].i;
  T *d = regs[inst.dst].lanes<T>();
  uint64_t mask = maskOf(inst.in.width);
  bool isSigned = inst.opcode == Opcode::SIToFP;
  for (int l = 0; l < n; ++l)
    d[l] = isSigned ? static_cast<T>(a[l])
                    : static_cast<T>(static_cast<uint64_t>(a[l]) & mask);
}

void executeBitcast(const Inst &inst, Reg *regs, int n) {
  uint8_t bytes[kBatch * 8];
  // i1 is stored as 0 or 1, which is its bit pattern too.
  storeLanes(inst.in, bytes, 0, 1, n, regs[inst.a], 0);
  loadLanes(inst.out, bytes, 0, 1, n, regs[inst.dst], 0);
}

/// f16 and bf16: the one rounding after the one operation.
void roundHalf(Elem elem, Reg &reg, int n) {
  for (int l = 0; l < n; ++l)
    reg.f[l] =
        elem.cls == Elem::F16 ? roundToF16(reg.f[l]) : roundToBF16(reg.f[l]);
}

void convertFloat(const Inst &inst, Reg *regs, int n) {
  const Reg &from = regs[inst.a];
  Reg &to = regs[inst.dst];
  for (int l = 0; l < n; ++l) {
    double value =
        inst.in.cls == Elem::F64 ? from.d[l] : static_cast<double>(from.f[l]);
    switch (inst.out.cls) {
    case Elem::F16:
      to.f[l] = roundToF16(value);
      break;
    case Elem::BF16:
      to.f[l] = roundToBF16(value);
      break;
    case Elem::F32:
      to.f[l] = static_cast<float>(value);
      break;
    default:
      to.d[l] = value;
      break;
    }
  }
}

template <typename T> void executeSelect(const Inst &inst, Reg *regs, int n) {
  const int64_t *condition = regs[inst.a].i;
  const T *b = regs[inst.b].lanes<T>();
  const T *c = regs[inst.c].lanes<T>();
  T *d = regs[inst.dst].lanes<T>();
  for (int l = 0; l < n; ++l)
    d[l] = condition[l] ? b[l] : c[l];
}

template <typename S, typename T>
void loadAs(const uint8_t *data, int64_t offset, int64_t stride, int n, T *to) {
  const S *from = reinterpret_cast<const S *>(data) + offset;
  if (stride == 1)
    for (int l = 0; l < n; ++l)
      to[l] = static_cast<T>(from[l]);
  else
    for (int l = 0; l < n; ++l)
      to[l] = static_cast<T>(from[l * stride]);
}

template <typename S, typename T>
void storeAs(uint8_t *data, int64_t offset, int64_t stride, int n,
             const T *from) {
  S *to = reinterpret_cast<S *>(data) + offset;
  for (int l = 0; l < n; ++l)
    to[l * stride] = static_cast<S>(from[l]);
}

} // namespace

void Reg::fill(Elem elem, Scalar value) {
  for (int l = 0; l < kBatch; ++l)
    set(elem, l, value);
}

Scalar Reg::get(Elem elem, int lane) const {
  Scalar result;
  if (elem.isInt())
    result.i = i[lane];
  else if (elem.isSingle())
    result.f = f[lane];
  else
    result.d = d[lane];
  return result;
}

void Reg::set(Elem elem, int lane, Scalar value) {
  if (elem.isInt())
    i[lane] = value.i;
  else if (elem.isSingle())
    f[lane] = value.f;
  else
    d[lane] = value.d;
}

void qcc::reference::loadLanes(Elem elem, const uint8_t *data, int64_t offset,
                               int64_t stride, int n, Reg &dst, int position) {
  switch (elem.cls) {
  case Elem::F32:
    return loadAs<float>(data, offset, stride, n, dst.f + position);
  case Elem::F64:
    return loadAs<double>(data, offset, stride, n, dst.d + position);
  case Elem::F16:
  case Elem::BF16: {
    const uint16_t *from = reinterpret_cast<const uint16_t *>(data) + offset;
    for (int l = 0; l < n; ++l)
      dst.f[position + l] = elem.cls == Elem::F16 ? fromF16(from[l * stride])
                                                  : fromBF16(from[l * stride]);
    return;
  }
  case Elem::Int:
    break;
  }
  int64_t *to = dst.i + position;
  switch (elem.bytes()) {
  case 1:
    loadAs<int8_t>(data, offset, stride, n, to);
    break;
  case 2:
    loadAs<int16_t>(data, offset, stride, n, to);
    break;
  case 4:
    loadAs<int32_t>(data, offset, stride, n, to);
    break;
  default:
    loadAs<int64_t>(data, offset, stride, n, to);
    break;
  }
  if (elem.width == 1)
    for (int l = 0; l < n; ++l)
      to[l] = -(to[l] & 1);
}

void qcc::reference::storeLanes(Elem elem, uint8_t *data, int64_t offset,
                                int64_t stride, int n, const Reg &src,
                                int position) {
  switch (elem.cls) {
  case Elem::F32:
    return storeAs<float>(data, offset, stride, n, src.f + position);
  case Elem::F64:
    return storeAs<double>(data, offset, stride, n, src.d + position);
  case Elem::F16:
  case Elem::BF16: {
    uint16_t *to = reinterpret_cast<uint16_t *>(data) + offset;
    for (int l = 0; l < n; ++l)
      to[l * stride] = elem.cls == Elem::F16 ? toF16(src.f[position + l])
                                             : toBF16(src.f[position + l]);
    return;
  }
  case Elem::Int:
    break;
  }
  const int64_t *from = src.i + position;
  switch (elem.bytes()) {
  case 1:
    if (elem.width == 1) {
      for (int l = 0; l < n; ++l)
        data[offset + l * stride] = from[l] & 1;
      return;
    }
    return storeAs<int8_t>(data, offset, stride, n, from);
  case 2:
    return storeAs<int16_t>(data, offset, stride, n, from);
  case 4:
    return storeAs<int32_t>(data, offset, stride, n, from);
  default:
    return storeAs<int64_t>(data, offset, stride, n, from);
  }
}

void qcc::reference::execute(const Inst &inst, Reg *regs, int n) {
  switch (inst.opcode) {
  case Opcode::ExtSI:
    regs[inst.dst] = regs[inst.a];
    return;
  case Opcode::ExtUI: {
    uint64_t mask = maskOf(inst.in.width);
    unary<int64_t>(inst, regs, n, [=](int64_t x) { return int64_t(x & mask); });
    return;
  }
  case Opcode::TruncI:
    unary<int64_t>(inst, regs, n,
                   [=](int64_t x) { return wrapTo(x, inst.out.width); });
    return;
  case Opcode::Bitcast:
    executeBitcast(inst, regs, n);
    return;
  case Opcode::ExtF:
  case Opcode::TruncF:
    convertFloat(inst, regs, n);
    return;
  case Opcode::FPToSI:
  case Opcode::FPToUI:
    if (inst.in.isSingle())
      executeFloatToInt<float>(inst, regs, n);
    else
      executeFloatToInt<double>(inst, regs, n);
    return;
  case Opcode::SIToFP:
  case Opcode::UIToFP:
    if (inst.out.isSingle())
      executeIntToFloat<float>(inst, regs, n);
    else
      executeIntToFloat<double>(inst, regs, n);
    if (inst.out.isHalf())
      roundHalf(inst.out, regs[inst.dst], n);
    return;
  case Opcode::AddUIExtended:
  case Opcode::MulSIExtended:
  case Opcode::MulUIExtended:
    executeExtended(inst, regs, n);
    return;
  case Opcode::Select:
    if (inst.in.isInt())
      executeSelect<int64_t>(inst, regs, n);
    else if (inst.in.isSingle())
      executeSelect<float>(inst, regs, n);
    else
      executeSelect<double>(inst, regs, n);
    return;
  default:
    break;
  }
  if (inst.in.isInt()) {
    executeInt(inst, regs, n);
    if (inst.out.width < 64)
      unary<int64_t>(
          {Opcode::TruncI, 0, inst.in, inst.out, inst.dst, 0, inst.dst, 0, 0},
          regs, n, [=](int64_t x) { return wrapTo(x, inst.out.width); });
    return;
  }
  if (inst.in.isSingle())
    executeFloat<float>(inst, regs, n);
  else
    executeFloat<double>(inst, regs, n);
  if (inst.out.isHalf())
    roundHalf(inst.out, regs[inst.dst], n);
}
