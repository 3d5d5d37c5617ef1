//===- CancelToken.cpp - The C API of cancellation ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens end runs and compilations; libqcc for the Python package has a copy of
// these functions.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "Handles.h"

using namespace qcc;
using namespace qcc::capi;

qccStatus qccCancelTokenCreate(qccCancelToken *token) {
  return withoutExceptions([&]() -> qccStatus {
    if (!token)
      return nullPointer("the handle of the cancel token");
    *token = new qccCancelTokenImpl{std::make_shared<std::atomic<bool>>(false)};
    return nullptr;
  });
}

void qccCancelTokenDestroy(qccCancelToken token) { delete token; }

void qccCancelTokenCancel(qccCancelToken token) {
  if (token)
    token->flag->store(true, std::memory_order_relaxed);
}

void qccCancelTokenReset(qccCancelToken token) {
  if (token)
    token->flag->store(false, std::memory_order_relaxed);
}

bool qccCancelTokenIsCancelled(qccCancelToken token) {
  return token && token->flag->load(std::memory_order_relaxed);
}
