//===- Registers.cpp - Registers of the kernels of a device ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers.h"
#include "qcc/Emulator/Emulator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using namespace qcc::driver;
using llvm::StringRef;

namespace {
struct Count {
  int64_t registers = 0, spilledBytes = 0;
};
using Counts = llvm::StringMap<Count>;
} // namespace

/// What ptxas prints on PTX; nothing where it is not found or fails.
static std::optional<std::string> runAssembler(StringRef ptx, StringRef chip) {
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  llvm::SmallString<64> input, log;
  if (!ptxas ||
      llvm::sys::fs::createTemporaryFile("qcc-registers", "ptx", input))
    return std::nullopt;
  llvm::FileRemover removeInput(input);
  if (llvm::sys::fs::createTemporaryFile("qcc-registers", "log", log))
    return std::nullopt;
  llvm::FileRemover removeLog(log);
  std::error_code error;
  llvm::raw_fd_ostream file(input, error);
  file << ptx;
  file.close();
  if (error || file.has_error()) {
    file.clear_error();
    return std::nullopt;
  }
  std::string arch = ("-arch=" + chip).str();
  std::optional<StringRef> outputs[] = {"", log.str(), log.str()};
  if (llvm::sys::ExecuteAndWait(*ptxas,
                                {*ptxas, "-v", arch, input, "-o", "/dev/null"},
                                std::nullopt, outputs) != 0)
    return std::nullopt;
  auto text = llvm::MemoryBuffer::getFile(log);
  if (!text)
    return std::nullopt;
  return (*text)->getBuffer().str();
}

/// The number before some words of a line: 94 of "Used 94 registers" before "
/// registers"; 0 if the line lacks them.
static int64_t numberBefore(StringRef line, StringRef words) {
  StringRef before = line.substr(0, line.find(words));
  int64_t number = 0;
  if (before.size() < line.size())
    before.substr(before.find_last_not_of("0123456789") + 1)
        .getAsInteger(10, number);
  return number;
}

/// Reads what `ptxas -v` says of each kernel:
///
///   ptxas info    : Compiling entry function 'f_step0' for 'sm_80'
///   ptxas info    : Function properties for f_step0
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info    : Used 94 registers, used 1 barriers, 368 bytes cmem[0]
static Counts readCounts(StringRef text) {
  Counts counts;
  std::string kernel;
  for (StringRef line : llvm::split(text, '\n')) {
    if (line.contains("Compiling entry function"))
      kernel = line.split('\'').second.split('\'').first.str();
    else if (line.contains(" bytes spill stores"))
      counts[kernel].spilledBytes = numberBefore(line, " bytes spill stores") +
                                    numberBefore(line, " bytes spill loads");
    else if (line.contains(" registers"))
      counts[kernel].registers = numberBefore(line, " registers");
  }
  return counts;
}

/// What is live at once in each kernel, by the emulator's reading of PTX.
static Counts estimateCounts(StringRef ptx) {
  Counts counts;
  emu::Emulator emulator;
  auto module = emulator.loadModule({ptx.data(), ptx.size()});
  if (!module.isOk())
    return counts;
  for (const std::string &name : (*module)->kernelNames())
    if (auto kernel = (*module)->kernel(name); kernel.isOk())
      counts[name].registers = (*kernel)->registers();
  return counts;
}

void driver::countRegisters(ProgramReport &report, StringRef ptx) {
  std::optional<std::string> told = runAssembler(ptx, report.target);
  Counts counts = told ? readCounts(*told) : estimateCounts(ptx);
  for (EntryReport &entry : report.entries)
    for (StepExplanation &step : entry.steps) {
      if (!step.kernel)
        continue;
      auto count = counts.find(step.kernel->name);
      if (count == counts.end())
        continue;
      step.kernel->registers = count->second.registers;
      step.kernel->spilledBytes = count->second.spilledBytes;
      step.kernel->registersBy = told ? "ptxas" : "estimate";
    }
}
