//===- qcc/tensor.hpp - Tensors of the C++ API ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TensorView  memory of the caller: a pointer, an element type, a shape
//   Tensor      memory of the runtime, for results
//
// Both are compact and row-major, but for the outermost dimension of a view,
// and both are DLPack's tensors underneath.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TENSOR_HPP
#define QCC_TENSOR_HPP

#include "qcc-c/DLPack.h"
#include "qcc/error.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace qcc {

/// The element type of a C++ type. Types that C++ does not have:
/// float16 and bfloat16, whose elements are uint16_t in memory.
template <typename T> constexpr DLDataType elementType() {
  using Element = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<Element>,
                "an element is a number; others need a DLDataType");
  uint8_t code = std::is_same_v<Element, bool>       ? kDLBool
                 : std::is_floating_point_v<Element> ? kDLFloat
                 : std::is_signed_v<Element>         ? kDLInt
                                                     : kDLUInt;
  return {code, uint8_t(8 * sizeof(Element)), 1};
}
inline constexpr DLDataType float16 = {kDLFloat, 16, 1};
inline constexpr DLDataType bfloat16 = {kDLBfloat, 16, 1};

inline bool isSameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// Somebody else's memory. Cheap to make and to copy; up to eight dimensions.
class TensorView {
public:
  static constexpr size_t maxRank = 8;

  /// Arguments may be const: a run writes to results alone, and to an argument
  /// only if its memory is also given as the result computed in place.
  template <typename T>
  TensorView(T *data, std::initializer_list<int64_t> shape)
      : TensorView(data, elementType<T>(), shape.begin(), shape.size()) {}
  template <typename T>
  TensorView(T *data, const std::vector<int64_t> &shape)
      : TensorView(data, elementType<T>(), shape.data(), shape.size()) {}
  TensorView(const void *data, DLDataType type, const int64_t *shape,
             size_t rank)
      : data_(const_cast<void *>(data)), type_(type), rank_(rank) {
    if (rank > maxRank)
      detail::fail(QCC_STATUS_UNSUPPORTED,
                   "a TensorView has up to 8 dimensions, not " +
                       std::to_string(rank) + "; use the C API");
    for (size_t i = 0; i < rank; ++i)
      shape_[i] = shape[i];
  }

  /// The same tensor with so many elements from one slice of the outermost
  /// dimension to the next; see RunOptions::eachSlice.
  TensorView withOuterStride(int64_t stride) const {
    TensorView view = *this;
    int64_t inner = 1;
    for (size_t i = rank_; i-- > 0; inner *= shape_[i])
      view.strides_[i] = inner;
    view.strides_[0] = stride;
    view.isStrided_ = rank_ > 0;
    return view;
  }

  void *data() const { return data_; }
  DLDataType type() const { return type_; }
  size_t rank() const { return rank_; }
  int64_t dim(size_t i) const { return shape_[i]; }

  /// The same where the memory is a device's, such as {kDLCUDA, 0}.
  TensorView on(DLDevice device) const {
    TensorView view = *this;
    view.device_ = device;
    return view;
  }
  DLDevice device() const { return device_; }

  /// For the C API; valid as long as this view.
  DLTensor dlpack() const {
    DLTensor tensor = {};
    tensor.data = data_;
    tensor.device = device_;
    tensor.ndim = int32_t(rank_);
    tensor.dtype = type_;
    tensor.shape = const_cast<int64_t *>(shape_.data());
    if (isStrided_)
      tensor.strides = const_cast<int64_t *>(strides_.data());
    return tensor;
  }

private:
  void *data_;
  DLDevice device_ = {kDLCPU, 0};
  DLDataType type_;
  size_t rank_;
  std::array<int64_t, maxRank> shape_ = {};
  std::array<int64_t, maxRank> strides_ = {};
  bool isStrided_ = false; ///< Otherwise it is compact.
};

/// Elements that follow one another; the memory is somebody else's.
template <typename T> class Elements {
public:
  Elements(T *data, size_t size) : data_(data), size_(size) {}

  T *begin() const { return data_; }
  T *end() const { return data_ + size_; }
  size_t size() const { return size_; }
  T &operator[](size_t i) const { return data_[i]; }

private:
  T *data_;
  size_t size_;
};

namespace detail {
/// Deletes a DLManagedTensor or a DLManagedTensorVersioned.
struct DeleteManaged {
  template <typename Managed> void operator()(Managed *tensor) const {
    if (tensor->deleter)
      tensor->deleter(tensor);
  }
};

/// A tensor of one kind that owns one of the other kind.
template <typename Managed, typename Other> struct Rewrapped {
  Managed managed = {};
  std::unique_ptr<Other, DeleteManaged> other;

  static Managed *make(std::unique_ptr<Other, DeleteManaged> other) {
    auto made = std::make_unique<Rewrapped>();
    made->managed.dl_tensor = other->dl_tensor;
    made->managed.manager_ctx = made.get();
    made->managed.deleter = [](Managed *self) {
      delete static_cast<Rewrapped *>(self->manager_ctx);
    };
    made->other = std::move(other);
    return &made.release()->managed;
  }
};
} // namespace detail

/// A tensor with its memory, which outlives the function that made it.
class Tensor {
public:
  /// Takes over what the C API or another library hands out.
  explicit Tensor(DLManagedTensorVersioned *managed) : managed_(managed) {
    if (managed->version.major != DLPACK_MAJOR_VERSION)
      detail::fail(QCC_STATUS_UNSUPPORTED,
                   "the tensor is of another version of DLPack, " +
                       std::to_string(managed->version.major));
  }
  explicit Tensor(DLManagedTensor *managed)
      : managed_(
            detail::Rewrapped<DLManagedTensorVersioned, DLManagedTensor>::make(
                std::unique_ptr<DLManagedTensor, detail::DeleteManaged>(
                    managed))) {
    managed_->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  }

  /// Whether its elements must not be written.
  bool isReadOnly() const {
    return managed_->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
  }

  DLDataType type() const { return dlpack().dtype; }
  size_t rank() const { return size_t(dlpack().ndim); }
  int64_t dim(size_t i) const { return dlpack().shape[i]; }
  std::vector<int64_t> shape() const {
    return std::vector<int64_t>(dlpack().shape, dlpack().shape + rank());
  }
  /// The number of elements.
  size_t size() const {
    size_t count = 1;
    for (size_t i = 0; i < rank(); ++i)
      count *= size_t(dim(i));
    return count;
  }

  /// Its elements, which must be of this type.
  template <typename T> T *data() const {
    if (!isSameType(type(), elementType<T>()))
      detail::fail(QCC_STATUS_INVALID_ARGUMENT,
                   "the elements of the tensor are of another type than they "
                   "are asked for");
    return static_cast<T *>(rawData());
  }
  void *rawData() const {
    return static_cast<char *>(dlpack().data) + dlpack().byte_offset;
  }
  /// The same as a range: for (float y : tensor.elements<float>())
  template <typename T> Elements<T> elements() const {
    return Elements<T>(data<T>(), size());
  }

  DLTensor &dlpack() const { return managed_->dl_tensor; }
  operator TensorView() const {
    return TensorView(rawData(), type(), dlpack().shape, rank());
  }

  /// For another library, which deletes it. A library that takes no versioned
  /// tensors does not see whether it is read-only.
  DLManagedTensorVersioned *releaseVersioned() { return managed_.release(); }
  DLManagedTensor *release() {
    return detail::Rewrapped<DLManagedTensor, DLManagedTensorVersioned>::make(
        std::move(managed_));
  }

private:
  std::unique_ptr<DLManagedTensorVersioned, detail::DeleteManaged> managed_;
};

} // namespace qcc

#endif // QCC_TENSOR_HPP
