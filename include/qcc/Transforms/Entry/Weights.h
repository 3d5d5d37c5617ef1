//===- Weights.h - The constants that steps read ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights may be most of the memory there is. So a program has a list of its
// constants and of where each begins; they become one blob of bytes only where
// that is written.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_ENTRY_WEIGHTS_H
#define QCC_TRANSFORMS_ENTRY_WEIGHTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <unordered_map>
#include <vector>

namespace qcc {

class Weights {
public:
  struct Constant {
    int64_t offset;
    mlir::ElementsAttr value;
  };

  /// Places a constant behind the others, at a multiple of 64 bytes, unless one
  /// of the same bytes is there already. Returns its offset; nothing where it
  /// has no bytes, as a resource without data.
  std::optional<int64_t> add(mlir::ElementsAttr value);

  /// Of the blob, in bytes.
  int64_t size() const { return total; }
  /// In the order of their offsets.
  llvm::ArrayRef<Constant> constants() const { return list; }
  /// Number of bytes that `add` has read to find equal constants.
  int64_t bytesRead() const { return read; }

  /// Calls `bytes` with all bytes of the blob, in pieces one after another.
  void visit(llvm::function_ref<void(llvm::ArrayRef<char>)> bytes) const;

  /// Writes the blob to memory of its size. `written` is called with each
  /// constant that has been written, in order.
  void copyTo(
      char *memory, llvm::function_ref<void(const Constant &)> written =
                        [](const Constant &) {}) const;

  /// Whether both have constants with the same bytes at the same places.
  /// Constants that are stored in different ways, as a splat may be, count as
  /// different.
  bool operator==(const Weights &other) const;

  /// The list as an attribute, and back.
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context) const;
  static Weights of(mlir::ArrayAttr attribute);

private:
  /// The constant of `list` with the same bytes as a constant that is stored as
  /// bytes; null if there is none. The next constant of `list` is `value` then.
  const Constant *findEqual(mlir::ElementsAttr value);
  uint64_t hashSamples(llvm::ArrayRef<char> bytes);
  uint64_t hashAll(llvm::ArrayRef<char> bytes);

  /// Constants that have the size and the samples of `first`.
  struct Similar {
    unsigned first;
    /// Whether `whole` has `first` and all constants similar to it.
    bool isHashed = false;
  };

  std::vector<Constant> list;
  int64_t total = 0, read = 0;
  /// Offsets of the constants that `add` was called with.
  llvm::DenseMap<mlir::Attribute, int64_t> offsets;
  /// By a hash of size and samples. Constants may be as large as memory, so
  /// that all bytes are hashed only where samples are equal.
  std::unordered_map<uint64_t, Similar> similar;
  /// Indices in `list` by a hash of all bytes.
  std::unordered_map<uint64_t, llvm::SmallVector<unsigned, 1>> whole;
};

/// Frees the data of a constant, which has none afterwards.
void releaseData(mlir::DenseResourceElementsAttr constant);

} // namespace qcc

#endif // QCC_TRANSFORMS_ENTRY_WEIGHTS_H
