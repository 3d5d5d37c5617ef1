//===- DeviceRunTests.cpp - Running programs on devices -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test runs on the emulator and on a driver of tests, which is one of
// NVIDIA GPUs to the runtime: the one that does all work at once, or with
// QCC_STRICT_CUDA the one that keeps the rules of drivers, in each of its
// modes.
//
//===----------------------------------------------------------------------===//

#include "DevicePrograms.h"

#include "qcc/Emulator/EmulatorDevice.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::rt;
using namespace qcc::rt::test;

#ifdef QCC_STRICT_CUDA
#include "StrictDriver.h"
static const char *const devices[] = {"late", "early", "random", "pinned"};
static void resetDriver(const char *mode) { qccStrictReset(mode, 1); }
static std::string violations() { return qccStrictViolations(); }
#else
extern "C" void qccFakeReset();
static const char *const devices[] = {"emulator", "cuda"};
static void resetDriver(const char *) { qccFakeReset(); }
static std::string violations() { return ""; }
#endif

namespace {
class RunOnDevice : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    resetDriver(GetParam());
    if (std::string(GetParam()) == "emulator") {
      device = emu::createEmulatorDevice();
      return;
    }
    Result<std::shared_ptr<Device>> opened = openDevice("cuda");
    ASSERT_TRUE(opened.isOk()) << opened.message();
    device = *opened;
  }

  void TearDown() override { EXPECT_EQ(violations(), ""); }

  std::unique_ptr<Context> makeContext(const DeviceArtifact &artifact,
                                       const ContextOptions &options = {}) {
    auto module = artifact.loadOn(device);
    EXPECT_TRUE(module.isOk()) << module.message();
    auto context = Context::create(*module, "", options);
    EXPECT_TRUE(context.isOk()) << context.message();
    return *std::move(context);
  }

  /// Memory of the device.
  char *allocate(int64_t size) {
    Result<void *> memory = device->allocate(size);
    EXPECT_TRUE(memory.isOk()) << memory.message();
    return static_cast<char *>(*memory);
  }
  Tensor onDevice(char *memory, int64_t count) {
    Tensor tensor(memory, i32OfTest, {count});
    tensor.location = device->location();
    return tensor;
  }

  std::shared_ptr<Device> device;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, RunOnDevice, testing::ValuesIn(devices),
                         [](const auto &info) { return info.param; });

TEST_P(RunOnDevice, CopiesTensorsOfTheHost) {
  DeviceArtifact artifact;
  auto context = makeContext(artifact);
  // Growing, shrinking, empty, and the same again.
  for (int64_t count : {32, 96, 64, 64}) {
    ValuesOfTest values(count);
    Status status = context->run(values.inputs(), values.outputs());
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(values.areRight()) << count;
  }
}

TEST_P(RunOnDevice, ContextsOfAModuleShareIt) {
  DeviceArtifact artifact;
  auto module = artifact.loadOn(device);
  ASSERT_TRUE(module.isOk()) << module.message();
  for (int i = 0; i < 2; ++i) {
    auto context = Context::create(*module, "");
    ASSERT_TRUE(context.isOk());
    ValuesOfTest values(32);
    EXPECT_TRUE((*context)->run(values.inputs(), values.outputs()).isOk());
    EXPECT_TRUE(values.areRight());
  }
}

TEST_P(RunOnDevice, UsesTensorsOfTheDevice) {
  DeviceArtifact artifact;
  std::vector<std::string> log;
  ContextOptions options;
  options.log = {[](void *self, const char *message) {
                   static_cast<std::vector<std::string> *>(self)->push_back(
                       message);
                 },
                 &log};
  auto context = makeContext(artifact, options);
  constexpr int64_t count = 64, bytes = 4 * count;
  ValuesOfTest values(count);
  char *x = allocate(bytes + 16), *y = allocate(bytes);
  // Kernels read whole words of 16 bytes, which 4 bytes further on are none.
  for (int64_t shift : {0, 4}) {
    log.clear();
    ASSERT_TRUE(device
                    ->copy(x + shift, values.x.data(), bytes,
                           CopyDirection::HostToDevice, nullptr)
                    .isOk());
    Status status =
        context->run({onDevice(x + shift, count)}, {onDevice(y, count)});
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_TRUE(device
                    ->copy(values.y.data(), y, bytes,
                           CopyDirection::DeviceToHost, nullptr)
                    .isOk());
    EXPECT_TRUE(values.areRight()) << shift;
    bool isTold = std::any_of(log.begin(), log.end(), [](auto &line) {
      return line.find("argument 0 is copied") == 0;
    });
    EXPECT_EQ(isTold, shift != 0);
  }
  EXPECT_TRUE(device->deallocate(x).isOk());
  EXPECT_TRUE(device->deallocate(y).isOk());
}

TEST_P(RunOnDevice, AllocatesResultsWhereTheArgumentsAre) {
  DeviceArtifact artifact;
  auto context = makeContext(artifact);
  ValuesOfTest values(32);
  auto onHost = context->allocateResults(values.inputs());
  ASSERT_TRUE(onHost.isOk());
  EXPECT_TRUE((*onHost)[0].tensor.location.isHost());
  char *x = allocate(128);
  ASSERT_TRUE(
      device
          ->copy(x, values.x.data(), 128, CopyDirection::HostToDevice, nullptr)
          .isOk());
  auto results = context->allocateResults({onDevice(x, 32)});
  ASSERT_TRUE(results.isOk()) << results.message();
  Tensor y = (*results)[0].tensor;
  EXPECT_TRUE(y.location == device->location());
  Status status = context->run({onDevice(x, 32)}, {y});
  ASSERT_TRUE(status.isOk()) << status.message();
  // Results outlive the context.
  context.reset();
  ASSERT_TRUE(device
                  ->copy(values.y.data(), y.data, 128,
                         CopyDirection::DeviceToHost, nullptr)
                  .isOk());
  EXPECT_TRUE(values.areRight());
  EXPECT_TRUE(device->deallocate(x).isOk());
}

TEST_P(RunOnDevice, RefusesMemoryThatIsNotTheDevices) {
  DeviceArtifact artifact;
  auto context = makeContext(artifact);
  ValuesOfTest values(32);
  Status status =
      context->run({onDevice(reinterpret_cast<char *>(values.x.data()), 32)},
                   values.outputs());
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.message();
  EXPECT_EQ(status.message().rfind("argument 0 ('x') ", 0), 0u)
      << status.message();

  char *tooSmall = allocate(64);
  status = context->run({onDevice(tooSmall, 32)}, values.outputs());
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.message();
  EXPECT_TRUE(device->deallocate(tooSmall).isOk());

  Tensor elsewhere = values.inputs()[0];
  elsewhere.location = {2, 7};
  status = context->run({elsewhere}, values.outputs());
  EXPECT_NE(status.message().find("is on device 7 of DLPack's type 2, but the "
                                  "program runs on " +
                                  device->name()),
            std::string::npos)
      << status.message();
  // The context still runs.
  EXPECT_TRUE(context->run(values.inputs(), values.outputs()).isOk());
  EXPECT_TRUE(values.areRight());
}

TEST_P(RunOnDevice, ShowsAndMeasuresSteps) {
  struct Seen {
    std::vector<int32_t> values;
    static void look(void *self, const Context &run, size_t step) {
      AlignedBuffer copy;
      auto tensor = run.operandTensor(run.entry().steps[step].outputs[0], copy);
      ASSERT_TRUE(tensor.isOk()) << tensor.message();
      static_cast<Seen *>(self)->values.push_back(
          static_cast<const int32_t *>(tensor->data)[1]);
    }
  } seen;
  DeviceArtifact artifact;
  ContextOptions options;
  options.observer = {&Seen::look, &seen};
  options.profile = true;
  auto context = makeContext(artifact, options);
  ValuesOfTest values(32);
  ASSERT_TRUE(context->run(values.inputs(), values.outputs()).isOk());
  int32_t twice = 2 * values.x[1];
  EXPECT_EQ(seen.values, (std::vector<int32_t>{twice, twice + weightOfTest}));
  ASSERT_EQ(context->stepNanoseconds().size(), 2u);
  EXPECT_GT(context->stepNanoseconds()[0], 0);
}

TEST_P(RunOnDevice, EndsEarly) {
  DeviceArtifact artifact;
  std::atomic<bool> cancel{false};
  ContextOptions options;
  options.observer = {[](void *flag, const Context &, size_t) {
                        *static_cast<std::atomic<bool> *>(flag) = true;
                      },
                      &cancel};
  options.cancel = &cancel;
  auto context = makeContext(artifact, options);
  ValuesOfTest values(32);
  Status status = context->run(values.inputs(), values.outputs());
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(values.y[0], -1);
  EXPECT_EQ(context->run(values.inputs(), values.outputs()).code(),
            StatusCode::Cancelled);
}

TEST_P(RunOnDevice, ReportsKernelsThatFail) {
  DeviceArtifact artifact(kernelsOfTest("trap"));
  auto context = makeContext(artifact);
  ValuesOfTest values(32);
  Status status = context->run(values.inputs(), values.outputs());
  EXPECT_EQ(status.code(), StatusCode::KernelFailed) << status.message();
}

TEST_P(RunOnDevice, RefusesCodeThatIsNone) {
  DeviceArtifact artifact(".version 7.0\n.target sm_75\n.address_size 64\nno");
  auto expectRefusal = [](const Status &status) {
    EXPECT_FALSE(status.isOk());
    EXPECT_EQ(status.message().rfind("kernels of variant 'test' for ", 0), 0u)
        << status.message();
  };
  ModuleOptions options;
  options.device = device;
  expectRefusal(artifact.load(options).status());
  // What is only looked at goes to the device with the first run.
  options.inspectOnly = true;
  auto module = artifact.load(options);
  ASSERT_TRUE(module.isOk()) << module.message();
  auto context = *Context::create(*module, "");
  ValuesOfTest values(32);
  expectRefusal(context->run(values.inputs(), values.outputs()));
}

TEST_P(RunOnDevice, SkipsStepsWithoutBlocks) {
  DeviceArtifact artifact;
  auto whole = makeContext(artifact);
  ValuesOfTest values(32), skipped(32);
  ASSERT_TRUE(whole->run(values.inputs(), values.outputs()).isOk());
  artifact.launch->grid = 0;
  auto context = makeContext(artifact);
  std::vector<size_t> steps;
  RunOptions options;
  options.observer.context = &steps;
  options.observer.afterStep = [](void *to, const Context &, size_t step) {
    static_cast<std::vector<size_t> *>(to)->push_back(step);
  };
  ASSERT_TRUE(
      context->run(skipped.inputs(), skipped.outputs(), options).isOk());
  EXPECT_EQ(steps, std::vector<size_t>{0});
  EXPECT_FALSE(skipped.areRight());
}

TEST_P(RunOnDevice, RefusesGridsThatNoDeviceHas) {
  DeviceArtifact artifact;
  artifact.launch->grid = int64_t(1) << 31;
  auto context = makeContext(artifact);
  ValuesOfTest values(32);
  Status status = context->run(values.inputs(), values.outputs());
  EXPECT_EQ(status.message(),
            "step 'main.step1.add': the shapes ask for 2147483648 blocks of 32 "
            "threads, which no device has; run smaller shapes");
}

TEST_P(RunOnDevice, RefusesSharedMemoryThatNoDeviceHas) {
  DeviceArtifact artifact;
  artifact.launch->shared_bytes = int64_t(1) << 33;
  // A GPU knows how much it has, the emulator has what the kernel's chip has.
  auto module = artifact.loadOn(device);
  Status status = module.status();
  if (status.isOk()) {
    ValuesOfTest values(32);
    status =
        (*Context::create(*module, ""))->run(values.inputs(), values.outputs());
    EXPECT_EQ(status.message().rfind("step 'main.step1.add': ", 0), 0u)
        << status.message();
  }
  EXPECT_NE(status.message().find("shared memory"), std::string::npos)
      << status.message();
}

TEST(EmulatorRuns, HaveNoStreamsOfOtherPrograms) {
  DeviceArtifact artifact;
  auto context =
      *Context::create(*artifact.loadOn(emu::createEmulatorDevice()), "");
  ValuesOfTest values(32);
  RunOptions options;
  options.stream = &options;
  Status status = context->run(values.inputs(), values.outputs(), options);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(),
            "device emulator has no streams of other programs; give none");
  EXPECT_TRUE(context->run(values.inputs(), values.outputs()).isOk());
  EXPECT_TRUE(values.areRight());
}

namespace {
/// A GPU of any architecture, which makes no tensor maps and runs nothing.
struct GpuOfNumber : Device {
  explicit GpuOfNumber(int number) : number(number) {}
  std::string name() const override { return "gpu"; }
  qcc_device_kind kind() const override { return QCC_DEVICE_CUDA; }
  MemoryLocation location() const override { return {}; }
  int architecture() const override { return number; }
  std::string report() const override { return ""; }
  Result<void *> allocate(int64_t) override { return unsupported("no memory"); }
  Status deallocate(void *) override { return Status::ok(); }
  Status copy(void *, const void *, int64_t, CopyDirection,
              DeviceStream *) override {
    return Status::ok();
  }
  Status checkMemory(const void *, int64_t) override { return Status::ok(); }
  Result<std::unique_ptr<DeviceModule>> loadModule(const void *,
                                                   int64_t) override {
    return unsupported("no modules");
  }
  Status launch(const LaunchParams &, DeviceStream *) override {
    return Status::ok();
  }
  Result<std::unique_ptr<DeviceStream>> createStream() override {
    return unsupported("no streams");
  }
  Result<std::unique_ptr<DeviceEvent>> createEvent() override {
    return unsupported("no events");
  }
  int number;
};

/// An artifact for sm_90a, with a tensor map if one is given.
struct ExactArtifact : FakeArtifact {
  explicit ExactArtifact(const qcc_tensor_map_desc *map = nullptr) {
    setVariants(1);
    setVariant(0, "sm_90a", "sm_90a", {entryOfTest()});
    setKernels(0, "sm_90a", kernelsOfTest().c_str());
    if (!map)
      return;
    auto *copy = table<qcc_tensor_map_desc>(1);
    *copy = *map;
    int64_t count = launch->n_parameters;
    auto *more = table<qcc_parameter_desc>(count + 1);
    std::copy_n(parameters, count, more);
    more[count] = {QCC_PARAMETER_TENSOR_MAP, 0, ref(copy)};
    launch->n_parameters = count + 1;
    launch->parameters_ref = ref(more);
  }

  /// Why a GPU does not run it.
  std::string refusalOn(int architecture) {
    ModuleOptions options;
    options.device = std::make_shared<GpuOfNumber>(architecture);
    options.inspectOnly = true;
    auto module = load(options);
    return module.isOk() ? std::string((*module)->variants()[0].refusal)
                         : module.message();
  }
};
} // namespace

// Code for sm_90a runs on no other architecture.
TEST(DeviceVariants, AnExactArchitecture) {
  EXPECT_EQ(ExactArtifact().refusalOn(90), "");
  EXPECT_EQ(ExactArtifact().refusalOn(80), "needs sm_90a");
  EXPECT_EQ(ExactArtifact().refusalOn(100), "needs sm_90a");
}

TEST(DeviceVariants, TensorMaps) {
  const qcc_tensor_map_desc good = {
      QCC_PARAMETER_INPUT, 0, 2, 128, 0, {128, 8}, {128}, {128, 8}, 0};
  EXPECT_EQ(ExactArtifact(&good).refusalOn(90),
            "needs tensor maps, which the driver of the device does not make");
  auto expectDamage = [&](auto damage, const char *message) {
    qcc_tensor_map_desc map = good;
    damage(map);
    EXPECT_NE(ExactArtifact(&map).refusalOn(90).find(message),
              std::string::npos)
        << ExactArtifact(&map).refusalOn(90);
  };
  const char *nothing = "a tensor map of a kernel refers to nothing";
  expectDamage([](auto &map) { map.operand = 99; }, nothing);
  expectDamage([](auto &map) { map.operand = -1; }, nothing);
  expectDamage([](auto &map) { map.operand_kind = QCC_PARAMETER_SIZE; },
               nothing);
  expectDamage([](auto &map) { map.rank = 6; }, nothing);
  expectDamage([](auto &map) { map.rank = 0; }, nothing);
  expectDamage([](auto &map) { map.offset = -16; }, nothing);
  expectDamage([](auto &map) { map.dims[1] = -1000; },
               "a size of a tensor map");
  const char *box = "a tensor map of a kernel has a box that no device copies";
  expectDamage([](auto &map) { map.box[1] = 0; }, box);
  expectDamage([](auto &map) { map.box[0] = 257; }, box);
}

TEST(DeviceVariants, TheLatestThatTheDeviceRuns) {
  std::shared_ptr<Device> gpu = *openDevice("cuda:0"); // of sm_80
  FakeArtifact artifact;
  artifact.setVariants(4);
  const char *chips[] = {"sm_75", "sm_80", "sm_90"};
  for (int i = 0; i < 3; ++i) {
    artifact.setVariant(i, chips[i], chips[i], {entryOfTest()});
    artifact.setKernels(i, chips[i], kernelsOfTest().c_str());
  }
  artifact.setVariant(3, "processor", "sse2", {FakeArtifact::EntrySpec()});
  ModuleOptions options;
  options.device = gpu;
  auto module = artifact.load(options);
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->variant().target, "sm_80");
  EXPECT_EQ((*module)->variants()[2].refusal, "needs sm_90");
  EXPECT_EQ((*module)->variants()[3].refusal, "is for another kind of device");
  options.variant = "sm_75";
  EXPECT_EQ((*artifact.load(options))->variant().target, "sm_75");
  options.variant = "sm_90";
  EXPECT_EQ(artifact.load(options).message(),
            "device cuda:0 cannot run the artifact; variant 'sm_90' needs "
            "sm_90; compile it for this device");
  options.variant = "processor";
  EXPECT_FALSE(artifact.load(options).isOk());
  // The host takes what is for the host.
  options.device = nullptr;
  EXPECT_EQ((*artifact.load(options))->variant().target, "processor");
  options.variant = "sm_75";
  EXPECT_NE(artifact.load(options).message().find("is for an NVIDIA GPU"),
            std::string::npos);
}

TEST(DeviceVariants, OneWhoseBlocksHaveTheSharedMemory) {
  ModuleOptions options;
  options.device = *openDevice("cuda:0"); // of sm_80, 163 KiB for a block
  FakeArtifact artifact;
  artifact.setVariants(2);
  artifact.setVariant(0, "small", "sm_75", {entryOfTest()});
  artifact.setKernels(0, "sm_75", kernelsOfTest().c_str());
  artifact.setVariant(1, "large", "sm_80", {entryOfTest()});
  artifact.setKernels(1, "sm_80", kernelsOfTest().c_str());
  artifact.launch->shared_bytes = 163 << 10;
  EXPECT_EQ((*artifact.load(options))->variant().target, "large");
  artifact.launch->shared_bytes = 164 << 10;
  auto module = artifact.load(options);
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->variant().target, "small");
  const char *refusal = "needs 167936 bytes of shared memory for a block, of "
                        "which there are 166912";
  EXPECT_EQ((*module)->variants()[1].refusal, refusal);
  options.variant = "large";
  EXPECT_EQ(artifact.load(options).message(),
            std::string("device cuda:0 cannot run the artifact; variant "
                        "'large' ") +
                refusal + "; compile it for this device");
  options.inspectOnly = true;
  EXPECT_EQ((*artifact.load(options))->variant().entries.size(), 1u);
}

TEST(DeviceVariants, TablesThatContradictThemselves) {
  std::shared_ptr<Device> device = emu::createEmulatorDevice();
  auto refusal = [&](auto damage) {
    DeviceArtifact artifact;
    damage(artifact);
    return artifact.loadOn(device).message();
  };
  auto expect = [&](const char *what, auto damage) {
    std::string message = refusal(damage);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  expect("launch of a step is missing",
         [](DeviceArtifact &a) { a.steps->launch_ref = 0; });
  expect("names no kernel",
         [](DeviceArtifact &a) { a.launch->kernel_ref = 0; });
  expect("parameter of a kernel refers to nothing",
         [](DeviceArtifact &a) { a.parameters[0].value = 2; });
  expect("parameter of a kernel refers to nothing",
         [](DeviceArtifact &a) { a.parameters[0].kind = 4; });
  expect("a tensor map of a kernel is missing", [](DeviceArtifact &a) {
    a.parameters[0] = {QCC_PARAMETER_TENSOR_MAP, 0, 0};
  });
  expect("a parameter refers to value 7",
         [](DeviceArtifact &a) { a.parameters[3].value = value(7); });
  expect("a number of blocks refers to value 2",
         [](DeviceArtifact &a) { a.launch->grid = value(2); });
  expect("code of its kernels has no end",
         [](DeviceArtifact &a) { a.variants->kernels_size -= 1; });
  expect("code of its kernels is missing",
         [](DeviceArtifact &a) { a.variants->kernels_ref = 0; });
  expect("code of its kernels has -1 bytes",
         [](DeviceArtifact &a) { a.variants->kernels_size = -1; });
  expect("machine code of its kernels has -5 bytes",
         [](DeviceArtifact &a) { a.variants->binary_size = -5; });
  expect("machine code of its kernels is missing",
         [](DeviceArtifact &a) { a.variants->binary_size = 5; });
  expect("not of the kind that the device",
         [](DeviceArtifact &a) { a.steps->kind = QCC_STEP_HOST; });
  DeviceArtifact processor;
  processor.variants->device = QCC_DEVICE_CPU;
  processor.variants->features_ref = processor.string("sse2");
  EXPECT_NE(processor.load().message().find("code of its kernels has"),
            std::string::npos);
}
