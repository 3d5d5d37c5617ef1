//===- Session.cpp - A program from its file to its code ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "PassDebugging.h"
#include "common/Arguments.h"
#include "common/Messages.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Frontend/Import.h"
#include "qcc/Frontend/ONNX/Import.h"
#include "qcc/Frontend/TFLite/Import.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/ONNXModel/Model.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/Device.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Support/Random.h"
#include "qcc/Support/TensorFile.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Tuning/TuningDatabase.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using namespace qcc::driver;

ExitCode driver::reportError(ExitCode code, const llvm::Twine &message) {
  tools::printError("qcc", message.str());
  return code;
}

void driver::reportWarning(const llvm::Twine &message) {
  tools::printWarning("qcc", message.str());
}

ExitCode driver::reportError(ExitCode code, llvm::Error error) {
  return reportError(code, llvm::toString(std::move(error)));
}

ExitCode driver::reportStatus(const rt::Status &status) {
  return status.isOk()
             ? tools::ExitSuccess
             : reportError(tools::exitCodeOf(status), status.message());
}

ExitCode driver::reportUsage(const rt::Status &status) {
  return status.isOk() ? tools::ExitSuccess
                       : reportError(tools::ExitUsage, status.message());
}

ExitCode
driver::reportDifferences(const rt::Result<tools::Differences> &differences) {
  if (!differences.isOk() || differences->empty())
    return reportStatus(differences.status());
  return reportError(tools::ExitDiffers, *differences);
}

int driver::finishOutput(int code) {
  rt::Status status = tools::flushStandardOutput(llvm::outs());
  return status.isOk() ? code : reportStatus(status);
}

static bool isTruth(llvm::StringRef text) {
  return text == "true" || text == "false";
}

void driver::addFiles(tools::CommandFiles &files, const ProgramOptions &program,
                      const std::string &name) {
  files.reads(program.input, name);
  if (!isRandomSpec(program.weights))
    files.reads(program.weights, "read by --weights");
  files.reads(program.tuning, "read by --tuning-db");
  for (const auto &[name, text] : program.constants)
    if (!tools::parseNumber(text) && !isTruth(text))
      files.reads(text, "read by --constant=" + name);
}

llvm::Expected<TargetRef> driver::resolveTarget(llvm::StringRef name) {
  auto targets = parseTargets(name, rt::HostFeatures::host().names());
  if (!targets)
    return targets.takeError();
  return std::move(targets->front());
}

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

/// The longest source line that a message shows whole, in characters.
static constexpr size_t kLongestLine = 240;

/// Prints a message with its source line, of a long line the part around the
/// column.
static void printMessage(const llvm::SMDiagnostic &message, void *) {
  llvm::raw_ostream &stream = llvm::errs();
  llvm::StringRef line = message.getLineContents();
  if (line.size() <= kLongestLine || message.getColumnNo() < 0) {
    message.print(nullptr, stream);
    return;
  }
  size_t column = message.getColumnNo();
  size_t begin = column - std::min(column, kLongestLine / 2);
  std::string place =
      (message.getFilename() + ":" + llvm::Twine(message.getLineNo()) + ":" +
       llvm::Twine(column + 1))
          .str();
  llvm::SMDiagnostic(place, message.getKind(), message.getMessage())
      .print(nullptr, stream);
  llvm::StringRef before = begin ? "..." : "";
  llvm::StringRef part = line.substr(begin, kLongestLine);
  bool isCut = begin + part.size() < line.size();
  stream << before << part << (isCut ? "...\n" : "\n");
  stream.indent(before.size() + column - begin) << "^\n";
}

Session::Session(ProgramOptions options)
    : options(std::move(options)),
      context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
  sources.setDiagHandler(printMessage);
  // Called before the handler that prints.
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &) {
    if (progress)
      progress->erase();
    return mlir::failure();
  });
}

bool Session::guarded(llvm::StringRef what, llvm::function_ref<bool()> body) {
  bool result = false;
  if (llvm::StringRef work = what; work.consume_front("while "))
    progress.emplace(work.str());
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafely([&] { result = body(); });
  progress.reset();
  if (!survived) {
    reportError(tools::ExitFailed, tools::crashMessage(what.str()));
    return false;
  }
  return result;
}

void driver::aimAt(const rt::Device *device, ProgramOptions &program) {
  if (!device)
    return;
  if (!llvm::is_contained(program.given, "--target"))
    program.target = "cuda";
  if (program.target != "cuda" || program.mcpu != "native")
    return;
  for (const nvptx::Spec &chip : nvptx::allChips())
    if (!chip.isExact && int(chip.architecture) <= device->architecture())
      program.mcpu = chip.name.str();
}

Reported<std::vector<TargetRef>> Session::resolveTargets() const {
  llvm::SmallVector<llvm::StringRef> families;
  llvm::StringRef(options.target).split(families, ',');
  for (llvm::StringRef family : families)
    if (family != "x86" && family != "cuda" && !isReference())
      return reportError(tools::ExitUsage,
                         "unknown target '" + options.target +
                             "'; use x86, cuda, both as x86,cuda, or "
                             "reference");
  if (options.target == "cuda" && options.mcpu == "native")
    return reportError(tools::ExitUsage, "target cuda needs a chip; name one, "
                                         "such as --mcpu=sm_80");
  auto targets = parseTargets(options.mcpu, rt::HostFeatures::host().names());
  if (!targets)
    return reportError(tools::ExitUsage, targets.takeError());
  for (const TargetRef &target : *targets)
    if (!isReference() && !llvm::is_contained(families, target->getFamily()))
      return reportError(tools::ExitUsage,
                         "'" + target->getName() + "' is of target " +
                             target->getFamily() + ", not " + options.target +
                             "; say --target=" + target->getFamily() +
                             ", or name another by --mcpu");
  for (llvm::StringRef family : families)
    if (!isReference() && llvm::none_of(*targets, [&](const TargetRef &target) {
          return target->getFamily() == family;
        }))
      return reportError(tools::ExitUsage,
                         "--mcpu=" + options.mcpu +
                             " names nothing of target " + family +
                             "; add to it, such as " +
                             (family == "cuda" ? "sm_80" : "native"));
  return std::move(*targets);
}

/// Hands the options to the compiler.
ExitCode Session::setOptions(std::vector<TargetRef> targets) {
  if (options.emitsCubin && llvm::none_of(targets, [](const TargetRef &target) {
        return target->isDevice();
      }))
    return reportError(
        tools::ExitUsage,
        "'--emit-cubin' is about kernels for GPUs, but target '" +
            targets.front()->getName() +
            "' is a processor; add --target=cuda and a chip, such as "
            "--mcpu=sm_80");
  compilerRef.emplace(std::move(targets));
  compilerRef->stageOptions.fuse = !options.unfused;
  compilerRef->assemblesKernels = options.emitsCubin;
  compilerRef->threads =
      options.compileThreads ? options.compileThreads : rt::availableCpus();
  if (options.tuning.empty())
    return tools::ExitSuccess;
  std::string path = options.tuning;
  if (ExitCode code = reportStatus(tools::resolveStandardInput(path)))
    return code;
  rt::Result<LoadedTuning> tuning = loadTuning(path);
  if (!tuning.isOk())
    return reportError(tools::ExitRejected, tuning.message());
  for (const std::string &warning : tuning->warnings)
    reportWarning(warning);
  compilerRef->stageOptions.tuning = tuning->database;
  return tools::ExitSuccess;
}

ExitCode Session::load() {
  if (tools::isArtifact(options.input))
    return reportError(tools::ExitRejected,
                       "'" + options.input +
                           "' is compiled already; name the program that it "
                           "was made of");
  auto targets = resolveTargets();
  if (!targets)
    return targets.code();
  if (ExitCode code = setOptions(std::move(*targets)))
    return code;
  std::string path = options.weights;
  if (ExitCode code = reportStatus(tools::resolveStandardInput(path)))
    return code;
  llvm::Expected<WeightsSource> weights =
      path.empty() ? WeightsSource() : WeightsSource::parse(path);
  if (!weights)
    return reportError(isRandomSpec(options.weights) ? tools::ExitUsage
                                                     : tools::ExitRejected,
                       weights.takeError());
  return importInput(*weights);
}

/// A number, true, false or a .npy file.
static rt::Result<HostTensor> readConstant(const std::string &text) {
  if (isTruth(text)) {
    rt::Result<HostTensor> truth = HostTensor::create({QCC_BOOL, 8}, {});
    if (truth.isOk())
      *truth->as<bool>() = text == "true";
    return truth;
  }
  std::optional<int64_t> integer = tools::parseInteger(text);
  std::optional<double> number = tools::parseNumber(text);
  if (!integer && !number)
    return readNpy(text);
  rt::Result<HostTensor> tensor = HostTensor::create(
      integer ? rt::DType{QCC_INT, 64} : rt::DType{QCC_FLOAT, 64}, {});
  if (tensor.isOk() && integer)
    *tensor->as<int64_t>() = *integer;
  else if (tensor.isOk())
    *tensor->as<double>() = *number;
  return tensor;
}

Reported<FixedInputs> Session::readFixedInputs() {
  FixedInputs fixed;
  if (isModelFlag || options.refusesOtherSizes) {
    fixed.dims = options.sizes.named;
    fixed.shapes.insert(options.sizes.shapes.begin(),
                        options.sizes.shapes.end());
  }
  for (const auto &[name, text] : options.constants) {
    rt::Result<HostTensor> value = readConstant(text);
    if (!value.isOk())
      return reportError(
          tools::ExitRejected,
          "'--constant=" + name + "=" + text +
              "' is no number and no .npy file: " + value.message());
    llvm::ArrayRef bytes(value->as<char>(), value->numBytes());
    fixed.constants[name] = {value->dtype(), value->shape(), bytes};
    constants.push_back(*std::move(value));
  }
  return fixed;
}

/// Whether a size is given of a dimension that no input of a model has. False
/// for a model that cannot be read, which has no names.
static bool namesUnknownDim(llvm::StringRef bytes,
                            const tools::NamedSizes &dims) {
  auto model = onnx::parseModel({bytes.data(), bytes.size()});
  if (!model.isOk())
    return false;
  auto isKnown = [&](const std::string &name) {
    return llvm::any_of(
        (*model)->graph.inputs, [&](const onnx::ValueInfo &input) {
          return llvm::any_of(input.shape, [&](const onnx::Dimension &dim) {
            return !dim.hasValue && dim.symbol == name;
          });
        });
  };
  return !llvm::all_of(dims, [&](auto &dim) { return isKnown(dim.first); });
}

ExitCode Session::importInput(const WeightsSource &weights) {
  ImportOptions import;
  import.weights = weights;
  if (options.input != "-")
    import.path = options.input;
  auto read = readProgram(options.input);
  if (!read.isOk())
    return reportStatus(read.status());
  std::unique_ptr<llvm::MemoryBuffer> buffer = *std::move(read);
  isModelFlag = isONNX(buffer->getBuffer()) || isTFLite(buffer->getBuffer());
  auto rounding = parseTFLiteRounding(options.rounding);
  if (!rounding)
    return reportError(tools::ExitUsage, llvm::toString(rounding.takeError()));
  import.tfliteRounding = *rounding;
  auto fixed = readFixedInputs();
  if (!fixed)
    return fixed.code();
  import.fixed = std::move(*fixed);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  // A crash is no fault of the program.
  ExitCode code = tools::ExitFailed;
  guarded("while reading '" + options.input + "'", [&] {
    moduleRef = importProgram(sources, &context, import);
    code = moduleRef ? tools::ExitSuccess : tools::ExitRejected;
    return true;
  });
  // The import has reported which names there are.
  if (code == tools::ExitRejected && isModelFlag &&
      namesUnknownDim(
          sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(),
          import.fixed.dims))
    code = tools::ExitUsage;
  return code;
}

/// Writes the program as it was before the stage that crashed, with the passes
/// of the stage; returns the path or "".
static std::string writeReproducer(mlir::ModuleOp module, Stage stage,
                                   const std::string &pipeline) {
  llvm::SmallString<128> path;
  int file;
  if (llvm::sys::fs::createTemporaryFile("qcc-" + stageName(stage), "mlir",
                                         file, path))
    return "";
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << "// qcc crashed in stage " << stageName(stage)
         << ", on this program.\n"
         << "// Large constants that had been replaced by then have no data.\n"
         << "// qcc-opt --run-reproducer runs the passes of that stage.\n";
  mlir::AsmState state(module);
  state.attachResourcePrinter(
      "mlir_reproducer", [&](mlir::Operation *, mlir::AsmResourceBuilder &to) {
        to.buildString("pipeline", pipeline);
        to.buildBool("disable_threading", true);
        to.buildBool("verify_each", true);
      });
  module->print(stream, state);
  return std::string(path);
}

ExitCode Session::runStages(Stage last, PassDebugging *passes) {
  Stage running = Stage::Import;
  mlir::OwningOpRef<mlir::ModuleOp> before;
  std::string pipeline;
  Compiler &compiler = *compilerRef;
  compiler.configure = [&](mlir::PassManager &pm, Stage stage) {
    running = stage;
    progress->update("compiling, stage " + stageName(stage).str());
    before = module().clone();
    pipeline.clear();
    llvm::raw_string_ostream stream(pipeline);
    pm.printAsTextualPipeline(stream);
    if (passes)
      passes->configure(pm, stage);
  };
  progress.emplace("compiling");
  llvm::CrashRecoveryContext::Enable();
  bool ok = false;
  llvm::CrashRecoveryContext recovery;
  bool survived = recovery.RunSafely(
      [&] { ok = mlir::succeeded(compiler.runStages(module(), last)); });
  compiler.configure = nullptr;
  if (passes)
    passes->finish();
  progress.reset();
  if (!survived)
    reportError(tools::ExitFailed,
                tools::crashMessage(
                    "in stage " + stageName(running).str(),
                    "the file " + writeReproducer(*before, running, pipeline)));
  return survived && ok ? tools::ExitSuccess : tools::ExitFailed;
}

Reported<Artifact> Session::emitArtifact() {
  Reported<Artifact> artifact = tools::ExitFailed;
  std::string message;
  guarded("while generating code", [&] {
    llvm::Expected<Artifact> result = compiler().emitArtifact(module());
    if (result)
      artifact = std::move(*result);
    else
      message = llvm::toString(result.takeError());
    return true;
  });
  if (!message.empty())
    reportError(tools::ExitFailed, message);
  return artifact;
}
