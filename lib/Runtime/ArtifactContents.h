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

namespace qcc::rt {

/// How much of a file is read at once.
constexpr uint64_t chunkSize = 1 << 18;

/// Hands over the first `size` bytes, chunk by chunk, with zeros where the note
/// at `noteOffset` has its hash.
Status readContents(const ByteSource &bytes, uint64_t size, uint64_t noteOffset,
                    FunctionRef<void(const char *, size_t)> take);

/// Reads the note, and fails unless the bytes are what it says.
Status checkNote(const ByteSource &bytes, uint64_t noteOffset,
                 ArtifactNote &note);

/// Fails unless the bytes, whose note has been checked, are signed by the key.
Status checkSignature(const ByteSource &bytes, uint64_t noteOffset,
                      const Key &publicKey);

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_ARTIFACTCONTENTS_H
