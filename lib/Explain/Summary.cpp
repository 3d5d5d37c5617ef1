//===- Summary.cpp - Shares of work and reasons ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Summary.h"

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

void WorkSum::add(const StepExplanation &step, double ownSeconds) {
  ++steps;
  addTo(operations, step.numOperations);
  addTo(bytes, step.numBytes);
  seconds += ownSeconds;
}

static std::string kindOf(const StepExplanation &step) {
  std::string name = toString(step.work).str();
  if (!isContraction(step.work))
    return name;
  return name + (step.isContraction() ? "s by kernels" : "s by generic loops");
}

/// Why the step is not faster, and which change of the model would make it so;
/// an empty text where it is as fast as can be.
static std::pair<std::string, std::string>
reasonOf(const StepExplanation &step) {
  if (step.work == WorkKind::Packing)
    return {"an operand is packed at every call, since it is not a constant of "
            "the program",
            "make it a constant, such as an initializer"};
  if (step.work == WorkKind::FloatContraction)
    return {step.isContraction() ? "its operands are floats" : step.refused,
            "quantize both operands to 8 bits"};
  return {step.refused, ""};
}

static double shareOf(std::optional<int64_t> part, std::optional<int64_t> all) {
  return part && all && *all > 0 ? double(*part) / double(*all) : 0;
}

Summary::Summary(const EntryReport &entry, SecondsOf secondsOf) {
  for (const StepExplanation &step : entry.steps) {
    double seconds = secondsOf ? secondsOf(step) : 0;
    total.add(step, seconds);
    std::string name = kindOf(step);
    auto kind =
        llvm::find_if(kinds, [&](const Kind &k) { return k.name == name; });
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), {name, {}});
    kind->sum.add(step, seconds);

    auto [text, remedy] = reasonOf(step);
    if (text.empty())
      continue;
    auto reason = llvm::find_if(
        reasons, [&, &text = text](const Reason &r) { return r.text == text; });
    if (reason == reasons.end())
      reason = reasons.insert(reasons.end(), {text, remedy, {}, {}});
    reason->steps.push_back(step.step());
    reason->sum.add(step, seconds);
  }
  auto price = [&](const WorkSum &sum) {
    return total.seconds > 0
               ? sum.seconds / total.seconds
               : std::max(shareOf(sum.operations, total.operations),
                          shareOf(sum.bytes, total.bytes));
  };
  llvm::stable_sort(kinds, [&](const Kind &a, const Kind &b) {
    return price(a.sum) > price(b.sum);
  });
  llvm::stable_sort(reasons, [&](const Reason &a, const Reason &b) {
    return price(a.sum) > price(b.sum);
  });
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Value toJson(std::optional<int64_t> amount) {
  return amount ? llvm::json::Value(*amount) : llvm::json::Value(nullptr);
}

static llvm::json::Object toJson(const WorkSum &sum) {
  return llvm::json::Object{{"steps", sum.steps},
                            {"operations", toJson(sum.operations)},
                            {"bytes", toJson(sum.bytes)}};
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
