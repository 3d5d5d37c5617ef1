/*===- Check.h - Expectations of the tests in C ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A test prints each expectation that does not hold and returns              *|
|* finishTest() from main.                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_TEST_CAPI_CHECK_H
#define QCC_TEST_CAPI_CHECK_H

#include "qcc-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int numChecks, numFailures;

#define CHECK(condition)                                                       \
  checkTrue((condition) != 0, #condition, __FILE__, __LINE__)

/// A call that succeeds.
#define CHECK_OK(call)                                                         \
  checkStatus((call), QCC_STATUS_OK, "", #call, __FILE__, __LINE__)

/// A call that fails with this code and a message that has this text.
#define CHECK_FAILS(call, code, text)                                          \
  checkStatus((call), (code), (text), #call, __FILE__, __LINE__)

static inline void checkTrue(int holds, const char *what, const char *file,
                             int line) {
  ++numChecks;
  if (holds)
    return;
  ++numFailures;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

static inline void checkStatus(qccStatus status, qccStatusCode code,
                               const char *text, const char *what,
                               const char *file, int line) {
  ++numChecks;
  if (qccStatusGetCode(status) != code ||
      !strstr(qccStatusGetMessage(status), text)) {
    ++numFailures;
    fprintf(stderr, "%s:%d: %s\n  is:       %s: %s\n  expected: %s: %s\n", file,
            line, what, qccStatusCodeGetName(qccStatusGetCode(status)),
            qccStatusGetMessage(status), qccStatusCodeGetName(code), text);
  }
  qccStatusDestroy(status);
}

static inline int finishTest(void) {
  printf("%d checks, %d failed\n", numChecks, numFailures);
  return numFailures > 0 || numChecks == 0;
}

/// A tensor on the CPU in the caller's memory, compact.
static inline DLTensor makeTensor(void *data, uint8_t code, uint8_t bits,
                                  int32_t rank, int64_t *shape) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.dtype.code = code;
  tensor.dtype.bits = bits;
  tensor.dtype.lanes = 1;
  tensor.ndim = rank;
  tensor.shape = shape;
  return tensor;
}

/// What the entry `increment` of a module adds.
static inline int32_t increment(qccModule module) {
  int32_t x = 40, y = 0;
  int64_t shape[1] = {1};
  DLTensor xs = makeTensor(&x, kDLInt, 32, 1, shape);
  DLTensor ys = makeTensor(&y, kDLInt, 32, 1, shape);
  DLTensor *arguments[1] = {&xs}, *results[1] = {&ys};
  qccContext context = NULL;
  CHECK_OK(qccContextCreate(module, "increment", NULL, &context));
  CHECK_OK(qccContextRun(context, arguments, 1, results, 1));
  qccContextDestroy(context);
  return y - x;
}

/// Loads the artifact named on the command line, or ends the test.
static inline qccModule loadProgram(int argc, char **argv) {
  qccModule module = NULL;
  if (argc < 2) {
    fprintf(stderr, "usage: %s ARTIFACT\n", argv[0]);
    exit(2);
  }
  CHECK_OK(qccModuleLoadFile(argv[1], NULL, &module));
  if (!module)
    exit(finishTest());
  return module;
}

#endif // QCC_TEST_CAPI_CHECK_H
