//===- Settings.cpp - Settings of an editor -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

using namespace qcc::lsp;

std::vector<std::string> Settings::update(const llvm::json::Object &object) {
  std::vector<std::string> wrong;
  auto refuse = [&](llvm::StringRef name, llvm::StringRef wanted) {
    wrong.push_back("qcc: setting '" + name.str() + "' must be " +
                    wanted.str() + "; it is left out");
  };
  for (const auto &[key, value] : object) {
    llvm::StringRef name = key;
    if (name == "compile" || name == "hints") {
      if (std::optional<bool> flag = value.getAsBoolean())
        (name == "compile" ? compile : hints) = *flag;
      else
        refuse(name, "true or false");
    } else if (name == "mcpu" || name == "weights") {
      if (std::optional<llvm::StringRef> text = value.getAsString())
        (name == "mcpu" ? mcpu : weights) = text->str();
      else
        refuse(name, "a text");
    } else if (name == "seconds") {
      std::optional<int64_t> number = value.getAsInteger();
      if (number && *number >= 1 && *number <= 3600)
        seconds = *number;
      else
        refuse(name, "a whole number from 1 to 3600");
    } else {
      wrong.push_back("qcc: unknown setting '" + name.str() +
                      "'; use compile, hints, mcpu, weights or seconds");
    }
  }
  return wrong;
}
