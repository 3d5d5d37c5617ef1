//===- DLTensors.h - Memory of DLPack's tensors -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both libraries of the C API ask of a tensor before they compute with its
// fields.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_DLTENSORS_H
#define QCC_LIB_CAPI_DLTENSORS_H

#include "qcc-c/DLPack.h"

#include <cstdint>
#include <optional>

namespace qcc::capi {

/// Tensors have 0 to so many dimensions.
constexpr int32_t maxRank = 64;

/// Pinned memory is the host's as well.
inline bool isInHostMemory(const DLTensor &tensor) {
  return tensor.device.device_type == kDLCPU ||
         tensor.device.device_type == kDLCUDAHost;
}

/// Whether `bytes` bytes from `begin` on can be memory: addresses of programs
/// and of GPUs lie in the lower half of all addresses.
inline bool canBeMemory(uintptr_t begin, uint64_t bytes) {
  uintptr_t end;
  return !__builtin_add_overflow(begin, bytes, &end) && end <= INTPTR_MAX;
}

/// The address of the first of `bytes` bytes, null where `data` is; nothing if
/// `byte_offset` or `bytes` leads out of what can be memory.
inline std::optional<void *> beginOf(const DLTensor &tensor, uint64_t bytes) {
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  if (begin == 0)
    return nullptr;
  if (__builtin_add_overflow(begin, tensor.byte_offset, &begin) ||
      !canBeMemory(begin, bytes))
    return std::nullopt;
  return reinterpret_cast<void *>(begin);
}

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_DLTENSORS_H
