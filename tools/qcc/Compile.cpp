//===- Compile.cpp - qcc compile ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "PassDebugging.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using namespace qcc::driver;

ExitCode driver::writeOutput(llvm::StringRef path, llvm::StringRef bytes) {
  // What was printed before comes before.
  llvm::outs().flush();
  rt::Status status =
      tools::writeOutput(path.str(), {bytes.data(), bytes.size()});
  // An output that has no format for the path is no fault of an input.
  return status.isOk() ? tools::ExitSuccess
                       : reportError(tools::ExitFailed, status.message());
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

namespace {
/// What is written: the program after a stage, or code as its suffix says.
struct Form {
  std::optional<Stage> stage;
  std::string code; ///< ".ll", ".s", ".o", ".so", ".ptx" or ".weights"
};
} // namespace

static bool isSuffixOfCode(llvm::StringRef suffix) {
  return suffix == ".ll" || suffix == ".s" || suffix == ".o" ||
         suffix == ".so" || suffix == ".ptx" || suffix == ".weights";
}

/// The form that `emit` names. Reports it if the suffix of the output promises
/// another one.
static std::optional<Form> formOfEmit(const std::string &emit,
                                      const std::string &path) {
  Form form;
  form.stage = stageByName(emit);
  if (emit == "asm")
    form.code = ".s";
  else if (emit == "ptx" || emit == "weights")
    form.code = "." + emit;
  else if (!form.stage) {
    reportError(tools::ExitUsage,
                "unknown stage '" + emit +
                    "'; use import, graph, tensor, kernel, buffer, target, "
                    "llvm, asm, ptx or weights");
    return std::nullopt;
  }
  std::string own = form.stage ? ".mlir" : form.code;
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (suffix != own && (suffix == ".mlir" || isSuffixOfCode(suffix))) {
    std::string what = form.stage ? "MLIR" : emit == "asm" ? "assembly" : emit;
    reportError(tools::ExitUsage, "'--emit=" + emit + "' writes " + what +
                                      ", but output '" + path + "' ends in " +
                                      suffix + "; end it in " + own +
                                      ", or leave out --emit");
    return std::nullopt;
  }
  return form;
}

/// The form that the suffix of the output names; reports what is wrong.
static std::optional<Form> formOfSuffix(const std::string &path) {
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (path == "-" || suffix == ".mlir")
    return Form{Stage::LLVM, ""};
  if (isSuffixOfCode(suffix))
    return Form{std::nullopt, suffix.str()};
  if (path.empty())
    reportError(tools::ExitUsage,
                "no output; say -o OUT with a suffix .mlir, .ll, .s, .o, "
                ".so, .ptx or .weights, or --emit=STAGE");
  else
    reportError(tools::ExitUsage,
                (suffix.empty() ? "output '" + path + "' has no suffix"
                                : "unknown suffix '" + suffix +
                                      "' of output '" + path + "'") +
                    "; use .mlir, .ll, .s, .o, .so, .ptx or .weights");
  return std::nullopt;
}

using Bytes = llvm::SmallVector<char, 0>;

static llvm::Expected<Bytes> toBytes(llvm::Expected<std::string> text) {
  if (!text)
    return text.takeError();
  return Bytes(text->begin(), text->end());
}

/// What a file of that suffix holds.
static llvm::Expected<Bytes> emitCode(const Compiler &compiler,
                                      mlir::ModuleOp module,
                                      llvm::StringRef suffix) {
  if (suffix == ".ll")
    return toBytes(compiler.emitLLVM(module));
  if (suffix == ".s")
    return toBytes(compiler.emitAssembly(module));
  if (suffix == ".o")
    return compiler.emitObject(module);
  if (suffix == ".ptx")
    return toBytes(compiler.emitPTX(module));
  if (suffix == ".weights")
    return toBytes(compiler.emitWeights(module));
  return compiler.emitArtifact(module);
}

/// What is written to `path`: the program as it is now, or its code.
static Reported<Bytes> makeOutput(Session &session, const Form &form,
                                  const std::string &path) {
  if (form.stage) {
    std::string text = printModule(session.module(), path == "-");
    return Bytes(text.begin(), text.end());
  }
  llvm::Expected<Bytes> bytes = Bytes();
  bool done = session.guarded("while generating code", [&] {
    bytes = emitCode(session.compiler(), session.module(), form.code);
    return true;
  });
  if (!done) {
    llvm::consumeError(bytes.takeError());
    return tools::ExitFailed;
  }
  if (!bytes)
    return reportError(tools::ExitFailed, bytes.takeError());
  return std::move(*bytes);
}

/// The form of each output, in their order. Reports it if one has none.
static std::optional<std::vector<Form>>
formsOf(const std::vector<std::string> &paths, const std::string &emit) {
  if (!emit.empty() && paths.size() > 1) {
    reportError(tools::ExitUsage,
                "'--emit=" + emit + "' writes one output, and " +
                    std::to_string(paths.size()) +
                    " are given; leave out --emit, or compile once for each");
    return std::nullopt;
  }
  std::vector<Form> forms;
  for (const std::string &path : paths) {
    std::optional<Form> form =
        emit.empty() ? formOfSuffix(path) : formOfEmit(emit, path);
    if (!form)
      return std::nullopt;
    forms.push_back(*form);
  }
  return forms;
}

int driver::runCompile(const ProgramOptions &program, CompileCommand command,
                       PassDebugging &passes) {
  std::vector<std::string> &outputs = command.outputs;
  if (outputs.empty())
    outputs.push_back(command.emit.empty() ? "" : "-");
  std::optional<std::vector<Form>> forms = formsOf(outputs, command.emit);
  if (!forms)
    return tools::ExitUsage;
  bool hasArtifact = llvm::any_of(*forms, [](const Form &form) {
    return !form.stage && form.code != ".ptx" && form.code != ".weights";
  });
  if (program.emitsCubin && !hasArtifact)
    return reportError(tools::ExitUsage,
                       "'--emit-cubin' puts machine code into artifacts, and "
                       "this output is none; write a .so");
  bool isProgram =
      llvm::any_of(*forms, [](const Form &form) { return form.code == ".so"; });
  if (command.selfTest && !isProgram)
    return reportError(tools::ExitUsage,
                       "'--self-test' puts digests of runs into artifacts, and "
                       "this output is none; write a .so");
  tools::CommandFiles files;
  addFiles(files, program);
  for (const std::string &path : outputs)
    files.writes(path, "-o " + path);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  if (ExitCode code = reportUsage(passes.start()))
    return code;

  Session session(program);
  if (ExitCode code = session.load())
    return code;
  // An artifact takes the constants with it.
  if (outputs.size() == 1)
    session.releaseConstants();
  if (ExitCode code = session.runStages(
          forms->front().stage.value_or(Stage::LLVM), &passes))
    return code;
  // If one of the outputs cannot be made, none is written.
  std::vector<Bytes> contents;
  std::optional<std::vector<rt::SelfTest>> tests;
  for (const auto &[form, path] : llvm::zip_equal(*forms, outputs)) {
    Reported<Bytes> bytes = makeOutput(session, form, path);
    if (!bytes)
      return bytes.code();
    if (form.code == ".so") {
      if (!tests) {
        auto made = makeSelfTests(program, command.selfTestUse(), *bytes);
        if (!made)
          return made.code();
        tests = std::move(*made);
      }
      if (ExitCode code = reportStatus(
              rt::storeSelfTests(bytes->data(), bytes->size(), *tests)))
        return code;
    }
    contents.push_back(std::move(*bytes));
  }
  for (const auto &[path, bytes] : llvm::zip_equal(outputs, contents))
    if (int code = writeOutput(path, {bytes.data(), bytes.size()}))
      return code;
  return tools::ExitSuccess;
}
