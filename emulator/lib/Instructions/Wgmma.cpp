//===- Wgmma.cpp - Products of warpgroups ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of wgmma.mma_async lie with k side by side, but for transposed ones
// of f16 and bf16.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

// Groups of mma_async.
constexpr int groupOfD = 0, groupOfA = 2, groupOfB = 3, groupOfScale = 4,
              firstNumber = 5, firstTransposition = 7;

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// Of a warp's part with eight columns.
arith::MmaKind kindOfPart(const Instruction &inst) {
  arith::MmaKind kind;
  kind.m = 16;
  kind.n = 8;
  kind.k = inst.has(Mod::m64nNk8) ? 8 : inst.has(Mod::m64nNk16) ? 16 : 32;
  kind.d = kind.c = inst.types[0];
  kind.a = inst.types[1];
  kind.b = inst.types[2];
  kind.satfinite = inst.has(Mod::satfinite);
  return kind;
}

void reportDifference(Warp &warp, const Instruction &inst, const char *what) {
  if (Report *report = warp.report(ReportKind::AsyncMisuse, inst, -1))
    report->message =
        std::string(what) + " differs between the lanes of a warp";
}

/// By the number that an instruction may have at the end.
bool isTransposed(const Instruction &inst, int group) {
  return inst.hasOperand(group) && inst.op(group).value == 1;
}

/// The value that all lanes of a warp should have; else there is a report.
uint64_t uniformValue(Warp &warp, const Instruction &inst,
                      const Operand &operand, const char *what) {
  uint64_t value = warp.lane(operand, 0);
  bool differ = false;
  forLanes(~0u, [&](int i) { differ |= warp.lane(operand, i) != value; });
  if (differ)
    reportDifference(warp, inst, what);
  return value;
}

void checkDescriptor(Warp &warp, const Instruction &inst,
                     const MatrixDescriptor &matrix, const char *name) {
  if (matrix.isClean() && matrix.baseOffset() == 0)
    return;
  if (Report *report = warp.report(ReportKind::AsyncMisuse, inst, -1))
    report->message =
        "the descriptor of " + std::string(name) + ", " +
        hexText(matrix.bits()) +
        (matrix.isClean() ? ", has a base offset, which is not emulated"
                          : ", has bits that belong to no field; addresses and "
                            "offsets are divided by 16");
}

void multiply(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (!warp.gatherAligned(inst, mask, ReportKind::WarpDivergence) ||
      !warp.cta().warpgroups().meet(warp, inst))
    return;
  Warpgroups::Product product;
  product.inst = &inst;
  product.kind = kindOfPart(inst);
  product.columns = inst.columns;
  uint32_t scale = warp.predicate(inst.op(groupOfScale));
  product.accumulates = scale & 1;
  if (scale != 0 && scale != ~0u)
    reportDifference(warp, inst, "scale-d");
  product.hasDescriptorOfA = inst.count(groupOfA) == 1;
  if (product.hasDescriptorOfA)
    product.a = MatrixDescriptor(
        uniformValue(warp, inst, inst.op(groupOfA), "the descriptor of A"),
        isTransposed(inst, firstTransposition));
  product.b = MatrixDescriptor(
      uniformValue(warp, inst, inst.op(groupOfB), "the descriptor of B"),
      isTransposed(inst, firstTransposition + product.hasDescriptorOfA));
  checkDescriptor(warp, inst, product.a, "A");
  checkDescriptor(warp, inst, product.b, "B");
  if (inst.hasOperand(firstNumber + 1)) {
    product.negatesA = static_cast<int32_t>(inst.op(firstNumber).value) < 0;
    product.negatesB = static_cast<int32_t>(inst.op(firstNumber + 1).value) < 0;
  }
  warp.cta().warpgroups().issue(warp, product);
}

bool areNumbersGood(const Instruction &inst) {
  for (int group = firstNumber; group < inst.numGroups; ++group) {
    auto value = static_cast<int32_t>(inst.op(group).value);
    bool isScale = group < firstTransposition;
    if (value != 1 && value != (isScale ? -1 : 0))
      return false;
  }
  return true;
}

bool selectMultiply(Instruction &inst) {
  inst.execute = multiply;
  arith::MmaKind kind = kindOfPart(inst);
  if (!arith::isSupported(kind))
    return false;
  constexpr int most = 256, ofPart = 8;
  bool isInteger = kind.d == ScalarType::S32;
  // Of integers, there are no odd multiples of 8 above 24.
  bool isShapeGood =
      inst.columns >= ofPart && inst.columns <= most &&
      inst.columns % ofPart == 0 &&
      (!isInteger || inst.columns <= 24 || inst.columns % (2 * ofPart) == 0);
  int registers = inst.columns / ofPart * arith::mmaRegisters(kind).d;
  // A's transposition is a number of descriptors only.
  bool isCountGood = kind.k != 16 || inst.numGroups - firstNumber ==
                                         (inst.count(groupOfA) == 1 ? 4 : 3);
  return isShapeGood && isCountGood && inst.count(groupOfD) == registers &&
         areNumbersGood(inst);
}

void fence(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (warp.gatherAligned(inst, mask, ReportKind::WarpDivergence))
    warp.fenceRegisters();
}

void commit(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (warp.gatherAligned(inst, mask, ReportKind::WarpDivergence))
    warp.cta().warpgroups().commit(warp);
}

void wait(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (warp.gatherAligned(inst, mask, ReportKind::WarpDivergence))
    warp.cta().warpgroups().wait(warp, static_cast<uint32_t>(inst.op(0).value));
}

bool selectWait(Instruction &inst) {
  inst.execute = wait;
  constexpr int most = 7;
  return inst.op(0).value >= 0 && inst.op(0).value <= most;
}

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

void setRegisters(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (warp.gatherAligned(inst, mask, ReportKind::WarpDivergence) &&
      warp.cta().warpgroups().meet(warp, inst))
    warp.cta().warpgroups().setRegisters(warp, inst,
                                         static_cast<int>(inst.op(0).value));
}

bool selectSetRegisters(Instruction &inst) {
  inst.execute = setRegisters;
  constexpr int least = 24, most = 256, unit = 8;
  int64_t value = inst.op(0).value;
  return value >= least && value <= most && value % unit == 0;
}

constexpr CostClass matrix = CostClass::Matrix;
constexpr Since wgmmaSince = {90, 80, 90};

constexpr InstructionRow rows[] = {
    {"wgmma", "mma_async sync aligned m64nNk32 ?satfinite s32 s8|u8 s8|u8",
     "+*b32 4*b32^ b64 !pred", selectMultiply, matrix, wgmmaSince},
    {"wgmma", "mma_async sync aligned m64nNk16 f32|f16 f16 f16",
     "+*b32 4*b32^ b64 !pred # # # ?#", selectMultiply, matrix, wgmmaSince},
    {"wgmma", "mma_async sync aligned m64nNk16 f32 bf16 bf16",
     "+*b32 4*b32^ b64 !pred # # # ?#", selectMultiply, matrix, wgmmaSince},
    {"wgmma", "mma_async sync aligned m64nNk8 f32 tf32 tf32",
     "+*b32 4*b32^ b64 !pred # #", selectMultiply, matrix, wgmmaSince},
    {"wgmma", "mma_async sync aligned m64nNk32 f32|f16 e4m3|e5m2 e4m3|e5m2",
     "+*b32 4*b32^ b64 !pred # #", selectMultiply, matrix, wgmmaSince},
    {"wgmma", "fence sync aligned", "", select<fence>, CostClass::Fence,
     wgmmaSince},
    {"wgmma", "commit_group sync aligned", "", select<commit>,
     CostClass::Barrier, wgmmaSince},
    {"wgmma", "wait_group sync aligned", "#", selectWait, CostClass::Barrier,
     wgmmaSince},
    {"setmaxnreg", "inc|dec sync aligned u32", "#", selectSetRegisters,
     CostClass::Barrier, wgmmaSince},
};

} // namespace

RowList wgmmaRows() { return rowList(rows); }

} // namespace qcc::emu
