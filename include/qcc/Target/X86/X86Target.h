//===- X86Target.h - The x86 target -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_X86_X86TARGET_H
#define QCC_TARGET_X86_X86TARGET_H

#include "qcc/Target/Target.h"
#include "qcc/Target/X86/IR/X86.h"
#include "qcc/Target/X86/Spec.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace qcc::x86 {

class X86Target : public Target {
public:
  explicit X86Target(Spec spec);

  const Spec &getSpec() const { return spec; }

  llvm::StringRef getFamily() const override { return "x86"; }
  std::string requiredFeatures() const override;
  std::string refuseMeasuring() const override;
  std::string tuningName() const override;
  bool needsRhsRange() const override;
  bool prefersUnsignedLhs() const override;
  int64_t coreCacheBytes() const override { return spec.l2Bytes; }
  bool contractsFloats() const override { return true; }
  bool contractsGroups() const override { return true; }
  bool readsLhsAsItLies(kernel::ContractOp op, mlir::RankedTensorType type,
                        llvm::ArrayRef<int64_t> padding) const override;
  std::optional<ThreadSpeed> threadSpeed() const override;
  std::optional<double> lookupCost(LookupPlace place) const override;
  bool convertsBF16() const override;
  std::vector<Alternative>
  listAlternatives(kernel::ContractOp op) const override;
  void buildTargetStage(mlir::OpPassManager &pm) const override;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createTargetMachine(Effort effort) const override;
  void annotate(llvm::Function &function) const override;

private:
  const Spec spec;
};

/// Names for messages that ask for some.
inline constexpr char kExampleNames[] = "x86-64-v3,cascadelake";

/// One processor for each set of instructions that kernels are written for.
inline constexpr llvm::StringLiteral kProcessors[] = {
    "x86-64-v3", "alderlake", "skylake-avx512", "cascadelake",
    "sapphirerapids"};

/// The target of an LLVM processor name or `native`, which has the features of
/// the host; either may end in kEmulatedAMX.
llvm::Expected<TargetRef> parseTarget(llvm::StringRef name,
                                      llvm::ArrayRef<std::string> hostFeatures);

/// A target of which code runs on every x86-64 processor: for functions that
/// compute sizes. Kernels are never compiled for it.
TargetRef hostTarget();

/// The spec of a target that is known to be of x86.
inline const Spec &specOf(const Target &target) {
  return static_cast<const X86Target &>(target).getSpec();
}

/// Registers the x86 dialect, which is loaded with the kernel dialect and knows
/// processors by their names.
void registerTarget(mlir::DialectRegistry &registry);

} // namespace qcc::x86

#endif // QCC_TARGET_X86_X86TARGET_H
