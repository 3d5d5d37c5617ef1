//===- Targets.cpp - qcc targets ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using namespace qcc::driver;

int driver::runTargets() {
  const rt::HostFeatures &host = rt::HostFeatures::host();
  llvm::raw_ostream &os = llvm::outs();
  os << "x86, by the features that this CPU reports:\n";
  llvm::Expected<TargetSpec> native = resolveTarget("native");
  if (!native) {
    os << "  none: " << llvm::toString(native.takeError()) << '\n';
  } else {
    for (const Atom &atom : x86Atoms())
      os << llvm::formatv("  atom {0,-12} {1}\n", atom.name,
                          native->findAtom(atom.name) ? "runs here"
                                                      : atom.missing);
    for (llvm::StringRef cpu :
         {"x86-64-v3", "skylake-avx512", "cascadelake", "sapphirerapids"}) {
      llvm::Expected<TargetSpec> target = resolveTarget(cpu);
      if (!target) {
        llvm::consumeError(target.takeError());
        continue;
      }
      std::vector<std::string> missing =
          host.missing(target->requiredFeatures());
      os << llvm::formatv("  mcpu {0,-16} {1}\n", cpu,
                          missing.empty()
                              ? std::string("runs here")
                              : "lacks " + llvm::join(missing, ", "));
    }
    os << "  features: " << llvm::join(host.names(), " ") << '\n';
  }
  os << "reference: runs everywhere\n";
  return 0;
}
