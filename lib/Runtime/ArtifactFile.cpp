//===- ArtifactFile.cpp - A shared object on its way in -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFile.h"

#include "qcc/Runtime/ArtifactNote.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

namespace qcc::rt {

ArtifactFile::ArtifactFile(ArtifactFile &&other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

ArtifactFile::~ArtifactFile() {
  if (file_ >= 0)
    close(file_);
}

Result<ArtifactFile> ArtifactFile::open(const std::string &path) {
  // Not to wait for the writer of a pipe.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    int error = errno;
    if (error == ENOENT || error == ENOTDIR)
      return notFound("there is no such file; check the name");
    return ioError(std::string("it cannot be opened (") + strerror(error) +
                   "); check the permissions");
  }
  return ArtifactFile(file, path);
}

Result<ArtifactFile> ArtifactFile::create(const void *bytes, uint64_t size) {
  auto failure = [](const char *what) {
    return ioError(std::string("a file in memory cannot be ") + what + " (" +
                   strerror(errno) + "); free memory or file descriptors");
  };
  int descriptor = memfd_create("qcc-artifact", MFD_CLOEXEC);
  if (descriptor < 0)
    return failure("created");
  ArtifactFile file(descriptor, "/proc/self/fd/" + std::to_string(descriptor));
  for (auto *data = static_cast<const char *>(bytes); size > 0;) {
    ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return failure("written");
    data += written;
    size -= written;
  }
  return file;
}

static Status checkNote(const ByteSource &bytes, uint64_t offset) {
  ArtifactNote note;
  Status status = bytes.read(&note, sizeof(note), offset);
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

  constexpr uint64_t chunkSize = 1 << 18;
  std::vector<char> chunk(std::min(chunkSize, bytes.size()));
  uint64_t hashBegin = offset + offsetof(ArtifactNote, hash);
  uint64_t hashEnd = hashBegin + sizeof(note.hash);
  ContentHash hash;
  for (uint64_t at = 0; at < bytes.size(); at += chunk.size()) {
    uint64_t end = std::min<uint64_t>(at + chunk.size(), bytes.size());
    status = bytes.read(chunk.data(), end - at, at);
    if (!status.isOk())
      return status;
    // The hash itself counts as zero.
    for (uint64_t i = std::max(at, hashBegin); i < std::min(end, hashEnd); ++i)
      chunk[i - at] = 0;
    hash.update(chunk.data(), end - at);
  }
  if (hash.finish() != note.hash)
    return corrupt("its contents do not match their hash: it is damaged or was "
                   "changed; copy it again or compile the program again");
  return Status::ok();
}

Result<std::vector<ElfSegment>> ArtifactFile::validate() const {
  struct stat info;
  if (fstat(file_, &info) != 0)
    return ioError(std::string("it cannot be looked at (") + strerror(errno) +
                   "); check the disk");
  if (!S_ISREG(info.st_mode))
    return invalidArgument(std::string("this is no artifact of qcc: it is a ") +
                           (S_ISDIR(info.st_mode) ? "directory" : "device") +
                           ", not a file; check the name");
  FileSource bytes(file_, info.st_size);
  Result<ElfFile> elf = ElfFile::read(bytes);
  if (!elf.isOk())
    return elf.status();
  Result<uint64_t> note = elf->findNote();
  if (!note.isOk())
    return note.status();
  Status status = checkNote(bytes, *note);
  if (status.isOk())
    status = elf->checkSymbols();
  if (!status.isOk())
    return status;
  return elf->loadedSegments();
}

/// A name for the open file. The dynamic loader takes a name that it has seen
/// for the object that had it then, and descriptors are used again. So each
/// call spells the path in a way of its own: slashes and dots, which change
/// nothing, count in binary.
static std::string uniqueName(int file) {
  static std::atomic<uint64_t> counter{0};
  std::string name = "/proc/self/fd/";
  for (uint64_t count = ++counter; count != 0; count >>= 1)
    name += count & 1 ? "./" : "/";
  return name + std::to_string(file);
}

Result<std::shared_ptr<void>> ArtifactFile::load() const {
  std::string name = uniqueName(file_);
  // Without /proc all that is left is the path, which may lead elsewhere by
  // now. One without a slash would be searched for in the library path.
  if (access(name.c_str(), F_OK) != 0)
    name = path_.find('/') == std::string::npos ? "./" + path_ : path_;
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return ioError(std::string("the system's loader refused it (") + dlerror() +
                   "); compile the program again");
  return std::shared_ptr<void>(handle, [](void *h) { dlclose(h); });
}

} // namespace qcc::rt
