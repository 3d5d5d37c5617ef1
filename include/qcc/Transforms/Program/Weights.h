//===- Weights.h - The constants that steps read ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a program may fill most of the memory. So a program has a list
// of its constants, with the offset of each. They become one blob of bytes only
// when the blob is written.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_PROGRAM_WEIGHTS_H
#define QCC_TRANSFORMS_PROGRAM_WEIGHTS_H

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

  /// Places a constant behind the others, at a multiple of 64 bytes, unless the
  /// list has a constant with the same bytes. Returns the offset; nothing if
  /// the constant has no bytes, such as a resource without data.
  std::optional<int64_t> add(mlir::ElementsAttr value);

  /// The size of the blob, in bytes.
  int64_t size() const { return total; }
  /// The constants in the order of their offsets.
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

  /// Whether both have constants with the same bytes at the same offsets.
  /// Constants that are stored in different ways, such as a splat and an array,
  /// count as different.
  bool operator==(const Weights &other) const;

  /// The list as an attribute, and back.
  mlir::ArrayAttr toAttribute(mlir::MLIRContext *context) const;
  static Weights of(mlir::ArrayAttr attribute);

private:
  /// The constant of `list` with the same bytes as `value`; null if the list
  /// has no such constant, or if `value` is not stored as bytes. After null,
  /// the caller must append `value` to `list`.
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
  /// The key is a hash of size and samples. Constants may be as large as
  /// memory, so all bytes are hashed only if samples are equal.
  std::unordered_map<uint64_t, Similar> similar;
  /// Indices in `list`. The key is a hash of all bytes.
  std::unordered_map<uint64_t, llvm::SmallVector<unsigned, 1>> whole;
};

/// Frees the data of a constant. Afterwards the constant has no data.
void releaseData(mlir::DenseResourceElementsAttr constant);

} // namespace qcc

#endif // QCC_TRANSFORMS_PROGRAM_WEIGHTS_H
