//===- ConfigRules.h - Configs by their strategies --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_IR_CONFIGRULES_H
#define QCC_LIB_TARGET_NVPTX_IR_CONFIGRULES_H

#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"

namespace qcc::nvptx {

/// What the fields of a config mean by one strategy. One object of each class
/// lives as long as the program.
class ConfigRules {
public:
  virtual ~ConfigRules() = default;

  virtual llvm::StringRef getName() const = 0;
  /// Whether blocks compute tiles, from a packed right operand. A config
  /// without tiles has no sizes.
  virtual bool hasTiles() const { return true; }

  /// Whether warps in groups of four multiply, by an atom of theirs.
  virtual bool isOfWarpgroups() const { return false; }

  /// Whether blocks leave sums of groups of K in shared memory, in front of the
  /// chain over them, and read right operands of 4 bits.
  virtual bool sumsUpGroups() const { return false; }

  /// Threads of a block.
  virtual int64_t getThreads(ConfigAttr config) const = 0;
  /// Bytes of shared memory of a block.
  virtual int64_t getSharedBytes(ConfigAttr config) const = 0;
  /// About as many registers as a thread needs. `config` is not refused.
  virtual int64_t getRegisters(kernel::ContractOp op,
                               ConfigAttr config) const = 0;
  /// Why no block computes `op` by `config`, whatever the chip: a sentence
  /// whose subject is "lowering_config".
  virtual std::optional<std::string>
  refuse(kernel::ContractOp op, ConfigAttr config, const Atom &atom) const = 0;
  /// The sizes, for people.
  virtual std::string describe(ConfigAttr config) const = 0;
};

#define QCC_NVPTX_STRATEGY(name) const ConfigRules &rulesOf##name();
#include "../Strategies.def"

/// The rules of a name; null if no strategy has it.
const ConfigRules *findRules(llvm::StringRef name);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_IR_CONFIGRULES_H
