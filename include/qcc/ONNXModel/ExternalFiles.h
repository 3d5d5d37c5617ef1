//===- ExternalFiles.h - Data beside a model --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model may keep the data of tensors in other files. A hostile model must not
// read what its user can read. So the path of a file is relative and stays
// below the folder of the model, and no part of it is a symbolic link. The file
// is a regular one with a single name, and the data lie inside of it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ONNXMODEL_EXTERNALFILES_H
#define QCC_ONNXMODEL_EXTERNALFILES_H

#include "qcc/ONNXModel/Model.h"
#include <map>

namespace qcc::onnx {

/// A file in memory, for as long as something refers to it.
class MappedFile {
public:
  MappedFile(const char *data, size_t size) : data(data), size(size) {}
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {data, size}; }

  /// Takes a part, which will not be read soon, out of memory. Who reads it
  /// again finds it in the file.
  void evict(std::string_view part) const;

private:
  const char *data;
  size_t size;
};

using MappedFilePtr = std::shared_ptr<const MappedFile>;

/// The files beside one model; each is mapped once.
class ExternalFiles {
public:
  /// `folder` is where the model is; empty for a model that is no file.
  explicit ExternalFiles(std::string folder) : folder(std::move(folder)) {}

  struct Data {
    std::string_view bytes;
    MappedFilePtr file;
  };
  /// The data of a tensor of `size` bytes.
  rt::Result<Data> find(const ExternalData &place, uint64_t size);
  /// See MappedFile::evict; does nothing with bytes that are elsewhere.
  void evict(std::string_view part) const;

private:
  rt::Result<MappedFilePtr> open(const std::string &location);

  std::string folder;
  std::map<std::string, MappedFilePtr> files;
};

} // namespace qcc::onnx

#endif // QCC_ONNXMODEL_EXTERNALFILES_H
