//===- StackBuffers.h - Buffers to offsets in one arena ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are *stacked* in an order: each lies at the least offset behind all
// buffers before it in the order that it meets, that is, that are alive at the
// same step. Any placement that is valid for some sizes gives an order, that of
// its offsets, whose stack is at most as high. An order is valid for all sizes,
// so that sizes need not be known to choose one.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ENTRY_STACKBUFFERS_H
#define QCC_TRANSFORMS_ENTRY_STACKBUFFERS_H

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

/// An order whose stack is low for each of `cases`, as far as the largest live
/// set lets it be: the sizes, where they are known, or examples of them.
llvm::SmallVector<unsigned> chooseOrder(llvm::ArrayRef<Lifetime> lifetimes,
                                        llvm::ArrayRef<BufferSizes> cases);

/// For each buffer those that it lies behind, without those that are behind
/// none of the others in any case.
llvm::SmallVector<llvm::SmallVector<unsigned>>
buffersBelow(llvm::ArrayRef<Lifetime> lifetimes,
             llvm::ArrayRef<unsigned> order);

/// The offsets of buffers that are stacked in an order, for given sizes;
/// `below` is what buffersBelow says of the order.
llvm::SmallVector<int64_t>
stackBuffers(llvm::ArrayRef<llvm::SmallVector<unsigned>> below,
             llvm::ArrayRef<unsigned> order, llvm::ArrayRef<int64_t> sizes);

} // namespace qcc

#endif // QCC_TRANSFORMS_ENTRY_STACKBUFFERS_H
