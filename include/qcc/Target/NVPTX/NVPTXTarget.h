//===- NVPTXTarget.h - NVIDIA chips as targets ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TARGET_NVPTX_NVPTXTARGET_H
#define QCC_TARGET_NVPTX_NVPTXTARGET_H

#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Target/Target.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace qcc::nvptx {

class NVPTXTarget : public Target {
public:
  explicit NVPTXTarget(Spec spec);

  const Spec &getSpec() const { return spec; }

  llvm::StringRef getFamily() const override { return "cuda"; }
  bool isDevice() const override { return true; }
  bool contractsGroups() const override { return true; }
  std::string requiredFeatures() const override { return spec.name.str(); }
  std::string tuningName() const override { return spec.name.str(); }
  std::optional<double> timeOfPass(int64_t bytes) const override;
  std::optional<double> lookupCost(LookupPlace place) const override;
  std::vector<Alternative>
  listAlternatives(kernel::ContractOp op) const override;
  void addContractionPasses(mlir::OpPassManager &pm) const override;
  void buildTargetStage(mlir::OpPassManager &pm) const override;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createTargetMachine(Effort effort) const override;
  void annotate(llvm::Function &function) const override;

private:
  const Spec spec;
};

/// The target of a chip.
llvm::Expected<TargetRef> parseTarget(llvm::StringRef name);

/// Registers the dialects, and the names of targets.
void registerTarget(mlir::DialectRegistry &registry);

} // namespace qcc::nvptx

#endif // QCC_TARGET_NVPTX_NVPTXTARGET_H
