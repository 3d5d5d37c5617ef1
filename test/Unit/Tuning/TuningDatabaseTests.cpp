//===- TuningDatabaseTests.cpp --------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/TemporaryFolder.h"
#include "qcc/Tuning/TuningDatabase.h"
#include <gtest/gtest.h>

using namespace qcc;
using rt::StatusCode;

static TuningEntry entryOf(std::string config) {
  TuningEntry entry;
  entry.config = std::move(config);
  return entry;
}

static TuningDatabase twoEntries() {
  TuningDatabase database;
  TuningEntry entry = entryOf("#x86.config<a>");
  entry.about = "i8 * i8 -> \"i8\"";
  entry.measuredShape = "7x8x9";
  entry.threads = 2;
  entry.seconds = 0.0625;
  entry.modelSeconds = 0.125;
  EXPECT_FALSE(database.set({"native", "?x8x9", "0123456789abcdef"}, entry));
  EXPECT_FALSE(database.set({"cascadelake", "?x8x9", "0123456789abcdef"},
                            entryOf("#x86.config<b>")));
  return database;
}

TEST(TuningDatabase, RoundTrip) {
  std::string text = twoEntries().print();
  auto read = TuningDatabase::parse(text);
  ASSERT_TRUE(read.isOk()) << read.message();
  EXPECT_TRUE(read->problems.empty());
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(read->print(), text);
  const TuningEntry *entry =
      read->find({"native", "?x8x9", "0123456789abcdef"});
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->config, "#x86.config<a>");
  EXPECT_EQ(entry->about, "i8 * i8 -> \"i8\"");
  EXPECT_EQ(entry->measuredShape, "7x8x9");
  EXPECT_EQ(entry->threads, 2);
  EXPECT_EQ(entry->seconds, 0.0625);
  EXPECT_EQ(entry->modelSeconds, 0.125);
  EXPECT_FALSE(read->find({"native", "?x8x9", "0"}));
  EXPECT_FALSE(read->find({"native", "1x8x9", "0123456789abcdef"}));
  EXPECT_EQ(read->targetsOf("?x8x9", "0123456789abcdef"),
            (std::vector<std::string>{"cascadelake", "native"}));
  EXPECT_TRUE(read->targetsOf("?x8x9", "0").empty());
}

TEST(TuningDatabase, LaterEntriesReplaceEarlierOnes) {
  TuningDatabase database = twoEntries();
  EXPECT_TRUE(database.set({"native", "?x8x9", "0123456789abcdef"},
                           entryOf("#x86.config<c>")));
  EXPECT_EQ(database.size(), 2u);
  EXPECT_EQ(database.find({"native", "?x8x9", "0123456789abcdef"})->config,
            "#x86.config<c>");
}

TEST(TuningDatabase, TextDoesNotDependOnTheOrder) {
  TuningDatabase one, other;
  for (const char *kernel : {"a", "b", "c"})
    one.set({"t", "1x1x1", kernel}, entryOf(kernel));
  for (const char *kernel : {"c", "a", "b"})
    other.set({"t", "1x1x1", kernel}, entryOf(kernel));
  EXPECT_EQ(one.print(), other.print());
}

TEST(TuningDatabase, NoDatabase) {
  auto message = [](const char *text) {
    auto database = TuningDatabase::parse(text);
    EXPECT_FALSE(database.isOk());
    EXPECT_EQ(database.status().code(), StatusCode::Corrupt);
    return database.message();
  };
  EXPECT_EQ(message("").rfind("is no tuning database: ", 0), 0u);
  EXPECT_EQ(message("{\"format\": ").rfind("is no tuning database: ", 0), 0u);
  const char *format =
      "is no tuning database: it does not say \"format\": \"qcc-tuning\"";
  EXPECT_EQ(message("[]"), format);
  EXPECT_EQ(message("{}"), format);
  EXPECT_EQ(message("{\"format\": 1}"), format);
  EXPECT_EQ(message("{\"format\": \"other\"}"), format);
  const char *version =
      "is a tuning database of another version than 1; tune again";
  EXPECT_EQ(message("{\"format\": \"qcc-tuning\"}"), version);
  EXPECT_EQ(message("{\"format\": \"qcc-tuning\", \"version\": 2}"), version);
  EXPECT_EQ(message("{\"format\": \"qcc-tuning\", \"version\": \"1\"}"),
            version);
  EXPECT_EQ(message("{\"format\": \"qcc-tuning\", \"version\": 1}"),
            "is no tuning database: it has no list 'entries'");
  EXPECT_EQ(message("{\"format\": \"qcc-tuning\", \"version\": 1, \"entries\": "
                    "{}}"),
            "is no tuning database: it has no list 'entries'");
}

TEST(TuningDatabase, DamagedEntriesAreLeftOut) {
  auto database = TuningDatabase::parse(R"({
    "format": "qcc-tuning", "version": 1, "later": true, "entries": [
      7,
      {"shape": "1x1x1", "kernel": "k", "config": "c"},
      {"target": "t", "shape": [1], "kernel": "k", "config": "c"},
      {"target": "t", "shape": "1x1x1", "kernel": "k", "config": ""},
      {"target": "t", "shape": "1x1x1", "kernel": "k", "config": "good",
       "about": 7, "measured": {"shape": 1, "threads": "many"}},
      {"target": "t", "shape": "1x1x1", "kernel": "k", "config": "again"}
    ]})");
  ASSERT_TRUE(database.isOk()) << database.message();
  EXPECT_EQ(database->size(), 1u);
  EXPECT_EQ(database->find({"t", "1x1x1", "k"})->config, "good");
  EXPECT_EQ(database->problems,
            (std::vector<std::string>{
                "entry 0 has no text 'target'; it is ignored",
                "entry 1 has no text 'target'; it is ignored",
                "entry 2 has no text 'shape'; it is ignored",
                "entry 3 has no text 'config'; it is ignored",
                "entry 5 is for the same kernel as one before it; it is "
                "ignored"}));
}

TEST(TuningDatabase, NamesSomeOfManyProblems) {
  std::string text = R"({"format": "qcc-tuning", "version": 1, "entries": [0)";
  for (int i = 1; i < 1000; ++i)
    text += ",0";
  auto database = TuningDatabase::parse(text + "]}");
  ASSERT_TRUE(database.isOk()) << database.message();
  ASSERT_EQ(database->problems.size(), 17u);
  EXPECT_EQ(database->problems.back(),
            "984 more entries are ignored, like these");
}

TEST(TuningDatabase, Files) {
  test::TemporaryFolder folder;
  std::string path = folder.path + "/db.json";
  auto missing = TuningDatabase::read(path);
  ASSERT_FALSE(missing.isOk());
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  EXPECT_EQ(missing.message().rfind(path + ": ", 0), 0u) << missing.message();
  ASSERT_TRUE(twoEntries().write(path).isOk());
  EXPECT_EQ(folder.countFiles(), 1);
  auto read = TuningDatabase::read(path);
  ASSERT_TRUE(read.isOk()) << read.message();
  EXPECT_EQ(read->size(), 2u);
  // A folder that is not there: nothing is left behind.
  EXPECT_FALSE(twoEntries().write(folder.path + "/none/db.json").isOk());
  EXPECT_EQ(folder.countFiles(), 1);
}

/// What cannot be used never keeps one from compiling; what was named and is
/// not there does.
TEST(TuningDatabase, Loading) {
  test::TemporaryFolder folder;
  EXPECT_EQ(loadTuning(folder.path + "/none").status().code(),
            StatusCode::NotFound);
  std::string damaged = folder.write("damaged", twoEntries().print() + "}");
  auto loaded = loadTuning(damaged);
  ASSERT_TRUE(loaded.isOk());
  EXPECT_EQ(loaded->database->size(), 0u);
  ASSERT_EQ(loaded->warnings.size(), 1u);
  EXPECT_EQ(loaded->warnings[0].rfind("'" + damaged + "' is no tuning ", 0),
            0u);
  std::string partly = folder.write(
      "partly", R"({"format": "qcc-tuning", "version": 1, "entries": [{}]})");
  loaded = loadTuning(partly);
  ASSERT_TRUE(loaded.isOk());
  EXPECT_EQ(loaded->warnings,
            std::vector<std::string>{
                partly + ": entry 0 has no text 'target'; it is ignored"});
}

/// Cut anywhere, a database is refused, or read in full.
TEST(TuningDatabase, TruncatedFiles) {
  std::string text = twoEntries().print();
  for (size_t size = 0; size < text.size(); ++size) {
    auto database = TuningDatabase::parse(text.substr(0, size));
    if (database.isOk())
      EXPECT_EQ(database->print(), text) << size;
  }
}
