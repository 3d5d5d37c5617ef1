//===- Fate.cpp - Fate of damaged programs --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutant.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Pipelines/Register.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace qcc;
using test::Fate;

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

static OwningOpRef<ModuleOp> import(const std::string &program,
                                    MLIRContext *context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(program, "mutant.mlir"),
      llvm::SMLoc());
  ImportOptions options;
  options.weights.kind = WeightsSource::Kind::Random;
  return importMLIR(sources, context, options);
}

static Fate compile(const std::string &program) {
  // Never destroyed: a parser that crashed may have left it damaged.
  MLIRContext *context = makeContext().release();
  ModuleOp module = import(program, context).release();
  if (!module)
    return Fate::Refused;
  Compiler compiler(llvm::cantFail(parseTargets("cascadelake", {})));
  return succeeded(compiler.runStages(module, Stage::LLVM)) ? Fate::Compiled
                                                            : Fate::Refused;
}

std::vector<std::string> test::acceptSeeds(std::vector<std::string> &seeds) {
  std::vector<std::string> accepted, bytecode;
  for (const std::string &seed : seeds) {
    std::unique_ptr<MLIRContext> context = makeContext();
    ScopedDiagnosticHandler silent(context.get(),
                                   [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module = import(seed, context.get());
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    if (!module || failed(writeBytecodeToFile(*module, stream)))
      continue;
    accepted.push_back(seed);
    bytecode.push_back(bytes);
  }
  seeds = std::move(accepted);
  return bytecode;
}

/// Makes this process end at a crash, without a word, and limits what it takes.
static void limitProcess() {
  constexpr unsigned seconds = 20; // Of a CPU, which other processes may use.
  // What LLVM's handlers would print is of no use here.
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGXCPU})
    std::signal(signal, SIG_DFL);
  int null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
#if !defined(__has_feature) || !__has_feature(address_sanitizer)
  rlimit memory{rlim_t(8) << 30, rlim_t(8) << 30};
  setrlimit(RLIMIT_AS, &memory);
#endif
  rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  rlimit time{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &time);
  llvm::CrashRecoveryContext::Enable(); // As the driver does.
}

Fate test::compileMutant(const std::string &program) {
  pid_t child = fork();
  if (child == 0) {
    limitProcess();
    _exit(static_cast<int>(compile(program)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU ? Fate::Hung : Fate::Crashed;
  int code = WEXITSTATUS(status);
  return code <= static_cast<int>(Fate::Compiled) ? static_cast<Fate>(code)
                                                  : Fate::Crashed;
}

std::optional<size_t> test::findFatalTruncation(const std::string &program) {
  void *shared = mmap(nullptr, sizeof(size_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(shared != MAP_FAILED && "a page of memory");
  auto *length = static_cast<size_t *>(shared);
  pid_t child = fork();
  if (child == 0) {
    limitProcess();
    MLIRContext *context = makeContext().release();
    for (*length = 0; *length <= program.size(); ++*length)
      (void)import(program.substr(0, *length), context).release();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  size_t reached = *length;
  munmap(shared, sizeof(size_t));
  bool isDone = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return isDone ? std::nullopt : std::optional(reached);
}
