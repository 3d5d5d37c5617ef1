//===- Registers.cpp - Registers of the kernels of a device ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers.h"
#include "qcc/CodeGen/CodeGen.h"
#include "qcc/Emulator/Emulator.h"
#include "llvm/ADT/StringExtras.h"

using namespace qcc;
using namespace qcc::driver;
using llvm::StringRef;

namespace {
struct Count {
  int64_t registers = 0, spilledBytes = 0;
};
using Counts = llvm::StringMap<Count>;
} // namespace

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
  llvm::Expected<AssembledKernels> told = assembleKernels(ptx, report.target);
  Counts counts = told ? readCounts(told->log) : estimateCounts(ptx);
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
  // Without ptxas there is an estimate, which the report says.
  if (!told)
    llvm::consumeError(told.takeError());
}
