//===- qcc-fuzz.cpp - Random programs against the reference ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a program for each seed, compiles it, runs it on random data and
// compares each result with the reference interpreter, bit for bit. The exit
// code is 1 if a program differed, crashed or hung, and 2 if the options are
// wrong.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "Isolate.h"
#include "Print.h"
#include "Reduce.h"
#include "common/Arguments.h"
#include "common/Text.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/Support/CommandLine.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

using namespace qcc;
using namespace qcc::fuzz;

namespace {

struct Options {
  std::string seeds = "0:100", mcpu, plant, keep, emit;
  unsigned programsPerModule = 24, threads = 0, jobs = 2, timeout = 60;
  bool print = false, refusals = false, reduce = false;
};

struct Totals {
  unsigned programs = 0, runs = 0;
  unsigned ofKind[5] = {};
  std::map<std::string, std::vector<uint64_t>> refusals;
};

} // namespace

static int fail(const std::string &message) {
  fprintf(stderr, "qcc-fuzz: error: %s\n", message.c_str());
  return 2;
}

/// What the host can run of everything worth testing.
static std::vector<TargetRef> hostTargets() {
  std::vector<TargetRef> found;
  for (const char *name : {"x86-64-v3", "alderlake", "skylake-avx512",
                           "cascadelake", "native", "cascadelake+emulated-amx"})
    if (auto parsed = parseTargets(name, rt::HostFeatures::host().names())) {
      TargetRef &target = parsed->front();
      if (rt::HostFeatures::host().missing(target->requiredFeatures()).empty())
        found.push_back(std::move(target));
    } else {
      llvm::consumeError(parsed.takeError());
    }
  return found;
}

namespace {
/// The seeds from `begin` on, in steps, that are below `end`.
struct Seeds {
  uint64_t begin = 0, end = 0, step = 1;

  uint64_t count() const { return (end - begin + step - 1) / step; }
};
} // namespace

/// "A", "A:B" or "A:B:STEP"
static std::optional<Seeds> parseSeeds(const std::string &text) {
  std::vector<uint64_t> numbers;
  for (size_t at = 0; at <= text.size();) {
    size_t colon = std::min(text.find(':', at), text.size());
    auto number =
        tools::parseInteger(std::string_view(text).substr(at, colon - at));
    if (!number || *number < 0)
      return std::nullopt;
    numbers.push_back(*number);
    at = colon + 1;
  }
  if (numbers.size() > 3)
    return std::nullopt;
  Seeds seeds;
  seeds.begin = numbers[0];
  seeds.end = numbers.size() > 1 ? numbers[1] : seeds.begin + 1;
  if (numbers.size() > 2)
    seeds.step = numbers[2];
  if (seeds.end < seeds.begin || !seeds.step)
    return std::nullopt;
  return seeds;
}

static void report(const Options &options, Totals &totals, const Task &task,
                   const Subject &subject, const Verdict &verdict) {
  ++totals.programs;
  totals.runs += verdict.runs;
  ++totals.ofKind[verdict.kind];
  if (verdict.kind == Verdict::Same)
    return;
  if (verdict.kind == Verdict::Refused) {
    totals.refusals[withoutNumbers(verdict.message)].push_back(subject.seed);
    if (!options.refusals)
      return;
  } else {
    printf("seed %llu on %s %s: %s\n", (unsigned long long)subject.seed,
           task.options.target->getName().c_str(), spell(verdict.kind),
           verdict.message.c_str());
    fflush(stdout);
  }
  if (options.keep.empty())
    return;
  // The bug that was found; what is refused is one if it is asked for.
  Subject reduced = subject;
  Verdict why = verdict;
  if (options.reduce)
    reduced = reduce(std::move(reduced), why, task.options, options.timeout);
  else if (why.failingCase >= 0)
    reduced.cases = {subject.cases[why.failingCase]};
  rt::Status status = writeReproducer(options.keep, reduced, why, task.options,
                                      options.timeout);
  if (!status.isOk())
    fprintf(stderr, "qcc-fuzz: error: %s\n", status.message().c_str());
}

static void addArguments(tools::Arguments &arguments, Options &options) {
  arguments.text("seeds", "A:B:STEP",
                 "the programs of seeds A to B - 1, in steps (default: 1); "
                 "3:B:4 are those of the extended repertoire",
                 options.seeds);
  arguments.text("mcpu", "LIST",
                 "processors, and chips, which are emulated; all: each program "
                 "on every processor of the host (default: they take turns)",
                 options.mcpu);
  arguments.number("programs-per-module", "N", "compiled together", 1, 1000,
                   options.programsPerModule);
  arguments.number("threads", "N", "of each run (default: 1 to 3, at random)",
                   0, 64, options.threads);
  arguments.number("jobs", "N", "processes at a time", 1, 256, options.jobs);
  arguments.number("timeout", "SECONDS", "without progress", 1, 100000,
                   options.timeout);
  arguments.text("keep", "DIR", "write the programs that fail there",
                 options.keep);
  arguments.text("emit", "DIR",
                 "write graphs, inputs and results there, for other "
                 "interpreters",
                 options.emit);
  arguments.flag("reduce", "make them smaller first", options.reduce);
  arguments.flag("print", "print the programs and do nothing else",
                 options.print);
  arguments.flag("refusals",
                 "say what was refused and how often, and keep it too",
                 options.refusals);
  arguments.text("plant", "WHAT:OP",
                 "for tests: differ, crash or hang where a program has the op",
                 options.plant);
}

static void printPrograms(const Seeds &seeds) {
  for (uint64_t seed = seeds.begin; seed < seeds.end; seed += seeds.step)
    printf("// seed %llu\n%s", (unsigned long long)seed,
           moduleText({print(Subject::ofSeed(seed).graph)}).c_str());
}

static bool parsePlant(const std::string &text, BatchOptions &batch) {
  if (text.empty())
    return true;
  size_t colon = text.find(':');
  std::string what = text.substr(0, colon);
  if (colon == std::string::npos ||
      (what != "differ" && what != "crash" && what != "hang"))
    return false;
  batch.plant = Plant{what, text.substr(colon + 1)};
  return true;
}

namespace {
/// A seed, and how its program is compiled.
struct Work {
  size_t target;
  Effort effort;
  uint64_t seed;

  bool sharesModuleWith(const Work &other) const {
    return target == other.target && effort == other.effort;
  }
};
} // namespace

/// LLVM optimizes one in so many of the programs of each target as it does for
/// users. Most of the time goes into that.
constexpr uint64_t kFullEffortShare = 4;

/// All that there is to do, ordered such that programs of one module follow
/// each other. How a program is compiled depends on its seed alone.
static std::vector<Work> orderWork(const Seeds &seeds, size_t targets,
                                   bool rotate, unsigned perModule) {
  std::vector<Work> work;
  for (uint64_t seed = seeds.begin; seed < seeds.end; seed += seeds.step)
    for (size_t target = 0; target < targets; ++target)
      if (!rotate || turnOf(seed) % targets == target)
        work.push_back({target,
                        turnOf(seed) / targets % kFullEffortShare
                            ? Effort::Little
                            : Effort::Full,
                        seed});
  uint64_t block = uint64_t(perModule) * targets * kFullEffortShare;
  std::stable_sort(work.begin(), work.end(), [&](const Work &a, const Work &b) {
    auto key = [&](const Work &one) {
      return std::make_tuple((one.seed - seeds.begin) / seeds.step / block,
                             one.target, one.effort);
    };
    return key(a) < key(b);
  });
  return work;
}

/// The programs from `at` on that share a module.
static Task takeTask(const std::vector<Work> &work, size_t &at,
                     const std::vector<TargetRef> &targets,
                     const BatchOptions &options, unsigned perModule) {
  Task task;
  task.options = options;
  const Work &first = work[at];
  task.options.target = targets[first.target];
  task.options.effort = first.effort;
  while (at < work.size() && work[at].sharesModuleWith(first) &&
         task.subjects.size() < perModule)
    task.subjects.push_back(Subject::ofSeed(work[at++].seed));
  return task;
}

static void printRefusals(const Totals &totals) {
  std::vector<std::pair<size_t, std::string>> sorted;
  for (const auto &[message, seeds] : totals.refusals)
    sorted.push_back({seeds.size(), message + " (seed " +
                                        std::to_string(seeds.front()) + ")"});
  std::sort(sorted.rbegin(), sorted.rend());
  for (const auto &[count, message] : sorted)
    printf("%6zu refused: %s\n", count, message.c_str());
}

static std::error_code makeFolder(const std::string &folder) {
  std::error_code error;
  if (!folder.empty())
    std::filesystem::create_directories(folder, error);
  return error;
}

int main(int argc, char **argv) {
  const char *llvmOptions[] = {"qcc-fuzz", "-fast-isel=false"}; // see Effort.h
  llvm::cl::ParseCommandLineOptions(2, llvmOptions);
  Options options;
  tools::Arguments arguments("qcc-fuzz",
                             "Compares random programs with the reference.");
  addArguments(arguments, options);
  if (std::optional<tools::ExitCode> code = arguments.answer(argc, argv, ""))
    return *code;

  std::optional<Seeds> seeds = parseSeeds(options.seeds);
  if (!seeds)
    return fail("'--seeds=" + options.seeds +
                "' must be A, A:B or A:B:STEP with A <= B and STEP >= 1");
  if (options.print) {
    printPrograms(*seeds);
    return 0;
  }
  std::vector<TargetRef> targets;
  bool rotate = options.mcpu.empty();
  if (rotate || options.mcpu == "all") {
    targets = hostTargets();
  } else {
    auto parsed = parseTargets(options.mcpu, rt::HostFeatures::host().names());
    if (!parsed)
      return fail(llvm::toString(parsed.takeError()));
    targets = std::move(*parsed);
  }
  if (options.reduce && options.keep.empty())
    return fail("--reduce needs --keep=DIR, where it writes");
  if (std::error_code error = makeFolder(options.keep))
    return fail("the folder '--keep=" + options.keep +
                "' cannot be made: " + error.message());
  if (targets.empty())
    return fail("the host can run none of the processors");

  BatchOptions batch;
  batch.threads = options.threads;
  batch.emit = options.emit;
  if (!parsePlant(options.plant, batch))
    return fail("'--plant=" + options.plant +
                "' must be differ:OP, crash:OP or hang:OP");
  std::vector<Work> work =
      orderWork(*seeds, targets.size(), rotate, options.programsPerModule);

  Totals totals;
  size_t at = 0;
  auto nextTask = [&]() -> std::optional<Task> {
    if (at == work.size())
      return std::nullopt;
    return takeTask(work, at, targets, batch, options.programsPerModule);
  };
  auto start = std::chrono::steady_clock::now();
  runIsolated(
      nextTask, {options.jobs, options.timeout},
      [&](const Task &task, const Subject &subject, const Verdict &verdict) {
        report(options, totals, task, subject, verdict);
      });
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (options.refusals)
    printRefusals(totals);
  unsigned crashed =
      totals.ofKind[Verdict::Crashed] + totals.ofKind[Verdict::Hung];
  printf(
      "%llu seeds, %u programs, %u runs, %u differ, %u refused, %u crashed\n",
      (unsigned long long)seeds->count(), totals.programs, totals.runs,
      totals.ofKind[Verdict::Differs], totals.ofKind[Verdict::Refused],
      crashed);
  fprintf(stderr, "%.1f s, %.1f seeds/s\n", seconds,
          static_cast<double>(seeds->count()) / seconds);
  return totals.ofKind[Verdict::Differs] || crashed ? 1 : 0;
}
