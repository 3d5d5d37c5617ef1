//===- Commands.cpp - A tool of several commands --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Commands.h"

#include "common/Files.h"
#include "common/Messages.h"
#include "common/Text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace qcc::tools {

Commands::Commands(std::string tool, std::string summary, std::string version)
    : tool_(std::move(tool)), summary_(std::move(summary)),
      version_(std::move(version)) {
  add("help", "Say what a command does and which options it has",
      [this](const Arguments &) { return runHelp(); })
      .positional("COMMAND", helped_);
  Arguments &completion =
      add("completion", "Print what a shell needs to complete command lines",
          [this](const Arguments &) { return runCompletion(); });
  completion.positional("bash|zsh|fish", shell_);
  completion.example("source <(qcc completion bash)");
  completion.example("qcc completion zsh > \"${fpath[1]}/_qcc\"");
  completion.example(
      "qcc completion fish > ~/.config/fish/completions/qcc.fish");
}

Arguments &Commands::add(const std::string &name, const std::string &summary,
                         std::function<int(const Arguments &)> run) {
  // The two that come by themselves stay last.
  auto place = commands_.end();
  if (commands_.size() >= 2)
    std::advance(place, -2);
  return commands_.emplace(place, name, tool_, summary, std::move(run))
      ->arguments;
}

const Commands::Command *Commands::find(std::string_view name) const {
  for (const Command &command : commands_)
    if (command.name == name)
      return &command;
  return nullptr;
}

rt::Status Commands::unknown(const std::string &name) const {
  std::vector<std::string> names;
  for (const Command &command : commands_)
    names.push_back(command.name);
  std::string meant = nearest(name, names);
  return rt::invalidArgument("unknown command '" + name + "'; " +
                             (meant.empty() ? "use one of " + join(names)
                                            : "do you mean " + meant + "?"));
}

int Commands::fail(const rt::Status &status, int code) const {
  printError(tool_, status.message());
  return code;
}

int Commands::run(int argc, const char *const *argv) {
  std::string name = argc > 1 ? argv[1] : "";
  bool isHelp = name == "--help" || name == "-h" || name == "-help" ||
                (name == "help" && argc == 2);
  if (argc < 2) {
    fputs(help().c_str(), stderr);
    return ExitUsage;
  }
  if (isHelp || name == "--version" || name == "-version") {
    if (isHelp)
      fputs(help().c_str(), stdout);
    else
      printf("%s %s\n", tool_.c_str(), version_.c_str());
    rt::Status status = flushStandardOutput();
    return status.isOk() ? ExitSuccess : fail(status, exitCodeOf(status));
  }
  for (Command &command : commands_)
    if (command.name == name) {
      std::optional<ExitCode> code =
          command.arguments.answer(argc - 1, argv + 1, version_.c_str());
      return code ? *code : command.run(command.arguments);
    }
  if (name[0] == '-')
    return fail(rt::invalidArgument("'" + name +
                                    "' stands before the command; write " +
                                    tool_ + " COMMAND [OPTIONS]"),
                ExitUsage);
  return fail(unknown(name), ExitUsage);
}

int Commands::runHelp() const {
  const Command *command = find(helped_);
  if (!command)
    return fail(unknown(helped_), ExitUsage);
  fputs(command->arguments.help(outputColumns()).c_str(), stdout);
  return 0;
}

int Commands::runCompletion() const {
  rt::Result<std::string> script = completionScript(*this, shell_);
  if (!script.isOk())
    return fail(script.status(), ExitUsage);
  fputs(script->c_str(), stdout);
  return 0;
}

std::string Commands::help() const {
  std::string text = summary_ + "\n\nUsage: " + tool_ +
                     " COMMAND [OPTIONS] [FILES]\n\nCommands:\n";
  size_t widest = 0;
  for (const Command &command : commands_)
    widest = std::max(widest, command.name.size());
  for (const Command &command : commands_) {
    std::string line = "  " + command.name;
    line.resize(widest + 4, ' ');
    text += line +
            wrap(command.arguments.summary(), outputColumns(), line.size()) +
            "\n";
  }
  return text + "\n" + tool_ +
         " help COMMAND says which options a command has.\n\n" +
         exitCodesHelp(outputColumns());
}

} // namespace qcc::tools
