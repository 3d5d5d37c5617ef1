//===- Tensors.cpp - Inputs and outputs of a run --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Support/Random.h"
#include "qcc/Support/TensorFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

func::FuncOp driver::findEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> entries;
  SmallVector<StringRef> names;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func.isPublic())
      continue;
    if (func.getName() == name)
      return func;
    entries.push_back(func);
    names.push_back(func.getName());
  }
  if (name.empty() && entries.size() == 1)
    return entries.front();
  if (name.empty())
    reportError(
        "the program has " + Twine(entries.size()) +
        " entries; choose one with --entry: " + llvm::join(names, ", "));
  else
    reportError("no entry '" + name +
                "'; the program has: " + llvm::join(names, ", "));
  return {};
}

std::optional<std::vector<TensorSpec>> driver::specsOf(func::FuncOp entry) {
  std::vector<TensorSpec> specs;
  for (Type type : entry.getArgumentTypes()) {
    auto element = reference::elementTypeOf(type);
    if (!element) {
      reportError(element.takeError());
      return std::nullopt;
    }
    TensorSpec spec;
    spec.dtype = {static_cast<uint8_t>(element->code), element->bits};
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      spec.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    specs.push_back(std::move(spec));
  }
  return specs;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t dim : shape)
    text +=
        (ShapedType::isDynamic(dim) ? std::string("?") : std::to_string(dim)) +
        "x";
  return text;
}

/// Reads an input and checks it against what the entry takes.
static std::optional<HostTensor>
readInput(StringRef path, const TensorSpec &spec, size_t position) {
  if (!path.ends_with(".npy")) {
    reportError("input '" + path +
                "' is neither a .npy file nor random[:SEED[:LO:HI]]");
    return std::nullopt;
  }
  auto tensor = readNpy(path.str());
  if (!tensor.isOk()) {
    reportError(tensor.message());
    return std::nullopt;
  }
  const std::vector<int64_t> &shape = tensor->shape();
  std::string what;
  if (tensor->dtype() != spec.dtype)
    what = "element type " + tensor->dtype().name() + " instead of " +
           spec.dtype.name();
  else if (shape.size() != spec.shape.size())
    what = llvm::formatv("rank {0} instead of {1}", shape.size(),
                         spec.shape.size());
  else
    for (auto [i, dims] : llvm::enumerate(llvm::zip(shape, spec.shape)))
      if (auto [is, should] = dims;
          what.empty() && !ShapedType::isDynamic(should) && is != should)
        what = llvm::formatv("size {0} instead of {1} in dimension {2}", is,
                             should, i);
  if (what.empty())
    return std::move(*tensor);
  reportError(llvm::formatv("input {0}, '{1}', has {2}: the entry takes {3}, "
                            "the file holds {4}",
                            position, path, what,
                            shapeText(spec.shape) + spec.dtype.name(),
                            tensor->describe()));
  return std::nullopt;
}

std::optional<std::vector<HostTensor>>
driver::makeInputs(const std::vector<TensorSpec> &specs,
                   const RunOptions &options, StringRef entry) {
  std::vector<std::string> sources = options.inputs;
  if (sources.size() == 1 && isRandomSpec(sources[0]))
    sources.assign(specs.size(), sources[0]);
  if (sources.size() != specs.size()) {
    reportError(llvm::formatv("entry '{0}' takes {1} input(s), but --input is "
                              "given {2} time(s); --input=random serves all",
                              entry, specs.size(), sources.size()));
    return std::nullopt;
  }
  std::vector<HostTensor> inputs;
  size_t usedDims = 0;
  for (auto [i, source] : llvm::enumerate(sources)) {
    const TensorSpec &spec = specs[i];
    if (!isRandomSpec(source)) {
      auto tensor = readInput(source, spec, i);
      if (!tensor)
        return std::nullopt;
      inputs.push_back(std::move(*tensor));
      continue;
    }
    auto random = parseRandomSpec(source);
    if (!random.isOk()) {
      reportError("--input: " + random.message());
      return std::nullopt;
    }
    std::vector<int64_t> shape = spec.shape;
    for (int64_t &dim : shape) {
      if (!ShapedType::isDynamic(dim))
        continue;
      if (usedDims == options.dims.size()) {
        reportError(llvm::formatv(
            "input {0} of entry '{1}' has a dynamic dimension ({2}{3}); give "
            "its size with --dim=N",
            i, entry, shapeText(spec.shape), spec.dtype.name()));
        return std::nullopt;
      }
      dim = options.dims[usedDims++];
      if (dim < 0) {
        reportError("'--dim=" + Twine(dim) + "' is negative");
        return std::nullopt;
      }
    }
    auto tensor = HostTensor::create(spec.dtype, std::move(shape));
    if (!tensor.isOk()) {
      reportError("input " + Twine(i) + ": " + tensor.message());
      return std::nullopt;
    }
    fillRandom(*tensor, *random, /*stream=*/i);
    inputs.push_back(std::move(*tensor));
  }
  if (usedDims != options.dims.size()) {
    reportError(
        llvm::formatv("--dim is given {0} time(s), but the random inputs "
                      "have {1} dynamic dimension(s)",
                      options.dims.size(), usedDims));
    return std::nullopt;
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static bool isNaN(const uint8_t *bytes, rt::DType dtype) {
  uint64_t bits = 0;
  memcpy(&bits, bytes, dtype.size());
  unsigned mantissa = 0;
  if (dtype.code == QCC_BFLOAT)
    mantissa = 7;
  else if (dtype.code == QCC_FLOAT)
    mantissa = dtype.bits == 16 ? 10 : dtype.bits == 32 ? 23 : 52;
  else
    return false;
  uint64_t exponent = ((uint64_t(1) << (dtype.bits - 1 - mantissa)) - 1)
                      << mantissa;
  return (bits & exponent) == exponent &&
         (bits & ((uint64_t(1) << mantissa) - 1)) != 0;
}

int64_t driver::countDifferences(const rt::Tensor &a, const rt::Tensor &b) {
  if (a.dtype != b.dtype || a.shape != b.shape)
    return std::max<int64_t>(1, a.elements().value_or(0));
  int64_t size = a.dtype.size(), differing = 0;
  for (int64_t i = 0, e = a.elements().value_or(0); i < e; ++i) {
    auto *x = static_cast<const uint8_t *>(a.data) + i * size;
    auto *y = static_cast<const uint8_t *>(b.data) + i * size;
    if (memcmp(x, y, size) != 0 && !(isNaN(x, a.dtype) && isNaN(y, a.dtype)))
      ++differing;
  }
  return differing;
}
