//===- Messages.h - Messages of JSON-RPC in a stream of bytes - -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_MESSAGES_H
#define QCC_TOOLS_QCC_LSP_SERVER_MESSAGES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace qcc::lsp {

/// Cuts a stream of bytes into the texts of messages. A header without a length
/// is skipped, and noted in the log.
class MessageReader {
public:
  void append(llvm::StringRef bytes);
  /// The text of the next message, once all of it has been appended.
  std::optional<std::string> next();

private:
  std::string buffer;
  size_t begin = 0; ///< of what has not been returned
};

/// The text of a message with its header, as it is sent.
std::string frame(llvm::StringRef text);

/// The text of a JSON value on one line.
std::string printJson(const llvm::json::Value &value);

/// Messages of JSON-RPC.
llvm::json::Object makeNotification(llvm::StringRef method,
                                    llvm::json::Value params);
llvm::json::Object makeRequest(llvm::json::Value id, llvm::StringRef method,
                               llvm::json::Value params);
llvm::json::Object makeAnswer(llvm::json::Value id, llvm::json::Value result);
llvm::json::Object makeError(llvm::json::Value id, int code,
                             llvm::StringRef message);

/// The path that a URI names, for messages; the URI itself if it is of no file.
std::string pathOf(llvm::StringRef uri);

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_MESSAGES_H
