//===- DeviceTests.cpp - The CPU behind the device interface --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Device.h"

#include "FakeArtifact.h"

#include "gtest/gtest.h"

using namespace qcc::rt;
using namespace qcc::rt::test;

static void fillWithThread(const qcc_frame *frame, int32_t thread,
                           int32_t threads) {
  static_cast<int32_t *>(frame->tensors[0])[thread] = 100 * threads + thread;
}

static std::unique_ptr<Device> makeDevice() {
  return createCpuDevice(*ThreadPool::create(3));
}

TEST(CpuDevice, Reports) {
  std::unique_ptr<Device> device = makeDevice();
  EXPECT_EQ(device->name(), "cpu");
  EXPECT_NE(device->report().find("sse2"), std::string::npos);
}

TEST(CpuDevice, AllocatesAndCopies) {
  std::unique_ptr<Device> device = makeDevice();
  Result<void *> memory = device->allocate(8);
  ASSERT_TRUE(memory.isOk());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 64, 0u);
  int64_t in = 42, out = 0;
  EXPECT_TRUE(
      device->copy(*memory, &in, 8, CopyDirection::HostToDevice, nullptr)
          .isOk());
  EXPECT_TRUE(
      device->copy(&out, *memory, 8, CopyDirection::DeviceToHost, nullptr)
          .isOk());
  EXPECT_EQ(out, 42);
  EXPECT_FALSE(
      device->copy(nullptr, &in, 8, CopyDirection::HostToDevice, nullptr)
          .isOk());
  EXPECT_TRUE(device->deallocate(*memory).isOk());
  EXPECT_FALSE(device->deallocate(*memory).isOk());
  EXPECT_FALSE(device->allocate(-1).isOk());
  Result<void *> empty = device->allocate(0);
  ASSERT_TRUE(empty.isOk());
  EXPECT_EQ(*empty, nullptr);
  EXPECT_TRUE(device->deallocate(*empty).isOk());
}

TEST(CpuDevice, LaunchesKernels) {
  FakeArtifact::EntrySpec spec;
  spec.steps = {{"main.fill", fillWithThread}};
  FakeArtifact artifact(spec);
  std::unique_ptr<Device> device = makeDevice();
  EXPECT_FALSE(device->loadModule(artifact.descriptor, 3).isOk());
  Result<std::unique_ptr<DeviceModule>> module =
      device->loadModule(artifact.descriptor, sizeof(qcc_descriptor));
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ((*module)->kernel("other").status().code(), StatusCode::NotFound);
  Result<const void *> kernel = (*module)->kernel("main.fill");
  ASSERT_TRUE(kernel.isOk());

  int32_t data[3] = {};
  void *tensors[1] = {data};
  qcc_frame frame = {};
  frame.tensors = tensors;
  void *arguments[1] = {&frame};
  LaunchParams params;
  params.kernel = *kernel;
  params.grid.x = 3;
  params.arguments = arguments;
  params.numArguments = 1;

  Result<std::unique_ptr<DeviceStream>> stream = device->createStream();
  Result<std::unique_ptr<DeviceEvent>> start = device->createEvent();
  Result<std::unique_ptr<DeviceEvent>> end = device->createEvent();
  ASSERT_TRUE(stream.isOk() && start.isOk() && end.isOk());
  EXPECT_FALSE((*end)->nanosecondsSince(**start).isOk());
  EXPECT_TRUE((*start)->record(stream->get()).isOk());
  EXPECT_TRUE(device->launch(params, stream->get()).isOk());
  EXPECT_TRUE((*end)->record(stream->get()).isOk());
  EXPECT_TRUE((*end)->synchronize().isOk());
  EXPECT_TRUE((*stream)->synchronize().isOk());
  EXPECT_EQ(data[0], 300);
  EXPECT_EQ(data[2], 302);
  EXPECT_GE(*(*end)->nanosecondsSince(**start), 0);

  params.grid.x = 4;
  EXPECT_FALSE(device->launch(params, nullptr).isOk());
  params.grid.x = 1;
  params.numArguments = 0;
  EXPECT_FALSE(device->launch(params, nullptr).isOk());
}
