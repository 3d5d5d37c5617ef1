//===- MemoryTests.cpp - The memory of programs ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `explain` says that the temporaries of a program take is what the
// runtime asks of its allocator, and little more than is alive at once.
//
//===----------------------------------------------------------------------===//

#include "../Runtime/CountingAllocator.h"
#include "TestCompile.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Explain/Explain.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Support/HostTensor.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace qcc;
using namespace qcc::test;

namespace {
struct Program {
  const char *example;
  std::vector<int64_t> dims; ///< equal ones, of the arguments
};

class Memory : public testing::TestWithParam<Program> {
protected:
  void SetUp() override {
    if (!rt::HostFeatures::host().has("avx2"))
      GTEST_SKIP() << "the host is below x86-64-v3";
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext context(registry);
    llvm::SourceMgr sources;
    auto file = llvm::MemoryBuffer::getFile(std::string(QCC_EXAMPLES "/") +
                                            GetParam().example + ".mlir");
    ASSERT_TRUE(bool(file)) << file.getError().message();
    sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
    ImportOptions importOptions;
    importOptions.weights = llvm::cantFail(WeightsSource::parse("random:7"));
    auto program = importMLIR(sources, &context, importOptions);
    ASSERT_TRUE(bool(program));
    Compiler compiler(targetsOf("native"));
    ASSERT_TRUE(succeeded(compiler.runStages(*program, Stage::Buffer)));
    explain(*program);
    ASSERT_TRUE(
        succeeded(compiler.runStages(*program, Stage::LLVM, Stage::Buffer)));
    Artifact artifact = llvm::cantFail(compiler.emitArtifact(*program));
    auto loaded = rt::Module::load(artifact.data(), artifact.size());
    ASSERT_TRUE(loaded.isOk()) << loaded.message();
    module = *loaded;
  }

  void explain(mlir::ModuleOp program) {
    for (auto entry : program.getOps<mlir::func::FuncOp>()) {
      if (!entry.isPublic())
        continue;
      auto memory = explainMemory(entry, GetParam().dims);
      ASSERT_TRUE(bool(memory)) << llvm::toString(memory.takeError());
      explained = *memory;
    }
  }

  MemoryExplanation explained;
  std::shared_ptr<const rt::Module> module;
};
} // namespace

TEST_P(Memory, ExplainSaysWhatTheAllocatorGives) {
  ASSERT_TRUE(explained.arenaBytes && explained.liveBytes);
  EXPECT_GT(*explained.arenaBytes, 0);
  EXPECT_GE(*explained.arenaBytes, *explained.liveBytes);
  EXPECT_LE(*explained.arenaBytes * 100, *explained.liveBytes * 115);

  rt::test::CountingAllocator counter;
  rt::ContextOptions options;
  options.allocator = counter.hook();
  auto context = rt::Context::create(module, "", options);
  ASSERT_TRUE(context.isOk()) << context.message();
  auto makeAll = [&](const std::vector<rt::TensorInfo> &infos,
                     std::vector<HostTensor> &storage) {
    std::vector<rt::Tensor> tensors;
    for (const rt::TensorInfo &info : infos) {
      std::vector<int64_t> shape;
      for (rt::Size dim : info.dims)
        shape.push_back(dim.isDynamic() ? GetParam().dims[0] : dim.literal());
      storage.push_back(*HostTensor::create(info.dtype, shape));
      HostTensor &tensor = storage.back();
      tensors.emplace_back(tensor.data(), tensor.dtype(), tensor.shape());
    }
    return tensors;
  };
  std::vector<HostTensor> storage;
  const rt::Entry &entry = module->entries()[0];
  auto inputs = makeAll(entry.arguments, storage);
  auto outputs = makeAll(entry.results, storage);
  rt::Status status = (*context)->run(inputs, outputs);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ((*context)->arenaBytes(), *explained.arenaBytes);
  EXPECT_EQ(counter.live - (*context)->scratchBytes(), *explained.arenaBytes);
}

INSTANTIATE_TEST_SUITE_P(Examples, Memory,
                         testing::Values(Program{"encoder", {}},
                                         Program{"classifier_int8", {100}},
                                         Program{"classifier_int8", {1}},
                                         Program{"mlp_f32", {77}}));
