//===- CudaDeviceTests.cpp - The driver of GPUs, and how it fails ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the driver of Inputs/FakeCuda.cpp. test/Driver tests hosts without a
// driver.
//
//===----------------------------------------------------------------------===//

#include "DevicePrograms.h"

#include "qcc/Runtime/Process.h"

#include "gtest/gtest.h"

using namespace qcc::rt;
using namespace qcc::rt::test;

extern "C" void qccFakeReset();
extern "C" void *qccFakeStream(int context);
extern "C" int qccFakeCalls(const char *function);

namespace {
class CudaDevice : public testing::Test {
protected:
  void SetUp() override {
    Result<std::shared_ptr<Device>> opened = openDevice("cuda:0");
    ASSERT_TRUE(opened.isOk()) << opened.message();
    device = *opened;
    auto module = artifact.loadOn(device);
    ASSERT_TRUE(module.isOk()) << module.message();
    context = *Context::create(*module, "");
  }
  void TearDown() override {
    unsetenv("QCC_FAKE_CUDA");
    qccFakeReset();
  }

  /// What something returns while functions of the driver fail as `failures`
  /// says.
  template <typename Action>
  Status failing(const char *failures, Action action) {
    qccFakeReset();
    setenv("QCC_FAKE_CUDA", failures, 1);
    Status status = action();
    unsetenv("QCC_FAKE_CUDA");
    return status;
  }
  Status runWith(const char *failures) {
    return failing(failures, [&] {
      return context->run(values.inputs(), values.outputs());
    });
  }
  Status loadWith(const char *failures) {
    return failing(failures, [&] { return artifact.loadOn(device).status(); });
  }
  void expectRuns() {
    Status status = runWith("");
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(values.areRight());
  }

  DeviceArtifact artifact;
  std::shared_ptr<Device> device;
  std::unique_ptr<Context> context;
  ValuesOfTest values{32};
};
} // namespace

TEST_F(CudaDevice, SaysWhatItIs) {
  EXPECT_EQ(device->name(), "cuda:0");
  EXPECT_EQ(device->architecture(), 80);
  EXPECT_EQ(device->report(),
            "GPU 0 of tests (sm_80), 4 multiprocessors, 8192 MiB\n");
  EXPECT_EQ(*countCudaDevices(), 2);
  EXPECT_EQ((*openDevice("cuda:1"))->architecture(), 75);
  EXPECT_EQ(openDevice("cuda:2").message(),
            "there is no GPU 2; the driver has 2, counted from 0");
  for (const char *name : {"cuda:", "cuda:x", "cuda:1x", "gpu", ""})
    EXPECT_EQ(openDevice(name).status().code(), StatusCode::InvalidArgument)
        << name;
}

TEST_F(CudaDevice, MayNotOpen) {
  struct {
    const char *failures;
    StatusCode code;
  } cases[] = {{"cuDeviceGetCount=100", StatusCode::NotFound},
               {"cuDeviceGet=101", StatusCode::NotFound},
               {"cuDeviceGetAttribute=1", StatusCode::IOError},
               {"cuDeviceGetAttribute=1@4", StatusCode::IOError},
               {"cuDevicePrimaryCtxRetain=2", StatusCode::OutOfMemory}};
  for (auto [failures, code] : cases) {
    qccFakeReset();
    setenv("QCC_FAKE_CUDA", failures, 1);
    Status status = openDevice("cuda:0").status();
    unsetenv("QCC_FAKE_CUDA");
    EXPECT_EQ(status.code(), code) << failures << ": " << status.message();
    EXPECT_NE(status.message().find("CUDA_ERROR_OF_TEST"), std::string::npos)
        << status.message();
    EXPECT_TRUE(openDevice("cuda:0").isOk());
  }
}

TEST_F(CudaDevice, RunsAgainAfterALackOfMemory) {
  auto expectLack = [](const Status &status) {
    EXPECT_EQ(status.code(), StatusCode::OutOfMemory) << status.message();
    EXPECT_NE(status.message().find("run smaller shapes"), std::string::npos);
  };
  expectLack(loadWith("cuMemAlloc_v2=2"));
  expectLack(runWith("cuMemAlloc_v2=2"));
  expectLack(runWith("cuMemAlloc_v2=2@2"));
  expectRuns();
}

TEST_F(CudaDevice, SaysWhatTheCompilerOfTheDriverSays) {
  DeviceArtifact wrong(".version 7.0\n.target sm_75\n.address_size 64\nno");
  Status status = wrong.loadOn(device).status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("the driver's log:\nmodule.ptx:4:1"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("update the driver, or compile for an older "
                                  "chip"),
            std::string::npos);
  status = loadWith("cuModuleLoadDataEx=221");
  EXPECT_EQ(status.code(), StatusCode::Unsupported) << status.message();
  EXPECT_NE(status.message().find("install libnvidia-ptxjitcompiler.so.1"),
            std::string::npos)
      << status.message();
  // A driver that is too old for the code says nothing more.
  status = loadWith("cuModuleLoadDataEx=222");
  EXPECT_EQ(status.code(), StatusCode::Unsupported) << status.message();
  expectRuns();
}

TEST_F(CudaDevice, EachFunctionMayFail) {
  for (const char *failures :
       {"cuModuleGetFunction=500", "cuStreamCreate=999", "cuEventCreate=999",
        "cuMemcpyHtoDAsync_v2=1", "cuLaunchKernel=1", "cuLaunchKernel=701@2",
        "cuMemcpyDtoHAsync_v2=1", "cuEventRecord=1", "cuStreamSynchronize=999",
        "cuMemFree_v2=1,cuStreamCreate=1"}) {
    Status status = runWith(failures);
    EXPECT_FALSE(status.isOk()) << failures;
    EXPECT_NE(status.message().find("CUDA_ERROR_OF_TEST"), std::string::npos)
        << status.message();
    expectRuns();
    context = *Context::create(*artifact.loadOn(device), "");
  }
}

TEST_F(CudaDevice, SaysWhatToDoAboutDefects) {
  struct {
    const char *failures;
    StatusCode code;
    const char *advice;
  } cases[] = {
      {"cuLaunchKernel=214", StatusCode::IOError, "nvidia-smi -q -d ECC"},
      {"cuStreamSynchronize=220", StatusCode::IOError, "nvidia-smi nvlink"},
      {"cuStreamSynchronize=906", StatusCode::InvalidArgument,
       "CU_STREAM_CAPTURE_MODE_RELAXED"},
      {"cuEventRecord=901", StatusCode::InvalidArgument,
       "a stream is being captured"}};
  for (auto [failures, code, advice] : cases) {
    context = *Context::create(*artifact.loadOn(device), "");
    Status status = runWith(failures);
    EXPECT_EQ(status.code(), code) << failures << ": " << status.message();
    EXPECT_NE(status.message().find(advice), std::string::npos)
        << status.message();
  }
  expectRuns();
}

TEST_F(CudaDevice, SaysWhetherItWorks) {
  EXPECT_TRUE(device->checkHealth().isOk());
  for (auto [failures, code] :
       {std::pair("cuMemGetInfo_v2=719", StatusCode::KernelFailed),
        std::pair("cuMemGetInfo_v2=214", StatusCode::IOError),
        std::pair("cuCtxPushCurrent_v2=4", StatusCode::IOError)}) {
    setenv("QCC_FAKE_CUDA", failures, 1);
    EXPECT_EQ(device->checkHealth().code(), code) << failures;
    unsetenv("QCC_FAKE_CUDA");
  }
}

TEST_F(CudaDevice, CountsCodeThatGoesToTheGpu) {
  const ProcessCounters &counters = ProcessCounters::get();
  uint64_t loads = counters.deviceLoads, time = counters.deviceLoadNanoseconds;
  EXPECT_TRUE(loadWith("").isOk());
  expectRuns();
  expectRuns();
  EXPECT_EQ(counters.deviceLoads, loads + 1);
  EXPECT_GT(counters.deviceLoadNanoseconds, time);
}

// The driver is asked for both ends of each tensor, what they are and whose.
TEST_F(CudaDevice, AsksOnceForMemoryOfTheCaller) {
  qccFakeReset();
  constexpr int64_t kBytes = 64;
  void *memory = *device->allocate(2 * kBytes);
  auto check = [&](int64_t offset, int64_t size, int calls) {
    const char *first = static_cast<const char *>(memory) + offset;
    EXPECT_TRUE(device->checkMemory(first, size).isOk());
    EXPECT_EQ(qccFakeCalls("cuPointerGetAttribute"), calls);
  };
  check(0, kBytes, 4);
  check(0, kBytes, 4);
  check(8, kBytes - 8, 4); // a part of what is known
  check(8, kBytes, 8);     // more than that
  EXPECT_TRUE(device->deallocate(memory).isOk());
  EXPECT_EQ(device->checkMemory(memory, kBytes).code(),
            StatusCode::InvalidArgument);
}

TEST_F(CudaDevice, AKernelThatFailsEndsAllWork) {
  DeviceArtifact wrong(kernelsOfTest("trap"));
  auto module = wrong.loadOn(device);
  ASSERT_TRUE(module.isOk());
  auto own = *Context::create(*module, "");
  Status status = own->run(values.inputs(), values.outputs());
  EXPECT_EQ(status.code(), StatusCode::KernelFailed);
  EXPECT_EQ(status.message().rfind("a kernel failed: ", 0), 0u)
      << status.message();
  EXPECT_NE(status.message().find("start it again"), std::string::npos)
      << status.message();
  // No other program runs either, and each says why.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(context->run(values.inputs(), values.outputs()).code(),
              StatusCode::KernelFailed);
}

TEST_F(CudaDevice, FollowsAStreamOfTheCaller) {
  RunOptions options;
  options.stream = qccFakeStream(0);
  for (int i = 0; i < 2; ++i) {
    Status status = context->run(values.inputs(), values.outputs(), options);
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(values.areRight());
  }
  options.stream = qccFakeStream(1);
  Status status = context->run(values.inputs(), values.outputs(), options);
  EXPECT_EQ(status.message(), "the stream is not of the primary context of "
                              "cuda:0; create it there");
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  expectRuns();
}

TEST_F(CudaDevice, RepeatsLaunchesWithTheSameArguments) {
  qccFakeReset();
  auto run = [&](ValuesOfTest &of) {
    std::fill(of.y.begin(), of.y.end(), -1);
    Status status = context->run(of.inputs(), of.outputs());
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(of.areRight());
  };
  auto expectCalls = [](int launches, int graphs) {
    EXPECT_EQ(qccFakeCalls("cuLaunchKernel"), launches);
    EXPECT_EQ(qccFakeCalls("cuGraphLaunch"), graphs);
  };
  // Launched, recorded and run, run.
  run(values);
  expectCalls(2, 0);
  run(values);
  expectCalls(4, 1);
  values.x[3] = 1000;
  run(values);
  expectCalls(4, 2);
  // Other shapes are other launches.
  ValuesOfTest larger(64);
  run(larger);
  expectCalls(6, 2);
  run(larger);
  expectCalls(8, 3);
  run(values);
  expectCalls(10, 3);
}

TEST_F(CudaDevice, KeepsLaunchesThatTakeTurns) {
  qccFakeReset();
  auto expectCalls = [](int launches, int graphs) {
    EXPECT_EQ(qccFakeCalls("cuLaunchKernel"), launches);
    EXPECT_EQ(qccFakeCalls("cuGraphLaunch"), graphs);
  };
  // Buffers of the first shapes are those of all that follow.
  constexpr int most = 8;
  std::vector<ValuesOfTest> shapes;
  for (int i = 0; i <= most; ++i)
    shapes.emplace_back(32 * (most + 1 - i));
  auto run = [&](int i) {
    ValuesOfTest &of = shapes[i];
    std::fill(of.y.begin(), of.y.end(), -1);
    Status status = context->run(of.inputs(), of.outputs());
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(of.areRight()) << i;
  };
  for (int i = 0; i < most; ++i)
    run(i);
  expectCalls(2 * most, 0);
  for (int turn = 1; turn <= 3; ++turn) {
    for (int i = 0; i < most; ++i)
      run(i);
    expectCalls(4 * most, turn * most);
  }
  // One more takes the place of what was not used for longest.
  qccFakeReset();
  run(most);
  expectCalls(2, 0);
  run(1);
  expectCalls(2, 1);
  run(0);
  expectCalls(4, 1);
  run(most);
  expectCalls(6, 2);
}

TEST_F(CudaDevice, KeepsLaunchesOfBuffersThatTakeTurns) {
  constexpr int64_t bytes = 4 * 32;
  std::vector<Tensor> x, y;
  for (int i = 0; i < 2; ++i)
    for (std::vector<Tensor> *list : {&x, &y}) {
      Result<void *> memory = device->allocate(bytes);
      ASSERT_TRUE(memory.isOk()) << memory.message();
      list->push_back(Tensor(*memory, i32OfTest, {32}));
      list->back().location = device->location();
    }
  qccFakeReset();
  for (int i = 0; i < 8; ++i) {
    values.x[0] = i;
    Tensor &in = x[i % 2], &out = y[i % 2];
    ASSERT_TRUE(device
                    ->copy(in.data, values.x.data(), bytes,
                           CopyDirection::HostToDevice, nullptr)
                    .isOk());
    Status status = context->run({in}, {out});
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_TRUE(device
                    ->copy(values.y.data(), out.data, bytes,
                           CopyDirection::DeviceToHost, nullptr)
                    .isOk());
    EXPECT_TRUE(values.areRight()) << i;
  }
  // Each pair of buffers: launched, recorded, and run four times but one.
  EXPECT_EQ(qccFakeCalls("cuLaunchKernel"), 2 * 2 * 2);
  EXPECT_EQ(qccFakeCalls("cuGraphLaunch"), 2 * 3);
  for (std::vector<Tensor> *list : {&x, &y})
    for (Tensor &tensor : *list)
      EXPECT_TRUE(device->deallocate(tensor.data).isOk());
}

TEST_F(CudaDevice, MeasuresStepsOfOneRun) {
  qccFakeReset();
  RunOptions timed;
  timed.profile = true;
  ASSERT_TRUE(context->run(values.inputs(), values.outputs(), timed).isOk());
  EXPECT_EQ(context->stepNanoseconds(), (std::vector<int64_t>{500000, 500000}));
  // What is not measured is recorded, without events of steps.
  for (int i = 0; i < 2; ++i) {
    qccFakeReset();
    ASSERT_TRUE(context->run(values.inputs(), values.outputs()).isOk());
    EXPECT_EQ(qccFakeCalls("cuEventRecord"), 1);
    EXPECT_EQ(context->stepNanoseconds(), (std::vector<int64_t>{0, 0}));
  }
  EXPECT_EQ(qccFakeCalls("cuGraphLaunch"), 1);
}

TEST_F(CudaDevice, WaitsForAStreamOnlyIfAsked) {
  void *memory[] = {*device->allocate(128), *device->allocate(128)};
  Tensor x(memory[0], i32OfTest, {32}), y(memory[1], i32OfTest, {32});
  x.location = y.location = device->location();
  ASSERT_TRUE(device
                  ->copy(x.data, values.x.data(), 128,
                         CopyDirection::HostToDevice, nullptr)
                  .isOk());
  RunOptions options;
  // The default stream, by the handle that the driver gives it.
  options.stream = reinterpret_cast<void *>(1);
  for (bool waits : {false, true}) {
    options.waits = waits;
    ASSERT_TRUE(context->run({x}, {y}, options).isOk());
    qccFakeReset();
    Status status = context->run({x}, {y}, options);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(qccFakeCalls("cuStreamSynchronize"), waits);
  }
  ASSERT_TRUE(device
                  ->copy(values.y.data(), y.data, 128,
                         CopyDirection::DeviceToHost, nullptr)
                  .isOk());
  EXPECT_TRUE(values.areRight());
  for (void *each : memory)
    EXPECT_TRUE(device->deallocate(each).isOk());
}

TEST_F(CudaDevice, TakesMachineCodeOfItsGeneration) {
  const std::string right = kernelsOfTest(), elf = "\x7f"
                                                   "ELF";
  auto run = [&](const std::string &ptx, const std::string &binary,
                 const char *architecture) {
    std::vector<std::string> warnings;
    auto keep = [](void *context, const LogRecord &record) {
      static_cast<std::vector<std::string> *>(context)->emplace_back(
          record.message);
    };
    setLogHandler(LogHandler{keep, &warnings, LogLevel::Warning});
    DeviceArtifact own(ptx, architecture);
    own.setBinary(0, binary);
    auto module = own.loadOn(device);
    Status status = module.status();
    if (status.isOk()) {
      ValuesOfTest values(96);
      status = (*Context::create(*module, ""))
                   ->run(values.inputs(), values.outputs());
      EXPECT_TRUE(!status.isOk() || values.areRight());
    }
    setLogHandler(std::nullopt);
    EXPECT_TRUE(status.isOk()) << status.message();
    return warnings;
  };
  // The GPU is an sm_80. What is not loaded is not looked at.
  EXPECT_TRUE(run("no PTX", elf + right, "sm_80").empty());
  EXPECT_TRUE(run(right, elf + "nonsense", "sm_75").empty());
  // A driver that is older than ptxas.
  std::vector<std::string> warnings = run(right, "\x7fOLD", "sm_80");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rfind("the machine code of variant 'test' is not "
                              "taken, and PTX is compiled: ",
                              0),
            0u)
      << warnings[0];
}

TEST_F(CudaDevice, LetsKernelsThatWaitThemselvesStartEarly) {
  // The first of two kernels; the driver fails for the other kind of launch.
  EXPECT_EQ(runWith("cuLaunchKernelEx=1").code(), StatusCode::Ok);
  artifact.steps->programmatic = 1;
  auto module = artifact.loadOn(device);
  ASSERT_TRUE(module.isOk()) << module.message();
  context = *Context::create(*module, "");
  for (int run = 0; run < 3; ++run)
    expectRuns();
  EXPECT_EQ(runWith("cuLaunchKernelEx=1").code(), StatusCode::Ok)
      << "the graph has been recorded";
  context = *Context::create(*module, "");
  EXPECT_EQ(runWith("cuLaunchKernelEx=1").code(), StatusCode::IOError);
}

TEST_F(CudaDevice, MakesTensorMaps) {
  ASSERT_TRUE(device->hasTensorMaps());
  void *memory = *device->allocate(1 << 10);
  TensorMap map;
  map.address = memory;
  map.rank = 2;
  map.swizzle = 128;
  map.dims[0] = map.strides[0] = 128;
  map.dims[1] = 8;
  map.box[0] = 128;
  map.box[1] = 8;
  EncodedTensorMap encoded = {};
  Status status = device->encodeTensorMap(map, encoded);
  EXPECT_TRUE(status.isOk()) << status.message();
  const EncodedTensorMap empty = {};
  EXPECT_NE(memcmp(encoded.bytes, empty.bytes, sizeof(empty.bytes)), 0);
  auto refusal = [&](auto damage) {
    TensorMap other = map;
    damage(other);
    return device->encodeTensorMap(other, encoded).message();
  };
  EXPECT_NE(refusal([](TensorMap &map) {
              map.strides[0] = 100;
            }).find("the driver refuses a tensor map"),
            std::string::npos);
  EXPECT_NE(refusal([](TensorMap &map) {
              map.box[0] = 512;
            }).find("the driver refuses a tensor map"),
            std::string::npos);
  EXPECT_EQ(refusal([](TensorMap &map) { map.swizzle = 16; }),
            "the driver makes no such tensor map; update it");
  EXPECT_TRUE(device->deallocate(memory).isOk());
}

TEST_F(CudaDevice, RefusesSharedMemoryThatItDoesNotHave) {
  auto runWithShared = [&](int64_t bytes, ValuesOfTest &values) {
    std::string ptx = kernelsOfTest();
    ptx.replace(ptx.find("sm_75"), 5, "sm_80");
    DeviceArtifact own(ptx, "sm_80");
    own.launch->shared_bytes = bytes;
    auto module = own.loadOn(device);
    if (!module.isOk())
      return module.status();
    auto context = *Context::create(*module, "");
    Status status = context->run(values.inputs(), values.outputs());
    return status.isOk() ? context->run(values.inputs(), values.outputs())
                         : status;
  };
  Status status = runWithShared(163 << 10, values);
  EXPECT_TRUE(status.isOk()) << status.message();
  // A kernel asks for its shared memory once.
  EXPECT_EQ(qccFakeCalls("cuFuncSetAttribute"), 1);
  for (int64_t bytes : {int64_t(163 << 10) + 1, int64_t(1) << 33})
    EXPECT_EQ(runWithShared(bytes, values).message(),
              "device cuda:0 cannot run the artifact; variant 'test' needs " +
                  std::to_string(bytes) +
                  " bytes of shared memory for a block, of which there are "
                  "166912; compile it for this device");
  // What depends on shapes is known when it is launched.
  ValuesOfTest many(1 << 18);
  EXPECT_EQ(runWithShared(-1, many).message(),
            "step 'main.step1.add': the kernel takes 262144 bytes of shared "
            "memory, but a block of cuda:0 has 166912; compile for a chip that "
            "has no more");
  // What the driver refuses is a failure of the run, too.
  setenv("QCC_FAKE_CUDA", "cuFuncSetAttribute=1", 1);
  EXPECT_EQ(runWithShared(163 << 10, values).code(), StatusCode::IOError);
}

TEST_F(CudaDevice, RunsWithoutAGraphWhereTheDriverRecordsNone) {
  std::vector<std::string> log;
  ContextOptions options;
  options.log = {[](void *self, const char *message) {
                   static_cast<std::vector<std::string> *>(self)->push_back(
                       message);
                 },
                 &log};
  for (const char *failures :
       {"cuStreamBeginCapture_v2=900", "cuStreamEndCapture=901",
        "cuGraphInstantiateWithFlags=2"}) {
    log.clear();
    context = *Context::create(*artifact.loadOn(device), "", options);
    for (int i = 0; i < 2; ++i) {
      Status status = runWith(failures);
      EXPECT_TRUE(status.isOk()) << status.message();
      EXPECT_TRUE(values.areRight());
    }
    ASSERT_FALSE(log.empty()) << failures;
    EXPECT_EQ(log.back().rfind("launches cannot be recorded: ", 0), 0u)
        << log.back();
    // It is not tried again.
    log.clear();
    expectRuns();
    EXPECT_TRUE(log.empty());
  }
  // A graph that does not start is a failure of the run.
  context = *Context::create(*artifact.loadOn(device), "");
  expectRuns();
  EXPECT_EQ(runWith("cuGraphLaunch=1").code(), StatusCode::IOError);
  expectRuns();
}

TEST_F(CudaDevice, AProgramOfTheHostHasNoStream) {
  FakeArtifact host{FakeArtifact::EntrySpec()};
  auto own = *Context::create(*host.load(), "");
  RunOptions options;
  options.stream = this;
  EXPECT_EQ(own->run({}, {}, options).message(),
            "a stream is given, but the program runs on the CPU; give none");
  // Nor tensors of a device.
  FakeArtifact::EntrySpec spec;
  spec.arguments = {{i32OfTest, {1}}};
  FakeArtifact takes(spec);
  Tensor tensor = values.inputs()[0];
  tensor.shape = std::vector<int64_t>{1};
  tensor.location = device->location();
  EXPECT_NE((*Context::create(*takes.load(), ""))
                ->run({tensor}, {})
                .message()
                .find("but the program runs on the CPU"),
            std::string::npos);
}
