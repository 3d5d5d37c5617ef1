//===- Inputs.cpp - Inputs of a run ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Inputs.h"

#include "common/Text.h"
#include "qcc/Base/Memory.h"
#include "qcc/Support/FileFormat.h"
#include "qcc/Support/Random.h"
#include "qcc/Support/TensorFile.h"

#include <unistd.h>

namespace qcc::tools {

static bool endsWith(const std::string &text, std::string_view end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

rt::Result<HostTensor> readArray(const std::string &path) {
  if (path != "-")
    return readNpy(path);
  rt::Result<std::string> bytes =
      readStream(STDIN_FILENO, "the standard input");
  if (!bytes.isOk())
    return bytes.status();
  rt::Result<HostTensor> tensor = parseNpy(*bytes);
  if (!tensor.isOk())
    return tensor.status().withPrefix("the standard input: ");
  return tensor;
}

rt::Result<HostTensor> readInput(const std::string &path,
                                 const TensorSpec &spec, size_t position,
                                 bool checkType) {
  bool isNamedSo = path == "-" || endsWith(path, ".npy");
  if (!isNamedSo)
    if (auto reason = refuseFileFormat(path, FileUse::Array))
      return rt::invalidArgument("input '" + path + "': " + *reason);
  if (!isNamedSo)
    return rt::invalidArgument(
        "input '" + path +
        "' is neither a .npy file nor random[:SEED[:LO:HI]]");
  rt::Result<HostTensor> tensor = readArray(path);
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

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

namespace {
/// An --input, with the name of its argument if it has one.
struct NamedSource {
  std::string name, source;
};
} // namespace

/// What stands behind the last colon is a file; random numbers have colons of
/// their own.
static NamedSource splitSource(const std::string &text) {
  size_t colon = text.rfind(":random");
  if (isRandomSpec(text) || text.find(':') == std::string::npos)
    return {"", text};
  if (colon == std::string::npos || !isRandomSpec(text.substr(colon + 1)))
    colon = text.rfind(':');
  return {text.substr(0, colon), text.substr(colon + 1)};
}

rt::Status InputSources::add(std::string_view text) {
  std::string input(text);
  bool hasName = text.empty() || text.front() != ':';
  if (!hasName || splitSource(input).source.empty())
    return rt::invalidArgument(
        "'--input=" + input + "' has " +
        (hasName ? "nothing after its name" : "an empty name") +
        "; write --input=NAME:FILE.npy, or --input=FILE.npy without a name");
  std::string source = splitSource(input).source;
  if (isRandomSpec(source))
    if (auto random = parseRandomSpec(source); !random.isOk())
      return random.status().withPrefix("--input: ");
  inputs.push_back(std::move(input));
  return rt::Status::ok();
}

void addFiles(CommandFiles &files, const InputSources &sources) {
  for (const std::string &input : sources.inputs) {
    std::string source = splitSource(input).source;
    if (!isRandomSpec(source))
      files.reads(source, "read by --input");
  }
}

/// Puts the sources that have names to their arguments; returns the others.
static rt::Result<std::vector<std::string>>
placeNamed(const InputSources &sources, const std::vector<TensorSpec> &specs,
           const std::string &entry, std::vector<std::string> &placed) {
  std::vector<std::string> others;
  for (const std::string &input : sources.inputs) {
    NamedSource named = splitSource(input);
    if (named.name.empty()) {
      others.push_back(named.source);
      continue;
    }
    std::vector<std::string> known;
    bool isFound = false;
    for (size_t i = 0; i < specs.size(); ++i) {
      known.push_back(specs[i].name.empty() ? "(no name)" : specs[i].name);
      if (specs[i].name != named.name)
        continue;
      if (!placed[i].empty())
        return rt::invalidArgument("--input gives the argument '" + named.name +
                                   "' of entry '" + entry + "' twice");
      placed[i] = named.source;
      isFound = true;
    }
    if (!isFound)
      return rt::invalidArgument("'--input=" + input + "': entry '" + entry +
                                 "' has no argument '" + named.name +
                                 "'; it has: " + join(known));
  }
  return others;
}

rt::Result<std::vector<std::string>>
sourcePerArgument(const InputSources &sources,
                  const std::vector<TensorSpec> &specs,
                  const std::string &entry) {
  if (sources.inputs.empty())
    return std::vector<std::string>(specs.size(), "random");
  std::vector<std::string> placed(specs.size());
  rt::Result<std::vector<std::string>> others =
      placeNamed(sources, specs, entry, placed);
  if (!others.isOk())
    return others;
  bool isForAll = others->size() == 1 && isRandomSpec(others->front());
  bool hasNames = others->size() != sources.inputs.size();
  if (!isForAll && !hasNames && others->size() != specs.size())
    return rt::invalidArgument(
        format("entry '%s' takes %zu input(s), but --input is given %zu "
               "time(s); --input=random serves all",
               entry.c_str(), specs.size(), sources.inputs.size()));
  if (!isForAll && hasNames && !others->empty())
    return rt::invalidArgument("'--input=" + others->front() +
                               "' has no name, but others have; write "
                               "--input=NAME:" +
                               others->front());
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!placed[i].empty())
      continue;
    if (others->empty())
      return rt::invalidArgument(
          specs[i].describe(i) + " of entry '" + entry +
          "' is not given; add --input=" +
          (specs[i].name.empty() ? "" : specs[i].name + ":") +
          "FILE.npy, or --input=random for all that have no file");
    placed[i] = (*others)[isForAll ? 0 : i];
  }
  return placed;
}

std::vector<bool> findRandom(const std::vector<std::string> &sources) {
  std::vector<bool> random;
  for (const std::string &source : sources)
    random.push_back(isRandomSpec(source));
  return random;
}

rt::Result<HostTensor> makeRandom(const std::string &source,
                                  const TensorSpec &spec, size_t position) {
  rt::Result<HostTensor> tensor = HostTensor::create(spec.dtype, spec.shape);
  if (!tensor.isOk())
    return tensor.status().withPrefix(spec.describe(position) + ": ");
  fillRandom(*tensor, *parseRandomSpec(source), /*stream=*/position);
  return tensor;
}

rt::Result<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs, const InputSources &sources,
           const std::string &entry) {
  rt::Result<std::vector<std::string>> texts =
      sourcePerArgument(sources, specs, entry);
  if (!texts.isOk())
    return texts.status();
  std::vector<bool> isRandom = findRandom(*texts);
  // All sizes are known before the first input takes memory.
  rt::Result<std::vector<TensorSpec>> resolved =
      resolveSizes(specs, sources.sizes, isRandom, entry);
  if (!resolved.isOk())
    return resolved.status();
  uint64_t total = 0;
  for (size_t i = 0; i < specs.size(); ++i)
    if (isRandom[i])
      // Too many elements for a number are reported with their input.
      if (auto bytes = rt::numBytes((*resolved)[i].dtype, (*resolved)[i].shape))
        total += *bytes;
  if (!rt::hasMemoryFor(total))
    return rt::outOfMemory("the random inputs need " + std::to_string(total) +
                           " bytes, for which there is not enough memory; give "
                           "smaller sizes with --dim");
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string &source = (*texts)[i];
    rt::Result<HostTensor> tensor = isRandom[i]
                                        ? makeRandom(source, (*resolved)[i], i)
                                        : readInput(source, (*resolved)[i], i);
    if (!tensor.isOk())
      return tensor.status();
    inputs.push_back(*std::move(tensor));
  }
  return inputs;
}

} // namespace qcc::tools
