//===- ArtifactFile.h - A shared object on its way in -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is opened once: what was validated is what is loaded, even if another
// file takes its name in between.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_ARTIFACTFILE_H
#define QCC_LIB_RUNTIME_ARTIFACTFILE_H

#include "ElfFile.h"

#include <memory>
#include <string>

namespace qcc::rt {

class ArtifactFile {
public:
  static Result<ArtifactFile> open(const std::string &path);
  /// A nameless file with these bytes.
  static Result<ArtifactFile> create(const void *bytes, uint64_t size);

  ArtifactFile(ArtifactFile &&other) noexcept;
  ArtifactFile &operator=(ArtifactFile &&) = delete;
  ~ArtifactFile();

  /// Reads all of it; returns what will be loaded. Nothing is mapped.
  Result<std::vector<ElfSegment>> validate() const;

  /// Loads it, which runs its code. The handle of dlopen.
  Result<std::shared_ptr<void>> load() const;

private:
  ArtifactFile(int file, std::string path)
      : file_(file), path_(std::move(path)) {}

  int file_;
  std::string path_;
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_ARTIFACTFILE_H
