//===- MemoryReserve.h - Memory for the way out -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM and MLIR cannot go on without memory, and leaving them by an exception
// or a jump loses what they hold. So a thread that compiles keeps some memory
// that it does not use. Where a request fails, the reserve is given back to the
// system, the request is made again, and the compilation is told to end as soon
// as it can, in good order, which needs little. Only a failure after that is an
// exception.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_MEMORYRESERVE_H
#define QCC_LIB_CAPI_COMPILER_MEMORYRESERVE_H

#include <cstddef>

namespace qcc::capi {

/// The reserve of the thread that makes it, which has no other one.
class MemoryReserve {
public:
  MemoryReserve();
  MemoryReserve(const MemoryReserve &) = delete;
  MemoryReserve &operator=(const MemoryReserve &) = delete;
  ~MemoryReserve();

  /// False where there was no memory for it.
  bool isThere() const { return isMade; }
  bool isSpent() const { return isMade && !memory; }

  /// Gives the reserve of this thread back; false where it has none (left).
  static bool spend();
  /// Whether this thread has had a reserve that it has given back.
  static bool isSpentHere();

private:
  void *memory = nullptr;
  bool isMade = false;
};

/// As long as one of these exists, `operator new` and the calls of malloc and
/// its like by LLVM, MLIR and this library use the reserve of the thread that
/// they are on, so do their thread-local objects, and LLVM throws
/// std::bad_alloc where that does not suffice. By itself it prints, and ends
/// the process. Calls of threads without a reserve end as ever: with the host's
/// handler of failures of `operator new`, if any.
class GuardedAllocations {
public:
  GuardedAllocations();
  GuardedAllocations(const GuardedAllocations &) = delete;
  GuardedAllocations &operator=(const GuardedAllocations &) = delete;
  ~GuardedAllocations();
};

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_MEMORYRESERVE_H
