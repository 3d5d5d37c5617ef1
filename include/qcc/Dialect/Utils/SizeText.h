//===- SizeText.h - Sizes in messages ---------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_UTILS_SIZETEXT_H
#define QCC_DIALECT_UTILS_SIZETEXT_H

#include "mlir/IR/OpDefinition.h"
#include <optional>
#include <string>
#include <utility>

namespace qcc {

/// Which dimension of which argument a size is, the argument first; nothing for
/// any size that is not a dimension of an argument.
std::optional<std::pair<unsigned, int64_t>>
argumentSize(mlir::OpFoldResult size);

/// A size in the words of a message: a number, "dimension 0 of argument 1", or
/// a formula of these, such as "4 * floor((dimension 0 of argument 1) / 4)". "a
/// size computed from others" where the formula would be long or has something
/// else in it.
std::string describeSize(mlir::OpFoldResult size);

} // namespace qcc

#endif // QCC_DIALECT_UTILS_SIZETEXT_H
