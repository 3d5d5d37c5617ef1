//===- qcc/error.hpp - Failures of the C++ API ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of the C++ API that can fail throws a qcc::Error. Without
// exceptions (-fno-exceptions), define QCC_HANDLE_ERROR(error) before the first
// include: it is given the qcc::Error and must not return. The C API returns
// statuses in either case.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ERROR_HPP
#define QCC_ERROR_HPP

#include "qcc-c/Status.h"

#include <stdexcept>
#include <string>

#if !defined(__cpp_exceptions) && !defined(QCC_HANDLE_ERROR)
#error "without exceptions, define QCC_HANDLE_ERROR(error) or use the C API"
#endif

namespace qcc {

class Error : public std::runtime_error {
public:
  Error(qccStatusCode code, const std::string &message)
      : std::runtime_error(message), code_(code) {}

  qccStatusCode code() const noexcept { return code_; }

private:
  qccStatusCode code_;
};

namespace detail {

[[noreturn]] inline void fail(qccStatusCode code, const std::string &message) {
#if defined(QCC_HANDLE_ERROR)
  QCC_HANDLE_ERROR(Error(code, message));
#else
  throw Error(code, message);
#endif
}

/// Consumes a status; a failure becomes an Error.
inline void check(qccStatus status) {
  if (!status)
    return;
  qccStatusCode code = qccStatusGetCode(status);
  std::string message = qccStatusGetMessage(status);
  qccStatusDestroy(status);
  fail(code, message);
}

} // namespace detail
} // namespace qcc

#endif // QCC_ERROR_HPP
