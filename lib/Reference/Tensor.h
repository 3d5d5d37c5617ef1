//===- Tensor.h - Element kinds and tensors of the interpreter --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C++: what an element is, how its value is held while it is computed
// with, and a dense tensor of such elements. Nothing here knows MLIR, so that
// the numeric loops compile with flags of their own.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_TENSOR_H
#define QCC_LIB_REFERENCE_TENSOR_H

#include <cstdint>
#include <memory>
#include <vector>

namespace qcc::reference {

/// An element kind. Integers of any width up to 64 are stored sign-extended in
/// the next container of 1, 2, 4 or 8 bytes, `i1` as 0 or 1.
struct Elem {
  enum Class : uint8_t { Int, F16, BF16, F32, F64 };
  Class cls = Int;
  uint8_t width = 64;
  bool isUnsigned = false; ///< only qnn gives the sign of storage a meaning

  bool isInt() const { return cls == Int; }
  bool isFloat() const { return cls != Int; }
  /// Held in a register as a float.
  bool isSingle() const { return cls == F16 || cls == BF16 || cls == F32; }
  bool isHalf() const { return cls == F16 || cls == BF16; }
  unsigned bytes() const {
    switch (cls) {
    case F16:
    case BF16:
      return 2;
    case F32:
      return 4;
    case F64:
      return 8;
    case Int:
      break;
    }
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
  }

  static Elem integer(unsigned width, bool isUnsigned = false) {
    Elem elem;
    elem.width = width;
    elem.isUnsigned = isUnsigned;
    return elem;
  }
  static Elem single() {
    Elem elem;
    elem.cls = F32;
    elem.width = 32;
    return elem;
  }
};

/// The value of one element while it is computed with: integers sign-extended
/// to 64 bits whatever their type says, f16, bf16 and f32 as float.
union Scalar {
  int64_t i;
  float f;
  double d;
};

struct Tensor {
  Elem elem;
  std::vector<int64_t> shape;
  std::shared_ptr<uint8_t> data;

  int64_t count() const {
    int64_t result = 1;
    for (int64_t dim : shape)
      result *= dim;
    return result;
  }
  size_t byteSize() const {
    return static_cast<size_t>(count()) * elem.bytes();
  }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }

  template <typename T> T *as() { return reinterpret_cast<T *>(data.get()); }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(data.get());
  }

  Scalar get(int64_t index) const;
  void set(int64_t index, Scalar value);

  /// Zeros. `data` is null where the size is not representable or memory does
  /// not suffice.
  static Tensor zeros(Elem elem, std::vector<int64_t> shape);
};

/// The distance in elements between neighbours along each dimension.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

/// Bytes for `shape`, or null where they cannot be had.
std::shared_ptr<uint8_t> allocateZeros(const std::vector<int64_t> &shape,
                                       size_t elementBytes);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_TENSOR_H
