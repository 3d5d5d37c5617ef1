//===- GuardedMemory.h - Memory that notices stray accesses -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that ends at a page which cannot be touched: a kernel that reads or
// writes past a tensor's end is caught at once. In front of it lie bytes that
// must not change.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SWEEP_GUARDEDMEMORY_H
#define QCC_TEST_UNIT_SWEEP_GUARDEDMEMORY_H

#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Allocator.h"
#include <string>

namespace qcc::sweep {

/// A tensor of that type and shape in guarded memory, filled with bytes that a
/// kernel has to overwrite.
reference::TensorValue allocateGuarded(reference::ElementType type,
                                       const std::vector<int64_t> &shape);

/// The same value in guarded memory.
reference::TensorValue copyGuarded(const reference::TensorValue &value);

/// Whether the bytes in front of a guarded tensor are as they were.
bool isFrontIntact(const reference::TensorValue &value);

/// For a context's temporaries.
rt::Allocator guardedAllocator();

/// From now on a fatal signal is reported with what `description` says then.
void reportCrashes(const std::string *description);

} // namespace qcc::sweep

#endif // QCC_TEST_UNIT_SWEEP_GUARDEDMEMORY_H
