//===- Shape.h - The dimensions of a tensor ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of int64 that holds up to eight dimensions in place, so that a call
// describes its tensors without the heap. It converts from and to a
// std::vector. Header-only.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_BASE_SHAPE_H
#define QCC_BASE_SHAPE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace qcc::rt {

class Shape {
public:
  using value_type = int64_t;
  using iterator = const int64_t *;
  using const_iterator = const int64_t *;

  Shape() = default;
  Shape(const int64_t *dims, size_t rank) : rank_(rank) {
    if (rank <= inPlace)
      std::copy(dims, dims + rank, dims_);
    else
      more_.assign(dims, dims + rank);
  }
  Shape(const std::vector<int64_t> &dims) : Shape(dims.data(), dims.size()) {}
  Shape(std::initializer_list<int64_t> dims)
      : Shape(dims.begin(), dims.size()) {}
  operator std::vector<int64_t>() const { return {begin(), end()}; }

  size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  const int64_t *data() const {
    return rank_ <= inPlace ? dims_ : more_.data();
  }
  const int64_t *begin() const { return data(); }
  const int64_t *end() const { return data() + rank_; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t &operator[](size_t i) {
    return rank_ <= inPlace ? dims_[i] : more_[i];
  }

  friend bool operator==(const Shape &a, const Shape &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const Shape &a, const Shape &b) { return !(a == b); }

private:
  static constexpr size_t inPlace = 8;

  size_t rank_ = 0;
  int64_t dims_[inPlace] = {};
  std::vector<int64_t> more_; ///< All of them where they are more.
};

} // namespace qcc::rt

#endif // QCC_BASE_SHAPE_H
