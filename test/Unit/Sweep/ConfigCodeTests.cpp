//===- ConfigCodeTests.cpp - The code of configs for NVIDIA chips ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles contractions of the sweep and of docs/examples with each config that
// the cost model may choose, for each chip. test_device_configs.py hands the
// PTX to ptxas. There are thousands of these kernels: unless all are wanted,
// some are chosen by chance.
//
//   QCC_CONFIG_FOLDER  where the PTX of each chip is written; nowhere if unset
//   QCC_CONFIG_SAMPLE  kernels of each chip: a number, or "all"
//   QCC_CONFIG_SEED    chooses them
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/NVPTXTarget.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace qcc;
using namespace qcc::sweep;

namespace {

/// Functions of one module at most.
constexpr size_t kBatch = 24;
constexpr llvm::StringLiteral kMark = "__config";

/// What is learned of contractions while they get configs.
struct Learned {
  size_t most = 0;  ///< configs of one of them
  std::string form; ///< what makes their code, but for literals and sizes
  /// Shared memory that their configs ask for, by the name of the function.
  std::map<std::string, std::set<int64_t>> sharedBytes;
};

/// Gives contractions of a function whose name ends in a number the config of
/// that number.
class PinByName : public PassInstrumentation {
public:
  PinByName(const Target &target, Learned &learned)
      : target(target), learned(learned) {}

  void runBeforePass(Pass *pass, Operation *operation) override {
    if (pass->getArgument() != "select-lowering-config")
      return;
    operation->walk([&](kernel::ContractOp op) { pin(op); });
  }

private:
  void pin(kernel::ContractOp op) {
    SmallVector<Candidate> candidates;
    for (const auto &strategy : target.getStrategies())
      if (!strategy->obstacle(op))
        llvm::append_range(candidates, strategy->list(op));
    learned.most = std::max(learned.most, candidates.size());
    llvm::raw_string_ostream text(learned.form);
    // Whatever the literals of its regions are.
    for (Region &region : op->getRegions())
      region.walk([&](Operation *nested) {
        text << nested->getName() << nested->getResultTypes() << ' ';
      });
    text << nvptx::alignmentAlongK(op).value_or(0) << bool(op.getRhsZeroPoint())
         << bool(op.getLhsZeroPoint()) << bool(op.getInit())
         << op.getReductionDims().size() << op.getNumLoops();
    StringRef name = op->getParentOfType<func::FuncOp>().getName();
    size_t number = 0;
    if (name.substr(name.find(kMark) + kMark.size()).getAsInteger(10, number))
      return;
    auto config =
        cast<nvptx::ConfigAttr>(candidates[number % candidates.size()].config);
    op.setLoweringConfigAttr(config);
    if (config.getStrategy() == nvptx::StrategyKind::Multistage)
      learned.sharedBytes[name.str()].insert(config.getSharedBytes());
  }

  const Target &target;
  Learned &learned;
};

std::string readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

std::string variable(const char *name) {
  const char *text = getenv(name);
  return text ? text : "";
}

class ConfigCode : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    auto parsed = nvptx::parseTarget(GetParam());
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    target = *parsed;
  }

  /// The functions that have contractions, one of each form.
  void collect(const std::string &text) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), {});
    ImportOptions options;
    options.weights.kind = WeightsSource::Kind::Random;
    OwningOpRef<ModuleOp> module = importMLIR(sources, &context, options);
    ASSERT_TRUE(module) << text;
    for (auto function : module->getOps<func::FuncOp>()) {
      if (!function.isPublic())
        continue;
      Learned learned;
      OwningOpRef<ModuleOp> one = module->clone();
      for (auto other : llvm::make_early_inc_range(one->getOps<func::FuncOp>()))
        if (other.isPublic() && other.getName() != function.getName())
          other.erase();
      Compiler compiler = makeCompiler(learned);
      OwningOpRef<ModuleOp> compiled = one->clone();
      ASSERT_TRUE(succeeded(compiler.runStages(*compiled, Stage::Kernel)));
      if (learned.most > 1 && forms.insert(learned.form).second)
        for (size_t i = 0; i < learned.most; ++i)
          kernels.push_back({modules.size(), i});
      modules.push_back(std::move(one));
    }
  }

  Compiler makeCompiler(Learned &learned) {
    Compiler compiler(target);
    compiler.configure = [this, &learned](PassManager &pm, Stage stage) {
      if (stage == Stage::Kernel)
        pm.addInstrumentation(std::make_unique<PinByName>(*target, learned));
    };
    return compiler;
  }

  /// Launches have the shared memory that their configs say, which the chip
  /// has.
  void checkSharedMemory(ModuleOp module, const Learned &learned) {
    const nvptx::Spec &chip =
        static_cast<const nvptx::NVPTXTarget &>(*target).getSpec();
    for (auto entry : module.getOps<func::FuncOp>()) {
      std::set<int64_t> launched;
      for (auto launch : entry.getOps<kernel::LaunchOp>()) {
        EXPECT_LE(int64_t(launch.getSharedBytes()), chip.sharedBytes);
        launched.insert(launch.getSharedBytes());
      }
      auto known = learned.sharedBytes.find(entry.getName().str());
      if (known == learned.sharedBytes.end())
        continue;
      for (int64_t bytes : known->second)
        EXPECT_EQ(launched.count(bytes), 1u) << bytes;
    }
  }

  /// PTX of functions with their configs, all of one module.
  std::string compile(ArrayRef<std::pair<size_t, size_t>> some) {
    OwningOpRef<ModuleOp> whole = modules[some.front().first]->clone();
    func::FuncOp function;
    for (auto candidate : whole->getOps<func::FuncOp>())
      if (candidate.isPublic())
        function = candidate;
    OpBuilder builder(function);
    for (auto [module, number] : some) {
      auto copy = cast<func::FuncOp>(builder.clone(*function));
      copy.setName((function.getName() + kMark + std::to_string(number)).str());
    }
    function.erase();
    Learned learned;
    Compiler compiler = makeCompiler(learned);
    EXPECT_TRUE(succeeded(compiler.runStages(*whole, Stage::Target)));
    checkSharedMemory(*whole, learned);
    EXPECT_TRUE(
        succeeded(compiler.runStages(*whole, Stage::LLVM, Stage::Target)));
    llvm::Expected<std::string> ptx = compiler.emitPTX(*whole);
    EXPECT_TRUE(bool(ptx));
    return ptx ? *ptx : llvm::toString(ptx.takeError());
  }

  DialectRegistry registry;
  MLIRContext context;
  TargetRef target;
  llvm::StringSet<> forms;
  std::vector<OwningOpRef<ModuleOp>> modules;
  /// Modules and numbers of configs.
  std::vector<std::pair<size_t, size_t>> kernels;
};

} // namespace

TEST_P(ConfigCode, IsEmitted) {
  for (const Group &group : makeDeviceGroups())
    for (const Program &program : group.programs)
      ASSERT_NO_FATAL_FAILURE(collect(moduleText({program})));
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(QCC_EXAMPLES, error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".mlir"))
      ASSERT_NO_FATAL_FAILURE(collect(readFile(it->path())));
  ASSERT_GT(kernels.size(), 100u);
  std::string sample = variable("QCC_CONFIG_SAMPLE");
  size_t all = kernels.size(), wanted = 2;
  if (sample == "all")
    wanted = all;
  else if (!sample.empty())
    wanted = std::stoul(sample);
  std::string seed = variable("QCC_CONFIG_SEED");
  std::mt19937 random(seed.empty() ? 1 : std::stoul(seed));
  if (wanted < all) {
    std::shuffle(kernels.begin(), kernels.end(), random);
    kernels.resize(wanted);
    llvm::sort(kernels);
  }
  std::string folder = variable("QCC_CONFIG_FOLDER");
  ArrayRef<std::pair<size_t, size_t>> rest = kernels;
  for (unsigned file = 0; !rest.empty(); ++file) {
    size_t module = rest.front().first;
    auto some = rest.take_while([&](std::pair<size_t, size_t> kernel) {
      return kernel.first == module;
    });
    some = some.take_front(kBatch);
    rest = rest.drop_front(some.size());
    std::string ptx = compile(some);
    if (folder.empty())
      continue;
    llvm::SmallString<64> path(folder);
    llvm::sys::path::append(path,
                            GetParam() + "." + std::to_string(file) + ".ptx");
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << ptx;
    ASSERT_FALSE(error) << error.message();
  }
  std::printf("%zu of %zu kernels of %zu forms for %s\n", kernels.size(), all,
              size_t(forms.size()), GetParam().c_str());
}

INSTANTIATE_TEST_SUITE_P(Chips, ConfigCode,
                         testing::Values("sm_75", "sm_80", "sm_86", "sm_89",
                                         "sm_90", "sm_120"),
                         [](const auto &info) { return info.param; });
