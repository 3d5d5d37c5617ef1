//===- Arguments.h - A small reader of command lines ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For all tools: `--name=value`, `--name value` and `--flag` in any order
// around positional arguments; `--` ends the options. Whatever is unknown,
// given twice, lacks its value or breaks a rule of the command is a failure
// that says so. One table of options is what is read, what --help prints and
// what shells complete.
//
// "-" is the standard input or output where a command says so by takesStream().
// Elsewhere it is refused, and never the name of a file.
//
// An option may have a letter besides its name: `-o y.npy`, `--output=y.npy`.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_ARGUMENTS_H
#define QCC_TOOLS_COMMON_ARGUMENTS_H

#include "common/ExitCodes.h"
#include "common/OptionRules.h"
#include "qcc/Base/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::tools {

class Arguments {
public:
  enum class Takes { Nothing, Value, PerhapsValue };
  struct Option {
    std::string name, value, help;
    char letter = 0; ///< Another name, of one letter; or none.
    Takes takes = Takes::Nothing;
    bool repeatable = false;
    bool given = false;
    bool takesStream = false; ///< "-" is a stream.
    std::string text;         ///< The value that was given last.
    /// Of the text, which is empty where no value is given.
    std::function<rt::Status(std::string_view)> set;
    /// Values that can be named, where there are too many for the help:
    /// `--name=help` prints them.
    std::function<std::vector<std::string>()> values;

    bool isCalled(std::string_view text) const {
      return text == name || (letter && text == std::string_view(&letter, 1));
    }
    /// "--input"
    std::string spelling() const { return "--" + name; }
    /// "-o, --output=x.npy", as the help shows it.
    std::string form() const;
    /// Whether a value may be the name of a file or folder.
    bool takesFile() const;
  };

  /// `tool` is what users type: "qcc-run", or "qcc run" for a subcommand.
  Arguments(std::string tool, std::string summary);
  Arguments(const Arguments &) = delete; // Options refer to it.

  /// An argument that is no option and has to be given; in order.
  void positional(const char *name, std::string &target);
  /// Lets an option stand for the positional arguments that are not given.
  void insteadOfPositionals(const char *option) { insteadOption_ = option; }
  /// Any number of them, after the others.
  void positionals(const char *name, std::vector<std::string> &target);
  /// The whole command line is that of another program: positionals() get the
  /// words as they are, with options and requests for help.
  void passThrough() { isPassed_ = true; }
  /// A command line that the help shows.
  void example(const char *command);

  void flag(const char *name, const char *help, bool &target);
  void text(const char *name, const char *value, const char *help,
            std::string &target);
  void list(const char *name, const char *value, const char *help,
            std::vector<std::string> &target);
  /// Any number of values; `add` takes each, or says what is wrong with it.
  void list(const char *name, const char *value, const std::string &help,
            std::function<rt::Status(std::string_view)> add);
  void number(const char *name, const char *value, const char *help,
              int64_t least, int64_t most, unsigned &target);
  /// A number, 0 or greater.
  void number(const char *name, const char *value, const char *help,
              std::optional<double> &target);
  /// `--name=FILE` sets the file, `--name` sets it to "-", the standard output.
  void optionalOutput(const char *name, const char *help, std::string &file);
  /// `--name` sets the flag, `--name=value` also the text.
  void optionalText(const char *name, const char *value, const char *help,
                    bool &given, std::string &target);
  /// An option that `set` takes, with a value unless `value` is "".
  void option(const char *name, const char *value, const char *help,
              std::function<rt::Status(std::string_view)> set);
  /// Lets `--name=help` list the values of an option.
  void listValues(const char *name,
                  const std::function<std::vector<std::string>()> &values);
  /// Gives an option another name, of one letter.
  void abbreviate(const char *name, char letter);
  /// Text that the help shows at its end, at most as many columns wide as it is
  /// told.
  void epilogue(std::string (*text)(unsigned columns)) { epilogue_ = text; }
  /// Lets "-" stand for the standard input or output, as a value of an option
  /// or as positional arguments of this name.
  void takesStream(std::string_view name);
  /// Which options go together.
  OptionRules &rules() { return rules_; }

  rt::Status parse(int argc, const char *const *argv);

  /// parse() for a tool's main(). Prints help or `version` where one is asked
  /// for, and to stderr what is wrong where something is; returns the exit code
  /// then. Nothing where there is work to do.
  std::optional<ExitCode> answer(int argc, const char *const *argv,
                                 const char *version);

  /// After parse(); where help is asked for, nothing else is checked.
  bool wantsHelp() const { return help_; }
  bool wantsVersion() const { return version_; }
  /// Takes the names of OptionRules.h.
  bool isGiven(std::string_view name) const;

  /// At most `columns` wide.
  std::string help(unsigned columns) const;
  const std::string &summary() const { return summary_; }
  const std::vector<Option> &options() const { return options_; }

private:
  struct Positional {
    std::string name;
    std::string *target;
    bool takesStream = false;
  };

  Option &add(const char *name, const char *value, const char *help,
              Takes takes);
  rt::Status unknown(std::string_view argument, std::string_view name) const;
  rt::Status setPositional(std::string_view argument);
  rt::Status checkPositional(std::string_view argument, const std::string &name,
                             bool takesStream) const;
  /// Sets the option that the command line calls `spelled`, "-o".
  rt::Status setOption(Option &option, const std::string &spelled,
                       std::optional<std::string_view> value);

  std::string tool_, summary_;
  std::string (*epilogue_)(unsigned columns) = nullptr;
  std::vector<Positional> positionals_;
  size_t positionalsGiven_ = 0;
  std::string insteadOption_, restName_;
  std::vector<std::string> *rest_ = nullptr;
  bool restTakesStream_ = false;
  bool isPassed_ = false;
  std::vector<std::string> examples_;
  bool help_ = false, version_ = false;
  const Option *listed_ = nullptr; ///< The option whose values are asked for.
  std::vector<Option> options_;
  OptionRules rules_;
};

/// A whole decimal number, and nothing else.
std::optional<int64_t> parseInteger(std::string_view text);
/// A decimal number, inf or nan, and nothing else.
std::optional<double> parseNumber(std::string_view text);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_ARGUMENTS_H
