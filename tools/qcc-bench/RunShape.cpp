//===- RunShape.cpp - Checks and measures a shape -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include "Bench.h"
#include "Kernel.h"
#include "Peaks.h"
#include "PeerData.h"
#include "Pins.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Support/Random.h"
#include "llvm/ADT/STLExtras.h"

using namespace qcc;
using namespace qcc::bench;
using tools::medianOf;
using tools::TimedRun;

//===----------------------------------------------------------------------===//
// qcc
//===----------------------------------------------------------------------===//

namespace {
/// A problem with its code and a context that runs it.
struct Execution {
  Problem problem;
  Kernel kernel;
  std::unique_ptr<rt::Context> context;
  std::vector<rt::Tensor> inputs, outputs;
};
} // namespace

static llvm::Expected<std::unique_ptr<rt::Context>>
makeContext(const Kernel &kernel, int threads) {
  rt::ContextOptions options;
  options.threads = threads;
  PinnedTeam team(threads);
  auto context = rt::Context::create(kernel.module, "", options);
  if (!context.isOk())
    return llvm::createStringError(context.message());
  return std::move(*context);
}

/// Compiled, run once, and found to agree with the reference.
static llvm::Expected<Execution>
prepare(const Shape &shape, const TargetRef &target, const Options &options) {
  Execution execution;
  auto problem = Problem::create(shape, options.type);
  if (!problem)
    return problem.takeError();
  execution.problem = std::move(*problem);
  auto kernel = compile(execution.problem.program(), target);
  if (!kernel)
    return kernel.takeError();
  execution.kernel = std::move(*kernel);
  auto context = makeContext(execution.kernel, options.threads);
  if (!context)
    return context.takeError();
  execution.context = std::move(*context);
  execution.inputs = execution.problem.inputs();
  execution.outputs.push_back(execution.problem.output());
  rt::Status status =
      execution.context->run(execution.inputs, execution.outputs);
  if (!status.isOk())
    return llvm::createStringError(status.message());
  if (llvm::Error error = checkAgainstReference(execution.problem))
    return std::move(error);
  return execution;
}

static TimedRun candidateOf(std::string name, rt::Context &context,
                            Execution &execution) {
  TimedRun candidate;
  candidate.name = std::move(name);
  candidate.oneThread = context.threads() == 1;
  candidate.run = [&context, &execution](int64_t calls) {
    for (int64_t i = 0; i < calls; ++i)
      // It has run with the same tensors before.
      (void)context.run(execution.inputs, execution.outputs);
  };
  return candidate;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

namespace {
/// The loops of Peaks.h on all threads at once.
class PeakRunner {
public:
  static llvm::Expected<PeakRunner> create(const Options &options) {
    PeakRunner runner;
    PinnedTeam team(options.threads);
    auto pool = rt::ThreadPool::create(options.threads);
    if (!pool.isOk())
      return llvm::createStringError(pool.message());
    runner.pool = std::move(*pool);
    auto random = HostTensor::create({QCC_UINT, 8}, {kPeakDataBytes});
    auto zeros = HostTensor::create({QCC_UINT, 8}, {kPeakDataBytes});
    if (!random.isOk() || !zeros.isOk())
      return llvm::createStringError("not enough memory");
    runner.random = std::move(*random);
    runner.zeros = std::move(*zeros);
    fillRandom(runner.random, {1});
    memset(runner.zeros.data(), 0, kPeakDataBytes);
    runner.peaks = peaksOf(*options.isa, options.type);
    if (options.isa->kind == IsaKind::Amx) {
      rt::Status status = rt::requestAmxPermission();
      if (!status.isOk())
        return llvm::createStringError(status.message());
    }
    return runner;
  }

  std::vector<TimedRun> candidates() const {
    std::vector<TimedRun> result;
    for (const Peak &peak : peaks) {
      TimedRun candidate;
      candidate.name = peak.name;
      candidate.oneThread = pool->size() == 1;
      const void *data = peak.onZeros ? zeros.data() : random.data();
      candidate.run = [this, &peak, data](int64_t calls) {
        pool->run(pool->size(), [&](int, int) {
          peak.run(calls * kIterationsPerCall, data);
        });
      };
      result.push_back(std::move(candidate));
    }
    return result;
  }

  /// For each round, in units of the peak.
  std::vector<double> rates(size_t index, const TimedRun &candidate) const {
    double operations = peaks[index].operations * kIterationsPerCall * 1e-9;
    // The clock is that of one thread.
    if (index > 0)
      operations *= pool->size();
    std::vector<double> rates;
    for (double seconds : candidate.seconds)
      rates.push_back(operations / seconds);
    return rates;
  }

  std::vector<Peak> peaks;
  std::shared_ptr<rt::ThreadPool> pool;

private:
  static constexpr int64_t kIterationsPerCall = 1000;

  HostTensor random, zeros;
};
} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The ratios a / b of each round.
static std::vector<double> ratiosOf(const std::vector<double> &a,
                                    const std::vector<double> &b) {
  std::vector<double> ratios;
  for (auto [x, y] : llvm::zip(a, b))
    ratios.push_back(x / y);
  return ratios;
}

static void addPeaks(Row &row, const PeakRunner &runner,
                     const std::vector<TimedRun> &candidates) {
  for (auto [i, peak] : llvm::enumerate(runner.peaks)) {
    std::vector<double> rates = runner.rates(i, candidates[i]);
    row.peaks.push_back(
        {peak.name, peak.unit, peak.isReference, medianOf(rates)});
    if (!peak.isReference)
      continue;
    double work = row.shape.operations() * 1e-9;
    auto fraction = [&](const TimedRun &candidate) {
      std::vector<double> fractions;
      for (auto [seconds, rate] : llvm::zip(candidate.seconds, rates))
        fractions.push_back(work / seconds / rate);
      return medianOf(fractions);
    };
    row.fraction = fraction(row.qcc);
    if (!row.peers.empty())
      row.peerFraction = fraction(row.peers.front());
  }
}

/// `reads`: from huge pages, then from small ones.
static void addBandwidth(Row &row, int64_t bytes,
                         const std::vector<TimedRun> &reads) {
  row.readHuge = double(bytes) * 1e-9 / reads[0].median();
  row.readSmall = double(bytes) * 1e-9 / reads[1].median();
  row.readFraction = medianOf(ratiosOf(reads[0].seconds, row.qcc.seconds));
  if (!row.peers.empty())
    row.peerReadFraction =
        medianOf(ratiosOf(reads[0].seconds, row.peers.front().seconds));
}

static void addRatio(Row &row) {
  if (row.peers.empty())
    return;
  llvm::sort(row.peers, [](const TimedRun &a, const TimedRun &b) {
    return a.median() < b.median();
  });
  std::vector<double> ratios =
      ratiosOf(row.peers.front().seconds, row.qcc.seconds);
  row.ratio = medianOf(ratios);
  llvm::sort(ratios);
  row.ratioLow = ratios[ratios.size() / 4];
  row.ratioHigh = ratios[ratios.size() - 1 - ratios.size() / 4];
}

//===----------------------------------------------------------------------===//
// A shape
//===----------------------------------------------------------------------===//

namespace {
/// What is measured side by side with qcc, and what it computes on.
struct Rivals {
  PeerData peer;
  std::optional<Execution> roundedExecution;
  TimedRun rounded; ///< the shape rounded up
  std::unique_ptr<rt::Context> oneThread;
  TimedRun single; ///< qcc on one thread
};
} // namespace

/// Prepares the peer and compares its results with those of qcc.
static llvm::Error preparePeer(Row &row, const Execution &execution,
                               const Options &options, PeerData &peer) {
  if (options.peer == PeerKind::None)
    return llvm::Error::success();
  auto made = PeerData::create(execution.problem, execution.kernel,
                               options.peer == PeerKind::OneDNNFloat);
  if (!made)
    return made.takeError();
  peer = std::move(*made);
  row.peerMissing = peer.missing;
  PinnedTeam team(options.threads); // OpenMP's, made by the first run.
  auto difference = peer.check(execution.problem, options.isa->exactDot);
  if (!difference)
    return difference.takeError();
  row.peerDifference = *difference;
  return llvm::Error::success();
}

static llvm::Error prepareRivals(Row &row, const TargetRef &target,
                                 const Suite &suite, const Options &options,
                                 Execution &execution, Rivals &rivals) {
  if (llvm::Error error = preparePeer(row, execution, options, rivals.peer))
    return error;
  if (suite.roundUp) {
    auto made = prepare(suite.rounded(row.shape), target, options);
    if (!made)
      return made.takeError();
    Execution &rounded = rivals.roundedExecution.emplace(std::move(*made));
    row.roundedName = rounded.problem.shape.name();
    rivals.rounded = candidateOf("rounded", *rounded.context, rounded);
  }
  if (options.scaling) {
    auto made = makeContext(execution.kernel, 1);
    if (!made)
      return made.takeError();
    rivals.oneThread = std::move(*made);
    rivals.single =
        candidateOf("qcc on 1 thread", *rivals.oneThread, execution);
  }
  return llvm::Error::success();
}

/// Measures everything in rounds and fills in the row.
static llvm::Error measureRow(Row &row, const Suite &suite,
                              const Options &options, Rivals &rivals) {
  auto runner = PeakRunner::create(options);
  if (!runner)
    return runner.takeError();
  PinnedCaller caller(options.threads);
  std::vector<TimedRun> peaks = runner->candidates();
  std::optional<BandwidthRunner> bandwidth;
  std::vector<TimedRun> reads;
  int64_t bytes = bytesThatBound(row.shape, options.type);
  if (bytes) {
    auto made = BandwidthRunner::create(bytes, runner->pool);
    if (!made)
      return made.takeError();
    bandwidth = std::move(*made);
    reads = bandwidth->candidates();
  }
  row.peers = rivals.peer.candidates(options.threads);
  std::vector<TimedRun *> all{&row.qcc};
  for (auto *list : {&row.peers, &peaks, &reads})
    for (TimedRun &candidate : *list)
      all.push_back(&candidate);
  if (suite.roundUp)
    all.push_back(&rivals.rounded);
  if (options.scaling)
    all.push_back(&rivals.single);
  for (TimedRun *candidate : all)
    calibrate(*candidate);
  measure(all, options.rounds);

  addRatio(row);
  addPeaks(row, *runner, peaks);
  if (bandwidth)
    addBandwidth(row, bytes, reads);
  if (suite.roundUp)
    row.roundedRatio =
        medianOf(ratiosOf(row.qcc.seconds, rivals.rounded.seconds));
  if (options.scaling)
    row.scaling = medianOf(ratiosOf(rivals.single.seconds, row.qcc.seconds));
  return llvm::Error::success();
}

llvm::Expected<Row> bench::runShape(const Shape &shape, const Suite &suite,
                                    const Options &options) {
  auto target = options.isa->target(rt::HostFeatures::host());
  if (!target)
    return target.takeError();
  auto execution = prepare(shape, *target, options);
  if (!execution)
    return execution.takeError();
  Row row;
  row.shape = shape;
  row.config = execution->kernel.config;
  row.compileSeconds = execution->kernel.compileSeconds;
  row.artifactBytes = execution->kernel.artifactBytes;
  row.qcc = candidateOf("qcc", *execution->context, *execution);

  Rivals rivals;
  if (llvm::Error error =
          prepareRivals(row, *target, suite, options, *execution, rivals))
    return std::move(error);
  if (options.rounds > 0)
    if (llvm::Error error = measureRow(row, suite, options, rivals))
      return std::move(error);
  // What the runs use ends with this call.
  row.qcc.run = nullptr;
  for (TimedRun &candidate : row.peers)
    candidate.run = nullptr;
  return row;
}
