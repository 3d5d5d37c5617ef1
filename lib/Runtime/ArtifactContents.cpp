//===- ArtifactContents.cpp - Validated contents of an artifact -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactContents.h"

#include <algorithm>
#include <vector>

namespace qcc::rt {

Status readContents(const ByteSource &bytes, uint64_t size, uint64_t noteOffset,
                    FunctionRef<void(const char *, size_t)> take) {
  std::vector<char> chunk(std::min(chunkSize, size));
  uint64_t hashBegin = noteOffset + offsetof(ArtifactNote, hash);
  uint64_t hashEnd = hashBegin + sizeof(ArtifactNote::hash);
  for (uint64_t at = 0; at < size; at += chunk.size()) {
    uint64_t end = std::min<uint64_t>(at + chunk.size(), size);
    Status status = bytes.read(chunk.data(), end - at, at);
    if (!status.isOk())
      return status;
    for (uint64_t i = std::max(at, hashBegin); i < std::min(end, hashEnd); ++i)
      chunk[i - at] = 0;
    take(chunk.data(), end - at);
  }
  return Status::ok();
}

Status checkNote(const ByteSource &bytes, uint64_t noteOffset,
                 ArtifactNote &note) {
  Status status = bytes.read(&note, sizeof(note), noteOffset);
  if (!status.isOk())
    return status;
  const ArtifactNote expected;
  if (note.version != expected.version)
    return unsupported(
        "the artifact's form has version " + std::to_string(note.version) +
        ", this runtime reads version " + std::to_string(expected.version) +
        "; use the compiler and the runtime of one release");
  if (note.machine != expected.machine)
    return unsupported("the artifact is for another machine, number " +
                       std::to_string(note.machine) +
                       " of ELF, and this runtime is for x86-64; compile the "
                       "program for this machine");
  if (note.fileSize != bytes.size())
    return corrupt("it is " + std::to_string(bytes.size()) +
                   " bytes long, but was written with " +
                   std::to_string(note.fileSize) +
                   ": it was copied incompletely or changed; copy it again or "
                   "compile the program again");

  ContentHash hash;
  status = readContents(
      bytes, bytes.size(), noteOffset,
      [&](const char *part, size_t size) { hash.update(part, size); });
  if (!status.isOk())
    return status;
  if (hash.finish() != note.hash)
    return corrupt("its contents do not match their hash: it is damaged or was "
                   "changed; copy it again or compile the program again");
  return Status::ok();
}

} // namespace qcc::rt
