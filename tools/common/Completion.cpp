//===- Completion.cpp - Scripts that complete command lines ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Commands.h"
#include "common/Text.h"

#include <algorithm>

namespace qcc::tools {

using Option = Arguments::Option;

/// Whether a word of the help stands for itself: "auto", "x86", but neither
/// "FILE" nor "x.npy".
static bool isLiteral(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return islower(c) || isdigit(c) || c == '-';
         });
}

/// The values of an option that have names.
static std::vector<std::string> namedValues(const Option &option) {
  std::vector<std::string> words;
  std::string_view rest = option.value;
  while (!rest.empty()) {
    size_t bar = std::min(rest.find('|'), rest.size());
    std::string_view word = rest.substr(0, std::min(bar, rest.find('[')));
    if (isLiteral(word))
      words.emplace_back(word);
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  if (option.values)
    for (std::string &value : option.values())
      words.push_back(std::move(value));
  return words;
}

/// The help in one line of the quotes of a shell.
static std::string quoted(const std::string &text, bool isZsh = false) {
  std::string result;
  for (char c : text)
    if (c == '\'')
      result += isZsh ? "'\\''" : "\\'";
    else if (isZsh && (c == '[' || c == ']' || c == ':'))
      result += std::string("\\") + c;
    else if (c == '\\')
      result += "\\\\";
    else
      result += c == '\n' ? ' ' : c;
  return "'" + result + "'";
}

//===----------------------------------------------------------------------===//
// bash
//===----------------------------------------------------------------------===//

static std::string bashScript(const Commands &commands) {
  std::string values, options;
  std::vector<std::string> names;
  for (const Commands::Command &command : commands.commands()) {
    names.push_back(command.name);
    options += "    " + command.name + ") words='";
    for (const Option &option : command.arguments.options()) {
      bool takesValue = option.takes == Arguments::Takes::Value;
      std::string letter =
          option.letter ? std::string("-") + option.letter : "";
      options += letter.empty() ? "" : letter + " ";
      options += option.spelling() + (takesValue ? "= " : " ");
      if (option.takes == Arguments::Takes::Nothing)
        continue;
      std::string words = join(namedValues(option), " ");
      if (!letter.empty())
        letter = "'" + command.name + " " + letter + "' | ";
      values += "    " + letter + "'" + command.name + " " + option.spelling() +
                "') ";
      values += option.takesFile() ? "files=1 " : "";
      values += "words='" + words + "' ;;\n";
    }
    options += "' ;;\n";
  }
  // bash takes '=' for a word of its own.
  return "_" + commands.tool() + R"SH(() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} option= words= files=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ')SH" +
         join(names, " ") + R"SH(' -- "$current"))
    return
  fi
  if [[ $current == '=' ]]; then
    option=$before current=
  elif [[ $before == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $before == -* && $current != -* ]]; then
    option=$before
  fi
  case "$command $option" in
)SH" + values +
         R"SH(    *) option= ;;
  esac
  if [[ -z $option && $current == -* ]]; then
    case $command in
)SH" + options +
         R"SH(    esac
  elif [[ -z $option ]]; then
    case $command in
    help) words=')SH" +
         join(names, " ") + R"SH(' ;;
    completion) words='bash zsh fish' ;;
    *) files=1 ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ -n $files ]] && COMPREPLY+=($(compgen -f -- "$current"))
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  [[ -n $files ]] && compopt -o filenames 2> /dev/null
  return 0
}
complete -F _)SH" +
         commands.tool() + " " + commands.tool() + "\n";
}

//===----------------------------------------------------------------------===//
// zsh
//===----------------------------------------------------------------------===//

static std::string zshValue(const Option &option) {
  std::string words = join(namedValues(option), " ");
  std::string placeholder = quoted(option.value, /*isZsh=*/true);
  std::string message = placeholder.substr(1, placeholder.size() - 2);
  if (option.takesFile())
    return ":" + message + ":_files";
  return ":" + message + ":" + (words.empty() ? "" : "(" + words + ")");
}

static std::string zshScript(const Commands &commands) {
  const std::string &tool = commands.tool();
  std::string list, cases;
  std::vector<std::string> names;
  for (const Commands::Command &command : commands.commands()) {
    names.push_back(command.name);
    std::string summary = quoted(command.arguments.summary(), /*isZsh=*/true);
    list += "    '" + command.name + ":" + summary.substr(1) + "\n";
  }
  for (const Commands::Command &command : commands.commands()) {
    cases += "  " + command.name + ")\n    _arguments";
    for (const Option &option : command.arguments.options()) {
      std::string help = quoted(option.help, /*isZsh=*/true);
      help = help.substr(1, help.size() - 2);
      std::string start = option.repeatable ? "*" : "", end = "[" + help + "]";
      if (option.takes != Arguments::Takes::Nothing)
        end += (option.takes == Arguments::Takes::PerhapsValue ? ":" : "") +
               zshValue(option);
      if (option.letter)
        cases += " \\\n      '" + start + "-" + option.letter + end + "'";
      cases += " \\\n      '" + start + option.spelling();
      cases += option.takes == Arguments::Takes::Nothing        ? ""
               : option.takes == Arguments::Takes::PerhapsValue ? "=-"
                                                                : "=";
      cases += end + "'";
    }
    if (command.name == "help")
      cases += " \\\n      '1:COMMAND:(" + join(names, " ") + ")'";
    else if (command.name == "completion")
      cases += " \\\n      '1:SHELL:(bash zsh fish)'";
    else
      cases += " \\\n      '*:FILE:_files'";
    cases += " ;;\n";
  }
  return "#compdef " + tool + "\n_" + tool + "() {\n  local -a commands=(\n" +
         list +
         "  )\n  if ((CURRENT == 2)); then\n    _describe command "
         "commands\n    return\n  fi\n  local command=$words[2]\n"
         "  shift words\n  ((CURRENT--))\n  case $command in\n" +
         cases + "  esac\n}\nif [[ $funcstack[1] == _" + tool +
         " ]]; then\n  _" + tool + " \"$@\"\nelse\n  compdef _" + tool + " " +
         tool + "\nfi\n";
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

static std::string fishScript(const Commands &commands) {
  const std::string &tool = commands.tool();
  std::string text;
  std::vector<std::string> names;
  for (const Commands::Command &command : commands.commands()) {
    names.push_back(command.name);
    text += "complete -c " + tool + " -n __fish_use_subcommand -f -a " +
            command.name + " -d " + quoted(command.arguments.summary()) + "\n";
  }
  for (const Commands::Command &command : commands.commands()) {
    std::string start = "complete -c " + tool +
                        " -n '__fish_seen_subcommand_from " + command.name +
                        "' ";
    for (const Option &option : command.arguments.options()) {
      text += start + "-l " + option.name;
      if (option.letter)
        text += std::string(" -s ") + option.letter;
      if (option.takes == Arguments::Takes::Value)
        text += option.takesFile() ? " -r -F" : " -x";
      std::string words = join(namedValues(option), " ");
      if (!words.empty())
        text += " -a '" + words + "'";
      text += " -d " + quoted(option.help) + "\n";
    }
    if (command.name == "help")
      text += start + "-f -a '" + join(names, " ") + "'\n";
    if (command.name == "completion")
      text += start + "-f -a 'bash zsh fish'\n";
  }
  return text;
}

rt::Result<std::string> completionScript(const Commands &commands,
                                         const std::string &shell) {
  if (shell == "bash")
    return bashScript(commands);
  if (shell == "zsh")
    return zshScript(commands);
  if (shell == "fish")
    return fishScript(commands);
  return rt::invalidArgument("unknown shell '" + shell +
                             "'; use bash, zsh or fish");
}

} // namespace qcc::tools
