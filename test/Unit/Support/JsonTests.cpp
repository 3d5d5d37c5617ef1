//===- JsonTests.cpp - Reading and writing JSON ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Json.h"

#include "qcc/Support/InputLimits.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>

using namespace qcc;

TEST(Json, Reads) {
  rt::Result<Json> json = Json::parse(
      R"( {"a": [1, -2, 3.5, 1e3], "b": {"c": null, "d": true}, "e": false,
           "f": "x\"\\\/\n\u0041\u00e9\u20ac\ud83d\ude00", "g": {}, "h": []} )");
  ASSERT_TRUE(json.isOk()) << json.message();
  ASSERT_EQ(json->kind, Json::Object);
  const Json *a = json->find("a");
  ASSERT_TRUE(a);
  ASSERT_EQ(a->array.size(), 4u);
  EXPECT_EQ(a->array[1].kind, Json::Integer);
  EXPECT_EQ(a->array[1].integer, -2);
  EXPECT_EQ(a->array[2].kind, Json::Number);
  EXPECT_EQ(a->array[2].number, 3.5);
  EXPECT_EQ(a->array[3].kind, Json::Number);
  EXPECT_EQ(json->find("b")->find("c")->kind, Json::Null);
  EXPECT_TRUE(json->find("b")->find("d")->boolean);
  EXPECT_EQ(json->find("e")->kind, Json::Bool);
  EXPECT_EQ(json->find("f")->string,
            "x\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_TRUE(json->find("g")->object.empty());
  EXPECT_TRUE(json->find("h")->array.empty());
  EXPECT_EQ(json->find("z"), nullptr);
}

TEST(Json, HugeNumbersAreNoIntegers) {
  rt::Result<Json> json = Json::parse("99999999999999999999");
  ASSERT_TRUE(json.isOk());
  EXPECT_EQ(json->kind, Json::Number);
}

TEST(Json, Refuses) {
  for (const char *text : {"",
                           " ",
                           "{",
                           "[",
                           "{]",
                           "[1,]",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\":1,\"a\":2}",
                           "nul",
                           "truth",
                           "1x",
                           "-",
                           "1e",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"\n\"",
                           "1 2",
                           "\"\\",
                           "+1"}) {
    rt::Result<Json> json = Json::parse(text);
    EXPECT_FALSE(json.isOk()) << text;
    EXPECT_NE(json.message().find("bad JSON at byte"), std::string::npos);
  }
  EXPECT_FALSE(Json::parse(std::string(100000, '[')).isOk());
}

TEST(Json, Prints) {
  Json json = Json::dictionary();
  json.add("flag", Json::of(true));
  json.add("none", Json());
  json.add("shape", Json::list().add(Json::of(int64_t(2))).add(Json::of(0.5)));
  json.add("empty", Json::dictionary());
  Json step = Json::dictionary();
  step.add("name", Json::of("a\"\\\n\x01é"));
  json.add("steps", Json::list().add(std::move(step)));
  EXPECT_EQ(json.print(), R"({
  "flag": true,
  "none": null,
  "shape": [2, 0.5],
  "empty": {},
  "steps": [
    {
      "name": "a\"\\\u000a\u0001é"
    }
  ]
}
)");
}

TEST(Json, PrintsNumbersSoThatTheyAreReadBack) {
  for (double value : {0.1, -1e-300, 1.7976931348623157e308, 5e-324}) {
    rt::Result<Json> json = Json::parse(Json::of(value).print());
    ASSERT_TRUE(json.isOk()) << json.message();
    EXPECT_EQ(json->number, value);
  }
  for (int64_t value : {INT64_MIN, int64_t(0), INT64_MAX}) {
    rt::Result<Json> json = Json::parse(Json::of(value).print());
    ASSERT_TRUE(json.isOk()) << json.message();
    EXPECT_EQ(json->integer, value);
  }
  EXPECT_EQ(Json::of(HUGE_VAL).print(), "null\n");
  EXPECT_EQ(Json::of(std::nan("")).print(), "null\n");
}

TEST(Json, PrintsNothingThatIsNoUnicode) {
  const std::pair<std::string, std::string> cases[] = {
      {"\x80", "\xef\xbf\xbd"},
      {"a\xc3", "a\xef\xbf\xbd"},
      {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}};
  for (const auto &[text, expected] : cases) {
    rt::Result<Json> json = Json::parse(Json::of(text).print());
    ASSERT_TRUE(json.isOk()) << json.message();
    EXPECT_EQ(json->string, expected);
  }
}

TEST(Json, RefusesTooManyValues) {
  std::string text = "[0";
  for (size_t i = 2; i < limits::kJsonValues; ++i)
    text += ",0";
  EXPECT_TRUE(Json::parse(text + "]").isOk()); // The list counts.
  rt::Result<Json> json = Json::parse(text + ",0]");
  ASSERT_FALSE(json.isOk());
  EXPECT_NE(json.message().find("more than 1048576 values"), std::string::npos)
      << json.message();
}
