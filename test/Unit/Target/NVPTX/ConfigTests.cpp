//===- ConfigTests.cpp - Configs and the chips that they fit --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks chips and configs: what is proposed and chosen fits the row of the
// chip, what does not is refused, and the reason is told.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;

namespace {

class Configs : public testing::Test {
protected:
  Configs() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Calls `body` with products of several sizes, of bytes and of floats that
  /// are quantized.
  void forEachProduct(llvm::function_ref<void(ContractOp)> body) {
    for (auto [m, n, k] :
         {std::tuple(1, 64, 64), std::tuple(16, 4096, 512),
          std::tuple(200, 96, 1000), std::tuple(300, 32, 128),
          std::tuple(512, 512, 512), std::tuple(640, 1024, 96),
          std::tuple(2048, 256, 4096), std::tuple(4096, 4096, 4096)})
      for (bool isReal : {false, true}) {
        OwningOpRef<ModuleOp> module = parse(m, n, k, isReal);
        ASSERT_TRUE(module);
        module->walk([&](ContractOp op) { body(op); });
      }
  }

  OwningOpRef<ModuleOp> parse(int m, int n, int k, bool isReal) {
    const char *format = R"(
func.func @f(%x: tensor<{0}x{2}x{3}>, %w: tensor<{1}x{2}xi8>, %o: tensor<{0}x{1}xi32>) -> tensor<{0}x{1}xi32> {{
  %y = kernel.contract lhs(%x : tensor<{0}x{2}x{3}>) rhs(%w : tensor<{1}x{2}xi8>) outs(%o : tensor<{0}x{1}xi32>)
    {4} epilogue {{
  ^bb0(%acc: i32):
    kernel.yield %acc : i32
  } -> tensor<{0}x{1}xi32>
  return %y : tensor<{0}x{1}xi32>
})";
    const char *prologue = R"(lhs_prologue {
  ^bb0(%v: f32):
    %q = arith.fptosi %v : f32 to i8
    kernel.yield %q : i8
  })";
    return parseSourceString<ModuleOp>(llvm::formatv(format, m, n, k,
                                                     isReal ? "f32" : "i8",
                                                     isReal ? prologue : "")
                                           .str(),
                                       &context);
  }

  static int64_t sharedBytesOf(kernel::LoweringConfigAttrInterface config) {
    return cast<ConfigAttr>(config).getSharedBytes();
  }

  MLIRContext context;
};

} // namespace

TEST_F(Configs, FitTheChipTheyAreChosenFor) {
  forEachProduct([](ContractOp op) {
    for (const Spec &chip : allChips()) {
      NVPTXTarget target(chip);
      for (const auto &strategy : target.getStrategies())
        for (const Candidate &candidate : strategy->list(op)) {
          EXPECT_LE(sharedBytesOf(candidate.config), chip.sharedBytes)
              << chip.name.str();
          EXPECT_EQ(refuseConfig(op, candidate.config, target), std::nullopt);
        }
      EXPECT_LE(sharedBytesOf(chooseConfig(op, target)), chip.sharedBytes);
    }
  });
}

TEST_F(Configs, GiveThreadsEqualSharesOfCopiesThroughRegisters) {
  forEachProduct([](ContractOp op) {
    for (const Spec &chip : allChips()) {
      NVPTXTarget target(chip);
      for (const auto &strategy : target.getStrategies())
        for (const Candidate &candidate : strategy->list(op)) {
          auto config = cast<ConfigAttr>(candidate.config);
          bool isStaged =
              chip.architecture < kAsyncCopies || !op.getLhsPrologue().empty();
          if (config.getStrategy() == "multistage" && isStaged)
            EXPECT_EQ(config.getRows() * config.getDepth() / 16 %
                          config.getThreads(),
                      0);
        }
    }
  });
}

// With two steps of K nothing is left of the main loop, and ptxas loads the
// fragments of both ahead; with more steps there is a loop.
TEST_F(Configs, NeedMoreRegistersWithoutALoop) {
  auto config =
      ConfigAttr::get(&context, "multistage", "mma-m16n8k32", 128, 128, 128, 64,
                      64, 2, kernel::ConfigSource::Model);
  auto registersOf = [&](int k) {
    OwningOpRef<ModuleOp> module = parse(512, 512, k, false);
    int64_t registers = 0;
    module->walk(
        [&](ContractOp op) { registers = expectedRegisters(op, config); });
    return registers;
  };
  int64_t fragments = (64 + 64) / 4;
  EXPECT_EQ(registersOf(256), registersOf(384) + fragments);
}

// Fragments are loaded ahead where copies need no registers, two slices of K or
// more are on the way, and a loop over slices is left.
TEST_F(Configs, LoadFragmentsAhead) {
  auto isAhead = [&](int k, int64_t warpColumns, int64_t stages,
                     bool quantizes = false, StringRef atom = "mma-m16n8k32") {
    auto config =
        ConfigAttr::get(&context, "multistage", atom, 128, 128, 128, 64,
                        warpColumns, stages, kernel::ConfigSource::Model);
    OwningOpRef<ModuleOp> module = parse(512, 512, k, quantizes);
    bool result = false;
    module->walk([&](ContractOp op) {
      result = loadsFragmentsAhead(op, config);
      EXPECT_LE(expectedRegisters(op, config), kMostRegisters);
    });
    return result;
  };
  EXPECT_TRUE(isAhead(1024, 64, 3));
  EXPECT_TRUE(isAhead(1024, 32, 3));
  EXPECT_FALSE(isAhead(1024, 64, 2));
  EXPECT_FALSE(isAhead(512, 64, 3)); // two slices are looped over, unrolled
  EXPECT_TRUE(isAhead(512, 32, 3));
  EXPECT_FALSE(isAhead(1024, 32, 3, /*quantizes=*/true));
  EXPECT_FALSE(isAhead(1024, 32, 3, false, "mma-m8n8k16"));
}

TEST_F(Configs, OfLargerChipsAreRefusedWithAReason) {
  int refused = 0;
  forEachProduct([&](ContractOp op) {
    for (const Spec &larger : allChips()) {
      NVPTXTarget from(larger);
      SmallVector<Candidate> candidates;
      for (const auto &strategy : from.getStrategies())
        llvm::append_range(candidates, strategy->list(op));
      for (const Candidate &candidate : candidates)
        for (const Spec &chip : allChips()) {
          int64_t needed = sharedBytesOf(candidate.config);
          const Atom *atom = findMatrixAtom(candidate.config.getAtomName());
          if (needed <= chip.sharedBytes || (atom && !chip.has(*atom)))
            continue;
          ++refused;
          EXPECT_EQ(
              refuseConfig(op, candidate.config, NVPTXTarget(chip)),
              llvm::formatv(
                  "lowering_config needs {0} bytes of shared memory, but a "
                  "block on chip {1} has {2} at most; choose a smaller tile or "
                  "fewer stages",
                  needed, chip.name, chip.sharedBytes)
                  .str());
        }
    }
  });
  EXPECT_GT(refused, 100);
}

// A row that has hardly any shared memory: the best configs do not fit it.
TEST_F(Configs, ThatWouldBeFasterAreTold) {
  Spec small = *Spec::forChip("sm_80");
  small.sharedBytes = 16 << 10;
  NVPTXTarget target(small);
  int told = 0;
  forEachProduct([&](ContractOp op) {
    op.setLoweringConfigAttr(chooseConfig(op, target));
    ASSERT_LE(sharedBytesOf(op.getLoweringConfigAttr()), small.sharedBytes);
    for (const Alternative &other : target.listAlternatives(op))
      if (llvm::StringRef(other.reason).contains("bytes of shared memory")) {
        ++told;
        EXPECT_TRUE(llvm::StringRef(other.atom).starts_with("tile "));
        EXPECT_TRUE(llvm::StringRef(other.reason)
                        .contains("for a block, of which chip sm_80 has 16384"))
            << other.reason;
      }
  });
  EXPECT_GT(told, 0);
  // The whole chip has enough.
  NVPTXTarget whole(*Spec::forChip("sm_90"));
  forEachProduct([&](ContractOp op) {
    op.setLoweringConfigAttr(chooseConfig(op, whole));
    for (const Alternative &other : whole.listAlternatives(op))
      EXPECT_FALSE(llvm::StringRef(other.reason).contains("shared memory"));
  });
}
