//===- ExplainPage.cpp - HTML page of qcc explain -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainPage.h"
#include "Page.h"
#include "qcc/Support/FileIO.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace qcc;
using namespace qcc::driver;

std::string driver::makeExplainPage(llvm::StringRef program,
                                    llvm::json::Object report,
                                    Measurements measurements) {
  llvm::json::Object data{{"program", program.str()},
                          {"report", std::move(report)}};
  for (auto [name, measured] : {std::pair("profile", &measurements.profile),
                                {"baseline", &measurements.baseline},
                                {"peaks", &measurements.peaks}})
    if (*measured)
      data[name] = std::move(**measured);
  return makePage(
      PageKind::Explain,
      llvm::formatv("{0}", llvm::json::Value(std::move(data))).str());
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

static constexpr char kNoProfile[] = "is not what `qcc bench --json` writes";

/// Why the profile is not one of the program, or "".
static std::string findMismatch(const llvm::json::Object &profile,
                                const ProgramReport &report) {
  auto name = profile.getString("entry");
  const llvm::json::Array *steps = profile.getArray("steps");
  if (!name || !steps || !profile.getNumber("median_seconds"))
    return kNoProfile;
  llvm::StringMap<std::optional<int64_t>> timed; // Operations of each step.
  for (const llvm::json::Value &step : *steps) {
    const llvm::json::Object *object = step.getAsObject();
    if (!object || !object->getString("name") || !object->getNumber("share") ||
        !object->getNumber("seconds"))
      return kNoProfile;
    timed[*object->getString("name")] = object->getInteger("operations");
  }
  for (const EntryReport &entry : report.entries) {
    if (entry.name != *name)
      continue;
    bool isSame = timed.size() == entry.steps.size(), hasSizes = true;
    for (const StepExplanation &step : entry.steps) {
      isSame &= timed.count(step.step()) != 0;
      std::optional<int64_t> operations = timed.lookup(step.step());
      hasSizes &= !operations || !step.numOperations ||
                  *operations == *step.numOperations;
    }
    std::string remedy = "; measure what explain compiles, by qcc bench with "
                         "the same options";
    if (!isSame)
      return "has other steps than entry '" + entry.name + "'" + remedy;
    return hasSizes ? "" : "is of other sizes (--dim)" + remedy;
  }
  return "is of entry '" + name->str() + "', which the program does not have";
}

/// Reads an object of JSON; messages call the file `what`.
static llvm::Expected<llvm::json::Object> readObject(const std::string &path,
                                                     const std::string &what,
                                                     const char *otherwise) {
  // A step has some hundred bytes.
  constexpr int64_t kLimit = int64_t(64) << 20;
  rt::Result<std::string> text = readWholeFile(path, kLimit);
  if (!text.isOk())
    return llvm::createStringError(text.message());
  auto value = llvm::json::parse(*text);
  if (!value)
    return llvm::createStringError(
        "the " + what + " '" + path +
        "' is no JSON: " + llvm::toString(value.takeError()));
  llvm::json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("the " + what + " '" + path + "' " +
                                   otherwise);
  return std::move(*object);
}

static llvm::Expected<llvm::json::Object>
readProfile(const std::string &path, const std::string &what,
            const ProgramReport &report) {
  auto profile = readObject(path, what, kNoProfile);
  if (!profile)
    return profile.takeError();
  std::string mismatch = findMismatch(*profile, report);
  if (!mismatch.empty())
    return llvm::createStringError("the " + what + " '" + path + "' " +
                                   mismatch);
  return std::move(*profile);
}

llvm::Expected<llvm::json::Object>
driver::readProfile(const std::string &path, const ProgramReport &report) {
  return ::readProfile(path, "profile", report);
}

llvm::Expected<llvm::json::Object>
driver::readBaseline(const std::string &path, const ProgramReport &report,
                     const llvm::json::Object &profile) {
  auto baseline = ::readProfile(path, "baseline", report);
  if (baseline && baseline->getString("entry") != profile.getString("entry"))
    return llvm::createStringError(
        "the baseline '" + path + "' is of entry '" +
        baseline->getString("entry")->str() + "', but the profile is of '" +
        profile.getString("entry")->str() +
        "'; measure one entry twice, by qcc bench --entry");
  return baseline;
}

//===----------------------------------------------------------------------===//
// Peaks
//===----------------------------------------------------------------------===//

/// Keeps the greater rate of a kind.
static void addPeak(llvm::json::Object &peaks, llvm::StringRef kind,
                    llvm::StringRef name, double rate) {
  const llvm::json::Object *known = peaks.getObject(kind);
  if (!known || *known->getNumber("rate") < rate)
    peaks[kind] = llvm::json::Object{{"name", name.str()}, {"rate", rate}};
}

/// The peaks in a file of `qcc-bench --json`; empty if it is another file.
static llvm::json::Object collectPeaks(const llvm::json::Object &file) {
  llvm::json::Object peaks;
  const llvm::json::Array *rates = file.getArray("peaks");
  const llvm::json::Array *shapes = file.getArray("shapes");
  auto threads = file.getInteger("threads");
  if (!rates || !shapes || !threads)
    return peaks;
  for (const llvm::json::Value &value : *rates) {
    const llvm::json::Object *peak = value.getAsObject();
    auto rate = peak ? peak->getNumber("rate") : std::nullopt;
    auto name = peak ? peak->getString("name") : std::nullopt;
    auto unit = peak ? peak->getString("unit") : std::nullopt;
    if (!rate || !name || !unit || *rate <= 0)
      return {};
    if (*unit == "GOP/s" || *unit == "GFLOP/s")
      addPeak(peaks, *unit == "GOP/s" ? "integer" : "float", *name,
              *rate * 1e9);
  }
  for (const llvm::json::Value &shape : *shapes)
    if (const llvm::json::Object *object = shape.getAsObject())
      if (const llvm::json::Object *read = object->getObject("bandwidth"))
        if (auto rate = read->getNumber("huge_pages"))
          addPeak(peaks, "bandwidth", "reading memory", *rate * 1e9);
  if (!peaks.empty())
    peaks["threads"] = *threads;
  return peaks;
}

llvm::Expected<llvm::json::Object>
driver::readPeaks(const std::string &path, const llvm::json::Object &profile) {
  const char *otherwise = "is not what `qcc-bench --json` writes";
  auto file = readObject(path, "file of peaks", otherwise);
  if (!file)
    return file.takeError();
  llvm::json::Object peaks = collectPeaks(*file);
  std::string mismatch;
  auto threads = profile.getInteger("threads");
  if (peaks.empty())
    mismatch = otherwise;
  else if (auto device = profile.getString("device"))
    mismatch = "has peaks of a processor, but the profile is of " +
               device->str() + "; leave out --peaks";
  else if (threads && threads != peaks.getInteger("threads"))
    mismatch =
        llvm::formatv("is of {0} thread(s), but the profile is of {1}; measure "
                      "both with the same --threads",
                      *peaks.getInteger("threads"), *threads);
  if (!mismatch.empty())
    return llvm::createStringError("the file of peaks '" + path + "' " +
                                   mismatch);
  return peaks;
}
