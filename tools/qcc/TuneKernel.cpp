//===- TuneKernel.cpp - The fastest config of a contraction ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is compiled in a context of its own: the packed weights of all
// candidates, which a context keeps as long as it lives, go with it.
//
//===----------------------------------------------------------------------===//

#include "TuneKernel.h"
#include "common/Text.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Emulator/TimeModel.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Support/Random.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

namespace {
/// The program of one kernel, and what is wrong with it.
class KernelProgram {
public:
  explicit KernelProgram(Session &session)
      : session(session),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors += (errors.empty() ? "" : "; ") + diagnostic.str();
          return success();
        }) {}

  llvm::Error take(kernel::ContractOp op) {
    auto kernel = extractKernel(op);
    if (!kernel)
      return kernel.takeError();
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    if (failed(writeBytecodeToFile(*kernel->module, os)))
      return llvm::createStringError("the kernel cannot be copied");
    // Weights stay where they are, and that has to be aligned.
    auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
        bytes.size(), "kernel", llvm::Align(4096));
    if (!buffer)
      return llvm::createStringError("not enough memory");
    llvm::copy(bytes, buffer->getBufferStart());
    auto source = std::make_shared<llvm::SourceMgr>();
    source->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(source, ParserConfig(&context));
    return module ? llvm::Error::success() : takeErrors();
  }

  func::FuncOp entry() { return *module->getOps<func::FuncOp>().begin(); }

  llvm::Expected<tools::ModulePtr>
  compile(const std::string &config,
          const std::shared_ptr<rt::Device> &device) {
    OwningOpRef<ModuleOp> candidate = module->clone();
    auto parsed = dyn_cast_or_null<kernel::LoweringConfigAttrInterface>(
        parseAttribute(config, &context));
    if (!parsed)
      return takeErrors();
    candidate->walk(
        [&](kernel::ContractOp op) { op.setLoweringConfigAttr(parsed); });
    Compiler compiler(session.compiler().getTarget());
    compiler.stageOptions.fuse = session.compiler().stageOptions.fuse;
    std::optional<Artifact> artifact;
    llvm::Error error = llvm::Error::success();
    bool compiled = session.guarded("on config " + config, [&] {
      if (failed(compiler.runStages(*candidate, Stage::LLVM, Stage::Tensor)))
        return true;
      llvm::Expected<Artifact> made = compiler.emitArtifact(*candidate);
      if (made)
        artifact = std::move(*made);
      else
        error = made.takeError();
      return true;
    });
    if (error)
      return std::move(error);
    if (!compiled)
      return llvm::createStringError("the compiler crashed");
    if (!artifact)
      return takeErrors();
    rt::ModuleOptions options;
    options.device = device;
    auto loaded = rt::Module::load(artifact->data(), artifact->size(), options);
    if (!loaded.isOk())
      return llvm::createStringError(loaded.message());
    return *std::move(loaded);
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }
  llvm::Error takeErrors() {
    std::string text = errors.empty() ? "it failed without a reason" : errors;
    errors.clear();
    return llvm::createStringError(text);
  }

  Session &session;
  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};
} // namespace

/// Random data for an entry; reports failures.
static Reported<std::vector<HostTensor>>
makeArguments(func::FuncOp entry,
              const std::vector<std::vector<int64_t>> &shapes) {
  auto specs = driver::specsOf(entry);
  if (!specs)
    return specs.code();
  std::vector<HostTensor> inputs;
  for (auto [i, spec] : llvm::enumerate(*specs)) {
    auto tensor = HostTensor::create(spec.dtype, shapes[i]);
    if (!tensor.isOk())
      return reportStatus(tensor.status());
    RandomSpec random;
    random.low = -1;
    fillRandom(*tensor, random, /*stream=*/i);
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

/// "best 1.250 ms (1.08 x)"
static std::string describe(const tools::Tournament &tournament) {
  tools::Tournament::Standing standing = tournament.standing();
  return tools::format("best %s (%.2f x)",
                       tools::duration(standing.seconds).c_str(),
                       standing.gain);
}

/// The time that the emulator's model expects of the launches of a log, which
/// is empty then.
static rt::Result<double> takeModelledSeconds(tools::LaunchLog &log,
                                              const emu::ChipInfo &chip) {
  double seconds = 0;
  for (const emu::Counters &counters : log.launches) {
    emu::TimeEstimate estimate = emu::estimateTime(counters, chip);
    if (!estimate.fits)
      return rt::unsupported("kernel " + counters.kernel + " does not run on " +
                             std::string(chip.name) + ": " + estimate.reason);
    seconds += estimate.microseconds * 1e-6;
  }
  log.launches.clear();
  return seconds;
}

static tools::Tournament::Options optionsOf(const TuneRequest &request,
                                            StringRef target) {
  tools::Tournament::Options options{request.threads, request.device};
  if (request.launches)
    options.modelledSeconds = [log = request.launches,
                               chip = emu::findChip(target.str())] {
      return takeModelledSeconds(*log, *chip);
    };
  return options;
}

Reported<TuneOutcome> driver::tuneKernel(Session &session,
                                         const TuneRequest &request,
                                         TuneProgress progress) {
  KernelProgram program(session);
  if (llvm::Error error = program.take(request.op))
    return reportError(tools::ExitFailed, std::move(error));
  auto inputs = makeArguments(program.entry(), request.shapes);
  if (!inputs)
    return inputs.code();
  tools::Tournament tournament(
      std::move(*inputs),
      optionsOf(request, session.compiler().getTarget()->getName()));
  std::vector<size_t> indices; // of configs, in the order of the tournament
  TuneOutcome outcome;
  for (auto [i, config] : llvm::enumerate(request.configs)) {
    progress(tools::format("%zu of %zu candidates", i, request.configs.size()) +
             (i ? ", " + describe(tournament) : ""));
    llvm::Expected<tools::ModulePtr> module =
        program.compile(config, request.device);
    std::string problem;
    if (module) {
      rt::Status status = tournament.add(std::move(*module));
      if (status.code() == rt::StatusCode::OutOfMemory)
        return reportStatus(status);
      problem = status.isOk() ? "" : status.message();
    } else {
      problem = llvm::toString(module.takeError());
    }
    if (problem.empty()) {
      indices.push_back(i);
      continue;
    }
    reportError(tools::ExitFailed,
                "config " + config + " is refused: " + problem +
                    "; this is a bug of qcc, please report it with the "
                    "program");
    ++outcome.refused;
    if (i == 0)
      return tools::ExitFailed;
  }
  outcome.standing = tournament.decide([&](int round, int rounds) {
    progress(tools::format("round %d of %d, ", round, rounds) +
             describe(tournament));
  });
  outcome.standing.best = indices[outcome.standing.best];
  return outcome;
}
