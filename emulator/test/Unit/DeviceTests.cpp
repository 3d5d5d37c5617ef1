//===- DeviceTests.cpp - The emulator as a device of the runtime ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/EmulatorDevice.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::rt;

namespace {

const char *const program = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 bias)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r1, %r2, %r3, %r1;
  mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [x];
  ld.param.u64 %rd3, [y];
  ld.param.u32 %r4, [bias];
  add.s64 %rd2, %rd2, %rd1;
  add.s64 %rd3, %rd3, %rd1;
  ld.global.u32 %r5, [%rd2];
  add.u32 %r5, %r5, %r4;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";

class EmulatorDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    emu::EmulatorDeviceOptions options;
    options.observe = [this](const emu::LaunchResult &result) {
      executions.push_back(result.counters.executions);
    };
    device = emu::createEmulatorDevice(options);
    auto loaded = device->loadModule(program, strlen(program));
    ASSERT_TRUE(loaded.isOk()) << loaded.message();
    module = std::move(*loaded);
    auto kernel = module->kernel("add");
    ASSERT_TRUE(kernel.isOk()) << kernel.message();
    params.kernel = *kernel;
    params.block.x = 64;
    params.arguments = arguments;
    params.numArguments = 3;
    x = *device->allocate(1024);
    y = *device->allocate(1024);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceModule> module;
  LaunchParams params;
  void *x = nullptr, *y = nullptr;
  uint32_t bias = 5;
  void *arguments[3] = {&x, &y, &bias};
  std::vector<int64_t> executions;
};

} // namespace

TEST_F(EmulatorDeviceTest, RunsKernels) {
  std::vector<uint32_t> in(256), out(256);
  for (uint32_t i = 0; i < 256; ++i)
    in[i] = i * i;
  ASSERT_TRUE(
      device->copy(x, in.data(), 1024, CopyDirection::HostToDevice, nullptr)
          .isOk());
  params.grid.x = 4;
  EXPECT_TRUE(device->launch(params, nullptr).isOk());
  // In a stream, in order: y = x + 5, x = y, y = x + 5.
  auto stream = device->createStream();
  ASSERT_TRUE(stream.isOk());
  EXPECT_TRUE(device->launch(params, stream->get()).isOk());
  EXPECT_TRUE(
      device->copy(x, y, 1024, CopyDirection::DeviceToDevice, stream->get())
          .isOk());
  EXPECT_TRUE(device->launch(params, stream->get()).isOk());
  EXPECT_TRUE((*stream)->synchronize().isOk());
  EXPECT_TRUE(
      device->copy(out.data(), y, 1024, CopyDirection::DeviceToHost, nullptr)
          .isOk());
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], i * i + 10);
  EXPECT_EQ(executions, (std::vector<int64_t>{112, 112, 112}));
}

TEST_F(EmulatorDeviceTest, FailsWithReports) {
  params.grid.x = 5;
  Status status = device->launch(params, nullptr);
  EXPECT_EQ(status.code(), StatusCode::KernelFailed);
  EXPECT_NE(status.message().find("out-of-bounds: a read of 4 bytes"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("and 1 more reports"), std::string::npos);

  auto stream = device->createStream();
  EXPECT_TRUE(device->launch(params, stream->get()).isOk());
  params.grid.x = 4;
  EXPECT_TRUE(device->launch(params, stream->get()).isOk());
  EXPECT_EQ((*stream)->synchronize().code(), StatusCode::KernelFailed);
  EXPECT_TRUE((*stream)->synchronize().isOk());
}

TEST_F(EmulatorDeviceTest, KernelsThatStartEarlyHaveToWait) {
  auto launch = [&](const char *ptx, void *&from) {
    auto module = *device->loadModule(ptx, strlen(ptx));
    LaunchParams early = params;
    void *own[3] = {&from, &y, &bias};
    early.kernel = *module->kernel("add");
    early.arguments = own;
    early.isProgrammatic = true;
    return device->launch(early, nullptr).message();
  };
  const std::string text = program;
  auto withWait = [&](const char *before, bool waits = true) {
    std::string changed = text;
    changed.replace(changed.find("7.0"), 3, "7.8");
    changed.replace(changed.find("sm_80"), 5, "sm_90");
    changed.insert(changed.find(before), waits ? "griddepcontrol.wait;\n" : "");
    return changed;
  };
  const std::string beforeAll = withWait("ld.global"),
                    beforeStore = withWait("st.global"),
                    never = withWait("ret", /*waits=*/false);
  std::vector<char> zeros(1024);
  EXPECT_TRUE(device
                  ->copy(x, zeros.data(), zeros.size(),
                         CopyDirection::HostToDevice, nullptr)
                  .isOk());
  // No kernel writes x.
  EXPECT_EQ(launch(beforeAll.c_str(), x), "");
  EXPECT_EQ(launch(beforeStore.c_str(), x), "");
  EXPECT_NE(launch(never.c_str(), x).find("race: a write of 4 bytes at "),
            std::string::npos);
  // It has written y.
  EXPECT_EQ(launch(beforeAll.c_str(), y), "");
  std::string message = launch(beforeStore.c_str(), y);
  EXPECT_NE(message.find("race: a read of 4 bytes at "), std::string::npos)
      << message;
  EXPECT_NE(message.find("before the thread has waited for kernels before this "
                         "one (griddepcontrol.wait), which may write it"),
            std::string::npos)
      << message;
  params.kernel = *module->kernel("add");
  EXPECT_TRUE(device->launch(params, nullptr).isOk())
      << "what is not programmatic starts when all before has ended";
}

TEST_F(EmulatorDeviceTest, RefusesWhatIsWrong) {
  EXPECT_EQ(device->loadModule("nonsense", 8).status().code(),
            StatusCode::Corrupt);
  EXPECT_FALSE(device->loadModule(nullptr, 8).isOk());
  EXPECT_EQ(module->kernel("sub").status().code(), StatusCode::NotFound);
  EXPECT_FALSE(device->deallocate(&bias).isOk());
  EXPECT_FALSE(device->allocate(-1).isOk());
  EXPECT_FALSE(
      device->copy(x, &bias, 2000, CopyDirection::HostToDevice, nullptr)
          .isOk());
  LaunchParams wrong = params;
  wrong.kernel = nullptr;
  EXPECT_FALSE(device->launch(wrong, nullptr).isOk());
  wrong = params;
  wrong.numArguments = 2;
  EXPECT_EQ(device->launch(wrong, nullptr).message(),
            "'add' takes 3 arguments, not 2");
  wrong = params;
  wrong.block.x = 2000;
  EXPECT_EQ(device->launch(wrong, nullptr).code(), StatusCode::InvalidArgument);
  arguments[2] = nullptr;
  EXPECT_EQ(device->launch(params, nullptr).message(),
            "argument 2 has no value");
}

TEST_F(EmulatorDeviceTest, KeepsItsMemoryApart) {
  // What a kernel gets is no address of the host.
  void *host = &bias;
  arguments[0] = &host;
  EXPECT_EQ(device->launch(params, nullptr).code(), StatusCode::KernelFailed);
  EXPECT_TRUE(device->deallocate(x).isOk());
  EXPECT_FALSE(
      device->copy(x, &bias, 4, CopyDirection::HostToDevice, nullptr).isOk());
}

TEST_F(EmulatorDeviceTest, SaysWhatItIs) {
  EXPECT_EQ(device->name(), "emulator");
  EXPECT_NE(device->report().find("PTX emulator"), std::string::npos);
  EXPECT_NE(device->report().find("checks: all, seed: 0"), std::string::npos);
  auto start = device->createEvent(), end = device->createEvent();
  ASSERT_TRUE(start.isOk() && end.isOk());
  EXPECT_FALSE((*end)->nanosecondsSince(**start).isOk());
  EXPECT_TRUE((*start)->record(nullptr).isOk());
  EXPECT_TRUE((*end)->record(nullptr).isOk());
  EXPECT_TRUE((*end)->synchronize().isOk());
  EXPECT_GE(*(*end)->nanosecondsSince(**start), 0);
  auto empty = device->allocate(0);
  ASSERT_TRUE(empty.isOk());
  EXPECT_EQ(*empty, nullptr);
  EXPECT_TRUE(device->deallocate(*empty).isOk());
}
