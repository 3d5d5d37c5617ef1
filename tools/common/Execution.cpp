//===- Execution.cpp - An entry with its tensors --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Execution.h"

#include "common/Text.h"
#include "qcc/Base/Memory.h"
#include "qcc/Support/FileIO.h"

#include <cstring>

namespace qcc::tools {

/// Asks for all that a run needs beside its inputs, before any of it is
/// allocated: each part by itself may fit.
static rt::Status checkMemory(rt::Context &context,
                              const std::vector<rt::Tensor> &inputs) {
  rt::Result<std::vector<rt::Shape>> shapes = context.resultShapes(inputs);
  if (!shapes.isOk())
    return shapes.status();
  uint64_t results = 0;
  for (size_t i = 0; i < shapes->size(); ++i)
    // Too many elements for a number are reported with their result.
    if (auto bytes =
            rt::numBytes(context.entry().results[i].dtype, (*shapes)[i]))
      results += *bytes;
  uint64_t temporaries = context.arenaBytes() + context.scratchBytes();
  if (rt::hasMemoryFor(results + temporaries))
    return rt::Status::ok();
  return rt::outOfMemory(
      "with these inputs the results need " + std::to_string(results) +
      " bytes and the temporaries " + std::to_string(temporaries) +
      ", for which there is not enough memory; run smaller shapes");
}

rt::Result<Execution> Execution::create(ModulePtr module,
                                        std::string_view entry,
                                        std::vector<HostTensor> inputs,
                                        const rt::ContextOptions &options) {
  rt::Result<std::unique_ptr<rt::Context>> context =
      rt::Context::create(std::move(module), entry, options);
  if (!context.isOk())
    return context.status();
  Execution execution;
  execution.context = *std::move(context);
  execution.storage = std::move(inputs);
  for (HostTensor &input : execution.storage)
    execution.inputs.push_back(viewOf(input));
  rt::Status status = checkMemory(*execution.context, execution.inputs);
  if (!status.isOk())
    return status;
  rt::Result<std::vector<rt::OwnedTensor>> results =
      execution.context->allocateResults(execution.inputs);
  if (!results.isOk())
    return results.status();
  execution.results = *std::move(results);
  for (rt::OwnedTensor &result : execution.results)
    execution.outputs.push_back(result.tensor);
  return execution;
}

rt::Result<const rt::Entry *> findEntry(const rt::Module &module,
                                        const std::string &name) {
  const std::vector<rt::Entry> &entries = module.entries();
  if (name.empty() && entries.size() == 1)
    return &entries.front();
  std::vector<std::string> names;
  for (const rt::Entry &entry : entries) {
    if (!name.empty() && entry.name == name)
      return &entry;
    names.emplace_back(entry.name);
  }
  if (name.empty())
    return rt::invalidArgument(
        "the program has " + std::to_string(entries.size()) +
        " entries; choose one with --entry: " + join(names));
  return rt::notFound("no entry '" + name +
                      "'; the program has: " + join(names));
}

bool isArtifact(const std::string &path) {
  rt::Result<InputFile> file = InputFile::open(path);
  char magic[4];
  return file.isOk() && file->size() >= int64_t(sizeof(magic)) &&
         file->read(magic, sizeof(magic), 0).isOk() &&
         memcmp(magic,
                "\x7f"
                "ELF",
                sizeof(magic)) == 0;
}

} // namespace qcc::tools
