//===- PassTarget.h - The target of a pass ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_PASSTARGET_H
#define QCC_LIB_TRANSFORMS_PASSTARGET_H

#include "mlir/IR/Diagnostics.h"
#include "qcc/Target/TargetSpec.h"
#include <optional>

namespace qcc {

/// For Pass::initialize: where no target was handed over in C++, it is the one
/// that the option `cpu` names. An error if there is none of that name.
inline mlir::LogicalResult resolveTarget(std::optional<TargetSpec> &target,
                                         llvm::StringRef cpu,
                                         mlir::MLIRContext *context) {
  if (target)
    return mlir::success();
  llvm::Expected<TargetSpec> spec = TargetSpec::forCPU(cpu);
  if (!spec)
    return mlir::emitError(mlir::UnknownLoc::get(context))
           << llvm::toString(spec.takeError());
  target = std::move(*spec);
  return mlir::success();
}

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_PASSTARGET_H
