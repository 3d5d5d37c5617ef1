//===- Assist.h - Additions to hover and completion ----------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_ASSIST_H
#define QCC_TOOLS_QCC_LSP_SERVER_ASSIST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace qcc::lsp {

/// Adds the documentation of the op whose name is at a byte of the text to the
/// hover of MLIR's server, which may be null.
llvm::json::Value addOpDoc(llvm::json::Value hover, llvm::StringRef text,
                           size_t offset);

/// Adds to the completion list of MLIR's server what fits before a byte of the
/// text: names of ops, attributes and clauses of the op there.
llvm::json::Value addCompletions(llvm::json::Value list, llvm::StringRef text,
                                 size_t offset);

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_ASSIST_H
