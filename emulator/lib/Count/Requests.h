//===- Requests.h - Banks and sectors of one request ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Counters.h says of shared and global memory, for the lanes of one
// instruction. `addresses` has an entry for each of the 32 lanes; `size` is the
// bytes of a lane, a power of two up to 32.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_COUNT_REQUESTS_H
#define QCC_LIB_EMULATOR_COUNT_REQUESTS_H

#include "qcc/Emulator/Counters.h"

#include <cstdint>

namespace qcc::emu {

/// Addresses are offsets in shared memory, multiples of `size`. Lanes that read
/// or write one word are served at once, those of an atomic one by one.
SharedCounters countSharedRequest(const uint64_t *addresses, uint32_t lanes,
                                  int size, bool isAtomic);

GlobalCounters countGlobalRequest(const uint64_t *addresses, uint32_t lanes,
                                  int size);
/// The same where each lane asks for a size of its own, which may be 0.
GlobalCounters countGlobalRequest(const uint64_t *addresses, const int *sizes,
                                  uint32_t lanes);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_COUNT_REQUESTS_H
