//===- HeapCount.h - Counts what the heap hands out -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_HEAPCOUNT_H
#define QCC_TEST_UNIT_RUNTIME_HEAPCOUNT_H

#include <cstdint>

namespace qcc::rt::test {

/// Calls of malloc and its like so far, by all threads of the process. Linked
/// in, HeapCount.cpp replaces those functions.
int64_t heapAllocations();

/// False where a sanitizer has the heap: nothing is counted then.
bool countsHeap();

} // namespace qcc::rt::test

#endif // QCC_TEST_UNIT_RUNTIME_HEAPCOUNT_H
