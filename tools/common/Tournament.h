//===- Tournament.h - The fastest of equal programs -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that have to compute the same run on the same inputs and are
// measured in turns (Interleaved.h). The first one is what the others have to
// beat. All take part in a few rounds, the best of them then in more, whose
// times alone decide: who was lucky once does not win.
//
// Noise: in each round of the final a program is compared with the first one.
// It is faster if it is in three rounds of four, by a hundredth at least.
//
// Programs for a device have their inputs in its memory, and their runs are
// recorded as graphs, so that what a launch costs the host is not part of their
// times. A device that models
// times instead of having any (the emulator) is asked for them: these do not
// change, so that each program runs once.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_TOURNAMENT_H
#define QCC_TOOLS_COMMON_TOURNAMENT_H

#include "common/Execution.h"
#include "common/Interleaved.h"
#include "qcc/Runtime/Device.h"

#include <deque>

namespace qcc::tools {

class Tournament {
public:
  struct Options {
    unsigned threads = 1;
    /// What the modules run on; null for the host.
    std::shared_ptr<rt::Device> device = {};
    /// Seconds that the device models for what it ran since the last call;
    /// null where times are measured.
    std::function<rt::Result<double>()> modelledSeconds = {};
  };

  Tournament(std::vector<HostTensor> inputs, Options options);
  explicit Tournament(std::vector<HostTensor> inputs, unsigned threads = 1)
      : Tournament(std::move(inputs), Options{threads}) {}
  // Candidates refer to what they run.
  Tournament(const Tournament &) = delete;
  Tournament &operator=(const Tournament &) = delete;

  /// Runs the only entry of a module and takes a first look at its time. Fails,
  /// and leaves it out, if it cannot run or a result has other bits than that
  /// of the first module.
  rt::Status add(ModulePtr module);
  size_t size() const { return runs_.size(); }

  struct Standing {
    size_t best = 0; ///< Number in the order of add().
    /// Of a run; `gain` is how many times as fast the best is.
    double seconds = 0, firstSeconds = 0, gain = 1;
  };
  /// By the times so far, without regard to noise.
  Standing standing() const;

  /// After each round.
  using Progress = std::function<void(int round, int rounds)>;
  /// Measures; the best is the first one unless another is faster by more than
  /// the noise. At least one was added.
  Standing decide(const Progress &progress = {});

private:
  struct Run {
    std::unique_ptr<rt::Context> context;
    std::vector<rt::OwnedTensor> results;
    std::vector<rt::Tensor> outputs;
    /// Of a device: graphs of one run, and of several.
    std::unique_ptr<rt::DeviceStream> stream;
    std::shared_ptr<rt::DeviceGraph> once, several;
    TimedRun candidate;
    double firstLook = 0;
  };
  /// Copies the inputs to the device, where times are measured there.
  rt::Status placeInputs();
  /// Records runs of a program that has run before.
  rt::Result<std::shared_ptr<rt::DeviceGraph>> record(Run &run, int runs);
  /// Says how a program is timed.
  rt::Status prepare(Run &run);
  /// What is wrong with the results of a run; ok for the first one.
  rt::Status checkResults(const std::vector<rt::Tensor> &results);
  Standing standingOf(size_t best) const;
  std::vector<size_t> fastest(size_t most) const;

  std::vector<HostTensor> storage_;
  std::vector<rt::Tensor> inputs_;
  Options options_;
  bool isPlaced_ = false;
  std::vector<std::shared_ptr<void>> deviceMemory_;
  /// What the first program computes, in memory of the host.
  std::vector<HostTensor> expected_;
  std::deque<Run> runs_;
};

/// Whether the times `a` are below `b`, round by round, by more than the noise.
bool isFaster(const std::vector<double> &a, const std::vector<double> &b);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_TOURNAMENT_H
