//===- PartsOfK.cpp - Parts of K in kernels of floats ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartsOfK.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace qcc;
using namespace qcc::x86;

PartsOfK PartsOfK::of(kernel::ContractOp op, int64_t nr, int64_t multiple) {
  int64_t bytes = nr * int64_t(sizeof(float)); // of a step
  llvm::ArrayRef<int64_t> sizes = op.getReductionSizes();
  for (size_t d = sizes.size(); d-- > 0; bytes *= sizes[d]) {
    if (bytes * sizes[d] <= kPartBytes)
      continue;
    int64_t most = std::max<int64_t>(kPartBytes / bytes, 1);
    int64_t count = llvm::divideCeil(sizes[d], most);
    int64_t size = llvm::divideCeil(sizes[d], count);
    if (d + 1 == sizes.size())
      size = llvm::alignTo(size, multiple);
    return {unsigned(d), size, false};
  }
  return {};
}

bool qcc::x86::goThroughOuter(kernel::ContractOp op, bool lhsInPlace) {
  kernel::ContractOp::Roles roles = *op.getRoles();
  return lhsInPlace && roles.batch.empty() &&
         op.getRows().size() < roles.outer.size() + (roles.m ? 1 : 0);
}
