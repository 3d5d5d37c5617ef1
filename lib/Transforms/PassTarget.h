//===- PassTarget.h - The target of a pass ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_PASSTARGET_H
#define QCC_LIB_TRANSFORMS_PASSTARGET_H

#include "mlir/IR/Diagnostics.h"
#include "qcc/Target/Target.h"

namespace qcc {

/// For Pass::initialize: where no target was handed over in C++, it is the one
/// that the option `cpu` names. An error if there is none of that name.
inline mlir::LogicalResult resolveTarget(TargetRef &target, llvm::StringRef cpu,
                                         mlir::MLIRContext *context) {
  if (target)
    return mlir::success();
  if (cpu.empty())
    return mlir::emitError(mlir::UnknownLoc::get(context))
           << "no target; name one by the option cpu";
  llvm::Expected<TargetRef> found = findTarget(cpu, *context);
  if (!found)
    return mlir::emitError(mlir::UnknownLoc::get(context))
           << llvm::toString(found.takeError());
  target = std::move(*found);
  return mlir::success();
}

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_PASSTARGET_H
