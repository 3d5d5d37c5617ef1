//===- Summary.cpp - Shares of work and reasons ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Summary.h"
#include "qcc/Explain/Remedies.h"

using namespace qcc;

static bool isContraction(WorkKind work) {
  return work == WorkKind::IntegerContraction ||
         work == WorkKind::FloatContraction;
}

/// A kernel of a contraction, or generic loops. Packing has code of its own.
static bool isGeneric(const StepExplanation &step) {
  return !step.isContraction() && step.work != WorkKind::Packing;
}

static void addTo(std::optional<int64_t> &sum, std::optional<int64_t> amount) {
  // Amounts of a program for huge dimensions do not fit.
  int64_t result = 0;
  bool isKnown =
      sum && amount && !__builtin_add_overflow(*sum, *amount, &result);
  sum = isKnown ? std::optional(result) : std::nullopt;
}

static void addTo(std::optional<double> &sum, std::optional<double> seconds) {
  sum = sum && seconds ? std::optional(*sum + *seconds) : std::nullopt;
}

void WorkSum::add(const StepExplanation &step) {
  ++steps;
  addTo(operations, step.numOperations);
  addTo(bytes, step.numBytes);
  addTo(constantBytes, step.numConstantBytes);
  addTo(constantSeconds, step.constantSeconds);
  addTo(measuredSeconds, step.measuredSeconds);
  addTo(expectedSeconds, step.expectedSeconds);
}

static std::string kindOf(const StepExplanation &step) {
  std::string name = toString(step.work).str();
  if (!isContraction(step.work))
    return name;
  return name + (step.isContraction() ? "s by kernels" : "s by generic loops");
}

static double shareOf(std::optional<int64_t> part, std::optional<int64_t> all) {
  return part && all && *all > 0 ? double(*part) / double(*all) : 0;
}

/// How expensive a part of `total` is; comparable between parts.
static double priceOf(const WorkSum &part, const WorkSum &total) {
  if (total.measuredSeconds)
    return *part.measuredSeconds;
  if (total.expectedSeconds)
    return *part.expectedSeconds;
  return std::max(shareOf(part.operations, total.operations),
                  shareOf(part.bytes, total.bytes));
}

/// The seconds that a remedy saves of a step.
static std::optional<double> costOf(const StepExplanation &step,
                                    const SlowStep &slow) {
  std::optional<double> seconds =
      step.measuredSeconds ? step.measuredSeconds : step.expectedSeconds;
  if (!seconds || !slow.saving)
    return std::nullopt;
  return *seconds * *slow.saving;
}

Summary::Summary(const EntryReport &entry) {
  for (const StepExplanation &step : entry.steps) {
    total.add(step);
    std::string name = kindOf(step);
    auto kind =
        llvm::find_if(kinds, [&](const Kind &k) { return k.name == name; });
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), {name, {}});
    kind->sum.add(step);

    SlowStep slow = SlowStep::of(step);
    if (slow.reason.empty())
      continue;
    auto reason = llvm::find_if(reasons, [&](const Reason &r) {
      return r.text == slow.reason && r.remedy == slow.remedy;
    });
    if (reason == reasons.end())
      reason =
          reasons.insert(reasons.end(), {slow.reason, slow.remedy, {}, {}});
    reason->steps.push_back(step.step());
    reason->sum.add(step);
    addTo(reason->costSeconds, costOf(step, slow));
  }
  auto isDearer = [&](const auto &a, const auto &b) {
    return priceOf(a.sum, total) > priceOf(b.sum, total);
  };
  llvm::stable_sort(kinds, isDearer);
  llvm::stable_sort(reasons, isDearer);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

template <typename T> static llvm::json::Value toJson(std::optional<T> amount) {
  return amount ? llvm::json::Value(*amount) : llvm::json::Value(nullptr);
}

static llvm::json::Object toJson(const WorkSum &sum) {
  return llvm::json::Object{{"steps", sum.steps},
                            {"operations", toJson(sum.operations)},
                            {"bytes", toJson(sum.bytes)},
                            {"constant_bytes", toJson(sum.constantBytes)},
                            {"constant_seconds", toJson(sum.constantSeconds)},
                            {"seconds", toJson(sum.measuredSeconds)},
                            {"expected_seconds", toJson(sum.expectedSeconds)}};
}

llvm::json::Object Summary::toJson() const {
  llvm::json::Array kindList, reasonList;
  for (const Kind &kind : kinds) {
    llvm::json::Object object = ::toJson(kind.sum);
    object["kind"] = kind.name;
    kindList.push_back(std::move(object));
  }
  for (const Reason &reason : reasons) {
    llvm::json::Object object = ::toJson(reason.sum);
    object["reason"] = reason.text;
    object["remedy"] = reason.remedy;
    object["cost_seconds"] = ::toJson(reason.costSeconds);
    object["names"] = llvm::json::Array(reason.steps);
    reasonList.push_back(std::move(object));
  }
  llvm::json::Object object = ::toJson(total);
  object["kinds"] = std::move(kindList);
  object["reasons"] = std::move(reasonList);
  return object;
}

//===----------------------------------------------------------------------===//
// What is unwanted
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kUnwantedNames[] = {
    "float-contraction", "generic-contraction", "generic", "packing"};

llvm::ArrayRef<llvm::StringLiteral> qcc::unwantedNames() {
  return kUnwantedNames;
}

std::optional<Unwanted> qcc::unwantedNamed(llvm::StringRef name) {
  auto found = llvm::find(kUnwantedNames, name);
  if (found == std::end(kUnwantedNames))
    return std::nullopt;
  return Unwanted(found - std::begin(kUnwantedNames));
}

bool qcc::isUnwanted(const StepExplanation &step, Unwanted what) {
  switch (what) {
  case Unwanted::FloatContraction:
    return step.work == WorkKind::FloatContraction;
  case Unwanted::GenericContraction:
    return isContraction(step.work) && isGeneric(step);
  case Unwanted::Generic:
    return isGeneric(step);
  case Unwanted::Packing:
    return step.work == WorkKind::Packing;
  }
  llvm_unreachable("covered switch");
}
