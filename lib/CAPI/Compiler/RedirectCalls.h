//===- RedirectCalls.h - Calls of other functions ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever changes an entry of a library's table of addresses redirects the
// calls of this library and of no other one.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_REDIRECTCALLS_H
#define QCC_LIB_CAPI_COMPILER_REDIRECTCALLS_H

#include "llvm/ADT/ArrayRef.h"

namespace qcc::capi {

struct Redirection {
  const char *name;
  void *function;
};

/// In each library that one of `addresses` lies in. Where the table cannot be
/// written, or is of a kind that is not known here, calls go where they went.
void redirectCalls(llvm::ArrayRef<const void *> addresses,
                   llvm::ArrayRef<Redirection> redirections);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_REDIRECTCALLS_H
