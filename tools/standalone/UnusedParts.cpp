//===- UnusedParts.cpp - Parts of LLVM that qcc has no use for ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld initializes every target of LLVM when it starts, and its optimizer of
// bitcode wants Polly, of which Debian has no archive. qcc links machine code
// for the targets of lib/Target. Where LLVM is linked as archives, the linker
// finds the functions here first, so that other code generators stay out. A
// target that is missing in the list makes the library larger, and has no other
// effect.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}

#define QCC_UNUSED_TARGET(name)                                                \
  extern "C" void LLVMInitialize##name##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##name##Target() {}                            \
  extern "C" void LLVMInitialize##name##TargetMC() {}                          \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##name##AsmParser() {}

QCC_UNUSED_TARGET(AArch64)
QCC_UNUSED_TARGET(AMDGPU)
QCC_UNUSED_TARGET(ARM)
QCC_UNUSED_TARGET(AVR)
QCC_UNUSED_TARGET(BPF)
QCC_UNUSED_TARGET(Hexagon)
QCC_UNUSED_TARGET(Lanai)
QCC_UNUSED_TARGET(LoongArch)
QCC_UNUSED_TARGET(M68k)
QCC_UNUSED_TARGET(MSP430)
QCC_UNUSED_TARGET(Mips)
QCC_UNUSED_TARGET(PowerPC)
QCC_UNUSED_TARGET(RISCV)
QCC_UNUSED_TARGET(SPIRV)
QCC_UNUSED_TARGET(Sparc)
QCC_UNUSED_TARGET(SystemZ)
QCC_UNUSED_TARGET(VE)
QCC_UNUSED_TARGET(WebAssembly)
QCC_UNUSED_TARGET(XCore)
QCC_UNUSED_TARGET(Xtensa)
