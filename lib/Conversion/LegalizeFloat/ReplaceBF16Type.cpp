//===- ReplaceBF16Type.cpp - bf16 values are integers in LLVM IR ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without AVX512-BF16, LLVM keeps a bf16 that crosses basic blocks as a float
// and calls __truncsfbf2 where its bits are wanted again. After legalize-float
// bf16 values are only moved and bitcast, so i16 does as well.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "qcc/Conversion/Passes.h"

namespace qcc {
#define GEN_PASS_DEF_REPLACEBF16TYPE
#include "qcc/Conversion/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

namespace {
struct ReplaceBF16Type : qcc::impl::ReplaceBF16TypeBase<ReplaceBF16Type> {
  void runOnOperation() override {
    Type i16 = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](BFloat16Type) { return i16; });
    replacer.addReplacement([&](FloatAttr attr) -> std::optional<Attribute> {
      if (!attr.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(i16, attr.getValue().bitcastToAPInt());
    });
    replacer.addReplacement(
        [&](DenseElementsAttr attr) -> std::optional<Attribute> {
          if (!attr.getElementType().isBF16())
            return std::nullopt;
          return attr.bitcast(i16);
        });

    getOperation()->walk([&](Operation *op) {
      for (NamedAttribute attr : llvm::to_vector(op->getAttrs()))
        if (!isAboutSource(attr.getName()))
          op->setAttr(attr.getName(), replacer.replace(attr.getValue()));
      for (OpResult result : op->getResults())
        result.setType(replacer.replace(result.getType()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument arg : block.getArguments())
            arg.setType(replacer.replace(arg.getType()));
    });
    getOperation()->walk([](LLVM::BitcastOp cast) {
      if (cast.getArg().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    });
  }

private:
  /// Attributes that describe the source program keep the types of that
  /// program.
  static bool isAboutSource(StringAttr name) {
    return name.getValue().contains('.') || name == "arg_attrs" ||
           name == "res_attrs";
  }
};
} // namespace
