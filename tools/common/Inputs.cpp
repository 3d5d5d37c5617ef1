//===- Inputs.cpp - What a run is given -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Inputs.h"

#include "common/Text.h"
#include "qcc/Runtime/Memory.h"
#include "qcc/Support/Random.h"
#include "qcc/Support/TensorFile.h"

namespace qcc::tools {

std::vector<TensorSpec> specsOf(const rt::Entry &entry) {
  std::vector<TensorSpec> specs;
  for (const rt::TensorInfo &info : entry.arguments) {
    TensorSpec spec{info.dtype, {}};
    for (rt::Size dim : info.dims)
      spec.shape.push_back(dim.isDynamic() ? -1 : dim.literal());
    specs.push_back(std::move(spec));
  }
  return specs;
}

static bool endsWith(const std::string &text, std::string_view end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

rt::Result<HostTensor> readInput(const std::string &path,
                                 const TensorSpec &spec, size_t position,
                                 bool checkType) {
  if (!endsWith(path, ".npy"))
    return rt::invalidArgument(
        "input '" + path +
        "' is neither a .npy file nor random[:SEED[:LO:HI]]");
  rt::Result<HostTensor> tensor = readNpy(path);
  if (!tensor.isOk())
    return tensor;
  const std::vector<int64_t> &shape = tensor->shape();
  std::string what;
  if (checkType && tensor->dtype() != spec.dtype)
    what = "element type " + tensor->dtype().name() + " instead of " +
           spec.dtype.name();
  else if (shape.size() != spec.shape.size())
    what = format("rank %zu instead of %zu", shape.size(), spec.shape.size());
  else
    for (size_t i = 0; i < shape.size() && what.empty(); ++i)
      if (spec.shape[i] >= 0 && shape[i] != spec.shape[i])
        what = "size " + std::to_string(shape[i]) + " instead of " +
               std::to_string(spec.shape[i]) + " in dimension " +
               std::to_string(i);
  if (what.empty())
    return tensor;
  return rt::invalidArgument(
      format("input %zu, '%s', has %s: the entry takes %s, the file holds %s",
             position, path.c_str(), what.c_str(),
             rt::describe(spec.dtype, spec.shape).c_str(),
             tensor->describe().c_str()));
}

void addFiles(CommandFiles &files, const InputSources &sources) {
  for (const std::string &input : sources.inputs)
    if (!isRandomSpec(input))
      files.reads(input, "read by --input");
}

rt::Result<std::vector<std::string>>
sourcePerArgument(const InputSources &sources, size_t arguments,
                  const std::string &entry) {
  std::vector<std::string> inputs = sources.inputs;
  if (inputs.size() == 1 && isRandomSpec(inputs[0]))
    inputs.assign(arguments, inputs[0]);
  if (inputs.size() != arguments)
    return rt::invalidArgument(
        format("entry '%s' takes %zu input(s), but --input is given %zu "
               "time(s); --input=random serves all",
               entry.c_str(), arguments, inputs.size()));
  return inputs;
}

rt::Result<TensorSpec> RandomInputs::resolve(const std::string &source,
                                             TensorSpec spec, size_t position) {
  rt::Result<RandomSpec> random = parseRandomSpec(source);
  if (!random.isOk())
    return random.status().withPrefix("--input: ");
  std::string given = rt::describe(spec.dtype, spec.shape);
  for (int64_t &dim : spec.shape) {
    if (dim >= 0)
      continue;
    if (usedDims_ == sources_.dims.size())
      return rt::invalidArgument(
          format("input %zu of entry '%s' has a dynamic dimension (%s); give "
                 "its size with --dim=N",
                 position, entry_.c_str(), given.c_str()));
    dim = sources_.dims[usedDims_++];
    if (dim < 0)
      return rt::invalidArgument("'--dim=" + std::to_string(dim) +
                                 "' is negative");
  }
  return spec;
}

rt::Result<HostTensor> RandomInputs::make(const std::string &source,
                                          const TensorSpec &spec,
                                          size_t position) {
  rt::Result<TensorSpec> resolved = resolve(source, spec, position);
  if (!resolved.isOk())
    return resolved.status();
  rt::Result<HostTensor> tensor =
      HostTensor::create(resolved->dtype, resolved->shape);
  if (!tensor.isOk())
    return tensor.status().withPrefix("input " + std::to_string(position) +
                                      ": ");
  fillRandom(*tensor, *parseRandomSpec(source), /*stream=*/position);
  return tensor;
}

rt::Status RandomInputs::finish() const {
  if (usedDims_ == sources_.dims.size())
    return rt::Status::ok();
  return rt::invalidArgument(
      format("--dim is given %zu time(s), but the random inputs have %zu "
             "dynamic dimension(s)",
             sources_.dims.size(), usedDims_));
}

rt::Result<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs, const InputSources &sources,
           const std::string &entry) {
  rt::Result<std::vector<std::string>> texts =
      sourcePerArgument(sources, specs.size(), entry);
  if (!texts.isOk())
    return texts.status();
  RandomInputs random(sources, entry);
  // All sizes are known before the first input takes memory.
  std::vector<TensorSpec> resolved = specs;
  uint64_t total = 0;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!isRandomSpec((*texts)[i]))
      continue;
    rt::Result<TensorSpec> spec = random.resolve((*texts)[i], specs[i], i);
    if (!spec.isOk())
      return spec.status();
    resolved[i] = *std::move(spec);
    // Too many elements for a number are reported with their input.
    if (auto bytes = rt::numBytes(resolved[i].dtype, resolved[i].shape))
      total += *bytes;
  }
  rt::Status status = random.finish();
  if (!status.isOk())
    return status;
  if (!rt::hasMemoryFor(total))
    return rt::outOfMemory("the random inputs need " + std::to_string(total) +
                           " bytes, for which there is not enough memory; give "
                           "smaller sizes with --dim");
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string &source = (*texts)[i];
    rt::Result<HostTensor> tensor = isRandomSpec(source)
                                        ? random.make(source, resolved[i], i)
                                        : readInput(source, specs[i], i);
    if (!tensor.isOk())
      return tensor.status();
    inputs.push_back(*std::move(tensor));
  }
  return inputs;
}

} // namespace qcc::tools
