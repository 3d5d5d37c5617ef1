//===- ArtifactNote.h - Header of an artifact -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact carries an ELF note, owner "qcc", in section .note.qcc. It can be
// read without mapping the file, and tells whether mapping it is safe: what
// version and machine the file is for, how long it is, and a hash of every byte
// of it but the hash itself, which counts as zero.
//
// The compiler reserves the note, and stamps it when the file is complete. The
// hash is XXH64, which reads at the speed of memory: it finds damage, such as
// an incomplete copy. It is no protection against somebody who means harm; a
// signature is (Signature.h).
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ARTIFACT_ARTIFACTNOTE_H
#define QCC_ARTIFACT_ARTIFACTNOTE_H

#include "qcc/Base/Status.h"

#include <cstddef>
#include <cstdint>

namespace qcc::rt {

#define QCC_NOTE_SECTION ".note.qcc"

/// The version of the file's form; that of its descriptor is QCC_ABI_VERSION.
constexpr uint32_t artifactFormatVersion = 1;

/// The note as it stands in the file, little endian. Version, machine, size and
/// hash keep their places in all versions.
struct ArtifactNote {
  uint32_t ownerSize = 4;
  uint32_t contentSize = 24;
  uint32_t type = 1;
  char owner[4] = {'q', 'c', 'c', '\0'};
  uint32_t version = artifactFormatVersion;
  uint32_t machine = 62; ///< ELF's number of x86-64.
  uint64_t fileSize = 0; ///< Bytes.
  uint64_t hash = 0;
};
static_assert(sizeof(ArtifactNote) == 40 && offsetof(ArtifactNote, hash) == 32,
              "the note is a format, not a structure of this compiler");

/// XXH64 with seed 0, over any number of pieces.
class ContentHash {
public:
  void update(const void *data, size_t size);
  uint64_t finish() const;

private:
  void consume(const unsigned char *stripe);

  static constexpr size_t stripeSize = 32;

  uint64_t lanes_[4] = {0x60ea27eeadc0b5d6, 0xc2b2ae3d27d4eb4f, 0,
                        0x61c8864e7a143579};
  unsigned char pending_[stripeSize];
  size_t numPending_ = 0;
  uint64_t total_ = 0;
};

/// Writes the hash of what comes before the weights into the descriptor of a
/// complete artifact, and then size and hash into its note.
Status stampArtifact(char *bytes, uint64_t size);

} // namespace qcc::rt

#endif // QCC_ARTIFACT_ARTIFACTNOTE_H
