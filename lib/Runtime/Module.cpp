//===- Module.cpp - A loaded program --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading, from a descriptor in memory and from a file.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Module.h"

#include "ArtifactFile.h"
#include "DescriptorReader.h"
#include "DeviceProgram.h"
#include "HugePages.h"
#include "SharedWeights.h"
#include "VariantChoice.h"
#include "qcc/Artifact/ArtifactNote.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dlfcn.h>

namespace qcc::rt {

std::string TensorInfo::describe() const {
  std::vector<int64_t> shape;
  for (Size dim : dims)
    shape.push_back(dim.isDynamic() ? -1 : dim.literal());
  return rt::describe(dtype, shape);
}

/// Reads a number, and `text` behind it. Nothing, and no change, if there is
/// something else.
static std::optional<size_t> readNumber(std::string_view &rest,
                                        std::string_view text) {
  size_t number = 0;
  auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), number);
  std::string_view behind = rest.substr(end - rest.data());
  if (error != std::errc() || behind.substr(0, text.size()) != text)
    return std::nullopt;
  rest = behind.substr(text.size());
  return number;
}

std::string Entry::describeRequirement(size_t number,
                                       const int64_t *values) const {
  constexpr std::string_view start = "dimension ", middle = " of argument ";
  std::string_view text = requirements[number], rest = text;
  std::string sizes;
  for (size_t at; (at = rest.find(start)) != rest.npos;) {
    rest.remove_prefix(at + start.size());
    std::string_view name = rest;
    std::optional<size_t> dim = readNumber(rest, middle),
                          argument = dim ? readNumber(rest, "") : dim;
    if (!argument || *argument >= arguments.size() ||
        *dim >= arguments[*argument].dims.size())
      continue;
    std::string size(start);
    size += name.substr(0, name.size() - rest.size());
    size += " is ";
    size += std::to_string(arguments[*argument].dims[*dim].get(values));
    if (sizes.find(size) == sizes.npos)
      sizes += (sizes.empty() ? " (" : ", ") + size;
  }
  return std::string(text) + (sizes.empty() ? "" : sizes + ")");
}

/// Weights of fewer bytes are within reach of small pages: a core's second
/// level of translations has 1536 entries and more, and below it page tables
/// still come from caches.
constexpr int64_t smallWeights = int64_t(8) << 20;

static constexpr auto ignore = [](const char *, size_t) {};

/// Where the weights of an artifact are, as it was loaded.
struct WeightPlace {
  /// Nobody else can change them there.
  bool isPrivate = false;
  /// Called with a part that has been read, and will not be soon.
  FunctionRef<void(const char *, size_t)> rest = ignore;
  /// Called with a part that is never read again.
  FunctionRef<void(const char *, size_t)> forget = ignore;
};

/// A copy in memory of an allocator.
static Result<SharedBytes>
copyTo(const WeightAllocator &allocator, const char *data, size_t size,
       FunctionRef<void(const char *, size_t)> copied) {
  struct Copy {
    std::shared_ptr<void> owner; ///< Destroyed last.
    AlignedBuffer buffer;
  };
  auto copy = std::make_shared<Copy>(
      Copy{allocator.owner, AlignedBuffer(allocator.allocator)});
  Status status = copy->buffer.reserve(size);
  if (!status.isOk())
    return status.withPrefix("weights: ");
  constexpr size_t partSize = size_t(1) << 22;
  for (size_t at = 0; at < size; at += partSize) {
    size_t count = std::min(partSize, size - at);
    memcpy(copy->buffer.data() + at, data + at, count);
    copied(data + at, count);
  }
  return SharedBytes(copy, copy->buffer.data());
}

Status Module::placeWeights(const ModuleOptions &options,
                            const WeightPlace &place) {
  const char *data = variant_.weights;
  size_t size = variant_.weightsSize;
  bool isHuge = options.weightPages == WeightPages::Huge ||
                (options.weightPages == WeightPages::Auto &&
                 variant_.weightsSize >= smallWeights);
  if (size == 0 || !refusal_.isOk() || device_ ||
      (!options.weightAllocator && !isHuge && !place.isPrivate))
    return Status::ok();
  WeightKey key{variant_.weightsKey, size, {0, 0, isHuge}};
  if (options.weightAllocator)
    key.memory = options.weightAllocator->identity;
  weightCopy_ = findSharedWeights(key, data, place.rest);
  if (weightCopy_) {
    place.forget(data, size);
    variant_.weights = weightCopy_.get();
    return Status::ok();
  }
  if (options.weightAllocator) {
    Result<SharedBytes> copy =
        copyTo(*options.weightAllocator, data, size, place.forget);
    if (!copy.isOk())
      return copy.status();
    weightCopy_ = *std::move(copy);
  } else if (isHuge) {
    weightCopy_ = copyToHugePages(data, size, place.forget);
  }
  if (weightCopy_) {
    variant_.weights = weightCopy_.get();
    lendWeights(key, weightCopy_);
  } else if (place.isPrivate) {
    lendWeights(key, SharedBytes(keepAlive_, data));
  }
  return Status::ok();
}

/// Reads the best variant that the device or host of the options runs. Whether
/// a device has the shared memory is only known when a variant has been read.
static Result<VariantChoice> readVariant(DescriptorReader &reader,
                                         std::vector<Variant> &variants,
                                         std::vector<VariantInfo> &infos,
                                         const ModuleOptions &options) {
  std::vector<bool> isRead(variants.size());
  while (true) {
    Result<VariantChoice> choice = chooseVariant(infos, options);
    if (!choice.isOk())
      return choice;
    size_t index = choice->index;
    if (!isRead[index])
      reader.readVariant(index, variants[index]);
    isRead[index] = true;
    if (!reader.status().isOk())
      return reader.status();
    if (!options.device || !choice->refusal.isOk() ||
        compareResources(*options.device, variants[index], infos[index]))
      return choice;
  }
}

Result<std::shared_ptr<Module>> Module::read(const qcc_descriptor *descriptor,
                                             std::shared_ptr<void> keepAlive,
                                             const ModuleOptions &options) {
  DescriptorReader reader(descriptor, options.ranges);
  Status status = reader.readHeader();
  if (!status.isOk())
    return status;
  std::vector<Variant> variants = reader.readVariantHeaders();
  if (!reader.status().isOk())
    return reader.status();
  std::vector<VariantInfo> infos = describeVariants(variants, options);
  Result<VariantChoice> choice = readVariant(reader, variants, infos, options);
  if (!choice.isOk())
    return choice.status();

  std::shared_ptr<Module> module(new Module());
  module->keepAlive_ = std::move(keepAlive);
  module->descriptor_ = descriptor;
  module->producer_ = reader.readProducer();
  module->minorVersion_ = reader.minorVersion();
  module->metadata_ = reader.readMetadata();
  module->selfTests_ = reader.readSelfTests(variants[choice->index].entries);
  module->variants_ = std::move(infos);
  module->variant_ = std::move(variants[choice->index]);
  module->refusal_ = std::move(choice->refusal);
  if (!reader.status().isOk())
    return reader.status();
  if (options.device) {
    module->device_ = options.device;
    module->deviceProgram_ =
        std::make_shared<DeviceProgram>(options.device, module->variant_);
  }
  return module;
}

Status Module::loadOnDevice(const ModuleOptions &options) {
  bool runs = deviceProgram_ && refusal_.isOk() && !options.inspectOnly;
  return runs ? deviceProgram_->load() : Status::ok();
}

void Module::noteOrigin(uint64_t hash, const std::optional<Key> &publicKey) {
  constexpr char digits[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4)
    fingerprint_ += digits[hash >> shift & 15];
  if (publicKey)
    publicKey_ = printKey(*publicKey);
}

Result<std::shared_ptr<const Module>>
Module::create(const qcc_descriptor *descriptor,
               std::shared_ptr<void> keepAlive, const ModuleOptions &options) {
  Result<std::shared_ptr<Module>> module =
      read(descriptor, std::move(keepAlive), options);
  if (!module.isOk())
    return module.status();
  Status status = (*module)->placeWeights(options, WeightPlace());
  if (status.isOk())
    status = (*module)->loadOnDevice(options);
  if (!status.isOk())
    return status;
  return std::shared_ptr<const Module>(*std::move(module));
}

/// Loads and reads a file that has been opened.
Result<std::shared_ptr<const Module>>
Module::loadFile(const ArtifactFile &file, const ModuleOptions &options) {
  // Where nothing copies the weights, they are first read by a run.
  bool canWait = options.weightPages == WeightPages::File && !options.device &&
                 !options.weightAllocator;
  const Key *publicKey = options.publicKey ? &*options.publicKey : nullptr;
  Result<ArtifactImage> image = file.validate(
      publicKey, canWait ? WeightsCheck::Later : WeightsCheck::Now);
  if (!image.isOk())
    return image.status();
  Result<LoadedArtifact> loaded = file.load(*image);
  if (!loaded.isOk())
    return loaded.status();
  void *symbol = dlsym(loaded->handle.get(), QCC_ARTIFACT_SYMBOL);
  if (!symbol)
    return corrupt("the system's loader does not find " QCC_ARTIFACT_SYMBOL
                   " in it; compile the program again");
  ModuleOptions checked = options;
  for (const ElfSegment &segment : image->segments)
    checked.ranges.push_back(
        {reinterpret_cast<const char *>(loaded->base + segment.address),
         segment.size});
  Result<std::shared_ptr<Module>> module = read(
      static_cast<const qcc_descriptor *>(symbol), loaded->handle, checked);
  if (!module.isOk())
    return module.status();
  if (!image->hasCheckedWeights && (*module)->variant_.weightsSize > 0)
    (*module)->weightsState_ = WeightsState::Unchecked;
  auto rest = [&](const char *part, size_t size) {
    file.rest(*loaded, *image, part, size);
  };
  auto forget = [&](const char *part, size_t size) {
    file.forget(*loaded, *image, part, size);
  };
  Status status = (*module)->placeWeights(
      options, WeightPlace{file.isPrivate(), rest, forget});
  if (status.isOk())
    status = file.seal();
  if (status.isOk())
    status = (*module)->loadOnDevice(options);
  if (!status.isOk())
    return status;
  (*module)->noteOrigin(image->note.hash, options.publicKey);
  return std::shared_ptr<const Module>(*std::move(module));
}

/// Loads a file that could be opened; `what` names it in messages, unless the
/// options do.
Result<std::shared_ptr<const Module>>
Module::loadOpened(Result<ArtifactFile> file, const std::string &what,
                   const ModuleOptions &options) {
  std::string prefix = (options.name.empty() ? what : options.name) + ": ";
  // What was checked must not change before it is loaded.
  bool wantsCopy = options.privateCopy || options.publicKey;
  if (file.isOk() && wantsCopy && !file->isPrivate())
    file = file->copy();
  if (!file.isOk())
    return file.status().withPrefix(prefix);
  Result<std::shared_ptr<const Module>> module = loadFile(*file, options);
  return module.isOk() ? module : module.status().withPrefix(prefix);
}

Result<std::shared_ptr<const Module>>
Module::open(const std::string &path, const ModuleOptions &options) {
  return loadOpened(ArtifactFile::open(path), path, options);
}

Result<std::shared_ptr<const Module>>
Module::open(int descriptor, const ModuleOptions &options) {
  return loadOpened(ArtifactFile::open(descriptor),
                    "file descriptor " + std::to_string(descriptor), options);
}

Result<std::shared_ptr<const Module>>
Module::load(const void *data, size_t size, const ModuleOptions &options) {
  if (!data && size > 0)
    return invalidArgument("the artifact in memory is a null pointer");
  return loadOpened(ArtifactFile::create(data, size), "the artifact in memory",
                    options);
}

Status Module::checkWeights() const {
  WeightsState state = weightsState_.load(std::memory_order_acquire);
  if (state == WeightsState::Unchecked) {
    ContentHash hash;
    hash.update(variant_.weights, variant_.weightsSize);
    state = hash.finish() == variant_.weightsKey ? WeightsState::Good
                                                 : WeightsState::Damaged;
    weightsState_.store(state, std::memory_order_release);
  }
  if (state == WeightsState::Good)
    return Status::ok();
  return corrupt("the artifact does not match its hash: its weights, which "
                 "were not read when it was loaded, are damaged or were "
                 "changed; copy it again or compile the program again");
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

Result<const Entry *> Module::requireEntry(std::string_view name) const {
  if (const Entry *entry = findEntry(name))
    return entry;
  std::string names;
  for (const Entry &candidate : entries())
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  return notFound("the program has no entry '" +
                  std::string(name.empty() ? "main" : name) +
                  "'; it has: " + names);
}

} // namespace qcc::rt
