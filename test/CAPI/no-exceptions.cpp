//===- no-exceptions.cpp - The C++ API without exceptions -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: not %capi/no-exceptions 2>&1 | FileCheck %s
// CHECK: handled: {{.*}}there is no such file

#include <cstdio>
#include <cstdlib>

#define QCC_HANDLE_ERROR(error)                                                \
  do {                                                                         \
    fprintf(stderr, "handled: %s\n", (error).what());                          \
    exit(1);                                                                   \
  } while (0)

#include "qcc/qcc.hpp"

int main() {
  qcc::Module::load("/no/such.so");
  return 0;
}
