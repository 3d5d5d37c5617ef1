//===- InterleavedColumnsModel.h - Few rows times an activation -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_INTERLEAVEDCOLUMNSMODEL_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_INTERLEAVEDCOLUMNSMODEL_H

#include "TileModel.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <optional>
#include <string>

namespace qcc {

/// expectedTime of a tiling with columns in the lanes and the right operand in
/// place.
double expectedTimeOfInterleaved(const GemmShape &shape, const Tiling &tiling,
                                 const Atom &atom, const TargetSpec &target);

/// Such tilings of `op`; none where these are no use.
llvm::SmallVector<Tiling> listInterleavedTilings(kernel::ContractOp op,
                                                 const GemmShape &shape,
                                                 const Atom &atom);

/// refuseConfig for such a config and an atom of the target.
std::optional<std::string> refuseInterleaved(kernel::ContractOp op,
                                             kernel::LoweringConfigAttr config,
                                             const Atom &atom);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_INTERLEAVEDCOLUMNSMODEL_H
