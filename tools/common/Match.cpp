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
/// A layer and the outputs that hold its value.
struct Layer {
  std::string_view name;
  std::vector<StepOutput> outputs;
};
} // namespace

static std::vector<Layer> layersOf(const rt::Entry &entry) {
  std::vector<Layer> layers;
  for (size_t s = 0; s < entry.steps.size(); ++s) {
    const std::vector<rt::OperandInfo> &outputs = entry.steps[s].outputs;
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o].layer.empty())
        continue;
      auto known =
          std::find_if(layers.begin(), layers.end(), [&](const Layer &layer) {
            return layer.name == outputs[o].layer;
          });
      Layer layer{outputs[o].layer, {}};
      if (known != layers.end()) {
        // Of several steps the last one counts.
        if (known->outputs.back().step == s)
          layer = std::move(*known);
        layers.erase(known);
      }
      layer.outputs.push_back({s, o});
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

/// The step that belongs to a layer without showing its value.
static std::optional<size_t> findPart(const rt::Entry &entry,
                                      std::string_view layer) {
  for (size_t s = entry.steps.size(); s-- > 0;)
    if (entry.steps[s].layer == layer)
      return s;
  return std::nullopt;
}

static const Layer *find(const std::vector<Layer> &layers,
                         std::string_view name) {
  for (const Layer &layer : layers)
    if (layer.name == name)
      return &layer;
  return nullptr;
}

static void matchLayers(const rt::Entry &a, const rt::Entry &b,
                        Matching &matching) {
  std::vector<Layer> layersA = layersOf(a), layersB = layersOf(b);
  for (const Layer &layer : layersA) {
    std::string name(layer.name);
    const Layer *other = find(layersB, layer.name);
    if (!other) {
      matching.onlyA.push_back(
          {name, layer.outputs[0].step, findPart(b, layer.name)});
      continue;
    }
    size_t count = std::min(layer.outputs.size(), other->outputs.size());
    for (size_t i = 0; i < count; ++i)
      matching.values.push_back(
          {count == 1 ? name : name + "#" + std::to_string(i), layer.outputs[i],
           other->outputs[i]});
  }
  for (const Layer &layer : layersB)
    if (!find(layersA, layer.name))
      matching.onlyB.push_back({std::string(layer.name), layer.outputs[0].step,
                                findPart(a, layer.name)});
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
