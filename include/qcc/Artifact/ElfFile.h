//===- ElfFile.h - The form of a shared object ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic loader maps what the headers say, and dies of SIGBUS where the
// file is shorter. So the headers are read and checked before.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ARTIFACT_ELFFILE_H
#define QCC_ARTIFACT_ELFFILE_H

#include "qcc/Artifact/ByteSource.h"

#include <elf.h>
#include <vector>

namespace qcc::rt {

/// A loaded, readable part of a shared object.
struct ElfSegment {
  uint64_t address; ///< Relative to where the object is loaded.
  uint64_t offset;  ///< In the file.
  int64_t size;     ///< In memory.
  bool isWritable;
};

/// Where something lies in the file, and in memory once it is loaded.
struct ElfPlace {
  uint64_t offset;
  uint64_t address; ///< Relative to where the object is loaded.
};

/// Headers that lie inside of the file and lead inside of it.
class ElfFile {
public:
  /// Fails unless `bytes` are a complete ELF64 shared object for x86-64; says
  /// what they are instead.
  static Result<ElfFile> read(const ByteSource &bytes);

  /// The readable ones that are loaded; at least one.
  std::vector<ElfSegment> loadedSegments() const;

  /// Where the last segment of the file starts, if it is only read and follows
  /// everything else; 0 otherwise. Weights have such a segment.
  uint64_t findLastReadOnly() const;

  /// Where the note of qcc starts; fails if the file lacks it.
  Result<ElfPlace> findNote() const;

  /// Where the descriptor starts. Fails unless the object needs no library and
  /// no symbol, and exports nothing else.
  Result<ElfPlace> findDescriptor() const;

private:
  explicit ElfFile(const ByteSource &bytes) : bytes_(&bytes) {}

  Status checkIdentity() const;
  Status readSegments();
  Status readSections();
  Status checkDynamic() const;

  const ByteSource *bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

} // namespace qcc::rt

#endif // QCC_ARTIFACT_ELFFILE_H
