//===- DescriptorFuzzTests.cpp - Descriptors that lie ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file whose hash is right may still hold a descriptor that contradicts
// itself. Reading one is refused, or ends with a module that can be looked at;
// it never leaves the memory of the artifact. (Running one is another matter:
// its code is trusted.)
//
//===----------------------------------------------------------------------===//

#include "DevicePrograms.h"

#include "qcc/Emulator/EmulatorDevice.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <random>

using namespace qcc::rt;
using namespace qcc::rt::test;

static void doNothing(const qcc_frame *, int32_t, int32_t) {}

/// Every kind of table, one dynamic dimension, two entries.
static FakeArtifact makeArtifact() {
  FakeArtifact::EntrySpec spec;
  spec.arguments = {{{QCC_INT, 8}, {value(0), 4}, "x"},
                    {{QCC_FLOAT, 32}, {4}, "scale"}};
  spec.results = {{{QCC_FLOAT, 32}, {value(0), 4}, "y"}};
  spec.symbols = 1;
  spec.values = 3;
  spec.requirements = {"the batch must be even"};
  spec.steps = {{"main.step0", doNothing},
                {"main.step1", doNothing, false, 64}};
  spec.inPlace = {-1};
  FakeArtifact::EntrySpec other = spec;
  other.name = "other";
  FakeArtifact artifact;
  artifact.setVariants(2);
  artifact.setVariant(0, "one", "sse2", {spec});
  artifact.setVariant(1, "two", "sse2,avx2", {spec, other});

  auto *scales = artifact.table<float>(4);
  auto *zeroPoints = artifact.table<int32_t>(4);
  auto *quant = artifact.table<qcc_quant_desc>(1);
  *quant = {QCC_QUANT_PER_CHANNEL, 1, 4, artifact.ref(scales),
            artifact.ref(zeroPoints)};
  artifact.arguments[0].quant_ref = artifact.ref(quant);
  auto *dims = artifact.table<int64_t>(1);
  dims[0] = value(2);
  auto *order = artifact.table<int64_t>(1);
  auto *operands = artifact.table<qcc_operand_desc>(4);
  for (int kind : {QCC_ARGUMENT, QCC_RESULT, QCC_ARENA, QCC_WEIGHTS}) {
    operands[kind].kind = kind;
    operands[kind].type_code = QCC_INT;
    operands[kind].bits = 8;
    operands[kind].rank = 1;
    operands[kind].dims_ref = artifact.ref(dims);
    operands[kind].order_ref = artifact.ref(order);
    operands[kind].layer_ref = artifact.string("layer");
  }
  artifact.steps[0].n_inputs = 3;
  artifact.steps[0].inputs_ref = artifact.ref(operands);
  artifact.steps[0].n_outputs = 1;
  artifact.steps[0].outputs_ref = artifact.ref(operands + 1);
  return artifact;
}

/// Looks at everything that a tool prints.
static size_t look(const Module &module) {
  size_t length = module.producer().size() + module.variant().kernels.size();
  for (const VariantInfo &info : module.variants())
    length += info.target.size() + info.features.size() + info.refusal.size();
  for (const Entry &entry : module.entries()) {
    for (const TensorInfo &argument : entry.arguments) {
      length += argument.describe().size() + argument.name.size();
      if (argument.quantization)
        for (int64_t i = 0; i < argument.quantization->count; ++i)
          length += argument.quantization->scales[i] > 0 ||
                    argument.quantization->zeroPoints[i] > 0;
    }
    for (const TensorInfo &result : entry.results)
      length += result.describe().size();
    for (std::string_view requirement : entry.requirements)
      length += requirement.size();
    for (const Step &step : entry.steps) {
      length += step.name.size() + step.layer.size() + step.location.size();
      for (const OperandInfo &operand : step.inputs)
        length += operand.layer.size() + operand.dims.size();
      if (step.launch)
        length += step.launch->kernel.size() + step.launch->parameters.size();
    }
  }
  return length;
}

/// Changes fields of the tables by chance, and loads each.
static void fuzz(FakeArtifact &artifact, ModuleOptions options,
                 size_t numEntries) {
  options.ranges = artifact.ranges();
  // The plan and step functions lie elsewhere: as code that is there.
  static const char code[64] = {};
  options.ranges.push_back({code, sizeof(code)});
  for (uint32_t i = 0; i < artifact.descriptor->n_variants; ++i)
    artifact.redirectFunctions(i, code);
  auto whole = artifact.load(options);
  ASSERT_TRUE(whole.isOk()) << whole.message();
  ASSERT_EQ((*whole)->entries().size(), numEntries);
  EXPECT_GT(look(**whole), 0u);

  std::vector<MemoryRange> tables = artifact.ranges();
  std::mt19937_64 random(7);
  const int64_t interesting[] = {0,         1,         -1,        2,
                                 8,         63,        64,        255,
                                 1000,      -1000,     1 << 20,   INT32_MAX,
                                 INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX / 8,
                                 -4096,     1LL << 40};
  int refused = 0, loaded = 0;
  for (int i = 0; i < 20000; ++i) {
    // One to three fields of 1, 2, 4 or 8 bytes.
    std::vector<std::pair<char *, int64_t>> undo;
    for (int fields = 1 + random() % 3; fields > 0; --fields) {
      const MemoryRange &table = tables[random() % tables.size()];
      char *place =
          const_cast<char *>(table.begin) + 8 * (random() % (table.size / 8));
      int64_t before, after = interesting[random() % std::size(interesting)];
      memcpy(&before, place, 8);
      undo.push_back({place, before});
      if (random() % 4 == 0)
        after = int64_t(uint64_t(before) + random() % 257 - 128);
      size_t width = size_t(1) << random() % 4;
      memcpy(place + (random() % (8 / width)) * width, &after, width);
    }
    Result<std::shared_ptr<const Module>> module = artifact.load(options);
    if (module.isOk()) {
      ++loaded;
      look(**module);
      ContextOptions single;
      single.threads = 1;
      (void)Context::create(*module, "", single).isOk();
    } else {
      ++refused;
      EXPECT_FALSE(module.message().empty());
    }
    for (auto it = undo.rbegin(); it != undo.rend(); ++it)
      memcpy(it->first, &it->second, 8);
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(loaded, 100);
  EXPECT_TRUE(artifact.load(options).isOk());
}

TEST(DescriptorFuzz, ChangedFieldsAreRefusedOrHarmless) {
  FakeArtifact artifact = makeArtifact();
  ModuleOptions options;
  HostFeatures host(splitFeatures("sse2,avx2"));
  options.features = &host;
  fuzz(artifact, options, 2);
}

TEST(DescriptorFuzz, ChangedLaunchesAreRefusedOrHarmless) {
  DeviceArtifact artifact;
  ModuleOptions options;
  options.device = qcc::emu::createEmulatorDevice();
  fuzz(artifact, options, 1);
}

TEST(DescriptorFuzz, TablesThatManyReferTo) {
  // A thousand entries, all with the same thousand steps of a thousand
  // operands.
  FakeArtifact artifact = makeArtifact();
  constexpr int many = 1000;
  auto *entries = artifact.table<qcc_entry_desc>(many);
  auto *steps = artifact.table<qcc_step_desc>(many);
  auto *operands = artifact.table<qcc_operand_desc>(many);
  for (int i = 0; i < many; ++i) {
    entries[i] = artifact.entries[0];
    entries[i].n_steps = many;
    entries[i].steps_ref = artifact.ref(steps);
    steps[i] = artifact.steps[0];
    steps[i].n_inputs = many;
    steps[i].inputs_ref = artifact.ref(operands);
    operands[i].kind = QCC_ARENA;
    operands[i].bits = 8;
  }
  artifact.variants[0].n_entries = many;
  artifact.variants[0].entries_ref = artifact.ref(entries);
  artifact.descriptor->n_variants = 1;
  Result<std::shared_ptr<const Module>> module = artifact.load();
  ASSERT_FALSE(module.isOk());
  EXPECT_NE(module.message().find("its tables have too many elements"),
            std::string::npos)
      << module.message();
}
