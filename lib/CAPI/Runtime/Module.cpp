//===- Module.cpp - The C API of modules ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading, and looking at what was loaded. The strings of a descriptor end with
// a null character, so they are handed out as they are.
//
//===----------------------------------------------------------------------===//

#include "../Convert.h"
#include "Handles.h"
#include "qcc/Runtime/Device.h"
#include "qcc/Runtime/Process.h"

using namespace qcc;
using namespace qcc::capi;

int32_t qccGetApiVersion(void) { return QCC_API_VERSION; }
int32_t qccGetApiMinorVersion(void) { return QCC_API_MINOR_VERSION; }
const char *qccGetVersion(void) { return QCC_VERSION; }
const char *qccGetRevision(void) {
  static const char revision[] =
#include "qcc/Revision.inc"
      ;
  return revision;
}
int32_t qccGetArtifactVersion(void) { return QCC_ABI_VERSION; }
int32_t qccGetArtifactMinorVersion(void) { return QCC_ABI_MINOR_VERSION; }

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static std::vector<TensorTables>
makeTables(const std::vector<rt::TensorInfo> &tensors) {
  std::vector<TensorTables> tables;
  for (const rt::TensorInfo &tensor : tensors) {
    TensorTables table;
    for (rt::Size dim : tensor.dims)
      table.dims.push_back(dim.isDynamic() ? -1 - dim.valueIndex()
                                           : dim.literal());
    table.dimNames.resize(tensor.dims.size(), "");
    for (size_t d = 0; d < tensor.dimNames.size(); ++d)
      table.dimNames[d] = textOf(tensor.dimNames[d]);
    if (const std::optional<rt::Quantization> &q = tensor.quantization)
      table.quantization =
          qccQuantization{q->perChannel ? q->axis : -1, sizeof(qccQuantization),
                          q->count, q->scales, q->zeroPoints};
    tables.push_back(std::move(table));
  }
  return tables;
}

static rt::Result<rt::ModuleOptions> readOptions(const qccModuleOptions *given);

using LoadedModule = rt::Result<std::shared_ptr<const rt::Module>>;

/// Loads with the options, and counts it.
template <typename Load>
static LoadedModule loadCounted(const qccModuleOptions *options, Load load) {
  rt::ProcessCounters &counters = rt::ProcessCounters::get();
  int64_t start = rt::steadyNanoseconds();
  auto read = readOptions(options);
  LoadedModule loaded = read.isOk() ? load(*read) : read.status();
  int64_t time = rt::steadyNanoseconds() - start;
  counters.loads.fetch_add(1, std::memory_order_relaxed);
  counters.loadNanoseconds.fetch_add(time, std::memory_order_relaxed);
  if (!loaded.isOk())
    counters.failedLoads.fetch_add(1, std::memory_order_relaxed);
  rt::log(loaded.isOk() ? rt::LogLevel::Info : rt::LogLevel::Error, 0, [&] {
    return loaded.isOk()
               ? "loaded artifact " + (*loaded)->fingerprint() + ", variant " +
                     std::string((*loaded)->variant().target) + ", in " +
                     std::to_string(time) + " ns"
               : "a load failed (" +
                     std::string(rt::statusCodeName(loaded.status().code())) +
                     "): " + loaded.message();
  });
  return loaded;
}

static qccStatus handOverModule(LoadedModule loaded, qccModule *module) {
  if (!loaded.isOk())
    return toC(loaded.status());
  auto object = std::make_unique<qccModuleImpl>();
  object->module = std::move(*loaded);
  const rt::Device *device = object->module->device().get();
  object->device = device ? device->name() : "cpu";
  for (const rt::Entry &entry : object->module->entries())
    object->entries.push_back(
        {makeTables(entry.arguments), makeTables(entry.results)});
  *module = object.release();
  return nullptr;
}

static rt::Result<rt::ModuleOptions>
readOptions(const qccModuleOptions *given) {
  qccModuleOptions known;
  rt::Status status = readStruct(given, known);
  if (!status.isOk())
    return status;
  rt::ModuleOptions options;
  if (known.variant)
    options.variant = known.variant;
  if (known.flags & ~uint64_t(QCC_MODULE_PRIVATE_COPY))
    return rt::unsupported("a flag is set that this version of the library "
                           "does not have; update the library");
  options.privateCopy = known.flags & QCC_MODULE_PRIVATE_COPY;
  if (known.publicKey) {
    rt::Result<rt::Key> key = rt::parseKey(known.publicKey);
    if (!key.isOk())
      return key.status().withPrefix("publicKey: ");
    options.publicKey = *key;
  }
  auto device = rt::openDevice(known.device ? known.device : "cpu");
  if (!device.isOk())
    return device.status();
  options.device = *device;
  if (known.weightAllocator) {
    qccAllocator given;
    status = readStruct(known.weightAllocator, given);
    if (!status.isOk())
      return status;
    if (!given.allocate || !given.deallocate)
      return rt::invalidArgument("a function of weightAllocator is a null "
                                 "pointer; give both");
    auto hook = std::make_shared<AllocatorHook>(AllocatorHook{given});
    options.weightAllocator =
        rt::WeightAllocator{hook->allocator(),
                            hook,
                            {reinterpret_cast<uintptr_t>(given.allocate),
                             reinterpret_cast<uintptr_t>(given.deallocate),
                             reinterpret_cast<uintptr_t>(given.context)}};
  }
  switch (known.weightPages) {
  case QCC_WEIGHT_PAGES_AUTO:
    options.weightPages = rt::WeightPages::Auto;
    return options;
  case QCC_WEIGHT_PAGES_FILE:
    options.weightPages = rt::WeightPages::File;
    return options;
  case QCC_WEIGHT_PAGES_HUGE:
    options.weightPages = rt::WeightPages::Huge;
    return options;
  }
  return rt::invalidArgument("weightPages is " +
                             std::to_string(known.weightPages) +
                             "; choose one of qccWeightPages");
}

qccStatus qccModuleLoadFile(const char *path, const qccModuleOptions *options,
                            qccModule *module) {
  return withoutExceptions([&]() -> qccStatus {
    if (!path || !module)
      return nullPointer(path ? "the handle of the module" : "the path");
    auto load = [&](const rt::ModuleOptions &read) {
      return rt::Module::open(path, read);
    };
    return handOverModule(loadCounted(options, load), module);
  });
}

qccStatus qccModuleLoadDescriptor(int32_t descriptor,
                                  const qccModuleOptions *options,
                                  qccModule *module) {
  return withoutExceptions([&]() -> qccStatus {
    if (!module)
      return nullPointer("the handle of the module");
    auto load = [&](const rt::ModuleOptions &read) {
      return rt::Module::open(descriptor, read);
    };
    return handOverModule(loadCounted(options, load), module);
  });
}

qccStatus qccModuleLoadMemory(const void *data, size_t size,
                              const qccModuleOptions *options,
                              qccModule *module) {
  return withoutExceptions([&]() -> qccStatus {
    if (!data || !module)
      return nullPointer(data ? "the handle of the module" : "the artifact");
    auto load = [&](const rt::ModuleOptions &read) {
      return rt::Module::load(data, size, read);
    };
    return handOverModule(loadCounted(options, load), module);
  });
}

void qccModuleDestroy(qccModule module) { delete module; }

//===----------------------------------------------------------------------===//
// Inspection
//===----------------------------------------------------------------------===//

const char *qccModuleGetProducer(qccModule module) {
  return module ? textOf(module->module->producer()) : "";
}

qccStatus qccModuleGetInfo(qccModule module, qccModuleInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    if (!module)
      return nullPointer("the module");
    qccModuleInfo known = qccModuleInfoInit();
    known.artifactVersion = QCC_ABI_VERSION;
    known.artifactMinorVersion = module->module->minorVersion();
    known.numMetadata = module->module->metadata().size();
    known.fingerprint = module->module->fingerprint().c_str();
    known.publicKey = module->module->publicKey().c_str();
    return toC(writeStruct(known, info));
  });
}

qccStatus qccModuleGetMetadata(qccModule module, size_t index, const char **key,
                               const char **value) {
  return withoutExceptions([&]() -> qccStatus {
    if (!module || !key || !value)
      return nullPointer(!module ? "the module"
                         : !key  ? "the place of the key"
                                 : "the place of the text");
    const std::vector<rt::Metadata> &pairs = module->module->metadata();
    if (index >= pairs.size())
      return invalidArgument("there is no pair " + std::to_string(index) +
                             " of metadata; the artifact has " +
                             std::to_string(pairs.size()));
    *key = textOf(pairs[index].key);
    *value = textOf(pairs[index].value);
    return nullptr;
  });
}

const char *qccModuleFindMetadata(qccModule module, const char *key) {
  if (!module || !key)
    return nullptr;
  for (const rt::Metadata &pair : module->module->metadata())
    if (pair.key == key)
      return textOf(pair.value);
  return nullptr;
}

size_t qccModuleGetNumVariants(qccModule module) {
  return module ? module->module->variants().size() : 0;
}

qccStatus qccModuleGetVariant(qccModule module, size_t index,
                              qccVariantInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    if (!module)
      return nullPointer("the module");
    const std::vector<rt::VariantInfo> &variants = module->module->variants();
    if (index >= variants.size())
      return invalidArgument("there is no variant " + std::to_string(index) +
                             "; the artifact has " +
                             std::to_string(variants.size()));
    const rt::VariantInfo &variant = variants[index];
    qccVariantInfo known = qccVariantInfoInit();
    known.target = textOf(variant.target);
    known.features = textOf(variant.features);
    known.refusal = variant.refusal.c_str();
    const rt::Variant &loaded = module->module->variant();
    known.chosen =
        variant.target == loaded.target && variant.features == loaded.features;
    return toC(writeStruct(known, info));
  });
}

size_t qccModuleGetNumEntries(qccModule module) {
  return module ? module->module->entries().size() : 0;
}

const char *qccModuleGetEntryName(qccModule module, size_t index) {
  if (index >= qccModuleGetNumEntries(module))
    return nullptr;
  return textOf(module->module->entries()[index].name);
}

static rt::Result<const rt::Entry *> findEntry(qccModule module,
                                               const char *name) {
  if (!module)
    return rt::invalidArgument("the module is a null pointer");
  return module->module->requireEntry(name ? name : "");
}

qccStatus qccModuleGetEntry(qccModule module, const char *name,
                            qccEntryInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    auto entry = findEntry(module, name);
    if (!entry.isOk())
      return toC(entry.status());
    qccEntryInfo known = qccEntryInfoInit();
    known.name = textOf((*entry)->name);
    known.numArguments = (*entry)->arguments.size();
    known.numResults = (*entry)->results.size();
    known.numSymbols = (*entry)->numSymbols;
    known.numSteps = (*entry)->steps.size();
    return toC(writeStruct(known, info));
  });
}

static qccStatus getTensor(qccModule module, const char *name, size_t index,
                           bool isResult, qccTensorInfo *info) {
  auto found = findEntry(module, name);
  if (!found.isOk())
    return toC(found.status());
  const rt::Entry &entry = **found;
  const auto &tensors = isResult ? entry.results : entry.arguments;
  if (index >= tensors.size())
    return invalidArgument("there is no " +
                           std::string(isResult ? "result " : "argument ") +
                           std::to_string(index) + "; the entry has " +
                           std::to_string(tensors.size()));
  const EntryTables &tables =
      module->entries[&entry - module->module->entries().data()];
  const TensorTables &table =
      (isResult ? tables.results : tables.arguments)[index];
  const rt::TensorInfo &tensor = tensors[index];
  qccTensorInfo known = qccTensorInfoInit();
  known.name = textOf(tensor.name);
  known.dtype = {tensor.dtype.code, tensor.dtype.bits, 1};
  known.rank = table.dims.size();
  known.dims = table.dims.data();
  known.quantization = table.quantization ? &*table.quantization : nullptr;
  known.inPlaceArgument = isResult ? entry.inPlace[index] : -1;
  known.dimNames = table.dimNames.data();
  return toC(writeStruct(known, info));
}

qccStatus qccModuleGetArgument(qccModule module, const char *entry,
                               size_t index, qccTensorInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    return getTensor(module, entry, index, /*isResult=*/false, info);
  });
}

qccStatus qccModuleGetResult(qccModule module, const char *entry, size_t index,
                             qccTensorInfo *info) {
  return withoutExceptions([&]() -> qccStatus {
    return getTensor(module, entry, index, /*isResult=*/true, info);
  });
}
