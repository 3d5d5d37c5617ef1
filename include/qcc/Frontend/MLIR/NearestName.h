//===- NearestName.h - Names that users may have meant ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_MLIR_NEARESTNAME_H
#define QCC_FRONTEND_MLIR_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace qcc {

/// Of some names the one that `name` may be a misspelling of; nothing if none
/// is near.
std::optional<llvm::StringRef> nearestOf(llvm::StringRef name,
                                         llvm::ArrayRef<llvm::StringRef> names);

} // namespace qcc

#endif // QCC_FRONTEND_MLIR_NEARESTNAME_H
