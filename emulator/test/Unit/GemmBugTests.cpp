//===- GemmBugTests.cpp - Bugs planted into the GEMM prototype ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One change of the text of gemm-small.ptx, or of its launch, at a time. Each
// must give a report of the right kind at the right instruction for every seed,
// or wrong results where no rule of memory is broken.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <functional>
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace qcc::emu;

namespace {

/// Which lines to change: a regular expression, which of its matches (0: all),
/// and what replaces it.
struct Edit {
  const char *pattern;
  int which;
  const char *replacement;
};

struct GemmBug {
  const char *name;
  std::vector<Edit> edits;
  /// Kinds that reports have, and a regular expression of their instructions.
  /// No kinds: no reports, but wrong results.
  std::set<std::string> kinds;
  const char *instructions = "";
  /// Changes the launch instead.
  std::function<void(test::Gemm &)> launch = nullptr;
};

const char *const ldmatrix = "(@%p1 )?ldmatrix.*",
                  *const copy = "cp\\.async\\.cg.*",
                  *const copyOrLoad = "(@%p1 )?(ldmatrix|cp\\.async).*",
                  *const store = "st\\.global.*",
                  *const barrier = "(@%p1 )?bar\\.sync.*";
const char *const wait = "cp\\.async\\.wait_group.*",
                  *const commit = "cp\\.async\\.commit_group;";

const GemmBug gemmBugs[] = {
    // Waiting.
    {"removed_barrier",
     {{"bar\\.sync.*", 1, ""}},
     {"race", "async-race"},
     copyOrLoad},
    {"removed_wait", {{wait, 1, ""}}, {"async-race"}, copyOrLoad},
    {"wait_for_one_group_less",
     {{"(wait_group\\s+)1", 1, "$012"}},
     {"async-race"},
     ldmatrix},
    {"wait_after_barrier",
     {{wait, 1, "bar.sync 0;"},
      {"bar\\.sync\\s.*", 2, "cp.async.wait_group 1;"}},
     {"race", "async-race"},
     copyOrLoad},
    {"removed_first_commit", {{commit, 1, ""}}, {"async-race"}, ldmatrix},
    {"removed_second_commit", {{commit, 2, ""}}, {"async-race"}, ldmatrix},
    {"removed_commit_in_loop", {{commit, 3, ""}}, {"async-race"}, copyOrLoad},
    {"barrier_of_some_lanes",
     {{"(bar\\.sync\\s+0;)", 1, "setp.ne.u32 %p1, %r1, 5; @%p1 $01"}},
     {"barrier-divergence"},
     barrier},
    {"barrier_of_one_warp",
     {{"(bar\\.sync\\s+0;)", 1, "setp.lt.u32 %p1, %r1, 32; @%p1 $01"}},
     {"race", "async-race"},
     copyOrLoad},
    {"barrier_of_more_warps",
     {{"bar\\.sync\\s+0;", 1, "bar.sync 0, 96;"}},
     {"barrier-misuse"},
     barrier},
    {"ldmatrix_of_some_lanes",
     {{"(ldmatrix.*\\[%rd124\\];)", 1, "setp.ne.u32 %p1, %r1, 5; @%p1 $01"}},
     {"warp-divergence"},
     ldmatrix},
    // Stages.
    {"copies_into_stage_in_flight",
     {{"mov\\.b64(\\s+%rd147), 2", 1, "mov.b64$01, 1"}},
     {"async-race", "race"},
     copyOrLoad},
    {"copies_into_stage_being_read",
     {{"mov\\.b64(\\s+%rd147), 2", 1, "mov.b64$01, 0"}},
     {"async-race", "race"},
     copyOrLoad},
    {"reads_one_stage_too_many",
     {{"(%p2, %rd132), 3", 1, "$01, 4"}},
     {"out-of-bounds", "async-race", "race"},
     copyOrLoad},
    {"writes_one_stage_too_many",
     {{"(%p3, %rd133), 3", 1, "$01, 4"}},
     {"out-of-bounds", "async-race", "race"},
     copyOrLoad},
    {"stage_not_copied",
     {{"cp\\.async\\.cg.*\\[%rd67\\+4096\\].*", 1, ""}},
     {"uninitialized-read"},
     ldmatrix},
    // Bounds and alignment.
    {"copies_past_the_end_of_rows",
     {{"(%p1, %rd146), 511", 1, "$01, 512"}},
     {"out-of-bounds"},
     copy},
    {"matrix_at_8_bytes",
     {{"(ldmatrix.*)\\+12544", 1, "$01+12552"}},
     {"misaligned"},
     ldmatrix},
    {"stores_in_other_tiles",
     {{"(st\\.global.*)\\+1024", 1, "$01+1040"}},
     {"race", "out-of-bounds"},
     store},
    {"stores_past_the_end",
     {{"(st\\.global.*)\\+3072", 1, "$01+8192"}},
     {"out-of-bounds", "race"},
     store},
    {"less_shared_memory",
     {},
     {"out-of-bounds"},
     copyOrLoad,
     [](test::Gemm &gemm) { gemm.config.dynamicShared -= 4096; }},
    {"unaligned_argument",
     {},
     {"misaligned"},
     copy,
     [](test::Gemm &gemm) { gemm.offsetOfA = 4; }},
    {"output_too_small",
     {},
     {"out-of-bounds"},
     store,
     [](test::Gemm &gemm) { gemm.outputBytes -= gemm.n; }},
    {"grid_too_large",
     {},
     {"out-of-bounds"},
     "(cp\\.async|ld\\.global|st\\.global).*",
     [](test::Gemm &gemm) { gemm.config.grid.y = 3; }},
    // Wrong numbers.
    {"one_round_too_many", {{"(%p4, %rd134), 448", 1, "$01, 512"}}, {}},
    {"one_round_too_few", {{"(%p4, %rd134), 448", 1, "$01, 384"}}, {}},
    {"wrong_swizzle",
     {{"xor\\.b64(\\s+%rd\\d+, %rd\\d+, )16;", 1, "xor.b64$0132;"}},
     {}},
    {"wrong_matrix", {{"(ldmatrix.*)\\+12544", 1, "$01+12800"}}, {}},
    {"wrong_sign", {{"s32\\.s8\\.s8\\.s32", 0, "s32.u8.s8.s32"}}, {}},
    {"wrong_row_stored", {{"(st\\.global.*)\\+1024", 1, "$01+2048"}}, {}},
};

test::Gemm smallGemm() {
  return test::Gemm(128, 128, 512, Dim3{2, 2, 1}, 64, 24576);
}

/// The text with the changes, the number of lines as before.
std::string mutate(const std::string &ptx, const GemmBug &bug) {
  std::vector<std::string> lines = test::splitLines(ptx);
  for (const Edit &edit : bug.edits) {
    std::regex pattern(edit.pattern);
    int matches = 0, changed = 0;
    for (std::string &line : lines) {
      if (line.find("//") == 0 || !std::regex_search(line, pattern) ||
          (++matches != edit.which && edit.which != 0))
        continue;
      line = std::regex_replace(line, pattern, edit.replacement);
      ++changed;
    }
    EXPECT_GT(changed, 0) << edit.pattern << " is not in the text";
  }
  return test::joinLines(lines);
}

void PrintTo(const GemmBug &bug, std::ostream *stream) { *stream << bug.name; }

class GemmBugTest : public testing::TestWithParam<GemmBug> {};

} // namespace

TEST_P(GemmBugTest, IsFound) {
  const GemmBug &bug = GetParam();
  std::string ptx = mutate(test::readInput("Inputs/gemm-small.ptx"), bug);
  std::vector<std::string> lines = test::splitLines(ptx);
  test::Gemm gemm = smallGemm();
  if (bug.launch)
    bug.launch(gemm);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    LaunchOptions options;
    options.seed = seed;
    options.maxInstructions = 10000000;
    test::Gemm::Outcome outcome = gemm.run(ptx, options);
    ASSERT_EQ(outcome.failure, "");
    const std::vector<Report> &reports = outcome.result.reports;
    if (bug.kinds.empty()) {
      EXPECT_TRUE(reports.empty()) << test::describe(reports);
      EXPECT_NE(outcome.output, gemm.expected());
      continue;
    }
    EXPECT_FALSE(reports.empty()) << "nothing was found, seed " << seed;
    bool isNamed = false;
    for (const Report &report : reports) {
      // What follows from the bug, such as reading what was not copied, may be
      // reported too; the bug itself must be.
      bool isKind =
          bug.kinds.count(std::string(reportKindName(report.kind))) != 0;
      isNamed |= isKind && std::regex_match(report.location.instruction,
                                            std::regex(bug.instructions));
      ASSERT_GT(report.location.line, 0);
      ASSERT_LE(report.location.line, int(lines.size()));
    }
    EXPECT_TRUE(isNamed) << "seed " << seed << "\n" << test::describe(reports);
  }
}

INSTANTIATE_TEST_SUITE_P(Gemm, GemmBugTest, testing::ValuesIn(gemmBugs),
                         [](const auto &info) { return info.param.name; });

// What all of these are changes of is right.
TEST(Gemm, SmallPrototypeIsExactAndSilent) {
  test::Gemm gemm = smallGemm();
  for (const char *file :
       {"Inputs/gemm-small.ptx", "Inputs/gemm-satfinite.ptx"})
    for (uint64_t seed = 0; seed < 10; ++seed) {
      LaunchOptions options;
      options.seed = seed;
      test::Gemm::Outcome outcome = gemm.run(test::readInput(file), options);
      ASSERT_EQ(outcome.failure, "");
      EXPECT_TRUE(outcome.result.reports.empty())
          << file << ", seed " << seed << "\n"
          << test::describe(outcome.result.reports);
      EXPECT_EQ(outcome.output, gemm.expected()) << file << ", seed " << seed;
    }
}

TEST(Gemm, PrototypeIsExactAndSilent) {
  struct {
    const char *file;
    test::Gemm gemm;
    uint64_t seeds;
  } const cases[] = {
      {"Inputs/gemm-256x256x512.ptx",
       test::Gemm(256, 256, 512, Dim3{1, 2, 1}, 256, 98304), 10},
      {"Inputs/gemm-512x512x512.ptx",
       test::Gemm(512, 512, 512, Dim3{2, 4, 1}, 256, 98304), 1},
  };
  for (const auto &[file, gemm, seeds] : cases)
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      LaunchOptions options;
      options.seed = seed;
      test::Gemm::Outcome outcome = gemm.run(test::readInput(file), options);
      ASSERT_EQ(outcome.failure, "");
      EXPECT_TRUE(outcome.result.reports.empty())
          << file << ", seed " << seed << "\n"
          << test::describe(outcome.result.reports);
      EXPECT_EQ(outcome.output, gemm.expected()) << file << ", seed " << seed;
    }
}
