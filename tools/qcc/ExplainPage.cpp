//===- ExplainPage.cpp - HTML page of qcc explain -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ExplainPage.html draws what `qcc explain --json` prints; the build makes a
// string of it, since the page must be one file that loads no other.
//
//===----------------------------------------------------------------------===//

#include "ExplainPage.h"
#include "qcc/Support/FileIO.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace qcc;
using namespace qcc::driver;

static constexpr llvm::StringLiteral kPage =
#include "ExplainPage.inc"
    ;

/// JSON that no HTML parser takes for the end of its element.
static std::string escape(const llvm::json::Value &value) {
  std::string text = llvm::formatv("{0}", value), escaped;
  for (char c : text)
    escaped += c == '<' ? "\\u003c" : std::string(1, c);
  return escaped;
}

std::string driver::makeExplainPage(llvm::StringRef program,
                                    llvm::json::Object report,
                                    std::optional<llvm::json::Object> profile) {
  llvm::json::Object data{{"program", program.str()},
                          {"report", std::move(report)}};
  if (profile)
    data["profile"] = std::move(*profile);
  auto [before, after] = kPage.split("%REPORT%");
  return (before + escape(std::move(data)) + after).str();
}

/// Why the profile is not one of the program, or "".
static std::string findMismatch(const llvm::json::Object &profile,
                                const ProgramReport &report) {
  auto name = profile.getString("entry");
  const llvm::json::Array *steps = profile.getArray("steps");
  if (!name || !steps || !profile.getNumber("median_seconds"))
    return "is not what `qcc bench --json` writes";
  std::set<llvm::StringRef> timed;
  for (const llvm::json::Value &step : *steps) {
    const llvm::json::Object *object = step.getAsObject();
    if (!object || !object->getString("name") || !object->getNumber("share") ||
        !object->getNumber("seconds"))
      return "is not what `qcc bench --json` writes";
    timed.insert(*object->getString("name"));
  }
  for (const EntryReport &entry : report.entries) {
    if (entry.name != *name)
      continue;
    bool isSame = timed.size() == entry.steps.size();
    for (const StepExplanation &step : entry.steps)
      isSame &= timed.count(step.step()) != 0;
    return isSame
               ? ""
               : "has other steps than entry '" + entry.name +
                     "'; measure what explain compiles, by qcc bench with the "
                     "same options";
  }
  return "is of entry '" + name->str() + "', which the program does not have";
}

llvm::Expected<llvm::json::Object>
driver::readProfile(const std::string &path, const ProgramReport &report) {
  // A step has some hundred bytes.
  constexpr int64_t kLimit = int64_t(64) << 20;
  rt::Result<std::string> text = readWholeFile(path, kLimit);
  if (!text.isOk())
    return llvm::createStringError(text.message());
  auto value = llvm::json::parse(*text);
  if (!value)
    return llvm::createStringError("the profile '" + path + "' is no JSON: " +
                                   llvm::toString(value.takeError()));
  llvm::json::Object *profile = value->getAsObject();
  std::string mismatch = profile ? findMismatch(*profile, report)
                                 : "is not what `qcc bench --json` writes";
  if (!mismatch.empty())
    return llvm::createStringError("the profile '" + path + "' " + mismatch);
  return std::move(*profile);
}
