//===- CaptureTests.cpp - Streams of the caller, and their captures -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller is a program that uses the GPU besides qcc, with the driver that
// keeps the rules of drivers, in each of its modes.
//
//===----------------------------------------------------------------------===//

#include "DevicePrograms.h"
#include "StrictDriver.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <thread>

using namespace qcc;
using namespace qcc::rt;
using namespace qcc::rt::test;

namespace {
constexpr int captureGlobal = 0, captureOfThread = 1, captureRelaxed = 2;

/// Memory of the GPU for a run.
struct OnDevice {
  OnDevice(Device &device, int64_t count)
      : device(device), count(count), values(count) {
    x = static_cast<char *>(*device.allocate(4 * count));
    y = static_cast<char *>(*device.allocate(4 * count));
  }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;
  ~OnDevice() {
    EXPECT_TRUE(device.deallocate(x).isOk());
    EXPECT_TRUE(device.deallocate(y).isOk());
  }

  std::vector<Tensor> tensors(char *memory) const {
    Tensor tensor(memory, i32OfTest, {count});
    tensor.location = device.location();
    return {tensor};
  }
  /// Values that differ for each `seed`.
  void fill(int32_t seed) {
    for (int64_t i = 0; i < count; ++i)
      values.x[i] = int32_t(5 * i) + seed;
    std::fill(values.y.begin(), values.y.end(), -1);
    EXPECT_TRUE(device
                    .copy(x, values.x.data(), 4 * count,
                          CopyDirection::HostToDevice, nullptr)
                    .isOk());
    EXPECT_TRUE(device
                    .copy(y, values.y.data(), 4 * count,
                          CopyDirection::HostToDevice, nullptr)
                    .isOk());
  }
  bool areRight() {
    EXPECT_TRUE(device
                    .copy(values.y.data(), y, 4 * count,
                          CopyDirection::DeviceToHost, nullptr)
                    .isOk());
    return values.areRight();
  }

  Device &device;
  const int64_t count;
  ValuesOfTest values;
  char *x, *y;
};

class StreamsOfTheCaller : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    qccStrictReset(GetParam(), 7);
    device = *openDevice("cuda");
    void *primary = nullptr;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), 0);
    ASSERT_EQ(cuCtxPushCurrent_v2(primary), 0);
    constexpr unsigned nonBlocking = 1;
    ASSERT_EQ(cuStreamCreate(&stream, nonBlocking), 0);
    // The default stream waits for this one.
    ASSERT_EQ(cuStreamCreate(&other, 0), 0);
    module = *artifact.loadOn(device);
    context = *Context::create(module, "");
  }
  void TearDown() override {
    context.reset();
    module.reset();
    EXPECT_EQ(cuStreamDestroy_v2(stream), 0);
    EXPECT_EQ(cuStreamDestroy_v2(other), 0);
    void *primary = nullptr;
    EXPECT_EQ(cuCtxPopCurrent_v2(&primary), 0);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), 0);
    EXPECT_STREQ(qccStrictViolations(), "");
  }

  Status run(OnDevice &memory, void *on, RunOptions options = RunOptions()) {
    options.stream = on;
    return context->run(memory.tensors(memory.x), memory.tensors(memory.y),
                        options);
  }
  void expectRuns(OnDevice &memory, void *on, int32_t seed) {
    memory.fill(seed);
    Status status = run(memory, on);
    EXPECT_TRUE(status.isOk()) << status.message();
    if (on)
      EXPECT_EQ(cuStreamSynchronize(on), 0);
    EXPECT_TRUE(memory.areRight()) << seed;
  }
  /// The program of a graph that `record` records.
  template <typename Record> void *capture(int mode, Record record) {
    return captureOn(stream, mode, record);
  }
  template <typename Record>
  void *captureOn(void *on, int mode, Record record) {
    void *graph = nullptr, *program = nullptr;
    EXPECT_EQ(cuStreamBeginCapture_v2(on, mode), 0);
    record();
    EXPECT_EQ(cuStreamEndCapture(on, &graph), 0);
    if (graph) {
      EXPECT_EQ(cuGraphInstantiateWithFlags(&program, graph, 0), 0);
      EXPECT_EQ(cuGraphDestroy(graph), 0);
    }
    return program;
  }
  void expectLaunches(void *program, OnDevice &memory, int32_t seed) {
    memory.fill(seed);
    EXPECT_EQ(cuGraphLaunch(program, stream), 0);
    EXPECT_EQ(cuStreamSynchronize(stream), 0);
    EXPECT_TRUE(memory.areRight()) << seed;
  }

  DeviceArtifact artifact;
  std::shared_ptr<Device> device;
  std::shared_ptr<const Module> module;
  std::unique_ptr<Context> context;
  void *stream = nullptr, *other = nullptr;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Modes, StreamsOfTheCaller,
                         testing::Values("late", "early", "random", "pinned"),
                         [](const auto &info) { return info.param; });

TEST_P(StreamsOfTheCaller, TakeTurns) {
  OnDevice first(*device, 64), second(*device, 96), third(*device, 64);
  for (int32_t round = 0; round < 6; ++round) {
    first.fill(round);
    second.fill(round + 50);
    third.fill(round + 90);
    // One context has one set of temporaries, whatever the stream.
    for (auto [memory, on] :
         {std::pair(&first, stream), std::pair(&second, other),
          std::pair(&third, static_cast<void *>(nullptr)),
          std::pair(&second, stream)}) {
      Status status = run(*memory, on);
      EXPECT_TRUE(status.isOk()) << status.message();
    }
    EXPECT_EQ(cuStreamSynchronize(stream), 0);
    EXPECT_EQ(cuStreamSynchronize(other), 0);
    EXPECT_TRUE(first.areRight() && second.areRight() && third.areRight());
  }
}

TEST_P(StreamsOfTheCaller, OneHandleIsAnotherStreamInEachThread) {
  void *perThread = reinterpret_cast<void *>(2);
  OnDevice first(*device, 64), second(*device, 64);
  for (int32_t round = 0; round < 6; ++round) {
    first.fill(round);
    second.fill(round + 50);
    EXPECT_TRUE(run(first, perThread).isOk());
    // Work of a run that has not begun.
    size_t most = qccStrictPending();
    std::thread([&] {
      void *primary = nullptr;
      EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), 0);
      EXPECT_EQ(cuCtxPushCurrent_v2(primary), 0);
      EXPECT_TRUE(run(second, perThread).isOk());
      if (GetParam() == std::string("late"))
        EXPECT_EQ(qccStrictPending(), most) << "the first run is over";
      EXPECT_EQ(cuStreamSynchronize(perThread), 0);
      EXPECT_EQ(cuCtxPopCurrent_v2(&primary), 0);
      EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), 0);
    }).join();
    EXPECT_EQ(cuStreamSynchronize(perThread), 0);
    EXPECT_TRUE(first.areRight() && second.areRight()) << round;
  }
}

TEST_P(StreamsOfTheCaller, AreLateUntilSomebodyWaits) {
  OnDevice memory(*device, 64);
  expectRuns(memory, stream, 1);
  memory.fill(2);
  EXPECT_TRUE(run(memory, stream).isOk());
  if (std::string(GetParam()) == "late")
    EXPECT_GT(qccStrictPending(), 0u);
  RunOptions waits;
  waits.waits = true;
  EXPECT_TRUE(run(memory, stream, waits).isOk());
  EXPECT_EQ(qccStrictPending(), 0u);
  EXPECT_TRUE(memory.areRight());
}

TEST_P(StreamsOfTheCaller, ACaptureRecordsRuns) {
  for (int mode : {captureGlobal, captureOfThread, captureRelaxed}) {
    OnDevice memory(*device, 64), more(*device, 64);
    for (int32_t i = 0; i < 3; ++i)
      expectRuns(memory, stream, i);
    memory.fill(17);
    more.fill(18);
    void *program = capture(mode, [&] {
      Status status = run(memory, stream);
      EXPECT_TRUE(status.isOk()) << status.message();
      status = run(more, stream);
      EXPECT_TRUE(status.isOk()) << status.message();
    });
    ASSERT_TRUE(program);
    // Nothing has run.
    EXPECT_FALSE(memory.areRight());
    // Runs afterwards, by other streams and the same, wait for nothing of it.
    expectRuns(memory, nullptr, 3);
    expectRuns(memory, other, 4);
    expectRuns(memory, stream, 5);
    for (int32_t seed : {6, 7})
      expectLaunches(program, memory, seed);
    more.fill(8);
    EXPECT_EQ(cuGraphLaunch(program, stream), 0);
    EXPECT_EQ(cuStreamSynchronize(stream), 0);
    EXPECT_TRUE(more.areRight());
    EXPECT_EQ(cuGraphExecDestroy(program), 0);
  }
}

TEST_P(StreamsOfTheCaller, ACaptureKeepsMemoryThatIsOutgrown) {
  OnDevice small(*device, 32), large(*device, 4096);
  expectRuns(small, stream, 1);
  void *program =
      capture(captureGlobal, [&] { EXPECT_TRUE(run(small, stream).isOk()); });
  ASSERT_TRUE(program);
  expectRuns(large, other, 2);
  expectLaunches(program, small, 3);
  expectRuns(large, nullptr, 4);
  EXPECT_EQ(cuGraphExecDestroy(program), 0);
}

TEST_P(StreamsOfTheCaller, ARunUnderWayIsFollowedAfterACapture) {
  OnDevice memory(*device, 64), more(*device, 96);
  expectRuns(memory, stream, 1);
  expectRuns(more, other, 1);
  memory.fill(2);
  more.fill(3);
  EXPECT_TRUE(run(more, other).isOk());
  void *program =
      capture(captureGlobal, [&] { EXPECT_TRUE(run(memory, stream).isOk()); });
  ASSERT_TRUE(program);
  // The context still knows of the run on the other stream.
  EXPECT_TRUE(run(memory, stream).isOk());
  EXPECT_EQ(cuStreamSynchronize(stream), 0);
  EXPECT_EQ(cuStreamSynchronize(other), 0);
  EXPECT_TRUE(memory.areRight() && more.areRight());
  EXPECT_EQ(cuGraphExecDestroy(program), 0);
}

TEST_P(StreamsOfTheCaller, ACaptureRefusesWhatWaitsOrAllocates) {
  OnDevice memory(*device, 64), large(*device, 4096);
  ValuesOfTest ofHost(64);
  auto expectRefused = [](Status status, const char *what) {
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.message();
    EXPECT_NE(status.message().find("the stream is being captured, and"),
              std::string::npos)
        << status.message();
    EXPECT_NE(status.message().find(what), std::string::npos)
        << status.message();
  };
  void *program = capture(captureGlobal, [&] {
    expectRefused(run(memory, stream), "this context has not run yet");
  });
  EXPECT_EQ(cuGraphExecDestroy(program), 0);
  expectRuns(memory, stream, 1);
  // Each is refused, and spoils nothing of the capture.
  program = capture(captureGlobal, [&] {
    EXPECT_TRUE(run(memory, stream).isOk());
    RunOptions options;
    options.waits = true;
    expectRefused(run(memory, stream, options), "QCC_RUN_WAIT");
    options = RunOptions();
    options.profile = true;
    expectRefused(run(memory, stream, options), "without a profile");
    options = RunOptions();
    options.stream = stream;
    expectRefused(context->run(ofHost.inputs(), ofHost.outputs(), options),
                  "a tensor is in host memory");
    expectRefused(run(large, stream), "run them once before the capture");
  });
  ASSERT_TRUE(program);
  expectLaunches(program, memory, 2);
  EXPECT_EQ(cuGraphExecDestroy(program), 0);
  expectRuns(large, stream, 3);
}

TEST_P(StreamsOfTheCaller, ARunThatMayEndEarlyIsRecorded) {
  OnDevice memory(*device, 64);
  expectRuns(memory, stream, 1);
  std::atomic<bool> cancel{false};
  RunOptions options;
  options.cancel = &cancel;
  options.timeoutNanoseconds = int64_t(1) << 50;
  void *program = capture(captureGlobal, [&] {
    Status status = run(memory, stream, options);
    EXPECT_TRUE(status.isOk()) << status.message();
  });
  ASSERT_TRUE(program);
  expectLaunches(program, memory, 2);
  EXPECT_EQ(cuGraphExecDestroy(program), 0);
}

TEST_P(StreamsOfTheCaller, OtherWorkGoesOnDuringACapture) {
  // Code and weights go to the GPU, memory is allocated and freed, runs wait.
  auto useOtherwise = [&] {
    DeviceArtifact another;
    std::unique_ptr<Context> own =
        *Context::create(*another.loadOn(device), "");
    ValuesOfTest values(96);
    Status status = own->run(values.inputs(), values.outputs());
    EXPECT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(values.areRight());
    EXPECT_TRUE(own->run(values.inputs(), values.outputs()).isOk());
    EXPECT_TRUE(device->checkHealth().isOk());
  };
  OnDevice memory(*device, 64);
  expectRuns(memory, stream, 1);
  for (void *on : {stream, other}) {
    void *program = captureOn(on, captureGlobal, [&] {
      EXPECT_TRUE(run(memory, on).isOk());
      useOtherwise();
      std::thread(useOtherwise).join();
    });
    ASSERT_TRUE(program);
    expectLaunches(program, memory, 2);
    EXPECT_EQ(cuGraphExecDestroy(program), 0);
  }
}
