//===- ArtifactFile.cpp - A shared object on its way in -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFile.h"

#include "ArtifactContents.h"
#include "qcc/Base/SystemFailure.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <utility>

namespace qcc::rt {

ArtifactFile::ArtifactFile(ArtifactFile &&other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)),
      isInMemory_(other.isInMemory_) {}

ArtifactFile &ArtifactFile::operator=(ArtifactFile &&other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  std::swap(isInMemory_, other.isInMemory_);
  return *this;
}

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
    return systemFailure("it cannot be opened", error);
  }
  return ArtifactFile(file, path, /*isInMemory=*/false);
}

static std::string pathOf(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

Result<ArtifactFile> ArtifactFile::open(int descriptor) {
  int file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  int error = errno;
  if (file < 0 && error == EBADF)
    return invalidArgument("the descriptor " + std::to_string(descriptor) +
                           " is not that of an open file");
  if (file < 0)
    return systemFailure("it cannot be opened", error);
  return ArtifactFile(file, pathOf(file), /*isInMemory=*/false);
}

Result<ArtifactFile> ArtifactFile::createEmpty() {
  int file = memfd_create("qcc-artifact", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0)
    return systemFailure("a file in memory cannot be created", errno);
  return ArtifactFile(file, pathOf(file), /*isInMemory=*/true);
}

Status ArtifactFile::append(const char *bytes, uint64_t size) const {
  while (size > 0) {
    ssize_t written = write(file_, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemFailure("a file in memory cannot be written", errno);
    bytes += written;
    size -= written;
  }
  return Status::ok();
}

Status ArtifactFile::addSeals(int seals) const {
  return fcntl(file_, F_ADD_SEALS, seals) == 0
             ? Status::ok()
             : systemFailure("a file in memory cannot be sealed", errno);
}

Status ArtifactFile::seal() const {
  return isInMemory_ ? addSeals(F_SEAL_WRITE | F_SEAL_SEAL) : Status::ok();
}

/// What a complete file in memory keeps from now on. It cannot be written
/// either once it is sealed; until then, forget() gives back parts of it.
static constexpr int sealsOfComplete = F_SEAL_GROW | F_SEAL_SHRINK;

Result<ArtifactFile> ArtifactFile::create(const void *bytes, uint64_t size) {
  Result<ArtifactFile> file = createEmpty();
  if (!file.isOk())
    return file.status();
  Status status = file->append(static_cast<const char *>(bytes), size);
  if (status.isOk())
    status = file->addSeals(sealsOfComplete);
  if (!status.isOk())
    return status;
  return file;
}

Result<ArtifactFile> ArtifactFile::copy() const {
  Result<uint64_t> total = size();
  if (!total.isOk())
    return total.status();
  Result<ArtifactFile> file = createEmpty();
  if (!file.isOk())
    return file.status();
  FileSource bytes(file_, *total);
  std::vector<char> chunk(std::min(chunkSize, *total));
  for (uint64_t at = 0; at < *total; at += chunk.size()) {
    uint64_t count = std::min<uint64_t>(chunk.size(), *total - at);
    Status status = bytes.read(chunk.data(), count, at);
    if (status.isOk())
      status = file->append(chunk.data(), count);
    if (!status.isOk())
      return status;
  }
  Status status = file->addSeals(sealsOfComplete);
  if (!status.isOk())
    return status;
  return file;
}

Result<uint64_t> ArtifactFile::size() const {
  struct stat info;
  if (fstat(file_, &info) != 0)
    return systemFailure("it cannot be looked at", errno);
  if (!S_ISREG(info.st_mode))
    return invalidArgument(std::string("this is no artifact of qcc: it is a ") +
                           (S_ISDIR(info.st_mode) ? "directory" : "device") +
                           ", not a file; check the name");
  return uint64_t(info.st_size);
}

Result<ArtifactImage> ArtifactFile::validate(const Key *publicKey,
                                             WeightsCheck weights) const {
  Result<uint64_t> total = size();
  if (!total.isOk())
    return total.status();
  FileSource bytes(file_, *total);
  Result<ElfFile> elf = ElfFile::read(bytes);
  if (!elf.isOk())
    return elf.status();
  Result<ElfPlace> note = elf->findNote();
  if (!note.isOk())
    return note.status();
  ArtifactImage image;
  image.segments = elf->loadedSegments();
  image.noteAddress = note->address;
  Status status = readNote(bytes, note->offset, image.note);
  if (!status.isOk())
    return status;
  Result<ElfPlace> descriptor = elf->findDescriptor();
  std::optional<Status> code;
  if (weights == WeightsCheck::Later && !publicKey && descriptor.isOk())
    code = checkCode(bytes, note->offset, descriptor->offset);
  image.hasCheckedWeights = !code;
  status = code ? *code : checkContents(bytes, note->offset, image.note);
  if (status.isOk() && publicKey)
    status = checkSignature(bytes, note->offset, *publicKey);
  if (status.isOk())
    status = descriptor.status();
  if (!status.isOk())
    return status;
  return image;
}

/// Spells a path in a way of its own, for the dynamic loader takes a name that
/// it has seen for the object that had it then. Slashes and dots, which change
/// nothing, count in binary before the last part of the path: calls of this
/// copy of the runtime, where this copy lies, and the time, for a copy that was
/// there before.
static std::string uniqueName(const std::string &path) {
  static std::atomic<uint64_t> counter{0};
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  uint64_t nanoseconds = uint64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
  size_t last = path.rfind('/');
  bool hasFolder = last != std::string::npos;
  std::string name = hasFolder ? path.substr(0, last + 1) : "./";
  for (uint64_t number :
       {++counter, uint64_t(reinterpret_cast<uintptr_t>(&counter)),
        nanoseconds})
    for (int bit = 0; bit < 64; ++bit)
      name += number >> bit & 1 ? "./" : "/";
  return name + (hasFolder ? path.substr(last + 1) : path);
}

namespace {
/// Looks for an image among the objects that are loaded.
struct ImageSearch {
  const ArtifactImage &image;
  uint64_t base;
  bool isFound = false;

  static int look(dl_phdr_info *info, size_t, void *self) {
    auto &search = *static_cast<ImageSearch *>(self);
    if (info->dlpi_addr != search.base)
      return 0;
    uint64_t address = search.image.noteAddress;
    const ArtifactNote &note = search.image.note;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const Elf64_Phdr &segment = info->dlpi_phdr[i];
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) &&
          address >= segment.p_vaddr &&
          address - segment.p_vaddr <= segment.p_memsz &&
          sizeof(note) <= segment.p_memsz - (address - segment.p_vaddr) &&
          memcmp(reinterpret_cast<const void *>(search.base + address), &note,
                 sizeof(note)) == 0)
        search.isFound = true;
    }
    return 1;
  }
};
} // namespace

/// Why the dynamic loader refused an undamaged file. It gives a text alone,
/// which seldom has the error of the system. So its calls are tried again; what
/// fails then is the reason.
static Status loaderFailure(const std::string &name) {
  const std::string what = "the system's loader refused it";
  const char *reason = dlerror();
  std::string text = reason ? reason : "";
  int file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemFailure(what, errno);
  off_t size = lseek(file, 0, SEEK_END);
  void *memory =
      mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  int error = errno;
  close(file);
  if (memory == MAP_FAILED)
    return systemFailure(what, error);
  munmap(memory, size);
  // What needs memory alone. Without the name, there was none for the text.
  if (text.compare(0, name.size() + 2, name + ": ") != 0)
    return systemFailure(what, ENOMEM);
  text.erase(0, name.size() + 2);
  for (const char *begin : {"cannot open", "cannot create", "cannot allocate"})
    if (text.compare(0, strlen(begin), begin) == 0)
      return systemFailure(what, ENOMEM);
  return ioError(what + " (" + text + ")");
}

Result<LoadedArtifact> ArtifactFile::load(const ArtifactImage &image) const {
  // Without /proc all that is left is the path, which may lead elsewhere by
  // now.
  std::string open = pathOf(file_);
  std::string name = uniqueName(access(open.c_str(), F_OK) == 0 ? open : path_);
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return loaderFailure(name);
  LoadedArtifact loaded;
  loaded.handle = std::shared_ptr<void>(handle, [](void *h) { dlclose(h); });
  struct link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    return internalError("the system's loader does not say where it is");
  loaded.base = map->l_addr;
  ImageSearch search{image, loaded.base};
  dl_iterate_phdr(ImageSearch::look, &search);
  if (!search.isFound)
    return ioError("the file was replaced or overwritten while it was loaded; "
                   "write artifacts under another name, rename them, and load "
                   "again");
  return loaded;
}

void ArtifactFile::giveBack(const LoadedArtifact &loaded,
                            const ArtifactImage &image, const char *data,
                            size_t size, bool fromFile) const {
  // The kernel gives back whole pages.
  uint64_t page = sysconf(_SC_PAGESIZE);
  uint64_t address = reinterpret_cast<uintptr_t>(data) - loaded.base;
  uint64_t begin = (address + page - 1) & -page, end = (address + size) & -page;
  for (const ElfSegment &segment : image.segments) {
    // What the artifact has written, it keeps.
    if (segment.isWritable || begin >= end || begin < segment.address ||
        end - segment.address > uint64_t(segment.size))
      continue;
    madvise(reinterpret_cast<void *>(loaded.base + begin), end - begin,
            MADV_DONTNEED);
    if (fromFile)
      fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                segment.offset + (begin - segment.address), end - begin);
  }
}

void ArtifactFile::rest(const LoadedArtifact &loaded,
                        const ArtifactImage &image, const char *data,
                        size_t size) const {
  giveBack(loaded, image, data, size, /*fromFile=*/false);
}

void ArtifactFile::forget(const LoadedArtifact &loaded,
                          const ArtifactImage &image, const char *data,
                          size_t size) const {
  giveBack(loaded, image, data, size, /*fromFile=*/isInMemory_);
}

} // namespace qcc::rt
