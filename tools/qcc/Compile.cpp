//===- Compile.cpp - qcc compile ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "mlir/IR/OperationSupport.h"
#include "qcc/Support/FileIO.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using namespace qcc::driver;

int driver::writeOutput(llvm::StringRef path, llvm::StringRef bytes) {
  if (path == "-") {
    llvm::outs() << bytes;
    return 0;
  }
  rt::Status status = writeFile(path.str(), bytes);
  return status.isOk() ? 0 : reportError(status.message());
}

static std::string printModule(mlir::ModuleOp module, bool elide) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (elide) {
    flags.elideLargeElementsAttrs(32);
    flags.elideLargeResourceString(64);
  }
  module->print(stream, flags);
  stream << '\n';
  return text;
}

int driver::runCompile(const ProgramOptions &program, const std::string &output,
                       const std::string &emit) {
  std::string form = emit;
  std::optional<Stage> stage = stageByName(emit);
  if (!emit.empty() && !stage && emit != "asm")
    return reportError("unknown stage '" + emit +
                       "'; use import, graph, tensor, kernel, buffer, target, "
                       "llvm or asm");
  std::string path = output;
  if (path.empty() && emit.empty())
    return reportError("no output; say -o OUT with a suffix .mlir, .ll, .s, .o "
                       "or .so, or --emit=STAGE");
  if (path.empty())
    path = "-";
  if (emit.empty()) {
    llvm::StringRef suffix = llvm::sys::path::extension(path);
    if (path == "-" || suffix == ".mlir")
      stage = Stage::LLVM;
    else if (suffix == ".ll" || suffix == ".s" || suffix == ".o" ||
             suffix == ".so")
      form = suffix.str();
    else
      return reportError("unknown suffix '" + suffix + "' of output '" + path +
                         "'; use .mlir, .ll, .s, .o or .so");
  } else if (emit == "asm") {
    form = ".s";
  }
  if (program.target == "reference")
    return reportError("target reference can run programs, not compile them");

  Session session(program);
  if (!session.load())
    return 1;
  if (!session.runStages(stage.value_or(Stage::LLVM)))
    return 1;
  if (stage)
    return writeOutput(path, printModule(session.module(), path == "-"));

  llvm::Expected<std::string> bytes = std::string();
  bool done = session.guarded("while generating code", [&] {
    const Compiler &compiler = session.compiler();
    auto toString = [](llvm::Expected<llvm::SmallVector<char, 0>> data)
        -> llvm::Expected<std::string> {
      if (!data)
        return data.takeError();
      return std::string(data->begin(), data->end());
    };
    if (form == ".ll")
      bytes = compiler.emitLLVM(session.module());
    else if (form == ".s")
      bytes = compiler.emitAssembly(session.module());
    else if (form == ".o")
      bytes = toString(compiler.emitObject(session.module()));
    else
      bytes = toString(compiler.emitArtifact(session.module()));
    return true;
  });
  if (!done) {
    llvm::consumeError(bytes.takeError());
    return 1;
  }
  if (!bytes)
    return reportError(bytes.takeError());
  return writeOutput(path, *bytes);
}
