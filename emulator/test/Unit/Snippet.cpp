//===- Snippet.cpp - Small kernels in tests -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace qcc::emu::test {

static std::string head(const std::string &chip, const std::string &module) {
  return ".version 8.8\n.target " + chip + "\n.address_size 64\n" + module +
         R"(
.visible .entry kernel(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<20>;
  .reg .b16 %rs<40>;
  .reg .b32 %r<80>;
  .reg .b64 %rd<60>;
  .reg .f32 %f<40>;
  .reg .f64 %fd<20>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r2, %r3, %r4, %r1;
  mad.wide.u32 %rd3, %r2, 4, %rd1;
)";
}

std::string Snippet::text() const {
  return head(chip, module) + body + "\n  ret;\n}\n";
}

int Snippet::firstLine() const {
  std::string before = head(chip, module);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

uint32_t Snippet::Outcome::word(int i) const {
  uint32_t value;
  memcpy(&value, &bytes[4 * i], sizeof(value));
  return value;
}
uint64_t Snippet::Outcome::wide(int i) const {
  uint64_t value;
  memcpy(&value, &bytes[8 * i], sizeof(value));
  return value;
}

std::string Snippet::Outcome::kinds() const {
  std::string text;
  for (const Report &report : reports)
    text +=
        (text.empty() ? "" : " ") + std::string(reportKindName(report.kind));
  return text;
}

Snippet::Outcome Snippet::run() const {
  Outcome outcome;
  auto fail = [&](const rt::Status &status) {
    outcome.failure = status.message();
    return outcome;
  };
  Emulator emulator;
  auto module = emulator.loadModule(text(), "test.ptx");
  if (!module.isOk())
    return fail(module.status());
  auto kernel = (*module)->kernel("kernel");
  auto out = emulator.allocate(outBytes, "out");
  auto input = emulator.allocate(static_cast<int64_t>(in.size()), "in");
  if (!kernel.isOk() || !out.isOk() || !input.isOk())
    return fail(rt::internalError("no kernel or no memory"));
  rt::Status status = emulator.copyToDevice(*input, in.data(), in.size());
  if (status.isOk())
    status = emulator.copyToDevice(*out, std::vector<uint8_t>(outBytes).data(),
                                   outBytes);
  LaunchConfig config;
  config.grid = grid;
  config.block = block;
  config.dynamicShared = shared;
  config.cluster = cluster;
  auto result = emulator.launch(**kernel, config, {*out, *input}, options);
  if (!status.isOk() || !result.isOk())
    return fail(result.status());
  outcome.reports = std::move(result->reports);
  outcome.counters = std::move(result->counters);
  outcome.bytes.resize(outBytes);
  status = emulator.copyToHost(outcome.bytes.data(), *out, outBytes);
  return status.isOk() ? outcome : fail(status);
}

Report onlyReport(const Snippet &snippet) {
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.reports.size(), 1u) << outcome.kinds();
  return outcome.reports.empty() ? Report() : outcome.reports[0];
}

void expectNone(const Snippet &snippet) {
  Snippet::Outcome outcome = snippet.run();
  EXPECT_EQ(outcome.failure, "");
  for (const Report &report : outcome.reports)
    ADD_FAILURE() << formatReport(report);
}

Snippet::Outcome outcomeOfAllSeeds(Snippet snippet) {
  constexpr uint64_t numSeeds = 8;
  Snippet::Outcome first;
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    snippet.options.seed = seed;
    Snippet::Outcome outcome = snippet.run();
    EXPECT_EQ(outcome.failure, "");
    for (const Report &report : outcome.reports)
      ADD_FAILURE() << "seed " << seed << "\n" << formatReport(report);
    if (seed == 0)
      first = std::move(outcome);
    else
      EXPECT_EQ(outcome.bytes, first.bytes) << "seed " << seed;
  }
  return first;
}

} // namespace qcc::emu::test
