//===- Commands.h - A tool of several commands ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tool COMMAND [OPTIONS] ...`. Two commands come by themselves: `help COMMAND`
// and `completion SHELL`, which prints what bash, zsh or fish need to complete
// the commands, options and values of the tool.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_COMMANDS_H
#define QCC_TOOLS_COMMON_COMMANDS_H

#include "common/Arguments.h"

#include <list>

namespace qcc::tools {

class Commands {
public:
  struct Command {
    Command(std::string name, const std::string &tool,
            const std::string &summary,
            std::function<int(const Arguments &)> run)
        : name(std::move(name)), arguments(tool + " " + this->name, summary),
          run(std::move(run)) {}

    std::string name;
    Arguments arguments;
    std::function<int(const Arguments &)> run;
  };

  Commands(std::string tool, std::string summary, std::string version);

  /// `run` is called once the arguments are read, and returns the exit code.
  Arguments &add(const std::string &name, const std::string &summary,
                 std::function<int(const Arguments &)> run);

  /// The command that a command line names; returns the exit code.
  int run(int argc, const char *const *argv);

  std::string help() const;
  const std::string &tool() const { return tool_; }
  const std::list<Command> &commands() const { return commands_; }

private:
  const Command *find(std::string_view name) const;
  rt::Status unknown(const std::string &name) const;
  int fail(const rt::Status &status, int code) const;
  int runHelp() const;
  int runCompletion() const;

  std::string tool_, summary_, version_;
  std::list<Command> commands_;
  std::string helped_, shell_;
};

/// The script for a shell; fails for one that is not known.
rt::Result<std::string> completionScript(const Commands &commands,
                                         const std::string &shell);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_COMMANDS_H
