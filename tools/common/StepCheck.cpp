//===- StepCheck.cpp - Each step beside what is expected of it ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/StepCheck.h"

#include "common/Compare.h"
#include "common/Match.h"
#include "common/Text.h"

#include <algorithm>

namespace qcc::tools {

CheckReport checkResults(const std::vector<rt::Tensor> &results,
                         const std::vector<rt::Tensor> &expected) {
  CheckReport report;
  int64_t elements = 0;
  std::string lines;
  for (size_t i = 0; i < results.size(); ++i) {
    const rt::Tensor &result = results[i], &wanted = expected[i];
    int64_t count = result.elements().value_or(0);
    elements += count;
    std::string what = "  result " + std::to_string(i);
    if (!(result.dtype == wanted.dtype) || result.shape != wanted.shape) {
      report.differing += std::max<int64_t>(1, count);
      lines += what + " is " + result.describe() + " instead of " +
               wanted.describe() + "\n";
      continue;
    }
    Difference difference = compare(result, wanted);
    report.differing += difference.differing;
    if (difference.differing > 0)
      lines += what + ": first at " +
               differenceText(result, wanted, difference.first) + "\n";
  }
  report.text = format("check: %lld elements, %lld differ\n",
                       (long long)elements, (long long)report.differing) +
                lines;
  return report;
}

static LayerForm formOf(const rt::OperandInfo &output) {
  return {std::string(output.layer), output.dtype.name()};
}

std::set<LayerForm> shownForms(const rt::Entry &entry) {
  using Place = std::pair<const rt::Step *, const rt::OperandInfo *>;
  std::map<LayerForm, std::vector<Place>> places;
  for (const rt::Step &step : entry.steps)
    for (const rt::OperandInfo &output : step.outputs)
      if (!output.layer.empty())
        places[formOf(output)].push_back({&step, &output});
  std::set<LayerForm> forms;
  for (const auto &[form, all] : places)
    if (std::all_of(all.begin() + 1, all.end(), [&, &all = all](Place place) {
          return areAlternatives(*all.front().first, *all.front().second,
                                 *place.first, *place.second);
        }))
      forms.insert(form);
  return forms;
}

namespace {
/// Compares the outputs of each step while they are there.
class Checker {
public:
  Checker(const LayerValues &expected,
          const std::function<std::string(std::string_view)> &describe)
      : expected_(expected), describe_(describe) {}

  rt::StepObserver observer() { return {&Checker::afterStep, this}; }
  const rt::Status &status() const { return status_; }
  const StepCheck &result() const { return result_; }

private:
  static void afterStep(void *self, const rt::Context &run, size_t number) {
    auto &checker = *static_cast<Checker *>(self);
    const rt::Step &step = run.entry().steps[number];
    for (const rt::OperandInfo &output : step.outputs)
      if (checker.status_.isOk())
        checker.see(run, step, output);
  }

  void see(const rt::Context &run, const rt::Step &step,
           const rt::OperandInfo &output) {
    auto known = expected_.find(formOf(output));
    if (known == expected_.end())
      return;
    rt::AlignedBuffer copy;
    rt::Result<rt::Tensor> tensor = run.operandTensor(output, copy);
    if (!tensor.isOk()) {
      status_ = tensor.status();
      return;
    }
    const rt::Tensor &wanted = known->second;
    if (tensor->shape != wanted.shape)
      return;
    Difference difference = compare(*tensor, wanted);
    ++result_.values;
    result_.elements += difference.elements;
    result_.differing += difference.differing;
    if (difference.differing > 0 && result_.first.empty())
      result_.first = std::string(step.name) + ", value of " +
                      describe_(output.layer) + ", first at " +
                      differenceText(*tensor, wanted, difference.first);
  }

  const LayerValues &expected_;
  const std::function<std::string(std::string_view)> &describe_;
  StepCheck result_;
  rt::Status status_;
};
} // namespace

rt::Result<StepCheck>
checkSteps(ModulePtr module, std::string_view entry,
           std::vector<HostTensor> inputs, unsigned threads,
           const LayerValues &expected,
           const std::function<std::string(std::string_view)> &describe) {
  Checker checker(expected, describe);
  rt::ContextOptions options;
  options.threads = int(threads);
  options.observer = checker.observer();
  rt::Result<Execution> execution =
      Execution::create(std::move(module), entry, std::move(inputs), options);
  if (!execution.isOk())
    return execution.status();
  rt::Status status = execution->run();
  if (status.isOk())
    status = checker.status();
  if (!status.isOk())
    return status;
  return checker.result();
}

} // namespace qcc::tools
