//===- Register.h - Everything qcc registers --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_PIPELINES_REGISTER_H
#define QCC_PIPELINES_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace qcc {

/// The dialects and external models of every stage.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The passes of qcc and the upstream passes its pipelines use, for the pass
/// manager's textual form.
void registerAllPasses();

} // namespace qcc

#endif // QCC_PIPELINES_REGISTER_H
