//===- PassedOptions.h - Options that go to Python --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_PASSEDOPTIONS_H
#define QCC_TOOLS_QCC_PASSEDOPTIONS_H

#include "CommandLine.h"

namespace qcc::driver {

/// Adds options that go to Python as they are, once each was checked.
class PassedOptions {
public:
  PassedOptions(tools::Arguments &arguments, std::vector<std::string> &words)
      : arguments(arguments), words(words) {}

  using Check = std::function<rt::Status(std::string_view)>;

  void option(const char *name, const char *value, const char *help,
              Check check) {
    arguments.option(name, value, help, passing(name, std::move(check)));
  }
  void list(const char *name, const char *value, const char *help,
            Check check = {}) {
    arguments.list(name, value, help, passing(name, std::move(check)));
  }

private:
  Check passing(std::string name, Check check) {
    return [words = &words, name = std::move(name),
            check = std::move(check)](std::string_view text) {
      words->push_back("--" + name + "=" + std::string(text));
      return check ? check(text) : rt::Status::ok();
    };
  }

  tools::Arguments &arguments;
  std::vector<std::string> &words;
};

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_PASSEDOPTIONS_H
