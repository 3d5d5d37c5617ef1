//===- MultistageTests.cpp - Blocks that multiply tiles in stages ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linear layers with pinned configs, on the emulator: what their kernels
// execute, and that nothing can be left out of what orders their threads.
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Emulator/EmulatorDevice.h"
#include "qcc/JIT/JIT.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Target/KnownTargets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;

namespace {

struct PinConfig : PassInstrumentation {
  explicit PinConfig(std::string text) : text(std::move(text)) {}

  void runBeforePass(Pass *pass, Operation *operation) override {
    if (pass->getArgument() != "select-lowering-config" || text.empty())
      return;
    operation->walk([&](kernel::ContractOp op) {
      op.setLoweringConfigAttr(cast<kernel::LoweringConfigAttrInterface>(
          parseAttribute(text, op.getContext())));
    });
  }

  std::string text;
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

struct Layer {
  int64_t m, n, k;
  std::string chip = "sm_80", config = {}; // empty: the model chooses
  std::string zeroPoint = {};              // ":3", or none
};

/// Quantized, with a bias for each column and a ReLU.
std::string programOf(const Layer &layer) {
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
!w = !quant.uniform<i8:f32, 1.0e-02>
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
  return llvm::formatv(format, layer.m, layer.n, layer.k, bytes, bias,
                       layer.zeroPoint)
      .str();
}

/// A layer that is compiled once.
class MultistageTest : public testing::Test {
protected:
  void compile(const Layer &given) {
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
    compiler.configure = [&](PassManager &pm, Stage stage) {
      if (stage == Stage::Kernel)
        pm.addInstrumentation(std::make_unique<PinConfig>(layer.config));
    };
    ASSERT_TRUE(succeeded(compiler.runStages(*module, Stage::LLVM)));
    llvm::Expected<Artifact> emitted = compiler.emitArtifact(*module);
    ASSERT_TRUE(bool(emitted)) << llvm::toString(emitted.takeError());
    artifact = std::move(*emitted);
  }

  /// Runs it; `result` is then what it computes, and `counters` those of the
  /// kernel that multiplies.
  rt::Status run(uint64_t seed = 0, EditingDevice::Edit edit = {}) {
    emu::EmulatorDeviceOptions options;
    options.launch.seed = seed;
    options.launch.outputElementBytes = 1;
    options.observe = [&](const emu::LaunchResult &launch) {
      if (launch.counters.matrix.instructions > 0)
        counters = launch.counters;
    };
    rt::ModuleOptions loading;
    loading.device = std::make_shared<EditingDevice>(
        emu::createEmulatorDevice(options), [&](const std::string &text) {
          code = text;
          return edit ? edit(text) : text;
        });
    auto module = loadArtifact(artifact, loading);
    if (!module.isOk())
      return module.status();
    auto context = rt::Context::create(*module, "f");
    if (!context.isOk())
      return context.status();
    std::vector<int8_t> x(layer.m * layer.k);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = int8_t(i * 37 % 251 - 125);
    result.assign(layer.m * layer.n, 0);
    rt::DType i8{QCC_INT, 8};
    return (*context)->run({rt::Tensor(x.data(), i8, {layer.m, layer.k})},
                           {rt::Tensor(result.data(), i8, {layer.m, layer.n})});
  }

  /// Of threads, behind all loops over K.
  double instructionsAfterLoops() const {
    int last = 0;
    for (const emu::LoopCounters &loop : counters.loops)
      last = std::max(last, loop.lastLine);
    double count = 0;
    for (const emu::InstructionCounters &instruction : counters.instructions)
      count += instruction.line > last ? double(instruction.lanes) : 0;
    return count;
  }

  Layer layer;
  Artifact artifact;
  std::string code;
  std::vector<int8_t> result;
  emu::Counters counters;
};

} // namespace

//===----------------------------------------------------------------------===//
// What kernels execute
//===----------------------------------------------------------------------===//

TEST_F(MultistageTest, MainLoopMultiplies) {
  compile({512, 512, 512, "sm_80",
           "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = [128, "
           "256, 64], warp = [64, 64], stages = 4, source = pinned>"});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(counters.matrix.int8Macs, 512 * 512 * 512);
  EXPECT_GT(counters.instructionsPerMma, 1);
  EXPECT_LE(counters.instructionsPerMma, 1.9);
  EXPECT_LE(instructionsAfterLoops() / (512 * 512), 6);
  EXPECT_EQ(counters.shared.maxDegree, 1);
  emu::GlobalCounters memory = counters.globalLoads;
  memory.add(counters.globalStores);
  EXPECT_GE(memory.usefulShare(), .99);
  // Eight blocks, eight steps of K.
  EXPECT_LE(counters.barriers, 8 * 8);
  EXPECT_EQ(counters.dynamicShared, 4 * (128 + 256) * 64);
}

TEST_F(MultistageTest, ModelWastesLittle) {
  compile({512, 512, 512});
  rt::Status status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  double whole = double(counters.executions) / (512. * 512 * 512);
  EXPECT_LE(counters.matrix.int8Macs, 1.15 * 512 * 512 * 512);
  EXPECT_EQ(counters.shared.maxDegree, 1);
  compile({513, 511, 513});
  status = run();
  ASSERT_TRUE(status.isOk()) << status.message();
  double odd = double(counters.executions) / (513. * 511 * 513);
  EXPECT_LE(odd, 1.5 * whole);
}

//===----------------------------------------------------------------------===//
// What orders threads
//===----------------------------------------------------------------------===//

/// The lines of PTX that start with a word.
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

class OrderTest : public MultistageTest {
protected:
  /// Whether each barrier and wait matters: without it there is a report or
  /// another result, with some seed.
  void expectAllMatter(const Layer &layer, size_t fewest) {
    compile(layer);
    ASSERT_TRUE(run().isOk());
    std::vector<int8_t> right = result;
    const std::string whole = code;
    std::vector<size_t> places = findLines(whole, "bar.sync");
    llvm::append_range(places, findLines(whole, "barrier.sync"));
    llvm::append_range(places, findLines(whole, "cp.async.wait_group"));
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
};

TEST_F(OrderTest, AsynchronousCopies) {
  expectAllMatter({48, 48, 320, "sm_80",
                   "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = "
                   "[32, 32, 64], warp = [16, 16], stages = 3, source = "
                   "pinned>"},
                  2);
}

TEST_F(OrderTest, CopiesByRegisters) {
  expectAllMatter({48, 48, 320, "sm_75",
                   "#nvptx.config<multistage, atom = \"mma-m8n8k16\", tile = "
                   "[32, 32, 64], warp = [16, 16], stages = 2, source = "
                   "pinned>"},
                  1);
}

TEST_F(OrderTest, BothKindsOfCopies) {
  expectAllMatter({48, 48, 321, "sm_80",
                   "#nvptx.config<multistage, atom = \"mma-m16n8k32\", tile = "
                   "[32, 32, 64], warp = [16, 16], stages = 4, source = "
                   "pinned>",
                   ":3"},
                  2);
}
