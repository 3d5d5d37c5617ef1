//===- StrategyTests.cpp - A strategy of its own for x86 ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `narrow_tiles` stands in this file alone. It computes one row by
// one vector of columns at a time.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Target/X86/Emit/Strategies.h"
#include "X86Strategy.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/HostFeatures.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Target/X86/X86Target.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

static int numEmitted;

namespace {
class NarrowTiles : public TileStrategy {
public:
  NarrowTiles(const Spec &spec, double time)
      : TileStrategy(spec, "narrow_tiles"), time(time) {}

protected:
  bool takes(const Atom &atom) const override {
    return atom.form == AtomForm::Words;
  }
  SmallVector<Tiling> listTilings(kernel::ContractOp, const GemmShape &,
                                  const Atom &atom) const override {
    int64_t lanes = atom.lanes;
    return {{1, lanes, 1, lanes}};
  }
  double expectedTime(kernel::ContractOp, const GemmShape &, const Tiling &,
                      const Atom &) const override {
    return time;
  }
  std::optional<std::string> refuseConfig(kernel::ContractOp op,
                                          ConfigAttr config,
                                          const Atom &atom) const override {
    if (config.getMr() != 1 || config.getNr() != int64_t(atom.lanes))
      return "lowering_config asks for wide tiles; choose MR = 1 and NR = " +
             std::to_string(atom.lanes);
    return refuseTile(op, config, atom);
  }
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    ++numEmitted;
    emitVectorTiles(builder, contraction);
  }

private:
  double time;
};

struct TargetWithNarrowTiles : X86Target {
  explicit TargetWithNarrowTiles(double time)
      : X86Target(llvm::cantFail(Spec::forCPU("x86-64-v3"))) {
    strategies.push_back(std::make_unique<NarrowTiles>(getSpec(), time));
  }
};

class NewStrategy : public testing::Test {
protected:
  NewStrategy() {
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    numEmitted = 0;
  }

  /// Compiles a layer, notes its config, runs it on five rows.
  std::vector<int8_t> run(TargetRef target) {
    auto module = parseSourceString<ModuleOp>(R"(
      !q = !quant.uniform<i8:f32, 2.0e-02:3>
      !w = !quant.uniform<i8:f32, 1.0e-02>
      func.func @f(%x: tensor<?x13x!q>) -> tensor<?x11x!q> {
        %w = arith.constant dense_resource<w> : tensor<11x13x!w>
        %y = qnn.linear %x, %w
            : tensor<?x13x!q>, tensor<11x13x!w> -> tensor<?x11x!q>
        return %y : tensor<?x11x!q>
      }
      {-# dialect_resources: { builtin: { w: ")" + weights() +
                                                  R"(" } } #-}
    )",
                                              &context);
    EXPECT_TRUE(module);
    Compiler compiler(target);
    EXPECT_TRUE(succeeded(compiler.runStages(*module, Stage::Kernel)));
    module->walk([&](kernel::ContractOp op) {
      config = printConfig(op.getLoweringConfigAttr());
    });
    EXPECT_TRUE(
        succeeded(compiler.runStages(*module, Stage::LLVM, Stage::Kernel)));
    llvm::Expected<Artifact> artifact = compiler.emitArtifact(*module);
    EXPECT_TRUE(bool(artifact));
    auto loaded = rt::Module::load(artifact->data(), artifact->size());
    EXPECT_TRUE(loaded.isOk()) << loaded.status().message();
    auto runContext = rt::Context::create(*loaded, "f");
    std::vector<int8_t> x(5 * 13), y(5 * 11);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = int8_t(i * 37 % 251 - 125);
    rt::DType i8{QCC_INT, 8};
    rt::Status status = (*runContext)
                            ->run({rt::Tensor(x.data(), i8, {5, 13})},
                                  {rt::Tensor(y.data(), i8, {5, 11})});
    EXPECT_TRUE(status.isOk()) << status.message();
    return y;
  }

  static std::string weights() {
    std::string hex = "0x01000000";
    for (int i = 0; i < 11 * 13; ++i)
      hex += llvm::toHex(std::string(1, char(i * 29 % 253 - 126)));
    return hex;
  }

  DialectRegistry registry;
  MLIRContext context;
  std::string config;
};
} // namespace

TEST_F(NewStrategy, IsChosenAndComputesTheSame) {
  if (!rt::HostFeatures::host().has("avx2"))
    GTEST_SKIP() << "the host has no AVX2";
  std::vector<int8_t> expected = run(
      std::make_shared<X86Target>(llvm::cantFail(Spec::forCPU("x86-64-v3"))));
  EXPECT_EQ(config.find("narrow_tiles"), std::string::npos) << config;
  EXPECT_EQ(numEmitted, 0);
  EXPECT_EQ(run(std::make_shared<TargetWithNarrowTiles>(1e-6)), expected);
  EXPECT_NE(config.find("narrow_tiles"), std::string::npos) << config;
  EXPECT_EQ(numEmitted, 1);
  // The model does not choose a slow one.
  EXPECT_EQ(run(std::make_shared<TargetWithNarrowTiles>(1e6)), expected);
  EXPECT_EQ(numEmitted, 1);
}

TEST_F(NewStrategy, ConfigsHaveItsName) {
  const char *text =
      "#x86.config<narrow_tiles, atom = \"avx2\", tile = [1, 8, 2], block = "
      "[1, 8], lhs = panel, source = pinned>";
  auto attribute = cast<ConfigAttr>(parseAttribute(text, &context));
  EXPECT_EQ(printConfig(attribute), text);
  TargetWithNarrowTiles target(1);
  ASSERT_TRUE(target.strategyOf(attribute));
  EXPECT_EQ(target.strategyOf(attribute)->getName(), "narrow_tiles");
  EXPECT_FALSE(X86Target(llvm::cantFail(Spec::forCPU("x86-64-v3")))
                   .strategyOf(attribute));
}
