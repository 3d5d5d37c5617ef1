//===- Tune.cpp - qcc tune ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contractions of an entry, each once, are measured as programs of their
// own, in the ways that the cost model finds worth a try. What is found goes
// into the database after each of them.
//
//===----------------------------------------------------------------------===//

#include "TuneKernel.h"
#include "common/Text.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Tuning/EntrySizes.h"
#include "qcc/Tuning/KernelKey.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <cmath>
#include <map>

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

namespace {
/// A line for each kernel on the standard error. On a terminal it is rewritten
/// as the work goes on; elsewhere it is printed once it is done.
class ProgressLine {
public:
  explicit ProgressLine(std::string head)
      : head(std::move(head)),
        isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

  void update(const std::string &text) {
    if (!isTerminal)
      return;
    std::string line = head + ": " + text;
    // A line that wraps could not be rewritten.
    unsigned columns = llvm::sys::Process::StandardErrColumns();
    if (columns > 0 && line.size() >= columns)
      line.resize(columns - 1);
    fprintf(stderr, "\r\x1b[K%s", line.c_str());
  }
  void finish(const std::string &text) {
    fprintf(stderr, "%s%s: %s\n", isTerminal ? "\r\x1b[K" : "", head.c_str(),
            text.c_str());
  }

private:
  std::string head;
  bool isTerminal;
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// A contraction of the entry, and how it is measured.
struct Kernel {
  kernel::ContractOp op;
  TuningKey key;
  std::string layer;
  std::string measuredShape;
  std::vector<std::vector<int64_t>> shapes; ///< of its arguments
  std::string skipped;                      ///< why it is not measured
  int64_t elements = 0;
};
} // namespace

/// "avx512vnni vector_tiles tile 6x64x4 block 252x64 lhs in place"
static std::string describe(kernel::LoweringConfigAttrInterface config) {
  return config.getAtomName().str() + " " + config.describe();
}

static std::string layerOf(Operation *op) {
  Location loc = op->getLoc();
  return (isFormOfLayer(loc) ? valueInfo(loc).layer : layerName(loc)).str();
}

/// Fills in sizes, or says why that is not possible.
static void findShapes(Kernel &kernel, const EntrySizes &sizes) {
  auto extracted = extractKernel(kernel.op);
  if (!extracted) {
    kernel.skipped = llvm::toString(extracted.takeError());
    return;
  }
  auto out = sizes.shapeOf(kernel.op.getOuts().front());
  for (Value argument : extracted->arguments) {
    auto shape = sizes.shapeOf(argument);
    if (!shape || !out) {
      kernel.skipped = "its sizes depend on more than those of the arguments";
      return;
    }
    kernel.shapes.push_back(std::move(*shape));
  }
  kernel.measuredShape = shapeOf(kernel.op, *out);
  kernel.elements = 1;
  for (int64_t size : *out)
    kernel.elements *= size;
  if (kernel.elements == 0)
    kernel.skipped = "it has no elements; give larger sizes with --dim=N";
}

/// The kernels of an entry whose config no program pins, each kind once: with
/// the most work, where dynamic sizes differ.
static std::vector<Kernel> collectKernels(func::FuncOp entry,
                                          const EntrySizes &sizes,
                                          const Target &target) {
  std::vector<Kernel> kernels;
  std::map<TuningKey, size_t> known;
  entry.walk([&](kernel::ContractOp op) {
    if (op.getLoweringConfig())
      return;
    Kernel kernel;
    kernel.op = op;
    annotateRhsRange(op, target);
    kernel.key = keyOf(op, target);
    kernel.layer = layerOf(op);
    findShapes(kernel, sizes);
    auto [place, isNew] = known.try_emplace(kernel.key, kernels.size());
    if (isNew)
      kernels.push_back(std::move(kernel));
    else if (kernel.elements > kernels[place->second].elements)
      kernels[place->second] = std::move(kernel);
  });
  return kernels;
}

/// The model's choice, what the database has, and other candidates.
static SmallVector<kernel::LoweringConfigAttrInterface>
listConfigs(const Kernel &kernel, const Target &target,
            const TunedConfig &tuned, unsigned most) {
  SmallVector<kernel::LoweringConfigAttrInterface> configs;
  auto add = [&](kernel::LoweringConfigAttrInterface config) {
    if (configs.size() < most && !llvm::is_contained(configs, config))
      configs.push_back(config);
  };
  for (auto [i, config] :
       llvm::enumerate(candidateConfigs(kernel.op, target, most))) {
    add(config);
    if (i == 0 && tuned.config)
      add(tuned.config);
  }
  return configs;
}

/// Prints the candidates of kernels, with what an entry of the database has.
static int printCandidates(ArrayRef<Kernel> kernels, const Target &target,
                           unsigned most) {
  llvm::json::Array all;
  for (const Kernel &kernel : kernels) {
    llvm::json::Array candidates;
    for (kernel::LoweringConfigAttrInterface config :
         candidateConfigs(kernel.op, target, most)) {
      const Strategy *strategy = target.strategyOf(config);
      assert(strategy && "a strategy has proposed the config");
      candidates.push_back(
          llvm::json::Object{{"config", printConfig(config)},
                             {"describe", describe(config)},
                             {"cost", strategy->cost(kernel.op, config).time}});
    }
    all.push_back(llvm::json::Object{{"target", kernel.key.target},
                                     {"shape", kernel.key.shape},
                                     {"kernel", kernel.key.kernel},
                                     {"about", aboutKernel(kernel.op)},
                                     {"layer", kernel.layer},
                                     {"candidates", std::move(candidates)}});
  }
  llvm::outs() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
  return 0;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// Why a device cannot measure kernels for a target; empty if it can.
static std::string refuseDevice(const Target &target,
                                const rt::Device *device) {
  if (!device)
    return "target '" + target.getName() +
           "' is a device; say --device=cuda to measure on a GPU, or "
           "--device=emulator to rank configs by its model of times";
  if (!target.isDevice())
    return "target '" + target.getName() + "' is none of device " +
           device->name() + "; leave out --device, or say --target=cuda";
  int architecture = 0;
  if (!StringRef(target.requiredFeatures())
           .drop_front(strlen("sm_"))
           .getAsInteger(10, architecture) &&
      architecture > device->architecture())
    return "device " + device->name() + " runs no code for '" +
           target.getName() + "'; name an earlier chip with --mcpu, or none";
  return "";
}

/// Why kernels for a target cannot be measured; empty if they can.
static std::string refuseTarget(const Target &target,
                                const rt::Device *device) {
  if (std::string reason = target.refuseMeasuring(); !reason.empty())
    return reason;
  if (device || target.isDevice())
    return refuseDevice(target, device);
  std::vector<std::string> missing =
      rt::HostFeatures::host().missing(target.requiredFeatures());
  if (missing.empty())
    return "";
  return "kernels for '" + target.getName() +
         "' cannot be measured here: the host lacks " +
         llvm::join(missing, ", ") + "; tune on such a host, or for native";
}

/// What is in the file already; reports what is no database, so that it is not
/// overwritten.
static Reported<TuningDatabase> readDatabase(const std::string &path) {
  rt::Result<TuningDatabase> database = TuningDatabase::read(path);
  if (!database.isOk() && database.status().code() == rt::StatusCode::NotFound)
    return TuningDatabase();
  if (!database.isOk())
    return reportError(tools::ExitRejected,
                       database.message() + "; name another file with --db");
  for (const std::string &problem : database->problems)
    reportWarning(problem);
  return *std::move(database);
}

/// The shapes of what the entry is given; reports failures.
static Reported<std::vector<std::vector<int64_t>>>
shapesOfInputs(func::FuncOp entry, const tools::InputSources &sources) {
  auto specs = driver::specsOf(entry);
  if (!specs)
    return specs.code();
  auto inputs = tools::makeInputs(*specs, sources, entry.getName().str());
  if (!inputs.isOk())
    return reportStatus(inputs.status());
  std::vector<std::vector<int64_t>> shapes;
  for (const HostTensor &input : *inputs)
    shapes.push_back(input.shape());
  return shapes;
}

namespace {
class Tuner {
public:
  Tuner(Session &session, const TuneOptions &options, TuningDatabase database,
        std::shared_ptr<rt::Device> device,
        std::shared_ptr<tools::LaunchLog> launches)
      : session(session), options(options), database(std::move(database)),
        device(std::move(device)), launches(std::move(launches)) {}

  /// Returns the exit code.
  int run(std::vector<Kernel> kernels);

private:
  /// Returns the exit code if going on makes no sense.
  ExitCode tune(const Kernel &kernel, ProgressLine &line);

  Session &session;
  const TuneOptions &options;
  TuningDatabase database;
  std::shared_ptr<rt::Device> device;
  std::shared_ptr<tools::LaunchLog> launches; ///< of the emulator
  unsigned faster = 0, unchanged = 0, skipped = 0, refused = 0;
  double logGains = 0; // of those that are faster
};
} // namespace

ExitCode Tuner::tune(const Kernel &kernel, ProgressLine &line) {
  const Target &target = *session.compiler().getTarget();
  std::string why = kernel.skipped;
  TunedConfig tuned = findTunedConfig(kernel.op, target, database);
  if (tuned.config && tuned.config.getSource() == kernel::ConfigSource::Pinned)
    why = "pinned in the database";
  if (!why.empty()) {
    ++skipped;
    line.finish("skipped: " + why);
    return tools::ExitSuccess;
  }
  TuneRequest request{kernel.op,       kernel.shapes, {},
                      options.threads, device,        launches};
  auto configs = listConfigs(kernel, target, tuned, options.candidates);
  for (kernel::LoweringConfigAttrInterface config : configs)
    request.configs.push_back(printConfig(config));
  auto outcome = tuneKernel(
      session, request, [&](const std::string &text) { line.update(text); });
  if (!outcome) {
    ++refused;
    line.finish("could not be measured");
    return tools::ExitSuccess;
  }
  refused += outcome->refused;
  const tools::Tournament::Standing &standing = outcome->standing;
  TuningEntry entry;
  entry.config = request.configs[standing.best];
  entry.about = aboutKernel(kernel.op);
  if (launches)
    entry.about += ", times of the emulator's model";
  entry.measuredShape = kernel.measuredShape;
  entry.threads = options.threads ? options.threads : rt::availableCpus();
  entry.seconds = standing.seconds;
  entry.modelSeconds = standing.firstSeconds;
  database.set(kernel.key, std::move(entry));
  rt::Status status = database.write(options.database);
  std::string text =
      tools::counted(int64_t(request.configs.size()), "candidate") + ", ";
  std::string time = tools::duration(standing.seconds);
  if (standing.best == 0) {
    ++unchanged;
    text += "none faster than the model's choice (" + time + ")";
  } else {
    ++faster;
    logGains += std::log(standing.gain);
    text += tools::format(
        "best %s, %.2f times as fast as the model's choice: %s", time.c_str(),
        standing.gain, describe(configs[standing.best]).c_str());
  }
  line.finish(text);
  return reportStatus(status);
}

int Tuner::run(std::vector<Kernel> kernels) {
  auto start = std::chrono::steady_clock::now();
  // Better now than after minutes of measurements.
  rt::Status status = database.write(options.database);
  if (!status.isOk())
    return reportStatus(status);
  fprintf(stderr, "tuning %s for %s, with up to %s each\n",
          tools::counted(int64_t(kernels.size()), "kernel").c_str(),
          session.compiler().getTarget()->getName().c_str(),
          tools::counted(options.candidates, "candidate").c_str());
  for (auto [i, kernel] : llvm::enumerate(kernels)) {
    std::string head = tools::format("[%zu/%zu] ", i + 1, kernels.size()) +
                       (kernel.measuredShape.empty() ? kernel.key.shape
                                                     : kernel.measuredShape) +
                       (kernel.layer.empty() ? "" : " " + kernel.layer);
    ProgressLine line(head);
    if (ExitCode code = tune(kernel, line))
      return code;
  }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  printf("%s tuned for %s in %s: ",
         tools::counted(faster + unchanged, "kernel").c_str(),
         session.compiler().getTarget()->getName().c_str(),
         tools::duration(seconds.count()).c_str());
  if (faster > 0)
    printf("%u faster than the model's choice (%.2f times as fast, geometric "
           "mean), ",
           faster, std::exp(logGains / faster));
  printf("%u as the model chose", unchanged);
  if (skipped > 0)
    printf(", %u skipped", skipped);
  printf("; '%s' holds %s\n", options.database.c_str(),
         tools::counted(int64_t(database.size()), "config").c_str());
  return refused > 0 ? tools::ExitFailed : tools::ExitSuccess;
}

int driver::runTune(const ProgramOptions &given, const TuneOptions &options) {
  ProgramOptions program = given;
  tools::CommandFiles files;
  addFiles(files, program);
  tools::addFiles(files, options.sources);
  if (!options.isList)
    files.writes(options.database, "--db=" + options.database);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  program.sizes = options.sources.sizes;
  std::shared_ptr<tools::LaunchLog> launches;
  if (StringRef(options.device).starts_with("emulator"))
    launches = std::make_shared<tools::LaunchLog>();
  auto device = tools::openDevice(options.device, launches);
  if (!device.isOk())
    return reportStatus(device.status());
  aimAt(device->get(), program);
  Session session(program);
  if (ExitCode code = session.load())
    return code;
  if (session.compiler().getTargets().size() > 1)
    return reportError(tools::ExitUsage,
                       "tune takes one processor at a time; --mcpu names "
                       "several");
  const Target &target = *session.compiler().getTarget();
  std::string reason =
      options.isList ? "" : refuseTarget(target, device->get());
  if (!reason.empty())
    return reportError(tools::ExitFailed, reason);
  Reported<TuningDatabase> database =
      options.isList ? TuningDatabase() : readDatabase(options.database);
  if (!database)
    return database.code();
  auto found = findEntry(session.module(), options.entry);
  if (!found)
    return found.code();
  std::string name = found->getName().str();
  tools::InputSources sources = options.sources;
  sources.sizes = session.inputSizes();
  auto shapes = shapesOfInputs(*found, sources);
  if (!shapes)
    return shapes.code();
  if (ExitCode code = session.runStages(Stage::Tensor))
    return code;
  bool formed = session.guarded("while forming contractions", [&] {
    PassManager passes(session.module()->getName());
    buildFormContractions(passes, session.compiler().getTarget(),
                          session.compiler().stageOptions);
    return succeeded(passes.run(session.module()));
  });
  if (!formed)
    return tools::ExitFailed;
  auto entry = session.module().lookupSymbol<func::FuncOp>(name);
  std::vector<Kernel> kernels =
      collectKernels(entry, EntrySizes(entry, *shapes), target);
  if (kernels.empty() && !options.isList) {
    printf("'%s' has no contractions to tune\n", name.c_str());
    // The file is there for commands that follow.
    return reportStatus(database->write(options.database));
  }
  llvm::erase_if(kernels, [&](const Kernel &kernel) {
    return !StringRef(kernel.key.shape).contains(options.filter) &&
           !StringRef(kernel.layer).contains(options.filter);
  });
  if (kernels.empty() && !options.filter.empty())
    return reportError(tools::ExitRejected,
                       "no shape or layer of '" + name + "' contains '" +
                           options.filter + "'; leave out --filter to see all");
  if (options.isList)
    return printCandidates(kernels, target, options.candidates);
  return Tuner(session, options, std::move(*database), *device, launches)
      .run(std::move(kernels));
}
