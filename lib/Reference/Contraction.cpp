//===- Contraction.cpp - The contraction loops ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops are written once, and compiled a second time for machines with AVX2
// and FMA: the same operations in the same order, only faster.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "BatchOps.h"
#include "Half.h"
#include "Threads.h"
#include <cmath>
#include <limits>

using namespace qcc::reference;

#if defined(__x86_64__)
#define QCC_FOR_AVX2 __attribute__((target("avx2,fma")))
static const bool hasAVX2 =
    __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
#define QCC_FOR_AVX2
static const bool hasAVX2 = false;
#endif
#define QCC_INLINE inline __attribute__((always_inline))

namespace {

constexpr int columnsAtOnce = 4; ///< of the integer loop
constexpr int panel = 16;        ///< columns of a panel of the float loop
constexpr int64_t rowBlock = 16, columnBlock = 512;

/// Four dot products with one row. The sums wrap at 32 bits.
QCC_INLINE void dotBody(const int16_t *x, const int16_t *const *y, int64_t k,
                        uint32_t *sums) {
  uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const int16_t *y0 = y[0], *y1 = y[1], *y2 = y[2], *y3 = y[3];
  for (int64_t i = 0; i < k; ++i) {
    s0 += static_cast<uint32_t>(int32_t(x[i]) * int32_t(y0[i]));
    s1 += static_cast<uint32_t>(int32_t(x[i]) * int32_t(y1[i]));
    s2 += static_cast<uint32_t>(int32_t(x[i]) * int32_t(y2[i]));
    s3 += static_cast<uint32_t>(int32_t(x[i]) * int32_t(y3[i]));
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}
QCC_FOR_AVX2 void dotAVX2(const int16_t *x, const int16_t *const *y, int64_t k,
                          uint32_t *sums) {
  dotBody(x, y, k, sums);
}
void dot(const int16_t *x, const int16_t *const *y, int64_t k, uint32_t *sums) {
  if (hasAVX2)
    dotAVX2(x, y, k, sums);
  else
    dotBody(x, y, k, sums);
}

template <typename X, typename Y>
int64_t dotWide(const X *x, const Y *y, int64_t k) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < k; ++i)
    sum += static_cast<uint64_t>(int64_t(x[i])) *
           static_cast<uint64_t>(int64_t(y[i]));
  return static_cast<int64_t>(sum);
}

/// Narrows a row if all of it fits.
bool fitsInto16(const int64_t *from, int64_t k, int16_t *to) {
  int64_t outside = 0;
  for (int64_t i = 0; i < k; ++i) {
    to[i] = static_cast<int16_t>(from[i]);
    outside |= from[i] ^ to[i];
  }
  return outside == 0;
}

/// Blocks of the result, enough of them for all threads where a single row or
/// few are wanted.
template <typename Block>
void forBlocks(unsigned threads, int64_t m, int64_t n, int64_t k, Block block) {
  int64_t rowBlocks = (m + rowBlock - 1) / rowBlock;
  int64_t width =
      rowBlocks >= 4 * int64_t(threads) ? std::max<int64_t>(1, n) : columnBlock;
  int64_t columnBlocks = (n + width - 1) / width;
  if (m * n * k < 100000)
    threads = 1;
  parallelFor(threads, rowBlocks * columnBlocks, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t b = begin; b < end; ++b) {
                  int64_t row = b / columnBlocks * rowBlock;
                  int64_t column = b % columnBlocks * width;
                  block(row, std::min(m, row + rowBlock), column,
                        std::min(n, column + width));
                }
              });
}

} // namespace

void IntContraction::run(unsigned threads) const {
  if (m <= 0 || n <= 0)
    return;
  // Rows of y as 16-bit numbers, which nearly all are; else as they come.
  std::unique_ptr<int16_t[]> y16(new int16_t[n * k + 1]);
  std::unique_ptr<int64_t[]> y64;
  std::atomic<bool> allFit{true};
  auto packRows = [&](auto pack) {
    parallelFor(n * k < 100000 ? 1 : threads, n, 16,
                [&](int64_t begin, int64_t end) {
                  std::unique_ptr<int64_t[]> row(new int64_t[k + 1]);
                  for (int64_t j = begin; j < end; ++j)
                    pack(j, row.get());
                });
  };
  packRows([&](int64_t j, int64_t *row) {
    packY(j, row);
    if (!fitsInto16(row, k, y16.get() + j * k))
      allFit = false;
  });
  if (!allFit) {
    y64.reset(new int64_t[n * k + 1]);
    packRows([&](int64_t j, int64_t *) { packY(j, y64.get() + j * k); });
  }
  forBlocks(threads, m, n, k,
            [&](int64_t row, int64_t rowEnd, int64_t column, int64_t end) {
              std::unique_ptr<int64_t[]> x64(new int64_t[k + 1]);
              std::unique_ptr<int16_t[]> x16(new int16_t[k + 1]);
              std::unique_ptr<int64_t[]> out(new int64_t[end - column]);
              for (int64_t i = row; i < rowEnd; ++i) {
                packX(i, x64.get());
                bool fits = fitsInto16(x64.get(), k, x16.get());
                for (int64_t j = column; j < end; ++j) {
                  int64_t *to = out.get() + (j - column);
                  if (narrow && fits && !y64) {
                    uint32_t sums[columnsAtOnce];
                    const int16_t *rows[columnsAtOnce];
                    int64_t width = std::min<int64_t>(columnsAtOnce, end - j);
                    for (int64_t c = 0; c < columnsAtOnce; ++c)
                      rows[c] = y16.get() + (j + std::min(c, width - 1)) * k;
                    dot(x16.get(), rows, k, sums);
                    for (int64_t c = 0; c < width; ++c)
                      to[c] = static_cast<int32_t>(sums[c]);
                    j += width - 1;
                  } else if (y64) {
                    *to = dotWide(x64.get(), y64.get() + j * k, k);
                  } else {
                    *to = dotWide(x64.get(), y16.get() + j * k, k);
                  }
                  if (narrow && (!fits || y64))
                    *to = static_cast<int32_t>(*to);
                }
                sink(i, column, end - column, out.get());
              }
            });
}

namespace {

/// `panel` chains side by side; y holds the columns of a panel interleaved.
template <typename T, ChainRounding rounding>
QCC_INLINE void chainBody(const T *x, const T *y, int64_t k, T *acc) {
  T local[panel];
  for (int c = 0; c < panel; ++c)
    local[c] = acc[c];
  for (int64_t i = 0; i < k; ++i)
    for (int c = 0; c < panel; ++c) {
      local[c] = std::fma(x[i], y[i * panel + c], local[c]);
      if (rounding == ChainRounding::F16)
        local[c] = roundToF16(local[c]);
      if (rounding == ChainRounding::BF16)
        local[c] = roundToBF16(local[c]);
    }
  for (int c = 0; c < panel; ++c)
    acc[c] = local[c];
}
template <typename T, ChainRounding rounding>
QCC_FOR_AVX2 void chainAVX2(const T *x, const T *y, int64_t k, T *acc) {
  chainBody<T, rounding>(x, y, k, acc);
}
template <typename T, ChainRounding rounding>
void chain(const T *x, const T *y, int64_t k, T *acc) {
  if (hasAVX2)
    chainAVX2<T, rounding>(x, y, k, acc);
  else
    chainBody<T, rounding>(x, y, k, acc);
}

} // namespace

template <typename T> void FloatContraction<T>::run(unsigned threads) const {
  if (m <= 0 || n <= 0)
    return;
  int64_t panels = (n + panel - 1) / panel;
  std::unique_ptr<T[]> y(new T[panels * panel * k + 1]());
  parallelFor(
      n * k < 100000 ? 1 : threads, panels, 1, [&](int64_t begin, int64_t end) {
        std::unique_ptr<T[]> row(new T[k + 1]);
        for (int64_t j = begin * panel; j < std::min(n, end * panel); ++j) {
          packY(j, row.get());
          T *to = y.get() + j / panel * panel * k + j % panel;
          for (int64_t i = 0; i < k; ++i)
            to[i * panel] = row[i];
        }
      });
  forBlocks(threads, m, n, k,
            [&](int64_t row, int64_t rowEnd, int64_t column, int64_t end) {
              std::unique_ptr<T[]> x(new T[k + 1]);
              std::unique_ptr<T[]> out(new T[end - column + panel]());
              for (int64_t i = row; i < rowEnd; ++i) {
                packX(i, x.get());
                initial(i, column, end - column, out.get());
                // Blocks start at multiples of a panel.
                for (int64_t j = column; j < end; j += panel) {
                  const T *columns = y.get() + j * k;
                  T *acc = out.get() + (j - column);
                  if (rounding == ChainRounding::F16)
                    chain<T, ChainRounding::F16>(x.get(), columns, k, acc);
                  else if (rounding == ChainRounding::BF16)
                    chain<T, ChainRounding::BF16>(x.get(), columns, k, acc);
                  else
                    chain<T, ChainRounding::None>(x.get(), columns, k, acc);
                }
                sink(i, column, end - column, out.get());
              }
            });
}

template struct qcc::reference::FloatContraction<float>;
template struct qcc::reference::FloatContraction<double>;
