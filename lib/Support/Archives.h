//===- Archives.h - Formats of tensor archives ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implementations of TensorArchive. Messages do not name the file yet.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_SUPPORT_ARCHIVES_H
#define QCC_LIB_SUPPORT_ARCHIVES_H

#include "qcc/Support/FileIO.h"
#include "qcc/Support/TensorFile.h"

namespace qcc {

rt::Result<std::unique_ptr<TensorArchive>> openNpz(InputFile file);
rt::Result<std::unique_ptr<TensorArchive>> openSafetensors(InputFile file);

} // namespace qcc

#endif // QCC_LIB_SUPPORT_ARCHIVES_H
