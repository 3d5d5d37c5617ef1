//===- PerThread.h - A pointer that each thread has for itself --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers of signals and of failed allocations read it, which must not
// allocate: a thread_local variable may, unless it is of the model
// initial-exec, and that takes thread-local memory which a process that loads
// the library late may not have left.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_PERTHREAD_H
#define QCC_LIB_CAPI_COMPILER_PERTHREAD_H

#include <pthread.h>

namespace qcc::capi {

/// Null in each thread until it is set there.
template <typename T> class PerThread {
public:
  /// `atEnd` is called with it where a thread ends, unless it is null then.
  explicit PerThread(void (*atEnd)(void *) = nullptr)
      : error(pthread_key_create(&key, atEnd)) {}

  /// Of pthread_key_create.
  int failure() const { return error; }
  T *get() const {
    return error == 0 ? static_cast<T *>(pthread_getspecific(key)) : nullptr;
  }
  /// Fails where there is no memory for it.
  bool set(T *value) const { return pthread_setspecific(key, value) == 0; }

private:
  pthread_key_t key;
  int error;
};

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_PERTHREAD_H
