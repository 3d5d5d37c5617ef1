//===- Targets.cpp - qcc targets ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Text.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Runtime/Device.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Target/X86/X86Target.h"
#include "llvm/Support/FormatVariadic.h"

using namespace qcc;
using namespace qcc::driver;

static void printLine(const std::string &head, const std::string &text) {
  printf("%s", tools::twoColumns(head, text).c_str());
}

/// What `--device` may name here.
static void printDevices() {
  printf("devices:\n");
  printLine("emulator", "runs programs for cuda everywhere, slowly");
  rt::Result<int> count = rt::countCudaDevices();
  if (!count.isOk())
    return printLine("cuda", "none: " + count.message());
  for (int number = 0; number < *count; ++number) {
    rt::Result<std::shared_ptr<rt::Device>> device = rt::openCudaDevice(number);
    printLine("cuda:" + std::to_string(number),
              device.isOk() ? llvm::StringRef((*device)->report()).trim().str()
                            : device.message());
  }
}

int driver::runTargets() {
  const rt::HostFeatures &host = rt::HostFeatures::host();
  printf("x86, by the features that this CPU reports:\n");
  llvm::Expected<TargetRef> native = resolveTarget("native");
  if (!native) {
    printLine("none", llvm::toString(native.takeError()));
  } else {
    for (const x86::Atom &atom : x86::allAtoms())
      printLine("atom " + atom.name.str(),
                x86::specOf(**native).findAtom(atom.name) ? "runs here"
                                                          : atom.missing.str());
    for (llvm::StringRef cpu : usualProcessors()) {
      llvm::Expected<TargetRef> target = resolveTarget(cpu);
      if (!target) {
        llvm::consumeError(target.takeError());
        continue;
      }
      std::vector<std::string> missing =
          host.missing((*target)->requiredFeatures());
      printLine("mcpu " + cpu.str(), missing.empty()
                                         ? "runs here"
                                         : "lacks " + tools::join(missing));
    }
    printLine("features", tools::join(host.names(), " "));
  }
  printf("cuda, as PTX that programs are compiled to:\n");
  for (const nvptx::Spec &chip : nvptx::allChips())
    printLine(
        "mcpu " + chip.name.str(),
        llvm::formatv("PTX {0}.{1}; {2} of shared memory for a block, {3} "
                      "registers and {4} threads for a multiprocessor",
                      chip.ptxVersion / 10, chip.ptxVersion % 10,
                      tools::byteSize(chip.sharedBytes), chip.registers,
                      chip.threads));
  printDevices();
  printf("reference: runs everywhere\n");
  return 0;
}
