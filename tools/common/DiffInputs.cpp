//===- DiffInputs.cpp - One input for two programs ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/DiffInputs.h"

#include "common/Execution.h"
#include "common/Text.h"
#include "common/Values.h"
#include "qcc/Support/Random.h"

#include <cstring>

namespace qcc::tools {

/// The dimensions that both arguments accept.
static rt::Result<std::vector<int64_t>>
commonShape(const TensorSpec &a, const TensorSpec &b, size_t position) {
  std::vector<int64_t> shape = a.shape;
  bool agree = a.shape.size() == b.shape.size();
  for (size_t d = 0; agree && d < shape.size(); ++d) {
    if (shape[d] < 0)
      shape[d] = b.shape[d];
    agree = b.shape[d] < 0 || shape[d] == b.shape[d];
  }
  if (agree)
    return shape;
  return rt::invalidArgument(
      format("argument %zu is %s in A but %s in B: no input fits both",
             position, rt::describe(a.dtype, a.shape).c_str(),
             rt::describe(b.dtype, b.shape).c_str()));
}

/// An input as real values: those of the file, or what its integers stand for.
static rt::Result<HostTensor> asReal(HostTensor given, const rt::TensorInfo &a,
                                     const rt::TensorInfo &b, size_t position) {
  if (given.dtype().isFloat())
    return given;
  for (const rt::TensorInfo *info : {&a, &b})
    if (info->quantization && info->dtype == given.dtype())
      return realValues(viewOf(given), info->quantization);
  return rt::invalidArgument(
      format("input %zu has elements of type %s, but argument %zu is %s in A "
             "and %s in B; give it as f32",
             position, given.dtype().name().c_str(), position,
             a.dtype.name().c_str(), b.dtype.name().c_str()));
}

static rt::Result<HostTensor> copy(HostTensor &tensor) {
  return realValues(viewOf(tensor), std::nullopt);
}

/// An input in the form that `info` stores.
static rt::Result<HostTensor> formFor(const rt::TensorInfo &info,
                                      HostTensor &real, size_t position,
                                      const char *side) {
  if (real.dtype() == info.dtype && !info.quantization)
    return copy(real);
  rt::Result<HostTensor> stored =
      storedValues(real, info.dtype, info.quantization);
  if (!stored.isOk())
    return stored.status().withPrefix("argument " + std::to_string(position) +
                                      " of " + side + ": ");
  return stored;
}

static bool areAlike(const rt::TensorInfo &a, const rt::TensorInfo &b) {
  return a.dtype == b.dtype &&
         isSameQuantization(a.quantization, b.quantization);
}

/// What is made for both entries: the elements of both where they are alike,
/// or else real numbers. Names are those of A, or of B where A has none.
static rt::Result<std::vector<TensorSpec>> commonSpecs(const rt::Entry &a,
                                                       const rt::Entry &b) {
  std::vector<TensorSpec> specs = specsOf(a), other = specsOf(b);
  for (size_t i = 0; i < specs.size(); ++i) {
    rt::Result<std::vector<int64_t>> shape = commonShape(specs[i], other[i], i);
    if (!shape.isOk())
      return shape.status();
    specs[i].shape = *std::move(shape);
    rt::DType dtypeA = a.arguments[i].dtype, dtypeB = b.arguments[i].dtype;
    if (!areAlike(a.arguments[i], b.arguments[i]) && !dtypeA.isFloat())
      specs[i].dtype = dtypeB.isFloat() ? dtypeB : rt::DType{QCC_FLOAT, 32};
    if (specs[i].name.empty())
      specs[i].name = other[i].name;
    if (specs[i].dimNames.empty())
      specs[i].dimNames = other[i].dimNames;
  }
  return specs;
}

rt::Result<DiffInputs> makeDiffInputs(const rt::Entry &a, const rt::Entry &b,
                                      const InputSources &sources) {
  if (a.arguments.size() != b.arguments.size())
    return rt::invalidArgument(
        format("A takes %zu argument(s), but B takes %zu", a.arguments.size(),
               b.arguments.size()));
  rt::Result<std::vector<TensorSpec>> common = commonSpecs(a, b);
  if (!common.isOk())
    return common.status();
  std::string entry(a.name);
  rt::Result<std::vector<std::string>> texts =
      sourcePerArgument(sources, *common, entry);
  if (!texts.isOk())
    return texts.status();
  std::vector<bool> isRandom = findRandom(*texts);
  rt::Result<std::vector<TensorSpec>> specs =
      resolveSizes(*std::move(common), sources.sizes, isRandom, entry);
  if (!specs.isOk())
    return specs.status();
  DiffInputs inputs;
  for (size_t i = 0; i < specs->size(); ++i) {
    const rt::TensorInfo &infoA = a.arguments[i], &infoB = b.arguments[i];
    const TensorSpec &spec = (*specs)[i];
    bool isAlike = areAlike(infoA, infoB);
    const std::string &text = (*texts)[i];
    // A file of another type may still hold real values.
    rt::Result<HostTensor> given =
        isRandom[i] ? makeRandom(text, spec, i)
                    : readInput(text, spec, i,
                                /*checkType=*/isAlike && !infoA.quantization);
    if (!given.isOk())
      return given.status();
    if (isAlike && given->dtype() == infoA.dtype) {
      rt::Result<HostTensor> other = copy(*given);
      if (!other.isOk())
        return other.status();
      inputs.a.push_back(*std::move(given));
      inputs.b.push_back(*std::move(other));
      continue;
    }
    rt::Result<HostTensor> real = asReal(*std::move(given), infoA, infoB, i);
    if (!real.isOk())
      return real.status();
    rt::Result<HostTensor> forA = formFor(infoA, *real, i, "A");
    if (!forA.isOk())
      return forA.status();
    rt::Result<HostTensor> forB = formFor(infoB, *real, i, "B");
    if (!forB.isOk())
      return forB.status();
    inputs.a.push_back(*std::move(forA));
    inputs.b.push_back(*std::move(forB));
  }
  return inputs;
}

} // namespace qcc::tools
