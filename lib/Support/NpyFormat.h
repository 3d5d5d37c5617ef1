//===- NpyFormat.h - The format of numpy arrays -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by .npy files and the members of .npz files, which may be compressed:
// hence a sequential source of bytes of a known size.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_SUPPORT_NPYFORMAT_H
#define QCC_LIB_SUPPORT_NPYFORMAT_H

#include "qcc/Support/HostTensor.h"

#include <string>

namespace qcc {

class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// How many bytes are left.
  virtual int64_t remaining() const = 0;
  /// The next `size` bytes, or a failure; never more than remain.
  virtual rt::Status read(void *data, int64_t size) = 0;
};

rt::Result<HostTensor> readNpyFrom(ByteSource &source);

/// Everything before the data.
std::string makeNpyHeader(rt::DType dtype, const std::vector<int64_t> &shape);

} // namespace qcc

#endif // QCC_LIB_SUPPORT_NPYFORMAT_H
