//===- Counters.h - Counters of a launch ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact counts, the same for every seed of a correct program and every number
// of host threads. An execution is one instruction of one warp, however many of
// its lanes take part.
//
// Shared memory has 32 banks of 4 bytes. A request is served in wavefronts: it
// is cut into phases of at most 128 bytes (32 lanes of up to 4 bytes, 16 of 8,
// 8 of 16; one 8x8 matrix of ldmatrix), and a phase takes as many wavefronts as
// the bank with the most different words needs. That number is the conflict
// degree of the phase; 1 is free of conflicts. Atomics on one word take a
// wavefront for each lane.
//
// Global memory moves in sectors of 32 bytes. A request takes as many as its
// lanes touch; its useful bytes are those that some lane asked for.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_COUNTERS_H
#define QCC_EMULATOR_COUNTERS_H

#include "qcc/Support/Json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qcc::emu {

/// What an instruction costs a chip: the pipe it is issued to.
enum class CostClass : uint8_t {
  Free,      ///< Declarations of registers and the like; not executed.
  Integer,   ///< 32-bit integer and logic.
  Wide,      ///< 64-bit integer: two issue slots.
  Multiply,  ///< Integer multiplications, dp4a.
  Float,     ///< f32, f16, bf16 and packed halves.
  FloatPair, ///< f32x2: one issue slot, two of the float pipe.
  Double,    ///< f64.
  Convert,   ///< cvt and cvt.pack.
  Special,   ///< Approximations: ex2, lg2, rcp, rsqrt, sin, cos, tanh.
  Divide,    ///< What becomes a sequence: division, remainder, exact sqrt.
  Move,      ///< mov, selp, prmt and what assemblers mostly remove.
  Matrix,    ///< mma and wgmma.
  Shared,    ///< Loads and stores of shared memory, ldmatrix, stmatrix.
  Global,    ///< Loads and stores of global memory.
  Local,     ///< Of local memory.
  Constant,  ///< Of constant memory and parameters.
  AsyncCopy, ///< cp.async and bulk copies.
  Atomic,    ///< atom and red.
  Shuffle,   ///< shfl, vote, match, redux.
  Barrier,   ///< Barriers and waits.
  Fence,     ///< membar and fence.
  Branch     ///< Branches, calls, returns.
};
constexpr int numCostClasses = static_cast<int>(CostClass::Branch) + 1;

/// "integer", "shared", ...
const char *costClassName(CostClass cost);

/// Requests to one kind of memory.
struct SharedCounters {
  int64_t requests = 0;
  int64_t wavefronts = 0;      ///< What the requests took.
  int64_t idealWavefronts = 0; ///< What they take without conflicts.
  int maxDegree = 0;           ///< The worst phase.
  int64_t bytes = 0;           ///< Over all lanes.

  void add(const SharedCounters &other);
};

struct GlobalCounters {
  int64_t requests = 0;
  int64_t sectors = 0;
  int64_t usefulBytes = 0;

  void add(const GlobalCounters &other);
  /// Sectors for each request.
  double sectorsPerRequest() const;
  /// The share of the sectors' bytes that was asked for, 0 to 1.
  double usefulShare() const;
};

struct InstructionCounters {
  int line = 0;     ///< In the PTX text.
  std::string text; ///< The instruction.
  CostClass cost = CostClass::Free;
  int loop = -1;          ///< The innermost loop: an index of loops, or -1.
  int64_t executions = 0; ///< By warps.
  int64_t lanes = 0;      ///< Active lanes over all executions.
  SharedCounters shared;
  GlobalCounters global;
  /// Of a load that the warp waits for, alone or with those that follow it:
  /// instructions until something needs a result. -1: of all others.
  int useDistance = -1;
};

/// A natural loop of the kernel.
struct LoopCounters {
  int firstLine = 0, lastLine = 0; ///< In the PTX text.
  int parent = -1;                 ///< The loop around it.
  int depth = 1;
  int64_t executions = 0; ///< Of its instructions, inner loops included.
  int64_t mmas = 0;
};

/// Multiply-accumulates by what multiplies them.
struct MatrixCounters {
  int64_t instructions = 0;
  int64_t int8Macs = 0; ///< Of 8 bits; two of 4 bits count as one.
  int64_t halfMacs = 0; ///< f16 and bf16; one of f64 counts as sixteen.
  /// The parts of both that wgmma multiplies.
  int64_t warpgroupInt8Macs = 0, warpgroupHalfMacs = 0;
};

struct Counters {
  std::string kernel;
  int64_t ctas = 0;
  int threadsPerCta = 0;
  int warpsPerCta = 0;
  int64_t staticShared = 0, dynamicShared = 0; ///< Bytes of a CTA.
  int registers = 0; ///< 32-bit registers that are live at once, at most.

  int64_t executions = 0; ///< Of all instructions, by warps.
  int64_t lanes = 0;
  int64_t byClass[numCostClasses] = {}; ///< Executions.
  MatrixCounters matrix;
  int64_t barriers = 0; ///< Barriers completed, over all CTAs.
  SharedCounters shared;
  GlobalCounters globalLoads, globalStores;
  int64_t globalAtomics = 0; ///< Requests.
  GlobalCounters atomicTraffic;
  /// Operations of lanes on the address that has most of them.
  int64_t hottestAtomic = 0;
  int64_t loadedBytes = 0; ///< Different bytes of global memory, by sector.
  int64_t storedBytes = 0;

  std::vector<InstructionCounters> instructions;
  std::vector<LoopCounters> loops;

  /// The innermost loop with most mma, or most executions where there is no
  /// mma: an index of loops, or -1.
  int hottestLoop = -1;
  /// Executions in the hottest loop for each mma in it; 0 without mma.
  double instructionsPerMma = 0;
  /// Elements stored to global memory, and the thread instructions executed
  /// outside of and after the hottest loop for each of them.
  int64_t outputElements = 0;
  double instructionsPerOutput = 0;
};

/// A table for a person.
std::string formatCounters(const Counters &counters);
/// The same as JSON.
Json countersJson(const Counters &counters);

} // namespace qcc::emu

#endif // QCC_EMULATOR_COUNTERS_H
