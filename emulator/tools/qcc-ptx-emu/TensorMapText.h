//===- TensorMapText.h - Tensor maps from the command line ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_PTX_EMU_TENSORMAPTEXT_H
#define QCC_TOOLS_QCC_PTX_EMU_TENSORMAPTEXT_H

#include "qcc/Emulator/TensorMap.h"
#include "qcc/Support/HostTensor.h"

#include <string>

namespace qcc::tools {

/// "x.npy:box=128,64:swizzle=128", behind "map:": a buffer and the keys of its
/// map. Lists have the innermost dimension first, as maps have.
///
///   box=N,...       elements of a box; the map lacks a default for it
///   dims=N,...      elements of the tensor; those of the buffer
///   strides=N,...   bytes, of dimension 1 and further ones; those of the
///   buffer steps=N,...     element strides; 1 swizzle=N       0, 32, 64 or
///   128; 0 fill=nan        what lies outside; zeros
struct TensorMapText {
  std::string buffer; ///< The text of the buffer's argument.
  std::string keys;   ///< The rest: "box=128,64:swizzle=128".

  /// `text` without "map:".
  static TensorMapText split(const std::string &text);
  /// The bytes of the map of a buffer at an address.
  rt::Result<std::array<uint8_t, emu::TensorMap::bytes>>
  encode(const HostTensor &tensor, uint64_t address) const;
};

} // namespace qcc::tools

#endif // QCC_TOOLS_QCC_PTX_EMU_TENSORMAPTEXT_H
