//===- WeightHooks.cpp - Weights that the caller has ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightHooks.h"
#include "../Convert.h"
#include "../DLTensors.h"
#include "llvm/ADT/StringMap.h"

using namespace qcc;
using namespace qcc::capi;

rt::Result<HostView> capi::viewTensor(const DLTensor *tensor) {
  if (!tensor || (tensor->ndim > 0 && !tensor->shape))
    return rt::invalidArgument("its tensor is not there");
  if (tensor->ndim < 0 || tensor->ndim > maxRank)
    return rt::invalidArgument("its tensor has " +
                               std::to_string(tensor->ndim) +
                               " dimensions; a tensor has 0 to 64");
  if (!isInHostMemory(*tensor))
    return rt::unsupported("its tensor is not in host memory; copy it there");
  if (tensor->dtype.lanes != 1)
    return rt::unsupported("its elements have several lanes; split them");
  int64_t elements = 1;
  for (int32_t i = tensor->ndim; i-- > 0;) {
    if (tensor->strides && tensor->shape[i] > 1 &&
        tensor->strides[i] != elements)
      return rt::unsupported("its tensor is strided; make it compact");
    if (tensor->shape[i] < 0 ||
        __builtin_mul_overflow(elements, tensor->shape[i], &elements))
      return rt::invalidArgument("its shape is impossible");
  }
  if (elements > 0 && !tensor->data)
    return rt::invalidArgument("its data is a null pointer");
  HostView view{{tensor->dtype.code, tensor->dtype.bits}, {}, {}};
  view.shape.assign(tensor->shape, tensor->shape + tensor->ndim);
  std::optional<int64_t> size = rt::numBytes(view.dtype, view.shape);
  if (!size)
    return rt::invalidArgument("its shape is impossible");
  std::optional<void *> begin = beginOf(*tensor, *size);
  if (!begin)
    return rt::invalidArgument("its byte_offset or size leads out of memory");
  view.bytes = llvm::ArrayRef(static_cast<const char *>(*begin), *size);
  return view;
}

namespace {
/// Tensors by name, of which each is checked when it is asked for.
class TensorTable {
public:
  static rt::Result<WeightsSource> read(const qccWeightTensor *given,
                                        size_t count) {
    TensorTable table;
    rt::Status status = readNamed(given, count, "weightTensors",
                                  [&](const qccWeightTensor &weight) {
                                    table.tensors[weight.name] = weight.tensor;
                                    return rt::Status::ok();
                                  });
    if (!status.isOk())
      return status;
    WeightsSource source;
    source.kind = WeightsSource::Kind::Lent;
    source.lend = [table = std::move(table)](llvm::StringRef name,
                                             rt::DType dtype,
                                             llvm::ArrayRef<int64_t> shape) {
      return table.lend(name, dtype, shape);
    };
    return source;
  }

private:
  rt::Result<LentBytes> lend(llvm::StringRef name, rt::DType dtype,
                             llvm::ArrayRef<int64_t> shape) const {
    auto found = tensors.find(name);
    if (found == tensors.end())
      return rt::notFound("none of the " + std::to_string(tensors.size()) +
                          " given tensors has this name");
    rt::Result<HostView> view = viewTensor(found->second);
    if (!view.isOk())
      return view.status();
    if (view->dtype != dtype || llvm::ArrayRef(view->shape) != shape)
      return rt::invalidArgument("it was given as " +
                                 rt::describe(view->dtype, view->shape) +
                                 "; make them the same");
    return LentBytes{view->bytes, {}};
  }

  llvm::StringMap<const DLTensor *> tensors;
};
} // namespace

static rt::Result<LentBytes> callHook(const qccWeightHook &hook,
                                      llvm::StringRef name, rt::DType dtype,
                                      llvm::ArrayRef<int64_t> shape) {
  std::string text = name.str();
  std::optional<int64_t> numBytes = rt::numBytes(dtype, shape.vec());
  if (!numBytes)
    return rt::invalidArgument("it has too many elements");
  qccWeightRequest request = {sizeof(request),
                              text.c_str(),
                              {dtype.code, dtype.bits, 1},
                              static_cast<int32_t>(shape.size()),
                              shape.data(),
                              static_cast<size_t>(*numBytes)};
  qccWeightBytes bytes = {};
  bytes.size = sizeof(bytes);
  if (qccStatus failed = hook.find(hook.context, &request, &bytes)) {
    rt::Status status = rt::invalidArgument(std::string("the hook has none: ") +
                                            qccStatusGetMessage(failed));
    qccStatusDestroy(failed);
    return status;
  }
  std::function<void()> giveBack;
  if (bytes.giveBack)
    giveBack = [bytes] { bytes.giveBack(bytes.context); };
  if (bytes.numBytes == request.numBytes && (bytes.data || *numBytes == 0))
    return LentBytes{
        llvm::ArrayRef(static_cast<const char *>(bytes.data), bytes.numBytes),
        std::move(giveBack)};
  if (giveBack)
    giveBack();
  return rt::invalidArgument(
      bytes.data ? "the hook gave " + std::to_string(bytes.numBytes) +
                       " bytes, but it has " + std::to_string(*numBytes)
                 : "the hook gave a null pointer");
}

rt::Result<WeightsSource> capi::readWeights(const qccCompileOptions &options) {
  if ((options.weights != nullptr) + (options.numWeightTensors > 0) +
          (options.weightHook != nullptr) >
      1)
    return rt::invalidArgument("weights come from one place: give `weights`, "
                               "`weightTensors` or `weightHook`");
  if (options.numWeightTensors > 0)
    return TensorTable::read(options.weightTensors, options.numWeightTensors);
  if (options.weightHook) {
    qccWeightHook hook;
    rt::Status status =
        readHook(options.weightHook, hook, &qccWeightHook::find, "weightHook");
    if (!status.isOk())
      return status;
    WeightsSource source;
    source.kind = WeightsSource::Kind::Lent;
    source.lend = [hook](llvm::StringRef name, rt::DType dtype,
                         llvm::ArrayRef<int64_t> shape) {
      return callHook(hook, name, dtype, shape);
    };
    return source;
  }
  if (!options.weights)
    return WeightsSource();
  auto weights = WeightsSource::parse(options.weights);
  if (!weights)
    return rt::invalidArgument(llvm::toString(weights.takeError()));
  return *std::move(weights);
}
