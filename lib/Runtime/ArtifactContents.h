//===- ArtifactContents.h - Validated contents of an artifact ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_ARTIFACTCONTENTS_H
#define QCC_LIB_RUNTIME_ARTIFACTCONTENTS_H

#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Artifact/ByteSource.h"
#include "qcc/Runtime/FunctionRef.h"
#include "qcc/Runtime/Signature.h"

#include <optional>

namespace qcc::rt {

/// How much of a file is read at once.
constexpr uint64_t chunkSize = 1 << 18;

/// Hands over the first `size` bytes, chunk by chunk, with zeros where the note
/// at `noteOffset` has its hash, and, where it is not 0, in the eight bytes at
/// `other`.
Status readContents(const ByteSource &bytes, uint64_t size, uint64_t noteOffset,
                    FunctionRef<void(const char *, size_t)> take,
                    uint64_t other = 0);

/// Reads the note, and fails unless it is one of this machine and version, and
/// the bytes are as many as it says.
Status readNote(const ByteSource &bytes, uint64_t noteOffset,
                ArtifactNote &note);

/// Fails unless the bytes have the hash of their note.
Status checkContents(const ByteSource &bytes, uint64_t noteOffset,
                     const ArtifactNote &note);

/// The same of all bytes before the weights, by the hash in the descriptor at
/// `descriptorOffset`. Nothing if the artifact has no such hash.
std::optional<Status> checkCode(const ByteSource &bytes, uint64_t noteOffset,
                                uint64_t descriptorOffset);

/// Fails unless the bytes, whose note has been checked, are signed by the key.
Status checkSignature(const ByteSource &bytes, uint64_t noteOffset,
                      const Key &publicKey);

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_ARTIFACTCONTENTS_H
