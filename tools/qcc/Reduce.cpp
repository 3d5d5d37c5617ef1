//===- Reduce.cpp - qcc reduce --------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delta debugging of a program of MLIR: which functions, and which ops of them,
// have to stay for a test to succeed. Values of ops that are left out become
// arguments, and values that nothing reads any more results, so that any choice
// of ops is a program again. mlir-reduce of MLIR only erases ops without uses
// unless dialects bring patterns of their own, which those of programs lack.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Support/FileFormat.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;
using func::FuncOp;

namespace {
class Reducer {
public:
  Reducer(std::string test, std::string path)
      : test(std::move(test)), path(std::move(path)) {}

  /// Whether the test succeeds for a program; counts it.
  bool isWanted(ModuleOp module);
  /// Takes functions and ops away until none can be left out.
  OwningOpRef<ModuleOp> reduce(OwningOpRef<ModuleOp> module);

  unsigned numTests = 0;
  std::string failure; ///< Why tests cannot be run, or "".

private:
  bool dropFunctions(OwningOpRef<ModuleOp> &module);
  bool reduceFunction(OwningOpRef<ModuleOp> &module, llvm::StringRef name);

  std::string test, path;
  tools::Progress progress{"reducing"};
};
} // namespace

static void print(ModuleOp module, llvm::raw_ostream &stream) {
  module->print(stream, OpPrintingFlags().enableDebugInfo(false));
  stream << '\n';
}

bool Reducer::isWanted(ModuleOp module) {
  ++numTests;
  progress.update("reducing, test " + std::to_string(numTests));
  {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    print(module, file);
    file.close();
    if (error || file.has_error()) {
      failure = "'" + path + "' cannot be written";
      file.clear_error();
      return false;
    }
  }
  std::optional<llvm::StringRef> nowhere[] = {"", "", ""};
  // A test that crashes has not succeeded; one that cannot be run is an error.
  std::string message;
  bool isNotRun = false;
  int code = llvm::sys::ExecuteAndWait(
      "/bin/sh", {"sh", "-c", test, "sh", path}, std::nullopt, nowhere,
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message, &isNotRun);
  if (isNotRun)
    failure = message;
  return code == 0;
}

//===----------------------------------------------------------------------===//
// Functions of fewer ops
//===----------------------------------------------------------------------===//

/// The ops that are kept or left out; constants come along where they are read.
static SmallVector<Operation *> candidatesOf(FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      ops.push_back(&op);
  return ops;
}

namespace {
/// Writes a function with some of the ops of another.
class Cut {
public:
  Cut(FuncOp source, FuncOp target)
      : body(target.addEntryBlock()), builder(OpBuilder::atBlockEnd(body)),
        target(target), loc(source.getLoc()) {}

  void add(Operation *op);
  void finish();

private:
  void provide(Value value);

  Block *body;
  OpBuilder builder;
  FuncOp target;
  Location loc;
  IRMapping mapping;
};
} // namespace

/// Gives the target a value: a constant of its own, or an argument.
void Cut::provide(Value value) {
  if (mapping.contains(value))
    return;
  Operation *def = value.getDefiningOp();
  if (def && def->hasTrait<OpTrait::ConstantLike>())
    builder.clone(*def, mapping);
  else
    mapping.map(value, body->addArgument(value.getType(), value.getLoc()));
}

void Cut::add(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  for (Value value : values)
    provide(value);
  builder.clone(*op, mapping);
}

void Cut::finish() {
  SmallVector<Value> results;
  for (Operation &op : *body)
    if (!op.hasTrait<OpTrait::ConstantLike>())
      for (Value result : op.getResults())
        if (result.use_empty())
          results.push_back(result);
  func::ReturnOp::create(builder, loc, results);
  target.setType(builder.getFunctionType(body->getArgumentTypes(),
                                         ValueRange(results).getTypes()));
}

/// The module with a function that has some of its candidates; null where that
/// is no program.
static OwningOpRef<ModuleOp> keepOps(ModuleOp module, FuncOp function,
                                     ArrayRef<Operation *> kept) {
  OwningOpRef<ModuleOp> smaller = module.clone();
  FuncOp old = smaller->lookupSymbol<FuncOp>(function.getName());
  OpBuilder builder(old);
  auto target = FuncOp::create(builder, function.getLoc(), function.getName(),
                               builder.getFunctionType({}, {}));
  target.setVisibility(function.getVisibility());
  old.erase();
  Cut cut(function, target);
  for (Operation *op : kept)
    cut.add(op);
  cut.finish();
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  return succeeded(verify(*smaller)) ? std::move(smaller) : nullptr;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

bool Reducer::dropFunctions(OwningOpRef<ModuleOp> &module) {
  bool isSmaller = false;
  SmallVector<std::string> names;
  for (FuncOp function : module->getOps<FuncOp>())
    names.push_back(function.getName().str());
  for (const std::string &name : names) {
    OwningOpRef<ModuleOp> smaller = module->clone();
    FuncOp function = smaller->lookupSymbol<FuncOp>(name);
    if (!SymbolTable::symbolKnownUseEmpty(function, *smaller))
      continue;
    function.erase();
    if (smaller->getBody()->empty() || !isWanted(*smaller))
      continue;
    module = std::move(smaller);
    isSmaller = true;
  }
  return isSmaller;
}

bool Reducer::reduceFunction(OwningOpRef<ModuleOp> &module,
                             llvm::StringRef name) {
  auto function = module->lookupSymbol<FuncOp>(name);
  if (!function.getBody().hasOneBlock() ||
      !SymbolTable::symbolKnownUseEmpty(function, *module))
    return false;
  SmallVector<Operation *> kept = candidatesOf(function);
  size_t before = kept.size();
  OwningOpRef<ModuleOp> smallest;
  for (size_t size = std::max<size_t>(before / 2, 1);; size /= 2) {
    bool isSmaller = false;
    for (size_t start = 0; start < kept.size();) {
      SmallVector<Operation *> rest(kept.begin(), kept.begin() + start);
      rest.append(kept.begin() + std::min(start + size, kept.size()),
                  kept.end());
      OwningOpRef<ModuleOp> smaller;
      if (!rest.empty())
        smaller = keepOps(*module, function, rest);
      if (!smaller || !isWanted(*smaller)) {
        start += size;
        continue;
      }
      kept = std::move(rest);
      smallest = std::move(smaller);
      isSmaller = true;
    }
    if (size == 1 && !isSmaller)
      break;
    size = std::max<size_t>(size, 2);
  }
  if (smallest)
    module = std::move(smallest);
  return kept.size() < before;
}

OwningOpRef<ModuleOp> Reducer::reduce(OwningOpRef<ModuleOp> module) {
  for (bool isSmaller = true; isSmaller && failure.empty();) {
    isSmaller = dropFunctions(module);
    SmallVector<std::string> names;
    for (FuncOp function : module->getOps<FuncOp>())
      names.push_back(function.getName().str());
    for (const std::string &name : names)
      isSmaller |= reduceFunction(module, name);
  }
  return module;
}

//===----------------------------------------------------------------------===//
// Command
//===----------------------------------------------------------------------===//

static size_t countOps(ModuleOp module) {
  size_t count = 0;
  for (FuncOp function : module.getOps<FuncOp>())
    if (!function.isExternal())
      count += candidatesOf(function).size();
  return count;
}

int driver::runReduce(const ReduceOptions &options) {
  tools::CommandFiles files;
  files.reads(options.input, "the program");
  files.writes(options.output, "-o " + options.output);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ParserConfig config(&context);
  auto read = readProgram(options.input);
  if (!read.isOk())
    return reportStatus(read.status());
  llvm::StringRef bytes = (*read)->getBuffer();
  bool isText = !isBinary({bytes.data(), bytes.size()});
  OwningOpRef<ModuleOp> module;
  if (isText || isBytecode(**read)) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(*std::move(read), llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, config);
  }
  if (!module)
    return reportError(tools::ExitRejected,
                       "'" + options.input +
                           "' is no program of MLIR; ONNX models are reduced "
                           "by python -m qcc reduce");
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("qcc-reduce", "mlir", path))
    return reportError(tools::ExitFailed, "no temporary file can be made");
  llvm::FileRemover remover(path);
  size_t before = countOps(*module);
  OwningOpRef<ModuleOp> smallest;
  Reducer reducer(options.test, std::string(path));
  if (!reducer.isWanted(*module))
    return reducer.failure.empty()
               ? reportError(tools::ExitRejected,
                             "the test does not succeed for the whole program; "
                             "correct it")
               : reportError(tools::ExitFailed,
                             "the test cannot be run: " + reducer.failure);
  smallest = reducer.reduce(std::move(module));
  if (!reducer.failure.empty())
    return reportError(tools::ExitFailed,
                       "the test cannot be run: " + reducer.failure);
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(*smallest, stream);
  if (ExitCode code = writeOutput(options.output, text))
    return code;
  fprintf(options.output == "-" ? stderr : stdout,
          "%zu of %zu ops, after %u tests: %s\n", countOps(*smallest), before,
          reducer.numTests, options.output.c_str());
  return 0;
}
