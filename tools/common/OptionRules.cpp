//===- OptionRules.cpp - Which options go together ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/OptionRules.h"

#include <utility>

namespace qcc::tools {

void OptionRules::require(std::string option, std::string message) {
  requireOneOf({std::move(option)}, std::move(message));
}

void OptionRules::requireOneOf(Names options, std::string message) {
  rules_.push_back({Kind::Require, std::move(options), {}, std::move(message)});
}

void OptionRules::refuse(std::string option, std::string message) {
  rules_.push_back({Kind::Refuse, {std::move(option)}, {}, std::move(message)});
}

void OptionRules::needs(Names options, Names others) {
  rules_.push_back({Kind::Need, std::move(options), std::move(others), ""});
}

void OptionRules::exclude(Names options, Names others, std::string reason) {
  rules_.push_back({Kind::Exclude, std::move(options), std::move(others),
                    std::move(reason)});
}

/// "--check", "--target=reference"; "FILE=-" is the positional "-".
static std::string spell(const std::string &name) {
  if (name.front() >= 'A' && name.front() <= 'Z')
    return "'" + name.substr(name.find('=') + 1) + "'";
  return "--" + name;
}

/// "--bench, which is not given", "--bench or --profile, neither of which is
/// given".
static std::string describeMissing(const OptionRules::Names &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == names.size() ? " or "
                                     : ", ") +
            spell(names[i]);
  return text +
         (names.size() == 1   ? ", which is not"
          : names.size() == 2 ? ", neither of which is"
                              : ", none of which is") +
         " given";
}

rt::Status OptionRules::check(const Rule &rule, const IsGiven &isGiven) {
  auto findIn = [&](const Names &names) -> const std::string * {
    for (const std::string &name : names)
      if (isGiven(name))
        return &name;
    return nullptr;
  };
  const std::string *option = findIn(rule.options);
  const std::string *other = findIn(rule.others);
  switch (rule.kind) {
  case Kind::Require:
    return option ? rt::Status::ok() : rt::invalidArgument(rule.text);
  case Kind::Refuse:
    return option ? rt::invalidArgument(rule.text) : rt::Status::ok();
  case Kind::Need:
    if (option && !other)
      return rt::invalidArgument(spell(*option) + " is for " +
                                 describeMissing(rule.others));
    return rt::Status::ok();
  case Kind::Exclude:
    if (option && other)
      return rt::invalidArgument(spell(*option) + " does not go with " +
                                 spell(*other) + ": " + rule.text +
                                 "; leave one of the two out");
    return rt::Status::ok();
  }
  return rt::Status::ok();
}

rt::Status OptionRules::check(const IsGiven &isGiven) const {
  for (const Rule &rule : rules_)
    if (rt::Status status = check(rule, isGiven); !status.isOk())
      return status;
  return rt::Status::ok();
}

} // namespace qcc::tools
