//===- BatchLoops.h - Loops over the lanes of a batch -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that run scalar instructions over batches share. They compile
// without contraction of a multiplication and an addition (N4).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_BATCHLOOPS_H
#define QCC_LIB_REFERENCE_BATCHLOOPS_H

#include "BatchOps.h"

namespace qcc::reference {

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

/// The low `width` bits.
inline uint64_t maskOf(unsigned width) { return ~uint64_t(0) >> (64 - width); }

/// Integer instructions with one result; what exceeds the width of the result
/// is still in its lanes.
void executeInt(const Inst &inst, Reg *regs, int n);
/// Integer instructions with two results: the low and the high half of a
/// product, or a sum and its carry.
void executeExtended(const Inst &inst, Reg *regs, int n);
/// Float instructions in the precision of T: f16 and bf16 are rounded
/// afterwards.
template <typename T> void executeFloat(const Inst &inst, Reg *regs, int n);
extern template void executeFloat<float>(const Inst &, Reg *, int);
extern template void executeFloat<double>(const Inst &, Reg *, int);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_BATCHLOOPS_H
