//===- StepCheck.h - Each step beside what is expected of it ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a module and compares what its steps compute with the values of layers
// that came from elsewhere: the reference interpreter. So the first step that
// goes wrong is found, not only the results that suffer from it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_STEPCHECK_H
#define QCC_TOOLS_COMMON_STEPCHECK_H

#include "common/Execution.h"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace qcc::tools {

/// What came of comparing results with those that are expected.
struct CheckReport {
  int64_t differing = 0;
  /// "check: 12 elements, 1 differ" and a line for each result that differs.
  std::string text;
};
CheckReport checkResults(const std::vector<rt::Tensor> &results,
                         const std::vector<rt::Tensor> &expected);

/// A layer and an element type. A layer may have its value in several forms,
/// such as floats and what they are quantized to.
using LayerForm = std::pair<std::string, std::string>;
using LayerValues = std::map<LayerForm, rt::Tensor>;

struct StepCheck {
  /// Outputs of steps, and elements of them, that were compared.
  int64_t values = 0, elements = 0, differing = 0;
  /// The first output that differs: "main.step0.contract, layer fc1, first at
  /// [0, 3]: 5 instead of 6"; or empty.
  std::string first;
};

/// What the steps of an entry show, each in one step that runs.
std::set<LayerForm> shownForms(const rt::Entry &entry);

/// Runs the entry. `describe` turns the name of a layer into text for people.
/// `expected`: of what shownForms names. A value of another shape than is
/// expected was rearranged and is not compared.
rt::Result<StepCheck>
checkSteps(ModulePtr module, std::string_view entry,
           std::vector<HostTensor> inputs, unsigned threads,
           const LayerValues &expected,
           const std::function<std::string(std::string_view)> &describe);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_STEPCHECK_H
