//===- TextTests.cpp - Words, numbers and columns -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Text.h"

#include "gtest/gtest.h"

using namespace qcc::tools;

TEST(Text, SaysAmounts) {
  EXPECT_EQ(format("%s %d", "a", 5), "a 5");
  EXPECT_EQ(join({"a", "b"}), "a, b");
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(0, "step"), "0 steps");
  EXPECT_EQ(duration(1.5e-6), "1.50 us");
  EXPECT_EQ(duration(0.0125), "12.500 ms");
  EXPECT_EQ(duration(2), "2.000 s");
  EXPECT_EQ(duration(1.5e-6, 0.01), "0.002 ms");
  EXPECT_EQ(byteSize(1), "1 byte");
  EXPECT_EQ(byteSize(1023), "1023 bytes");
  EXPECT_EQ(byteSize(2560), "2.5 KiB");
  EXPECT_EQ(byteSize(int64_t(3) << 30), "3.0 GiB");
}

TEST(Text, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"input", "output", "list"};
  EXPECT_EQ(nearest("imput", names), "input");
  EXPECT_EQ(nearest("inputs", names), "input");
  EXPECT_EQ(nearest("lst", names), "list");
  EXPECT_EQ(nearest("verbose", names), "");
  EXPECT_EQ(nearest("", names), "");
}

TEST(Text, BreaksLinesBetweenWords) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two", 7), (Lines{"one two"}));
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 4), (Lines{"one", "two", "thre", "e"}));
  EXPECT_EQ(wrapped("µµ µµµ", 3), (Lines{"µµ", "µµµ"}));
  EXPECT_EQ(wrapped("", 3), (Lines{""}));
}

TEST(Text, KeepsTablesWithinTheWidth) {
  Table table("lwr");
  table.add({"step", "made of", "ops"});
  table.add({"a", "several words that are too long", "12"});
  table.addNote("why: no line is longer than that");
  table.add({"b", "short", "3"});
  EXPECT_EQ(table.print("  ", 30), "  step  made of            ops\n"
                                   "  a     several words       12\n"
                                   "        that are too long\n"
                                   "      why: no line is longer\n"
                                   "      than that\n"
                                   "  b     short                3\n");
  // Columns are not made too narrow to read.
  EXPECT_EQ(table.print("", 1).find("several\n"), std::string::npos);
}

TEST(Text, AlignsColumns) {
  Table table("rll");
  table.add({"time", "", "step"});
  table.add({"1", "", "µ"});
  table.add({"12345", "", "a"});
  EXPECT_EQ(table.print("  "), "   time  step\n      1  µ\n  12345  a\n");
}
