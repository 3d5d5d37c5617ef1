//===- Tournament.cpp - The fastest of equal programs ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Tournament.h"

#include "common/Compare.h"
#include "common/Text.h"
#include "qcc/Runtime/Device.h"

#include <algorithm>
#include <cstring>

using namespace qcc;
using namespace qcc::tools;

static constexpr int kRounds = 3, kFinalRounds = 9;
/// Who reaches the final besides the first one.
static constexpr size_t kFinalists = 4;
/// At a first look, times of others are believed to be that much larger.
static constexpr double kHopeless = 2;
static constexpr double kLeastGain = 1.01;
/// Runs of a graph, which the host hands over at once.
static constexpr int kRecorded = 16;

/// b / a, round by round.
static std::vector<double> gainsOf(const std::vector<double> &a,
                                   const std::vector<double> &b) {
  std::vector<double> gains;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    gains.push_back(b[i] / a[i]);
  return gains;
}

/// How many times as fast `a` is. Other processes can only make a round slower,
/// even most rounds: what the fastest rounds do not show is no gain.
static double gainOf(const std::vector<double> &a,
                     const std::vector<double> &b) {
  std::vector<double> gains = gainsOf(a, b);
  if (gains.empty())
    return 1;
  double leastDisturbed = *std::min_element(b.begin(), b.end()) /
                          *std::min_element(a.begin(), a.end());
  return std::min(medianOf(gains), leastDisturbed);
}

bool tools::isFaster(const std::vector<double> &a,
                     const std::vector<double> &b) {
  std::vector<double> gains = gainsOf(a, b);
  if (gains.empty())
    return false;
  std::sort(gains.begin(), gains.end());
  return gains[gains.size() / 4] > kLeastGain && gainOf(a, b) > kLeastGain;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Tournament::Tournament(std::vector<HostTensor> inputs, Options options)
    : storage_(std::move(inputs)), options_(std::move(options)) {
  for (HostTensor &input : storage_)
    inputs_.push_back(viewOf(input));
}

rt::Status Tournament::placeInputs() {
  if (isPlaced_ || !options_.device || options_.modelledSeconds)
    return rt::Status::ok();
  std::shared_ptr<rt::Device> device = options_.device;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    rt::Tensor &input = inputs_[i];
    int64_t size = storage_[i].numBytes();
    rt::Result<void *> memory = device->allocate(size);
    if (!memory.isOk())
      return memory.status();
    deviceMemory_.emplace_back(
        *memory, [device](void *it) { (void)device->deallocate(it); });
    rt::Status status = device->copy(*memory, input.data, size,
                                     rt::CopyDirection::HostToDevice, nullptr);
    if (!status.isOk())
      return status;
    input.data = *memory;
    input.location = device->location();
  }
  isPlaced_ = true;
  return rt::Status::ok();
}

rt::Status Tournament::checkResults(const std::vector<rt::Tensor> &results) {
  std::vector<HostTensor> values;
  for (const rt::Tensor &result : results) {
    rt::Result<HostTensor> value = HostTensor::create(
        result.dtype, {result.shape.begin(), result.shape.end()});
    if (!value.isOk())
      return value.status();
    rt::Status status = rt::Status::ok();
    if (isPlaced_)
      status =
          options_.device->copy(value->data(), result.data, value->numBytes(),
                                rt::CopyDirection::DeviceToHost, nullptr);
    else
      std::memcpy(value->data(), result.data, value->numBytes());
    if (!status.isOk())
      return status;
    values.push_back(*std::move(value));
  }
  if (runs_.empty()) {
    expected_ = std::move(values);
    return rt::Status::ok();
  }
  if (values.size() != expected_.size())
    return rt::internalError("it has another number of results");
  for (size_t i = 0; i < values.size(); ++i) {
    rt::Tensor result = viewOf(values[i]), wanted = viewOf(expected_[i]);
    if (result.dtype != wanted.dtype || result.shape != wanted.shape)
      return rt::internalError("result " + std::to_string(i) +
                               " has another type or shape");
    Difference difference = compare(result, wanted);
    if (difference.differing > 0)
      return rt::internalError(format(
          "result %zu is wrong in %lld of %lld elements; the first is "
          "%s at %s instead of %s",
          i, (long long)difference.differing, (long long)difference.elements,
          elementText(result, difference.first).c_str(),
          indexText(difference.first, result.shape).c_str(),
          elementText(wanted, difference.first).c_str()));
  }
  return rt::Status::ok();
}

rt::Result<std::shared_ptr<rt::DeviceGraph>> Tournament::record(Run &run,
                                                                int runs) {
  rt::Device &device = *options_.device;
  rt::RunOptions options;
  options.stream = run.stream->handle();
  rt::Status status = device.beginGraph(run.stream.get());
  if (!status.isOk())
    return status;
  for (int i = 0; i < runs && status.isOk(); ++i)
    status = run.context->run(inputs_, run.outputs, options);
  auto graph = device.endGraph(run.stream.get());
  if (!status.isOk())
    return status;
  if (!graph.isOk())
    return graph.status();
  return std::shared_ptr<rt::DeviceGraph>(*std::move(graph));
}

rt::Status Tournament::prepare(Run &run) {
  if (!options_.device) {
    run.candidate.oneThread = run.context->threads() == 1;
    run.candidate.run = [this, &run](int64_t calls) {
      for (int64_t i = 0; i < calls; ++i)
        // It has run with the same tensors before.
        (void)run.context->run(inputs_, run.outputs);
    };
    return rt::Status::ok();
  }
  auto stream = options_.device->createStream();
  if (!stream.isOk())
    return stream.status();
  run.stream = *std::move(stream);
  auto once = record(run, 1), several = record(run, kRecorded);
  for (const auto *graph : {&once, &several})
    if (!graph->isOk())
      return graph->status();
  run.once = *std::move(once);
  run.several = *std::move(several);
  run.candidate.oneThread = false;
  run.candidate.run = [&run](int64_t calls) {
    for (; calls >= kRecorded; calls -= kRecorded)
      (void)run.several->launch(run.stream.get());
    for (; calls > 0; --calls)
      (void)run.once->launch(run.stream.get());
    (void)run.stream->synchronize();
  };
  return rt::Status::ok();
}

rt::Status Tournament::add(ModulePtr module) {
  rt::ContextOptions options;
  options.threads = int(options_.threads);
  rt::Status status = placeInputs();
  if (!status.isOk())
    return status;
  auto context = rt::Context::create(std::move(module), "", options);
  if (!context.isOk())
    return context.status();
  Run run;
  run.context = *std::move(context);
  auto results = run.context->allocateResults(inputs_);
  if (!results.isOk())
    return results.status();
  run.results = *std::move(results);
  for (rt::OwnedTensor &result : run.results)
    run.outputs.push_back(result.tensor);
  status = run.context->run(inputs_, run.outputs);
  if (status.isOk())
    status = checkResults(run.outputs);
  if (!status.isOk())
    return status;
  if (options_.modelledSeconds) {
    rt::Result<double> seconds = options_.modelledSeconds();
    if (!seconds.isOk())
      return seconds.status();
    run.firstLook = *seconds;
    runs_.push_back(std::move(run));
    return rt::Status::ok();
  }
  runs_.push_back(std::move(run));
  status = prepare(runs_.back());
  if (!status.isOk())
    runs_.pop_back();
  else
    runs_.back().firstLook = calibrate(runs_.back().candidate);
  return status;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

Tournament::Standing Tournament::standingOf(size_t best) const {
  const Run &first = runs_.front(), &run = runs_[best];
  Standing standing;
  standing.best = best;
  bool measured = !run.candidate.seconds.empty();
  standing.seconds = measured ? run.candidate.median() : run.firstLook;
  standing.firstSeconds = measured ? first.candidate.median() : first.firstLook;
  standing.gain = measured
                      ? gainOf(run.candidate.seconds, first.candidate.seconds)
                      : first.firstLook / run.firstLook;
  return standing;
}

/// At most that many others, the fastest first.
std::vector<size_t> Tournament::fastest(size_t most) const {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 1; i < runs_.size(); ++i)
    if (runs_[i].candidate.seconds.size() ==
        runs_.front().candidate.seconds.size())
      order.push_back({-standingOf(i).gain, i});
  std::sort(order.begin(), order.end());
  std::vector<size_t> indices;
  for (size_t i = 0; i < order.size() && i < most; ++i)
    indices.push_back(order[i].second);
  return indices;
}

Tournament::Standing Tournament::standing() const {
  std::vector<size_t> best = fastest(1);
  return standingOf(!best.empty() && standingOf(best[0]).gain > 1 ? best[0]
                                                                  : 0);
}

Tournament::Standing Tournament::decide(const Progress &progress) {
  if (options_.modelledSeconds)
    return standing();
  double shortest = runs_.front().firstLook;
  for (const Run &run : runs_)
    shortest = std::min(shortest, run.firstLook);
  std::vector<TimedRun *> candidates{&runs_.front().candidate};
  for (size_t i = 1; i < runs_.size(); ++i)
    if (runs_[i].firstLook < kHopeless * shortest)
      candidates.push_back(&runs_[i].candidate);
  int done = 0;
  auto play = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      measure(candidates, 1);
      // Back and forth, as measure() does it with several.
      std::reverse(candidates.begin(), candidates.end());
      if (progress)
        progress(++done, kRounds + kFinalRounds);
    }
  };
  play(kRounds);
  std::vector<size_t> finalists = fastest(kFinalists);
  candidates = {&runs_.front().candidate};
  for (size_t i : finalists)
    candidates.push_back(&runs_[i].candidate);
  for (Run &run : runs_)
    run.candidate.seconds.clear();
  play(kFinalRounds);
  const std::vector<double> &first = runs_.front().candidate.seconds;
  for (size_t i : fastest(kFinalists))
    if (isFaster(runs_[i].candidate.seconds, first))
      return standingOf(i);
  return standingOf(0);
}
