//===- SelfTest.cpp - Does a program compute the same here? ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/SelfTest.h"

#include "common/Text.h"
#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Support/Half.h"
#include "qcc/Support/Random.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace qcc;
using namespace qcc::tools;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Replaces all NaNs by one: their signs and payloads are unspecified (N7).
template <typename T, typename Test>
static void unifyNaNs(char *bytes, size_t size, T nan, Test isNaN) {
  for (size_t at = 0; at < size; at += sizeof(T)) {
    T element;
    memcpy(&element, bytes + at, sizeof(T));
    if (isNaN(element))
      memcpy(bytes + at, &nan, sizeof(T));
  }
}

static void unifyNaNs(char *bytes, size_t size, rt::DType dtype) {
  auto isNaN = [](auto x) { return std::isnan(x); };
  if (!dtype.isFloat())
    return;
  if (dtype.bits == 64)
    unifyNaNs<double>(bytes, size, NAN, isNaN);
  else if (dtype.bits == 32)
    unifyNaNs<float>(bytes, size, NAN, isNaN);
  else if (dtype.code == QCC_BFLOAT)
    unifyNaNs<uint16_t>(bytes, size, floatToBF16(NAN),
                        [](uint16_t x) { return std::isnan(bf16ToFloat(x)); });
  else
    unifyNaNs<uint16_t>(bytes, size, floatToF16(NAN),
                        [](uint16_t x) { return std::isnan(f16ToFloat(x)); });
}

static uint64_t digestOf(const std::vector<rt::Tensor> &results) {
  rt::ContentHash hash;
  for (const rt::Tensor &result : results) {
    const int64_t type[] = {result.dtype.code, result.dtype.bits,
                            int64_t(result.shape.size())};
    hash.update(type, sizeof(type));
    hash.update(result.shape.data(), result.shape.size() * sizeof(int64_t));
    size_t size = rt::numBytes(result.dtype, result.shape).value_or(0);
    auto *data = static_cast<const char *>(result.data);
    char chunk[1 << 12];
    for (size_t at = 0; at < size; at += sizeof(chunk)) {
      size_t count = std::min(sizeof(chunk), size - at);
      memcpy(chunk, data + at, count);
      unifyNaNs(chunk, count, result.dtype);
      hash.update(chunk, count);
    }
  }
  return hash.finish();
}

/// Changes integers of 32 bits and more to [0, limit).
template <typename T> static void limitIntegers(HostTensor &tensor, T limit) {
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    tensor.as<T>()[i] %= limit;
}

static std::vector<int64_t> shapeOf(const rt::TensorInfo &argument,
                                    const rt::SelfTest &test) {
  std::vector<int64_t> shape;
  for (rt::Size dim : argument.dims)
    shape.push_back(dim.get(test.sizes.data()));
  return shape;
}

/// The inputs of a run, whose sizes are those of the test.
static rt::Result<std::vector<HostTensor>>
makeInputs(const rt::Entry &entry, const rt::SelfTest &test) {
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const rt::TensorInfo &argument = entry.arguments[i];
    rt::Result<HostTensor> tensor =
        HostTensor::create(argument.dtype, shapeOf(argument, test));
    if (!tensor.isOk())
      return tensor.status();
    fillRandom(*tensor, RandomSpec{test.seed, -1.0, 1.0}, /*stream=*/i);
    if (test.integerLimit > 0 && argument.dtype.isInteger()) {
      if (argument.dtype.bits == 32)
        limitIntegers<uint32_t>(*tensor, uint32_t(test.integerLimit));
      else if (argument.dtype.bits == 64)
        limitIntegers<uint64_t>(*tensor, uint64_t(test.integerLimit));
    }
    inputs.push_back(*std::move(tensor));
  }
  return inputs;
}

/// The memory of the inputs of a run; UINT64_MAX if no number says it.
static uint64_t inputBytes(const rt::Entry &entry, const rt::SelfTest &test) {
  uint64_t total = 0;
  for (const rt::TensorInfo &argument : entry.arguments) {
    std::optional<int64_t> bytes =
        rt::numBytes(argument.dtype, shapeOf(argument, test));
    if (!bytes || __builtin_add_overflow(total, uint64_t(*bytes), &total))
      return UINT64_MAX;
  }
  return total;
}

static rt::Result<Execution> prepare(const ModulePtr &module,
                                     const rt::SelfTest &test, int threads) {
  const rt::Entry &entry = module->entries()[test.entry];
  rt::Result<std::vector<HostTensor>> inputs = makeInputs(entry, test);
  if (!inputs.isOk())
    return inputs.status();
  rt::ContextOptions options;
  options.threads = threads;
  rt::Result<Execution> execution =
      Execution::create(module, entry.name, *std::move(inputs), options);
  if (!execution.isOk())
    return execution;
  // Fresh memory may have the results of an earlier run, which a kernel that
  // writes nothing would leave there.
  for (const rt::Tensor &output : execution->outputs)
    if (size_t size = output.bytes().value_or(0))
      memset(output.data, 0xa5, size);
  return execution;
}

/// "entry 'main', sizes 2, 5"
static std::string describe(const rt::Entry &entry, const rt::SelfTest &test) {
  std::vector<std::string> sizes;
  for (int64_t size : test.sizes)
    sizes.push_back(std::to_string(size));
  return "entry '" + std::string(entry.name) + "', " +
         (sizes.empty() ? "inputs " + std::to_string(test.seed)
                        : "sizes " + join(sizes));
}

//===----------------------------------------------------------------------===//
// Tests of a compiler
//===----------------------------------------------------------------------===//

/// Sizes for the dynamic dimensions of an entry that are worth a try.
/// Dimensions of one name have one size. At first all others differ, which
/// finds more; then all are equal, which requirements admit more often.
static std::vector<std::vector<int64_t>> sizesToTry(const rt::Entry &entry) {
  std::vector<int64_t> different(entry.numSymbols, 0);
  std::map<std::string_view, int64_t> named;
  int64_t next = 2;
  for (const rt::TensorInfo &argument : entry.arguments)
    for (size_t i = 0; i < argument.dims.size(); ++i) {
      rt::Size dim = argument.dims[i];
      if (!dim.isDynamic() || different[dim.valueIndex()] != 0)
        continue;
      std::string_view name =
          i < argument.dimNames.size() ? argument.dimNames[i] : "";
      int64_t size = named.count(name) ? named[name] : next;
      if (size == next)
        next += 3;
      if (!name.empty())
        named[name] = size;
      different[dim.valueIndex()] = size;
    }
  std::vector<std::vector<int64_t>> tries = {different};
  if (entry.numSymbols > 0)
    for (int64_t size : {17, 3, 1, 4, 8, 16, 32, 64, 96, 128, 224, 256, 512})
      tries.emplace_back(entry.numSymbols, size);
  return tries;
}

static bool hasElements(const std::vector<rt::Tensor> &tensors) {
  for (const rt::Tensor &tensor : tensors)
    if (rt::numBytes(tensor.dtype, tensor.shape).value_or(0) == 0)
      return false;
  return true;
}

/// Completes a test by its digest. Integers get smaller until the program takes
/// them: they may be indices.
static rt::Status complete(const ModulePtr &module, uint64_t mostBytes,
                           rt::SelfTest &test) {
  uint64_t bytes = inputBytes(module->entries()[test.entry], test);
  if (bytes > mostBytes)
    return rt::outOfMemory("the inputs have more than " +
                           byteSize(int64_t(mostBytes)));
  rt::Status status;
  for (int64_t limit : {0, 2, 1}) {
    test.integerLimit = limit;
    rt::Result<Execution> execution = prepare(module, test, /*threads=*/1);
    if (!execution.isOk())
      return execution.status();
    if (!test.sizes.empty() && !hasElements(execution->outputs))
      return rt::invalidArgument("the results have no elements");
    status = execution->run();
    if (!status.isOk())
      continue;
    test.digest = digestOf(execution->outputs);
    break;
  }
  return status;
}

void tools::makeSelfTests(const ModulePtr &module, uint64_t mostBytes,
                          const std::function<void(const rt::SelfTest &)> &add,
                          const Report &report) {
  for (size_t i = 0; i < module->entries().size(); ++i) {
    const rt::Entry &entry = module->entries()[i];
    std::vector<std::vector<int64_t>> tries = sizesToTry(entry);
    if (tries.size() == 1)
      tries.resize(rt::selfTestsPerEntry, tries.front());
    int found = 0;
    rt::Status status;
    for (size_t k = 0; k < tries.size() && found < rt::selfTestsPerEntry; ++k) {
      rt::SelfTest test;
      test.entry = int64_t(i);
      test.sizes = tries[k];
      test.seed = k + 1;
      rt::Status tried = complete(module, mostBytes, test);
      if (tried.isOk()) {
        add(test);
        ++found;
      } else if (status.isOk()) {
        status = std::move(tried);
      }
    }
    if (found == 0)
      report("entry '" + std::string(entry.name) +
             "' gets no digest for self-tests, since it fails on all random "
             "inputs that were tried; the first time: " +
             status.message());
  }
}

//===----------------------------------------------------------------------===//
// Tests of a machine
//===----------------------------------------------------------------------===//

namespace {
/// Repeats the tests of an artifact.
class Repetition {
public:
  Repetition(const RunOptions &options, std::FILE *out, const Report &report)
      : options_(options), out_(out), report_(report) {}

  /// With one variant.
  void run(const ModulePtr &module);
  /// Says why a variant is left out.
  void skip(std::string_view target, const std::string &reason) {
    fprintf(out_, "%s: not run, since it %s\n", std::string(target).c_str(),
            reason.c_str());
  }
  ExitCode finish() const;

private:
  void compare(const ModulePtr &module, const rt::SelfTest &test, int threads);
  void fail(ExitCode code, const std::string &message) {
    code_ = std::max(code_, code);
    report_(message);
  }

  const RunOptions &options_;
  std::FILE *out_;
  const Report &report_;
  int numEqual_ = 0, numDiffering_ = 0; ///< Of the variant that runs.
  int numVariants_ = 0;
  ExitCode code_ = ExitSuccess;
};
} // namespace

void Repetition::compare(const ModulePtr &module, const rt::SelfTest &test,
                         int threads) {
  std::string what = std::string(module->variant().target) + ": " +
                     describe(module->entries()[test.entry], test);
  rt::Result<Execution> execution = prepare(module, test, threads);
  rt::Status status = execution.isOk() ? execution->run() : execution.status();
  if (!status.isOk())
    return fail(exitCodeOf(status), what + ": " + status.message());
  uint64_t digest = digestOf(execution->outputs);
  if (digest == test.digest) {
    ++numEqual_;
    return;
  }
  ++numDiffering_;
  fail(ExitDiffers,
       format("%s, %s: the digest of the results is %016llx, but %016llx where "
              "the program was compiled",
              what.c_str(), counted(threads, "thread").c_str(),
              (unsigned long long)digest, (unsigned long long)test.digest));
}

void Repetition::run(const ModulePtr &module) {
  numEqual_ = numDiffering_ = 0;
  // Each number of threads divides the work in other places.
  std::vector<int> threads = {1, 2, 3};
  if (options_.threads)
    threads = {int(options_.threads)};
  else if (module->device())
    threads = {1};
  for (const rt::SelfTest &test : module->selfTests())
    if (options_.entry.empty() ||
        module->entries()[test.entry].name == options_.entry)
      for (int count : threads)
        compare(module, test, count);
  fprintf(out_, "%s: %d of %d results are those of the compiler\n",
          std::string(module->variant().target).c_str(), numEqual_,
          numEqual_ + numDiffering_);
  ++numVariants_;
}

ExitCode Repetition::finish() const {
  if (numVariants_ == 0) {
    report_("no variant of the artifact can run here; compile the program for "
            "this machine as well");
    return ExitFailed;
  }
  return code_;
}

ExitCode tools::runSelfTests(const std::string &file, RunOptions &options,
                             std::FILE *out, const Report &report) {
  auto fail = [&](const rt::Status &status) {
    report(status.message());
    return exitCodeOf(status);
  };
  rt::Result<rt::ModuleOptions> moduleOptions = moduleOptionsOf(options);
  if (!moduleOptions.isOk())
    return fail(moduleOptions.status());
  moduleOptions->inspectOnly = true;
  rt::Result<ModulePtr> whole = rt::Module::open(file, *moduleOptions);
  if (!whole.isOk())
    return fail(whole.status());
  if (!options.entry.empty())
    if (auto entry = findEntry(**whole, options.entry); !entry.isOk())
      return fail(entry.status());
  bool hasTests = false;
  for (size_t i = 0; i < (*whole)->entries().size(); ++i) {
    const rt::Entry &entry = (*whole)->entries()[i];
    if (!options.entry.empty() && entry.name != options.entry)
      continue;
    bool isTested = false;
    for (const rt::SelfTest &test : (*whole)->selfTests())
      isTested |= test.entry == int64_t(i);
    if (!isTested)
      fprintf(out, "entry '%s': not run, since it has no digests\n",
              std::string(entry.name).c_str());
    hasTests |= isTested;
  }
  if (!hasTests) {
    report("'" + file +
           "' has no digests of results; compile the program again, with "
           "--self-test");
    return ExitRejected;
  }
  moduleOptions->inspectOnly = false;
  Repetition repetition(options, out, report);
  for (const rt::VariantInfo &variant : (*whole)->variants()) {
    if (!options.variant.empty() && variant.target != options.variant)
      continue;
    moduleOptions->variant = variant.target;
    rt::Result<ModulePtr> module = variant.refusal.empty()
                                       ? rt::Module::open(file, *moduleOptions)
                                       : rt::unsupported(variant.refusal);
    if (module.isOk())
      repetition.run(*module);
    else if (module.status().code() == rt::StatusCode::Unsupported)
      repetition.skip(variant.target, module.message());
    else
      return fail(module.status());
  }
  return repetition.finish();
}
