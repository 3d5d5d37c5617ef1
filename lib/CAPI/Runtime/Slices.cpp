//===- Slices.cpp - Runs of each slice of a batch -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice is compact wherever it lies, so slices that lie apart are run one
// after the other, each as a batch of one. Since an earlier run must not change
// what a later one reads, memory is checked for all slices before the first.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "../DLTensors.h"
#include "Call.h"

#include <chrono>

using namespace qcc;
using namespace qcc::capi;

namespace {
/// The memory of a tensor of the call.
struct Region {
  uintptr_t begin; ///< Of slice 0.
  int64_t slice;   ///< Bytes of a slice.
  int64_t stride;  ///< Bytes from one slice to the next.
  int64_t count;   ///< Slices: 1 where it is not sliced.

  uintptr_t low() const {
    return begin + (stride < 0 ? uintptr_t(stride * (count - 1)) : 0);
  }
  uintptr_t high() const {
    return begin + (stride > 0 ? uintptr_t(stride * (count - 1)) : 0) + slice;
  }
  /// Without data, the context says so.
  bool canBeMemory() const {
    return begin == 0 || count == 0 || slice == 0 ||
           (low() <= high() && capi::canBeMemory(low(), high() - low()));
  }
};

class SliceRun {
public:
  explicit SliceRun(qccContext context)
      : context(context), entry(context->context->entry()),
        numArguments(entry.arguments.size()),
        numTensors(context->tensors.size()) {}

  rt::Status prepare();
  rt::Status run(rt::RunOptions options);

private:
  const rt::TensorInfo &infoOf(size_t i) const {
    return i < numArguments ? entry.arguments[i]
                            : entry.results[i - numArguments];
  }
  bool isSliced(size_t i) const {
    return !infoOf(i).dims.empty() && infoOf(i).dims[0].isDynamic();
  }
  std::string nameOf(size_t i) const {
    return i < numArguments ? "argument " + std::to_string(i)
                            : "result " + std::to_string(i - numArguments);
  }
  rt::Status addRegion(size_t i);
  rt::Status checkOverlap(size_t result) const;
  bool areApart(size_t a, size_t b) const;

  qccContext context;
  const rt::Entry &entry;
  const size_t numArguments, numTensors;
  int64_t numSlices = -1; ///< Not known yet.
  std::vector<Region> regions;
};
} // namespace

rt::Status SliceRun::addRegion(size_t i) {
  rt::Tensor &tensor = context->tensors[i];
  int64_t stride = 0, count = 1;
  if (tensor.dtype != infoOf(i).dtype)
    return rt::invalidArgument(
        nameOf(i) + " has elements of type " + tensor.dtype.name() +
        ", but the program wants " + infoOf(i).dtype.name());
  if (isSliced(i)) {
    if (tensor.shape.size() != infoOf(i).dims.size())
      return rt::invalidArgument(nameOf(i) + " is " + tensor.describe() +
                                 ", but the program wants " +
                                 infoOf(i).describe());
    count = tensor.shape[0];
    if (numSlices < 0)
      numSlices = count;
    if (count != numSlices || count < 0)
      return rt::invalidArgument(nameOf(i) + " has " + std::to_string(count) +
                                 " slices, but the tensors before it have " +
                                 std::to_string(numSlices));
    tensor.shape[0] = 1;
  }
  std::optional<int64_t> slice = tensor.bytes();
  int64_t reach;
  if (!slice ||
      __builtin_mul_overflow(context->outerStrides[i],
                             int64_t(tensor.dtype.size()), &stride) ||
      __builtin_mul_overflow(stride, count, &reach))
    return rt::invalidArgument(nameOf(i) + " has too many elements");
  regions.push_back({reinterpret_cast<uintptr_t>(tensor.data), *slice,
                     isSliced(i) ? stride : 0, count});
  return regions.back().canBeMemory()
             ? rt::Status::ok()
             : rt::invalidArgument(nameOf(i) + " has slices that lie " +
                                   std::to_string(stride) +
                                   " bytes apart, which lead out of memory; "
                                   "the stride of the outermost dimension is "
                                   "too large");
}

/// Whether no slice of one has memory of a slice of the other.
bool SliceRun::areApart(size_t a, size_t b) const {
  const Region &first = regions[a], &second = regions[b];
  if (first.slice == 0 || second.slice == 0 || first.high() <= second.low() ||
      second.high() <= first.low())
    return true;
  if (first.stride != second.stride || first.stride <= 0)
    return false;
  // Columns of one matrix: the second's slices lie between the first's.
  int64_t stride = first.stride;
  int64_t shift = int64_t(second.begin - first.begin) % stride;
  shift += shift < 0 ? stride : 0;
  return shift >= first.slice && shift + second.slice <= stride;
}

rt::Status SliceRun::checkOverlap(size_t result) const {
  const Region &region = regions[result];
  if (!isSliced(result))
    return rt::invalidArgument(nameOf(result) +
                               " has no dynamic outermost dimension, so there "
                               "is no part of it for each slice");
  if (region.count > 1 && region.stride < 0)
    return rt::invalidArgument(
        nameOf(result) +
        " has a negative stride of its outermost dimension; only arguments may "
        "have one: `data` of a result is its lowest address");
  if (region.count > 1 && region.stride < region.slice)
    return rt::invalidArgument(nameOf(result) +
                               " has slices that overlap one another; give "
                               "each memory of its own");
  for (size_t i = 0; i < result; ++i) {
    bool isInPlace =
        i < numArguments && entry.inPlace[result - numArguments] == int32_t(i);
    bool isSame = regions[i].begin == region.begin &&
                  regions[i].stride == region.stride &&
                  regions[i].slice == region.slice;
    if (!(isInPlace && isSame) && !areApart(i, result))
      return rt::invalidArgument(nameOf(result) + " overlaps the memory of " +
                                 nameOf(i) + "; give it memory of its own");
  }
  return rt::Status::ok();
}

rt::Status SliceRun::prepare() {
  rt::Status status;
  for (size_t i = 0; i < numTensors && status.isOk(); ++i) {
    if (i == numArguments && numSlices < 0)
      return rt::invalidArgument("no argument of the entry has a dynamic "
                                 "outermost dimension, so there are no slices");
    status = addRegion(i);
  }
  if (status.isOk() && numSlices < 0)
    return rt::invalidArgument("the entry has no tensors that have slices");
  for (size_t i = numArguments; i < numTensors && status.isOk(); ++i)
    status = checkOverlap(i);
  return status;
}

rt::Status SliceRun::run(rt::RunOptions options) {
  using Clock = std::chrono::steady_clock;
  const int64_t limit = options.timeoutNanoseconds;
  const Clock::time_point start = Clock::now();
  std::vector<rt::Tensor> &tensors = context->tensors;
  rt::Status status;
  for (int64_t slice = 0; slice < numSlices && status.isOk(); ++slice) {
    if (limit > 0) {
      std::chrono::nanoseconds elapsed = Clock::now() - start;
      // A limit of 0 would be none.
      options.timeoutNanoseconds =
          std::max<int64_t>(limit - elapsed.count(), 1);
    }
    for (size_t i = 0; i < numTensors; ++i)
      if (regions[i].begin != 0)
        tensors[i].data = reinterpret_cast<void *>(
            regions[i].begin + uintptr_t(regions[i].stride * slice));
    status =
        context->context
            ->run(tensors.data(), numArguments, tensors.data() + numArguments,
                  numTensors - numArguments, options)
            .withPrefix("slice " + std::to_string(slice) + ": ");
  }
  return status;
}

rt::Status capi::runEachSlice(qccContext context, rt::RunOptions options) {
  SliceRun run(context);
  rt::Status status = run.prepare();
  return status.isOk() ? run.run(options) : status;
}
