//===- Module.cpp - A loaded program --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of a variant, and loading from a file.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Module.h"

#include "DescriptorReader.h"
#include "ElfFile.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

namespace qcc::rt {

std::string TensorInfo::describe() const {
  std::vector<int64_t> shape;
  for (Size dim : dims)
    shape.push_back(dim.isDynamic() ? -1 : dim.literal());
  return rt::describe(dtype, shape);
}

/// The features of a variant that the host lacks. Tiles count only if the
/// operating system grants them.
static std::vector<std::string> findMissing(const Variant &variant,
                                            const HostFeatures &features,
                                            bool isRunningHost) {
  std::vector<std::string> missing = features.missing(variant.features);
  if (!missing.empty() || !isRunningHost)
    return missing;
  for (std::string &name : splitFeatures(variant.features))
    if (name == "amx-tile" && !requestAmxPermission().isOk())
      missing.push_back(std::move(name));
  return missing;
}

/// The variant with the most required features among those that the host has.
static Result<size_t> chooseVariant(const std::vector<Variant> &variants,
                                    const ModuleOptions &options) {
  const HostFeatures &features =
      options.features ? *options.features : HostFeatures::host();
  bool isRunningHost = !options.features;
  std::optional<size_t> best;
  size_t bestCount = 0;
  std::string refusals;
  for (size_t i = 0; i < variants.size(); ++i) {
    const Variant &variant = variants[i];
    std::string name = "variant '" + std::string(variant.target) + "'";
    if (variant.device != QCC_DEVICE_CPU) {
      refusals += "; " + name + " is for another kind of device";
      continue;
    }
    std::vector<std::string> missing =
        findMissing(variant, features, isRunningHost);
    if (!missing.empty()) {
      refusals += "; " + name + " needs ";
      for (size_t m = 0; m < missing.size(); ++m)
        refusals += (m ? ", " : "") + missing[m];
      continue;
    }
    size_t count = splitFeatures(variant.features).size();
    if (!best || count > bestCount) {
      best = i;
      bestCount = count;
    }
  }
  if (!best)
    return unsupported("this host cannot run the artifact" +
                       (variants.empty() ? "; it has no variant" : refusals) +
                       "; compile it for this host (--mcpu=native)");
  return *best;
}

Result<std::shared_ptr<const Module>>
Module::create(const qcc_descriptor *descriptor,
               std::shared_ptr<void> keepAlive, const ModuleOptions &options) {
  DescriptorReader reader(descriptor, options.ranges);
  Status status = reader.readHeader();
  if (!status.isOk())
    return status;
  std::vector<Variant> variants = reader.readVariantHeaders();
  if (!reader.status().isOk())
    return reader.status();
  Result<size_t> choice = chooseVariant(variants, options);
  if (!choice.isOk())
    return choice.status();

  std::shared_ptr<Module> module(new Module());
  module->keepAlive_ = std::move(keepAlive);
  module->descriptor_ = descriptor;
  module->producer_ = reader.readProducer();
  module->variant_ = std::move(variants[*choice]);
  reader.readVariant(*choice, module->variant_);
  if (!reader.status().isOk())
    return reader.status();
  return std::shared_ptr<const Module>(std::move(module));
}

Result<std::shared_ptr<const Module>>
Module::open(const std::string &path, const ModuleOptions &options) {
  std::string prefix = path + ": ";
  Result<std::vector<ElfSegment>> segments = readElfSegments(path);
  if (!segments.isOk())
    return segments.status().withPrefix(prefix);

  // A name without a slash would be searched for in the library path.
  std::string name = path.find('/') == std::string::npos ? "./" + path : path;
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return ioError(prefix + "the loader refused it (" + dlerror() +
                   "); compile the program again");
  std::shared_ptr<void> keepAlive(handle, [](void *h) { dlclose(h); });

  void *symbol = dlsym(handle, QCC_ARTIFACT_SYMBOL);
  struct link_map *map = nullptr;
  if (!symbol || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    return corrupt(prefix + "it has no symbol " QCC_ARTIFACT_SYMBOL
                            ": this is no artifact of qcc; make one with "
                            "`qcc compile FILE -o NAME.so`");
  ModuleOptions checked = options;
  for (const ElfSegment &segment : *segments)
    checked.ranges.push_back(
        {reinterpret_cast<const char *>(map->l_addr + segment.address),
         segment.size});
  Result<std::shared_ptr<const Module>> module =
      create(static_cast<const qcc_descriptor *>(symbol), std::move(keepAlive),
             checked);
  if (!module.isOk())
    return module.status().withPrefix(prefix);
  return module;
}

const Entry *Module::findEntry(std::string_view name) const {
  if (name.empty() && entries().size() == 1)
    return &entries().front();
  if (name.empty())
    name = "main";
  for (const Entry &entry : entries())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

} // namespace qcc::rt
