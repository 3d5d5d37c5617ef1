//===- Tensors.cpp - DLPack's tensors as the runtime's --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "../Convert.h"
#include "../DLTensors.h"

#include <string>

using namespace qcc;
using namespace qcc::capi;

/// Whether elements follow one another in row-major order, within `first` and
/// later dimensions. A stride counts only where there is a second element along
/// its dimension.
static bool isCompact(const DLTensor &tensor, int32_t first) {
  if (!tensor.strides)
    return true;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (tensor.shape[d] == 0)
      return true;
  int64_t expected = 1;
  for (int32_t d = tensor.ndim - 1; d >= first; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return false;
    // Too many elements are refused by the context.
    if (__builtin_mul_overflow(expected, tensor.shape[d], &expected))
      return true;
  }
  return true;
}

/// How many elements lie from one index of the outermost dimension to the next.
static int64_t outerStrideOf(const DLTensor &tensor) {
  if (tensor.ndim > 0 && tensor.strides)
    return tensor.strides[0];
  int64_t stride = 1;
  // What is too large is refused by the context.
  for (int32_t d = 1; d < tensor.ndim; ++d)
    if (__builtin_mul_overflow(stride, tensor.shape[d], &stride))
      return 0;
  return stride;
}

static std::string describeStrides(const DLTensor &tensor) {
  std::string text;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    text += (d ? ", " : "") + std::to_string(tensor.strides[d]);
  return "(" + text + ")";
}

rt::Status capi::toTensor(const DLTensor *given, const char *role,
                          size_t position, rt::Tensor &tensor,
                          int64_t *outerStride) {
  auto refuse = [&](const std::string &what) {
    return rt::invalidArgument(std::string(role) + " " +
                               std::to_string(position) + " " + what);
  };
  if (!given)
    return refuse("is a null pointer");
  if (given->ndim < 0 || given->ndim > maxRank)
    return refuse("has " + std::to_string(given->ndim) +
                  " dimensions; a tensor has 0 to 64");
  if (given->ndim > 0 && !given->shape)
    return refuse("has no shape: its pointer is null");
  if (given->dtype.lanes != 1)
    return refuse("has elements of " + std::to_string(given->dtype.lanes) +
                  " lanes; say them as a dimension");
  if (!isCompact(*given, outerStride ? 1 : 0))
    return refuse(
        "has the strides " + describeStrides(*given) +
        ", which are not those of a compact row-major tensor; copy "
        "it to compact memory" +
        (!outerStride && isCompact(*given, 1)
             ? ", or run each slice by itself (an option of runs in C "
               "and C++)"
             : ""));
  if (outerStride)
    *outerStride = outerStrideOf(*given);
  // Where other memory can be, the context knows.
  tensor.location = {};
  if (!isInHostMemory(*given))
    tensor.location = {given->device.device_type, given->device.device_id};
  tensor.dtype = {given->dtype.code, given->dtype.bits};
  tensor.shape = rt::Shape(given->shape, given->ndim);
  // The context refuses shapes that are too large; of slices, their runs do.
  std::optional<void *> begin =
      beginOf(*given, outerStride ? 0 : tensor.bytes().value_or(0));
  if (!begin)
    return refuse("has the byte_offset " + std::to_string(given->byte_offset) +
                  " and the type and shape " + tensor.describe() +
                  ", which lead out of memory; byte_offset is the distance in "
                  "bytes from `data` to the first element");
  tensor.data = *begin;
  return rt::Status::ok();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {
template <typename Managed> struct ManagedResult {
  Managed managed = {};
  std::vector<int64_t> shape, strides;
  std::shared_ptr<AllocatorHook> hook; ///< Outlives `owned`.
  rt::OwnedTensor owned;

  static void destroy(Managed *self) {
    delete static_cast<ManagedResult *>(self->manager_ctx);
  }
};
} // namespace

static void setVersion(DLManagedTensor &) {}
static void setVersion(DLManagedTensorVersioned &tensor) {
  tensor.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
}

template <typename Managed>
ManagedTensor<Managed> capi::toManaged(rt::OwnedTensor tensor,
                                       std::shared_ptr<AllocatorHook> hook) {
  auto result = std::make_unique<ManagedResult<Managed>>();
  result->hook = std::move(hook);
  result->owned = std::move(tensor);
  result->shape = result->owned.tensor.shape;
  result->strides.resize(result->shape.size());
  int64_t stride = 1;
  for (size_t d = result->shape.size(); d-- > 0;) {
    result->strides[d] = stride;
    // Of an empty tensor the product may be anything: it has no element.
    if (__builtin_mul_overflow(stride, result->shape[d], &stride))
      stride = 0;
  }
  DLTensor &view = result->managed.dl_tensor;
  view.data = result->owned.tensor.data;
  const rt::MemoryLocation &location = result->owned.tensor.location;
  view.device = {DLDeviceType(location.type), location.index};
  view.ndim = result->shape.size();
  view.dtype = {result->owned.tensor.dtype.code,
                result->owned.tensor.dtype.bits, 1};
  view.shape = result->shape.data();
  view.strides = result->strides.data();
  setVersion(result->managed);
  result->managed.manager_ctx = result.get();
  result->managed.deleter = ManagedResult<Managed>::destroy;
  return ManagedTensor<Managed>(&result.release()->managed);
}

template ManagedTensor<DLManagedTensor>
    capi::toManaged(rt::OwnedTensor, std::shared_ptr<AllocatorHook>);
template ManagedTensor<DLManagedTensorVersioned>
    capi::toManaged(rt::OwnedTensor, std::shared_ptr<AllocatorHook>);

//===----------------------------------------------------------------------===//
// Tensors of other libraries
//===----------------------------------------------------------------------===//

qccStatus qccTensorGetView(DLManagedTensorVersioned *tensor, bool isWritten,
                           DLTensor **view) {
  return withoutExceptions([&]() -> qccStatus {
    if (!tensor || !view)
      return nullPointer(tensor ? "the handle of the view" : "the tensor");
    if (tensor->version.major != DLPACK_MAJOR_VERSION)
      return toC(rt::unsupported("the tensor is of version " +
                                 std::to_string(tensor->version.major) +
                                 " of DLPack, and qcc knows version " +
                                 std::to_string(DLPACK_MAJOR_VERSION) +
                                 "; ask its library for one of that version"));
    if (isWritten && (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY))
      return invalidArgument("the tensor is read-only, so it cannot be a "
                             "result; give memory that may be written");
    *view = &tensor->dl_tensor;
    return nullptr;
  });
}
