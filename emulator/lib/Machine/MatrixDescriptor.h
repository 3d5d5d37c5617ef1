//===- MatrixDescriptor.h - Matrices of wgmma in shared memory --*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor says where a matrix with rows of 32 bytes (k) lies:
//
//   bits 0-13   address / 16
//   bits 16-29  leading offset / 16
//   bits 32-45  stride offset / 16
//   bits 49-51  base offset of the swizzle's pattern
//   bits 62-63  swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//
// Without a swizzle, eight rows of 16 bytes lie side by side. With one, a row
// is a part of a line of 128, 64 or 32 bytes; eight lines lie side by side, and
// pieces of 16 bytes change places within a line: bits of the address from 4 on
// are xored with those from 7 on. The stride offset leads to the next eight
// rows, the leading offset (without a swizzle) to the next 16 bytes of k.
//
// A transposed matrix, of 16-bit elements, has lines along its rows' numbers,
// one for each k. With a swizzle, the stride offset leads to the next eight k,
// the leading offset from one line's end to the rows behind it. Without one,
// they change roles: lines of eight rows, and the stride offset leads to the
// next eight rows.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H
#define QCC_LIB_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H

#include <cstdint>

namespace qcc::emu {

/// The address of a byte in shared memory whose lines of `bytes` (0, 32, 64,
/// 128) are swizzled.
inline uint64_t swizzled(uint64_t address, int bytes) {
  uint64_t mask = bytes == 0 ? 0 : static_cast<uint64_t>(bytes) / 16 - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

class MatrixDescriptor {
public:
  MatrixDescriptor() = default;
  explicit MatrixDescriptor(uint64_t bits, bool isTransposed = false)
      : bits_(bits), isTransposed_(isTransposed) {}

  uint64_t bits() const { return bits_; }
  uint64_t address() const { return field(0); }
  int swizzle() const {
    constexpr int bytes[] = {0, 128, 64, 32};
    return bytes[bits_ >> 62];
  }
  /// Whether bits outside of all fields are 0, as they must be.
  bool isClean() const {
    constexpr uint64_t outside = uint64_t(3) << 14 | uint64_t(3) << 30 |
                                 uint64_t(7) << 46 | uint64_t(0x3ff) << 52;
    return (bits_ & outside) == 0;
  }
  int baseOffset() const { return static_cast<int>(bits_ >> 49 & 7); }
  bool isTransposed() const { return isTransposed_; }

  /// Where 16 bytes of a row lie; `piece` is 0 or 1.
  uint64_t place(int row, int piece) const {
    int line = swizzle();
    uint64_t start = address() + uint64_t(row / 8) * field(32);
    uint64_t place = line == 0 ? start + row % 8 * 16 + piece * field(16)
                               : start + row % 8 * line + piece * 16;
    return swizzled(place & addressMask, line);
  }

  /// Where an element of a transposed matrix lies.
  uint64_t placeOfElement(int row, int k) const {
    int line = swizzle();
    constexpr int rowsOfPiece = 8, pieceBytes = 16, elementBytes = 2;
    auto piece = static_cast<uint64_t>(row / rowsOfPiece);
    uint64_t place = address() + row % rowsOfPiece * elementBytes;
    if (line == 0) {
      place += piece * field(32) + k % 8 * pieceBytes + k / 8 * field(16);
    } else {
      auto ofLine = static_cast<uint64_t>(line / pieceBytes);
      place += piece % ofLine * pieceBytes + piece / ofLine * field(16) +
               k % 8 * line + k / 8 * field(32);
    }
    return swizzled(place & addressMask, line);
  }

private:
  static constexpr uint64_t addressMask = (1 << 18) - 1;
  uint64_t field(int shift) const {
    return (bits_ >> shift & ((1 << 14) - 1)) << 4;
  }

  uint64_t bits_ = 0;
  bool isTransposed_ = false;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_MATRIXDESCRIPTOR_H
