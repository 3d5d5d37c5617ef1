//===- Match.cpp - Which outputs of two programs are the same value -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Match.h"

#include <algorithm>
#include <tuple>

namespace qcc::tools {

bool areAlternatives(const rt::Step &step, const rt::OperandInfo &output,
                     const rt::Step &other,
                     const rt::OperandInfo &otherOutput) {
  return step.launch && other.launch && output.kind == otherOutput.kind &&
         output.index.literal() == otherOutput.index.literal() &&
         output.layer == otherOutput.layer;
}

bool StepOutput::isComputedBy(const rt::Entry &entry, size_t other) const {
  if (other == step)
    return true;
  const rt::Step &candidate = entry.steps[other];
  return std::any_of(candidate.outputs.begin(), candidate.outputs.end(),
                     [&](const rt::OperandInfo &found) {
                       return areAlternatives(entry.steps[step], info(entry),
                                              candidate, found);
                     });
}

static bool hasSameSteps(const rt::Entry &a, const rt::Entry &b) {
  return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(),
                    b.steps.end(), [](const rt::Step &x, const rt::Step &y) {
                      return x.name == y.name && x.layer == y.layer &&
                             x.location == y.location &&
                             std::equal(x.outputs.begin(), x.outputs.end(),
                                        y.outputs.begin(), y.outputs.end(),
                                        [](const auto &p, const auto &q) {
                                          return p.dtype == q.dtype &&
                                                 p.layer == q.layer &&
                                                 p.dims.size() == q.dims.size();
                                        });
                    });
}

namespace {
/// The forms in which a program may hold the value of a layer.
enum Form { Float, Quantized, Raw, NumForms };

/// A layer and the outputs that hold its value, in each form.
struct Layer {
  std::string_view name;
  std::string_view value; ///< the name of its value, or empty
  std::vector<StepOutput> forms[NumForms];
  /// The form that comes last; raw integers, whose meaning is unknown, only
  /// where there is nothing else.
  Form last = Raw;
};
} // namespace

static Form formOf(const rt::OperandInfo &info) {
  if (info.quantization)
    return Quantized;
  return info.dtype.isFloat() ? Float : Raw;
}

static std::vector<Layer> layersOf(const rt::Entry &entry) {
  std::vector<Layer> layers;
  for (size_t s = 0; s < entry.steps.size(); ++s) {
    const std::vector<rt::OperandInfo> &outputs = entry.steps[s].outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o].layer.empty())
        continue;
      auto layer =
          std::find_if(layers.begin(), layers.end(), [&](const Layer &layer) {
            return layer.name == outputs[o].layer;
          });
      if (layer == layers.end())
        layer = layers.insert(
            layer, Layer{outputs[o].layer, outputs[o].name, {}, Raw});
      Form form = formOf(outputs[o]);
      std::vector<StepOutput> &places = layer->forms[form];
      // Of several steps the last one counts.
      if (!places.empty() && places.back().step != s)
        places.clear();
      places.push_back({s, o});
      if (form != Raw)
        layer->last = form;
    }
  }
  return layers;
}

static bool isQuantized(const rt::Entry &entry) {
  auto has = [](const auto &list) {
    return std::any_of(list.begin(), list.end(), [](const auto &info) {
      return info.quantization.has_value();
    });
  };
  return has(entry.arguments) || has(entry.results) ||
         std::any_of(entry.steps.begin(), entry.steps.end(),
                     [&](const rt::Step &step) { return has(step.outputs); });
}

/// The step that belongs to a layer without showing its value.
static std::optional<size_t> findPart(const rt::Entry &entry,
                                      std::string_view layer) {
  for (size_t s = entry.steps.size(); s-- > 0;)
    if (entry.steps[s].layer == layer)
      return s;
  return std::nullopt;
}

/// The layer of B that matches each layer of A, or null.
static std::vector<const Layer *> pair(const std::vector<Layer> &layersA,
                                       const std::vector<Layer> &layersB) {
  std::vector<const Layer *> pairs(layersA.size());
  auto match = [&](auto areOne) {
    for (size_t i = 0; i < layersA.size(); ++i)
      for (const Layer &b : layersB)
        if (!pairs[i] && areOne(layersA[i], b) &&
            std::find(pairs.begin(), pairs.end(), &b) == pairs.end())
          pairs[i] = &b;
  };
  match([](const Layer &a, const Layer &b) {
    return !a.value.empty() && a.value == b.value;
  });
  match([](const Layer &a, const Layer &b) { return a.name == b.name; });
  return pairs;
}

/// Quantized programs are compared in a form that both have. Otherwise the last
/// form is what the rest of the program goes on with.
static void matchForms(const Layer &a, const Layer &b, bool inCommon,
                       Matching &matching) {
  Form formA = a.last, formB = b.last;
  if (inCommon)
    for (Form form : {a.last, Quantized, Float, Raw})
      if (!a.forms[form].empty() && !b.forms[form].empty()) {
        formA = formB = form;
        break;
      }
  const std::vector<StepOutput> &inA = a.forms[formA], &inB = b.forms[formB];
  size_t count = std::min(inA.size(), inB.size());
  for (size_t i = 0; i < count; ++i) {
    std::string name(a.name);
    if (count > 1)
      name += "#" + std::to_string(i);
    matching.values.push_back({std::move(name), inA[i], inB[i]});
  }
  auto addSurplus = [&](const std::vector<StepOutput> &places,
                        std::vector<UnmatchedLayer> &unmatched) {
    for (size_t i = count; i < places.size(); ++i)
      unmatched.push_back({std::string(a.name) + "#" + std::to_string(i),
                           places[i].step, std::nullopt});
  };
  addSurplus(inA, matching.onlyA);
  addSurplus(inB, matching.onlyB);
}

static void addUnmatched(const Layer &layer, const rt::Entry &other,
                         std::vector<UnmatchedLayer> &unmatched) {
  unmatched.push_back({std::string(layer.name),
                       layer.forms[layer.last].front().step,
                       findPart(other, layer.name)});
}

static void matchLayers(const rt::Entry &a, const rt::Entry &b,
                        Matching &matching) {
  std::vector<Layer> layersA = layersOf(a), layersB = layersOf(b);
  bool inCommon = isQuantized(a) && isQuantized(b);
  std::vector<const Layer *> pairs = pair(layersA, layersB);
  for (size_t i = 0; i < layersA.size(); ++i) {
    if (pairs[i])
      matchForms(layersA[i], *pairs[i], inCommon, matching);
    else
      addUnmatched(layersA[i], b, matching.onlyA);
  }
  for (const Layer &layer : layersB)
    if (std::find(pairs.begin(), pairs.end(), &layer) == pairs.end())
      addUnmatched(layer, a, matching.onlyB);
}

static void matchSteps(const rt::Entry &a, Matching &matching) {
  matching.byStep = true;
  for (size_t s = 0; s < a.steps.size(); ++s) {
    const rt::Step &step = a.steps[s];
    for (size_t o = 0; o < step.outputs.size(); ++o) {
      std::string name(step.name);
      if (!step.outputs[o].layer.empty())
        name += " (" + std::string(step.outputs[o].layer) + ")";
      if (step.outputs.size() > 1)
        name += "#" + std::to_string(o);
      matching.values.push_back({name, {s, o}, {s, o}});
    }
  }
}

/// The output that is written to a result, the last one if there are several.
static std::optional<StepOutput> findResult(const rt::Entry &entry,
                                            size_t index) {
  for (size_t s = entry.steps.size(); s-- > 0;) {
    const std::vector<rt::OperandInfo> &outputs = entry.steps[s].outputs;
    for (size_t o = 0; o < outputs.size(); ++o)
      if (outputs[o].kind == QCC_RESULT &&
          outputs[o].index.literal() == int64_t(index))
        return StepOutput{s, o};
  }
  return std::nullopt;
}

Matching matchValues(const rt::Entry &a, const rt::Entry &b) {
  Matching matching;
  if (hasSameSteps(a, b))
    matchSteps(a, matching);
  else
    matchLayers(a, b, matching);
  for (size_t i = 0; i < a.results.size() && i < b.results.size(); ++i) {
    std::optional<StepOutput> inA = findResult(a, i), inB = findResult(b, i);
    if (!inA || !inB)
      continue;
    bool isKnown = false;
    for (const MatchedValue &value : matching.values)
      isKnown |= value.a == *inA && value.b == *inB;
    if (!isKnown)
      matching.values.push_back({"result " + std::to_string(i), *inA, *inB});
  }
  std::sort(matching.values.begin(), matching.values.end(),
            [](const MatchedValue &x, const MatchedValue &y) {
              return std::tuple(x.a.step, x.a.output, x.b.step, x.b.output) <
                     std::tuple(y.a.step, y.a.output, y.b.step, y.b.output);
            });
  return matching;
}

} // namespace qcc::tools
