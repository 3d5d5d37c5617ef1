//===- LanesAlongKModel.h - When lanes lie along K --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_CONTRACTION_LANESALONGKMODEL_H
#define QCC_LIB_TRANSFORMS_CONTRACTION_LANESALONGKMODEL_H

#include "TileModel.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include <optional>
#include <string>

namespace qcc {

/// Whether elements of K follow each other in an operand without a prologue, so
/// that lanes along K can read it in place.
bool canReadLhsAlongK(kernel::ContractOp op);
bool canReadRhsAlongK(kernel::ContractOp op);

/// What a kernel with lanes along columns waits for before it starts: the time
/// that packing the right operand takes at run time, 0 for a constant one. As
/// expectedTimeAlongK.
double packingTime(kernel::ContractOp op, const GemmShape &shape,
                   const Atom &atom);

/// expectedTime of a tiling with lanes along K, as a multiple of what full
/// vectors would take.
double expectedTimeAlongK(const GemmShape &shape, const Tiling &tiling,
                          const Atom &atom, const TargetSpec &target);

/// The tilings of `op` with lanes along K; none where these are no use.
llvm::SmallVector<Tiling> listTilingsAlongK(kernel::ContractOp op,
                                            const GemmShape &shape,
                                            const Atom &atom);

/// refuseConfig for a config with lanes along K and an atom of the target.
std::optional<std::string> refuseAlongK(kernel::ContractOp op,
                                        kernel::LoweringConfigAttr config,
                                        const Atom &atom);

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_CONTRACTION_LANESALONGKMODEL_H
