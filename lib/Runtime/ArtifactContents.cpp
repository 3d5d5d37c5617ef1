//===- ArtifactContents.cpp - Validated contents of an artifact -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactContents.h"

#include "qcc/Artifact/ABI.h"

#include <algorithm>
#include <vector>

namespace qcc::rt {

Status readContents(const ByteSource &bytes, uint64_t size, uint64_t noteOffset,
                    FunctionRef<void(const char *, size_t)> take,
                    uint64_t other) {
  std::vector<char> chunk(std::min(chunkSize, size));
  uint64_t hashBegin = noteOffset + offsetof(ArtifactNote, hash);
  for (uint64_t at = 0; at < size; at += chunk.size()) {
    uint64_t end = std::min<uint64_t>(at + chunk.size(), size);
    Status status = bytes.read(chunk.data(), end - at, at);
    if (!status.isOk())
      return status;
    for (uint64_t begin : {hashBegin, other})
      for (uint64_t i = std::max(at, begin);
           begin != 0 && i < std::min(end, begin + sizeof(uint64_t)); ++i)
        chunk[i - at] = 0;
    take(chunk.data(), end - at);
  }
  return Status::ok();
}

Status readNote(const ByteSource &bytes, uint64_t noteOffset,
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
  return Status::ok();
}

/// Fails unless the first bytes have a hash.
static Status checkHash(const ByteSource &bytes, uint64_t size,
                        uint64_t noteOffset, uint64_t expected,
                        uint64_t other = 0) {
  ContentHash hash;
  Status status = readContents(
      bytes, size, noteOffset,
      [&](const char *part, size_t count) { hash.update(part, count); }, other);
  if (!status.isOk())
    return status;
  if (hash.finish() != expected)
    return corrupt("its contents do not match their hash: it is damaged or was "
                   "changed; copy it again or compile the program again");
  return Status::ok();
}

Status checkContents(const ByteSource &bytes, uint64_t noteOffset,
                     const ArtifactNote &note) {
  return checkHash(bytes, bytes.size(), noteOffset, note.hash);
}

std::optional<Status> checkCode(const ByteSource &bytes, uint64_t noteOffset,
                                uint64_t descriptorOffset) {
  qcc_descriptor descriptor;
  constexpr uint64_t hash = offsetof(qcc_descriptor, code_hash),
                     end = hash + sizeof(qcc_descriptor::code_hash);
  if (!bytes.contains(descriptorOffset, end) ||
      !bytes.read(&descriptor, end, descriptorOffset).isOk() ||
      descriptor.version != QCC_ABI_VERSION || descriptor.size < int64_t(end) ||
      descriptor.code_size <= 0)
    return std::nullopt;
  uint64_t size = descriptor.code_size;
  if (size > bytes.size() || size < descriptorOffset + end ||
      size < noteOffset + sizeof(ArtifactNote))
    return std::nullopt;
  return checkHash(bytes, size, noteOffset, descriptor.code_hash,
                   descriptorOffset + hash);
}

} // namespace qcc::rt
