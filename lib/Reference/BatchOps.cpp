//===- BatchOps.cpp - Scalar instructions over batches --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves values between memory and registers and from one kind to another, and
// chooses the loop that runs an instruction.
//
//===----------------------------------------------------------------------===//

#include "BatchLoops.h"
#include "Half.h"
#include <cmath>

using namespace qcc::reference;

namespace {

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
