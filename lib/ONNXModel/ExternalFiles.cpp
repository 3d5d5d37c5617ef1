//===- ExternalFiles.cpp - Data beside a model ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/ONNXModel/ExternalFiles.h"
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::onnx;

MappedFile::~MappedFile() {
  if (size != 0)
    munmap(const_cast<char *>(data), size);
}

void MappedFile::evict(std::string_view part) const {
  // Linux takes whole pages, which may hold other data too.
  uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t at = reinterpret_cast<uintptr_t>(part.data());
  uintptr_t begin = (at + page - 1) & -page, end = (at + part.size()) & -page;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

void ExternalFiles::evict(std::string_view part) const {
  std::less_equal<const char *> before;
  for (const auto &[location, file] : files) {
    std::string_view all = file->bytes();
    if (before(all.data(), part.data()) &&
        before(part.data() + part.size(), all.data() + all.size()))
      return file->evict(part);
  }
}

namespace {
/// A file descriptor that is closed.
struct Descriptor {
  int number = -1;

  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { reset(-1); }
  void reset(int other) {
    if (number >= 0)
      close(number);
    number = other;
  }
};
} // namespace

/// The parts of a relative path that stays below its folder; none for others.
static std::vector<std::string> partsOf(const std::string &path) {
  std::vector<std::string> parts;
  if (path.empty() || path.front() == '/' ||
      path.find('\0') != std::string::npos)
    return {};
  size_t begin = 0;
  while (begin <= path.size()) {
    size_t end = std::min(path.find('/', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part == "..")
      return {};
    if (!part.empty() && part != ".")
      parts.push_back(std::move(part));
  }
  return parts;
}

static rt::Status systemError(const std::string &location) {
  if (errno == ELOOP || errno == ENOTDIR)
    return rt::invalidArgument(
        "the file '" + location +
        "' of external data is behind a symbolic link, which is not followed; "
        "put the file itself beside the model");
  return rt::ioError(
      "the file '" + location + "' of external data cannot be read: " +
      std::strerror(errno) + "; put it where the model expects it");
}

rt::Result<MappedFilePtr> ExternalFiles::open(const std::string &location) {
  std::vector<std::string> parts = partsOf(location);
  if (parts.empty())
    return rt::invalidArgument(
        "the path '" + location +
        "' of external data leaves the model's folder or is empty; paths are "
        "relative to the model, without '..'");
  // Whoever names the model may reach its folder through links.
  Descriptor at(::open(folder.empty() ? "." : folder.c_str(),
                       O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at.number < 0)
    return systemError(location);
  for (size_t i = 0; i < parts.size(); ++i) {
    bool isLast = i + 1 == parts.size();
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
    flags |= isLast ? O_NONBLOCK : O_DIRECTORY;
    int next = openat(at.number, parts[i].c_str(), flags);
    if (next < 0)
      return systemError(location);
    at.reset(next);
  }
  struct stat info;
  if (fstat(at.number, &info) != 0)
    return systemError(location);
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
    return rt::invalidArgument(
        "the file '" + location + "' of external data is " +
        (S_ISREG(info.st_mode) ? "one of several hard links to a file"
                               : "no regular file") +
        ", which is not read; put a copy of the data beside the model");
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return std::make_shared<const MappedFile>(nullptr, 0);
  void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, at.number, 0);
  if (data == MAP_FAILED)
    return systemError(location);
  return std::make_shared<const MappedFile>(static_cast<const char *>(data),
                                            size);
}

/// Reads a number that the model writes as text. Empty text is `absent`.
static bool parseNumber(std::string_view text, uint64_t absent,
                        uint64_t &number) {
  number = absent;
  if (text.empty())
    return true;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

rt::Result<ExternalFiles::Data> ExternalFiles::find(const ExternalData &place,
                                                    uint64_t size) {
  if (folder.empty())
    return rt::invalidArgument(
        "its data lie in another file, and the model is not a file that they "
        "could lie beside; give the model as a file, or with its data inside");
  std::string location(place.location);
  uint64_t offset, length;
  if (!parseNumber(place.offset, 0, offset) ||
      !parseNumber(place.length, size, length))
    return rt::corrupt("the place of its data in '" + location +
                       "' is no number; write the model again");
  if (length != size)
    return rt::corrupt("it has " + std::to_string(length) + " bytes in '" +
                       location + "' but its type needs " +
                       std::to_string(size) + "; write the model again");
  auto known = files.find(location);
  if (known == files.end()) {
    rt::Result<MappedFilePtr> file = open(location);
    if (!file.isOk())
      return file.status();
    known = files.emplace(location, std::move(*file)).first;
  }
  std::string_view bytes = known->second->bytes();
  if (offset > bytes.size() || size > bytes.size() - offset)
    return rt::corrupt("its data, " + std::to_string(size) +
                       " bytes at offset " + std::to_string(offset) +
                       ", lie outside of '" + location + "', which has " +
                       std::to_string(bytes.size()) +
                       " bytes; copy the file again");
  return Data{bytes.substr(offset, size), known->second};
}
