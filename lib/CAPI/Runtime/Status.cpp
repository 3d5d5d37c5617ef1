//===- Status.cpp - The C API of statuses ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One allocation per failure; where even that fails, a constant stands in.
//
//===----------------------------------------------------------------------===//

#include "qcc-c/Status.h"

#include "qcc/Base/Status.h"

#include <cstdlib>
#include <cstring>

using namespace qcc;

/// Followed by the message in the same memory.
struct qccStatusImpl {
  qccStatusCode code;
  const char *message;
};

static qccStatusImpl noMemory = {QCC_STATUS_OUT_OF_MEMORY,
                                 "there is no memory for an error message"};

static_assert(QCC_STATUS_INTERNAL == int(rt::StatusCode::Internal) &&
                  QCC_STATUS_KILLED == int(rt::StatusCode::Killed) &&
                  QCC_STATUS_UNTRUSTED == int(rt::StatusCode::Untrusted) &&
                  QCC_STATUS_TIMED_OUT == int(rt::StatusCode::TimedOut) &&
                  QCC_STATUS_CANCELLED == int(rt::StatusCode::Cancelled) &&
                  QCC_STATUS_BUSY == int(rt::StatusCode::Busy) &&
                  QCC_STATUS_CORRUPT == int(rt::StatusCode::Corrupt) &&
                  QCC_STATUS_UNSUPPORTED == int(rt::StatusCode::Unsupported),
              "the codes in C are those of the runtime");

qccStatusCode qccStatusGetCode(qccStatus status) {
  return status ? status->code : QCC_STATUS_OK;
}

const char *qccStatusGetMessage(qccStatus status) {
  return status ? status->message : "";
}

/// C may pass any int; C++ has fewer values of the enum.
__attribute__((no_sanitize("enum"))) const char *
qccStatusCodeGetName(qccStatusCode code) {
  if (code == QCC_STATUS_INVALID_PROGRAM)
    return "invalid program";
  return rt::statusCodeName(static_cast<rt::StatusCode>(code));
}

qccStatus qccStatusCreate(qccStatusCode code, const char *message) {
  if (code == QCC_STATUS_OK)
    return nullptr;
  if (!message)
    message = "";
  size_t length = strlen(message) + 1;
  void *memory = malloc(sizeof(qccStatusImpl) + length);
  if (!memory)
    return &noMemory;
  auto *status = static_cast<qccStatusImpl *>(memory);
  char *text = static_cast<char *>(memory) + sizeof(qccStatusImpl);
  memcpy(text, message, length);
  status->code = code;
  status->message = text;
  return status;
}

void qccStatusDestroy(qccStatus status) {
  if (status != &noMemory)
    free(status);
}
