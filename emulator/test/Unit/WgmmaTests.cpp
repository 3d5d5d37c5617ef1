//===- WgmmaTests.cpp - Products of warpgroups ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels copy `in` to shared memory as it is, so that tests decide where the
// elements of A (64 rows) and B (a row for each column) lie. Each thread stores
// its accumulators side by side.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "qcc/Emulator/TimeModel.h"
#include "qcc/Support/Half.h"

#include "gtest/gtest.h"

#include <functional>
#include <random>

using namespace qcc::emu;
using namespace qcc::emu::test;

namespace {

constexpr int rowsOfA = 64, rowBytes = 32;

/// Where matrices lie in shared memory.
struct Layout {
  int line = 128; ///< Bytes of a swizzled line; 0: no swizzle.
  int slice = 0;  ///< Which 32 bytes of a line.
  bool isTransposed = false;
  uint32_t base = 0;
  int rows = 0;

  uint32_t groupBytes() const { return line ? 8 * line : 256; }
  /// From one line of a transposed matrix to the rows behind it.
  uint32_t blockBytes() const { return 2 * groupBytes(); }
  uint32_t bytes() const {
    if (!isTransposed || line == 0)
      return rows / 8 * groupBytes();
    return (2 * rows + line - 1) / line * blockBytes();
  }
  uint32_t place(int row, int byte) const {
    if (isTransposed)
      return placeTransposed(row, byte / 2) + byte % 2;
    uint32_t group = base + row / 8 * groupBytes();
    if (line == 0)
      return group + row % 8 * 16 + byte / 16 * 128 + byte % 16;
    uint32_t chunk = (slice * rowBytes + byte) / 16;
    // Pieces of 16 bytes change places by the number of the line of 128 bytes.
    uint32_t lines = row % 8 * line / 128;
    chunk ^= lines % (line / 16);
    return group + row % 8 * line + chunk * 16 + byte % 16;
  }
  uint32_t placeTransposed(int row, int k) const {
    if (line == 0)
      return base + row / 8 * 256 + k / 8 * 128 + k % 8 * 16 + row % 8 * 2;
    uint32_t inBlock = k / 8 * groupBytes() + k % 8 * line;
    uint32_t chunk = 2 * row % line / 16;
    chunk ^= inBlock / 128 % (line / 16);
    return base + 2 * row / line * blockBytes() + inBlock + chunk * 16 +
           row % 8 * 2;
  }
  uint64_t descriptor() const {
    uint64_t mode = line == 128 ? 1 : line == 64 ? 2 : line == 32 ? 3 : 0;
    uint64_t leading = isTransposed && line ? blockBytes() : 128;
    return uint64_t(base + slice * rowBytes) >> 4 | leading >> 4 << 16 |
           uint64_t(groupBytes() >> 4) << 32 | mode << 62;
  }
};

struct Form {
  std::string suffix; ///< "s32.s8.u8"
  int k = 32, columns = 8;
  bool inRegisters = false, accumulates = true;
  int line = 128, slice = 0;
  bool transposesA = false, transposesB = false;
  std::string numbers; ///< After scale-d.
  bool halves = false; ///< Accumulators of f16.
};

struct Data {
  std::vector<uint8_t> a, b; ///< Rows of 32 bytes.
  std::vector<uint32_t> d;   ///< Registers of all threads, side by side.
};

int registersOf(const Form &form) {
  return form.columns / (form.halves ? 4 : 2);
}

std::string list(const char *prefix, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::string(prefix) + std::to_string(i);
  return text + "}";
}

/// Loads shared memory and registers, and waits.
std::string prologue(int registers, uint32_t bytes) {
  std::string text = ".reg .b32 %d<128>;\n.reg .b32 %a<4>;\n"
                     "mov.u32 %r10, dyn;\n"
                     "mov.u32 %r11, %r1;\n"
                     "COPY:\n"
                     "mul.wide.u32 %rd10, %r11, 4;\n"
                     "add.u64 %rd11, %rd2, %rd10;\n"
                     "ld.global.u32 %r12, [%rd11];\n"
                     "mad.lo.u32 %r13, %r11, 4, %r10;\n"
                     "st.shared.u32 [%r13], %r12;\n"
                     "add.u32 %r11, %r11, 128;\n"
                     "setp.lt.u32 %p1, %r11, " +
                     std::to_string(bytes / 4) +
                     ";\n@%p1 bra COPY;\n"
                     "add.u64 %rd12, %rd2, " +
                     std::to_string(bytes) + ";\nmul.wide.u32 %rd13, %r1, " +
                     std::to_string(4 * (registers + 4)) +
                     ";\nadd.u64 %rd12, %rd12, %rd13;\n";
  for (int i = 0; i < 4; ++i)
    text += "ld.global.u32 %a" + std::to_string(i) + ", [%rd12+" +
            std::to_string(4 * i) + "];\n";
  for (int i = 0; i < registers; ++i)
    text += "ld.global.u32 %d" + std::to_string(i) + ", [%rd12+" +
            std::to_string(16 + 4 * i) + "];\n";
  return text + "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
}

std::string epilogue(int registers) {
  std::string text = "mul.wide.u32 %rd13, %r1, " +
                     std::to_string(4 * registers) +
                     ";\nadd.u64 %rd14, %rd1, %rd13;\n";
  for (int i = 0; i < registers; ++i)
    text += "st.global.u32 [%rd14+" + std::to_string(4 * i) + "], %d" +
            std::to_string(i) + ";\n";
  return text;
}

void append(std::vector<uint8_t> &bytes, const void *data, size_t size) {
  const auto *begin = static_cast<const uint8_t *>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

/// The word of A that a thread has in register i.
uint32_t wordOfA(const Data &data, int thread, int i) {
  int warp = thread / 32, lane = thread % 32;
  int row = 16 * warp + lane / 4 + i % 2 * 8;
  uint32_t word;
  memcpy(&word, &data.a[row * rowBytes + lane % 4 * 4 + i / 2 * 16], 4);
  return word;
}

Snippet snippetOf(const Form &form, const Data &data) {
  Layout a, b;
  a.line = b.line = form.line;
  a.slice = b.slice = form.slice;
  a.rows = rowsOfA;
  b.rows = form.columns;
  a.isTransposed = form.transposesA;
  b.isTransposed = form.transposesB;
  b.base = (a.bytes() + 1023) / 1024 * 1024;
  uint32_t bytes = b.base + b.bytes();
  int registers = registersOf(form);
  Snippet snippet("");
  snippet.module = ".extern .shared .align 1024 .b8 dyn[];\n";
  snippet.chip = "sm_90a";
  snippet.block = {128, 1, 1};
  snippet.shared = bytes;
  snippet.in.assign(bytes, 0);
  for (int row = 0; row < rowsOfA; ++row)
    for (int byte = 0; byte < rowBytes; ++byte)
      snippet.in[a.place(row, byte)] = data.a[row * rowBytes + byte];
  for (int row = 0; row < form.columns; ++row)
    for (int byte = 0; byte < rowBytes; ++byte)
      snippet.in[b.place(row, byte)] = data.b[row * rowBytes + byte];
  for (int thread = 0; thread < 128; ++thread) {
    for (int i = 0; i < 4; ++i) {
      uint32_t word = wordOfA(data, thread, i);
      append(snippet.in, &word, 4);
    }
    append(snippet.in, &data.d[size_t(thread) * registers], 4 * registers);
  }
  snippet.outBytes = 128 * registers * 4;
  snippet.body = prologue(registers, bytes) + "wgmma.fence.sync.aligned;\n" +
                 "mov.u64 %rd20, " + std::to_string(a.descriptor()) +
                 ";\nmov.u64 %rd21, " + std::to_string(b.descriptor()) +
                 ";\nwgmma.mma_async.sync.aligned.m64n" +
                 std::to_string(form.columns) + "k" + std::to_string(form.k) +
                 "." + form.suffix + " " + list("%d", registers) + ", " +
                 (form.inRegisters ? list("%a", 4) : "%rd20") + ", %rd21, " +
                 (form.accumulates ? "1" : "0") + form.numbers +
                 ";\nwgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;\n" +
                 epilogue(registers);
  return snippet;
}

Data randomData(const Form &form, std::mt19937 &random) {
  Data data;
  data.a.resize(rowsOfA * rowBytes);
  data.b.resize(size_t(form.columns) * rowBytes);
  data.d.resize(size_t(128) * registersOf(form));
  for (std::vector<uint8_t> *bytes : {&data.a, &data.b})
    for (uint8_t &byte : *bytes)
      byte = static_cast<uint8_t>(random());
  for (uint32_t &word : data.d)
    word = static_cast<uint32_t>(random());
  return data;
}

/// Calls take(row, column, index in the threads' registers).
void forResults(const Form &form,
                const std::function<void(int, int, int)> &take) {
  int registers = form.columns / 2;
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < registers; ++i)
      take(16 * (thread / 32) + thread % 32 / 4 + i / 2 % 2 * 8,
           i / 4 * 8 + thread % 4 * 2 + i % 2, thread * registers + i);
}

void checkIntegers(const Form &form, bool isASigned, bool isBSigned,
                   bool saturates, uint64_t seed, std::mt19937 &random) {
  Data data = randomData(form, random);
  if (saturates)
    for (uint32_t &word : data.d)
      word = (word & 1 ? 0x7ffff000u : 0x80000fffu) ^ (word & 0xfff);
  Snippet snippet = snippetOf(form, data);
  snippet.options.seed = seed;
  Snippet::Outcome outcome = snippet.run();
  ASSERT_EQ(outcome.failure, "") << form.suffix << form.columns;
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << formatReport(report);
  int wrong = 0;
  forResults(form, [&](int row, int column, int index) {
    int64_t sum = form.accumulates ? int32_t(data.d[index]) : 0;
    for (int k = 0; k < rowBytes; ++k) {
      uint8_t a = data.a[row * rowBytes + k], b = data.b[column * rowBytes + k];
      sum += (isASigned ? int(int8_t(a)) : int(a)) *
             (isBSigned ? int(int8_t(b)) : int(b));
    }
    if (saturates)
      sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
    wrong += outcome.word(index) != uint32_t(sum);
  });
  EXPECT_EQ(wrong, 0) << form.suffix << " n" << form.columns << " line "
                      << form.line << " slice " << form.slice;
}

} // namespace

TEST(Wgmma, IntegersOfAllForms) {
  std::mt19937 random(1);
  const int lines[] = {0, 32, 64, 128};
  int run = 0;
  for (int columns = 8; columns <= 256; columns += columns < 32 ? 8 : 16)
    for (int signs = 0; signs < 4; ++signs)
      for (bool saturates : {false, true})
        for (bool inRegisters : {false, true}) {
          Form form;
          form.columns = columns;
          form.inRegisters = inRegisters;
          form.suffix = std::string(saturates ? "satfinite." : "") + "s32." +
                        (signs & 1 ? "s8." : "u8.") + (signs & 2 ? "s8" : "u8");
          form.line = lines[run % 4];
          form.slice = form.line == 128  ? run / 4 % 4
                       : form.line == 64 ? run / 4 % 2
                                         : 0;
          form.accumulates = saturates || run % 3 != 0;
          checkIntegers(form, signs & 1, signs & 2, saturates,
                        uint64_t(run % 5), random);
          ++run;
        }
}

TEST(Wgmma, DescriptorsAreChecked) {
  struct Case {
    uint64_t bits;
    const char *message;
  } cases[] = {{uint64_t(1) << 14, "bits that belong to no field"},
               {uint64_t(1) << 49, "has a base offset"}};
  std::mt19937 random(5);
  Form form;
  form.suffix = "s32.s8.s8";
  form.inRegisters = true;
  for (const Case &test : cases) {
    Snippet snippet = snippetOf(form, randomData(form, random));
    size_t at = snippet.body.find("wgmma.fence");
    snippet.body.insert(snippet.body.find("wgmma.mma_async", at),
                        "or.b64 %rd21, %rd21, " + std::to_string(test.bits) +
                            ";\n");
    Report report = onlyReport(snippet);
    EXPECT_EQ(report.kind, ReportKind::AsyncMisuse);
    EXPECT_PART(report.message, test.message);
  }
}

TEST(Wgmma, WarpsHaveOneDescriptor) {
  std::mt19937 random(6);
  Form form;
  form.suffix = "s32.s8.s8";
  form.inRegisters = true;
  Snippet snippet = snippetOf(form, randomData(form, random));
  snippet.body.insert(snippet.body.find("wgmma.mma_async"),
                      "setp.ge.u32 %p5, %r1, 96;\n"
                      "@%p5 xor.b64 %rd21, %rd21, 2;\n");
  Report report = onlyReport(snippet);
  EXPECT_EQ(report.kind, ReportKind::AsyncMisuse);
  EXPECT_PART(report.message, "different descriptors");
}

TEST(Wgmma, IsCountedAtFullRate) {
  std::mt19937 random(3);
  Form form;
  form.suffix = "s32.s8.s8";
  form.columns = 128;
  Snippet::Outcome outcome = snippetOf(form, randomData(form, random)).run();
  const MatrixCounters &matrix = outcome.counters.matrix;
  EXPECT_EQ(matrix.int8Macs, 64 * 128 * 32);
  EXPECT_EQ(matrix.warpgroupInt8Macs, matrix.int8Macs);
  TimeEstimate estimate = estimateTime(outcome.counters, *findChip("sm_90"));
  EXPECT_DOUBLE_EQ(estimate.busy[static_cast<int>(Bound::Matrix)],
                   64 * 128 * 32 / 4096);
  for (const InstructionCounters &row : outcome.counters.instructions)
    if (row.cost == CostClass::Matrix)
      EXPECT_EQ(row.shared.wavefronts, (64 + 128) * 32 / 128) << row.text;
}

TEST(Wgmma, TransposedOperands) {
  std::mt19937 random(4);
  for (int line : {0, 32, 64, 128})
    for (int which = 0; which < 4; ++which) {
      Form form;
      form.suffix = "f32.f16.f16";
      form.k = 16;
      form.columns = 96;
      form.line = line;
      form.transposesA = which & 1;
      form.transposesB = which & 2;
      form.accumulates = false;
      form.numbers = std::string(", 1, 1, ") + (which & 1 ? "1" : "0") + ", " +
                     (which & 2 ? "1" : "0");
      Data data = randomData(form, random);
      std::vector<int> a(rowsOfA * 16), b(form.columns * 16);
      auto fill = [&](std::vector<int> &values, std::vector<uint8_t> &bytes) {
        for (size_t i = 0; i < values.size(); ++i) {
          values[i] = int(random() % 17) - 8;
          uint16_t half = qcc::floatToF16(float(values[i]));
          memcpy(&bytes[2 * i], &half, 2);
        }
      };
      fill(a, data.a);
      fill(b, data.b);
      Snippet::Outcome outcome = snippetOf(form, data).run();
      ASSERT_EQ(outcome.failure, "");
      for (const Report &report : outcome.reports)
        ADD_FAILURE() << formatReport(report);
      int wrong = 0;
      forResults(form, [&](int row, int column, int index) {
        int sum = 0;
        for (int k = 0; k < 16; ++k)
          sum += a[row * 16 + k] * b[column * 16 + k];
        float value;
        uint32_t word = outcome.word(index);
        memcpy(&value, &word, 4);
        wrong += value != float(sum);
      });
      EXPECT_EQ(wrong, 0) << "line " << line << ", which " << which;
    }
}

TEST(Wgmma, FloatsOfAllTypes) {
  struct Type {
    const char *suffix;
    int k, bytes;
    bool halves, isTransposable;
    uint32_t one, two; ///< The bits of 1 and 2.
  } types[] = {
      {"f32.f16.f16", 16, 2, false, true, 0x3c00, 0x4000},
      {"f16.f16.f16", 16, 2, true, true, 0x3c00, 0x4000},
      {"f32.bf16.bf16", 16, 2, false, true, 0x3f80, 0x4000},
      {"f32.tf32.tf32", 8, 4, false, false, 0x3f800000, 0x40000000},
      {"f32.e4m3.e5m2", 32, 1, false, false, 0, 0},
      {"f16.e5m2.e5m2", 32, 1, true, false, 0x3c, 0x40},
  };
  std::mt19937 random(2);
  for (const Type &type : types)
    for (bool inRegisters : {false, true}) {
      Form form;
      form.suffix = type.suffix;
      form.k = type.k;
      form.columns = 40;
      form.halves = type.halves;
      form.inRegisters = inRegisters;
      form.numbers = ", 1, -1";
      if (type.isTransposable)
        form.numbers += inRegisters ? ", 0" : ", 0, 0";
      Data data = randomData(form, random);
      std::vector<int> a(rowsOfA * type.k), b(form.columns * type.k);
      auto fill = [&](std::vector<int> &values, std::vector<uint8_t> &bytes,
                      uint32_t one, uint32_t two) {
        for (size_t i = 0; i < values.size(); ++i) {
          int magnitude = int(random() % 3);
          bool isNegative = random() % 2;
          values[i] = isNegative ? -magnitude : magnitude;
          uint32_t bits = magnitude == 0 ? 0 : magnitude == 1 ? one : two;
          bits |= uint32_t(isNegative) << (8 * type.bytes - 1);
          memcpy(&bytes[i * type.bytes], &bits, type.bytes);
        }
      };
      bool isMixed = type.one == 0;
      fill(a, data.a, isMixed ? 0x38 : type.one, isMixed ? 0x40 : type.two);
      fill(b, data.b, isMixed ? 0x3c : type.one, isMixed ? 0x40 : type.two);
      for (uint32_t &word : data.d)
        word = type.halves ? 0x40003c00 : 0x3f800000; // 1, and 2 above it.
      Snippet::Outcome outcome = snippetOf(form, data).run();
      ASSERT_EQ(outcome.failure, "") << type.suffix;
      for (const Report &report : outcome.reports)
        ADD_FAILURE() << formatReport(report);
      int wrong = 0;
      forResults(form, [&](int row, int column, int index) {
        int sum = type.halves && index % 2 ? 2 : 1;
        for (int k = 0; k < type.k; ++k)
          sum -= a[row * type.k + k] * b[column * type.k + k];
        float value = 0;
        uint32_t word = outcome.word(type.halves ? index / 2 : index);
        if (type.halves)
          value = qcc::f16ToFloat(uint16_t(word >> (16 * (index % 2))));
        else
          memcpy(&value, &word, 4);
        wrong += value != float(sum);
      });
      EXPECT_EQ(wrong, 0) << type.suffix << (inRegisters ? " registers" : "");
    }
}
