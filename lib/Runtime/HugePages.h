//===- HugePages.h - Memory that few translations reach ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A core remembers where some thousand pages lie. A product with few rows reads
// each weight once, so that weights of more pages of 4 KiB than that wait for
// page tables. Transparent huge pages hold 2 MiB each; the kernel gives them to
// anonymous memory, seldom to that of a file. All of this is a matter of speed:
// where the kernel refuses, nothing fails.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_HUGEPAGES_H
#define QCC_LIB_RUNTIME_HUGEPAGES_H

#include "qcc/Runtime/FunctionRef.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace qcc::rt {

constexpr size_t hugePageSize = size_t(1) << 21;

/// Whether the kernel gives huge pages to memory that asks for them.
bool hasHugePages();

/// Asks for huge pages for those that lie inside of the memory.
void adviseHugePages(void *memory, size_t size);

/// A read-only copy in huge pages, aligned to them; null if the kernel gives no
/// huge pages or no memory. A child of fork shares it with its parent. `copied`
/// is told of each part of the data that is not needed any more.
std::shared_ptr<const char>
copyToHugePages(const char *data, size_t size,
                FunctionRef<void(const char *part, size_t partSize)> copied);

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_HUGEPAGES_H
