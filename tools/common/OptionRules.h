//===- OptionRules.h - Which options go together ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command line is accepted only if each of its options has an effect. The
// rules of a command stand beside its options; they are checked once the
// command line is read, before anything is done.
//
// Rules name an option as it is declared, "check", or with a value,
// "target=reference". "device=emulator" is also met by "--device=emulator:x".
// A positional argument is named like an option with a value: "FILE=-".
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_OPTIONRULES_H
#define QCC_TOOLS_COMMON_OPTIONRULES_H

#include "qcc/Base/Status.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::tools {

class OptionRules {
public:
  using Names = std::vector<std::string>;
  /// Whether a command line has what a rule names.
  using IsGiven = std::function<bool(std::string_view)>;

  /// The option must be given; `message` says so.
  void require(std::string option, std::string message);
  /// One of the options must be given.
  void requireOneOf(Names options, std::string message);
  /// The command does not take what `option` names; `message` says why.
  void refuse(std::string option, std::string message);
  /// Each of `options` has an effect only beside one of `others`.
  void needs(Names options, Names others);
  /// None of `options` goes with one of `others`. `reason` completes
  /// "--a does not go with --b: ...".
  void exclude(Names options, Names others, std::string reason);

  /// Fails with the message of the first rule that does not hold.
  rt::Status check(const IsGiven &isGiven) const;

private:
  enum class Kind { Require, Refuse, Need, Exclude };
  struct Rule {
    Kind kind;
    Names options, others;
    std::string text;
  };
  static rt::Status check(const Rule &rule, const IsGiven &isGiven);

  std::vector<Rule> rules_;
};

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_OPTIONRULES_H
