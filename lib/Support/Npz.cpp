//===- Npz.cpp - .npz files -----------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A zip archive of .npy members, stored or deflated, with the 64-bit extension.
// The central directory at the end of the file says where everything is; local
// headers are read only to find where the data starts. The checksum of a member
// is verified when all of it has been read.
//
//===----------------------------------------------------------------------===//

#include "Archives.h"
#include "NpyFormat.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <zlib.h>

namespace qcc {
namespace {

rt::Status damaged(const std::string &what) {
  return rt::corrupt("the .npz file is truncated or damaged: " + what +
                     "; save the arrays again with numpy.savez");
}

/// Little-endian fields of a record.
class Record {
public:
  Record(const unsigned char *data) : data_(data) {}
  uint64_t get(size_t offset, int size) const {
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; --i)
      value = value << 8 | data_[offset + i];
    return value;
  }
  uint32_t u16(size_t offset) const { return uint32_t(get(offset, 2)); }
  uint32_t u32(size_t offset) const { return uint32_t(get(offset, 4)); }
  uint64_t u64(size_t offset) const { return get(offset, 8); }

private:
  const unsigned char *data_;
};

struct Member {
  uint32_t flags = 0;
  uint32_t method = 0;
  uint32_t crc = 0;
  uint64_t compressedSize = 0;
  uint64_t size = 0;
  uint64_t headerOffset = 0;
};

enum Method : uint32_t { Stored = 0, Deflated = 8 };

//===----------------------------------------------------------------------===//
// The bytes of a member
//===----------------------------------------------------------------------===//

class MemberSource : public ByteSource {
public:
  MemberSource(const InputFile &file, const Member &member, int64_t dataStart)
      : file_(file), member_(member), offset_(dataStart),
        remaining_(member.size) {}
  ~MemberSource() override {
    if (inflating_)
      inflateEnd(&stream_);
  }

  int64_t remaining() const override { return remaining_; }

  rt::Status read(void *data, int64_t size) override {
    rt::Status status = member_.method == Stored ? readStored(data, size)
                                                 : readDeflated(data, size);
    if (!status.isOk())
      return status;
    updateCrc(data, size);
    remaining_ -= size;
    if (remaining_ == 0 && crc_ != member_.crc)
      return damaged("the checksum is wrong");
    return rt::Status::ok();
  }

private:
  rt::Status readStored(void *data, int64_t size) {
    rt::Status status = file_.read(data, size, offset_);
    offset_ += size;
    return status;
  }

  rt::Status readDeflated(void *data, int64_t size) {
    if (!inflating_) {
      constexpr int rawDeflate = -15;
      if (inflateInit2(&stream_, rawDeflate) != Z_OK)
        return rt::outOfMemory("there is no memory to decompress it");
      inflating_ = true;
      compressedLeft_ = member_.compressedSize;
    }
    auto *out = static_cast<unsigned char *>(data);
    while (size > 0) {
      if (stream_.avail_in == 0 && compressedLeft_ > 0) {
        int64_t chunk = std::min<int64_t>(compressedLeft_, sizeof(input_));
        rt::Status status = file_.read(input_, chunk, offset_);
        if (!status.isOk())
          return status;
        offset_ += chunk;
        compressedLeft_ -= chunk;
        stream_.next_in = input_;
        stream_.avail_in = uInt(chunk);
      }
      constexpr int64_t maxChunk = 1 << 30;
      uInt wanted = uInt(std::min(size, maxChunk));
      stream_.next_out = out;
      stream_.avail_out = wanted;
      int code = inflate(&stream_, Z_NO_FLUSH);
      uInt produced = wanted - stream_.avail_out;
      out += produced;
      size -= produced;
      if (size > 0 &&
          (code == Z_STREAM_END || code != Z_OK ||
           (produced == 0 && compressedLeft_ == 0 && stream_.avail_in == 0)))
        return damaged(code == Z_STREAM_END || code == Z_OK ||
                               code == Z_BUF_ERROR
                           ? "its compressed data ends too early"
                           : "its compressed data makes no sense");
    }
    return rt::Status::ok();
  }

  void updateCrc(const void *data, int64_t size) {
    const auto *bytes = static_cast<const unsigned char *>(data);
    constexpr int64_t maxChunk = 1 << 30;
    while (size > 0) {
      int64_t chunk = std::min(size, maxChunk);
      crc_ = uint32_t(crc32(crc_, bytes, uInt(chunk)));
      bytes += chunk;
      size -= chunk;
    }
  }

  const InputFile &file_;
  const Member &member_;
  int64_t offset_;
  int64_t remaining_;
  uint32_t crc_ = 0;

  bool inflating_ = false;
  z_stream stream_ = {};
  uint64_t compressedLeft_ = 0;
  unsigned char input_[1 << 16];
};

//===----------------------------------------------------------------------===//
// The archive
//===----------------------------------------------------------------------===//

class NpzArchive : public TensorArchive {
public:
  explicit NpzArchive(InputFile file)
      : TensorArchive(file.path()), file_(std::move(file)) {}

  rt::Status readDirectory();
  rt::Result<HostTensor> read(std::string_view name) const override;

private:
  struct Directory {
    uint64_t offset, size, members;
  };
  rt::Result<Directory> findDirectory() const;
  rt::Result<int64_t> findData(const Member &member) const;
  bool isInside(uint64_t offset, uint64_t size) const {
    uint64_t fileSize = file_.size();
    return offset <= fileSize && size <= fileSize - offset;
  }

  InputFile file_;
  std::vector<Member> members_;
};

/// The end record stands at the end, before a comment of at most 64 KiB.
rt::Result<NpzArchive::Directory> NpzArchive::findDirectory() const {
  constexpr int64_t endSize = 22, maxComment = 65535;
  int64_t size = std::min(file_.size(), endSize + maxComment);
  int64_t start = file_.size() - size;
  std::vector<unsigned char> tail(size);
  rt::Status status = file_.read(tail.data(), size, start);
  if (!status.isOk())
    return status;
  for (int64_t i = size - endSize; i >= 0; --i) {
    Record end(&tail[i]);
    if (end.u32(0) != 0x06054b50 || i + endSize + end.u16(20) != size)
      continue;
    Directory directory{end.u32(16), end.u32(12), end.u16(10)};
    if (directory.offset != 0xffffffff && directory.size != 0xffffffff &&
        directory.members != 0xffff)
      return directory;
    // The 64-bit record; a locator before the end record says where.
    constexpr int64_t locatorSize = 20, record64Size = 56;
    unsigned char locator[locatorSize], record[record64Size];
    int64_t locatorOffset = start + i - locatorSize;
    if (locatorOffset < 0)
      return damaged("it has no 64-bit locator");
    status = file_.read(locator, locatorSize, locatorOffset);
    if (!status.isOk())
      return status;
    uint64_t offset = Record(locator).u64(8);
    if (Record(locator).u32(0) != 0x07064b50 || !isInside(offset, record64Size))
      return damaged("its 64-bit locator leads nowhere");
    status = file_.read(record, record64Size, offset);
    if (!status.isOk())
      return status;
    Record end64(record);
    if (end64.u32(0) != 0x06064b50)
      return damaged("its 64-bit locator leads nowhere");
    return Directory{end64.u64(48), end64.u64(40), end64.u64(32)};
  }
  return damaged("it has no directory at its end");
}

/// Replaces the fields that did not fit by those of the 64-bit extension.
bool applyExtension(Record extra, size_t size, Member &member) {
  constexpr uint64_t overflow = 0xffffffff;
  for (size_t i = 0; i + 4 <= size;) {
    size_t fieldSize = extra.u16(i + 2);
    size_t at = i + 4, end = at + fieldSize;
    if (end > size)
      return false;
    if (extra.u16(i) == 1) {
      for (uint64_t *field :
           {&member.size, &member.compressedSize, &member.headerOffset}) {
        if (*field != overflow)
          continue;
        if (at + 8 > end)
          return false;
        *field = extra.u64(at);
        at += 8;
      }
      return true;
    }
    i = end;
  }
  return true;
}

rt::Status NpzArchive::readDirectory() {
  rt::Result<Directory> found = findDirectory();
  if (!found.isOk())
    return found.status();
  if (!isInside(found->offset, found->size))
    return damaged("its directory lies outside of it");
  std::vector<unsigned char> directory(found->size);
  rt::Status status = file_.read(directory.data(), found->size, found->offset);
  if (!status.isOk())
    return status;

  constexpr size_t entrySize = 46;
  size_t position = 0;
  std::unordered_set<std::string> unique;
  for (uint64_t i = 0; i < found->members; ++i) {
    if (directory.size() - position < entrySize)
      return damaged("its directory ends too early");
    Record entry(&directory[position]);
    size_t nameSize = entry.u16(28), extraSize = entry.u16(30);
    size_t total = entrySize + nameSize + extraSize + entry.u16(32);
    if (entry.u32(0) != 0x02014b50 || total > directory.size() - position)
      return damaged("its directory makes no sense");
    Member member;
    member.flags = entry.u16(8);
    member.method = entry.u16(10);
    member.crc = entry.u32(16);
    member.compressedSize = entry.u32(20);
    member.size = entry.u32(24);
    member.headerOffset = entry.u32(42);
    const unsigned char *nameStart = directory.data() + position + entrySize;
    if (!applyExtension(Record(nameStart + nameSize), extraSize, member))
      return damaged("a 64-bit size is incomplete");
    position += total;

    // Whatever is no array is not ours.
    std::string name(reinterpret_cast<const char *>(nameStart), nameSize);
    constexpr std::string_view suffix = ".npy";
    if (name.size() < suffix.size() ||
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
      continue;
    name.resize(name.size() - suffix.size());
    if (!unique.insert(name).second)
      return damaged("'" + name + "' appears twice");
    names_.push_back(std::move(name));
    members_.push_back(member);
  }
  return rt::Status::ok();
}

rt::Result<int64_t> NpzArchive::findData(const Member &member) const {
  constexpr uint32_t encrypted = 1;
  if (member.flags & encrypted)
    return rt::unsupported("it is encrypted; save it without a password");
  if (member.method != Stored && member.method != Deflated)
    return rt::unsupported("it is compressed by method " +
                           std::to_string(member.method) +
                           "; save it with numpy.savez or "
                           "numpy.savez_compressed");
  constexpr int64_t headerSize = 30;
  unsigned char header[headerSize];
  if (!isInside(member.headerOffset, headerSize))
    return damaged("it lies outside of the file");
  rt::Status status = file_.read(header, headerSize, member.headerOffset);
  if (!status.isOk())
    return status;
  Record record(header);
  if (record.u32(0) != 0x04034b50)
    return damaged("its header makes no sense");
  uint64_t start =
      member.headerOffset + headerSize + record.u16(26) + record.u16(28);
  if (!isInside(start, member.compressedSize))
    return damaged("it lies outside of the file");
  // Deflate cannot shrink by more than 1032:1, so the file's size bounds what
  // is allocated.
  constexpr uint64_t maxRatio = 1032;
  if (member.method == Stored ? member.size != member.compressedSize
                              : member.size / maxRatio > member.compressedSize)
    return damaged("its size makes no sense");
  return int64_t(start);
}

rt::Result<HostTensor> NpzArchive::read(std::string_view name) const {
  rt::Result<size_t> index = find(name);
  if (!index.isOk())
    return index.status();
  std::string prefix = path_ + ": array '" + std::string(name) + "': ";
  const Member &member = members_[*index];
  rt::Result<int64_t> start = findData(member);
  if (!start.isOk())
    return start.status().withPrefix(prefix);
  auto source = std::make_unique<MemberSource>(file_, member, *start);
  rt::Result<HostTensor> tensor = readNpyFrom(*source);
  if (!tensor.isOk())
    return tensor.status().withPrefix(prefix);
  return tensor;
}

} // namespace

rt::Result<std::unique_ptr<TensorArchive>> openNpz(InputFile file) {
  auto archive = std::make_unique<NpzArchive>(std::move(file));
  rt::Status status = archive->readDirectory();
  if (!status.isOk())
    return status;
  return std::unique_ptr<TensorArchive>(std::move(archive));
}

} // namespace qcc
