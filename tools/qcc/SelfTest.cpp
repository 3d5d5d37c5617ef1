//===- SelfTest.cpp - Digests of runs in an artifact ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler runs what it has compiled in a child process: a loop whose data
// decide the number of iterations may never end.
//
//===----------------------------------------------------------------------===//

#include "common/SelfTest.h"

#include "Driver.h"
#include "common/Child.h"
#include "qcc/Runtime/Module.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::driver;

namespace {
/// What the child has found, as it writes it: a line "test ENTRY SEED LIMIT
/// DIGEST SIZES..." for each test, and lines "note TEXT".
struct Findings {
  std::vector<rt::SelfTest> tests;
  std::vector<std::string> notes;
  bool isEnded = false; ///< From outside, or since the time was over.
};

struct Limits {
  int seconds;    ///< for all runs
  uint64_t bytes; ///< of the inputs of one run
};
} // namespace

static std::string printTest(const rt::SelfTest &test) {
  std::ostringstream line;
  line << "test " << test.entry << ' ' << test.seed << ' ' << test.integerLimit
       << ' ' << test.digest;
  for (int64_t size : test.sizes)
    line << ' ' << size;
  return line.str() + "\n";
}

/// Reads complete lines.
static Findings parseFindings(llvm::StringRef text) {
  Findings findings;
  while (text.contains('\n')) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line.consume_front("note ")) {
      findings.notes.push_back(line.str());
      continue;
    }
    if (!line.consume_front("test "))
      continue;
    std::istringstream words(line.str());
    rt::SelfTest test;
    words >> test.entry >> test.seed >> test.integerLimit >> test.digest;
    for (int64_t size; words >> size;)
      test.sizes.push_back(size);
    findings.tests.push_back(std::move(test));
  }
  return findings;
}

/// What the child does.
static int runChild(const tools::ModulePtr &module, uint64_t mostBytes,
                    int output) {
  auto writeLine = [&](const std::string &line) {
    if (write(output, line.data(), line.size()) != ssize_t(line.size()))
      _exit(1);
  };
  tools::makeSelfTests(
      module, mostBytes,
      [&](const rt::SelfTest &test) { writeLine(printTest(test)); },
      [&](std::string note) {
        std::replace(note.begin(), note.end(), '\n', ' ');
        writeLine("note " + note + "\n");
      });
  return 0;
}

/// Reads until the writer ends, or the time is over, which it returns then.
static bool readUntil(std::chrono::steady_clock::time_point end, int input,
                      std::string &text) {
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd file = {input, POLLIN, 0};
    if (left.count() <= 0)
      return true;
    if (poll(&file, 1, int(left.count())) <= 0)
      continue;
    if (!tools::readAvailable(input, text))
      return false;
  }
}

/// Runs a module in a child, within limits.
static rt::Result<Findings> runInChild(const tools::ModulePtr &module,
                                       const Limits &limits) {
  rt::Result<tools::Child> child =
      tools::Child::start(tools::Child::Prints::Nowhere, [&](int, int output) {
        return runChild(module, limits.bytes, output);
      });
  if (!child.isOk())
    return child.status();
  std::string text;
  bool isLate = readUntil(std::chrono::steady_clock::now() +
                              std::chrono::seconds(limits.seconds),
                          child->output(), text);
  int state = isLate ? child->kill() : child->wait();
  Findings findings = parseFindings(text);
  findings.isEnded = isLate || state != 0;
  if (isLate)
    findings.notes.push_back("runs for self-tests took longer than " +
                             std::to_string(limits.seconds) +
                             " s, so others get no digest; --no-self-test "
                             "compiles without such runs");
  else if (WIFSIGNALED(state) && WTERMSIG(state) != SIGKILL)
    return rt::internalError(
        "the compiled program crashed by signal " +
        std::to_string(WTERMSIG(state)) +
        " in a run for self-tests; this is a bug of qcc, "
        "please report it with the program; --no-self-test "
        "compiles without such runs");
  else if (state != 0)
    findings.notes.push_back("a run for self-tests was ended from outside; "
                             "the others get no digest");
  return findings;
}

/// What the host can run of the program: a variant of the artifact, or the
/// program compiled again for the host.
static Reported<tools::ModulePtr> loadForHost(const ProgramOptions &program,
                                              const Artifact &artifact) {
  rt::ModuleOptions options;
  options.weightPages = rt::WeightPages::File;
  auto module = rt::Module::load(artifact.data(), artifact.size(), options);
  if (module.isOk())
    return *module;
  if (module.status().code() != rt::StatusCode::Unsupported)
    return reportStatus(module.status());
  if (program.input == "-")
    return reportError(tools::ExitUsage,
                       "'--self-test' compiles the program for this machine "
                       "as well, but the standard input is read once; give a "
                       "file");
  ProgramOptions forHost = program;
  forHost.target = "x86";
  forHost.mcpu = "native";
  forHost.emitsCubin = false;
  Session session(std::move(forHost));
  if (ExitCode code = session.load())
    return code;
  return compileAndLoad(session, options);
}

Reported<std::vector<rt::SelfTest>>
driver::makeSelfTests(const ProgramOptions &program, SelfTestUse use,
                      const Artifact &artifact) {
  std::vector<rt::SelfTest> none;
  // For another machine, the program would be compiled twice.
  bool isForHost = program.mcpu == "native" && program.target == "x86";
  if (use == SelfTestUse::Never || (use == SelfTestUse::Auto && !isForHost))
    return none;
  auto module = loadForHost(program, artifact);
  if (!module)
    return module.code();
  // What nobody asked for must not be felt.
  constexpr Limits shortRuns = {5, 64 << 20}, longRuns = {600, UINT64_MAX};
  rt::Result<Findings> findings =
      runInChild(*module, use == SelfTestUse::Auto ? shortRuns : longRuns);
  if (!findings.isOk())
    return reportStatus(findings.status());
  if (use == SelfTestUse::Always || findings->isEnded)
    for (const std::string &note : findings->notes)
      reportWarning(note);
  return std::move(findings->tests);
}
