//===- Threads.cpp - Configs of threads -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConfigRules.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

namespace {
class Threads : public ConfigRules {
public:
  StringRef getName() const override { return "threads"; }
  bool hasTiles() const override { return false; }
  int64_t getThreads(ConfigAttr) const override { return kBlock; }
  int64_t getSharedBytes(ConfigAttr) const override { return 0; }
  /// Far fewer than there are.
  int64_t getRegisters(ContractOp, ConfigAttr) const override { return 32; }
  std::optional<std::string> refuse(ContractOp, ConfigAttr,
                                    const Atom &) const override {
    return std::nullopt;
  }
  std::string describe(ConfigAttr) const override {
    return "a thread for each result";
  }
};
} // namespace

const ConfigRules &qcc::nvptx::rulesOfThreads() {
  static const Threads rules;
  return rules;
}
