//===- StackBuffers.h - Offsets of buffers in an arena ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers *meet* if both are alive at one step. Buffers are *stacked* in an
// order: each lies at the least offset behind all earlier buffers of the order
// that it meets. Any placement that is valid for some sizes gives an order, by
// its offsets, and the stack in this order is at most as high. An order is
// valid for all sizes, so the sizes need not be known to choose one.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_BUFFERS_STACKBUFFERS_H
#define QCC_TRANSFORMS_BUFFERS_STACKBUFFERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace qcc {

/// The first and the last step that uses a buffer.
struct Lifetime {
  unsigned first, last;

  bool meets(const Lifetime &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// The size of each buffer.
using BufferSizes = llvm::SmallVector<int64_t>;

/// The sets of buffers that are alive at a step, without those that another set
/// contains.
llvm::SmallVector<llvm::SmallVector<unsigned>>
liveSets(llvm::ArrayRef<Lifetime> lifetimes);

/// The size of the largest of `sets`.
int64_t liveBytes(llvm::ArrayRef<llvm::SmallVector<unsigned>> sets,
                  llvm::ArrayRef<int64_t> sizes);

/// An order whose stack is low for each of `cases`, compared with its largest
/// live set. The cases are the sizes if they are known, and otherwise examples.
llvm::SmallVector<unsigned> chooseOrder(llvm::ArrayRef<Lifetime> lifetimes,
                                        llvm::ArrayRef<BufferSizes> cases);

/// For each buffer, the buffers behind which it must lie. A buffer is left out
/// if another of them always lies behind it.
llvm::SmallVector<llvm::SmallVector<unsigned>>
buffersBelow(llvm::ArrayRef<Lifetime> lifetimes,
             llvm::ArrayRef<unsigned> order);

/// The offsets of buffers that are stacked in an order, for given sizes.
/// `below` is the result of buffersBelow for the order.
llvm::SmallVector<int64_t>
stackBuffers(llvm::ArrayRef<llvm::SmallVector<unsigned>> below,
             llvm::ArrayRef<unsigned> order, llvm::ArrayRef<int64_t> sizes);

} // namespace qcc

#endif // QCC_TRANSFORMS_BUFFERS_STACKBUFFERS_H
