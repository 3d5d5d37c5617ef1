//===- X86Enums.td - Words of x86 configs -----------------*- tablegen -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_X86_IR_X86ENUMS_TD
#define QCC_TARGET_X86_IR_X86ENUMS_TD

include "mlir/IR/EnumAttr.td"

class X86_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::qcc::x86";
  let genSpecializedAttr = 0;
}

def X86_LhsSource : X86_Enum<"LhsSource", "where the left operand is read", [
    I32EnumAttrCase<"Panel", 0, "panel">,
    I32EnumAttrCase<"InPlace", 1, "in_place">]>;

def X86_RhsSource : X86_Enum<"RhsSource", "where the right operand is read", [
    I32EnumAttrCase<"Packed", 0, "packed">,
    I32EnumAttrCase<"InPlace", 1, "in_place">,
    I32EnumAttrCase<"Nibbles", 2, "nibbles">,
    I32EnumAttrCase<"Narrow", 3, "narrow">]>;

#endif // QCC_TARGET_X86_IR_X86ENUMS_TD
