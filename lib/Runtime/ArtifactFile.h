//===- ArtifactFile.h - A shared object on its way in -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is opened once, and what is loaded is compared with what was
// validated: a host may hold several copies of the runtime, and a file may be
// replaced.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_ARTIFACTFILE_H
#define QCC_LIB_RUNTIME_ARTIFACTFILE_H

#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Artifact/ElfFile.h"
#include "qcc/Runtime/Signature.h"

#include <memory>
#include <string>

namespace qcc::rt {

/// What a file will be in memory.
struct ArtifactImage {
  std::vector<ElfSegment> segments;
  ArtifactNote note;
  uint64_t noteAddress; ///< Relative to where the object is loaded.
  bool hasCheckedWeights = true;
};

/// When the weights of a file are compared with their hash.
enum class WeightsCheck { Now, Later };

/// A loaded shared object.
struct LoadedArtifact {
  std::shared_ptr<void> handle; ///< Of dlopen.
  uint64_t base = 0;            ///< Addresses of the image are relative to it.
};

class ArtifactFile {
public:
  static Result<ArtifactFile> open(const std::string &path);
  /// The file of a descriptor, which stays the caller's.
  static Result<ArtifactFile> open(int descriptor);
  /// A file in memory with these bytes, which nobody else can change.
  static Result<ArtifactFile> create(const void *bytes, uint64_t size);
  /// The same with the bytes of this file.
  Result<ArtifactFile> copy() const;

  ArtifactFile(ArtifactFile &&other) noexcept;
  ArtifactFile &operator=(ArtifactFile &&other) noexcept;
  ~ArtifactFile();

  /// Makes a file in memory one that nobody can change any more, this object
  /// included: what was validated stays. Others are left as they are.
  Status seal() const;

  /// Reads all of it, or all but the weights if these may be checked later and
  /// the rest has a hash of its own; returns what will be loaded. Nothing is
  /// mapped. With a key, fails unless the file is signed by it.
  Result<ArtifactImage> validate(const Key *publicKey,
                                 WeightsCheck weights) const;

  /// Loads it, which runs its code, and fails where the system's loader gives
  /// anything else than what was validated.
  Result<LoadedArtifact> load(const ArtifactImage &image) const;

  /// Whether it is a file in memory that only this object knows.
  bool isPrivate() const { return isInMemory_; }

  /// Takes a part of the file that is loaded at `data` out of the memory of the
  /// process. Who reads it again finds it in the file.
  void rest(const LoadedArtifact &loaded, const ArtifactImage &image,
            const char *data, size_t size) const;

  /// Gives back the memory of a part of the file that is loaded at `data`, and
  /// that nobody reads any more. Of a file in memory the part is lost; the
  /// parts of others stay in the file.
  void forget(const LoadedArtifact &loaded, const ArtifactImage &image,
              const char *data, size_t size) const;

private:
  ArtifactFile(int file, std::string path, bool isInMemory)
      : file_(file), path_(std::move(path)), isInMemory_(isInMemory) {}

  void giveBack(const LoadedArtifact &loaded, const ArtifactImage &image,
                const char *data, size_t size, bool fromFile) const;
  static Result<ArtifactFile> createEmpty();
  Status append(const char *bytes, uint64_t size) const;
  Status addSeals(int seals) const;
  Result<uint64_t> size() const;

  int file_;
  std::string path_;
  bool isInMemory_; ///< A file that only this object knows.
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_ARTIFACTFILE_H
