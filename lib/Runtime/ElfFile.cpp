//===- ElfFile.cpp - A look at a shared object before it is loaded --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything by pread: nothing is mapped.
//
//===----------------------------------------------------------------------===//

#include "ElfFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qcc::rt {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

/// False where the file ends too early or cannot be read.
bool readAt(int fd, void *data, size_t size, uint64_t offset) {
  char *bytes = static_cast<char *>(data);
  while (size > 0) {
    ssize_t count = pread(fd, bytes, size, offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes += count;
    size -= count;
    offset += count;
  }
  return true;
}

bool isInside(uint64_t offset, uint64_t size, uint64_t fileSize) {
  return offset <= fileSize && size <= fileSize - offset;
}

Status damaged(const std::string &what) {
  return corrupt("the file is truncated or damaged: " + what +
                 "; compile the program again");
}

} // namespace

Result<std::vector<ElfSegment>> readElfSegments(const std::string &path) {
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0) {
    int error = errno;
    std::string message = std::string("cannot open it (") + strerror(error) +
                          "); check the name and the permissions";
    return error == ENOENT ? notFound(message) : ioError(message);
  }
  constexpr const char *noArtifact =
      "this is no artifact of qcc, which is a shared object for x86-64; make "
      "one with `qcc compile FILE -o NAME.so`";
  if (!S_ISREG(info.st_mode))
    return invalidArgument(noArtifact);
  uint64_t fileSize = info.st_size;

  Elf64_Ehdr header;
  if (fileSize < SELFMAG ||
      !readAt(file.fd, &header, std::min<uint64_t>(fileSize, sizeof(header)),
              0) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return corrupt(noArtifact);
  if (fileSize < sizeof(header))
    return damaged("it ends within its header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64 ||
      header.e_type != ET_DYN)
    return corrupt(noArtifact);

  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !isInside(header.e_phoff, uint64_t(header.e_phnum) * sizeof(Elf64_Phdr),
                fileSize))
    return damaged("its program headers lie outside of it");
  if (header.e_shnum != 0 &&
      (header.e_shentsize != sizeof(Elf64_Shdr) ||
       !isInside(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr),
                 fileSize)))
    return damaged("its section headers lie outside of it");

  std::vector<ElfSegment> segments;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!readAt(file.fd, &segment, sizeof(segment),
                header.e_phoff + i * sizeof(segment)))
      return ioError("cannot read it; check the disk");
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
      continue;
    constexpr uint64_t addressLimit = uint64_t(1) << 47;
    if (!isInside(segment.p_offset, segment.p_filesz, fileSize) ||
        segment.p_filesz > segment.p_memsz ||
        !isInside(segment.p_vaddr, segment.p_memsz, addressLimit))
      return damaged("segment " + std::to_string(i) + " lies outside of it");
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R))
      segments.push_back({segment.p_vaddr, int64_t(segment.p_memsz)});
  }
  if (segments.empty())
    return damaged("it has nothing to load");
  return segments;
}

} // namespace qcc::rt
