//===- ArgumentsTests.cpp - Command lines ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Arguments.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::tools;

namespace {
using Names = std::vector<std::string>;

struct Line {
  Line() : arguments("tool", "Does things.") {
    arguments.positional("FILE", file);
    arguments.flag("fast", "Be fast", fast);
    arguments.text("entry", "NAME", "Entry", entry);
    arguments.list("input", "x.npy", "Inputs", inputs);
    arguments.list("dim", "N", "Dimensions in order", dims);
    arguments.number("threads", "N", "Threads", 1, 8, threads);
    arguments.number("tolerance", "T", "Tolerance", tolerance);
    arguments.optionalText("profile", "FILE", "Profile", profile, trace);
  }
  rt::Status parse(std::vector<const char *> words) {
    words.insert(words.begin(), "tool");
    return arguments.parse(int(words.size()), words.data());
  }

  Arguments arguments;
  bool fast = false, profile = false;
  std::string file, entry, trace;
  std::vector<std::string> inputs;
  std::vector<std::string> dims;
  unsigned threads = 0;
  std::optional<double> tolerance;
};

std::string messageOf(std::vector<const char *> words) {
  Line line;
  rt::Status status = line.parse(std::move(words));
  EXPECT_EQ(status.code(), rt::StatusCode::InvalidArgument);
  return status.message();
}
} // namespace

TEST(Arguments, TakesOptionsInAnyOrderAndForm) {
  Line line;
  rt::Status status =
      line.parse({"--fast", "--entry=main", "--input", "a.npy", "m.so",
                  "-input=b.npy", "--dim=3", "--dim", "-4", "--threads=8",
                  "--tolerance=1e-3", "--profile=t.json"});
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(line.fast);
  EXPECT_EQ(line.entry, "main");
  EXPECT_EQ(line.inputs, (std::vector<std::string>{"a.npy", "b.npy"}));
  EXPECT_EQ(line.dims, (std::vector<std::string>{"3", "-4"}));
  EXPECT_EQ(line.threads, 8u);
  EXPECT_EQ(line.tolerance, 1e-3);
  EXPECT_TRUE(line.profile);
  EXPECT_EQ(line.trace, "t.json");
  EXPECT_EQ(line.file, "m.so");
}

TEST(Arguments, AValueThatMayBeLeftOutIsGivenWithAnEqualsSign) {
  Line line;
  ASSERT_TRUE(line.parse({"--profile", "m.so"}).isOk());
  EXPECT_TRUE(line.profile);
  EXPECT_EQ(line.trace, "");
  EXPECT_EQ(line.file, "m.so");
}

TEST(Arguments, DashesEndTheOptions) {
  Line line;
  ASSERT_TRUE(line.parse({"--fast", "--", "--odd.so"}).isOk());
  EXPECT_EQ(line.file, "--odd.so");
}

TEST(Arguments, SeveralPositionalOnes) {
  std::string a, b;
  Names rest;
  Arguments two("tool", "Does things.");
  two.positional("A", a);
  two.positional("B", b);
  const char *words[] = {"tool", "x", "y", "z"};
  ASSERT_TRUE(two.parse(3, words).isOk());
  EXPECT_EQ(a + b, "xy");
  Arguments again("tool", "Does things.");
  again.positional("A", a);
  again.positional("B", b);
  EXPECT_EQ(again.parse(4, words).message(),
            "A and B are wanted, but 'x', 'y' and 'z' are given");
  Arguments one("tool", "Does things.");
  one.positional("A", a);
  one.positional("B", b);
  EXPECT_EQ(one.parse(2, words).message(), "no B is given; see tool --help");
  Arguments many("tool", "Does things.");
  many.positionals("FILE", rest);
  ASSERT_TRUE(many.parse(4, words).isOk());
  EXPECT_EQ(rest, (Names{"x", "y", "z"}));
  Arguments none("tool", "Does things.");
  EXPECT_EQ(none.parse(2, words).message(),
            "'x' is given, but only options are wanted; see tool --help");
}

TEST(Arguments, HelpAndVersionNeedNothingElse) {
  for (const char *word : {"--help", "-h", "-help"}) {
    Line line;
    ASSERT_TRUE(line.parse({word}).isOk());
    EXPECT_TRUE(line.arguments.wantsHelp());
  }
  Line line;
  ASSERT_TRUE(line.parse({"--version"}).isOk());
  EXPECT_TRUE(line.arguments.wantsVersion());
  line.arguments.listValues("entry", [] { return Names{"main"}; });
  line.arguments.example("tool --fast x");
  EXPECT_EQ(line.arguments.help(/*columns=*/38), R"(Does things.

Usage: tool [OPTIONS] FILE

  --fast            Be fast
  --entry=NAME      Entry;
                    --entry=help lists
                    them
  --input=x.npy     Inputs
  --dim=N           Dimensions in
                    order
  --threads=N       Threads
  --tolerance=T     Tolerance
  --profile[=FILE]  Profile
  -h, --help        Print this
  --version         Print the version

Examples:
  tool --fast x
)");
}

TEST(Arguments, RefusesWhatMeansNothing) {
  EXPECT_EQ(messageOf({"m.so", "--imput=x"}),
            "unknown option '--imput'; do you mean --input?");
  EXPECT_EQ(messageOf({"m.so", "--zzzzzz"}),
            "unknown option '--zzzzzz'; see tool --help");
  EXPECT_EQ(messageOf({}), "no FILE is given; see tool --help");
  EXPECT_EQ(messageOf({"a.so", "b.so"}),
            "one FILE is wanted, but 'a.so' and 'b.so' are given");
  EXPECT_EQ(messageOf({"m.so", "--entry=a", "--entry=b"}),
            "'--entry' is given twice");
  EXPECT_EQ(messageOf({"m.so", "--entry"}),
            "'--entry' lacks its value; write --entry=NAME");
  EXPECT_EQ(messageOf({"m.so", "--entry="}),
            "'--entry=' has an empty value; leave the option out or give it a "
            "value");
  EXPECT_EQ(messageOf({"m.so", "--fast=yes"}),
            "'--fast' takes no value, but 'yes' is given");
  for (const char *word : {"--threads=0", "--threads=9", "--threads=1x"})
    EXPECT_EQ(messageOf({"m.so", word}),
              "'" + std::string(word) + "' must be between 1 and 8");
  for (const char *word :
       {"--tolerance=x", "--tolerance=inf", "--tolerance=1e999",
        "--tolerance=-1", "--tolerance=nan"})
    EXPECT_EQ(messageOf({"m.so", word}),
              "'" + std::string(word) + "' must be a number, 0 or greater");
}

TEST(Arguments, DashIsAStreamOnlyWhereItIsSaidToBe) {
  EXPECT_EQ(messageOf({"-"}),
            "'-' is given as FILE, but tool takes neither the standard input "
            "nor output there; name a file");
  EXPECT_EQ(messageOf({"m.so", "--profile=-"}),
            "'--profile=-' names no file: the option takes neither the "
            "standard input nor output; name a file");
  Line line;
  line.arguments.takesStream("FILE");
  line.arguments.takesStream("profile");
  ASSERT_TRUE(line.parse({"-", "--profile=-"}).isOk());
  EXPECT_EQ(line.file + line.trace, "--");
  // A value that is no file.
  Line other;
  EXPECT_TRUE(other.parse({"m.so", "--entry=-"}).isOk());
}

TEST(Arguments, OptionsHaveALetterBesidesTheirName) {
  for (std::vector<const char *> words :
       {std::vector<const char *>{"m.so", "-e", "main"},
        {"m.so", "-e=main"},
        {"m.so", "--entry=main"}}) {
    Line line;
    line.arguments.abbreviate("entry", 'e');
    ASSERT_TRUE(line.parse(words).isOk());
    EXPECT_EQ(line.entry, "main");
    EXPECT_TRUE(line.arguments.isGiven("entry"));
  }
  Line line;
  line.arguments.abbreviate("entry", 'e');
  EXPECT_EQ(line.parse({"m.so", "-e"}).message(),
            "'-e' lacks its value; write -e NAME");
  Line twice;
  twice.arguments.abbreviate("entry", 'e');
  EXPECT_EQ(twice.parse({"m.so", "--entry=a", "-e", "b"}).message(),
            "'-e' is given twice");
}

TEST(Arguments, AnOutputWithoutAFileIsTheStandardOutput) {
  for (const char *word : {"--json", "--json=-", "--json=x.json"}) {
    Line line;
    std::string json;
    line.arguments.optionalOutput("json", "JSON", json);
    ASSERT_TRUE(line.parse({"m.so", word}).isOk());
    EXPECT_EQ(json, std::string(word) == "--json=x.json" ? "x.json" : "-");
  }
}

TEST(Arguments, EveryFailureHasAnExitCode) {
  for (auto [status, code] : {std::pair(rt::Status::ok(), ExitSuccess),
                              {rt::invalidArgument(""), ExitRejected},
                              {rt::notFound(""), ExitRejected},
                              {rt::corrupt(""), ExitRejected},
                              {rt::untrusted(""), ExitRejected},
                              {rt::unsupported(""), ExitFailed},
                              {rt::ioError(""), ExitFailed},
                              {rt::outOfMemory(""), ExitFailed},
                              {rt::internalError(""), ExitFailed}})
    EXPECT_EQ(exitCodeOf(status), code) << rt::statusCodeName(status.code());
}

TEST(Arguments, ValuesAreNotEmpty) {
  EXPECT_EQ(messageOf({"m.so", "--profile="}),
            "'--profile=' has an empty value; write --profile or give it a "
            "value");
  EXPECT_EQ(messageOf({"m.so", "--entry", ""}),
            "'--entry=' has an empty value; leave the option out or give it a "
            "value");
  EXPECT_EQ(messageOf({""}), "the name of FILE is empty");
}

TEST(OptionRules, SayWhichOptionsGoTogether) {
  auto refusalOf = [](std::vector<const char *> words) {
    Line line;
    OptionRules &rules = line.arguments.rules();
    rules.require("threads", "no threads");
    rules.refuse("entry=none", "nothing is no entry");
    rules.needs({"tolerance"}, {"input", "dim", "profile=t"});
    rules.needs({"input"}, {"fast"});
    rules.exclude({"FILE=x"}, {"dim"}, "x has no dimensions");
    return line.parse(std::move(words)).message();
  };
  EXPECT_EQ(refusalOf({"m"}), "no threads");
  EXPECT_EQ(refusalOf({"m", "--threads=1"}), "");
  EXPECT_EQ(refusalOf({"m", "--threads=1", "--entry=none"}),
            "nothing is no entry");
  EXPECT_EQ(refusalOf({"m", "--threads=1", "--entry=nonesuch"}), "");
  EXPECT_EQ(refusalOf({"m", "--threads=1", "--tolerance=1"}),
            "--tolerance is for --input, --dim or --profile=t, none of which "
            "is given");
  EXPECT_EQ(refusalOf({"m", "--threads=1", "--tolerance=1", "--profile=t"}),
            "");
  EXPECT_EQ(refusalOf({"m", "--threads=1", "--tolerance=1", "--profile=t:2"}),
            "");
  EXPECT_EQ(refusalOf({"m", "--threads=1", "--input=x"}),
            "--input is for --fast, which is not given");
  EXPECT_EQ(refusalOf({"x", "--threads=1", "--dim=1"}),
            "'x' does not go with --dim: x has no dimensions; leave one of the "
            "two out");
  // Help needs nothing.
  EXPECT_EQ(refusalOf({"--help"}), "");
}
