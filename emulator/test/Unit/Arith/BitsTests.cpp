//===- BitsTests.cpp - Bit manipulation -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against the pseudocode of the PTX ISA, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Arith/Bits.h"

#include "Reference.h"

#include <gtest/gtest.h>
#include <vector>

using namespace qcc::emu;
using namespace qcc::emu::arith;
using test::hex;
using test::Operands;

namespace {

//===----------------------------------------------------------------------===//
// The pseudocode, on vectors of bits
//===----------------------------------------------------------------------===//

using BitVector = std::vector<int>;

BitVector split(uint64_t value, int width) {
  BitVector bits(width);
  for (int i = 0; i < width; ++i)
    bits[i] = value >> i & 1;
  return bits;
}

uint64_t join(const BitVector &bits) {
  uint64_t value = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    value |= uint64_t(bits[i]) << i;
  return value;
}

uint64_t bfeOf(uint64_t value, int width, bool isSigned, uint32_t b,
               uint32_t c) {
  BitVector a = split(value, width), d(width);
  int msb = width - 1, pos = b & 0xff, len = c & 0xff;
  int sbit = !isSigned || len == 0 ? 0 : a[std::min(pos + len - 1, msb)];
  for (int i = 0; i <= msb; ++i)
    d[i] = i < len && pos + i <= msb ? a[pos + i] : sbit;
  return join(d);
}

uint64_t bfiOf(uint64_t a, uint64_t b, int width, uint32_t c, uint32_t d) {
  BitVector from = split(a, width), f = split(b, width);
  int msb = width - 1, pos = c & 0xff, len = d & 0xff;
  for (int i = 0; i < len && pos + i <= msb; ++i)
    f[pos + i] = from[i];
  return join(f);
}

uint32_t bfindOf(uint64_t a, int width, bool isSigned, bool shiftAmount) {
  BitVector bits = split(a, width);
  int msb = width - 1;
  int skip = isSigned ? bits[msb] : 0;
  for (int i = msb; i >= 0; --i)
    if (bits[i] != skip)
      return shiftAmount ? msb - i : i;
  return 0xffffffff;
}

template <typename T> void checkFields() {
  constexpr int width = 8 * sizeof(T);
  constexpr bool isSigned = std::is_signed_v<T>;
  Operands operands(width + isSigned);
  auto bits = [](T value) { return uint64_t(Unsigned<T>(value)); };
  for (int i = 0; i < 30000; ++i) {
    T a = T(operands.ofInteger(width)), b = T(operands.ofInteger(width));
    uint32_t pos = operands.bits() % (width + 8),
             len = operands.bits() % (width + 8);
    if (i % 16 == 0) // Only the low 8 bits count.
      pos |= 0x5500;
    if (i % 16 == 1)
      len = 255;
    ASSERT_EQ(bits(bfe<T>(a, pos, len)),
              bfeOf(bits(a), width, isSigned, pos, len))
        << hex(bits(a)) << " " << pos << " " << len;
    ASSERT_EQ(bits(bfi<T>(a, b, pos, len)),
              bfiOf(bits(a), bits(b), width, pos, len))
        << hex(bits(a)) << " " << hex(bits(b)) << " " << pos << " " << len;
    for (bool amount : {false, true})
      ASSERT_EQ(bfind<T>(a, amount), bfindOf(bits(a), width, isSigned, amount))
          << hex(bits(a));
    BitVector ones = split(bits(a), width);
    ASSERT_EQ(popc(bits(a)), uint32_t(std::count(ones.begin(), ones.end(), 1)));
    uint32_t zeros = bfindOf(bits(a), width, false, true);
    ASSERT_EQ(clz<T>(a), zeros == ~0u ? width : zeros);
    ASSERT_EQ(bits(brev<T>(a)), join(BitVector(ones.rbegin(), ones.rend())));
  }
}

} // namespace

TEST(Bits, FieldsOfU32) { checkFields<uint32_t>(); }
TEST(Bits, FieldsOfS32) { checkFields<int32_t>(); }
TEST(Bits, FieldsOfU64) { checkFields<uint64_t>(); }
TEST(Bits, FieldsOfS64) { checkFields<int64_t>(); }

TEST(Bits, Lop3) {
  // All tables, by the recipe of the ISA: the table is what the function makes
  // of 0xF0, 0xCC and 0xAA.
  Operands operands(30);
  for (int table = 0; table < 256; ++table) {
    ASSERT_EQ(lop3(0xf0, 0xcc, 0xaa, table) & 0xff, uint32_t(table));
    uint32_t a = operands.bits(), b = operands.bits(), c = operands.bits();
    uint32_t got = lop3(a, b, c, table);
    for (int i = 0; i < 32; ++i) {
      int index = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
      ASSERT_EQ(got >> i & 1, uint32_t(table >> index & 1));
    }
  }
  EXPECT_EQ(lop3(0x12345678, 0x0f0f0f0f, 0xff00ff00, 0xf0 & 0xcc & 0xaa),
            0x12345678u & 0x0f0f0f0fu & 0xff00ff00u);
}

TEST(Bits, PermuteBySelectors) {
  const uint32_t a = 0x03820100, b = 0x87060584;
  const int bytes[8] = {0x00, 0x01, 0x82, 0x03, 0x84, 0x05, 0x06, 0x87};
  for (uint32_t c = 0; c < 0x10000; ++c) {
    uint32_t want = 0;
    for (int i = 3; i >= 0; --i) {
      int nibble = c >> (4 * i) & 15, byte = bytes[nibble & 7];
      want = want << 8 | (nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte);
    }
    ASSERT_EQ(prmt(PermuteMode::Default, a, b, c | 0xabcd0000), want);
  }
}

// The ISA's tables: for each mode and selector 0 to 3 the source bytes of d's
// bytes 3 to 0.
TEST(Bits, PermuteByModes) {
  struct {
    PermuteMode mode;
    int bytes[4][4];
  } const modes[] = {
      {PermuteMode::F4e,
       {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {PermuteMode::B4e,
       {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {PermuteMode::Rc8,
       {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {PermuteMode::Ecl,
       {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {PermuteMode::Ecr,
       {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {PermuteMode::Rc16,
       {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}},
  };
  // Byte i is 0x80 + i: signs do not matter here.
  const uint32_t a = 0x83828180, b = 0x87868584;
  for (const auto &[mode, bytes] : modes)
    for (uint32_t c = 0; c < 4; ++c) {
      uint32_t want = 0;
      for (int byte : bytes[c])
        want = want << 8 | (0x80 + byte);
      EXPECT_EQ(prmt(mode, a, b, c), want) << int(mode) << " " << c;
      EXPECT_EQ(prmt(mode, a, b, c | 0xfffffff0), want);
    }
}

TEST(Bits, FunnelShifts) {
  Operands operands(31);
  for (int i = 0; i < 20000; ++i) {
    uint32_t a = operands.bits(), b = operands.bits();
    uint32_t c = i % 2 ? operands.bits() % 70 : uint32_t(operands.bits());
    BitVector pair = split(uint64_t(b) << 32 | a, 64);
    for (ShiftMode mode : {ShiftMode::Clamp, ShiftMode::Wrap}) {
      int n = mode == ShiftMode::Wrap ? c & 31 : std::min(c, 32u);
      BitVector left(32), right(32);
      for (int k = 0; k < 32; ++k) {
        left[k] = pair[32 + k - n];
        right[k] = k + n < 64 ? pair[k + n] : 0;
      }
      ASSERT_EQ(shfLeft(mode, a, b, c), join(left)) << c;
      ASSERT_EQ(shfRight(mode, a, b, c), join(right)) << c;
    }
  }
}

TEST(Bits, MasksAndExtensions) {
  Operands operands(32);
  for (int i = 0; i < 50000; ++i) {
    uint32_t a = operands.bits();
    uint32_t b = i % 2 ? operands.bits() % 40 : uint32_t(operands.bits());
    uint32_t start = i % 3 ? operands.bits() % 40 : uint32_t(operands.bits());
    for (ShiftMode mode : {ShiftMode::Clamp, ShiftMode::Wrap}) {
      bool clamp = mode == ShiftMode::Clamp;
      // bmsk
      uint64_t mask0 = ~uint64_t(0) << (start & 31);
      uint32_t sum = (start & 31) + (b & 31);
      uint64_t mask1 = ~uint64_t(0) << sum;
      bool positionOverflow = false, widthOverflow = false;
      if (clamp && start >= 32) {
        positionOverflow = true;
        mask0 = 0;
      }
      if (clamp && b >= 32)
        widthOverflow = true;
      if (sum >= 32 || positionOverflow || widthOverflow)
        mask1 = 0;
      else if ((b & 31) == 0)
        mask1 = ~uint64_t(0);
      ASSERT_EQ(bmsk(mode, start, b), uint32_t(mask0 & ~mask1))
          << start << " " << b << " clamp " << clamp;
      // szext
      for (bool isSigned : {false, true}) {
        uint32_t b1 = b & 31;
        bool tooLarge = b >= 32 && clamp;
        uint32_t mask = tooLarge ? 0 : uint32_t(~uint64_t(0) << b1);
        uint32_t signPosition = (b1 - 1) & 31;
        bool sign =
            !(b1 == 0 || tooLarge || !isSigned) && (a >> signPosition & 1);
        ASSERT_EQ(szext(mode, isSigned, a, b), (a & ~mask) | (sign ? mask : 0))
            << hex(a) << " " << b;
      }
    }
  }
}

TEST(Bits, FindNthSet) {
  Operands operands(33);
  for (int i = 0; i < 50000; ++i) {
    uint32_t mask = operands.ofInteger(32);
    uint32_t base = operands.bits() % 32;
    int32_t offset = int32_t(operands.bits() % 67) - 33;
    uint32_t want = ~0u;
    if (offset == 0) {
      if (mask >> base & 1)
        want = base;
    } else {
      int pos = base, count = std::abs(offset) - 1, inc = offset > 0 ? 1 : -1;
      while (pos >= 0 && pos < 32) {
        if (mask >> pos & 1) {
          if (count == 0) {
            want = pos;
            break;
          }
          --count;
        }
        pos += inc;
      }
    }
    ASSERT_EQ(fns(mask, base, offset), want) << hex(mask) << " " << offset;
  }
  EXPECT_EQ(fns(0xffffffff, 0, INT32_MIN), ~0u);
}

TEST(Bits, DotProducts) {
  Operands operands(34);
  for (int i = 0; i < 20000; ++i) {
    uint32_t a = operands.bits(), b = operands.bits(), c = operands.bits();
    for (bool aSigned : {false, true})
      for (bool bSigned : {false, true}) {
        auto byte = [](uint32_t word, int k, bool isSigned) {
          int value = word >> (8 * k) & 0xff;
          return isSigned && value > 127 ? value - 256 : value;
        };
        auto half = [](uint32_t word, int k, bool isSigned) {
          int value = word >> (16 * k) & 0xffff;
          return isSigned && value > 32767 ? value - 65536 : value;
        };
        int64_t four = c, low = c, high = c;
        for (int k = 0; k < 4; ++k)
          four += byte(a, k, aSigned) * byte(b, k, bSigned);
        for (int k = 0; k < 2; ++k) {
          low += int64_t(half(a, k, aSigned)) * byte(b, k, bSigned);
          high += int64_t(half(a, k, aSigned)) * byte(b, k + 2, bSigned);
        }
        ASSERT_EQ(dp4a(aSigned, bSigned, a, b, c), uint32_t(four));
        ASSERT_EQ(dp2a(aSigned, bSigned, false, a, b, c), uint32_t(low));
        ASSERT_EQ(dp2a(aSigned, bSigned, true, a, b, c), uint32_t(high));
      }
  }
}
