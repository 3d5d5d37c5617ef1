//===- Matrix.cpp - mma, ldmatrix and stmatrix ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lanes of a warp execute these together. Where some are missing there is a
// report, and their registers count as they are. Products of four warps are in
// Wgmma.cpp.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Cta.h"

#include "qcc/Emulator/Arith.h"

namespace qcc::emu {
namespace {

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

arith::MmaKind mmaKind(const Instruction &inst) {
  arith::MmaKind kind;
  struct Shape {
    Mod mod;
    int m, n, k;
  };
  static constexpr Shape shapes[] = {
      {Mod::m8n8k4, 8, 8, 4},     {Mod::m8n8k16, 8, 8, 16},
      {Mod::m8n8k32, 8, 8, 32},   {Mod::m16n8k4, 16, 8, 4},
      {Mod::m16n8k8, 16, 8, 8},   {Mod::m16n8k16, 16, 8, 16},
      {Mod::m16n8k32, 16, 8, 32}, {Mod::m16n8k64, 16, 8, 64}};
  for (const Shape &shape : shapes)
    if (inst.has(shape.mod)) {
      kind.m = shape.m;
      kind.n = shape.n;
      kind.k = shape.k;
    }
  kind.d = inst.types[0];
  kind.a = inst.types[1];
  kind.b = inst.types[2];
  kind.c = inst.types[3];
  kind.satfinite = inst.has(Mod::satfinite);
  return kind;
}

/// `Word`: a register. `multiply`: what computes.
template <typename Word, auto multiply>
void mma(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (!warp.gatherAligned(inst, mask, ReportKind::WarpDivergence))
    return;
  arith::MmaKind kind = mmaKind(inst);
  constexpr int maxRegisters = 8;
  Word *d[maxRegisters];
  const Word *sources[3][maxRegisters];
  // A sink takes a register of d.
  Word sink[32];
  for (int i = 0; i < inst.count(0); ++i)
    d[i] = inst.op(0, i).isPresent() ? warp.out<Word>(inst.op(0, i)) : sink;
  for (int operand = 0; operand < 3; ++operand)
    for (int i = 0; i < inst.count(operand + 1); ++i)
      sources[operand][i] = warp.in<Word>(inst.op(operand + 1, i));
  multiply(kind, d, sources[0], sources[1], sources[2]);
}

bool selectMma(Instruction &inst) {
  arith::MmaKind kind = mmaKind(inst);
  if (!arith::isSupported(kind))
    return false;
  arith::MmaRegisters registers = arith::mmaRegisters(kind);
  inst.execute = kind.d == ScalarType::F64 ? mma<uint64_t, arith::mmaF64>
                                           : mma<uint32_t, arith::mma>;
  return inst.count(0) == registers.d && inst.count(1) == registers.a &&
         inst.count(2) == registers.b && inst.count(3) == registers.c;
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// The rows, of which lane i names the i-th.
void prepareRows(Warp &warp, const Instruction &inst, uint32_t mask,
                 const Operand &address, int matrices, Access &access) {
  constexpr int rowBytes = 16, rowsOfMatrix = 8;
  uint32_t rows = matrices == 4 ? ~0u : (1u << (rowsOfMatrix * matrices)) - 1;
  access.inst = &inst;
  access.isCollective = true;
  access.space = inst.space;
  access.size = access.elementSize = rowBytes;
  access.mask = rows & mask;
  for (int i = 0; i < 32; ++i) {
    access.memory[i] = nullptr;
    access.address[i] = warp.address(address, i);
  }
}

void loadMatrix(Warp &warp, const Instruction &inst, uint32_t mask) {
  mask = warp.gatherAligned(inst, mask, ReportKind::WarpDivergence);
  if (mask == 0)
    return;
  int matrices = inst.count(0);
  Access access;
  access.kind = AccessKind::Load;
  prepareRows(warp, inst, mask, inst.op(1), matrices, access);
  warp.cta().memory().access(warp, access);
  const uint8_t *rows[32];
  for (int i = 0; i < 32; ++i)
    rows[i] = access.memory[i];
  uint32_t *d[4], sink[32];
  for (int i = 0; i < matrices; ++i)
    d[i] = inst.op(0, i).isPresent() ? warp.out<uint32_t>(inst.op(0, i)) : sink;
  arith::ldmatrix(matrices, inst.has(Mod::trans), rows, d);
  if (access.unwritten)
    warp.noteUnwrittenRows(inst, access);
}

void storeMatrix(Warp &warp, const Instruction &inst, uint32_t mask) {
  mask = warp.gatherAligned(inst, mask, ReportKind::WarpDivergence);
  if (mask == 0)
    return;
  int matrices = inst.count(1);
  Access access;
  access.kind = AccessKind::Store;
  prepareRows(warp, inst, mask, inst.op(0), matrices, access);
  const uint32_t *sources[4];
  for (int i = 0; i < matrices; ++i)
    sources[i] = warp.in<uint32_t>(inst.op(1, i));
  uint8_t *rows[32];
  for (int i = 0; i < 32; ++i)
    rows[i] = access.mask >> i & 1 ? access.data[i] : nullptr;
  arith::stmatrix(matrices, inst.has(Mod::trans), rows, sources);
  warp.cta().memory().access(warp, access);
}

/// .x1, .x2 and .x4 say how many registers there are.
bool isCountGood(const Instruction &inst, int registers) {
  return registers == (inst.has(Mod::x4) ? 4 : inst.has(Mod::x2) ? 2 : 1);
}
bool selectLoadMatrix(Instruction &inst) {
  inst.execute = loadMatrix;
  return isCountGood(inst, inst.count(0));
}
bool selectStoreMatrix(Instruction &inst) {
  inst.execute = storeMatrix;
  inst.isStore = true;
  return isCountGood(inst, inst.count(1));
}

constexpr CostClass matrix = CostClass::Matrix;
constexpr CostClass shared = CostClass::Shared;

constexpr InstructionRow rows[] = {
    {"mma",
     "sync aligned m8n8k16 row col ?satfinite s32 s8|u8 s8|u8 s32",
     "=2*b32 1*b32 1*b32 2*b32",
     selectMma,
     matrix,
     {75, 65}},
    {"mma",
     "sync aligned m16n8k16 row col ?satfinite s32 s8|u8 s8|u8 s32",
     "=4*b32 2*b32 1*b32 4*b32",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m16n8k32 row col ?satfinite s32 s8|u8 s8|u8 s32",
     "=4*b32 4*b32 2*b32 4*b32",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m16n8k8 row col f32 f16|bf16 f16|bf16 f32",
     "=4*b32 2*b32 1*b32 4*b32",
     selectMma,
     matrix,
     {75, 65}},
    {"mma",
     "sync aligned m16n8k8 row col f16 f16 f16 f16",
     "=2*b32 2*b32 1*b32 2*b32",
     selectMma,
     matrix,
     {75, 65}},
    {"mma",
     "sync aligned m16n8k16 row col f32 f16|bf16 f16|bf16 f32",
     "=4*b32 4*b32 2*b32 4*b32",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m16n8k16 row col f16 f16 f16 f16",
     "=2*b32 4*b32 2*b32 2*b32",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m8n8k32 row col ?satfinite s32 s4|u4 s4|u4 s32",
     "=2*b32 1*b32 1*b32 2*b32",
     selectMma,
     matrix,
     {75, 65}},
    {"mma",
     "sync aligned m16n8k32 row col ?satfinite s32 s4|u4 s4|u4 s32",
     "=4*b32 2*b32 1*b32 4*b32",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m16n8k64 row col ?satfinite s32 s4|u4 s4|u4 s32",
     "=4*b32 4*b32 2*b32 4*b32",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
     "=4*b32 2*b32 1*b32 4*b32",
     selectMma,
     matrix,
     {89, 87}},
    {"mma",
     "sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16",
     "=2*b32 2*b32 1*b32 2*b32",
     selectMma,
     matrix,
     {89, 87}},
    {"mma",
     "sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
     "=4*b32 4*b32 2*b32 4*b32",
     selectMma,
     matrix,
     {89, 84}},
    {"mma",
     "sync aligned m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16",
     "=2*b32 4*b32 2*b32 2*b32",
     selectMma,
     matrix,
     {89, 87}},
    {"mma",
     "sync aligned m8n8k4 row col f64 f64 f64 f64",
     "=2*f64 1*f64 1*f64 2*f64",
     selectMma,
     matrix,
     {80, 70}},
    {"mma",
     "sync aligned m16n8k4 row col f64 f64 f64 f64",
     "=4*f64 2*f64 1*f64 4*f64",
     selectMma,
     matrix,
     {90, 78}},
    {"mma",
     "sync aligned m16n8k8 row col f64 f64 f64 f64",
     "=4*f64 4*f64 2*f64 4*f64",
     selectMma,
     matrix,
     {90, 78}},
    {"mma",
     "sync aligned m16n8k16 row col f64 f64 f64 f64",
     "=4*f64 8*f64 4*f64 4*f64",
     selectMma,
     matrix,
     {90, 78}},
    {"mma", "sync aligned m16n8k4 row col f32 tf32 tf32 f32",
     "=4*b32 2*b32 1*b32 4*b32", selectMma, matrix},
    {"mma", "sync aligned m16n8k8 row col f32 tf32 tf32 f32",
     "=4*b32 4*b32 2*b32 4*b32", selectMma, matrix},

    {"ldmatrix",
     "sync aligned m8n8 x1 ?trans ?shared|shared::cta b16",
     "=1*b32 []",
     selectLoadMatrix,
     shared,
     {75, 65}},
    {"ldmatrix",
     "sync aligned m8n8 x2 ?trans ?shared|shared::cta b16",
     "=2*b32 []",
     selectLoadMatrix,
     shared,
     {75, 65}},
    {"ldmatrix",
     "sync aligned m8n8 x4 ?trans ?shared|shared::cta b16",
     "=4*b32 []",
     selectLoadMatrix,
     shared,
     {75, 65}},
    {"stmatrix",
     "sync aligned m8n8 x1 ?trans ?shared|shared::cta b16",
     "[] 1*b32",
     selectStoreMatrix,
     shared,
     {90, 78}},
    {"stmatrix",
     "sync aligned m8n8 x2 ?trans ?shared|shared::cta b16",
     "[] 2*b32",
     selectStoreMatrix,
     shared,
     {90, 78}},
    {"stmatrix",
     "sync aligned m8n8 x4 ?trans ?shared|shared::cta b16",
     "[] 4*b32",
     selectStoreMatrix,
     shared,
     {90, 78}},
};

} // namespace

RowList matrixRows() { return rowList(rows); }

} // namespace qcc::emu
