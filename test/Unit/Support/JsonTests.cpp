//===- JsonTests.cpp - The reader of JSON -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Json.h"

#include "gtest/gtest.h"

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
