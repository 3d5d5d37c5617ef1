//===- DiffReport.cpp - Report of qcc diff --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Describe.h"
#include "common/Diff.h"
#include "common/Text.h"

#include <cmath>

namespace qcc::tools {

static std::string typeText(const rt::OperandInfo &info) {
  std::string text = info.dtype.name();
  if (info.quantization)
    text += ", " + quantizationText(*info.quantization);
  return text;
}

static std::string decibels(const DiffValue &value) {
  double ratio = value.difference.signalToNoise();
  if (std::isinf(ratio))
    return ratio > 0 ? "exact" : "none";
  return format("%.1f dB", ratio);
}

static std::string stepName(const rt::Entry &entry, size_t step) {
  return std::string(entry.steps[step].name);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string valueTable(const DiffReport &report) {
  Table table("lrrrrll");
  table.add({report.matching.byStep ? "step" : "layer", "largest error", "mean",
             "signal/noise", "differ", "in A", "in B"});
  for (size_t i = 0; i < report.values.size(); ++i) {
    const MatchedValue &match = report.matching.values[i];
    const DiffValue &value = report.values[i];
    std::string typeA = typeText(match.a.info(*report.entryA));
    std::string typeB = typeText(match.b.info(*report.entryB));
    if (!value.reason.empty()) {
      table.add({match.name, "-", "-", "-", value.reason, typeA, typeB});
      continue;
    }
    const Difference &d = value.difference;
    table.add(
        {match.name, format("%.4g", d.largest), format("%.4g", d.mean),
         decibels(value),
         format("%lld of %lld", (long long)d.differing, (long long)d.elements),
         typeA, typeB});
  }
  return table.print("  ");
}

/// "only in A: softmax (main.step3.generic), fc1 (part of B's main.step0)"
static std::string unmatchedLine(const char *side, const char *other,
                                 const std::vector<UnmatchedLayer> &layers,
                                 const rt::Entry &entry,
                                 const rt::Entry &otherEntry) {
  if (layers.empty())
    return "";
  std::vector<std::string> texts;
  for (const UnmatchedLayer &layer : layers)
    texts.push_back(layer.name + " (" + stepName(entry, layer.step) +
                    (layer.partOf
                         ? std::string("; inside of ") + other + "'s " +
                               stepName(otherEntry, *layer.partOf)
                         : "") +
                    ")");
  return std::string("only in ") + side + ": " + join(texts) + "\n";
}

/// "no difference in 5 values; 2 could not be compared"
static std::string noDifferenceLine(const DiffReport &report) {
  size_t compared = 0, incomparable = 0;
  for (const DiffValue &value : report.values)
    ++(value.reason.empty() ? compared : incomparable);
  auto values = [](size_t count) {
    return std::to_string(count) + (count == 1 ? " value" : " values");
  };
  std::string text = "no difference in " + values(compared);
  if (incomparable > 0)
    text += "; " + values(incomparable) + " could not be compared";
  return text + "\n";
}

std::string diffText(const DiffSide &a, const DiffSide &b,
                     const DiffReport &report) {
  const rt::Entry &entryA = *report.entryA, &entryB = *report.entryB;
  std::string text =
      "A: " + a.name + ", entry " + std::string(entryA.name) +
      "\nB: " + b.name + ", entry " + std::string(entryB.name) + "\n" +
      valueTable(report) +
      unmatchedLine("A", "B", report.matching.onlyA, entryA, entryB) +
      unmatchedLine("B", "A", report.matching.onlyB, entryB, entryA);
  if (!report.first)
    return text + noDifferenceLine(report);
  const MatchedValue &match = report.matching.values[*report.first];
  const DiffValue &value = report.values[*report.first];
  return text + "first difference: " + match.name + ", " +
         stepName(entryA, match.a.step) + " of A and " +
         stepName(entryB, match.b.step) + " of B" +
         (value.reason.empty() ? ", at " + value.first : ": " + value.reason) +
         "\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json placeJson(const rt::Entry &entry, StepOutput place) {
  const rt::OperandInfo &info = place.info(entry);
  Json json = Json::dictionary();
  json.add("step", Json::of(entry.steps[place.step].name));
  json.add("output", Json::of(int64_t(place.output)));
  json.add("location", Json::of(entry.steps[place.step].location));
  json.add("dtype", Json::of(info.dtype.name()));
  if (info.quantization)
    json.add("quantization", quantizationJson(*info.quantization));
  return json;
}

static Json unmatchedJson(const std::vector<UnmatchedLayer> &layers,
                          const rt::Entry &entry, const rt::Entry &other) {
  Json list = Json::list();
  for (const UnmatchedLayer &layer : layers) {
    Json json = Json::dictionary();
    json.add("layer", Json::of(layer.name));
    json.add("step", Json::of(entry.steps[layer.step].name));
    if (layer.partOf)
      json.add("inside_of", Json::of(other.steps[*layer.partOf].name));
    list.add(std::move(json));
  }
  return list;
}

Json diffJson(const DiffSide &a, const DiffSide &b, const DiffReport &report) {
  const rt::Entry &entryA = *report.entryA, &entryB = *report.entryB;
  Json json = Json::dictionary();
  json.add("a", Json::of(a.name));
  json.add("b", Json::of(b.name));
  json.add("entry_a", Json::of(entryA.name));
  json.add("entry_b", Json::of(entryB.name));
  json.add("matched_by", Json::of(report.matching.byStep ? "step" : "layer"));
  Json values = Json::list();
  for (size_t i = 0; i < report.values.size(); ++i) {
    const MatchedValue &match = report.matching.values[i];
    const DiffValue &value = report.values[i];
    Json entry = Json::dictionary();
    entry.add("name", Json::of(match.name));
    entry.add("a", placeJson(entryA, match.a));
    entry.add("b", placeJson(entryB, match.b));
    entry.add("comparable", Json::of(value.reason.empty()));
    if (!value.reason.empty()) {
      entry.add("obstacle", Json::of(value.reason));
    } else {
      const Difference &d = value.difference;
      entry.add("elements", Json::of(d.elements));
      entry.add("differing", Json::of(d.differing));
      entry.add("largest_error", Json::of(d.largest));
      entry.add("mean_error", Json::of(d.mean));
      entry.add("relative_error", Json::of(d.relative()));
      entry.add("signal_to_noise_db", Json::of(d.signalToNoise()));
    }
    values.add(std::move(entry));
  }
  json.add("values", std::move(values));
  json.add("only_a", unmatchedJson(report.matching.onlyA, entryA, entryB));
  json.add("only_b", unmatchedJson(report.matching.onlyB, entryB, entryA));
  json.add("first_difference",
           report.first ? Json::of(report.matching.values[*report.first].name)
                        : Json());
  return json;
}

} // namespace qcc::tools
