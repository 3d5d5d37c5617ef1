//===- LoweringConfigs.h - Which config a contraction gets ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates of all strategies of a target, by which select-lowering-config
// decides and which `qcc tune` measures.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
#define QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H

#include "qcc/Target/Target.h"

namespace qcc {

/// Notes the range of the elements of a constant right operand on `op`, where
/// the target's strategies depend on it: once the operand is packed, its
/// elements are not seen any more.
void annotateRhsRange(kernel::ContractOp op, const Target &target);

/// The config that is expected to take the least time; null where no strategy
/// of the target computes `op`.
kernel::LoweringConfigAttrInterface chooseConfig(kernel::ContractOp op,
                                                 const Target &target);

/// The expected cost of that config, which is for each product; nothing if the
/// contraction has no config.
std::optional<Cost> leastCost(kernel::ContractOp op, const Target &target);

/// At most `most` configs that may be the fastest, all different and of source
/// `tuned`: the model's choice first, then by the expected time. Other
/// families, configs of one family and variants take turns.
llvm::SmallVector<kernel::LoweringConfigAttrInterface>
candidateConfigs(kernel::ContractOp op, const Target &target, unsigned most);

/// Why `op` cannot be computed by `config` on `target`, and a remedy: a
/// sentence whose subject is "lowering_config". Nothing if `op` can be computed
/// so.
std::optional<std::string>
refuseConfig(kernel::ContractOp op, kernel::LoweringConfigAttrInterface config,
             const Target &target);

/// Reports what refuseConfig says as an error of `op`.
llvm::LogicalResult checkConfig(kernel::ContractOp op,
                                kernel::LoweringConfigAttrInterface config,
                                const Target &target);

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
