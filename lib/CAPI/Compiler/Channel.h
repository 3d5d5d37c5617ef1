//===- Channel.h - Messages between two processes ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message has a kind and fields. The reader takes the fields in the order in
// which the writer added them. Both ends run on one machine.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_CHANNEL_H
#define QCC_LIB_CAPI_COMPILER_CHANNEL_H

#include "qcc/Base/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace qcc::capi {

enum class MessageKind : uint32_t {
  Request,       ///< Host: what to compile.
  WeightRequest, ///< Compiler: asks for the bytes of a weight.
  Weight,        ///< Host: these bytes.
  NoWeight,      ///< Host: why it has none.
  Result         ///< Compiler: a status, the artifact, diagnostics.
};

class MessageWriter {
public:
  explicit MessageWriter(MessageKind kind) : kind(kind) {}

  MessageWriter &add(int64_t number);
  MessageWriter &add(llvm::StringRef text);
  MessageWriter &add(llvm::ArrayRef<int64_t> numbers);

  const MessageKind kind;
  std::vector<char> bytes;
};

/// Fields that a message lacks are 0 and "".
class MessageReader {
public:
  int64_t number();
  /// Ends with a null character, and lives as long as this object.
  llvm::StringRef text();
  std::vector<int64_t> numbers();
  /// What stands behind the fields.
  llvm::ArrayRef<char> rest() { return take(bytes.size() - at); }

  bool isAtEnd() const { return isShort || at == bytes.size(); }
  /// Whether the message had all fields that were read, and no others.
  bool isWhole() const { return !isShort && at == bytes.size(); }

  MessageKind kind = MessageKind::Request;
  std::vector<char> bytes;

private:
  llvm::ArrayRef<char> take(size_t size);

  size_t at = 0;
  bool isShort = false;
};

/// One end of a connection.
class Channel {
public:
  /// `mayWait` is asked every 5 ms while the other end is awaited, and ends the
  /// call if it is not ok; empty: waits as long as it takes.
  Channel(int socket, std::function<rt::Status()> mayWait)
      : socket(socket), mayWait(std::move(mayWait)) {}

  /// Sends the message, with `rest` behind its fields. IOError if the other end
  /// is gone; Corrupt if what arrives is no message.
  rt::Status send(const MessageWriter &message, llvm::ArrayRef<char> rest = {});
  rt::Result<MessageReader> receive();

private:
  rt::Status wait(short event);
  rt::Status sendBytes(llvm::ArrayRef<char> bytes);
  rt::Status receiveBytes(llvm::MutableArrayRef<char> bytes);

  int socket;
  std::function<rt::Status()> mayWait;
};

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_CHANNEL_H
