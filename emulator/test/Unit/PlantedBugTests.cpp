//===- PlantedBugTests.cpp - Bugs that the checker must find --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each `// case:` of emulator/test/Bugs/*.ptx is two programs: the buggy one
// leaves out lines that say FIXED, the fixed one those that say BUGGY. Left-out
// lines stay empty, so that numbers of lines stay the same.
//
// For several seeds, the buggy program makes at least one report, and each of
// its reports is of a kind that its line names after REPORT; the fixed one
// makes none, and always has the same outputs. A case that says `differs` has
// no reports, but outputs that differ.
//
// A case gives the kernel's name, the launch (grid, block, shared, limit) and
// the arguments by name: buf[BYTES], buf[BYTES]+OFFSET or scalar=VALUE. With
// -buggy or -fixed after the name it holds for that program only. Buffers named
// `in` have random bytes, all others zeros.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace qcc::emu;

namespace {

struct BugArgument {
  bool isBuffer = false;
  uint64_t size = 0, value = 0; ///< Of a buffer: its offset.
};

struct BugCase {
  std::string file, kernel;
  bool differs = false;
  /// By name, of the buggy and the fixed program.
  std::map<std::string, BugArgument> settings[2];
};

enum Version { Buggy, Fixed };

/// "name[64]+1", "name=5", "name-buggy=5".
void parseSetting(BugCase &bug, const std::string &word) {
  size_t end = word.find_first_of("[=");
  ASSERT_NE(end, word.npos) << bug.kernel << ": " << word;
  std::string name = word.substr(0, end);
  bool forVersion[2] = {true, true};
  size_t dash = name.find('-');
  if (dash != name.npos) {
    std::string version = name.substr(dash + 1);
    ASSERT_TRUE(version == "buggy" || version == "fixed") << word;
    forVersion[version == "buggy" ? Fixed : Buggy] = false;
    name.resize(dash);
  }
  BugArgument argument;
  argument.isBuffer = word[end] == '[';
  if (argument.isBuffer) {
    argument.size = std::stoull(word.substr(end + 1));
    size_t plus = word.find('+', end);
    if (plus != word.npos)
      argument.value = std::stoull(word.substr(plus + 1));
  } else {
    argument.value = std::stoull(word.substr(end + 1));
  }
  for (Version version : {Buggy, Fixed})
    if (forVersion[version])
      bug.settings[version][name] = argument;
}

std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string word; stream >> word;)
    result.push_back(word);
  return result;
}

std::vector<BugCase> findCases() {
  std::vector<BugCase> cases;
  std::set<std::string> files;
  std::error_code error;
  for (auto &entry : std::filesystem::directory_iterator(
           std::string(QCC_TEST_EMULATOR_DIR) + "/Bugs", error))
    if (entry.path().extension() == ".ptx")
      files.insert(entry.path().filename().string());
  const std::string mark = "// case: ";
  for (const std::string &file : files)
    for (const std::string &line : qcc::emu::test::splitLines(
             qcc::emu::test::readInput("Bugs/" + file))) {
      if (line.compare(0, mark.size(), mark) != 0)
        continue;
      std::vector<std::string> parts = words(line.substr(mark.size()));
      BugCase bug;
      bug.file = file;
      bug.kernel = parts[0];
      for (size_t i = 1; i < parts.size(); ++i)
        if (parts[i] == "differs")
          bug.differs = true;
        else
          parseSetting(bug, parts[i]);
      cases.push_back(bug);
    }
  return cases;
}

/// The program of a version.
std::string programOf(const std::string &text, Version version) {
  std::vector<std::string> lines = test::splitLines(text);
  for (std::string &line : lines) {
    size_t comment = line.find("// ");
    if (comment == line.npos || comment == 0)
      continue;
    for (const std::string &word : words(line.substr(comment)))
      if (word == (version == Buggy ? "FIXED" : "BUGGY"))
        line.clear();
  }
  return test::joinLines(lines);
}

/// The kinds of report that each line allows.
std::map<int, std::set<std::string>> allowedReports(const std::string &ptx) {
  std::map<int, std::set<std::string>> allowed;
  std::vector<std::string> lines = test::splitLines(ptx);
  for (size_t i = 0; i < lines.size(); ++i) {
    size_t mark = lines[i].find(" REPORT ");
    if (mark == std::string::npos)
      continue;
    for (const std::string &kind : words(lines[i].substr(mark + 8)))
      allowed[int(i) + 1].insert(kind);
  }
  return allowed;
}

struct BugRun {
  std::vector<Report> reports;
  std::vector<uint8_t> outputs; ///< Of all buffers but `in`.
};

void run(const BugCase &bug, Version version, const std::string &ptx,
         uint64_t seed, BugRun &outcome) {
  Emulator emulator;
  auto module = emulator.loadModule(ptx, bug.file);
  ASSERT_TRUE(module.isOk()) << module.message();
  auto kernel = (*module)->kernel(bug.kernel);
  ASSERT_TRUE(kernel.isOk()) << kernel.message();

  std::map<std::string, BugArgument> settings = bug.settings[version];
  auto number = [&](const char *name, uint64_t value) {
    auto it = settings.find(name);
    return it == settings.end() ? value : it->second.value;
  };
  LaunchConfig config;
  config.grid = Dim3{int(number("grid", 1)), 1, 1};
  config.block = Dim3{int(number("block", 1)), 1, 1};
  config.dynamicShared = int64_t(number("shared", 0));
  LaunchOptions options;
  options.seed = seed;
  options.threads = 2;
  options.maxInstructions = int64_t(number("limit", 1000000));

  std::vector<Argument> arguments;
  std::vector<std::pair<DeviceAddress, uint64_t>> buffers;
  for (const ParameterInfo &parameter : (*kernel)->parameters()) {
    ASSERT_TRUE(settings.count(parameter.name))
        << "no argument for " << parameter.name;
    BugArgument argument = settings[parameter.name];
    uint64_t value = argument.value;
    if (argument.isBuffer) {
      auto address = emulator.allocate(int64_t(argument.size), parameter.name);
      ASSERT_TRUE(address.isOk()) << address.message();
      bool isInput = parameter.name == "in";
      std::vector<uint8_t> bytes(argument.size);
      if (isInput)
        bytes = test::randomBytes(argument.size, 1);
      ASSERT_TRUE(
          emulator.copyToDevice(*address, bytes.data(), bytes.size()).isOk());
      if (!isInput)
        buffers.push_back({*address, argument.size});
      value += *address;
    }
    std::vector<uint8_t> bytes(parameter.size);
    memcpy(bytes.data(), &value, bytes.size());
    arguments.push_back(Argument(bytes));
  }
  auto result = emulator.launch(**kernel, config, arguments, options);
  ASSERT_TRUE(result.isOk()) << result.message();
  outcome.reports = result->reports;
  for (auto [address, size] : buffers) {
    std::vector<uint8_t> bytes =
        test::download<uint8_t>(emulator, address, size);
    outcome.outputs.insert(outcome.outputs.end(), bytes.begin(), bytes.end());
  }
}

void PrintTo(const BugCase &bug, std::ostream *stream) {
  *stream << bug.file << ": " << bug.kernel;
}

class PlantedBug : public testing::TestWithParam<BugCase> {};

} // namespace

constexpr uint64_t numSeeds = 8;

TEST_P(PlantedBug, IsReportedAtItsLine) {
  const BugCase &bug = GetParam();
  std::string ptx = programOf(test::readInput("Bugs/" + bug.file), Buggy);
  std::vector<std::string> lines = test::splitLines(ptx);
  std::map<int, std::set<std::string>> allowed = allowedReports(ptx);
  std::string fixedPtx = programOf(test::readInput("Bugs/" + bug.file), Fixed);
  BugRun fixed;
  run(bug, Fixed, fixedPtx, 0, fixed);
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    BugRun buggy;
    run(bug, Buggy, ptx, seed, buggy);
    if (HasFatalFailure())
      return;
    if (bug.differs) {
      EXPECT_TRUE(buggy.reports.empty()) << test::describe(buggy.reports);
      EXPECT_NE(buggy.outputs, fixed.outputs);
      continue;
    }
    EXPECT_FALSE(buggy.reports.empty()) << "nothing was found, seed " << seed;
    for (const Report &report : buggy.reports) {
      std::string kind(reportKindName(report.kind));
      EXPECT_TRUE(allowed[report.location.line].count(kind))
          << "seed " << seed << ", not expected there:\n"
          << formatReport(report);
      EXPECT_EQ(report.kernel, bug.kernel);
      EXPECT_FALSE(report.message.empty());
      ASSERT_LE(report.location.line, int(lines.size()));
      if (report.location.line > 0) {
        EXPECT_NE(lines[report.location.line - 1].find(
                      words(report.location.instruction).front()),
                  std::string::npos)
            << report.location.instruction;
      }
    }
  }
}

TEST_P(PlantedBug, CorrectedTwinIsSilent) {
  const BugCase &bug = GetParam();
  std::string ptx = programOf(test::readInput("Bugs/" + bug.file), Fixed);
  std::vector<uint8_t> outputs;
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    BugRun fixed;
    run(bug, Fixed, ptx, seed, fixed);
    if (HasFatalFailure())
      return;
    EXPECT_TRUE(fixed.reports.empty()) << "seed " << seed << "\n"
                                       << test::describe(fixed.reports);
    if (seed == 0)
      outputs = fixed.outputs;
    EXPECT_EQ(fixed.outputs, outputs) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Bugs, PlantedBug, testing::ValuesIn(findCases()),
                         [](const auto &info) { return info.param.kernel; });

TEST(PlantedBugs, AreManyAndOfEveryKind) {
  std::vector<BugCase> cases = findCases();
  EXPECT_GE(cases.size(), 40u);
  std::set<std::string> kinds;
  for (const BugCase &bug : cases)
    for (auto &[line, allowed] :
         allowedReports(programOf(test::readInput("Bugs/" + bug.file), Buggy)))
      kinds.insert(allowed.begin(), allowed.end());
  for (int kind = 0; kind < numReportKinds; ++kind)
    EXPECT_TRUE(kinds.count(std::string(reportKindName(ReportKind(kind)))))
        << reportKindName(ReportKind(kind));
}
