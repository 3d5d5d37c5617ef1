//===- TensorFile.cpp - Tensors in files ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// .npy files, and the choice of the archive's format.
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/TensorFile.h"

#include "Archives.h"
#include "NpyFormat.h"
#include "qcc/Support/FileFormat.h"
#include "qcc/Support/FileIO.h"

#include <algorithm>
#include <cstring>

namespace qcc {
namespace {

class FileSource : public ByteSource {
public:
  explicit FileSource(const InputFile &file) : file_(file) {}
  int64_t remaining() const override { return file_.size() - offset_; }
  rt::Status read(void *data, int64_t size) override {
    rt::Status status = file_.read(data, size, offset_);
    offset_ += size;
    return status;
  }

private:
  const InputFile &file_;
  int64_t offset_ = 0;
};

class MemorySource : public ByteSource {
public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  int64_t remaining() const override { return int64_t(bytes_.size()); }
  rt::Status read(void *data, int64_t size) override {
    memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return rt::Status::ok();
  }

private:
  std::string_view bytes_;
};

/// Everything of a .npy file before its data; fails where no such file can hold
/// the tensor.
rt::Result<std::string> headerOf(rt::DType dtype,
                                 const std::vector<int64_t> &shape) {
  if (!dtype.isKnown() || !rt::numBytes(dtype, shape))
    return rt::invalidArgument("a tensor of " + rt::describe(dtype, shape) +
                               " cannot be written as .npy");
  return makeNpyHeader(dtype, shape);
}

} // namespace

rt::Result<HostTensor> parseNpy(std::string_view bytes) {
  MemorySource source(bytes);
  return readNpyFrom(source);
}

rt::Result<std::string>
printNpy(rt::DType dtype, const std::vector<int64_t> &shape, const void *data) {
  rt::Result<std::string> bytes = headerOf(dtype, shape);
  if (bytes.isOk())
    bytes->append(static_cast<const char *>(data), *rt::numBytes(dtype, shape));
  return bytes;
}

rt::Result<HostTensor> readNpy(const std::string &path) {
  std::string prefix = path + ": ";
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return file.status().withPrefix(prefix);
  FileSource source(*file);
  rt::Result<HostTensor> tensor = readNpyFrom(source);
  if (!tensor.isOk())
    return tensor.status().withPrefix(prefix);
  return tensor;
}

rt::Status writeNpy(const std::string &path, rt::DType dtype,
                    const std::vector<int64_t> &shape, const void *data) {
  rt::Result<std::string> header = headerOf(dtype, shape);
  if (!header.isOk())
    return header.status().withPrefix(path + ": ");
  rt::Result<OutputFile> file = OutputFile::create(path);
  if (!file.isOk())
    return file.status();
  rt::Status status = file->write(header->data(), header->size());
  if (status.isOk())
    status = file->write(data, *rt::numBytes(dtype, shape));
  return status.isOk() ? file->commit() : status;
}

rt::Status writeNpy(const std::string &path, const HostTensor &tensor) {
  return writeNpy(path, tensor.dtype(), tensor.shape(), tensor.data());
}

bool TensorArchive::contains(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

rt::Result<size_t> TensorArchive::find(std::string_view name) const {
  auto it = std::find(names_.begin(), names_.end(), name);
  if (it != names_.end())
    return size_t(it - names_.begin());
  constexpr size_t maxListed = 10;
  std::string message = path_ + ": there is no tensor '" + std::string(name) +
                        "'; the file has " + std::to_string(names_.size());
  for (size_t i = 0; i < std::min(names_.size(), maxListed); ++i)
    message += (i ? ", '" : ": '") + names_[i] + "'";
  if (names_.size() > maxListed)
    message += ", ...";
  return rt::notFound(message);
}

rt::Result<std::unique_ptr<TensorArchive>>
TensorArchive::open(const std::string &path) {
  std::string prefix = path + ": ";
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return file.status().withPrefix(prefix);
  char start[8] = {};
  rt::Status status =
      file->read(start, std::min<int64_t>(file->size(), sizeof(start)), 0);
  if (!status.isOk())
    return status.withPrefix(prefix);
  if (auto reason = refuseFileFormat(path, FileUse::Weights))
    return rt::invalidArgument(prefix + *reason);
  bool isNpz = memcmp(start, "PK", 2) == 0;
  constexpr std::string_view suffix = ".npz";
  if (!isNpz && path.size() >= suffix.size() &&
      path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0)
    return rt::invalidArgument(
        prefix + "this is no .npz file, which would start with the letters PK; "
                 "write it with numpy.savez");
  rt::Result<std::unique_ptr<TensorArchive>> archive =
      isNpz ? openNpz(*std::move(file)) : openSafetensors(*std::move(file));
  if (!archive.isOk())
    return archive.status().withPrefix(prefix);
  return archive;
}

} // namespace qcc
