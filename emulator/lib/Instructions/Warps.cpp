//===- Warps.cpp - Shuffles, votes and what else crosses lanes ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each names the lanes that execute it with a mask. Lanes that come early wait
// for the others.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Cta.h"

#include "qcc/Emulator/Arith.h"

namespace qcc::emu {
namespace {

/// The lanes to execute for, once all that the mask names are here; or 0.
uint32_t gatherMembers(Warp &warp, const Instruction &inst, uint32_t mask,
                       int maskGroup, bool anywhere = false) {
  const uint32_t *members = warp.in<uint32_t>(inst.op(maskGroup));
  uint32_t named = members[__builtin_ctz(mask)];
  bool differ = false;
  forLanes(mask, [&](int i) { differ |= members[i] != named; });
  if (differ) {
    // Each mask is a group of its own.
    warp.partByValue(mask, members);
    return 0;
  }
  return warp.gather(inst, mask, named, anywhere);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Groups: d, p, a, b, c, mask.
void shuffle(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 5);
  if (lanes == 0)
    return;
  constexpr uint32_t undefinedValue = 0xa5a5a5a5;
  auto mode = static_cast<arith::ShuffleMode>(inst.data);
  uint32_t named = warp.in<uint32_t>(inst.op(5))[__builtin_ctz(mask)];
  uint32_t a[32];
  memcpy(a, warp.in<uint32_t>(inst.op(2)), sizeof(a));
  const uint32_t *b = warp.in<uint32_t>(inst.op(3)),
                 *c = warp.in<uint32_t>(inst.op(4));
  uint32_t results[32], inRange = 0;
  uint32_t undefinedBefore = warp.undefinedLanes(inst.op(2));
  uint32_t undefined = 0, madeUp = 0;
  forLanes(lanes, [&](int i) {
    arith::ShuffleSource source = arith::shuffleSource(mode, i, b[i], c[i]);
    inRange |= uint32_t(source.inRange) << i;
    results[i] = a[source.lane];
    undefined |= (undefinedBefore >> source.lane & 1) << i;
    if (lanes >> source.lane & 1)
      return;
    // Reductions read beyond their lanes and drop what they get. But who is
    // named should be there.
    results[i] = undefinedValue;
    if (!(named >> source.lane & 1)) {
      madeUp |= 1u << i;
      return;
    }
    if (Report *report = warp.report(ReportKind::WarpDivergence, inst, i))
      report->message = "lane " + std::to_string(i) + " reads lane " +
                        std::to_string(source.lane) +
                        ", which the mask names and which is not there";
  });
  if (inst.op(0).isPresent()) {
    uint32_t *d = warp.out<uint32_t>(inst.op(0));
    forLanes(lanes, [&](int i) { d[i] = results[i]; });
    warp.shuffleUndefined(inst, lanes, undefined, madeUp);
  }
  warp.setPredicate(inst.op(1), lanes, inRange);
}
bool selectShuffle(Instruction &inst) {
  using Mode = arith::ShuffleMode;
  Mode mode = inst.has(Mod::up)     ? Mode::Up
              : inst.has(Mod::down) ? Mode::Down
              : inst.has(Mod::bfly) ? Mode::Bfly
                                    : Mode::Idx;
  inst.data = static_cast<uint64_t>(mode);
  inst.execute = shuffle;
  return true;
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

void vote(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 2);
  if (lanes == 0)
    return;
  auto mode = static_cast<arith::VoteMode>(inst.data);
  bool result = arith::vote(mode, warp.predicate(inst.op(1)), lanes);
  warp.setPredicate(inst.op(0), lanes, result ? ~0u : 0);
}
bool selectVote(Instruction &inst) {
  using Mode = arith::VoteMode;
  Mode mode = inst.has(Mod::all)   ? Mode::All
              : inst.has(Mod::any) ? Mode::Any
                                   : Mode::Uni;
  inst.data = static_cast<uint64_t>(mode);
  inst.execute = vote;
  return true;
}
void ballot(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 2);
  uint32_t bits = warp.predicate(inst.op(1)) & lanes;
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  forLanes(lanes, [&](int i) { d[i] = bits; });
}

//===----------------------------------------------------------------------===//
// Matches and reductions
//===----------------------------------------------------------------------===//

void gatherValues(Warp &warp, const Operand &operand, uint32_t lanes,
                  uint64_t *values) {
  forLanes(lanes, [&](int i) { values[i] = warp.lane(operand, i); });
}

void matchAny(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 2);
  uint64_t values[32];
  gatherValues(warp, inst.op(1), lanes, values);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  forLanes(lanes, [&](int i) { d[i] = arith::matchAny(values, i, lanes); });
}
/// Groups: d, p, a, mask.
void matchAll(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 3);
  if (lanes == 0)
    return;
  uint64_t values[32];
  gatherValues(warp, inst.op(2), lanes, values);
  uint32_t result = arith::matchAll(values, lanes);
  if (inst.op(0).isPresent()) {
    uint32_t *d = warp.out<uint32_t>(inst.op(0));
    forLanes(lanes, [&](int i) { d[i] = result; });
  }
  warp.setPredicate(inst.op(1), lanes, result ? ~0u : 0);
}

void redux(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 2);
  if (lanes == 0)
    return;
  uint32_t result = arith::reduce(static_cast<arith::ReduceOp>(inst.data),
                                  isSigned(inst.types[0]),
                                  warp.in<uint32_t>(inst.op(1)), lanes);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  forLanes(lanes, [&](int i) { d[i] = result; });
}
bool selectRedux(Instruction &inst) {
  using Op = arith::ReduceOp;
  Op op = inst.has(Mod::min)    ? Op::Min
          : inst.has(Mod::max)  ? Op::Max
          : inst.has(Mod::and_) ? Op::And
          : inst.has(Mod::or_)  ? Op::Or
          : inst.has(Mod::xor_) ? Op::Xor
                                : Op::Add;
  inst.data = static_cast<uint64_t>(op);
  inst.execute = redux;
  return true;
}

void reduxF32(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 2);
  if (lanes == 0)
    return;
  uint32_t result = arith::reduceF32(inst.has(Mod::max), inst.has(Mod::abs),
                                     inst.has(Mod::NaN),
                                     warp.in<uint32_t>(inst.op(1)), lanes);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  forLanes(lanes, [&](int i) { d[i] = result; });
}

//===----------------------------------------------------------------------===//
// Who is here
//===----------------------------------------------------------------------===//

/// Which lanes happen to execute it together is not for the program to say: the
/// seed parts them in two.
void activemask(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.noteOwnChange();
  uint32_t part = mask;
  if ((mask & (mask - 1)) != 0 && warp.cta().launch().checks())
    do
      part = static_cast<uint32_t>(warp.cta().random().next()) & mask;
    while (part == 0 || part == mask);
  uint32_t *d = warp.out<uint32_t>(inst.op(0));
  forLanes(mask, [&](int i) { d[i] = part >> i & 1 ? part : mask & ~part; });
}

/// Groups: d, p, mask. The lowest lane is elected.
void elect(Warp &warp, const Instruction &inst, uint32_t mask) {
  uint32_t lanes = gatherMembers(warp, inst, mask, 2);
  if (lanes == 0)
    return;
  uint32_t leader = static_cast<uint32_t>(__builtin_ctz(lanes));
  if (inst.op(0).isPresent()) {
    uint32_t *d = warp.out<uint32_t>(inst.op(0));
    forLanes(lanes, [&](int i) { d[i] = leader; });
  }
  warp.setPredicate(inst.op(1), lanes, 1u << leader);
}

void warpSync(Warp &warp, const Instruction &inst, uint32_t mask) {
  if (uint32_t lanes = gatherMembers(warp, inst, mask, 0, /*anywhere=*/true))
    warp.clock().syncLanes(lanes, warp.lanes() & ~warp.exited());
}

constexpr CostClass cost = CostClass::Shuffle;

constexpr InstructionRow rows[] = {
    {"shfl", "sync up|down|bfly|idx b32", "=b32| b32 u32 u32 b32",
     selectShuffle, cost},
    {"vote", "sync all|any|uni pred", "=pred !pred b32", selectVote, cost},
    {"vote", "sync ballot b32", "=b32 !pred b32", select<ballot>, cost},
    {"match", "any sync b32|b64", "=b32 0 b32", select<matchAny>, cost},
    {"match", "all sync b32|b64", "=b32| 0 b32", select<matchAll>, cost},
    {"redux",
     "sync add|min|max u32|s32",
     "=0 0 b32",
     selectRedux,
     cost,
     {80, 70}},
    {"redux", "sync and|or|xor b32", "=0 0 b32", selectRedux, cost, {80, 70}},
    {"redux",
     "sync min|max ?abs ?NaN f32",
     "=0 0 b32",
     select<reduxF32>,
     cost,
     {100, 86, 100}},
    {"activemask", "b32", "=0", select<activemask>, cost, {0, 62}},
    {"elect", "sync", "=b32| b32", select<elect>, cost, {90, 80}},
    {"bar", "warp sync", "b32", select<warpSync>, CostClass::Barrier},
};

} // namespace

RowList warpRows() { return rowList(rows); }

} // namespace qcc::emu
