//===- Bandwidth.h - How fast the machine reads memory ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product with few rows can be no faster than its right operand is read. The
// bound is measured where that operand would be: in a buffer of as many bytes,
// read again and again, which so lies in the caches in which they fit.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_BANDWIDTH_H
#define QCC_TOOLS_QCC_BENCH_BANDWIDTH_H

#include "Suite.h"
#include "common/Interleaved.h"
#include "qcc/Runtime/ThreadPool.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace qcc::bench {

/// The bytes of the right operand of a matrix product, if it is used so seldom
/// that reading it may be what limits; otherwise 0.
int64_t bytesThatBound(const Shape &shape, DataType type);

/// Reads a buffer, each thread its part.
class BandwidthRunner {
public:
  static llvm::Expected<BandwidthRunner>
  create(int64_t bytes, std::shared_ptr<rt::ThreadPool> pool);

  /// A call reads all: from huge pages where the kernel gives them, and from
  /// pages of 4 KiB. They live no longer than this object.
  std::vector<tools::TimedRun> candidates() const;

private:
  struct Unmap {
    size_t size;
    void operator()(char *memory) const;
  };
  using Buffer = std::unique_ptr<char, Unmap>;
  static Buffer map(int64_t bytes, bool isHuge);

  std::shared_ptr<rt::ThreadPool> pool;
  Buffer huge, small;
  int64_t bytesPerThread = 0;
};

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_BANDWIDTH_H
