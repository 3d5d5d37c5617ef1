//===- LoweringConfigs.h - Which config a contraction gets ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What select-lowering-config decides by, for those who measure its decisions:
// the candidates of all strategies of a target.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
#define QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H

#include "qcc/Target/Target.h"

namespace qcc {

/// Notes the range of the elements of a constant right operand on `op`, where
/// the target's strategies depend on it: it is known until it is packed.
void annotateRhsRange(kernel::ContractOp op, const Target &target);

/// The config that is expected to take the least time; null where no strategy
/// of the target computes `op`.
kernel::LoweringConfigAttrInterface chooseConfig(kernel::ContractOp op,
                                                 const Target &target);

/// At most `most` configs that may be the fastest, all different and of source
/// `tuned`: the model's choice first, then by the expected time. Other
/// families, configs of one family and variants take turns.
llvm::SmallVector<kernel::LoweringConfigAttrInterface>
candidateConfigs(kernel::ContractOp op, const Target &target, unsigned most);

/// Why `op` cannot be computed so on `target`, and a remedy: a sentence whose
/// subject is "lowering_config". Nothing if it can.
std::optional<std::string>
refuseConfig(kernel::ContractOp op, kernel::LoweringConfigAttrInterface config,
             const Target &target);

/// Reports what refuseConfig says as an error of `op`.
llvm::LogicalResult checkConfig(kernel::ContractOp op,
                                kernel::LoweringConfigAttrInterface config,
                                const Target &target);

} // namespace qcc

#endif // QCC_TRANSFORMS_CONTRACTION_LOWERINGCONFIGS_H
