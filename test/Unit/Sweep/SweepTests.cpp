//===- SweepTests.cpp - Compiled code against the reference ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles each group of programs once for each x86 level that the host can run
// and compares every case with the interpreter, bit for bit. One group has
// configs by chance, the 256-bit form of VNNI among them where there is
// AVX-512. Some programs of each group also run as artifacts for NVIDIA chips,
// on the emulator.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "CaseFolder.h"
#include "Data.h"
#include "common/Compare.h"
#include "common/GuardedMemory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "qcc-fuzz/PinConfigs.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Emulator/EmulatorDevice.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace mlir;
using namespace qcc;
using namespace qcc::sweep;
using qcc::reference::TensorValue;

namespace {

constexpr const char *kCPUs[] = {"x86-64-v3", "alderlake", "skylake-avx512",
                                 "cascadelake", "cascadelake+emulated-amx"};
constexpr const char *kChips[] = {"sm_75", "sm_80", "sm_90", "sm_90a"};
constexpr int kThreads = 3;
/// Failures of one group that are told in full.
constexpr int kToldFailures = 5;

const std::vector<Group> &groups() {
  static const std::vector<Group> all = makeGroups();
  return all;
}

const std::vector<Group> &deviceGroups() {
  static const std::vector<Group> some = makeDeviceGroups();
  return some;
}

/// An MLIR context that collects diagnostics.
class Session {
public:
  Session() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler(
        [&](Diagnostic &diagnostic) { messages += diagnostic.str() + "\n"; });
  }

  std::string takeMessages() { return std::exchange(messages, std::string()); }

  MLIRContext context;

private:
  std::string messages;
};

struct Loaded {
  OwningOpRef<ModuleOp> source;
  std::shared_ptr<const rt::Module> module;
};

rt::Tensor view(const TensorValue &value) {
  return rt::Tensor(
      value.bytes.get(),
      rt::DType{static_cast<uint8_t>(value.type.code), value.type.bits},
      value.shape);
}

const std::string *crashDescription;

void onCrash(int signal) {
  if (crashDescription) {
    auto put = [](const char *text, size_t size) {
      if (write(STDERR_FILENO, text, size) < 0)
        _exit(1);
    };
    put("crashed in ", 11);
    put(crashDescription->data(), crashDescription->size());
    put("\n", 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// From now on a fatal signal is reported with what `description` says then.
void reportCrashes(const std::string *description) {
  crashDescription = description;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, onCrash);
}

/// The same in every run.
auto choicesOf(std::string targetName) {
  return [targetName](kernel::ContractOp op, unsigned number) -> fuzz::Choose {
    auto function = op->getParentOfType<func::FuncOp>();
    sweep::Builder builder(function.getName().str() + targetName, number);
    return [builder](unsigned bound) mutable { return builder.choose(bound); };
  };
}

class Sweep : public testing::TestWithParam<std::tuple<size_t, const char *>> {
protected:
  void SetUp() override {
    auto parsed = parseTargets(std::get<1>(GetParam()), {});
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    target = parsed->front();
    if (target->isDevice())
      device = emu::createEmulatorDevice();
    else if (!rt::HostFeatures::host()
                  .missing(target->requiredFeatures())
                  .empty())
      GTEST_SKIP() << "the host cannot run " << target->getName();
    compiler = std::make_unique<Compiler>(target);
    if (!device && !isOptimized())
      compiler->effort = Effort::Little;
    if (group().pinned)
      compiler->configure = [&](PassManager &pm, Stage stage) {
        if (stage == Stage::Kernel)
          pm.addInstrumentation(
              fuzz::pinConfigs(*target, {choicesOf(target->getName())}));
      };
    auto created = rt::ThreadPool::create(kThreads);
    ASSERT_TRUE(created.isOk()) << created.message();
    pool = *std::move(created);
  }

  /// LLVM optimizes each group as it does for users for one of the processors
  /// that the host can run. The others take a third of the time.
  bool isOptimized() const {
    SmallVector<StringRef> runnable;
    for (const char *name : kCPUs)
      if (rt::HostFeatures::host()
              .missing((*parseTargets(name, {})).front()->requiredFeatures())
              .empty())
        runnable.push_back(name);
    return runnable[std::get<0>(GetParam()) % runnable.size()] ==
           std::get<1>(GetParam());
  }

  virtual const Group &group() const {
    return groups()[std::get<0>(GetParam())];
  }

  /// An error message, or nothing.
  std::string compile(const std::vector<Program> &programs, Loaded &loaded) {
    loaded.source =
        parseSourceString<ModuleOp>(moduleText(programs), &session.context);
    if (!loaded.source)
      return "does not parse: " + session.takeMessages();
    OwningOpRef<ModuleOp> module = loaded.source->clone();
    if (failed(compiler->runStages(*module, Stage::LLVM)))
      return "does not compile: " + session.takeMessages();
    llvm::Expected<Artifact> artifact = compiler->emitArtifact(*module);
    if (!artifact)
      return "no artifact: " + llvm::toString(artifact.takeError());
    if (device && folder.isWanted()) {
      std::string name = std::string(group().name) + "_" + target->getName() +
                         (programs.size() == 1 ? "_" + programs[0].name : "");
      rt::Status status =
          folder.addArtifact(name, {artifact->data(), artifact->size()});
      if (!status.isOk())
        return status.message();
    }
    rt::ModuleOptions options;
    options.device = device;
    auto opened = rt::Module::load(artifact->data(), artifact->size(), options);
    if (!opened.isOk())
      return "does not load: " + opened.message();
    loaded.module = *std::move(opened);
    return "";
  }

  /// What is wrong with one case, or nothing.
  std::string runCase(const Program &program, const Case &which, Loaded &loaded,
                      rt::Context &context) {
    std::vector<TensorValue> inputs = makeInputs(program, which);
    llvm::SmallVector<TensorValue> expected;
    auto entry = loaded.source->lookupSymbol<func::FuncOp>(program.name);
    if (llvm::Error error = interpreter.run(entry, inputs, expected))
      return "the reference fails: " + llvm::toString(std::move(error));

    std::vector<rt::Tensor> arguments, results;
    std::vector<tools::GuardedTensor> guarded, actual;
    for (const TensorValue &input : inputs) {
      guarded.push_back(tools::GuardedTensor::copy(view(input)));
      arguments.push_back(guarded.back().tensor());
    }
    for (const TensorValue &value : expected) {
      actual.emplace_back(view(value).dtype, value.shape);
      results.push_back(actual.back().tensor());
    }
    if (device && folder.isWanted()) {
      std::vector<rt::Tensor> views;
      for (const TensorValue &value : expected)
        views.push_back(view(value));
      rt::Status status = folder.addCase(program.name, arguments, views);
      if (!status.isOk())
        return status.message();
    }
    description = program.name + " with " + std::to_string(which.rows) +
                  " rows, " + spell(which.fill) + "\n" + program.text;
    reportCrashes(&description);
    rt::Status status = context.run(arguments, results);
    if (!status.isOk())
      return "does not run: " + status.message();
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!actual[i].isFrontIntact())
        return "writes in front of result " + std::to_string(i);
      tools::Difference found = tools::compare(results[i], view(expected[i]));
      if (found.differing)
        return "result " + std::to_string(i) + ": " +
               std::to_string(found.differing) + " of " +
               std::to_string(found.elements) +
               " elements differ, the first at " + std::to_string(found.first);
    }
    return "";
  }

  void fail(const Program &program, const std::string &what) {
    ++failures;
    if (failures <= kToldFailures)
      ADD_FAILURE() << program.name << " " << what << "\n"
                    << program.text.substr(0, 6000);
  }

  void runProgram(const Program &program, Loaded &loaded) {
    rt::ContextOptions options;
    options.pool = pool;
    options.allocator = tools::guardedAllocator();
    // From one thread to all of them.
    options.threads = 1 + program.rows[0] % kThreads;
    auto context = rt::Context::create(loaded.module, program.name, options);
    if (!context.isOk())
      return fail(program, "has no context: " + context.message());
    for (const Case &which : casesOf(program)) {
      std::string wrong = runCase(program, which, loaded, **context);
      ++cases;
      if (!wrong.empty())
        return fail(program, "with " + std::to_string(which.rows) + " rows, " +
                                 spell(which.fill) + ": " + wrong);
    }
  }

  /// Runs all cases of the group.
  void runGroup();

  void TearDown() override { reportCrashes(nullptr); }

  Session session;
  TargetRef target;
  std::unique_ptr<Compiler> compiler;
  std::shared_ptr<rt::Device> device; // null: the host
  std::shared_ptr<rt::ThreadPool> pool;
  CaseFolder folder; // of cases for devices
  reference::Interpreter interpreter{1};
  std::string description; // of the running case
  int failures = 0;
  int cases = 0;
};

class DeviceSweep : public Sweep {
protected:
  const Group &group() const override {
    return deviceGroups()[std::get<0>(GetParam())];
  }
};

void Sweep::runGroup() {
  const std::vector<Program> &programs = group().programs;
  Loaded all;
  std::string wrong = compile(programs, all);
  for (const Program &program : programs) {
    if (wrong.empty()) {
      runProgram(program, all);
      continue;
    }
    // Some program spoils the module: find out which.
    Loaded one;
    std::string reason = compile({program}, one);
    if (!reason.empty())
      fail(program, reason);
    else
      runProgram(program, one);
  }
  if (failures > kToldFailures)
    ADD_FAILURE() << failures << " of " << programs.size() << " programs fail";
  RecordProperty("cases", cases);
}

/// "Linear_cascadelake"
std::string nameOf(const Group &group, std::string target) {
  auto isOther = [](char c) { return !std::isalnum(c); };
  std::replace_if(target.begin(), target.end(), isOther, '_');
  return std::string(group.name) + "_" + target;
}

} // namespace

TEST_P(Sweep, SameBits) { runGroup(); }
TEST_P(DeviceSweep, SameBits) { runGroup(); }

INSTANTIATE_TEST_SUITE_P(
    X86, Sweep,
    testing::Combine(testing::Range<size_t>(0, groups().size()),
                     testing::ValuesIn(kCPUs)),
    [](const testing::TestParamInfo<Sweep::ParamType> &info) {
      return nameOf(groups()[std::get<0>(info.param)], std::get<1>(info.param));
    });

INSTANTIATE_TEST_SUITE_P(
    NVPTX, DeviceSweep,
    testing::Combine(testing::Range<size_t>(0, deviceGroups().size()),
                     testing::ValuesIn(kChips)),
    [](const testing::TestParamInfo<Sweep::ParamType> &info) {
      return nameOf(deviceGroups()[std::get<0>(info.param)],
                    std::get<1>(info.param));
    });

TEST(SweepCases, Enough) {
  size_t count = 0;
  bool rowsSeen[71] = {};
  for (const Group &group : groups())
    for (const Program &program : group.programs)
      for (const Case &which : casesOf(program)) {
        ++count;
        if (which.rows <= 70)
          rowsSeen[which.rows] = true;
      }
  EXPECT_GE(count, 2000u);
  size_t deviceCount = 0;
  for (const Group &group : deviceGroups())
    for (const Program &program : group.programs)
      deviceCount += casesOf(program).size();
  EXPECT_GE(std::size(kChips) * deviceCount, 600u);
  for (int rows = 1; rows <= 70; ++rows)
    EXPECT_TRUE(rowsSeen[rows]) << rows;
}
