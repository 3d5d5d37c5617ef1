//===- StageBarriers.cpp - Barriers of a pipeline of stages ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageBarriers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc::nvptx;

void StageBarriers::initialize(int64_t readers) {
  for (int64_t i = 0; i < stages; ++i) {
    Value stage = code.i32(i);
    for (auto [barrier, count] :
         {std::pair(full(stage), int64_t(1)), std::pair(empty(stage), readers)})
      code.emitPTX("mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}",
                   {barrier, code.i32(count)});
  }
  // Copies see barriers through another proxy.
  code.emitPTX("fence.mbarrier_init.release.cluster;", "~{memory}", {});
}

Stage StageBarriers::firstStage() { return {code.i32(0), code.i32(0)}; }

Stage StageBarriers::next(const Stage &stage) {
  Value behind = code.create<arith::AddIOp>(stage.number, code.i32(1));
  Value isEnd =
      arith::CmpIOp::create(code.rewriter, code.loc, arith::CmpIPredicate::eq,
                            behind, code.i32(stages));
  Value number = arith::SelectOp::create(code.rewriter, code.loc, isEnd,
                                         code.i32(0), behind);
  Value flip = arith::ExtUIOp::create(code.rewriter, code.loc,
                                      code.rewriter.getI32Type(), isEnd);
  return {number, code.create<arith::XOrIOp>(stage.phase, flip)};
}

void StageBarriers::acquire(const Stage &stage, int64_t bytes) {
  // The phase before the first one is over for a new barrier.
  wait(empty(stage.number),
       code.create<arith::XOrIOp>(stage.phase, code.i32(1)));
  code.emitPTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
               "r,r,~{memory}", {full(stage.number), code.i32(bytes)});
}

void StageBarriers::copyBox(const Stage &stage, Value to, Value map,
                            ArrayRef<Value> coordinates) {
  SmallVector<Value> operands{memory.address(to), map, full(stage.number)};
  std::string text = "cp.async.bulk.tensor." +
                     std::to_string(coordinates.size()) +
                     "d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[$0], [$1, {",
              constraints = "r,l,r";
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    text += (i ? ", $" : "$") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(code.toWord(coordinate));
  }
  code.emitPTX(text + "}], [$2];", constraints + ",~{memory}", operands);
}

void StageBarriers::waitUntilFull(const Stage &stage) {
  wait(full(stage.number), stage.phase);
}

void StageBarriers::release(Value stage) {
  code.emitPTX("mbarrier.arrive.shared::cta.b64 _, [$0];", "r,~{memory}",
               {empty(stage)});
}

Value StageBarriers::barrier(Value stage, int64_t offset) {
  Value base = memory.address(code.index(first + offset));
  return code.create<arith::AddIOp>(
      base, code.create<arith::MulIOp>(stage, code.i32(kStageBarrierBytes)));
}

void StageBarriers::wait(Value barrier, Value phase) {
  // The thread is suspended within each try.
  code.emitPTX("{\n"
               ".reg .pred isOver;\n"
               "TRY:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 isOver, [$0], $1;\n"
               "@!isOver bra TRY;\n"
               "}",
               "r,r,~{memory}", {barrier, phase});
}
