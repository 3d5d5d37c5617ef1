//===- FileFormat.h - Formats of other tools --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises files that qcc does not take where they are given, by their
// content, and says what to do with them. The name of a file says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_FILEFORMAT_H
#define QCC_SUPPORT_FILEFORMAT_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc {

/// Where a file is given.
enum class FileUse {
  Program,  ///< MLIR or an ONNX model is wanted.
  Weights,  ///< .npz or .safetensors is wanted.
  Artifact, ///< What `qcc compile -o MODEL.so` writes is wanted.
  Array,    ///< .npy is wanted.
};

/// "this is a PyTorch checkpoint, not ...; do ..." for the bytes of a format
/// that the use does not take. Nothing if the bytes have no known format, or
/// one that the use takes. At most the first and the last 64 KiB are read.
std::optional<std::string> refuseFormat(std::string_view bytes, FileUse use);

/// The same for a file or folder, and nothing if it cannot be read.
std::optional<std::string> refuseFileFormat(const std::string &path,
                                            FileUse use);

/// A format of programs that another tool takes, and what to do with a file.
struct ForeignFormat {
  std::string name;   ///< "a PyTorch checkpoint"
  std::string remedy; ///< "export the model by torch.onnx.export(...)"
};

/// All formats of programs that are recognised and not taken.
std::vector<ForeignFormat> foreignPrograms();

/// Whether bytes are no text: a control character is among the first.
bool isBinary(std::string_view bytes);

} // namespace qcc

#endif // QCC_SUPPORT_FILEFORMAT_H
