//===- Arguments.cpp - A small reader of command lines --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Arguments.h"

#include "common/Files.h"
#include "common/Text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace qcc::tools {

std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

Arguments::Arguments(std::string tool, std::string summary,
                     std::string positional)
    : tool_(std::move(tool)), summary_(std::move(summary)),
      positional_(std::move(positional)) {
  flag("help", "Print this", help_);
  flag("version", "Print the version", version_);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

Arguments::Option &Arguments::add(const char *name, const char *value,
                                  const char *help, Takes takes) {
  Option option;
  option.name = name;
  option.value = value;
  option.help = help;
  option.takes = takes;
  // Asking for help and version, which always work, stays last.
  size_t last = options_.size() < 2 ? options_.size() : options_.size() - 2;
  return *options_.insert(options_.begin() + last, std::move(option));
}

void Arguments::flag(const char *name, const char *help, bool &target) {
  add(name, "", help, Takes::Nothing).set = [&target](std::string_view) {
    target = true;
    return rt::Status::ok();
  };
}

void Arguments::text(const char *name, const char *value, const char *help,
                     std::string &target) {
  Option &option = add(name, value, help, Takes::Value);
  option.set = [&target, name = option.name](std::string_view text) {
    if (text.empty())
      return rt::invalidArgument("'--" + name +
                                 "=' has an empty value; leave "
                                 "the option out or give it a value");
    target = text;
    return rt::Status::ok();
  };
}

void Arguments::list(const char *name, const char *value, const char *help,
                     std::vector<std::string> &target) {
  Option &option = add(name, value, help, Takes::Value);
  option.repeatable = true;
  option.set = [&target](std::string_view text) {
    target.emplace_back(text);
    return rt::Status::ok();
  };
}

static rt::Status notANumber(const std::string &name, std::string_view text,
                             const std::string &wanted) {
  return rt::invalidArgument("'--" + name + "=" + std::string(text) +
                             "' must be " + wanted);
}

void Arguments::list(const char *name, const char *value, const char *help,
                     std::vector<int64_t> &target) {
  Option &option = add(name, value, help, Takes::Value);
  option.repeatable = true;
  option.set = [&target, name = option.name](std::string_view text) {
    std::optional<int64_t> number = parseInteger(text);
    if (!number)
      return notANumber(name, text, "a whole number");
    target.push_back(*number);
    return rt::Status::ok();
  };
}

void Arguments::number(const char *name, const char *value, const char *help,
                       int64_t least, int64_t most, unsigned &target) {
  Option &option = add(name, value, help, Takes::Value);
  option.set = [=, &target, name = option.name](std::string_view text) {
    std::optional<int64_t> number = parseInteger(text);
    if (!number || *number < least || *number > most)
      return notANumber(name, text,
                        "between " + std::to_string(least) + " and " +
                            std::to_string(most));
    target = unsigned(*number);
    return rt::Status::ok();
  };
}

void Arguments::number(const char *name, const char *value, const char *help,
                       std::optional<double> &target) {
  Option &option = add(name, value, help, Takes::Value);
  option.set = [&target, name = option.name](std::string_view text) {
    double number;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() ||
        end != text.data() + text.size() || !std::isfinite(number))
      return notANumber(name, text, "a number");
    target = number;
    return rt::Status::ok();
  };
}

void Arguments::optionalText(const char *name, const char *value,
                             const char *help, bool &given,
                             std::string &target) {
  Option &option = add(name, value, help, Takes::PerhapsValue);
  option.set = [&given, &target](std::string_view text) {
    given = true;
    target = text;
    return rt::Status::ok();
  };
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

rt::Status Arguments::unknown(std::string_view name) const {
  std::vector<std::string> names;
  for (const Option &option : options_)
    names.push_back(option.name);
  std::string meant = nearest(name, names);
  return rt::invalidArgument("unknown option '--" + std::string(name) + "'; " +
                             (meant.empty() ? "see " + tool_ + " --help"
                                            : "do you mean --" + meant + "?"));
}

rt::Status Arguments::parse(int argc, const char *const *argv) {
  bool optionsEnded = false;
  bool hasPositional = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!optionsEnded && argument == "--") {
      optionsEnded = true;
      continue;
    }
    if (optionsEnded || argument.size() < 2 || argument[0] != '-') {
      if (positional_.empty())
        return rt::invalidArgument("'" + std::string(argument) +
                                   "' is no option; see " + tool_ + " --help");
      if (hasPositional)
        return rt::invalidArgument("one " + positional_ + " is wanted, but '" +
                                   positionalValue_ + "' and '" +
                                   std::string(argument) + "' are given");
      positionalValue_ = argument;
      hasPositional = true;
      continue;
    }
    argument.remove_prefix(argument[1] == '-' ? 2 : 1);
    size_t equals = argument.find('=');
    std::string_view name = argument.substr(0, equals);
    Option *option = nullptr;
    for (Option &candidate : options_)
      if (candidate.name == name || (name == "h" && candidate.name == "help"))
        option = &candidate;
    if (!option)
      return unknown(name);
    if (option->given && !option->repeatable)
      return rt::invalidArgument("'--" + option->name + "' is given twice");
    option->given = true;
    std::string_view value;
    if (equals != std::string_view::npos) {
      if (option->takes == Takes::Nothing)
        return rt::invalidArgument(
            "'--" + option->name + "' takes no value, but '" +
            std::string(argument.substr(equals + 1)) + "' is given");
      value = argument.substr(equals + 1);
    } else if (option->takes == Takes::Value) {
      if (i + 1 == argc)
        return rt::invalidArgument("'--" + option->name +
                                   "' lacks its value; write --" +
                                   option->name + "=" + option->value);
      value = argv[++i];
    }
    rt::Status status = option->set(value);
    if (!status.isOk())
      return status;
    if (help_ || version_)
      return rt::Status::ok();
  }
  if (!hasPositional && !positional_.empty())
    return rt::invalidArgument("no " + positional_ + " is given; see " + tool_ +
                               " --help");
  return rt::Status::ok();
}

std::optional<int> Arguments::answer(int argc, const char *const *argv,
                                     const char *version, int failure) {
  rt::Status status = parse(argc, argv);
  if (!status.isOk()) {
    fprintf(stderr, "%s: error: %s\n", tool_.c_str(), status.message().c_str());
    return failure;
  }
  if (!help_ && !version_)
    return std::nullopt;
  if (help_)
    fputs(help().c_str(), stdout);
  else
    printf("%s %s\n", tool_.c_str(), version);
  status = flushStandardOutput();
  if (status.isOk())
    return 0;
  fprintf(stderr, "%s: error: %s\n", tool_.c_str(), status.message().c_str());
  return failure;
}

std::string Arguments::help() const {
  Table table("ll");
  for (const Option &option : options_) {
    std::string form = "--" + option.name;
    if (option.takes == Takes::Value)
      form += "=" + option.value;
    else if (option.takes == Takes::PerhapsValue)
      form += "[=" + option.value + "]";
    // Later lines of a help text stand below its first.
    std::string_view help = option.help;
    for (bool first = true; !help.empty(); first = false) {
      size_t end = help.find('\n');
      table.add({first ? form : "", std::string(help.substr(0, end))});
      help.remove_prefix(end == std::string_view::npos ? help.size() : end + 1);
    }
  }
  return summary_ + "\n\nUsage: " + tool_ + " [OPTIONS]" +
         (positional_.empty() ? "" : " " + positional_) + "\n\n" +
         table.print("  ");
}

} // namespace qcc::tools
