//===- TensorFile.h - Tensors in files --------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// .npy is one tensor, .npz (a zip of .npy) and .safetensors hold named ones.
// A file is never trusted: what its headers claim is checked against its size
// before memory is allocated, and every message names the file, the reason and
// what to do.
//
// numpy has no bf16. A 16-bit element without a type ("V2", what numpy writes
// for the bfloat16 of ml_dtypes) is taken for one, and bf16 is written as that.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_TENSORFILE_H
#define QCC_SUPPORT_TENSORFILE_H

#include "qcc/Support/HostTensor.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace qcc {

/// Reads a .npy file of version 1 to 3, little endian, in C or Fortran order.
rt::Result<HostTensor> readNpy(const std::string &path);

/// The same for the bytes of such a file.
rt::Result<HostTensor> parseNpy(std::string_view bytes);

/// The bytes of a .npy file.
rt::Result<std::string>
printNpy(rt::DType dtype, const std::vector<int64_t> &shape, const void *data);

/// Writes a .npy file, which appears when it is complete or not at all.
rt::Status writeNpy(const std::string &path, rt::DType dtype,
                    const std::vector<int64_t> &shape, const void *data);
rt::Status writeNpy(const std::string &path, const HostTensor &tensor);

/// A file of named tensors, which are read on demand.
class TensorArchive {
public:
  /// Opens a .npz or a .safetensors file; its content tells which of them it
  /// is.
  static rt::Result<std::unique_ptr<TensorArchive>>
  open(const std::string &path);
  virtual ~TensorArchive() = default;

  const std::string &path() const { return path_; }

  /// The names of the tensors, in the order of the file.
  const std::vector<std::string> &names() const { return names_; }
  bool contains(std::string_view name) const;

  virtual rt::Result<HostTensor> read(std::string_view name) const = 0;

protected:
  explicit TensorArchive(std::string path) : path_(std::move(path)) {}
  /// The position of a name, or a failure that lists what there is.
  rt::Result<size_t> find(std::string_view name) const;

  std::string path_;
  std::vector<std::string> names_;
};

} // namespace qcc

#endif // QCC_SUPPORT_TENSORFILE_H
