//===- LoweringConfigs.h - Choice of lowering configs -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates of all strategies of a target. The pass select-lowering-config
// chooses one of them; `qcc tune` measures several.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
#define QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H

#include "qcc/Target/Target.h"

namespace qcc {

/// Notes the range of the elements of a constant right operand on `op`, if
/// strategies of the target depend on it. Later passes cannot compute the
/// range, because the operand is packed then.
void annotateRhsRange(kernel::ContractOp op, const Target &target);

/// The config with the least expected time; null if no strategy of the target
/// computes `op`.
kernel::LoweringConfigAttrInterface chooseConfig(kernel::ContractOp op,
                                                 const Target &target);

/// The expected cost of that config for each product; nothing if no strategy of
/// the target computes `op`.
std::optional<Cost> leastCost(kernel::ContractOp op, const Target &target);

/// At most `most` configs that may be the fastest, all different and of source
/// `tuned`: the model's choice first, then by the expected time. Other
/// families, configs of one family and variants take turns.
llvm::SmallVector<kernel::LoweringConfigAttrInterface>
candidateConfigs(kernel::ContractOp op, const Target &target, unsigned most);

/// Why `config` cannot compute `op` on `target`, and a remedy: a sentence whose
/// subject is "lowering_config". Nothing if `config` can.
std::optional<std::string>
refuseConfig(kernel::ContractOp op, kernel::LoweringConfigAttrInterface config,
             const Target &target);

/// Reports the reason of refuseConfig as an error of `op`.
llvm::LogicalResult checkConfig(kernel::ContractOp op,
                                kernel::LoweringConfigAttrInterface config,
                                const Target &target);

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
