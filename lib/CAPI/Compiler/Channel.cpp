//===- Channel.cpp - Messages between two processes -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Channel.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

using namespace qcc;
using namespace qcc::capi;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

MessageWriter &MessageWriter::add(int64_t number) {
  auto *begin = reinterpret_cast<const char *>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof(number));
  return *this;
}

MessageWriter &MessageWriter::add(llvm::StringRef text) {
  add(static_cast<int64_t>(text.size()));
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.push_back('\0');
  return *this;
}

MessageWriter &MessageWriter::add(llvm::ArrayRef<int64_t> numbers) {
  add(static_cast<int64_t>(numbers.size()));
  for (int64_t number : numbers)
    add(number);
  return *this;
}

llvm::ArrayRef<char> MessageReader::take(size_t size) {
  isShort |= size > bytes.size() - at;
  if (isShort)
    return {};
  at += size;
  return llvm::ArrayRef(bytes).slice(at - size, size);
}

int64_t MessageReader::number() {
  int64_t number = 0;
  llvm::ArrayRef<char> field = take(sizeof(number));
  if (!field.empty())
    memcpy(&number, field.data(), sizeof(number));
  return number;
}

llvm::StringRef MessageReader::text() {
  auto size = static_cast<uint64_t>(number());
  llvm::ArrayRef<char> field = take(size < bytes.size() ? size + 1 : SIZE_MAX);
  return field.empty() ? llvm::StringRef("", 0)
                       : llvm::StringRef(field.data(), size);
}

std::vector<int64_t> MessageReader::numbers() {
  std::vector<int64_t> list;
  for (int64_t left = number(); left > 0 && !isShort; --left)
    list.push_back(number());
  return list;
}

//===----------------------------------------------------------------------===//
// The connection
//===----------------------------------------------------------------------===//

namespace {
/// What stands before the fields.
struct Header {
  uint64_t kind;
  uint64_t size;
};
} // namespace

rt::Status Channel::wait(short event) {
  pollfd descriptor = {socket, event, 0};
  constexpr int milliseconds = 5;
  while (poll(&descriptor, 1, mayWait ? milliseconds : -1) <= 0) {
    rt::Status status = mayWait ? mayWait() : rt::Status::ok();
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
}

static rt::Status otherEndIsGone() {
  return rt::ioError("the other process has ended");
}

rt::Status Channel::sendBytes(llvm::ArrayRef<char> bytes) {
  while (!bytes.empty()) {
    ssize_t sent =
        ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes = bytes.drop_front(sent);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR)
      return otherEndIsGone();
    rt::Status status = wait(POLLOUT);
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
}

rt::Status Channel::receiveBytes(llvm::MutableArrayRef<char> bytes) {
  while (!bytes.empty()) {
    ssize_t received = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received > 0) {
      bytes = bytes.drop_front(received);
      continue;
    }
    if (received == 0 || (errno != EAGAIN && errno != EINTR))
      return otherEndIsGone();
    rt::Status status = wait(POLLIN);
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
}

rt::Status Channel::send(const MessageWriter &message,
                         llvm::ArrayRef<char> rest) {
  Header header = {static_cast<uint64_t>(message.kind),
                   message.bytes.size() + rest.size()};
  rt::Status status =
      sendBytes({reinterpret_cast<const char *>(&header), sizeof(header)});
  if (status.isOk())
    status = sendBytes(message.bytes);
  return status.isOk() ? sendBytes(rest) : status;
}

rt::Result<MessageReader> Channel::receive() {
  Header header;
  rt::Status status =
      receiveBytes({reinterpret_cast<char *>(&header), sizeof(header)});
  if (!status.isOk())
    return status;
  if (header.kind > static_cast<uint64_t>(MessageKind::Result))
    return rt::corrupt("the other process sends what is no message");
  MessageReader message;
  message.kind = static_cast<MessageKind>(header.kind);
  // Memory is taken as bytes arrive: the size may be nonsense.
  constexpr uint64_t part = 64 << 20, likely = 1 << 30;
  if (header.size <= likely)
    message.bytes.reserve(header.size);
  for (uint64_t left = header.size; left > 0 && status.isOk();) {
    uint64_t count = std::min(left, part);
    message.bytes.resize(message.bytes.size() + count);
    status =
        receiveBytes(llvm::MutableArrayRef(message.bytes).take_back(count));
    left -= count;
  }
  if (!status.isOk())
    return status;
  return message;
}
