//===- ConvertKernelToNVPTX.cpp - Kernel ops to loops over threads --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Emit/Emit.h"
#include "qcc/Target/ConvertKernels.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "qcc/Target/NVPTX/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_CONVERTKERNELTONVPTX
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

static LogicalResult convertPack(RewriterBase &rewriter, kernel::PackOp op) {
  if (op.getNR() != 1 || op.getKR() != 4 || op.getOffset())
    return op.emitError("packs an operand otherwise than atoms of nvptx read "
                        "it: NR must be 1, KR 4, and there must be no offset");
  nvptx::emitPack(rewriter, op);
  return success();
}

namespace {
struct ConvertKernelToNVPTX
    : ConvertKernelsPass<
          qcc::impl::ConvertKernelToNVPTXBase<ConvertKernelToNVPTX>> {
  /// By itself, the pass knows the strategies of the chip that has all of them.
  ConvertKernelToNVPTX()
      : ConvertKernelsPass(llvm::cantFail(nvptx::parseTarget("sm_90a")),
                           convertPack) {}
  explicit ConvertKernelToNVPTX(const Target &target)
      : ConvertKernelsPass(target, convertPack) {}
};
} // namespace

std::unique_ptr<Pass> nvptx::createConvertKernelToNVPTX(const Target &target) {
  return std::make_unique<::ConvertKernelToNVPTX>(target);
}
