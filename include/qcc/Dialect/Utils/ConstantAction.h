//===- ConstantAction.h - Actions that make constants -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that makes new constants of others may do so for all weights of a
// program. Each new constant is an action of the context. The handler of
// actions can free old constants before the next action. It can also end the
// pass early: an action that is left out leaves the program as it was.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_UTILS_CONSTANTACTION_H
#define QCC_DIALECT_UTILS_CONSTANTACTION_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace qcc {

class ConstantAction : public mlir::tracing::ActionImpl<ConstantAction> {
public:
  ConstantAction(llvm::ArrayRef<mlir::IRUnit> units, int64_t bytes)
      : mlir::tracing::ActionImpl<ConstantAction>(units), bytes(bytes) {}

  static constexpr llvm::StringLiteral tag = "make-constant";

  /// The size of the new constant.
  int64_t bytes;
};

/// Does `work`, which makes a constant of `bytes` bytes, as an action.
inline void makeInAction(mlir::MLIRContext *context, int64_t bytes,
                         llvm::function_ref<void()> work) {
  context->executeAction<ConstantAction>(work, llvm::ArrayRef<mlir::IRUnit>(),
                                         bytes);
}

} // namespace qcc

MLIR_DECLARE_EXPLICIT_TYPE_ID(qcc::ConstantAction)

#endif // QCC_DIALECT_UTILS_CONSTANTACTION_H
