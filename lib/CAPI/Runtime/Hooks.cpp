//===- Hooks.cpp - The C API of thread pools, cancellation and memory -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What contexts share, and hooks in the form in which the runtime calls them.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "Handles.h"

using namespace qcc;
using namespace qcc::capi;

rt::Allocator AllocatorHook::allocator() {
  rt::Allocator allocator;
  allocator.allocate = [](size_t size, size_t alignment, void *self) {
    const qccAllocator &hook = static_cast<AllocatorHook *>(self)->hook;
    return hook.allocate(hook.context, size, alignment);
  };
  allocator.deallocate = [](void *memory, size_t size, size_t alignment,
                            void *self) {
    const qccAllocator &hook = static_cast<AllocatorHook *>(self)->hook;
    hook.deallocate(hook.context, memory, size, alignment);
  };
  allocator.context = this;
  return allocator;
}

//===----------------------------------------------------------------------===//
// Thread pools
//===----------------------------------------------------------------------===//

qccStatus qccThreadPoolCreate(int32_t threads, qccThreadPool *pool) {
  return withoutExceptions([&]() -> qccStatus {
    if (!pool)
      return nullPointer("the handle of the thread pool");
    auto created = rt::ThreadPool::create(threads);
    if (!created.isOk())
      return toC(created.status());
    *pool = new qccThreadPoolImpl{std::move(*created)};
    return nullptr;
  });
}

void qccThreadPoolDestroy(qccThreadPool pool) { delete pool; }

int32_t qccThreadPoolGetNumThreads(qccThreadPool pool) {
  return pool ? pool->pool->size() : 0;
}

//===----------------------------------------------------------------------===//
// Cancellation
//===----------------------------------------------------------------------===//

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
