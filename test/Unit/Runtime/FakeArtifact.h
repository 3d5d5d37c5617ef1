//===- FakeArtifact.h - A descriptor made by hand ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the tables of ABI.h in memory, so that the runtime is tested without a
// compiler. Tests may damage any table before they load it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_FAKEARTIFACT_H
#define QCC_TEST_UNIT_RUNTIME_FAKEARTIFACT_H

#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace qcc::rt::test {

/// A value as a size field says it.
constexpr int64_t value(int index) { return -1 - index; }

class FakeArtifact {
public:
  struct TensorSpec {
    DType dtype;
    std::vector<int64_t> dims;
    const char *name = nullptr;
  };
  struct OperandSpec {
    qcc_operand_kind kind;
    int64_t index;
    DType dtype;
    std::vector<int64_t> dims;
  };
  struct StepSpec {
    const char *name;
    qcc_step_fn function;
    bool parallel = true;
    int64_t scratch = 0;
    int64_t operations = 0; ///< 0 and no bytes: it does not say.
    /// The kernel of a launch, or null: with a parameter for each input, then
    /// for each output, then for the size `grid`, and blocks of 32 threads.
    const char *kernel = nullptr;
    int64_t grid = 1;
    std::vector<OperandSpec> inputs = {}, outputs = {};
  };
  struct EntrySpec {
    const char *name = "main";
    std::vector<TensorSpec> arguments;
    std::vector<TensorSpec> results;
    int symbols = 0;
    int values = 0;
    std::vector<const char *> requirements;
    qcc_plan_fn plan = [](int64_t *) -> int64_t { return 0; };
    std::vector<StepSpec> steps;
    std::vector<int32_t> inPlace;
  };

  FakeArtifact() {
    descriptor = table<qcc_descriptor>(1);
    memcpy(descriptor->magic, QCC_ABI_MAGIC, 8);
    descriptor->version = QCC_ABI_VERSION;
    descriptor->size = sizeof(qcc_descriptor);
    descriptor->minor_version = QCC_ABI_MINOR_VERSION;
    recordSizes = table<qcc_record_sizes>(1);
    *recordSizes = QCC_RECORD_SIZES;
    descriptor->record_sizes_ref = ref(recordSizes);
    descriptor->producer_ref = string("qcc test");
  }
  explicit FakeArtifact(const EntrySpec &spec) : FakeArtifact() {
    variants = table<qcc_variant_desc>(1);
    descriptor->n_variants = 1;
    descriptor->variants_ref = ref(variants);
    setVariant(0, "test", "sse2", {spec});
  }

  /// Zeroed memory that lives as long as the artifact.
  template <typename T> T *table(size_t count) {
    size_t lines = count * sizeof(T) / sizeof(Line) + 1;
    memory_.push_back(std::make_unique<std::vector<Line>>(lines));
    return reinterpret_cast<T *>(memory_.back()->data());
  }
  int64_t ref(const void *target) const {
    return int64_t(reinterpret_cast<uintptr_t>(target) -
                   reinterpret_cast<uintptr_t>(descriptor));
  }
  int64_t string(const char *text) {
    char *copy = table<char>(strlen(text) + 1);
    strcpy(copy, text);
    return ref(copy);
  }

  void setVariants(int count) {
    variants = table<qcc_variant_desc>(count);
    descriptor->n_variants = count;
    descriptor->variants_ref = ref(variants);
  }
  void setVariant(int index, const char *target, const char *features,
                  const std::vector<EntrySpec> &specs) {
    qcc_variant_desc &variant = variants[index];
    variant.device = QCC_DEVICE_CPU;
    variant.target_ref = string(target);
    variant.features_ref = string(features);
    variant.n_entries = specs.size();
    entries = table<qcc_entry_desc>(specs.size());
    variant.entries_ref = ref(entries);
    weights = table<char>(64);
    variant.weights_ref = ref(weights);
    variant.weights_size = 64;
    for (size_t i = 0; i < specs.size(); ++i)
      setEntry(entries[i], specs[i]);
  }

  /// Makes a variant one for GPUs from `architecture` on, with this PTX.
  void setKernels(int variant, const char *architecture, const char *ptx) {
    variants[variant].device = QCC_DEVICE_CUDA;
    variants[variant].features_ref = string(architecture);
    variants[variant].kernels_ref = string(ptx);
    variants[variant].kernels_size = strlen(ptx);
  }

  /// Gives a variant machine code, as FakeCuda takes it.
  void setBinary(int variant, const std::string &code) {
    variants[variant].binary_ref = string(code.c_str());
    variants[variant].binary_size = code.size();
  }

  Result<std::shared_ptr<const Module>>
  load(const ModuleOptions &options = ModuleOptions()) const {
    return Module::create(descriptor, nullptr, options);
  }

  /// All memory of the tables.
  std::vector<MemoryRange> ranges() const {
    std::vector<MemoryRange> ranges;
    for (const auto &lines : memory_)
      ranges.push_back({reinterpret_cast<const char *>(lines->data()),
                        int64_t(lines->size() * sizeof(Line))});
    return ranges;
  }
  /// Makes all functions of a variant lie at `code`, for tests that check
  /// references and run nothing.
  void redirectFunctions(int variant, const void *code) {
    auto *base = reinterpret_cast<char *>(descriptor);
    auto *entry = reinterpret_cast<qcc_entry_desc *>(
        base + variants[variant].entries_ref);
    for (int i = 0; i < variants[variant].n_entries; ++i, ++entry) {
      entry->plan_ref = ref(code);
      auto *step = reinterpret_cast<qcc_step_desc *>(base + entry->steps_ref);
      for (int s = 0; s < entry->n_steps; ++s, ++step)
        step->function_ref = ref(code);
    }
  }

  // The tables, for tests that damage them: of the entry set last.
  qcc_descriptor *descriptor = nullptr;
  qcc_record_sizes *recordSizes = nullptr;
  qcc_variant_desc *variants = nullptr;
  qcc_entry_desc *entries = nullptr;
  qcc_tensor_desc *arguments = nullptr;
  qcc_tensor_desc *results = nullptr;
  qcc_step_desc *steps = nullptr;
  qcc_launch_desc *launch = nullptr;
  qcc_parameter_desc *parameters = nullptr;
  int32_t *inPlace = nullptr;
  char *weights = nullptr;

private:
  struct alignas(64) Line {
    char bytes[64] = {};
  };

  qcc_tensor_desc *setTensors(const std::vector<TensorSpec> &specs) {
    auto *descs = table<qcc_tensor_desc>(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
      const TensorSpec &spec = specs[i];
      descs[i].name_ref = spec.name ? string(spec.name) : 0;
      descs[i].type_code = spec.dtype.code;
      descs[i].bits = spec.dtype.bits;
      descs[i].rank = spec.dims.size();
      auto *dims = table<int64_t>(spec.dims.size());
      std::copy(spec.dims.begin(), spec.dims.end(), dims);
      descs[i].dims_ref = ref(dims);
    }
    return descs;
  }

  void setEntry(qcc_entry_desc &entry, const EntrySpec &spec) {
    entry.name_ref = string(spec.name);
    entry.n_arguments = spec.arguments.size();
    entry.n_results = spec.results.size();
    arguments = setTensors(spec.arguments);
    results = setTensors(spec.results);
    entry.arguments_ref = ref(arguments);
    entry.results_ref = ref(results);
    if (!spec.inPlace.empty()) {
      inPlace = table<int32_t>(spec.inPlace.size());
      std::copy(spec.inPlace.begin(), spec.inPlace.end(), inPlace);
      entry.in_place_ref = ref(inPlace);
    }
    entry.n_symbols = spec.symbols;
    entry.n_values = std::max(spec.values, spec.symbols);
    entry.n_requirements = spec.requirements.size();
    auto *requirements = table<int64_t>(spec.requirements.size());
    for (size_t i = 0; i < spec.requirements.size(); ++i)
      requirements[i] = string(spec.requirements[i]);
    entry.requirements_ref = ref(requirements);
    entry.plan_ref = ref(reinterpret_cast<const void *>(spec.plan));
    entry.n_steps = spec.steps.size();
    steps = table<qcc_step_desc>(spec.steps.size());
    entry.steps_ref = ref(steps);
    for (size_t i = 0; i < spec.steps.size(); ++i) {
      steps[i].kind = QCC_STEP_HOST;
      steps[i].parallel = spec.steps[i].parallel;
      steps[i].name_ref = string(spec.steps[i].name);
      steps[i].function_ref =
          ref(reinterpret_cast<const void *>(spec.steps[i].function));
      steps[i].scratch_bytes = spec.steps[i].scratch;
      steps[i].operations = spec.steps[i].operations;
      steps[i].n_inputs = spec.steps[i].inputs.size();
      steps[i].n_outputs = spec.steps[i].outputs.size();
      steps[i].inputs_ref = setOperands(spec.steps[i].inputs);
      steps[i].outputs_ref = setOperands(spec.steps[i].outputs);
      if (spec.steps[i].kernel)
        setLaunch(steps[i], spec.steps[i]);
    }
  }

  int64_t setOperands(const std::vector<OperandSpec> &specs) {
    auto *descs = table<qcc_operand_desc>(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
      descs[i].kind = specs[i].kind;
      descs[i].index = specs[i].index;
      descs[i].type_code = specs[i].dtype.code;
      descs[i].bits = specs[i].dtype.bits;
      descs[i].rank = specs[i].dims.size();
      auto *dims = table<int64_t>(specs[i].dims.size());
      std::copy(specs[i].dims.begin(), specs[i].dims.end(), dims);
      descs[i].dims_ref = ref(dims);
    }
    return ref(descs);
  }

  void setLaunch(qcc_step_desc &step, const StepSpec &spec) {
    step.kind = QCC_STEP_LAUNCH;
    step.function_ref = 0;
    launch = table<qcc_launch_desc>(1);
    step.launch_ref = ref(launch);
    launch->kernel_ref = string(spec.kernel);
    launch->grid = spec.grid;
    launch->block = 32;
    size_t inputs = spec.inputs.size(), outputs = spec.outputs.size();
    parameters = table<qcc_parameter_desc>(inputs + outputs + 1);
    launch->n_parameters = inputs + outputs + 1;
    launch->parameters_ref = ref(parameters);
    for (size_t i = 0; i < inputs; ++i)
      parameters[i] = {QCC_PARAMETER_INPUT, 0, int64_t(i)};
    for (size_t i = 0; i < outputs; ++i)
      parameters[inputs + i] = {QCC_PARAMETER_OUTPUT, 0, int64_t(i)};
    parameters[inputs + outputs] = {QCC_PARAMETER_SIZE, 0, spec.grid};
  }

  std::deque<std::unique_ptr<std::vector<Line>>> memory_;
};

} // namespace qcc::rt::test

#endif // QCC_TEST_UNIT_RUNTIME_FAKEARTIFACT_H
