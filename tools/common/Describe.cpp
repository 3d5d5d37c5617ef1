//===- Describe.cpp - Descriptions of modules -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Describe.h"

#include "common/Compare.h"
#include "common/Text.h"

namespace qcc::tools {

std::string typeText(const rt::Entry &entry, rt::DType dtype,
                     const std::vector<rt::Size> &dims) {
  std::string text;
  for (rt::Size dim : dims) {
    if (!dim.isDynamic())
      text += std::to_string(dim.literal());
    else if (dim.valueIndex() < entry.numSymbols)
      text += "d" + std::to_string(dim.valueIndex());
    else
      text += "?";
    text += "x";
  }
  return text + dtype.name();
}

static std::string floatText(float value) {
  rt::Tensor tensor(&value, {QCC_FLOAT, 32}, {});
  return elementText(tensor, 0);
}

std::string quantizationText(const rt::Quantization &quantization) {
  bool hasZeroPoints = false;
  for (int64_t i = 0; i < quantization.count; ++i)
    hasZeroPoints |= quantization.zeroPoints[i] != 0;
  if (quantization.perChannel)
    return counted(quantization.count, "scale") +
           (hasZeroPoints ? " and zero points" : "") + " along dimension " +
           std::to_string(quantization.axis);
  std::string text = "scale " + floatText(quantization.scales[0]);
  if (hasZeroPoints)
    text += ", zero point " + std::to_string(quantization.zeroPoints[0]);
  return text;
}

Json quantizationJson(const rt::Quantization &quantization) {
  Json json = Json::dictionary();
  if (quantization.perChannel)
    json.add("axis", Json::of(int64_t(quantization.axis)));
  Json scales = Json::list(), zeroPoints = Json::list();
  for (int64_t i = 0; i < quantization.count; ++i) {
    scales.add(Json::of(double(quantization.scales[i])));
    zeroPoints.add(Json::of(int64_t(quantization.zeroPoints[i])));
  }
  json.add("scales", std::move(scales));
  json.add("zero_points", std::move(zeroPoints));
  return json;
}

std::string layerText(const rt::Step &step) {
  std::string text(step.layer);
  for (const rt::OperandInfo &output : step.outputs)
    if (!output.layer.empty() && output.layer != step.layer)
      return text + (text.empty() ? "" : " .. ") + std::string(output.layer);
  return text;
}

//===----------------------------------------------------------------------===//
// A module
//===----------------------------------------------------------------------===//

static std::string quoted(const std::optional<rt::Quantization> &quantization) {
  return quantization ? "(" + quantizationText(*quantization) + ")" : "";
}

static void listVariants(const rt::Module &module, std::string &out) {
  out += "variants:\n";
  Table table("lll");
  for (const rt::VariantInfo &variant : module.variants()) {
    bool isLoaded = variant.target == module.variant().target &&
                    variant.features == module.variant().features;
    std::string state = variant.refusal.empty() ? "runs here" : variant.refusal;
    if (isLoaded)
      state += module.refusal().isOk() ? ", loaded" : ", shown below";
    table.add({std::string(variant.target), state,
               "(" + std::string(variant.features) + ")"});
  }
  out += table.print("  ");
  out += "weights: " + byteSize(module.variant().weightsSize) +
         (module.copiedWeightBytes() > 0 ? ", copied to huge pages\n" : "\n");
  if (!module.selfTests().empty())
    out += "self-test: " + counted(int64_t(module.selfTests().size()), "run") +
           "\n";
}

static void listEntry(const rt::Entry &entry, std::string &out) {
  out += "entry " + std::string(entry.name) + ":\n";
  Table tensors("lll");
  auto addTensors = [&](const char *role,
                        const std::vector<rt::TensorInfo> &infos) {
    for (size_t i = 0; i < infos.size(); ++i) {
      std::string name = role + std::to_string(i);
      if (!infos[i].name.empty())
        name += " '" + std::string(infos[i].name) + "'";
      tensors.add({name, typeText(entry, infos[i].dtype, infos[i].dims),
                   quoted(infos[i].quantization)});
    }
  };
  addTensors("argument ", entry.arguments);
  addTensors("result ", entry.results);
  out += tensors.print("  ");
  out += "  " + counted(int64_t(entry.steps.size()), "step") + "\n";
  Table steps("lllll");
  for (const rt::Step &step : entry.steps) {
    std::vector<std::string> outputs, quantizations;
    for (const rt::OperandInfo &output : step.outputs) {
      outputs.push_back(typeText(entry, output.dtype, output.dims));
      if (output.quantization)
        quantizations.push_back(quoted(output.quantization));
    }
    steps.add({std::string(step.name), layerText(step), "-> " + join(outputs),
               join(quantizations, " "), std::string(step.location)});
  }
  out += steps.print("    ");
}

std::string listModule(const rt::Module &module, const std::string &name) {
  std::string out = name + ": made by " + std::string(module.producer()) +
                    ", format " + std::to_string(module.descriptor()->version) +
                    "." + std::to_string(module.minorVersion()) + "\n";
  listVariants(module, out);
  for (const rt::Entry &entry : module.entries())
    listEntry(entry, out);
  return out;
}

} // namespace qcc::tools
