//===- StrictDriver.h - The driver of Inputs/StrictCuda.cpp -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests call of it: as a program that uses the GPU besides qcc.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_STRICTDRIVER_H
#define QCC_TEST_UNIT_RUNTIME_STRICTDRIVER_H

#include <cstddef>

extern "C" {
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **program, void *graph,
                                unsigned long long flags);
int cuGraphDestroy(void *graph);
int cuGraphExecDestroy(void *program);
int cuGraphLaunch(void *program, void *stream);

void qccStrictReset(const char *mode, unsigned seed);
const char *qccStrictViolations();
size_t qccStrictPending();
}

#endif // QCC_TEST_UNIT_RUNTIME_STRICTDRIVER_H
