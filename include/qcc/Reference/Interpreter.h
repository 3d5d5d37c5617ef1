//===- Interpreter.h - The reference interpreter ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a program as it was imported (qnn, quant, linalg, tensor, arith, math,
// func, scf) straight from the rules of docs/Numerics.md, independent of every
// lowering: what it computes is what every target must compute.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_REFERENCE_INTERPRETER_H
#define QCC_REFERENCE_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace qcc::reference {

/// The element types of DLPack: `i1` is Bool of 8 bits; a quantized type is its
/// storage; `index` is Int of 64 bits.
enum class TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Bool = 6
};

struct ElementType {
  TypeCode code = TypeCode::Float;
  uint8_t bits = 32;

  size_t bytes() const { return bits / 8; }
  bool operator==(const ElementType &other) const {
    return code == other.code && bits == other.bits;
  }
};

/// A dense tensor, compact and row-major; a scalar has no dimensions. Copies
/// share the bytes, which the interpreter never writes.
struct TensorValue {
  ElementType type;
  std::vector<int64_t> shape;
  std::shared_ptr<uint8_t> bytes;

  /// A tensor of zeros; its `bytes` are null where memory does not suffice.
  static TensorValue allocate(ElementType type, std::vector<int64_t> shape);

  int64_t elementCount() const;
  size_t byteSize() const;
};

/// How the elements of `type` (a tensor or a scalar) are stored at the boundary
/// of a run, or an error where no run can have such a value.
llvm::Expected<ElementType> elementTypeOf(mlir::Type type);

class Interpreter {
public:
  /// `threads` = 0 uses every core. The number does not change a result.
  explicit Interpreter(unsigned threads = 0);

  /// Called with each tensor that an op of a function computes, while the
  /// program runs.
  using Observer =
      std::function<void(mlir::OpResult result, const TensorValue &value)>;
  void setObserver(Observer observer) { this->observer = std::move(observer); }

  /// Runs `entry` on `inputs`. Whatever is wrong with the inputs or not
  /// supported in the program becomes an error with a location and a reason.
  llvm::Error run(mlir::func::FuncOp entry, llvm::ArrayRef<TensorValue> inputs,
                  llvm::SmallVectorImpl<TensorValue> &results);

private:
  unsigned threads;
  Observer observer;
};

} // namespace qcc::reference

#endif // QCC_REFERENCE_INTERPRETER_H
