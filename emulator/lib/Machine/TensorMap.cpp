//===- TensorMap.cpp - Tensors of bulk copies -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TensorMap.h"

#include "Machine/MatrixDescriptor.h"

#include <algorithm>
#include <cstring>

namespace qcc::emu {

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

namespace {
/// The bytes of a map, of which no pointer and no driver makes sense.
struct Encoded {
  uint64_t magic = 0, check = 0;
  uint64_t address = 0;
  uint64_t strides[TensorMap::maxRank - 1] = {};
  /// Less 1, so that 2^32 fits.
  uint32_t lastIndices[TensorMap::maxRank] = {};
  uint16_t box[TensorMap::maxRank] = {};
  uint8_t elementStrides[TensorMap::maxRank] = {};
  uint8_t rank = 0, elementBytes = 0, swizzle = 0, fill = 0;
};
} // namespace
static_assert(sizeof(Encoded) <= TensorMap::bytes);

constexpr uint64_t magicOfMaps = 0x9b5d3c7e12f4a86d;

/// Tells a map whose bytes were changed.
static uint64_t checkOf(Encoded encoded) {
  encoded.check = 0;
  uint8_t bytes[sizeof(Encoded)];
  memcpy(bytes, &encoded, sizeof(encoded));
  uint64_t hash = 0xcbf29ce484222325;
  for (uint8_t byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

/// The first thing that a chip's driver would refuse.
static rt::Status check(const TensorMap &map) {
  auto bad = [](const std::string &what) {
    return rt::invalidArgument("tensor map: " + what);
  };
  constexpr int unit = 16, mostOfBox = 256, mostStride = 8;
  constexpr uint64_t mostOfDim = uint64_t(1) << 32, mostBytes = uint64_t(1)
                                                                << 40;
  if (map.rank < 1 || map.rank > TensorMap::maxRank)
    return bad("rank " + std::to_string(map.rank) + "; 1 to 5 are possible");
  if (map.elementBytes != 1 && map.elementBytes != 2 && map.elementBytes != 4 &&
      map.elementBytes != 8)
    return bad("elements of " + std::to_string(map.elementBytes) +
               " bytes; 1, 2, 4 and 8 are possible");
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return bad("a swizzle of " + std::to_string(map.swizzle) +
               " bytes; 0, 32, 64 and 128 are possible");
  if (map.address % unit != 0)
    return bad("the address is no multiple of 16");
  for (int i = 0; i < map.rank; ++i) {
    std::string name = "dimension " + std::to_string(i);
    if (map.dims[i] < 1 || map.dims[i] > mostOfDim)
      return bad(name + " has " + std::to_string(map.dims[i]) +
                 " elements; 1 to 2^32 are possible");
    if (map.box[i] < 1 || map.box[i] > mostOfBox)
      return bad(name + " of the box has " + std::to_string(map.box[i]) +
                 " elements; 1 to 256 are possible");
    if (map.elementStrides[i] < 1 || map.elementStrides[i] > mostStride)
      return bad(name + " has an element stride of " +
                 std::to_string(map.elementStrides[i]) +
                 "; 1 to 8 are possible");
    if (i > 0 &&
        (map.strides[i - 1] % unit != 0 || map.strides[i - 1] >= mostBytes))
      return bad("the stride of " + name + ", " +
                 std::to_string(map.strides[i - 1]) +
                 " bytes, is no multiple of 16 below 2^40");
  }
  int row = map.box[0] * map.elementBytes;
  if (row % unit != 0)
    return bad("a row of the box has " + std::to_string(row) +
               " bytes, which is no multiple of 16");
  if (map.swizzle != 0 && row > map.swizzle)
    return bad("a row of the box has " + std::to_string(row) +
               " bytes, more than the swizzle of " +
               std::to_string(map.swizzle));
  return rt::Status::ok();
}

rt::Result<std::array<uint8_t, TensorMap::bytes>>
encodeTensorMap(const TensorMap &map) {
  if (rt::Status status = check(map); !status.isOk())
    return status;
  Encoded encoded;
  encoded.magic = magicOfMaps;
  encoded.address = map.address;
  std::copy(map.strides.begin(), map.strides.end(), encoded.strides);
  for (int i = 0; i < map.rank; ++i) {
    encoded.lastIndices[i] = static_cast<uint32_t>(map.dims[i] - 1);
    encoded.box[i] = static_cast<uint16_t>(map.box[i]);
    encoded.elementStrides[i] = static_cast<uint8_t>(map.elementStrides[i]);
  }
  encoded.rank = static_cast<uint8_t>(map.rank);
  encoded.elementBytes = static_cast<uint8_t>(map.elementBytes);
  encoded.swizzle = static_cast<uint8_t>(map.swizzle);
  encoded.fill = static_cast<uint8_t>(map.fill);
  encoded.check = checkOf(encoded);
  std::array<uint8_t, TensorMap::bytes> bytes = {};
  memcpy(bytes.data(), &encoded, sizeof(encoded));
  return bytes;
}

std::optional<TensorMap> decodeTensorMap(const uint8_t *bytes) {
  Encoded encoded;
  memcpy(&encoded, bytes, sizeof(encoded));
  if (encoded.magic != magicOfMaps || encoded.check != checkOf(encoded))
    return std::nullopt;
  TensorMap map;
  map.address = encoded.address;
  map.rank = encoded.rank;
  map.elementBytes = encoded.elementBytes;
  map.swizzle = encoded.swizzle;
  map.fill = static_cast<TensorMap::Fill>(encoded.fill);
  std::copy(std::begin(encoded.strides), std::end(encoded.strides),
            map.strides.begin());
  for (int i = 0; i < map.rank; ++i) {
    map.dims[i] = uint64_t(encoded.lastIndices[i]) + 1;
    map.box[i] = encoded.box[i];
    map.elementStrides[i] = encoded.elementStrides[i];
  }
  return map;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

std::vector<BulkPiece>
piecesOfBox(const TensorMap &map, const int32_t *coordinates, uint64_t shared) {
  // Steps of each dimension; a box covers every so many elements. Dimension 0
  // has no stride.
  int counts[TensorMap::maxRank], total = 1;
  for (int i = 1; i < TensorMap::maxRank; ++i) {
    counts[i] = i < map.rank ? (map.box[i] + map.elementStrides[i] - 1) /
                                   map.elementStrides[i]
                             : 1;
    total *= counts[i];
  }
  const int64_t rowBytes = int64_t(map.box[0]) * map.elementBytes;
  const int64_t tensorRow =
      static_cast<int64_t>(map.dims[0]) * map.elementBytes;
  const int64_t firstByte = int64_t(coordinates[0]) * map.elementBytes;
  std::vector<BulkPiece> pieces;
  pieces.reserve(static_cast<size_t>(total * rowBytes / BulkPiece::most));
  for (int row = 0; row < total; ++row) {
    bool isInside = true;
    uint64_t base = map.address;
    for (int i = 1, rest = row; i < map.rank; rest /= counts[i], ++i) {
      int64_t index =
          coordinates[i] + int64_t(rest % counts[i]) * map.elementStrides[i];
      isInside &= index >= 0 && index < static_cast<int64_t>(map.dims[i]);
      base += static_cast<uint64_t>(index) * map.strides[i - 1];
    }
    for (int64_t byte = 0; byte < rowBytes; byte += BulkPiece::most) {
      BulkPiece piece;
      piece.shared = static_cast<uint32_t>(swizzled(
          shared + static_cast<uint64_t>(row * rowBytes + byte), map.swizzle));
      int64_t from = firstByte + byte;
      piece.global = base + static_cast<uint64_t>(from);
      int64_t begin = std::max<int64_t>(-from, 0);
      int64_t end = std::min<int64_t>(tensorRow - from, BulkPiece::most);
      if (isInside && begin < end) {
        piece.begin = static_cast<uint8_t>(begin);
        piece.end = static_cast<uint8_t>(end);
      }
      pieces.push_back(piece);
    }
  }
  return pieces;
}

} // namespace qcc::emu
