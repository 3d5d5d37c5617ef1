//===- Strided.h - Strided copies -------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_STRIDED_H
#define QCC_LIB_REFERENCE_STRIDED_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <cstring>

namespace qcc::reference {

/// Where a box of elements lies in a tensor, in elements.
struct Box {
  uint8_t *data;
  int64_t offset;
  llvm::ArrayRef<int64_t> strides;
};

/// Copies a box of `shape` elements of `bytes` each.
inline void copyBox(llvm::ArrayRef<int64_t> shape, unsigned bytes, Box to,
                    Box from) {
  if (shape.empty()) {
    std::memcpy(to.data + to.offset * bytes, from.data + from.offset * bytes,
                bytes);
    return;
  }
  if (shape.size() == 1 && to.strides[0] == 1 && from.strides[0] == 1) {
    std::memcpy(to.data + to.offset * bytes, from.data + from.offset * bytes,
                shape[0] * bytes);
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i)
    copyBox(shape.drop_front(), bytes,
            {to.data, to.offset + i * to.strides[0], to.strides.drop_front()},
            {from.data, from.offset + i * from.strides[0],
             from.strides.drop_front()});
}

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_STRIDED_H
