//===- qcc-bench.cpp - Measures kernels against a peer --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Benchmarking.md says what is measured and how.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "Peer.h"
#include "Steps.h"
#include "common/Arguments.h"
#include "common/Files.h"
#include "common/Messages.h"
#include "qcc/Support/FileIO.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace qcc;
using namespace qcc::bench;

namespace {
struct CommandLine {
  std::string suite, isa = "best", dtype, peer = "onednn", filter, json;
  unsigned threads = 1, repetitions = 11;
  bool scaling = false, compileTime = false;
  std::vector<std::string> files;
};
} // namespace

static void addOptions(tools::Arguments &arguments, CommandLine &line) {
  arguments.text(
      "suite", "NAME|FILE.json|FILE.mlir",
      "Shapes to measure: gemm, small-m, odd, batched, threads, "
      "compile, conv, conv-odd, depthwise, or a file (default gemm); "
      "NAME-f32 is NAME with --dtype=f32. Or steps, beside a copy of as many "
      "bytes: memory, or a program",
      line.suite);
  arguments.text("isa", "NAME",
                 "Instruction set of both sides: amx-int8, avx512-vnni, "
                 "avx-vnni, avx512, avx2, or the best of the host (default)",
                 line.isa);
  arguments.text(
      "dtype", "s8|u8|f32",
      "Type of activations and results (default s8); weights are s8, "
      "or f32 beside f32",
      line.dtype);
  arguments.text("peer", "onednn|onednn-f32|none",
                 "What to compare with: oneDNN in int8, or in fp32; by default "
                 "in the type of activations",
                 line.peer);
  arguments.number("threads", "N", "Threads of both sides (default 1)", 1, 1024,
                   line.threads);
  arguments.flag("scaling", "Also measure qcc on one thread; print the speedup",
                 line.scaling);
  arguments.number("repetitions", "N",
                   "Rounds in which all take turns (default 11); 0 checks the "
                   "numbers and measures nothing",
                   0, 100000, line.repetitions);
  arguments.text("filter", "TEXT", "Only shapes whose names contain this text",
                 line.filter);
  arguments.text("json", "FILE", "Also write JSON", line.json);
  arguments.flag("compile-time",
                 "Measure how long it takes to compile the FILEs and all "
                 "shapes of the suite as one program",
                 line.compileTime);
  arguments.positionals("FILE.mlir", line.files);
  arguments.example("qcc-bench --suite=gemm --isa=avx512-vnni --dtype=s8");
  arguments.example("qcc-bench --suite=conv --dtype=u8 --filter=k3");
  arguments.example("qcc-bench --suite=gemm-f32");
  arguments.example("qcc-bench --suite=threads --threads=4 --scaling");
  arguments.example("qcc-bench --suite=memory --filter=pool");
  arguments.example("qcc-bench --compile-time model.mlir --json=times.json");
}

int bench::reportError(const llvm::Twine &message) {
  tools::printError("qcc-bench", message.str());
  return 1;
}

/// OpenMP reads its environment when it is loaded, so the program starts again
/// with one in which the peer's threads wait as busily as qcc's, and, unlike
/// with OMP_WAIT_POLICY=active, stop before the next candidate's turn.
static void restartForThreads(char **argv) {
  constexpr const char *kSpins = "GOMP_SPINCOUNT";
  if (getenv(kSpins))
    return;
  setenv(kSpins, "100000", /*overwrite=*/0);
  static int anchor;
  execv(llvm::sys::fs::getMainExecutable(argv[0], &anchor).c_str(), argv);
  // Where that fails, the peer runs as it would by default.
}

int bench::writeJson(const std::string &path, llvm::json::Object report) {
  rt::Status status = writeFile(
      path,
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report))).str());
  return status.isOk() ? 0 : reportError(status.message());
}

/// Checks the options and gathers them; reports what is wrong.
static std::optional<Options> makeOptions(const CommandLine &line) {
  auto fail = [](const llvm::Twine &message) {
    reportError(message);
    return std::nullopt;
  };
  Options options;
  options.isa = findIsa(line.isa, rt::HostFeatures::host());
  if (!options.isa)
    return fail("unknown --isa=" + line.isa + "; use best, " + isaNames());
  std::optional<DataType> type = dataTypeOf(line.dtype);
  if (!type)
    return fail("unknown --dtype=" + line.dtype + "; use s8, u8 or f32");
  options.type = *type;
  if (line.peer == "none")
    options.peer = PeerKind::None;
  else if (line.peer != "onednn" && line.peer != "onednn-f32")
    return fail("unknown --peer=" + line.peer +
                "; use onednn, onednn-f32 or none");
  else if (line.peer == "onednn-f32" || *type == DataType::F32)
    options.peer = PeerKind::OneDNNFloat;
  if (line.scaling && line.threads == 1)
    return fail("--scaling needs --threads=N with N above 1");
  if (!line.files.empty() && !line.compileTime)
    return fail("'" + line.files.front() + "': files are for --compile-time");
  options.threads = int(line.threads);
  options.rounds = int(line.repetitions);
  options.scaling = line.scaling;
  options.filter = line.filter;
  options.json = line.json;
  return options;
}

/// Makes the peer ready; without a peer, says so and goes on.
static std::string startPeer(Options &options) {
  if (options.peer == PeerKind::None)
    return "";
  if (peerVersion().empty()) {
    llvm::outs() << "no peer: qcc-bench was built without oneDNN "
                    "(libdnnl-dev); only qcc is measured\n";
    options.peer = PeerKind::None;
    return "";
  }
  std::string isa = setPeerIsa(options.isa->name.str());
  if (isa.empty()) {
    llvm::outs() << "no peer: " << peerVersion() << " cannot be limited to "
                 << options.isa->name << "; only qcc is measured\n";
    options.peer = PeerKind::None;
    return "";
  }
  setPeerThreads(options.threads);
  return isa;
}

static int runSuite(const Suite &suite, Options options) {
  std::string peerIsa = startPeer(options);
  Report report(suite, options, peerIsa, llvm::outs());
  report.printHeader();
  int failed = 0;
  bool any = false;
  for (const Shape &shape : suite.shapes) {
    if (shape.name().find(options.filter) == std::string::npos)
      continue;
    any = true;
    llvm::Expected<Row> row = runIsolated(shape, suite, options);
    if (row) {
      failed |= !row->peerCrash.empty();
      report.add(std::move(*row));
    } else {
      failed |=
          reportError(shape.name() + ": " + llvm::toString(row.takeError()));
    }
  }
  if (!any)
    return reportError("no shape of suite " + suite.name + " contains '" +
                       options.filter + "'");
  report.printSummary();
  if (!options.json.empty())
    failed |= writeJson(options.json, report.json());
  return failed;
}

/// Why options do not fit a suite of steps; empty if they do.
static std::string whyNotForSteps(const CommandLine &line) {
  if (!line.dtype.empty())
    return "--dtype: the programs have their types; leave out the option";
  if (line.scaling)
    return "--scaling is for shapes; leave out the option";
  if (line.compileTime)
    return "--compile-time is for shapes; give the programs as FILEs";
  return "";
}

/// Says what the host lacks for the instruction set; false if nothing.
static bool lacksIsa(const Isa &isa) {
  std::vector<std::string> missing =
      rt::HostFeatures::host().missing(isa.needs.str());
  if (!missing.empty())
    llvm::outs() << "nothing measured: " << isa.name << " needs "
                 << missing.front() << ", which this host lacks\n";
  return !missing.empty();
}

static int runStepSuite(const CommandLine &line, const std::string &path) {
  if (std::string reason = whyNotForSteps(line); !reason.empty())
    return reportError("--suite=" + line.suite + " with " + reason);
  CommandLine filled = line;
  filled.dtype = nameOfType(DataType::S8);
  std::optional<Options> options = makeOptions(filled);
  if (!options)
    return 1;
  tools::CommandFiles used;
  if (path == line.suite)
    used.reads(path, "read by --suite");
  used.writes(options->json, "--json=" + options->json);
  if (rt::Status status = used.check(); !status.isOk())
    return reportError(status.message());
  return lacksIsa(*options->isa) ? 0 : runSteps(path, *options);
}

/// Returns the exit code.
static int run(CommandLine line, char **argv) {
  if (!rt::HostFeatures::hostStatus().isOk())
    return reportError(rt::HostFeatures::hostStatus().message());
  std::string name = line.suite;
  if (name.empty())
    name = line.compileTime ? "compile" : "gemm";
  if (std::optional<std::string> path = findStepSuite(name))
    return runStepSuite(line, *path);
  // Suites are shapes, of whatever type.
  bool isOfFloats = llvm::StringRef(name).ends_with("-f32");
  if (isOfFloats) {
    name.resize(name.size() - strlen("-f32"));
    if (!line.dtype.empty() && line.dtype != "f32")
      return reportError("--suite=" + line.suite + " is for --dtype=f32, not " +
                         line.dtype);
  }
  if (line.dtype.empty())
    line.dtype = isOfFloats ? "f32" : "s8";
  std::optional<Options> options = makeOptions(line);
  if (!options)
    return 1;
  tools::CommandFiles used;
  if (llvm::StringRef(name).ends_with(".json"))
    used.reads(name, "read by --suite");
  for (const std::string &file : line.files)
    used.reads(file, "a program");
  used.writes(options->json, "--json=" + options->json);
  if (rt::Status status = used.check(); !status.isOk())
    return reportError(status.message());
  llvm::Expected<Suite> suite = Suite::load(name);
  if (!suite)
    return reportError(llvm::toString(suite.takeError()));

  if (lacksIsa(*options->isa))
    return 0;
  if (line.compileTime)
    return runCompileTime(line.files, *suite, *options);
  if (options->threads > 1 && options->peer != PeerKind::None)
    restartForThreads(argv);
  return runSuite(*suite, *options);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  tools::ignoreWriteSignals();
  llvm::WithColor::setAutoDetectFunction(
      [](const llvm::raw_ostream &) { return tools::hasColor(); });
  tools::Arguments arguments(
      "qcc-bench", "Measures kernels of qcc, of a peer and of the machine.");
  CommandLine line;
  addOptions(arguments, line);
  if (std::optional<int> code = arguments.answer(argc, argv, QCC_VERSION))
    return *code;
  int code = run(line, argv);
  rt::Status status = tools::flushStandardOutput(llvm::outs());
  return status.isOk() ? code : reportError(status.message());
}
