//===- TensorMap.h - Tensors of bulk copies ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map tells cp.async.bulk.tensor where the elements of a tensor lie,
// and how large a box it copies. A kernel takes it as a parameter of 128 bytes,
// `.param .align 64 .b8 map[128]`. The bytes are the emulator's own, not those
// of a GPU's driver; what they describe is the same as for
// cuTensorMapEncodeTiled:
//
//   TensorMap map;
//   map.address = *a;            // rows of 512 bytes
//   map.rank = 2;
//   map.dims = {512, 1024};      // innermost first
//   map.strides = {512};         // of dimension 1 and further ones
//   map.box = {128, 64};
//   map.swizzle = 128;
//   auto bytes = encodeTensorMap(map);
//   emulator.launch(kernel, config, {*bytes, ...});
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_TENSORMAP_H
#define QCC_EMULATOR_TENSORMAP_H

#include "qcc/Base/Status.h"

#include <array>
#include <cstdint>

namespace qcc::emu {

struct TensorMap {
  static constexpr int maxRank = 5, bytes = 128;

  /// What elements outside of the tensor are.
  enum class Fill : uint8_t { Zeros, NaN };

  uint64_t address = 0; ///< In device memory.
  int rank = 1;
  int elementBytes = 1; ///< 1, 2, 4 or 8.
  int swizzle = 0;      ///< Bytes of a line in shared memory: 0, 32, 64, 128.
  Fill fill = Fill::Zeros;
  // Innermost first; those beyond the rank say nothing.
  std::array<uint64_t, maxRank> dims = {1, 1, 1, 1, 1};
  /// Bytes from one element to the next; elements of dimension 0 lie side by
  /// side.
  std::array<uint64_t, maxRank - 1> strides = {};
  std::array<int, maxRank> box = {1, 1, 1, 1, 1};
  std::array<int, maxRank> elementStrides = {1, 1, 1, 1, 1};
};

/// The bytes of the parameter. Fails where cuTensorMapEncodeTiled would: the
/// address or a stride is no multiple of 16, a dimension of the box is 0 or
/// above 256, a row of the box is no multiple of 16 bytes or larger than the
/// swizzle.
rt::Result<std::array<uint8_t, TensorMap::bytes>>
encodeTensorMap(const TensorMap &map);

} // namespace qcc::emu

#endif // QCC_EMULATOR_TENSORMAP_H
