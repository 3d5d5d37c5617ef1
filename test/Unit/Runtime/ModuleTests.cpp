//===- ModuleTests.cpp - Descriptors, variants, files ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeArtifact.h"
#include "TestFiles.h"
#include "qcc/Artifact/ArtifactNote.h"

#include <functional>

using namespace qcc::rt;
using namespace qcc::rt::test;

static void doNothing(const qcc_frame *, int32_t, int32_t) {}

static FakeArtifact::EntrySpec makeEntry() {
  FakeArtifact::EntrySpec spec;
  spec.arguments = {{{QCC_INT, 8}, {value(0), 4}, "x"}};
  spec.results = {{{QCC_FLOAT, 32}, {value(0), 4}}};
  spec.symbols = 1;
  spec.requirements = {"the batch must be even"};
  spec.steps = {{"main.step0", doNothing}};
  spec.inPlace = {-1};
  return spec;
}

TEST(Module, ReadsDescriptor) {
  FakeArtifact artifact(makeEntry());
  Result<std::shared_ptr<const Module>> module = artifact.load();
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->producer(), "qcc test");
  EXPECT_EQ((*module)->variant().target, "test");
  EXPECT_EQ((*module)->variant().weights, artifact.weights);
  ASSERT_EQ((*module)->entries().size(), 1u);
  const Entry &entry = *(*module)->findEntry("");
  EXPECT_EQ((*module)->findEntry("main"), &entry);
  EXPECT_EQ((*module)->findEntry("other"), nullptr);
  EXPECT_EQ(entry.arguments[0].name, "x");
  EXPECT_EQ(entry.arguments[0].describe(), "?x4xi8");
  EXPECT_EQ(entry.results[0].describe(), "?x4xf32");
  EXPECT_EQ(entry.requirements[0], "the batch must be even");
  EXPECT_EQ(entry.steps[0].name, "main.step0");
  EXPECT_EQ(entry.steps[0].layer, "");
  EXPECT_EQ(entry.steps[0].function, &doNothing);
}

TEST(Module, ReadsQuantizationAndOperands) {
  FakeArtifact artifact(makeEntry());
  auto *scales = artifact.table<float>(4);
  auto *zeroPoints = artifact.table<int32_t>(4);
  scales[3] = 0.5f;
  zeroPoints[3] = -7;
  auto *quant = artifact.table<qcc_quant_desc>(1);
  *quant = {QCC_QUANT_PER_CHANNEL, 1, 4, artifact.ref(scales),
            artifact.ref(zeroPoints)};
  artifact.arguments[0].quant_ref = artifact.ref(quant);
  auto *dims = artifact.table<int64_t>(1);
  dims[0] = value(0);
  auto *operands = artifact.table<qcc_operand_desc>(2);
  auto *tensorQuant = artifact.table<qcc_quant_desc>(1);
  *tensorQuant = {QCC_QUANT_PER_TENSOR, 0, 1, artifact.ref(scales + 3),
                  artifact.ref(zeroPoints + 3)};
  operands[0] = {QCC_WEIGHTS, QCC_INT, 8, 1, 16, artifact.ref(dims),
                 0,           0,       0, 0, 0};
  operands[1] = {QCC_ARENA,
                 QCC_INT,
                 32,
                 1,
                 128,
                 artifact.ref(dims),
                 0,
                 0,
                 0,
                 artifact.ref(tensorQuant),
                 artifact.string("relu1")};
  artifact.steps[0].n_inputs = 1;
  artifact.steps[0].n_outputs = 1;
  artifact.steps[0].inputs_ref = artifact.ref(operands);
  artifact.steps[0].outputs_ref = artifact.ref(operands + 1);

  Result<std::shared_ptr<const Module>> module = artifact.load();
  ASSERT_TRUE(module.isOk()) << module.message();
  const Entry &entry = (*module)->entries()[0];
  ASSERT_TRUE(entry.arguments[0].quantization);
  EXPECT_EQ(entry.arguments[0].quantization->scales[3], 0.5f);
  EXPECT_EQ(entry.arguments[0].quantization->zeroPoints[3], -7);
  EXPECT_EQ(entry.steps[0].inputs[0].kind, QCC_WEIGHTS);
  EXPECT_FALSE(entry.steps[0].inputs[0].quantization);
  EXPECT_EQ(entry.steps[0].outputs[0].index.literal(), 128);
  ASSERT_TRUE(entry.steps[0].outputs[0].quantization);
  EXPECT_EQ(entry.steps[0].outputs[0].quantization->scales[0], 0.5f);
  EXPECT_EQ(entry.steps[0].outputs[0].layer, "relu1");
  EXPECT_EQ(entry.steps[0].inputs[0].layer, "");

  quant->axis = 2;
  EXPECT_FALSE(artifact.load().isOk());
  quant->axis = 1;
  tensorQuant->count = 2;
  EXPECT_FALSE(artifact.load().isOk());
  tensorQuant->count = 1;
  operands[0].index = 1000;
  EXPECT_FALSE(artifact.load().isOk());
}

TEST(Module, ChoosesTheVariantWithMostFeatures) {
  FakeArtifact artifact;
  artifact.setVariants(3);
  artifact.setVariant(0, "old", "avx2,fma", {makeEntry()});
  artifact.setVariant(1, "new", "avx2,fma,avx512f,avx512vnni", {makeEntry()});
  artifact.setVariant(2, "middle", "avx2,fma,avx512f", {makeEntry()});

  auto targetOn = [&](const char *features) -> std::string {
    HostFeatures host(splitFeatures(features));
    ModuleOptions options;
    options.features = &host;
    Result<std::shared_ptr<const Module>> module = artifact.load(options);
    return module.isOk() ? std::string((*module)->variant().target)
                         : module.message();
  };
  EXPECT_EQ(targetOn("avx2,fma,avx512f,avx512vnni,amx-tile"), "new");
  EXPECT_EQ(targetOn("avx2,fma,avx512f"), "middle");
  EXPECT_EQ(targetOn("fma,avx2"), "old");
  EXPECT_EQ(
      targetOn("avx2"),
      "this host cannot run the artifact; variant 'old' needs fma; "
      "variant 'new' needs fma, avx512f, avx512vnni; variant 'middle' "
      "needs fma, avx512f; compile it for this host, the target `native`");

  // To look at, the best one is there, but nothing can run it.
  HostFeatures old(splitFeatures("avx2"));
  ModuleOptions inspecting;
  inspecting.features = &old;
  inspecting.inspectOnly = true;
  Result<std::shared_ptr<const Module>> module = artifact.load(inspecting);
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->variant().target, "new");
  EXPECT_EQ((*module)->refusal().message(), targetOn("avx2"));
  EXPECT_EQ(Context::create(*module, "").message(), targetOn("avx2"));
  inspecting.features = nullptr;
  inspecting.variant = "none";
  EXPECT_FALSE(artifact.load(inspecting).isOk());

  artifact.variants[0].device = 99;
  EXPECT_NE(targetOn("fma,avx2").find("'old' is for another kind of device"),
            std::string::npos);
}

TEST(Module, PrefersFasterInstructionsToMoreFeatures) {
  FakeArtifact artifact;
  artifact.setVariants(4);
  artifact.setVariant(0, "wide", "avx2,avx512f,avx512bw,avx512cd",
                      {makeEntry()});
  artifact.setVariant(1, "dot", "avx2,avxvnni", {makeEntry()});
  artifact.setVariant(2, "more", "avx2,avxvnni,fma", {makeEntry()});
  artifact.setVariant(3, "same", "avx2,avxvnni,fma", {makeEntry()});
  HostFeatures host(
      splitFeatures("avx2,avx512f,avx512bw,avx512cd,avxvnni,fma"));
  ModuleOptions options;
  options.features = &host;
  Result<std::shared_ptr<const Module>> module = artifact.load(options);
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->variant().target, "more");
}

TEST(Module, LoadsTheVariantThatIsAskedFor) {
  FakeArtifact artifact;
  artifact.setVariants(3);
  artifact.setVariant(0, "old", "avx2", {makeEntry()});
  artifact.setVariant(1, "new", "avx2,avx512f,avx512bw", {makeEntry()});
  artifact.setVariant(2, "newest", "avx2,amx-int8,amx-tile", {makeEntry()});
  HostFeatures host(splitFeatures("avx2,avx512f,avx512bw"));
  ModuleOptions options;
  options.features = &host;
  options.variant = "old";
  Result<std::shared_ptr<const Module>> module = artifact.load(options);
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->variant().target, "old");
  const std::vector<VariantInfo> &infos = (*module)->variants();
  ASSERT_EQ(infos.size(), 3u);
  EXPECT_EQ(infos[1].target, "new");
  EXPECT_EQ(infos[1].features, "avx2,avx512f,avx512bw");
  EXPECT_EQ(infos[1].refusal, "");
  EXPECT_EQ(infos[2].missing,
            (std::vector<std::string>{"amx-int8", "amx-tile"}));
  EXPECT_EQ(infos[2].refusal, "needs amx-int8, amx-tile");

  options.variant = "newest";
  EXPECT_EQ(artifact.load(options).status().code(), StatusCode::Unsupported);
  EXPECT_EQ(
      artifact.load(options).message(),
      "this host cannot run the artifact; variant 'newest' needs "
      "amx-int8, amx-tile; compile it for this host, the target `native`");
  options.variant = "other";
  EXPECT_EQ(artifact.load(options).status().code(), StatusCode::NotFound);
  EXPECT_EQ(artifact.load(options).message(),
            "the artifact has no variant 'other'; it has: old, new, newest");
}

TEST(Module, AsksForTilesOnce) {
  static int requests;
  requests = 0;
  FakeArtifact artifact;
  artifact.setVariants(2);
  artifact.setVariant(0, "plain", "avx2", {makeEntry()});
  artifact.setVariant(1, "tiles", "avx2,amx-int8,amx-tile", {makeEntry()});
  HostFeatures host(splitFeatures("avx2,amx-tile,amx-int8"));
  ModuleOptions options;
  options.features = &host;
  options.requestTiles = [] {
    ++requests;
    return Status::ok();
  };
  EXPECT_EQ((*artifact.load(options))->variant().target, "tiles");
  EXPECT_EQ(requests, 1);
  options.variant = "plain";
  EXPECT_TRUE(artifact.load(options).isOk());
  EXPECT_EQ(requests, 1);

  // Refused: the next best, which says why the best one is not it.
  options.variant = "";
  options.requestTiles = [] { return unsupported("the system refuses"); };
  Result<std::shared_ptr<const Module>> module = artifact.load(options);
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->variant().target, "plain");
  EXPECT_EQ((*module)->variants()[1].refusal,
            "needs amx-tile, but the system refuses");
  options.variant = "tiles";
  EXPECT_EQ(artifact.load(options).message(),
            "this host cannot run the artifact; variant 'tiles' needs "
            "amx-tile, but the system refuses; compile it for this host, the "
            "target `native`");
}

TEST(Module, RefusesWrongHeaders) {
  EXPECT_EQ(Module::create(nullptr, nullptr).status().code(),
            StatusCode::InvalidArgument);
  FakeArtifact magic(makeEntry());
  magic.descriptor->magic[0] = 'X';
  EXPECT_EQ(magic.load().status().code(), StatusCode::Corrupt);
  FakeArtifact version(makeEntry());
  version.descriptor->version = 7;
  EXPECT_EQ(version.load().status().code(), StatusCode::Unsupported);
  EXPECT_NE(version.load().message().find("version 7"), std::string::npos);
  FakeArtifact size(makeEntry());
  size.descriptor->size = 8;
  EXPECT_EQ(size.load().status().code(), StatusCode::Corrupt);
  FakeArtifact empty;
  EXPECT_NE(empty.load().message().find("has no variant of the program"),
            std::string::npos);
}

TEST(Module, ReadsSelfTests) {
  FakeArtifact artifact(makeEntry());
  auto *tests = artifact.table<qcc_self_test_desc>(2);
  auto *sizes = artifact.table<int64_t>(1);
  *sizes = 17;
  tests[1] = {0, artifact.ref(sizes), 3, 2, 0x1234, /*is_known=*/1, 0};
  artifact.descriptor->n_self_tests = 2;
  artifact.descriptor->self_tests_ref = artifact.ref(tests);
  Result<std::shared_ptr<const Module>> module = artifact.load();
  ASSERT_TRUE(module.isOk()) << module.message();
  ASSERT_EQ((*module)->selfTests().size(), 1u);
  const SelfTest &test = (*module)->selfTests().front();
  EXPECT_EQ(test.sizes, std::vector<int64_t>{17});
  EXPECT_EQ(test.seed, 3u);
  EXPECT_EQ(test.integerLimit, 2);
  EXPECT_EQ(test.digest, 0x1234u);
  // An older version has none, and a shorter descriptor.
  artifact.descriptor->minor_version = 4;
  artifact.descriptor->size = 72;
  module = artifact.load();
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_TRUE((*module)->selfTests().empty());
}

TEST(Module, RefusesOtherVersions) {
  FakeArtifact newer(makeEntry());
  newer.descriptor->minor_version = QCC_ABI_MINOR_VERSION + 1;
  newer.descriptor->size = 4096;
  newer.descriptor->record_sizes_ref = 1; // It may mean something else.
  EXPECT_EQ(newer.load().status().code(), StatusCode::Unsupported);
  EXPECT_EQ(newer.load().message(),
            "the artifact has version 4.8, which is newer than this runtime, "
            "which reads versions 4.0 to 4.7; update the runtime to the "
            "compiler's release");
  for (uint32_t other : {3u, 5u}) {
    FakeArtifact artifact(makeEntry());
    artifact.descriptor->version = other;
    EXPECT_EQ(artifact.load().status().code(), StatusCode::Unsupported);
    EXPECT_EQ(artifact.load().message(),
              "the artifact has version " + std::to_string(other) +
                  ", this runtime reads versions 4.0 to 4.7; use the compiler "
                  "and the runtime of one release");
  }
}

TEST(Module, ReadsNamesAndMetadata) {
  FakeArtifact artifact(makeEntry());
  auto *names = artifact.table<int64_t>(2);
  names[0] = artifact.string("batch");
  artifact.arguments[0].dim_names_ref = artifact.ref(names);
  auto *pairs = artifact.table<qcc_metadata_desc>(2);
  pairs[0] = {artifact.string("author"), artifact.string("somebody")};
  pairs[1] = {artifact.string("empty"), 0};
  artifact.descriptor->n_metadata = 2;
  artifact.descriptor->metadata_ref = artifact.ref(pairs);
  Result<std::shared_ptr<const Module>> module = artifact.load();
  ASSERT_TRUE(module.isOk()) << module.message();
  const Entry &entry = (*module)->entries()[0];
  EXPECT_EQ(entry.arguments[0].dimNames,
            (std::vector<std::string_view>{"batch", ""}));
  EXPECT_TRUE(entry.results[0].dimNames.empty());
  ASSERT_EQ((*module)->metadata().size(), 2u);
  EXPECT_EQ((*module)->metadata()[0].key, "author");
  EXPECT_EQ((*module)->metadata()[0].value, "somebody");
  EXPECT_EQ((*module)->metadata()[1].value, "");
  EXPECT_EQ((*module)->minorVersion(), uint32_t(QCC_ABI_MINOR_VERSION));
}

/// Quantizes the first argument, with a scale and a zero point at these bytes.
static void quantize(FakeArtifact &artifact, int scale, int zeroPoint) {
  char *numbers = artifact.table<char>(16);
  auto *quant = artifact.table<qcc_quant_desc>(1);
  *quant = {QCC_QUANT_PER_TENSOR, 0, 1, artifact.ref(numbers + scale),
            artifact.ref(numbers + zeroPoint)};
  artifact.arguments[0].quant_ref = artifact.ref(quant);
}

TEST(Module, RefusesDamagedTables) {
  using Damage = std::function<void(FakeArtifact &)>;
  const std::pair<const char *, Damage> cases[] = {
      {"the table of steps is missing",
       [](FakeArtifact &a) { a.entries[0].steps_ref = 0; }},
      {"the table of steps has -1 elements",
       [](FakeArtifact &a) { a.entries[0].n_steps = -1; }},
      {"the table of arguments has 1073741824 elements",
       [](FakeArtifact &a) { a.entries[0].n_arguments = 1 << 30; }},
      {"the plan function is missing",
       [](FakeArtifact &a) { a.entries[0].plan_ref = 0; }},
      {"symbols of", [](FakeArtifact &a) { a.entries[0].n_values = 0; }},
      {"is misaligned", [](FakeArtifact &a) { a.entries[0].steps_ref += 4; }},
      {"unknown element type",
       [](FakeArtifact &a) { a.results[0].type_code = 3; }},
      {"has rank 1000", [](FakeArtifact &a) { a.results[0].rank = 1000; }},
      {"unknown kind 5", [](FakeArtifact &a) { a.steps[0].kind = 5; }},
      {"a step's function is missing",
       [](FakeArtifact &a) { a.steps[0].function_ref = 0; }},
      {"a scratch size refers to value 9 of 1",
       [](FakeArtifact &a) { a.steps[0].scratch_bytes = value(9); }},
      {"an in-place argument does not exist",
       [](FakeArtifact &a) { a.inPlace[0] = 1; }},
      {"the weights are not aligned",
       [](FakeArtifact &a) { a.variants[0].weights_ref += 8; }},
      {"the weights have a negative size",
       [](FakeArtifact &a) { a.variants[0].weights_size = -1; }},
      {"the table of record sizes is missing",
       [](FakeArtifact &a) { a.descriptor->record_sizes_ref = 0; }},
      {"a record is 24 bytes long",
       [](FakeArtifact &a) { a.recordSizes->tensor = 24; }},
      {"a record is 84 bytes long",
       [](FakeArtifact &a) { a.recordSizes->entry = 84; }},
      {"a record is 88 bytes long",
       [](FakeArtifact &a) { a.recordSizes->variant = 88; }},
      {"a self-test is of entry 7",
       [](FakeArtifact &a) {
         auto *tests = a.table<qcc_self_test_desc>(1);
         tests->entry = 7;
         tests->is_known = 1;
         a.descriptor->n_self_tests = 1;
         a.descriptor->self_tests_ref = a.ref(tests);
       }},
      {"a self-test limits integers to 4294967296",
       [](FakeArtifact &a) {
         auto *tests = a.table<qcc_self_test_desc>(1);
         tests->integer_limit = int64_t(1) << 32;
         tests->is_known = 1;
         a.descriptor->n_self_tests = 1;
         a.descriptor->self_tests_ref = a.ref(tests);
       }},
      {"the self-tests is missing",
       [](FakeArtifact &a) { a.descriptor->n_self_tests = 1; }},
      {"the metadata is missing",
       [](FakeArtifact &a) { a.descriptor->n_metadata = 1; }},
      {"a list of names is misaligned",
       [](FakeArtifact &a) { a.arguments[0].dim_names_ref = 4; }},
      {"a scale is misaligned", [](FakeArtifact &a) { quantize(a, 1, 8); }},
      {"a zero point is misaligned",
       [](FakeArtifact &a) { quantize(a, 0, 10); }},
      {"a symbol is no dimension of any argument",
       [](FakeArtifact &a) {
         a.entries[0].n_symbols = a.entries[0].n_values = 2;
       }},
      {"a dimension of an argument is no symbol",
       [](FakeArtifact &a) { a.entries[0].n_symbols = 0; }},
  };
  for (const auto &[message, damage] : cases) {
    FakeArtifact artifact(makeEntry());
    damage(artifact);
    Result<std::shared_ptr<const Module>> module = artifact.load();
    ASSERT_FALSE(module.isOk()) << message;
    EXPECT_EQ(module.status().code(), StatusCode::Corrupt);
    EXPECT_NE(module.message().find(message), std::string::npos)
        << module.message();
  }
}

TEST(Module, RefusesReferencesOutOfRange) {
  FakeArtifact artifact(makeEntry());
  ModuleOptions options;
  options.ranges = {{reinterpret_cast<const char *>(artifact.descriptor),
                     sizeof(qcc_descriptor)},
                    {reinterpret_cast<const char *>(artifact.recordSizes),
                     sizeof(qcc_record_sizes)}};
  Result<std::shared_ptr<const Module>> module = artifact.load(options);
  ASSERT_FALSE(module.isOk());
  EXPECT_NE(module.message().find("the variant table lies outside"),
            std::string::npos);
  options.ranges.pop_back();
  EXPECT_NE(artifact.load(options).message().find(
                "the table of record sizes lies outside"),
            std::string::npos);
  // Large enough for versions 4.0 and 4.1.
  for (int64_t size : {40, 72}) {
    options.ranges[0].size = size;
    EXPECT_NE(artifact.load(options).message().find("it is 104 bytes long"),
              std::string::npos);
  }
  options.ranges[0].size = 4;
  EXPECT_FALSE(artifact.load(options).isOk());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(ModuleFile, LoadsAndRuns) {
  Result<std::shared_ptr<const Module>> module =
      Module::open(QCC_TEST_ARTIFACT);
  ASSERT_TRUE(module.isOk()) << module.message();
  ContextOptions options;
  options.threads = 2;
  Result<std::unique_ptr<Context>> context =
      Context::create(*module, "", options);
  ASSERT_TRUE(context.isOk()) << context.message();
  std::vector<int32_t> x = {1, 2, 3}, y(3);
  DType i32{QCC_INT, 32};
  Status status = (*context)->run({Tensor(x.data(), i32, {3})},
                                  {Tensor(y.data(), i32, {3})});
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(y, (std::vector<int32_t>{2, 4, 6}));
}

TEST(ModuleMemory, LoadsAndNamesWhatItRefuses) {
  std::string bytes = readFile(QCC_TEST_ARTIFACT);
  Result<std::shared_ptr<const Module>> module =
      Module::load(bytes.data(), bytes.size());
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_NE((*module)->findEntry("main"), nullptr);

  module = Module::load(bytes.data(), bytes.size() / 2);
  ASSERT_FALSE(module.isOk());
  EXPECT_EQ(module.status().code(), StatusCode::Corrupt);
  EXPECT_EQ(module.message().find("the artifact in memory: "), 0u);
  EXPECT_EQ(Module::load(bytes.data(), 0).status().code(), StatusCode::Corrupt);
  EXPECT_EQ(Module::load(nullptr, 1).status().code(),
            StatusCode::InvalidArgument);
}

TEST(Module, SaysWhichEntriesThereAre) {
  FakeArtifact artifact(makeEntry());
  Result<std::shared_ptr<const Module>> module = artifact.load();
  ASSERT_TRUE(module.isOk()) << module.message();
  Result<const Entry *> entry = (*module)->requireEntry("main");
  ASSERT_TRUE(entry.isOk());
  EXPECT_EQ(*entry, (*module)->findEntry("main"));
  entry = (*module)->requireEntry("other");
  EXPECT_EQ(entry.status().code(), StatusCode::NotFound);
  EXPECT_EQ(entry.message(), "the program has no entry 'other'; it has: main");
}

/// The artifact with another producer.
static std::string readOtherArtifact() {
  std::string bytes = readFile(QCC_TEST_ARTIFACT);
  size_t at = bytes.find("by hand");
  EXPECT_NE(at, std::string::npos);
  bytes.replace(at, strlen("by hand"), "by foot");
  EXPECT_TRUE(stampArtifact(bytes.data(), bytes.size()).isOk());
  return bytes;
}

TEST(ModuleMemory, KeepsArtifactsApart) {
  std::string first = readFile(QCC_TEST_ARTIFACT), other = readOtherArtifact();
  for (int i = 0; i < 3; ++i) {
    auto a = Module::load(first.data(), first.size());
    auto b = Module::load(other.data(), other.size());
    ASSERT_TRUE(a.isOk() && b.isOk()) << a.message() << b.message();
    EXPECT_EQ((*a)->producer(), "by hand");
    EXPECT_EQ((*b)->producer(), "by foot");
  }
}

TEST(ModuleFile, SeesThatAFileWasReplaced) {
  TemporaryFile file;
  file.write(readFile(QCC_TEST_ARTIFACT));
  auto before = Module::open(file.path);
  file.write(readOtherArtifact());
  auto after = Module::open(file.path);
  ASSERT_TRUE(before.isOk() && after.isOk());
  EXPECT_EQ((*before)->producer(), "by hand");
  EXPECT_EQ((*after)->producer(), "by foot");
}
