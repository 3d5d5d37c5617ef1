//===- VariantChoice.cpp - Which variant of an artifact to run ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariantChoice.h"

#include "qcc/Runtime/Device.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <iterator>
#include <numeric>
#include <utility>

namespace qcc::rt {

/// Features by how fast they multiply int8, the slowest first.
static constexpr const char *levels[] = {
    "avx2", "avx512bw", "avxvnni", "avxvnniint8", "avx512vnni", "amx-int8"};

Architecture architectureOf(std::string_view features) {
  constexpr std::string_view prefix = "sm_";
  Architecture found;
  if (features.substr(0, prefix.size()) != prefix)
    return found;
  std::string_view digits = features.substr(prefix.size());
  found.isExact = !digits.empty() && digits.back() == 'a';
  if (found.isExact)
    digits.remove_suffix(1);
  int number = 0;
  const char *end = digits.data() + digits.size();
  auto read = std::from_chars(digits.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end)
    found.number = number;
  return found;
}

/// Compares like the worth of a variant.
static std::pair<size_t, size_t> rank(const VariantInfo &variant) {
  if (variant.device != QCC_DEVICE_CPU) {
    Architecture architecture = architectureOf(variant.features);
    return {architecture.number, architecture.isExact};
  }
  std::vector<std::string> features = splitFeatures(variant.features);
  size_t level = std::size(levels);
  while (level > 0 && std::find(features.begin(), features.end(),
                                levels[level - 1]) == features.end())
    --level;
  return {level + 1, features.size()};
}

/// Why a device does not run a variant for devices of its kind.
static void compareArchitectures(const Device &device, VariantInfo &info) {
  Architecture needed = architectureOf(info.features);
  if (needed.isExact ? device.runsExactly(needed.number)
                     : needed.number <= device.architecture())
    return;
  info.missing.emplace_back(info.features);
  info.refusal = "needs " + std::string(info.features);
}

std::vector<VariantInfo> describeVariants(const std::vector<Variant> &variants,
                                          const ModuleOptions &options) {
  const HostFeatures &host =
      options.features ? *options.features : HostFeatures::host();
  std::vector<VariantInfo> infos;
  for (const Variant &variant : variants) {
    VariantInfo info;
    info.device = variant.device;
    info.target = variant.target;
    info.features = variant.features;
    if (variant.device !=
        (options.device ? options.device->kind() : QCC_DEVICE_CPU))
      info.refusal = variant.device == QCC_DEVICE_CUDA
                         ? "is for an NVIDIA GPU"
                         : "is for another kind of device";
    else if (options.device)
      compareArchitectures(*options.device, info);
    else
      for (std::string &name : host.missing(variant.features)) {
        info.refusal += (info.refusal.empty() ? "needs " : ", ") + name;
        info.missing.push_back(std::move(name));
      }
    infos.push_back(std::move(info));
  }
  return infos;
}

bool compareResources(const Device &device, const Variant &variant,
                      VariantInfo &info) {
  int64_t most = 0;
  bool hasMaps = false;
  for (const Entry &entry : variant.entries)
    for (const Step &step : entry.steps)
      if (step.launch) {
        most = std::max(most, step.launch->sharedBytes.literal());
        hasMaps |= !step.launch->tensorMaps.empty();
      }
  if (hasMaps && !device.hasTensorMaps()) {
    info.refusal = "needs tensor maps, which the driver of the device does not "
                   "make";
    return false;
  }
  if (most <= device.blockSharedBytes())
    return true;
  info.refusal = "needs " + std::to_string(most) +
                 " bytes of shared memory for a block, of which there are " +
                 std::to_string(device.blockSharedBytes());
  return false;
}

static bool needsTiles(const VariantInfo &variant) {
  std::vector<std::string> features = splitFeatures(variant.features);
  return std::find(features.begin(), features.end(), "amx-tile") !=
         features.end();
}

static std::string listTargets(const std::vector<VariantInfo> &infos) {
  std::string text;
  for (const VariantInfo &info : infos)
    text += (text.empty() ? "" : ", ") + std::string(info.target);
  return text;
}

static std::string remedyFor(const std::vector<VariantInfo> &infos,
                             const ModuleOptions &options) {
  if (options.device)
    return "; compile it for this device";
  bool isForDevices =
      std::all_of(infos.begin(), infos.end(), [](const VariantInfo &info) {
        return info.device != QCC_DEVICE_CPU;
      });
  return std::string("; compile it for this host, the target `native`") +
         (isForDevices ? ", or load it for a device such as cuda" : "");
}

Result<VariantChoice> chooseVariant(std::vector<VariantInfo> &infos,
                                    const ModuleOptions &options) {
  if (!options.features && !HostFeatures::hostStatus().isOk())
    return HostFeatures::hostStatus();
  if (infos.empty())
    return corrupt("the artifact has no variant of the program; compile the "
                   "program again");
  std::vector<size_t> order;
  for (size_t i = 0; i < infos.size(); ++i)
    if (options.variant.empty() || infos[i].target == options.variant)
      order.push_back(i);
  if (order.empty())
    return notFound("the artifact has no variant '" + options.variant +
                    "'; it has: " + listTargets(infos));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    auto rankA = rank(infos[a]), rankB = rank(infos[b]);
    return rankA != rankB ? rankA > rankB : a < b;
  });

  for (size_t i : order) {
    VariantInfo &info = infos[i];
    if (info.refusal.empty() && info.device == QCC_DEVICE_CPU &&
        needsTiles(info)) {
      Status permission = options.requestTiles();
      if (!permission.isOk())
        info.refusal = "needs amx-tile, but " + permission.message();
    }
    if (info.refusal.empty())
      return VariantChoice{i, Status::ok()};
  }
  std::string refusals;
  size_t best = order.front();
  std::sort(order.begin(), order.end());
  for (size_t i : order)
    refusals +=
        "; variant '" + std::string(infos[i].target) + "' " + infos[i].refusal;
  Status refusal = unsupported(
      (options.device ? "device " + options.device->name() : "this host") +
      " cannot run the artifact" + refusals + remedyFor(infos, options));
  if (options.inspectOnly)
    return VariantChoice{best, std::move(refusal)};
  return refusal;
}

} // namespace qcc::rt
