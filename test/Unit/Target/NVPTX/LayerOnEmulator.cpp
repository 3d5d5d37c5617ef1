//===- LayerOnEmulator.cpp - Layers with pinned configs -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerOnEmulator.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Emulator/EmulatorDevice.h"
#include "qcc/KnownTargets/KnownTargets.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::test;

namespace {
struct PinConfig : PassInstrumentation {
  PinConfig(std::string text,
            std::function<void(kernel::ContractOp)> beforeChoice)
      : text(std::move(text)), beforeChoice(std::move(beforeChoice)) {}

  void runBeforePass(Pass *pass, Operation *operation) override {
    if (pass->getArgument() != "select-lowering-config")
      return;
    operation->walk([&](kernel::ContractOp op) {
      if (text.empty())
        return beforeChoice(op);
      op.setLoweringConfigAttr(cast<kernel::LoweringConfigAttrInterface>(
          parseAttribute(text, op.getContext())));
    });
  }

  std::string text;
  std::function<void(kernel::ContractOp)> beforeChoice;
};

/// The emulator, with the code of modules changed before it is loaded.
class EditingDevice : public rt::Device {
public:
  using Edit = std::function<std::string(const std::string &)>;

  EditingDevice(std::unique_ptr<rt::Device> device, Edit edit)
      : device(std::move(device)), edit(std::move(edit)) {}

  std::string name() const override { return device->name(); }
  qcc_device_kind kind() const override { return device->kind(); }
  rt::MemoryLocation location() const override { return device->location(); }
  int architecture() const override { return device->architecture(); }
  bool runsExactly(int number) const override {
    return device->runsExactly(number);
  }
  bool hasTensorMaps() const override { return device->hasTensorMaps(); }
  rt::Status encodeTensorMap(const rt::TensorMap &map,
                             rt::EncodedTensorMap &encoded) override {
    return device->encodeTensorMap(map, encoded);
  }
  std::string report() const override { return device->report(); }
  rt::Result<void *> allocate(int64_t size) override {
    return device->allocate(size);
  }
  rt::Status deallocate(void *memory) override {
    return device->deallocate(memory);
  }
  rt::Status copy(void *destination, const void *source, int64_t size,
                  rt::CopyDirection direction,
                  rt::DeviceStream *stream) override {
    return device->copy(destination, source, size, direction, stream);
  }
  rt::Status checkMemory(const void *memory, int64_t size) override {
    return device->checkMemory(memory, size);
  }
  rt::Result<std::unique_ptr<rt::DeviceModule>>
  loadModule(const void *image, int64_t size) override {
    std::string text =
        edit(std::string(static_cast<const char *>(image), size));
    return device->loadModule(text.data(), text.size());
  }
  rt::Status launch(const rt::LaunchParams &params,
                    rt::DeviceStream *stream) override {
    return device->launch(params, stream);
  }
  rt::Result<std::unique_ptr<rt::DeviceStream>> createStream() override {
    return device->createStream();
  }
  rt::Result<std::unique_ptr<rt::DeviceEvent>> createEvent() override {
    return device->createEvent();
  }

private:
  std::unique_ptr<rt::Device> device;
  Edit edit;
};
} // namespace

static std::string programOf(const Layer &layer) {
  // A resource's bytes: its alignment, then the data.
  std::string bytes = "01000000";
  uint32_t state = 1;
  for (int64_t i = 0; i < layer.n * layer.k; ++i) {
    state = state * 1664525 + 1013904223;
    bytes += llvm::utohexstr(state >> 28) + llvm::utohexstr(state >> 24 & 15);
  }
  std::string bias;
  for (int64_t i = 0; i < layer.n; ++i)
    bias += (i ? ", " : "") + std::to_string(i % 7) + ".5";
  const char *format = R"(
!x = !quant.uniform<i8:f32, 2.0e-02{5}>
!w = !quant.uniform<i8:f32, 1.0e-02{6}>
!y = !quant.uniform<i8:f32, 1.5e+00>
func.func @f(%x: tensor<{0}x{2}x!x>) -> tensor<{0}x{1}x!y> {{
  %w = arith.constant dense_resource<w> : tensor<{1}x{2}x!w>
  %b = arith.constant dense<[{4}]> : tensor<{1}xf32>
  %y = qnn.linear %x, %w bias(%b : tensor<{1}xf32>)
    {{clamp_min = 0.0 : f32}
    : tensor<{0}x{2}x!x>, tensor<{1}x{2}x!w> -> tensor<{0}x{1}x!y>
  return %y : tensor<{0}x{1}x!y>
}
{{-#
  dialect_resources: {{ builtin: {{ w: "0x{3}" } }
#-})";
  return llvm::formatv(format, layer.isDynamic ? "?" : std::to_string(layer.m),
                       layer.n, layer.k, bytes, bias, layer.zeroPoint,
                       layer.weightZeroPoint)
      .str();
}

static std::string attributeText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

void LayerTest::compile(const Layer &given) {
  layer = given;
  auto targets = parseTargets(layer.chip, {});
  ASSERT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(programOf(layer), &context);
  ASSERT_TRUE(module);
  Compiler compiler(targets->front());
  auto list = [&](kernel::ContractOp op) {
    listed.clear();
    for (const auto &strategy : targets->front()->getStrategies())
      for (const Candidate &candidate : strategy->list(op))
        if (candidate.isForModel)
          listed.push_back(
              {attributeText(candidate.config), candidate.cost.time});
    llvm::stable_sort(listed, [](const Listed &a, const Listed &b) {
      return a.cycles < b.cycles;
    });
  };
  compiler.configure = [&](PassManager &pm, Stage stage) {
    if (stage == Stage::Kernel)
      pm.addInstrumentation(std::make_unique<PinConfig>(layer.config, list));
  };
  ASSERT_TRUE(succeeded(compiler.runStages(*module, Stage::LLVM)));
  llvm::Expected<Artifact> emitted = compiler.emitArtifact(*module);
  ASSERT_TRUE(bool(emitted)) << llvm::toString(emitted.takeError());
  artifact = std::move(*emitted);
}

rt::Status LayerTest::run(uint64_t seed, Edit edit, int64_t rows) {
  int64_t m = rows ? rows : layer.m;
  emu::EmulatorDeviceOptions options;
  options.launch.seed = seed;
  options.launch.outputElementBytes = 1;
  launches.clear();
  options.observe = [&](const emu::LaunchResult &launch) {
    launches.push_back(launch.counters);
    if (launch.counters.matrix.instructions > 0)
      counters = launch.counters;
  };
  rt::ModuleOptions loading;
  loading.device = std::make_shared<EditingDevice>(
      emu::createEmulatorDevice(options), [&](const std::string &text) {
        code = text;
        return edit ? edit(text) : text;
      });
  auto module = rt::Module::load(artifact.data(), artifact.size(), loading);
  if (!module.isOk())
    return module.status();
  auto context = rt::Context::create(*module, "f");
  if (!context.isOk())
    return context.status();
  std::vector<int8_t> x(m * layer.k);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = int8_t(i * 37 % 251 - 125);
  result.assign(m * layer.n, 0);
  rt::DType i8{QCC_INT, 8};
  return (*context)->run({rt::Tensor(x.data(), i8, {m, layer.k})},
                         {rt::Tensor(result.data(), i8, {m, layer.n})});
}

std::vector<int8_t> LayerTest::resultOf(const std::string &config,
                                        int64_t rows) {
  Layer other = layer;
  other.config = config;
  compile(other);
  rt::Status status = run(0, {}, rows);
  EXPECT_TRUE(status.isOk()) << status.message();
  return result;
}

double LayerTest::instructionsAfterLoops() const {
  int last = 0;
  for (const emu::LoopCounters &loop : counters.loops)
    last = std::max(last, loop.lastLine);
  double count = 0;
  for (const emu::InstructionCounters &instruction : counters.instructions)
    count += instruction.line > last ? double(instruction.lanes) : 0;
  return count;
}

double LayerTest::cycles() const {
  double total = 0;
  for (const emu::Counters &launch : launches)
    total += emu::estimateTime(launch, *emu::findChip(layer.chip)).cycles;
  return total;
}

/// The places of PTX where a word is.
static std::vector<size_t> findLines(const std::string &code,
                                     const std::string &word) {
  std::vector<size_t> places;
  for (size_t at = code.find(word); at != std::string::npos;
       at = code.find(word, at + 1))
    places.push_back(at);
  return places;
}

/// The code without the instruction at a place.
static std::string without(const std::string &code, size_t place) {
  return code.substr(0, place) + code.substr(code.find(';', place) + 1);
}

void LayerTest::expectAllMatter(const Layer &given, size_t fewest) {
  compile(given);
  ASSERT_TRUE(run().isOk());
  std::vector<int8_t> right = result;
  const std::string whole = code;
  std::vector<size_t> places;
  for (const char *word :
       {"bar.sync", "barrier.sync", "cp.async.wait_group", "wgmma.fence",
        "wgmma.wait_group", "mbarrier.try_wait", "mbarrier.arrive",
        "mbarrier.init"})
    llvm::append_range(places, findLines(whole, word));
  ASSERT_GE(places.size(), fewest);
  for (size_t place : places) {
    bool isSeen = false;
    for (uint64_t seed = 0; seed < 4 && !isSeen; ++seed)
      isSeen =
          !run(seed,
               [&](const std::string &text) { return without(text, place); })
               .isOk() ||
          result != right;
    EXPECT_TRUE(isSeen) << whole.substr(place, 40);
  }
}
