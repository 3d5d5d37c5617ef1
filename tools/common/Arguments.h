//===- Arguments.h - A small reader of command lines ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that link no LLVM: `--name=value`, `--name value` and `--flag` in
// any order around one positional argument; `--` ends the options. Whatever is
// unknown, given twice or lacks its value is a failure that says so.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_ARGUMENTS_H
#define QCC_TOOLS_COMMON_ARGUMENTS_H

#include "qcc/Runtime/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::tools {

class Arguments {
public:
  /// `positional` is the name of the one argument that is no option, or empty
  /// where there is none.
  Arguments(std::string tool, std::string summary, std::string positional);

  void flag(const char *name, const char *help, bool &target);
  void text(const char *name, const char *value, const char *help,
            std::string &target);
  void list(const char *name, const char *value, const char *help,
            std::vector<std::string> &target);
  void list(const char *name, const char *value, const char *help,
            std::vector<int64_t> &target);
  void number(const char *name, const char *value, const char *help,
              int64_t least, int64_t most, unsigned &target);
  void number(const char *name, const char *value, const char *help,
              std::optional<double> &target);
  /// `--name` sets the flag, `--name=value` also the text.
  void optionalText(const char *name, const char *value, const char *help,
                    bool &given, std::string &target);

  rt::Status parse(int argc, const char *const *argv);

  /// parse() for a tool's main(). Prints help or `version` where one is asked
  /// for, and to stderr what is wrong where something is; returns the exit code
  /// then, `failure` in the latter case. Nothing where there is work to do.
  std::optional<int> answer(int argc, const char *const *argv,
                            const char *version, int failure = 1);

  /// After parse(); where help is asked for, nothing else is checked.
  bool wantsHelp() const { return help_; }
  bool wantsVersion() const { return version_; }
  const std::string &positional() const { return positionalValue_; }

  std::string help() const;

private:
  enum class Takes { Nothing, Value, PerhapsValue };
  struct Option {
    std::string name, value, help;
    Takes takes = Takes::Nothing;
    bool repeatable = false;
    bool given = false;
    /// Of the text, which is empty where no value is given.
    std::function<rt::Status(std::string_view)> set;
  };

  Option &add(const char *name, const char *value, const char *help,
              Takes takes);
  rt::Status unknown(std::string_view name) const;

  std::string tool_, summary_, positional_, positionalValue_;
  bool help_ = false, version_ = false;
  std::vector<Option> options_;
};

/// A whole decimal number, and nothing else.
std::optional<int64_t> parseInteger(std::string_view text);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_ARGUMENTS_H
