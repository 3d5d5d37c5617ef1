/*===- status.c - Statuses, versions and null handles
----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/status

#include "Check.h"

static void statuses(void) {
  CHECK(qccStatusGetCode(NULL) == QCC_STATUS_OK);
  CHECK(strcmp(qccStatusGetMessage(NULL), "") == 0);
  CHECK(qccStatusCreate(QCC_STATUS_OK, "unused") == NULL);

  char message[] = "a message";
  qccStatus status = qccStatusCreate(QCC_STATUS_BUSY, message);
  message[0] = '?';
  CHECK(qccStatusGetCode(status) == QCC_STATUS_BUSY);
  CHECK(strcmp(qccStatusGetMessage(status), "a message") == 0);
  qccStatusDestroy(status);
  status = qccStatusCreate(QCC_STATUS_CORRUPT, NULL);
  CHECK(strcmp(qccStatusGetMessage(status), "") == 0);
  qccStatusDestroy(status);
  qccStatusDestroy(NULL);

  CHECK(strcmp(qccStatusCodeGetName(QCC_STATUS_OK), "ok") == 0);
  CHECK(strcmp(qccStatusCodeGetName(QCC_STATUS_INVALID_PROGRAM),
               "invalid program") == 0);
  CHECK(strcmp(qccStatusCodeGetName((qccStatusCode)99), "unknown") == 0);
}

static void versions(void) {
  CHECK(qccGetApiVersion() == QCC_API_VERSION);
  CHECK(qccGetApiMinorVersion() == QCC_API_MINOR_VERSION);
  CHECK(qccGetArtifactVersion() >= 1);
  CHECK(strchr(qccGetVersion(), '.') != NULL);
}

/// The layout that other libraries know.
static void dlpack(void) {
  CHECK(sizeof(DLDataType) == 4 && sizeof(DLDevice) == 8);
  CHECK(sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8);
  CHECK(offsetof(DLTensor, ndim) == 16 && offsetof(DLTensor, dtype) == 20);
  CHECK(offsetof(DLTensor, shape) == 24 && offsetof(DLTensor, strides) == 32);
  CHECK(offsetof(DLTensor, byte_offset) == 40);
  CHECK(sizeof(DLManagedTensor) == 64);
  CHECK(offsetof(DLManagedTensor, manager_ctx) == 48);
  CHECK(sizeof(DLManagedTensorVersioned) == 80);
  CHECK(offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
}

/// Whatever is called with nothing says so.
static void nullHandles(void) {
  const qccStatusCode code = QCC_STATUS_INVALID_ARGUMENT;
  qccModule module = NULL;
  CHECK_FAILS(qccModuleLoadFile(NULL, NULL, &module), code,
              "the path is a null pointer");
  CHECK_FAILS(qccModuleLoadFile("x.so", NULL, NULL), code,
              "the handle of the module is a null pointer");
  CHECK_FAILS(qccModuleLoadMemory(NULL, 3, NULL, &module), code,
              "the artifact is a null pointer");
  CHECK_FAILS(qccModuleLoadMemory("x", 1, NULL, NULL), code,
              "the handle of the module is a null pointer");
  CHECK(qccModuleGetNumEntries(NULL) == 0);
  CHECK(qccModuleGetEntryName(NULL, 0) == NULL);
  CHECK(qccModuleGetNumVariants(NULL) == 0);
  CHECK(strcmp(qccModuleGetProducer(NULL), "") == 0);
  qccEntryInfo entry = qccEntryInfoInit();
  CHECK_FAILS(qccModuleGetEntry(NULL, NULL, &entry), code,
              "the module is a null pointer");
  qccTensorInfo tensor = qccTensorInfoInit();
  CHECK_FAILS(qccModuleGetArgument(NULL, NULL, 0, &tensor), code,
              "the module is a null pointer");
  CHECK_FAILS(qccModuleGetResult(NULL, NULL, 0, &tensor), code,
              "the module is a null pointer");
  qccVariantInfo variant = qccVariantInfoInit();
  CHECK_FAILS(qccModuleGetVariant(NULL, 0, &variant), code,
              "the module is a null pointer");
  qccModuleDestroy(NULL);

  qccContext context = NULL;
  CHECK_FAILS(qccContextCreate(NULL, NULL, NULL, &context), code,
              "the module is a null pointer");
  CHECK_FAILS(qccContextRun(NULL, NULL, 0, NULL, 0), code,
              "the context is a null pointer");
  CHECK_FAILS(qccContextPlan(NULL, NULL, 0), code,
              "the context is a null pointer");
  CHECK_FAILS(qccContextGetResultShape(NULL, 0, NULL, 0), code,
              "the context is a null pointer");
  CHECK_FAILS(qccContextAllocateResults(NULL, NULL, 0, NULL, 0), code,
              "the context is a null pointer");
  qccContextInfo info = qccContextInfoInit();
  CHECK_FAILS(qccContextGetInfo(NULL, &info), code,
              "the context is a null pointer");
  qccStepInfo step = qccStepInfoInit();
  CHECK_FAILS(qccContextGetStep(NULL, 0, &step), code,
              "the context is a null pointer");
  qccContextDestroy(NULL);

  CHECK_FAILS(qccThreadPoolCreate(1, NULL), code,
              "the handle of the thread pool is a null pointer");
  CHECK(qccThreadPoolGetNumThreads(NULL) == 0);
  qccThreadPoolDestroy(NULL);
  CHECK_FAILS(qccCancelTokenCreate(NULL), code,
              "the handle of the cancel token is a null pointer");
  qccCancelTokenCancel(NULL);
  qccCancelTokenReset(NULL);
  CHECK(!qccCancelTokenIsCancelled(NULL));
  qccCancelTokenDestroy(NULL);
}

int main(void) {
  statuses();
  versions();
  dlpack();
  nullHandles();
  return finishTest();
}
