//===- HugePagesTests.cpp - Weights and temporaries in huge pages ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels differ in what they give: where this one has no huge pages, weights
// have to stay where they are.
//
//===----------------------------------------------------------------------===//

#include "FakeArtifact.h"
#include "TestFiles.h"
#include "qcc/Runtime/Allocator.h"

#include <sstream>
#include <sys/wait.h>

using namespace qcc::rt;
using namespace qcc::rt::test;

constexpr int64_t hugePage = int64_t(1) << 21;
constexpr int64_t large = 4 * hugePage;

static bool hostHasHugePages() {
  std::string text = readFile("/sys/kernel/mm/transparent_hugepage/enabled");
  return !text.empty() && text.find("[never]") == std::string::npos;
}

/// Writes the first, a middle and the last byte of the weights to result 0.
static void readWeights(const qcc_frame *frame, int32_t, int32_t) {
  auto *y = static_cast<int8_t *>(frame->tensors[0]);
  y[0] = frame->weights[0];
  y[1] = frame->weights[large / 2 + 1];
  y[2] = frame->weights[large - 1];
}

static FakeArtifact makeArtifact(int64_t size) {
  FakeArtifact::EntrySpec spec;
  spec.results = {{{QCC_INT, 8}, {3}, "y"}};
  spec.steps = {{"main.step0", readWeights}};
  spec.inPlace = {-1};
  FakeArtifact artifact(spec);
  artifact.weights = artifact.table<char>(size);
  for (int64_t i = 0; i < size; ++i)
    artifact.weights[i] = char(i % 251);
  artifact.variants[0].weights_ref = artifact.ref(artifact.weights);
  artifact.variants[0].weights_size = size;
  return artifact;
}

static std::shared_ptr<const Module> load(const FakeArtifact &artifact,
                                          WeightPages pages) {
  ModuleOptions options;
  options.weightPages = pages;
  auto module = artifact.load(options);
  EXPECT_TRUE(module.isOk()) << module.message();
  return module.isOk() ? *module : nullptr;
}

/// What readWeights finds.
static std::vector<int> run(const std::shared_ptr<const Module> &module) {
  ContextOptions options;
  options.threads = 1;
  auto context = Context::create(module, "", options);
  EXPECT_TRUE(context.isOk()) << context.message();
  int8_t y[3] = {};
  Tensor result(y, {QCC_INT, 8}, {3});
  Status status = (*context)->run(nullptr, 0, &result, 1);
  EXPECT_TRUE(status.isOk()) << status.message();
  return {uint8_t(y[0]), uint8_t(y[1]), uint8_t(y[2])};
}
static const std::vector<int> expectedResult = {0, (large / 2 + 1) % 251,
                                                (large - 1) % 251};

/// The permissions of the memory at an address, "r--p".
static std::string permissionsAt(const void *address) {
  std::istringstream maps(readFile("/proc/self/maps"));
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin, end;
    char permissions[5];
    if (sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, permissions) == 3 &&
        uintptr_t(address) >= begin && uintptr_t(address) < end)
      return permissions;
  }
  return "";
}

TEST(HugePages, LargeWeightsAreCopied) {
  FakeArtifact artifact = makeArtifact(large);
  auto module = load(artifact, WeightPages::Auto);
  ASSERT_TRUE(module);
  const char *weights = module->variant().weights;
  EXPECT_EQ(run(module), expectedResult);
  if (!hostHasHugePages()) {
    EXPECT_EQ(weights, artifact.weights);
    EXPECT_EQ(module->copiedWeightBytes(), 0);
    return;
  }
  EXPECT_NE(weights, artifact.weights);
  EXPECT_EQ(module->copiedWeightBytes(), large);
  EXPECT_EQ(uintptr_t(weights) % hugePage, 0u);
  EXPECT_EQ(memcmp(weights, artifact.weights, large), 0);
  EXPECT_EQ(permissionsAt(weights), "r--p");
  EXPECT_EQ(permissionsAt(weights + large - 1), "r--p");
}

TEST(HugePages, CopiesGoWithTheModule) {
  if (!hostHasHugePages())
    GTEST_SKIP() << "this kernel gives no huge pages";
  FakeArtifact artifact = makeArtifact(large + 4097);
  auto module = load(artifact, WeightPages::Auto);
  ASSERT_TRUE(module);
  const char *weights = module->variant().weights;
  EXPECT_EQ(memcmp(weights, artifact.weights, large + 4097), 0);
  module.reset();
  EXPECT_EQ(permissionsAt(weights), "");
  EXPECT_EQ(permissionsAt(weights + large + 4096), "");
}

TEST(HugePages, SmallWeightsStay) {
  FakeArtifact artifact = makeArtifact(large - 64);
  auto module = load(artifact, WeightPages::Auto);
  ASSERT_TRUE(module);
  EXPECT_EQ(module->variant().weights, artifact.weights);
  EXPECT_EQ(module->copiedWeightBytes(), 0);
}

TEST(HugePages, TheOptionDecides) {
  FakeArtifact artifact = makeArtifact(large);
  auto shared = load(artifact, WeightPages::File);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->variant().weights, artifact.weights);
  EXPECT_EQ(shared->copiedWeightBytes(), 0);
  EXPECT_EQ(run(shared), expectedResult);

  FakeArtifact small = makeArtifact(100);
  auto copied = load(small, WeightPages::Huge);
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->copiedWeightBytes(), hostHasHugePages() ? 100 : 0);
  EXPECT_EQ(memcmp(copied->variant().weights, small.weights, 100), 0);

  FakeArtifact none = makeArtifact(64);
  none.variants[0].weights_ref = none.variants[0].weights_size = 0;
  auto empty = load(none, WeightPages::Huge);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->variant().weights, nullptr);
  EXPECT_EQ(empty->copiedWeightBytes(), 0);
}

TEST(HugePages, ChildrenOfForkReadTheCopy) {
  FakeArtifact artifact = makeArtifact(large);
  auto module = load(artifact, WeightPages::Auto);
  ASSERT_TRUE(module);
  pid_t child = fork();
  if (child == 0)
    _exit(run(module) == expectedResult ? 0 : 1);
  int state = -1;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  EXPECT_EQ(run(module), expectedResult);
}

TEST(HugePages, FilesAreCopied) {
  for (WeightPages pages :
       {WeightPages::Auto, WeightPages::File, WeightPages::Huge}) {
    ModuleOptions options;
    options.weightPages = pages;
    auto module = Module::open(QCC_TEST_ARTIFACT, options);
    ASSERT_TRUE(module.isOk()) << module.message();
    const char *weights = (*module)->variant().weights;
    EXPECT_EQ(weights[0], 1);
    EXPECT_EQ(weights[5000], 2);
    EXPECT_EQ(weights[3 * 4096 - 1], 3);
    bool copies = pages == WeightPages::Huge && hostHasHugePages();
    EXPECT_EQ((*module)->copiedWeightBytes(), copies ? 3 * 4096 : 0);
    // The artifact's own are still what they were.
    const qcc_descriptor *descriptor = (*module)->descriptor();
    auto *base = reinterpret_cast<const char *>(descriptor);
    auto *variant = reinterpret_cast<const qcc_variant_desc *>(
        base + descriptor->variants_ref);
    const char *own = base + variant->weights_ref;
    EXPECT_EQ(own == weights, !copies);
    EXPECT_EQ(memcmp(own, weights, variant->weights_size), 0);
  }
}

TEST(HugePages, LargeBlocksAreAlignedToThem) {
  AlignedBuffer buffer;
  ASSERT_TRUE(buffer.reserve(2 * hugePage).isOk());
  EXPECT_EQ(uintptr_t(buffer.data()) % hugePage, 0u);
  memset(buffer.data(), 1, 2 * hugePage);
  // Smaller ones cost no more than they ask for.
  AlignedBuffer small;
  ASSERT_TRUE(small.reserve(4096).isOk());
  EXPECT_EQ(uintptr_t(small.data()) % memoryAlignment, 0u);
}
