//===- TournamentTests.cpp - Which of several programs is the fastest -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Tournament.h"

#include "SmallProgram.h"

#include <ctime>

using namespace qcc;
using namespace qcc::test;
using namespace qcc::tools;

namespace {
/// The small program, whose second step also keeps the CPU busy.
template <int Microseconds>
void busy(const qcc_frame *frame, int32_t thread, int32_t threads) {
  auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
  };
  for (double end = now() + Microseconds; now() < end;) {
  }
  more(frame, thread, threads);
}

/// The last element is one too large.
void wrong(const qcc_frame *frame, int32_t thread, int32_t threads) {
  more(frame, thread, threads);
  ++static_cast<int32_t *>(frame->tensors[1])[frame->values[0] - 1];
}

/// A tournament, and the artifacts that its modules are in.
class Comparisons : public testing::Test {
protected:
  ModulePtr programWith(decltype(&more) last) {
    rt::test::FakeArtifact::EntrySpec entry = SmallProgram::entry();
    entry.steps[1] = {"main.step1/last", last, false};
    artifacts.emplace_back(entry);
    auto module = artifacts.back().load();
    EXPECT_TRUE(module.isOk()) << module.message();
    return *module;
  }

  std::deque<rt::test::FakeArtifact> artifacts;
};

std::vector<HostTensor> inputs() {
  auto x = HostTensor::create(SmallProgram::i32, {3});
  for (int i = 0; i < 3; ++i)
    x->as<int32_t>()[i] = i;
  std::vector<HostTensor> inputs;
  inputs.push_back(std::move(*x));
  return inputs;
}
} // namespace

TEST_F(Comparisons, TheFastestWins) {
  Tournament tournament(inputs());
  ASSERT_TRUE(tournament.add(programWith(busy<400>)).isOk());
  ASSERT_TRUE(tournament.add(programWith(busy<900>)).isOk());
  ASSERT_TRUE(tournament.add(programWith(busy<100>)).isOk());
  ASSERT_TRUE(tournament.add(programWith(busy<300>)).isOk());
  EXPECT_EQ(tournament.size(), 4u);
  EXPECT_EQ(tournament.standing().best, 2u);
  int calls = 0, last = 0, all = 0;
  Tournament::Standing standing = tournament.decide([&](int round, int rounds) {
    ++calls;
    EXPECT_GT(round, last);
    last = round;
    all = rounds;
    EXPECT_EQ(tournament.standing().best, 2u);
  });
  EXPECT_EQ(calls, all);
  EXPECT_EQ(last, all);
  EXPECT_EQ(standing.best, 2u);
  EXPECT_GT(standing.gain, 2);
  EXPECT_LT(standing.seconds, standing.firstSeconds);
}

/// Somebody is always a little faster.
TEST_F(Comparisons, TheFirstStaysAmongEquals) {
  Tournament tournament(inputs());
  ASSERT_TRUE(tournament.add(programWith(busy<100>)).isOk());
  ASSERT_TRUE(tournament.add(programWith(busy<900>)).isOk());
  Tournament::Standing standing = tournament.decide();
  EXPECT_EQ(standing.best, 0u);
  EXPECT_EQ(standing.gain, 1);
  EXPECT_EQ(standing.seconds, standing.firstSeconds);
}

TEST_F(Comparisons, Alone) {
  Tournament tournament(inputs());
  ASSERT_TRUE(tournament.add(programWith(busy<10>)).isOk());
  EXPECT_EQ(tournament.decide().best, 0u);
}

/// Times that a device models are asked for once, and decide alone.
TEST_F(Comparisons, ModelledTimes) {
  std::vector<double> seconds{3e-6, 2e-6, 5e-6};
  size_t asked = 0;
  Tournament tournament(inputs(), {1, nullptr, [&]() -> rt::Result<double> {
                                     if (asked == seconds.size())
                                       return rt::unsupported("no time");
                                     return seconds[asked++];
                                   }});
  ASSERT_TRUE(tournament.add(programWith(busy<10>)).isOk());
  ASSERT_TRUE(tournament.add(programWith(busy<300>)).isOk());
  ASSERT_TRUE(tournament.add(programWith(busy<10>)).isOk());
  EXPECT_EQ(tournament.add(programWith(busy<10>)).message(), "no time");
  Tournament::Standing standing = tournament.decide();
  EXPECT_EQ(standing.best, 1u);
  EXPECT_EQ(standing.seconds, 2e-6);
  EXPECT_EQ(standing.firstSeconds, 3e-6);
  EXPECT_DOUBLE_EQ(standing.gain, 1.5);
}

/// What computes something else does not take part, however fast it is.
TEST_F(Comparisons, WrongResults) {
  Tournament tournament(inputs());
  ASSERT_TRUE(tournament.add(programWith(busy<100>)).isOk());
  rt::Status status = tournament.add(programWith(wrong));
  EXPECT_FALSE(status.isOk());
  EXPECT_NE(status.message().find("result 0 is wrong in 1 of 3 elements; the "
                                  "first is 6 at [2] instead of 5"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(tournament.size(), 1u);
  EXPECT_EQ(tournament.decide().best, 0u);
}

TEST_F(Comparisons, WhatCannotRun) {
  auto tensor = HostTensor::create(SmallProgram::i32, {3, 1});
  std::vector<HostTensor> other;
  other.push_back(std::move(*tensor));
  Tournament tournament(std::move(other));
  EXPECT_FALSE(tournament.add(programWith(more)).isOk());
  EXPECT_EQ(tournament.size(), 0u);
}

TEST(ComparisonNoise, Rounds) {
  std::vector<double> first(8, 1.0);
  EXPECT_FALSE(isFaster({}, {}));
  EXPECT_FALSE(isFaster(first, first));
  EXPECT_TRUE(isFaster(std::vector<double>(8, 0.9), first));
  // By less than a hundredth.
  EXPECT_FALSE(isFaster(std::vector<double>(8, 0.995), first));
  // Not often enough.
  EXPECT_TRUE(isFaster({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.1, 1.1}, first));
  EXPECT_FALSE(isFaster({0.5, 0.5, 0.5, 0.5, 0.5, 1.1, 1.1, 1.1}, first));
  // The other was disturbed in all rounds but one.
  EXPECT_FALSE(isFaster(first, {9, 9, 9, 9, 1, 9, 9, 9}));
}
