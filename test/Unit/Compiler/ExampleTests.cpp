//===- ExampleTests.cpp - The examples, again and again -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Real programs on 1 to 8 threads: the same bits, no memory and one fork for a
// run whose shapes are known.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/CountingAllocator.h"
#include "../Runtime/HeapCount.h"
#include "TestCompile.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Support/Random.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace qcc;
using namespace qcc::test;

namespace {

class Example : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (!rt::HostFeatures::host().has("avx2"))
      GTEST_SKIP() << "the host is below x86-64-v3";
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext context(registry);
    llvm::SourceMgr sources;
    auto file = llvm::MemoryBuffer::getFile(std::string(QCC_EXAMPLES "/") +
                                            GetParam() + ".mlir");
    ASSERT_TRUE(bool(file)) << file.getError().message();
    sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
    ImportOptions options;
    options.weights = llvm::cantFail(WeightsSource::parse("random:7"));
    auto program = importMLIR(sources, &context, options);
    ASSERT_TRUE(bool(program));
    Compiler compiler(targetsOf("native"));
    ASSERT_TRUE(succeeded(compiler.runStages(*program, Stage::LLVM)));
    Artifact artifact = llvm::cantFail(compiler.emitArtifact(*program));
    auto loaded = rt::Module::load(artifact.data(), artifact.size());
    ASSERT_TRUE(loaded.isOk()) << loaded.message();
    module = *loaded;
    makeInputs();
  }

  void makeInputs() {
    constexpr int64_t rows = 131;
    RandomSpec spec;
    spec.low = -2;
    spec.high = 2;
    for (const rt::TensorInfo &info : module->entries()[0].arguments) {
      std::vector<int64_t> shape;
      for (rt::Size dim : info.dims)
        shape.push_back(dim.isDynamic() ? rows : dim.literal());
      auto tensor = HostTensor::create(info.dtype, shape);
      ASSERT_TRUE(tensor.isOk()) << tensor.message();
      fillRandom(*tensor, spec, inputs.size());
      inputs.push_back(*std::move(tensor));
    }
  }

  /// Runs on so many threads, several times; the bytes of all results.
  std::string run(int threads) {
    auto pool = rt::ThreadPool::create(threads);
    EXPECT_TRUE(pool.isOk()) << pool.message();
    rt::test::CountingAllocator counter;
    rt::ContextOptions options;
    options.pool = *pool;
    options.allocator = counter.hook();
    auto context = rt::Context::create(module, "", options);
    EXPECT_TRUE(context.isOk()) << context.message();
    std::vector<rt::Tensor> arguments, outputs;
    for (HostTensor &input : inputs)
      arguments.emplace_back(input.data(), input.dtype(), input.shape());
    auto results = (*context)->allocateResults(arguments);
    EXPECT_TRUE(results.isOk()) << results.message();
    for (rt::OwnedTensor &result : *results)
      outputs.push_back(result.tensor);

    bool good = (*context)->run(arguments, outputs).isOk();
    int allocations = counter.allocations;
    int64_t heap = rt::test::heapAllocations();
    uint64_t forks = (*pool)->forks();
    constexpr int again = 3;
    for (int i = 0; i < again; ++i)
      good &= (*context)->run(arguments, outputs).isOk();
    EXPECT_TRUE(good);
    EXPECT_EQ(rt::test::heapAllocations(), heap);
    EXPECT_EQ(counter.allocations, allocations);
    bool forked = (*context)->threads() > 1;
    EXPECT_EQ((*pool)->forks(), forks + (forked ? again : 0));

    std::string bytes;
    for (const rt::Tensor &output : outputs)
      bytes.append(static_cast<const char *>(output.data), *output.bytes());
    return bytes;
  }

  std::shared_ptr<const rt::Module> module;
  std::vector<HostTensor> inputs;
};

} // namespace

TEST_P(Example, IsTheSameOnAnyNumberOfThreads) {
  std::string expected = run(1);
  EXPECT_FALSE(expected.empty());
  for (int threads = 2; threads <= 8; ++threads)
    EXPECT_TRUE(run(threads) == expected) << threads << " threads";
}

INSTANTIATE_TEST_SUITE_P(Docs, Example,
                         testing::Values("asymmetric", "dynamic_quant",
                                         "encoder", "mlp_f16", "mlp_f32",
                                         "tf_linear", "tf_linear_weight_arg"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });
