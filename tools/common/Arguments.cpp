//===- Arguments.cpp - A small reader of command lines --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Arguments.h"

#include "common/Files.h"
#include "common/Messages.h"
#include "common/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace qcc::tools {

template <typename T> static std::optional<T> parse(std::string_view text) {
  T value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<int64_t> parseInteger(std::string_view text) {
  return parse<int64_t>(text);
}

std::optional<double> parseNumber(std::string_view text) {
  return parse<double>(text);
}

Arguments::Arguments(std::string tool, std::string summary)
    : tool_(std::move(tool)), summary_(std::move(summary)) {
  flag("help", "Print this", help_);
  flag("version", "Print the version", version_);
  abbreviate("help", 'h');
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::string Arguments::Option::form() const {
  std::string text = letter ? std::string("-") + letter + ", " : "";
  text += spelling();
  if (takes == Takes::Nothing)
    return text;
  return text +
         (takes == Takes::PerhapsValue ? "[=" + value + "]" : "=" + value);
}

bool Arguments::Option::takesFile() const {
  auto has = [&](const char *part) {
    return value.find(part) != std::string::npos;
  };
  return has("FILE") || has("DIR") || has("OUT") || has("KEY") || has(".npy") ||
         has(".json");
}

void Arguments::positional(const char *name, std::string &target) {
  positionals_.push_back({name, &target});
}

void Arguments::positionals(const char *name,
                            std::vector<std::string> &target) {
  restName_ = name;
  rest_ = &target;
}

void Arguments::example(const char *command) { examples_.push_back(command); }

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
  add(name, value, help, Takes::Value).set = [&target](std::string_view text) {
    target = text;
    return rt::Status::ok();
  };
}

void Arguments::list(const char *name, const char *value, const char *help,
                     std::vector<std::string> &target) {
  list(name, value, help, [&target](std::string_view text) {
    target.emplace_back(text);
    return rt::Status::ok();
  });
}

void Arguments::list(const char *name, const char *value,
                     const std::string &help,
                     std::function<rt::Status(std::string_view)> add) {
  Option &option = this->add(name, value, help.c_str(), Takes::Value);
  option.repeatable = true;
  option.set = std::move(add);
}

static rt::Status notANumber(const std::string &name, std::string_view text,
                             const std::string &wanted) {
  return rt::invalidArgument("'--" + name + "=" + std::string(text) +
                             "' must be " + wanted);
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
    std::optional<double> number = parseNumber(text);
    if (!number || !std::isfinite(*number) || *number < 0)
      return notANumber(name, text, "a number, 0 or greater");
    target = number;
    return rt::Status::ok();
  };
}

void Arguments::optionalOutput(const char *name, const char *help,
                               std::string &file) {
  Option &option = add(name, "FILE", help, Takes::PerhapsValue);
  option.takesStream = true;
  option.set = [&file](std::string_view text) {
    file = text.empty() ? "-" : text;
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

void Arguments::option(const char *name, const char *value, const char *help,
                       std::function<rt::Status(std::string_view)> set) {
  add(name, value, help, *value ? Takes::Value : Takes::Nothing).set =
      std::move(set);
}

void Arguments::listValues(
    const char *name, const std::function<std::vector<std::string>()> &values) {
  for (Option &option : options_)
    if (option.name == name)
      option.values = values;
}

void Arguments::abbreviate(const char *name, char letter) {
  for (Option &option : options_)
    if (option.name == name)
      option.letter = letter;
}

void Arguments::takesStream(std::string_view name) {
  for (Option &option : options_)
    if (option.name == name)
      option.takesStream = true;
  for (Positional &place : positionals_)
    if (place.name == name)
      place.takesStream = true;
  if (restName_ == name)
    restTakesStream_ = true;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

bool Arguments::isGiven(std::string_view name) const {
  size_t equals = name.find('=');
  bool hasValue = equals != std::string_view::npos;
  std::string_view value = hasValue ? name.substr(equals + 1) : "";
  name = name.substr(0, equals);
  auto isValue = [&](const std::string &text) {
    return !hasValue || text == value ||
           text.compare(0, value.size() + 1, std::string(value) + ":") == 0;
  };
  for (const Option &option : options_)
    if (option.name == name)
      return option.given && isValue(option.text);
  for (size_t i = 0; i < positionalsGiven_; ++i)
    if (positionals_[i].name == name)
      return isValue(*positionals_[i].target);
  return false;
}

rt::Status Arguments::unknown(std::string_view argument,
                              std::string_view name) const {
  std::vector<std::string> names;
  for (const Option &option : options_)
    names.push_back(option.name);
  std::string meant = nearest(name, names);
  for (const Option &option : options_)
    if (option.name == meant)
      meant = option.spelling();
  size_t end = std::min(argument.find('='), argument.size());
  return rt::invalidArgument("unknown option '" +
                             std::string(argument.substr(0, end)) + "'; " +
                             (meant.empty() ? "see " + tool_ + " --help"
                                            : "do you mean " + meant + "?"));
}

rt::Status Arguments::checkPositional(std::string_view argument,
                                      const std::string &name,
                                      bool takesStream) const {
  if (argument.empty())
    return rt::invalidArgument("the name of " + name + " is empty");
  if (argument == "-" && !takesStream)
    return rt::invalidArgument(
        "'-' is given as " + name + ", but " + tool_ +
        " takes neither the standard input nor output there; name a file");
  return rt::Status::ok();
}

rt::Status Arguments::setPositional(std::string_view argument) {
  if (positionalsGiven_ < positionals_.size()) {
    const Positional &place = positionals_[positionalsGiven_++];
    *place.target = argument;
    return checkPositional(argument, place.name, place.takesStream);
  }
  if (rest_) {
    rest_->emplace_back(argument);
    return checkPositional(argument, restName_, restTakesStream_);
  }
  if (positionals_.empty())
    return rt::invalidArgument("'" + std::string(argument) +
                               "' is given, but only options are wanted; see " +
                               tool_ + " --help");
  std::string wanted, given;
  for (const Positional &place : positionals_) {
    wanted += (wanted.empty() ? "" : " and ") + place.name;
    given += (given.empty() ? "'" : ", '") + *place.target + "'";
  }
  return rt::invalidArgument(
      (positionals_.size() == 1 ? "one " + wanted + " is" : wanted + " are") +
      " wanted, but " + given + " and '" + std::string(argument) +
      "' are given");
}

rt::Status Arguments::setOption(Option &option, const std::string &spelled,
                                std::optional<std::string_view> value) {
  if (option.given && !option.repeatable)
    return rt::invalidArgument("'" + spelled + "' is given twice");
  option.given = true;
  option.text = value.value_or("");
  if (value && value->empty())
    return rt::invalidArgument("'" + spelled + "=' has an empty value; " +
                               (option.takes == Takes::PerhapsValue
                                    ? "write " + spelled + " or "
                                    : "leave the option out or ") +
                               "give it a value");
  if (option.text == "-" && option.takesFile() && !option.takesStream)
    return rt::invalidArgument("'" + spelled +
                               "=-' names no file: the option takes neither "
                               "the standard input nor output; name a file");
  if (option.values && option.text == "help") {
    listed_ = &option;
    return rt::Status::ok();
  }
  return option.set(option.text);
}

rt::Status Arguments::parse(int argc, const char *const *argv) {
  if (isPassed_) {
    rest_->assign(argv + 1, argv + argc);
    return rt::Status::ok();
  }
  bool optionsEnded = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!optionsEnded && argument == "--") {
      optionsEnded = true;
      continue;
    }
    if (optionsEnded || argument.size() < 2 || argument[0] != '-') {
      rt::Status status = setPositional(argument);
      if (!status.isOk())
        return status;
      continue;
    }
    std::string_view text = argument.substr(argument[1] == '-' ? 2 : 1);
    size_t equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    Option *option = nullptr;
    for (Option &candidate : options_)
      if (candidate.isCalled(name))
        option = &candidate;
    if (!option)
      return unknown(argument, name);
    std::string spelled = name == option->name
                              ? option->spelling()
                              : std::string("-") + option->letter;
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) {
      value = text.substr(equals + 1);
      if (option->takes == Takes::Nothing)
        return rt::invalidArgument("'" + spelled + "' takes no value, but '" +
                                   std::string(*value) + "' is given");
    } else if (option->takes == Takes::Value) {
      if (i + 1 == argc)
        return rt::invalidArgument(
            "'" + spelled + "' lacks its value; write " + spelled +
            (name == option->name ? "=" : " ") + option->value);
      value = argv[++i];
    }
    rt::Status status = setOption(*option, spelled, value);
    if (!status.isOk() || help_ || version_ || listed_)
      return status;
  }
  if (positionalsGiven_ < positionals_.size() &&
      (insteadOption_.empty() || !isGiven(insteadOption_)))
    return rt::invalidArgument("no " + positionals_[positionalsGiven_].name +
                               " is given; see " + tool_ + " --help");
  return rules_.check([this](std::string_view name) { return isGiven(name); });
}

std::optional<ExitCode> Arguments::answer(int argc, const char *const *argv,
                                          const char *version) {
  std::string name = tool_.substr(0, tool_.find(' '));
  rt::Status status = parse(argc, argv);
  if (!status.isOk()) {
    printError(name, status.message());
    return ExitUsage;
  }
  if (listed_)
    printf("%s\n", join(listed_->values(), "\n").c_str());
  else if (help_)
    fputs(help(outputColumns()).c_str(), stdout);
  else if (version_)
    printf("%s %s\n", name.c_str(), version);
  else
    return std::nullopt;
  status = flushStandardOutput();
  if (!status.isOk())
    printError(name, status.message());
  return exitCodeOf(status);
}

std::string Arguments::help(unsigned columns) const {
  std::string usage = summary_ + "\n\nUsage: " + tool_ + " [OPTIONS]";
  for (const Positional &place : positionals_)
    usage += " " + place.name;
  if (rest_)
    usage += " [" + restName_ + "...]";
  // Forms that are wider than this have their help on the next line.
  constexpr size_t kWidest = 26;
  size_t widest = 0;
  for (const Option &option : options_)
    if (option.form().size() <= kWidest)
      widest = std::max(widest, option.form().size());
  std::string indent(widest + 4, ' ');
  std::string text = usage + "\n\n";
  for (const Option &option : options_) {
    std::string line = "  " + option.form();
    std::string help = option.help;
    if (option.values)
      help += "; " + option.spelling() + "=help lists them";
    if (line.size() + 2 > indent.size())
      line += "\n" + indent;
    else
      line.resize(indent.size(), ' ');
    text += line + wrap(help, columns, indent.size()) + "\n";
  }
  if (!examples_.empty())
    text += "\nExamples:\n";
  for (const std::string &example : examples_) {
    // Lines that are broken can still be pasted into a shell.
    std::string lines = wrap(example, columns - 2, 4);
    for (size_t i = 0; (i = lines.find('\n', i)) != std::string::npos; i += 3)
      lines.insert(i, " \\");
    text += "  " + lines + "\n";
  }
  return epilogue_ ? text + "\n" + epilogue_(columns) : text;
}

} // namespace qcc::tools
