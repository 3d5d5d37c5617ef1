//===- MemoryReserve.cpp - Memory for the way out -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reserve is a mapping of its own that nobody writes to: it takes address
// space and no memory, and the heap of the host never sees it.
//
// A handler is asked where operator new fails, but nobody where malloc does,
// which LLVM and MLIR call in many places. So their calls of it are redirected
// to functions here, which call the one that was meant. So are their calls that
// make thread-local objects known: the C library needs memory for that as well,
// and knows no way out without.
//
//===----------------------------------------------------------------------===//

#include "MemoryReserve.h"
#include "PerThread.h"
#include "RedirectCalls.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/ErrorHandling.h"
#include <cerrno>
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

using namespace qcc;
using namespace qcc::capi;

//===----------------------------------------------------------------------===//
// Thread-local objects
//===----------------------------------------------------------------------===//

namespace {
/// State of a thread that has or had a reserve. The C library, which would
/// remember them otherwise, ends the process where it has no memory for that.
class ThreadObjects {
public:
  /// Makes the list of this thread; false without memory.
  static bool prepare();
  /// False if this thread has no list.
  static bool add(void (*destroy)(void *), void *object);

private:
  struct Object {
    void (*destroy)(void *);
    void *object;
  };

  static void destroyAll(void *self);

  static const PerThread<ThreadObjects> current;
  std::vector<Object> objects;
};
} // namespace

const PerThread<ThreadObjects> ThreadObjects::current(destroyAll);

void ThreadObjects::destroyAll(void *self) {
  auto *list = static_cast<ThreadObjects *>(self);
  // One that is destroyed may make others.
  current.set(list);
  while (!list->objects.empty()) {
    Object last = list->objects.back();
    list->objects.pop_back();
    last.destroy(last.object);
  }
  current.set(nullptr);
  delete list;
}

bool ThreadObjects::prepare() {
  if (current.failure() != 0)
    return false;
  if (current.get())
    return true;
  auto *list = new (std::nothrow) ThreadObjects;
  if (list && current.set(list))
    return true;
  delete list;
  return false;
}

bool ThreadObjects::add(void (*destroy)(void *), void *object) {
  ThreadObjects *list = current.get();
  if (list)
    list->objects.push_back({destroy, object});
  return list;
}

//===----------------------------------------------------------------------===//
// The reserve
//===----------------------------------------------------------------------===//

/// What the work until the next time that a compilation is asked whether it may
/// go on may need.
static constexpr size_t kReserveBytes = 16 << 20;

static const PerThread<MemoryReserve> currentReserve;

MemoryReserve::MemoryReserve() {
  void *mapped = mmap(nullptr, kReserveBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return;
  memory = mapped;
  isMade = currentReserve.failure() == 0 && ThreadObjects::prepare() &&
           currentReserve.set(this);
}

MemoryReserve::~MemoryReserve() {
  if (isMade)
    currentReserve.set(nullptr);
  if (memory)
    munmap(memory, kReserveBytes);
}

bool MemoryReserve::spend() {
  MemoryReserve *reserve = currentReserve.get();
  if (!reserve || !reserve->memory)
    return false;
  munmap(reserve->memory, kReserveBytes);
  reserve->memory = nullptr;
  return true;
}

bool MemoryReserve::isSpentHere() {
  MemoryReserve *reserve = currentReserve.get();
  return reserve && reserve->isSpent();
}

//===----------------------------------------------------------------------===//
// Calls of malloc and its like
//===----------------------------------------------------------------------===//

namespace {
/// What the calls mean, read before those of this library are redirected. The
/// pointers are volatile so that no compiler takes them for calls by name.
struct Heap {
  void *(*volatile malloc)(size_t) = ::malloc;
  void *(*volatile calloc)(size_t, size_t) = ::calloc;
  void *(*volatile realloc)(void *, size_t) = ::realloc;
  void *(*volatile alignedAlloc)(size_t, size_t) = ::aligned_alloc;
  int (*volatile posixMemalign)(void **, size_t, size_t) = ::posix_memalign;
  int (*volatile threadAtExit)(void (*)(void *), void *,
                               void *) = abi::__cxa_thread_atexit;
};
} // namespace

static const Heap heap;

/// A request for no bytes may give null.
template <typename Request>
static void *requestOrSpend(size_t bytes, Request request) {
  void *memory = request();
  if (!memory && bytes != 0 && MemoryReserve::spend())
    memory = request();
  return memory;
}

static void *mallocOrSpend(size_t bytes) {
  return requestOrSpend(bytes, [=] { return heap.malloc(bytes); });
}

static void *callocOrSpend(size_t count, size_t bytes) {
  return requestOrSpend(count && bytes,
                        [=] { return heap.calloc(count, bytes); });
}

static void *reallocOrSpend(void *block, size_t bytes) {
  return requestOrSpend(bytes, [=] { return heap.realloc(block, bytes); });
}

static void *alignedAllocOrSpend(size_t alignment, size_t bytes) {
  return requestOrSpend(bytes,
                        [=] { return heap.alignedAlloc(alignment, bytes); });
}

static int posixMemalignOrSpend(void **block, size_t alignment, size_t bytes) {
  int error = heap.posixMemalign(block, alignment, bytes);
  if (error == ENOMEM && MemoryReserve::spend())
    error = heap.posixMemalign(block, alignment, bytes);
  return error;
}

static int destroyAtThreadExit(void (*destroy)(void *), void *object,
                               void *library) {
  if (ThreadObjects::add(destroy, object))
    return 0;
  return heap.threadAtExit(destroy, object, library);
}

static void redirectHeapCalls() {
  // One of each library; they are the same where LLVM is a part of this one.
  const void *libraries[] = {
      reinterpret_cast<const void *>(&llvm::report_bad_alloc_error),
      reinterpret_cast<const void *>(
          static_cast<mlir::InFlightDiagnostic (*)(mlir::Location)>(
              &mlir::emitError)),
      reinterpret_cast<const void *>(&redirectHeapCalls)};
  const Redirection redirections[] = {
      {"malloc", reinterpret_cast<void *>(&mallocOrSpend)},
      {"calloc", reinterpret_cast<void *>(&callocOrSpend)},
      {"realloc", reinterpret_cast<void *>(&reallocOrSpend)},
      {"aligned_alloc", reinterpret_cast<void *>(&alignedAllocOrSpend)},
      {"posix_memalign", reinterpret_cast<void *>(&posixMemalignOrSpend)},
      {"__cxa_thread_atexit", reinterpret_cast<void *>(&destroyAtThreadExit)}};
  redirectCalls(libraries, redirections);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

static std::mutex guardMutex;
static int numGuards = 0;
static std::new_handler hostHandler = nullptr;

/// operator new calls it where it has failed, and tries again if it returns.
static void spendOrCallHost() {
  if (MemoryReserve::spend())
    return;
  if (!hostHandler)
    throw std::bad_alloc();
  hostHandler();
}

GuardedAllocations::GuardedAllocations() {
  std::lock_guard<std::mutex> lock(guardMutex);
  if (numGuards++ > 0)
    return;
  static bool areRedirected = false;
  if (!areRedirected)
    redirectHeapCalls();
  areRedirected = true;
  hostHandler = std::set_new_handler(spendOrCallHost);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { throw std::bad_alloc(); });
}

GuardedAllocations::~GuardedAllocations() {
  std::lock_guard<std::mutex> lock(guardMutex);
  if (--numGuards > 0)
    return;
  llvm::remove_bad_alloc_error_handler();
  // One that the host has installed meanwhile stays.
  if (std::get_new_handler() == spendOrCallHost)
    std::set_new_handler(hostHandler);
}
