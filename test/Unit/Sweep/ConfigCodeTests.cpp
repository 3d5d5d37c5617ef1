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
// some are chosen by chance. Where all are, and their code is that of a chip
// before but for its name, they are emitted for that chip alone.
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
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
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

/// What is learned of the contractions of a function while they get configs.
struct Learned {
  /// The configs of each that the cost model may choose.
  std::vector<SmallVector<nvptx::ConfigAttr>> configs;
  std::string form; ///< what makes their code, but for literals and sizes
  /// Shared memory that configs ask for, by the name of the function.
  std::map<std::string, std::set<int64_t>> sharedBytes;
};

/// The configs that strategies list, each with its own guard.
SmallVector<nvptx::ConfigAttr> listConfigs(const Target &target,
                                           kernel::ContractOp op) {
  llvm::SetVector<nvptx::ConfigAttr> configs;
  for (const auto &strategy : target.getStrategies())
    if (!strategy->reasonToRefuse(op))
      for (const Candidate &candidate : strategy->list(op))
        configs.insert_range(
            nvptx::guardedConfigs(cast<nvptx::ConfigAttr>(candidate.config)));
  return llvm::to_vector(configs);
}

/// Learns what configs contractions may have.
class LearnConfigs : public PassInstrumentation {
public:
  LearnConfigs(const Target &target, Learned &learned)
      : target(target), learned(learned) {}

  void runBeforePass(Pass *pass, Operation *operation) override {
    if (pass->getArgument() == "select-lowering-config")
      operation->walk([&](kernel::ContractOp op) { learn(op); });
  }

private:
  void learn(kernel::ContractOp op) {
    learned.configs.push_back(listConfigs(target, op));
    llvm::raw_string_ostream text(learned.form);
    // Whatever the literals of its regions are.
    for (Region &region : op->getRegions())
      region.walk([&](Operation *nested) {
        text << nested->getName() << nested->getResultTypes() << ' ';
      });
    text << nvptx::alignmentAlongK(op).value_or(0) << bool(op.getRhsZeroPoint())
         << bool(op.getLhsZeroPoint()) << bool(op.getInit())
         << op.getReductionDims().size() << op.getNumLoops();
  }

  const Target &target;
  Learned &learned;
};

/// Gives contractions of a function whose name ends in a number the configs of
/// that number.
class PinByName : public PassInstrumentation {
public:
  explicit PinByName(Learned &learned) : learned(learned) {}

  void runBeforePass(Pass *pass, Operation *operation) override {
    if (pass->getArgument() != "select-lowering-config")
      return;
    std::map<std::string, size_t> contractions;
    operation->walk([&](kernel::ContractOp op) {
      StringRef name = op->getParentOfType<func::FuncOp>().getName();
      pin(op, name, learned.configs[contractions[name.str()]++]);
    });
  }

private:
  void pin(kernel::ContractOp op, StringRef name,
           ArrayRef<nvptx::ConfigAttr> configs) {
    size_t number = 0;
    if (name.substr(name.find(kMark) + kMark.size()).getAsInteger(10, number))
      return;
    nvptx::ConfigAttr config = configs[number % configs.size()];
    op.setLoweringConfigAttr(config);
    if (config.getStrategy() == "multistage")
      learned.sharedBytes[name.str()].insert(config.getSharedBytes());
  }

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

/// PTX less the lines that name the chip.
std::string withoutChip(StringRef ptx) {
  std::string text;
  for (StringRef line : llvm::split(ptx, '\n'))
    if (!line.starts_with(".version") && !line.starts_with(".target"))
      text += line.str() + '\n';
  return text;
}

/// A function and what its contractions may have.
struct Function {
  OwningOpRef<ModuleOp> module;
  Learned learned;

  size_t count() const {
    size_t most = 0;
    for (const auto &configs : learned.configs)
      most = std::max(most, configs.size());
    return most;
  }
  /// The configs of a number, as text that is the same for all chips.
  std::string text(size_t number) const {
    std::string all;
    llvm::raw_string_ostream stream(all);
    for (const auto &configs : learned.configs)
      stream << configs[number % configs.size()];
    return all;
  }
};

/// What chips before this one have in files, where all kernels are wanted.
struct Emitted {
  /// A kernel of each form: its configs, and its code.
  std::map<std::string, std::pair<std::string, std::string>> samples;
  /// Forms with configs.
  std::set<std::pair<std::string, std::string>> kernels;
};

class ConfigCode : public testing::TestWithParam<std::string> {
protected:
  using Kernel = std::pair<size_t, size_t>;

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
      Function one{module->clone(), {}};
      for (auto other :
           llvm::make_early_inc_range(one.module->getOps<func::FuncOp>()))
        if (other.isPublic() && other.getName() != function.getName())
          other.erase();
      OwningOpRef<ModuleOp> compiled = one.module->clone();
      ASSERT_TRUE(succeeded(makeCompiler<LearnConfigs>(*target, one.learned)
                                .runStages(*compiled, Stage::Kernel)));
      if (one.count() < 2 || !forms.insert(one.learned.form).second)
        continue;
      for (size_t i = 0; i < one.count(); ++i)
        kernels.push_back({functions.size(), i});
      functions.push_back(std::move(one));
    }
  }

  template <typename Instrumentation, typename... Arguments>
  Compiler makeCompiler(Arguments &...arguments) {
    Compiler compiler(target);
    compiler.configure = [&](PassManager &pm, Stage stage) {
      if (stage == Stage::Kernel)
        pm.addInstrumentation(std::make_unique<Instrumentation>(arguments...));
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

  /// PTX of a function with some of its configs.
  std::string compile(ArrayRef<Kernel> some) {
    Function &one = functions[some.front().first];
    OwningOpRef<ModuleOp> whole = one.module->clone();
    func::FuncOp function;
    for (auto candidate : whole->getOps<func::FuncOp>())
      if (candidate.isPublic())
        function = candidate;
    OpBuilder builder(function);
    for (Kernel kernel : some) {
      auto copy = cast<func::FuncOp>(builder.clone(*function));
      copy.setName(
          (function.getName() + kMark + std::to_string(kernel.second)).str());
    }
    function.erase();
    one.learned.sharedBytes.clear();
    Compiler compiler = makeCompiler<PinByName>(one.learned);
    EXPECT_TRUE(succeeded(compiler.runStages(*whole, Stage::Target)));
    checkSharedMemory(*whole, one.learned);
    EXPECT_TRUE(
        succeeded(compiler.runStages(*whole, Stage::LLVM, Stage::Target)));
    llvm::Expected<std::string> ptx = compiler.emitPTX(*whole);
    EXPECT_TRUE(bool(ptx));
    return ptx ? *ptx : llvm::toString(ptx.takeError());
  }

  /// The number of a kernel of a function that fits every chip.
  size_t sampleOf(const Function &one) {
    constexpr int64_t kFits = 48 << 10;
    for (size_t i = 0; i < one.count(); ++i)
      if (llvm::all_of(one.learned.configs, [&](const auto &configs) {
            return configs[i % configs.size()].getSharedBytes() <= kFits;
          }))
        return i;
    return 0;
  }

  /// The code of a kernel without what tells chips and kernels apart.
  std::string codeOf(Kernel kernel) {
    std::string code = withoutChip(compile(kernel));
    std::string number = kMark.str() + std::to_string(kernel.second);
    for (size_t at; (at = code.find(number)) != std::string::npos;)
      code.erase(at, number.size());
    return code;
  }

  /// Whether a kernel of a function has the code that it has for chips before
  /// this one, but for the name of the chip.
  bool isAsBefore(size_t function, Emitted &emitted) {
    const Function &one = functions[function];
    auto &[configs, code] = emitted.samples[one.learned.form];
    for (size_t i = 0; i < one.count(); ++i)
      if (one.text(i) == configs && codeOf({function, i}) == code)
        return true;
    size_t sample = sampleOf(one);
    configs = one.text(sample);
    code = codeOf({function, sample});
    return false;
  }

  /// Leaves out what chips before this one have.
  void dropEmitted(Emitted &emitted) {
    std::vector<bool> isKnown;
    for (size_t i = 0; i < functions.size(); ++i)
      isKnown.push_back(isAsBefore(i, emitted));
    llvm::erase_if(kernels, [&](Kernel kernel) {
      const Function &one = functions[kernel.first];
      bool isNew =
          emitted.kernels.insert({one.learned.form, one.text(kernel.second)})
              .second;
      return isKnown[kernel.first] && !isNew;
    });
  }

  /// Chooses kernels by chance.
  void chooseSome(size_t wanted) {
    if (wanted >= kernels.size())
      return;
    std::string seed = variable("QCC_CONFIG_SEED");
    std::mt19937 random(seed.empty() ? 1 : std::stoul(seed));
    std::shuffle(kernels.begin(), kernels.end(), random);
    kernels.resize(wanted);
    llvm::sort(kernels);
  }

  /// Emits all kernels, each file being those of one function.
  void emit(const std::string &folder) {
    ArrayRef<Kernel> rest = kernels;
    for (unsigned file = 0; !rest.empty(); ++file) {
      size_t function = rest.front().first;
      auto some = rest.take_while(
          [&](Kernel kernel) { return kernel.first == function; });
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
  }

  DialectRegistry registry;
  MLIRContext context;
  TargetRef target;
  llvm::StringSet<> forms;
  std::vector<Function> functions;
  /// Functions and numbers of configs.
  std::vector<Kernel> kernels;
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
  size_t all = kernels.size();
  if (sample == "all") {
    static Emitted emitted;
    dropEmitted(emitted);
  } else {
    chooseSome(sample.empty() ? 2 : std::stoul(sample));
  }
  ASSERT_NO_FATAL_FAILURE(emit(variable("QCC_CONFIG_FOLDER")));
  std::printf("%zu of %zu kernels of %zu forms for %s\n", kernels.size(), all,
              size_t(forms.size()), GetParam().c_str());
}

INSTANTIATE_TEST_SUITE_P(Chips, ConfigCode,
                         testing::Values("sm_75", "sm_80", "sm_86", "sm_89",
                                         "sm_90", "sm_90a", "sm_120"),
                         [](const auto &info) { return info.param; });
