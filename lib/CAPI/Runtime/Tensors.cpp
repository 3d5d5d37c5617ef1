//===- Tensors.cpp - DLPack's tensors as the runtime's --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include <string>

using namespace qcc;
using namespace qcc::capi;

/// Whether elements follow one another in row-major order. A stride counts only
/// where there is a second element along its dimension.
static bool isCompact(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (tensor.shape[d] == 0)
      return true;
  int64_t expected = 1;
  for (int32_t d = tensor.ndim - 1; d >= 0; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected)
      return false;
    // Too many elements are refused by the context.
    if (__builtin_mul_overflow(expected, tensor.shape[d], &expected))
      return true;
  }
  return true;
}

static std::string describeStrides(const DLTensor &tensor) {
  std::string text;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    text += (d ? ", " : "") + std::to_string(tensor.strides[d]);
  return "(" + text + ")";
}

rt::Status capi::toTensor(const DLTensor *given, const char *role,
                          size_t position, rt::Tensor &tensor) {
  auto refuse = [&](const std::string &what) {
    return rt::invalidArgument(std::string(role) + " " +
                               std::to_string(position) + " " + what);
  };
  if (!given)
    return refuse("is a null pointer");
  constexpr int32_t maxRank = 64;
  if (given->ndim < 0 || given->ndim > maxRank)
    return refuse("has " + std::to_string(given->ndim) +
                  " dimensions; a tensor has 0 to 64");
  if (given->ndim > 0 && !given->shape)
    return refuse("has no shape: its pointer is null");
  if (given->dtype.lanes != 1)
    return refuse("has elements of " + std::to_string(given->dtype.lanes) +
                  " lanes; say them as a dimension");
  if (!isCompact(*given))
    return refuse("has the strides " + describeStrides(*given) +
                  ", which are not those of a compact row-major tensor; copy "
                  "it to compact memory");
  // Pinned memory is the host's. Where other memory can be, the context knows.
  bool isHost = given->device.device_type == kDLCPU ||
                given->device.device_type == kDLCUDAHost;
  tensor.location = {};
  if (!isHost)
    tensor.location = {given->device.device_type, given->device.device_id};
  tensor.dtype = {given->dtype.code, given->dtype.bits};
  tensor.shape = rt::Shape(given->shape, given->ndim);
  tensor.data = given->data
                    ? static_cast<char *>(given->data) + given->byte_offset
                    : nullptr;
  return rt::Status::ok();
}

namespace {
struct ManagedResult {
  DLManagedTensor managed;
  std::vector<int64_t> shape, strides;
  std::shared_ptr<AllocatorHook> hook; ///< Outlives `owned`.
  rt::OwnedTensor owned;

  static void destroy(DLManagedTensor *self) {
    delete static_cast<ManagedResult *>(self->manager_ctx);
  }
};
} // namespace

void DeleteManaged::operator()(DLManagedTensor *tensor) const {
  tensor->deleter(tensor);
}

ManagedTensor capi::toManaged(rt::OwnedTensor tensor,
                              std::shared_ptr<AllocatorHook> hook) {
  auto result = std::make_unique<ManagedResult>();
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
  view.byte_offset = 0;
  result->managed.manager_ctx = result.get();
  result->managed.deleter = ManagedResult::destroy;
  return ManagedTensor(&result.release()->managed);
}
