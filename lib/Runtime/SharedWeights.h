//===- SharedWeights.h - Equal weights of modules are one -------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artifacts of one network, such as those for several shapes, often have the
// same weights. A module whose weights are in memory that nobody else can
// change lends it to modules that are loaded later. The key in an artifact says
// where to look; the bytes decide. Memory lives as long as a module that uses
// it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_SHAREDWEIGHTS_H
#define QCC_LIB_RUNTIME_SHAREDWEIGHTS_H

#include "qcc/Runtime/FunctionRef.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace qcc::rt {

/// What memory of weights is found by.
struct WeightKey {
  uint64_t content; ///< The artifact's; 0: it has none, and shares nothing.
  size_t size;
  /// Which memory it is: only modules that ask for the same share it.
  std::array<uintptr_t, 3> memory;

  bool operator==(const WeightKey &other) const {
    return content == other.content && size == other.size &&
           memory == other.memory;
  }
};

using SharedBytes = std::shared_ptr<const char>;

/// Memory of a living module with the same bytes as `data`, or null. `read` is
/// told of each part of the data that has been compared.
SharedBytes
findSharedWeights(const WeightKey &key, const char *data,
                  FunctionRef<void(const char *part, size_t size)> read);

/// Lends memory as long as it lives.
void lendWeights(const WeightKey &key, const SharedBytes &bytes);

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_SHAREDWEIGHTS_H
