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
struct Line {
  Line() : arguments("tool", "Does things.", "FILE") {
    arguments.flag("fast", "Be fast", fast);
    arguments.text("entry", "NAME", "Entry", entry);
    arguments.list("input", "x.npy", "Inputs", inputs);
    arguments.list("dim", "N", "Dimensions\nin order", dims);
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
  std::string entry, trace;
  std::vector<std::string> inputs;
  std::vector<int64_t> dims;
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
  EXPECT_EQ(line.dims, (std::vector<int64_t>{3, -4}));
  EXPECT_EQ(line.threads, 8u);
  EXPECT_EQ(line.tolerance, 1e-3);
  EXPECT_TRUE(line.profile);
  EXPECT_EQ(line.trace, "t.json");
  EXPECT_EQ(line.arguments.positional(), "m.so");
}

TEST(Arguments, AValueThatMayBeLeftOutIsGivenWithAnEqualsSign) {
  Line line;
  ASSERT_TRUE(line.parse({"--profile", "m.so"}).isOk());
  EXPECT_TRUE(line.profile);
  EXPECT_EQ(line.trace, "");
  EXPECT_EQ(line.arguments.positional(), "m.so");
}

TEST(Arguments, DashesEndTheOptions) {
  Line line;
  ASSERT_TRUE(line.parse({"--fast", "--", "--odd.so"}).isOk());
  EXPECT_EQ(line.arguments.positional(), "--odd.so");
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
  EXPECT_EQ(line.arguments.help(), R"(Does things.

Usage: tool [OPTIONS] FILE

  --fast            Be fast
  --entry=NAME      Entry
  --input=x.npy     Inputs
  --dim=N           Dimensions
                    in order
  --threads=N       Threads
  --tolerance=T     Tolerance
  --profile[=FILE]  Profile
  --help            Print this
  --version         Print the version
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
  EXPECT_EQ(messageOf({"m.so", "--dim=many"}),
            "'--dim=many' must be a whole number");
  for (const char *word :
       {"--threads=0", "--threads=9", "--threads=", "--threads=1x"})
    EXPECT_EQ(messageOf({"m.so", word}),
              "'" + std::string(word) + "' must be between 1 and 8");
  for (const char *word : {"--tolerance=", "--tolerance=x", "--tolerance=inf",
                           "--tolerance=1e999"})
    EXPECT_EQ(messageOf({"m.so", word}),
              "'" + std::string(word) + "' must be a number");
}
