//===- AsyncCopy.cpp - cp.async and its groups ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of 4 to 16 bytes for each lane. Bulk copies are in BulkCopy.cpp,
// arrivals at mbarriers in MBarrier.cpp.
//
//===----------------------------------------------------------------------===//

#include "Instructions/Lanes.h"
#include "Machine/Cta.h"

namespace qcc::emu {
namespace {

/// cp.async [destination], [source], size{, sourceSize | ignore}.
void copy(Warp &warp, const Instruction &inst, uint32_t mask) {
  AsyncCopies::Request request;
  request.inst = &inst;
  request.mask = mask;
  request.size = static_cast<int>(inst.op(2).value);
  bool hasLast = inst.hasOperand(3);
  forLanes(mask, [&](int i) {
    request.destination[i] = warp.address(inst.op(0), i);
    request.source[i] = warp.address(inst.op(1), i);
    uint64_t bytes = hasLast ? warp.lane(inst.op(3), i) : request.size;
    request.sourceSize[i] =
        static_cast<int>(std::min<uint64_t>(bytes, request.size));
    if (bytes <= uint64_t(request.size))
      return;
    if (Report *report = warp.report(ReportKind::OutOfBounds, inst, i))
      report->message = "a copy that reads " + std::to_string(bytes) +
                        " bytes to write " + std::to_string(request.size);
  });
  warp.cta().memory().beginCopies(warp, request);
}

bool selectCopy(Instruction &inst) {
  int64_t size = inst.op(2).value;
  inst.execute = copy;
  if (inst.hasOperand(3) && inst.op(3).kind == OperandKind::Constant &&
      inst.op(3).value > size)
    return false;
  // Only the form by L2 (.cg) is bound to 16 bytes.
  return size == 16 || (!inst.has(Mod::cg) && (size == 4 || size == 8));
}

void commit(Warp &warp, const Instruction &, uint32_t mask) {
  warp.cta().memory().commitCopies(warp, mask);
}
void waitGroup(Warp &warp, const Instruction &inst, uint32_t mask) {
  warp.cta().memory().waitForCopies(warp, mask,
                                    static_cast<uint32_t>(inst.op(0).value),
                                    /*uncommitted=*/false);
}
void waitAll(Warp &warp, const Instruction &, uint32_t mask) {
  warp.cta().memory().waitForCopies(warp, mask, 0, /*uncommitted=*/true);
}

constexpr CostClass cost = CostClass::AsyncCopy;

constexpr InstructionRow rows[] = {
    {"cp",
     "async ca|cg shared|shared::cta global ?@prefetch",
     "[shared] [global] # ?u32",
     selectCopy,
     cost,
     {80, 70}},
    {"cp",
     "async commit_group",
     "",
     select<commit>,
     CostClass::Barrier,
     {80, 70}},
    {"cp",
     "async wait_group",
     "#",
     select<waitGroup>,
     CostClass::Barrier,
     {80, 70}},
    {"cp", "async wait_all", "", select<waitAll>, CostClass::Barrier, {80, 70}},
};

} // namespace

RowList asyncCopyRows() { return rowList(rows); }

} // namespace qcc::emu
