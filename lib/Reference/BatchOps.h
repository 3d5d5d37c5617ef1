//===- BatchOps.h - Scalar instructions over batches ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a linalg op becomes a flat list of scalar instructions, each done
// for a batch of elements at a time, so that what interpretation costs is paid
// once per batch and not once per element.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_BATCHOPS_H
#define QCC_LIB_REFERENCE_BATCHOPS_H

#include "Tensor.h"

namespace qcc::reference {

/// A multiple of the 32 lanes of a float reduction (N8).
constexpr int kBatch = 256;

/// One value for each element of a batch, held as `Scalar` says.
struct alignas(64) Reg {
  union {
    int64_t i[kBatch];
    float f[kBatch];
    double d[kBatch];
  };
  template <typename T> T *lanes();

  void fill(Elem elem, Scalar value);
  Scalar get(Elem elem, int lane) const;
  void set(Elem elem, int lane, Scalar value);
};
template <> inline int64_t *Reg::lanes<int64_t>() { return i; }
template <> inline float *Reg::lanes<float>() { return f; }
template <> inline double *Reg::lanes<double>() { return d; }

enum class Opcode : uint8_t {
  // Integers; overflow wraps, a division by zero gives 0 (N8).
  AddI,
  SubI,
  MulI,
  DivSI,
  DivUI,
  CeilDivSI,
  CeilDivUI,
  FloorDivSI,
  RemSI,
  RemUI,
  AndI,
  OrI,
  XOrI,
  ShLI,
  ShRSI,
  ShRUI,
  MaxSI,
  MaxUI,
  MinSI,
  MinUI,
  CmpI,
  AbsI,
  CountLeadingZeros,
  CountTrailingZeros,
  PopCount,
  // Two results.
  AddUIExtended,
  MulSIExtended,
  MulUIExtended,
  // Floats.
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  CmpF,
  NegF,
  AbsF,
  Floor,
  Ceil,
  Round,
  RoundEven,
  Trunc,
  CopySign,
  Sqrt,
  Fma,
  Exp,
  Tanh,
  Erf,
  Rsqrt,
  Log,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Asinh,
  Acosh,
  Atanh,
  Expm1,
  Log1p,
  Pow,
  // Between kinds.
  ExtSI,
  ExtUI,
  TruncI,
  ExtF,
  TruncF,
  SIToFP,
  UIToFP,
  FPToSI,
  FPToUI,
  Bitcast,
  Select,
  /// An op that the interpreter walks element by element; not run here.
  Walk
};

struct Inst {
  Opcode opcode = Opcode::AddI;
  uint8_t predicate = 0; ///< of CmpI and CmpF, as MLIR numbers them
  Elem in;               ///< of the operands (of the values of a Select)
  Elem out;              ///< of the result
  unsigned dst = 0, dst2 = 0, a = 0, b = 0, c = 0;
};

/// Runs one instruction over `n` lanes.
void execute(const Inst &inst, Reg *regs, int n);

/// `dst` lanes [position, position + n) from the elements at
/// offset, offset + stride, ...
void loadLanes(Elem elem, const uint8_t *data, int64_t offset, int64_t stride,
               int n, Reg &dst, int position);
void storeLanes(Elem elem, uint8_t *data, int64_t offset, int64_t stride, int n,
                const Reg &src, int position);

/// Sign-extends the low `width` bits.
inline int64_t wrapTo(int64_t value, unsigned width) {
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_BATCHOPS_H
