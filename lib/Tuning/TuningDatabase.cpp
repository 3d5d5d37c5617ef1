//===- TuningDatabase.cpp - Configs that were measured --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Tuning/TuningDatabase.h"
#include "qcc/Support/FileIO.h"
#include "qcc/Support/InputLimits.h"
#include "qcc/Support/Json.h"
#include <tuple>

using namespace qcc;

static constexpr const char *kFormat = "qcc-tuning";
static constexpr int64_t kVersion = 1;
/// How many entries that are ignored are named one by one.
static constexpr size_t kMaxProblems = 16;

bool TuningKey::operator<(const TuningKey &other) const {
  return std::tie(target, shape, kernel) <
         std::tie(other.target, other.shape, other.kernel);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A member that is a text; false if the member is missing or no text.
static bool readText(const Json &object, const char *name, std::string &text) {
  const Json *member = object.find(name);
  if (!member || member->kind != Json::String || member->string.empty())
    return false;
  text = member->string;
  return true;
}

/// Reads what an entry says of its measurement; each member may be absent.
static void readMeasurement(const Json &object, TuningEntry &entry) {
  const Json *measured = object.find("measured");
  if (!measured)
    return;
  readText(*measured, "shape", entry.measuredShape);
  if (const Json *threads = measured->find("threads"))
    entry.threads = threads->integer;
  if (const Json *seconds = measured->find("seconds"))
    entry.seconds = seconds->number;
  if (const Json *seconds = measured->find("model_seconds"))
    entry.modelSeconds = seconds->number;
}

rt::Result<TuningDatabase> TuningDatabase::parse(std::string_view text) {
  rt::Result<Json> json = Json::parse(text);
  if (!json.isOk())
    return rt::corrupt("is no tuning database: " + json.message());
  std::string format;
  if (!readText(*json, "format", format) || format != kFormat)
    return rt::corrupt("is no tuning database: it does not say \"format\": "
                       "\"qcc-tuning\"");
  const Json *version = json->find("version");
  if (!version || version->kind != Json::Integer ||
      version->integer != kVersion)
    return rt::corrupt("is a tuning database of another version than " +
                       std::to_string(kVersion) + "; tune again");
  const Json *list = json->find("entries");
  if (!list || list->kind != Json::Array)
    return rt::corrupt("is no tuning database: it has no list 'entries'");
  TuningDatabase database;
  size_t ignored = 0;
  for (size_t i = 0; i < list->array.size(); ++i) {
    const Json &object = list->array[i];
    auto ignore = [&](const std::string &why) {
      if (++ignored <= kMaxProblems)
        database.problems.push_back("entry " + std::to_string(i) + " " + why +
                                    "; it is ignored");
    };
    TuningKey key;
    TuningEntry entry;
    const char *missing = nullptr;
    for (auto [name, member] :
         {std::pair("target", &key.target), std::pair("shape", &key.shape),
          std::pair("kernel", &key.kernel), std::pair("config", &entry.config)})
      if (!missing && !readText(object, name, *member))
        missing = name;
    if (missing) {
      ignore("has no text '" + std::string(missing) + "'");
      continue;
    }
    readText(object, "about", entry.about);
    readMeasurement(object, entry);
    if (database.find(key))
      ignore("is for the same kernel as one before it");
    else
      database.set(std::move(key), std::move(entry));
  }
  if (ignored > kMaxProblems)
    database.problems.push_back(std::to_string(ignored - kMaxProblems) +
                                " more entries are ignored, like these");
  return database;
}

static rt::Result<std::string> readFile(const std::string &path) {
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return file.status();
  if (file->size() > limits::kTuningBytes)
    return rt::corrupt("is too large for a tuning database: it has " +
                       std::to_string(file->size()) + " bytes, at most " +
                       std::to_string(limits::kTuningBytes) + " are read");
  std::string text(size_t(file->size()), '\0');
  rt::Status status = file->read(text.data(), file->size(), 0);
  if (!status.isOk())
    return status;
  return text;
}

rt::Result<TuningDatabase> TuningDatabase::read(const std::string &path) {
  std::string prefix = "'" + path + "' ";
  rt::Result<std::string> text = readFile(path);
  if (!text.isOk())
    return text.status().withPrefix(
        text.status().code() == rt::StatusCode::Corrupt ? prefix : path + ": ");
  rt::Result<TuningDatabase> database = parse(*text);
  if (!database.isOk())
    return database.status().withPrefix(prefix);
  for (std::string &problem : database->problems)
    problem = path + ": " + problem;
  return database;
}

rt::Result<LoadedTuning> qcc::loadTuning(const std::string &path) {
  rt::Result<TuningDatabase> database = TuningDatabase::read(path);
  LoadedTuning loaded;
  if (database.isOk()) {
    loaded.warnings = database->problems;
    loaded.database =
        std::make_shared<const TuningDatabase>(*std::move(database));
  } else if (database.status().code() == rt::StatusCode::Corrupt) {
    loaded.warnings.push_back(database.message() + "; it is ignored");
    loaded.database = std::make_shared<const TuningDatabase>();
  } else {
    return database.status();
  }
  return loaded;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Json toJson(const TuningKey &key, const TuningEntry &entry) {
  Json object = Json::dictionary();
  object.add("target", Json::of(key.target));
  object.add("shape", Json::of(key.shape));
  object.add("kernel", Json::of(key.kernel));
  object.add("config", Json::of(entry.config));
  if (!entry.about.empty())
    object.add("about", Json::of(entry.about));
  if (!entry.measuredShape.empty()) {
    Json measured = Json::dictionary();
    measured.add("shape", Json::of(entry.measuredShape));
    measured.add("threads", Json::of(entry.threads));
    measured.add("seconds", Json::of(entry.seconds));
    measured.add("model_seconds", Json::of(entry.modelSeconds));
    object.add("measured", std::move(measured));
  }
  return object;
}

std::string TuningDatabase::print() const {
  Json list = Json::list();
  for (const auto &[key, entry] : entries)
    list.add(toJson(key, entry));
  Json database = Json::dictionary();
  database.add("format", Json::of(kFormat));
  database.add("version", Json::of(kVersion));
  database.add("entries", std::move(list));
  return database.print();
}

rt::Status TuningDatabase::write(const std::string &path) const {
  return writeFile(path, print());
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const TuningEntry *TuningDatabase::find(const TuningKey &key) const {
  auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::vector<std::string>
TuningDatabase::targetsOf(std::string_view shape,
                          std::string_view kernel) const {
  std::vector<std::string> targets;
  for (const auto &[key, entry] : entries)
    if (key.shape == shape && key.kernel == kernel)
      targets.push_back(key.target);
  return targets;
}

bool TuningDatabase::set(TuningKey key, TuningEntry entry) {
  return !entries.insert_or_assign(std::move(key), std::move(entry)).second;
}
