//===- BatchArithmetic.cpp - Arithmetic over batches ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions whose result has the kind of their operands, and comparisons.
// Each case is one plain loop over the lanes of a batch.
//
//===----------------------------------------------------------------------===//

#include "BatchLoops.h"
#include "FloatLibrary.h"
#include <cmath>

using namespace qcc::reference;

namespace {

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

} // namespace

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {

using I = int64_t;
using U = uint64_t;

/// A division or remainder in every lane; by zero, each gives 0 (N8).
template <typename F> void division(const Inst &inst, Reg *regs, int n, F op) {
  binary<int64_t>(inst, regs, n,
                  [op](int64_t x, int64_t y) { return y == 0 ? 0 : op(x, y); });
}

// The least integer divided by -1 wraps, as its negation does.
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

void executeDivision(const Inst &inst, Reg *regs, int n) {
  const U mask = maskOf(inst.in.width);
  switch (inst.opcode) {
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
  default:
    return;
  }
}

/// Instructions on bits: logic, shifts and counts.
void executeBits(const Inst &inst, Reg *regs, int n) {
  const unsigned width = inst.in.width;
  const U mask = maskOf(width);
  switch (inst.opcode) {
  case Opcode::AndI:
    return binary<I>(inst, regs, n, [](I x, I y) { return x & y; });
  case Opcode::OrI:
    return binary<I>(inst, regs, n, [](I x, I y) { return x | y; });
  case Opcode::XOrI:
    return binary<I>(inst, regs, n, [](I x, I y) { return x ^ y; });
  // A shift by the width or more is poison in MLIR, so that it may stand where
  // a select drops it; here it shifts everything out.
  case Opcode::ShLI:
    return binary<I>(inst, regs, n, [=](I x, I y) {
      U amount = U(y) & mask;
      return amount >= width ? 0 : I(U(x) << amount);
    });
  case Opcode::ShRSI:
    return binary<I>(inst, regs, n, [=](I x, I y) {
      U amount = U(y) & mask;
      return x >> (amount >= width ? width - 1 : amount);
    });
  case Opcode::ShRUI:
    return binary<I>(inst, regs, n, [=](I x, I y) {
      U amount = U(y) & mask;
      return amount >= width ? 0 : I((U(x) & mask) >> amount);
    });
  case Opcode::CountLeadingZeros:
    return unary<I>(inst, regs, n, [=](I x) {
      U ux = U(x) & mask;
      return I(ux == 0 ? width : __builtin_clzll(ux) - (64 - width));
    });
  case Opcode::CountTrailingZeros:
    return unary<I>(inst, regs, n, [=](I x) {
      U ux = U(x) & mask;
      return I(ux == 0 ? width : __builtin_ctzll(ux));
    });
  case Opcode::PopCount:
    return unary<I>(inst, regs, n,
                    [=](I x) { return I(__builtin_popcountll(U(x) & mask)); });
  default:
    return;
  }
}

/// Comparisons, and instructions that choose a value by a comparison.
void executeOrder(const Inst &inst, Reg *regs, int n) {
  switch (inst.opcode) {
  case Opcode::MaxSI:
    return binary<I>(inst, regs, n, [](I x, I y) { return x > y ? x : y; });
  case Opcode::MinSI:
    return binary<I>(inst, regs, n, [](I x, I y) { return x < y ? x : y; });
  case Opcode::MaxUI:
    return binary<I>(inst, regs, n,
                     [](I x, I y) { return U(x) > U(y) ? x : y; });
  case Opcode::MinUI:
    return binary<I>(inst, regs, n,
                     [](I x, I y) { return U(x) < U(y) ? x : y; });
  case Opcode::CmpI:
    return compare<I>(inst, regs, n, compareInt);
  case Opcode::AbsI:
    return unary<I>(inst, regs, n, [](I x) { return x < 0 ? I(-U(x)) : x; });
  default:
    return;
  }
}

} // namespace

void qcc::reference::executeInt(const Inst &inst, Reg *regs, int n) {
  switch (inst.opcode) {
  case Opcode::AddI:
    return binary<I>(inst, regs, n, [](I x, I y) { return I(U(x) + U(y)); });
  case Opcode::SubI:
    return binary<I>(inst, regs, n, [](I x, I y) { return I(U(x) - U(y)); });
  case Opcode::MulI:
    return binary<I>(inst, regs, n, [](I x, I y) { return I(U(x) * U(y)); });
  case Opcode::DivSI:
  case Opcode::DivUI:
  case Opcode::CeilDivSI:
  case Opcode::CeilDivUI:
  case Opcode::FloorDivSI:
  case Opcode::RemSI:
  case Opcode::RemUI:
    return executeDivision(inst, regs, n);
  case Opcode::MaxSI:
  case Opcode::MaxUI:
  case Opcode::MinSI:
  case Opcode::MinUI:
  case Opcode::CmpI:
  case Opcode::AbsI:
    return executeOrder(inst, regs, n);
  default:
    return executeBits(inst, regs, n);
  }
}

void qcc::reference::executeExtended(const Inst &inst, Reg *regs, int n) {
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

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

namespace {

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

} // namespace

/// The functions of N8, which are defined on float32.
static void executeFunction(const Inst &inst, Reg *regs, int n) {
  switch (inst.opcode) {
  case Opcode::Exp:
    return unary<float>(inst, regs, n, fixedExp);
  case Opcode::Tanh:
    return unary<float>(inst, regs, n, fixedTanh);
  case Opcode::Erf:
    return unary<float>(inst, regs, n, fixedErf);
  case Opcode::Rsqrt:
    return unary<float>(inst, regs, n, fixedRsqrt);
  case Opcode::Log:
    return unary<float>(inst, regs, n, fixedLog);
  case Opcode::Sin:
    return unary<float>(inst, regs, n, fixedSin);
  case Opcode::Cos:
    return unary<float>(inst, regs, n, fixedCos);
  case Opcode::Tan:
    return unary<float>(inst, regs, n, fixedTan);
  case Opcode::Asin:
    return unary<float>(inst, regs, n, fixedAsin);
  case Opcode::Acos:
    return unary<float>(inst, regs, n, fixedAcos);
  case Opcode::Atan:
    return unary<float>(inst, regs, n, fixedAtan);
  case Opcode::Sinh:
    return unary<float>(inst, regs, n, fixedSinh);
  case Opcode::Cosh:
    return unary<float>(inst, regs, n, fixedCosh);
  case Opcode::Asinh:
    return unary<float>(inst, regs, n, fixedAsinh);
  case Opcode::Acosh:
    return unary<float>(inst, regs, n, fixedAcosh);
  case Opcode::Atanh:
    return unary<float>(inst, regs, n, fixedAtanh);
  case Opcode::Expm1:
    return unary<float>(inst, regs, n, fixedExpm1);
  case Opcode::Log1p:
    return unary<float>(inst, regs, n, fixedLog1p);
  case Opcode::Pow:
    return binary<float>(inst, regs, n, fixedPow);
  default:
    break;
  }
}

template <typename T>
void qcc::reference::executeFloat(const Inst &inst, Reg *regs, int n) {
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
  if constexpr (std::is_same_v<T, float>)
    executeFunction(inst, regs, n);
}

template void qcc::reference::executeFloat<float>(const Inst &, Reg *, int);
template void qcc::reference::executeFloat<double>(const Inst &, Reg *, int);
