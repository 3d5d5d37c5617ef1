//===- NVPTXEnums.td - Words of nvptx configs ---------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_IR_NVPTXENUMS_TD
#define QCC_TARGET_NVPTX_IR_NVPTXENUMS_TD

include "mlir/IR/EnumAttr.td"

def NVPTX_StrategyKind
    : I32EnumAttr<"StrategyKind", "how a contraction is computed", [
        I32EnumAttrCase<"Threads", 0, "threads">,
        I32EnumAttrCase<"Multistage", 1, "multistage">,
        I32EnumAttrCase<"Decode", 2, "decode">]> {
  let cppNamespace = "::qcc::nvptx";
  let genSpecializedAttr = 0;
}

#endif // QCC_TARGET_NVPTX_IR_NVPTXENUMS_TD
