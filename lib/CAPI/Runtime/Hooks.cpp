//===- Hooks.cpp - The C API of thread pools and memory -------------------===//
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

/// How options of version 1.1 had their hooks, by value.
struct HooksOfVersion11 {
  decltype(qccHostThreads::context) hostThreadsContext;
  decltype(qccHostThreads::parallelFor) parallelFor;
  decltype(qccAllocator::context) allocatorContext;
  decltype(qccAllocator::allocate) allocate;
  decltype(qccAllocator::deallocate) deallocate;
  decltype(qccLogHook::context) logContext;
  decltype(qccLogHook::log) log;
};
static_assert(sizeof(HooksOfVersion11) ==
                  sizeof(qccContextOptions::hooksOfVersion11),
              "the fields of version 1.1 have kept their places");

rt::Result<ContextHooks> capi::readHooks(const qccContextOptions &options) {
  ContextHooks hooks;
  rt::Status status = readHook(options.hostThreads, hooks.hostThreads,
                               &qccHostThreads::parallelFor, "hostThreads");
  if (status.isOk())
    status = readHook(options.allocator, hooks.allocator,
                      &qccAllocator::allocate, "allocator");
  if (status.isOk())
    status =
        readHook(options.log, hooks.log, &qccLogHook::log, "the hook `log`");
  if (!status.isOk())
    return status;
  HooksOfVersion11 old;
  memcpy(&old, options.hooksOfVersion11, sizeof(old));
  if (!options.hostThreads)
    hooks.hostThreads = {sizeof(hooks.hostThreads), old.hostThreadsContext,
                         old.parallelFor};
  if (!options.allocator)
    hooks.allocator = {sizeof(hooks.allocator), old.allocatorContext,
                       old.allocate, old.deallocate};
  if (!options.log)
    hooks.log = {sizeof(hooks.log), old.logContext, old.log};
  if (!hooks.allocator.allocate != !hooks.allocator.deallocate)
    return rt::invalidArgument("one function of the allocator is a null "
                               "pointer; give both or none");
  // Of version 1.1: hooks by value, where no function is no hook.
  if ((hooks.hostThreads.context && !hooks.hostThreads.parallelFor) ||
      (hooks.allocator.context && !hooks.allocator.allocate) ||
      (hooks.log.context && !hooks.log.log))
    return rt::invalidArgument("a hook has a context, but its function is a "
                               "null pointer; set the function, or leave the "
                               "whole hook zero");
  return hooks;
}

//===----------------------------------------------------------------------===//
// Thread pools
//===----------------------------------------------------------------------===//

static qccStatus handOverPool(rt::Result<std::shared_ptr<rt::ThreadPool>> made,
                              qccThreadPool *pool) {
  if (!made.isOk())
    return toC(made.status());
  *pool = new qccThreadPoolImpl{std::move(*made)};
  return nullptr;
}

qccStatus qccThreadPoolCreate(int32_t threads, qccThreadPool *pool) {
  qccThreadPoolOptions options = qccThreadPoolOptionsInit();
  options.threads = threads;
  return qccThreadPoolCreateWithOptions(&options, pool);
}

qccStatus qccThreadPoolCreateWithOptions(const qccThreadPoolOptions *options,
                                         qccThreadPool *pool) {
  return withoutExceptions([&]() -> qccStatus {
    if (!pool)
      return nullPointer("the handle of the thread pool");
    qccThreadPoolOptions known;
    rt::Status status = readStruct(options, known);
    if (!status.isOk())
      return toC(status);
    if (!known.cpus && known.numCpus > 0)
      return nullPointer("the array of CPUs");
    rt::ThreadPoolOptions wanted;
    wanted.threads = known.threads;
    wanted.cpus.assign(known.cpus, known.cpus + known.numCpus);
    return handOverPool(rt::ThreadPool::create(wanted), pool);
  });
}

qccStatus qccThreadPoolGetDefault(qccThreadPool *pool) {
  return withoutExceptions([&]() -> qccStatus {
    if (!pool)
      return nullPointer("the handle of the thread pool");
    return handOverPool(rt::ThreadPool::getDefault(), pool);
  });
}

void qccThreadPoolSetDefault(qccThreadPool pool) {
  rt::ThreadPool::setDefault(pool ? pool->pool : nullptr);
}

void qccThreadPoolDestroy(qccThreadPool pool) { delete pool; }

int32_t qccThreadPoolGetNumThreads(qccThreadPool pool) {
  return pool ? pool->pool->size() : 0;
}
