//===- Tensors.h - DLPack's tensors as the runtime's ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DLTensor can say more than the runtime takes: memory of a device, strides,
// vectors as elements. What is refused here has no form in rt::Tensor; types,
// shapes and memory are checked by the context.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_RUNTIME_TENSORS_H
#define QCC_LIB_CAPI_RUNTIME_TENSORS_H

#include "Handles.h"

namespace qcc::capi {

/// `position` among the arguments or results, as `role` says, for messages. The
/// tensor must be compact, unless `outerStride` is given, which gets the stride
/// of its outermost dimension, in elements; the others must be compact then.
/// Allocates nothing on success up to eight dimensions.
rt::Status toTensor(const DLTensor *given, const char *role, size_t position,
                    rt::Tensor &tensor, int64_t *outerStride);

struct DeleteManaged {
  template <typename Managed> void operator()(Managed *tensor) const {
    tensor->deleter(tensor);
  }
};

/// A DLManagedTensor or a DLManagedTensorVersioned.
template <typename Managed>
using ManagedTensor = std::unique_ptr<Managed, DeleteManaged>;

/// A tensor for the caller. `hook` owns the allocator of the tensor, or is
/// null.
template <typename Managed>
ManagedTensor<Managed> toManaged(rt::OwnedTensor tensor,
                                 std::shared_ptr<AllocatorHook> hook);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_RUNTIME_TENSORS_H
