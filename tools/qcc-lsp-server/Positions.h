//===- Positions.h - Positions of the protocol in a text ------ -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol counts the characters of a line in units of UTF-16, MLIR in
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_POSITIONS_H
#define QCC_TOOLS_QCC_LSP_SERVER_POSITIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace qcc::lsp {

/// Whether a character can be part of a name: of an op, a value, a symbol.
bool isNameCharacter(char character);

/// The range of the name, or the one character, at a line and a byte of it,
/// both from 0. Beyond the text or the line, their ends.
llvm::json::Object rangeAt(llvm::StringRef text, size_t line, size_t column);

/// The byte of `text` at a position of the protocol; nothing if it is outside.
std::optional<size_t> offsetOf(llvm::StringRef text,
                               const llvm::json::Object *position);

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_POSITIONS_H
