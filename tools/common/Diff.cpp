//===- Diff.cpp - Two programs side by side -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Diff.h"

#include "common/DiffInputs.h"
#include "common/Text.h"
#include "common/Values.h"

#include <algorithm>

namespace qcc::tools {

namespace {
/// What the observer of a run needs: called with each matched value that the
/// run computes.
class Observer {
public:
  Observer(const Matching &matching, bool isA)
      : matching_(matching), isA_(isA) {}
  virtual ~Observer() = default;

  rt::StepObserver get() { return {&Observer::afterStep, this}; }
  const rt::Status &status() const { return status_; }

protected:
  virtual rt::Status see(size_t value, const rt::Tensor &tensor,
                         const rt::OperandInfo &info) = 0;

private:
  static void afterStep(void *self, const rt::Context &run, size_t step) {
    auto &observer = *static_cast<Observer *>(self);
    const std::vector<MatchedValue> &values = observer.matching_.values;
    for (size_t i = 0; i < values.size() && observer.status_.isOk(); ++i) {
      StepOutput place = observer.isA_ ? values[i].a : values[i].b;
      if (!place.isComputedBy(run.entry(), step))
        continue;
      const rt::OperandInfo &info = place.info(run.entry());
      rt::AlignedBuffer copy;
      rt::Result<rt::Tensor> tensor = run.operandTensor(info, copy);
      observer.status_ =
          tensor.isOk() ? observer.see(i, *tensor, info) : tensor.status();
    }
  }

  const Matching &matching_;
  const bool isA_;
  rt::Status status_;
};

/// Keeps the values of A.
class Recorder : public Observer {
public:
  Recorder(const Matching &matching, std::vector<HostTensor> &recorded)
      : Observer(matching, /*isA=*/true), recorded_(recorded) {}

private:
  rt::Status see(size_t value, const rt::Tensor &tensor,
                 const rt::OperandInfo &info) override {
    rt::Result<HostTensor> real = realValues(tensor, info.quantization);
    if (!real.isOk())
      return real.status();
    recorded_[value] = *std::move(real);
    return rt::Status::ok();
  }

  std::vector<HostTensor> &recorded_;
};

/// Whether two tensors hold the same elements in the same order: their shapes
/// are equal, but for neighboring dimensions that are one in either. A
/// transposed tensor is another.
bool haveSameElements(const rt::Tensor &a, const rt::Tensor &b) {
  if (a.elements() != b.elements())
    return false;
  if (a.elements() == 0)
    return true;
  // The distances between neighbors along the dimensions, ascending.
  auto stridesOf = [](const rt::Shape &shape) {
    std::vector<int64_t> strides;
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      if (shape[d] != 1)
        strides.push_back(stride);
      stride *= shape[d];
    }
    return strides;
  };
  std::vector<int64_t> inA = stridesOf(a.shape), inB = stridesOf(b.shape);
  return std::includes(inA.begin(), inA.end(), inB.begin(), inB.end()) ||
         std::includes(inB.begin(), inB.end(), inA.begin(), inA.end());
}

/// Compares the values of B with them.
class Comparer : public Observer {
public:
  Comparer(const Matching &matching, std::vector<HostTensor> &recorded,
           double tolerance, std::vector<DiffValue> &values)
      : Observer(matching, /*isA=*/false), recorded_(recorded),
        tolerance_(tolerance), values_(values) {}

private:
  rt::Status see(size_t value, const rt::Tensor &tensor,
                 const rt::OperandInfo &info) override {
    rt::Result<HostTensor> real = realValues(tensor, info.quantization);
    if (!real.isOk())
      return real.status();
    DiffValue &result = values_[value];
    rt::Tensor wanted = viewOf(recorded_[value]), actual = viewOf(*real);
    if (!haveSameElements(wanted, actual))
      result.reason = "other shape";
    else if (wanted.dtype.isFloat() != actual.dtype.isFloat())
      result.reason = "no scale";
    if (!result.reason.empty())
      return rt::Status::ok();
    result.difference = compare(actual, wanted, tolerance_);
    int64_t first = result.difference.first;
    if (first >= 0)
      result.first = indexText(first, wanted.shape) + ": " +
                     elementText(actual, first) + " instead of " +
                     elementText(wanted, first);
    // It is not needed again.
    recorded_[value] = HostTensor();
    return rt::Status::ok();
  }

  std::vector<HostTensor> &recorded_;
  double tolerance_;
  std::vector<DiffValue> &values_;
};
} // namespace

static rt::Status run(const DiffSide &side, const rt::Entry &entry,
                      std::vector<HostTensor> inputs, unsigned threads,
                      Observer &observer) {
  rt::ContextOptions options;
  options.threads = int(threads);
  options.observer = observer.get();
  rt::Result<Execution> execution =
      Execution::create(side.module, entry.name, std::move(inputs), options);
  rt::Status status = execution.isOk() ? execution->run() : execution.status();
  return status.isOk() ? observer.status() : status;
}

rt::Result<DiffReport> diffModules(const DiffSide &a, const DiffSide &b,
                                   const DiffOptions &options) {
  DiffReport report;
  for (auto [side, name, entry, prefix] :
       {std::tuple(&a, &options.entryA, &report.entryA, "A: "),
        std::tuple(&b, &options.entryB, &report.entryB, "B: ")}) {
    rt::Result<const rt::Entry *> found = findEntry(*side->module, *name);
    if (!found.isOk())
      return found.status().withPrefix(prefix);
    *entry = *found;
  }
  const rt::Entry &entryA = *report.entryA, &entryB = *report.entryB;
  if (entryA.results.size() != entryB.results.size())
    return rt::invalidArgument(format("A has %zu result(s), but B has %zu",
                                      entryA.results.size(),
                                      entryB.results.size()));
  rt::Result<DiffInputs> inputs =
      makeDiffInputs(entryA, entryB, options.sources);
  if (!inputs.isOk())
    return inputs.status();

  report.matching = matchValues(entryA, entryB);
  size_t count = report.matching.values.size();
  std::vector<HostTensor> recorded(count);
  report.values.resize(count);
  Recorder recorder(report.matching, recorded);
  rt::Status status =
      run(a, entryA, std::move(inputs->a), options.threads, recorder);
  if (!status.isOk())
    return status.withPrefix("A: ");
  Comparer comparer(report.matching, recorded, options.tolerance,
                    report.values);
  status = run(b, entryB, std::move(inputs->b), options.threads, comparer);
  if (!status.isOk())
    return status.withPrefix("B: ");

  for (size_t i = 0; i < count; ++i) {
    const MatchedValue &match = report.matching.values[i];
    const DiffValue &value = report.values[i];
    // Two processors may pack an operand each in its own way, and what has no
    // scale may mean the same.
    bool isResult = match.a.info(entryA).kind == QCC_RESULT ||
                    match.b.info(entryB).kind == QCC_RESULT;
    bool differs =
        value.difference.differing > 0 || (!value.reason.empty() && isResult);
    if (differs && !report.first)
      report.first = i;
  }
  return report;
}

} // namespace qcc::tools
