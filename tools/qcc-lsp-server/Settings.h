//===- Settings.h - Settings of an editor --------------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_SETTINGS_H
#define QCC_TOOLS_QCC_LSP_SERVER_SETTINGS_H

#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace qcc::lsp {

/// What an editor sets as `initializationOptions` or in its section `qcc`;
/// docs/HowTo/Editors.md describes each.
struct Settings {
  bool compile = true;
  bool hints = true;
  std::string mcpu = "native";
  std::string weights = "random";
  int64_t seconds = 30;

  /// Takes the settings that `object` has, and returns what is wrong with it.
  std::vector<std::string> update(const llvm::json::Object &object);
};

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_SETTINGS_H
