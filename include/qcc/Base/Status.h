//===- Status.h - Results of calls that can fail ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Status is "ok" or a code with a message that says what is wrong, why, and
// what to do about it. A Result<T> is a T or a Status that is not ok. Nothing
// here throws, prints or allocates on success. Header-only.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_STATUS_H
#define QCC_BASE_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace qcc::rt {

enum class StatusCode {
  Ok = 0,
  InvalidArgument, ///< The caller handed over something wrong.
  Unsupported,     ///< Legal, but this host or this version cannot do it.
  NotFound,        ///< No such file, entry or tensor.
  IOError,         ///< The operating system refused to read or write.
  Corrupt,         ///< A file or descriptor contradicts its own format.
  OutOfMemory,     ///< An allocation failed.
  Busy,            ///< The object is in use by another thread.
  Cancelled,       ///< The caller asked for an end.
  KernelFailed,    ///< A step of the program reported a failure.
  Internal,        ///< A bug in qcc.
  // 11 is a code of the compiler's API.
  TimedOut = 12, ///< The caller's time limit has passed.
  Untrusted,     ///< An artifact lacks the signature that the caller asks for.
  Killed         ///< A signal from outside ended the process that did the work.
};

inline const char *statusCodeName(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return "ok";
  case StatusCode::InvalidArgument:
    return "invalid argument";
  case StatusCode::Unsupported:
    return "unsupported";
  case StatusCode::NotFound:
    return "not found";
  case StatusCode::IOError:
    return "i/o error";
  case StatusCode::Corrupt:
    return "corrupt";
  case StatusCode::OutOfMemory:
    return "out of memory";
  case StatusCode::Busy:
    return "busy";
  case StatusCode::Cancelled:
    return "cancelled";
  case StatusCode::KernelFailed:
    return "kernel failed";
  case StatusCode::Internal:
    return "internal error";
  case StatusCode::TimedOut:
    return "timed out";
  case StatusCode::Untrusted:
    return "untrusted";
  case StatusCode::Killed:
    return "killed";
  }
  return "unknown";
}

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  static Status ok() { return Status(); }

  bool isOk() const { return code_ == StatusCode::Ok; }
  StatusCode code() const { return code_; }
  const std::string &message() const { return message_; }

  /// The same failure, with `prefix` ("file.npy: ") before its message.
  Status withPrefix(const std::string &prefix) const {
    return isOk() ? Status() : Status(code_, prefix + message_);
  }

private:
  StatusCode code_ = StatusCode::Ok;
  std::string message_;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {
    assert(!status_.isOk() && "a Result without a value needs a failure");
  }

  bool isOk() const { return value_.has_value(); }
  const Status &status() const { return status_; }
  const std::string &message() const { return status_.message(); }

  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return *std::move(value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

inline Status invalidArgument(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}
inline Status unsupported(std::string message) {
  return Status(StatusCode::Unsupported, std::move(message));
}
inline Status notFound(std::string message) {
  return Status(StatusCode::NotFound, std::move(message));
}
inline Status ioError(std::string message) {
  return Status(StatusCode::IOError, std::move(message));
}
inline Status corrupt(std::string message) {
  return Status(StatusCode::Corrupt, std::move(message));
}
inline Status untrusted(std::string message) {
  return Status(StatusCode::Untrusted, std::move(message));
}
inline Status outOfMemory(std::string message) {
  return Status(StatusCode::OutOfMemory, std::move(message));
}
inline Status internalError(std::string message) {
  return Status(StatusCode::Internal, std::move(message));
}

} // namespace qcc::rt

#endif // QCC_BASE_STATUS_H
