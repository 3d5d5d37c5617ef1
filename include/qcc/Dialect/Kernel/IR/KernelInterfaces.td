//===- KernelInterfaces.td - Interface of lowering configs -*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction's lowering_config is an attribute of the target that computes
// it. This is what passes and tools may ask of it, whatever the target.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_KERNEL_IR_KERNELINTERFACES_TD
#define QCC_DIALECT_KERNEL_IR_KERNELINTERFACES_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/Interfaces.td"

def Kernel_ConfigSource : I32EnumAttr<"ConfigSource", "who decided", [
    I32EnumAttrCase<"Model", 0, "model">,
    I32EnumAttrCase<"Tuned", 1, "tuned">,
    I32EnumAttrCase<"Pinned", 2, "pinned">]> {
  let cppNamespace = "::qcc::kernel";
  let genSpecializedAttr = 0;
}

def Kernel_LoweringConfigAttrInterface : AttrInterface<"LoweringConfigAttrInterface"> {
  let cppNamespace = "::qcc::kernel";
  let description = [{
    How a contraction is computed: decided once, obeyed after. The strategy is one of
    those of the target (`qcc/Target/Target.h`), the atom is the instruction that
    multiplies, and the rest is known to the strategy alone.
  }];
  let methods = [
    InterfaceMethod<"The strategy, as the target names it.",
                    "::llvm::StringRef", "getStrategyName">,
    InterfaceMethod<"The atom, as the target names it.",
                    "::llvm::StringRef", "getAtomName">,
    InterfaceMethod<"Who decided: the cost model, the tuner or a person.",
                    "::qcc::kernel::ConfigSource", "getSource">,
    InterfaceMethod<"The same config, decided by `source`.",
                    "::qcc::kernel::LoweringConfigAttrInterface", "withSource",
                    (ins "::qcc::kernel::ConfigSource":$source)>,
    InterfaceMethod<[{
      What else it says, for people: "tile 6x64x4 block 252x64 lhs in place".
    }], "std::string", "describe">
  ];
}

#endif // QCC_DIALECT_KERNEL_IR_KERNELINTERFACES_TD
