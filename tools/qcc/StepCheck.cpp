//===- StepCheck.cpp - The steps of a program beside the reference --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is compiled anew, with a name of its own for each op in place of
// the layers' names (ValueInfo.h): then the artifact says of every buffer which
// op's value it holds, and the reference can be asked for just these values.
// Names change no code.
//
//===----------------------------------------------------------------------===//

#include "common/StepCheck.h"
#include "Driver.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Transforms/Steps/StepInfo.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::driver;

namespace {
/// What to call an op, by the name that it got.
using OpNames = std::map<std::string, std::string, std::less<>>;

/// What the reference has for the forms that steps show; none of those that it
/// computes more than once.
using ReferenceValues =
    std::map<tools::LayerForm, std::optional<reference::TensorValue>>;
} // namespace

static OpNames nameOps(ModuleOp module) {
  OpNames names;
  module->walk([&](Operation *op) {
    if (op->getNumResults() == 0)
      return;
    Location loc = op->getLoc();
    std::string text = op->getName().getStringRef().str();
    if (StringRef layer = layerName(loc); !layer.empty())
      text += (" '" + layer + "'").str();
    if (std::string position = sourcePosition(loc); !position.empty())
      text += " at " + position;
    std::string name = "op" + std::to_string(names.size());
    Location place = UnknownLoc::get(op->getContext());
    if (auto file = loc->findInstanceOf<FileLineColLoc>())
      place = file;
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name), place));
    names[name] = text;
  });
  return names;
}

static reference::Interpreter::Observer
keep(const std::set<tools::LayerForm> &shown, ReferenceValues &kept) {
  return [&](OpResult result, const reference::TensorValue &value) {
    tools::LayerForm form(valueInfo(result.getOwner()->getLoc()).layer,
                          viewOf(value).dtype.name());
    if (!shown.count(form))
      return;
    auto [known, isNew] = kept.emplace(form, value);
    if (!isNew)
      known->second.reset();
  };
}

Reported<tools::StepCheck>
driver::checkSteps(const ProgramOptions &program, const RunOptions &options,
                   const rt::ModuleOptions &moduleOptions,
                   std::vector<HostTensor> inputs) {
  Session session(program);
  if (ExitCode code = session.load())
    return code;
  OpNames names = nameOps(session.module());
  OwningOpRef<ModuleOp> original = session.module().clone();
  inheritLayers(*original);
  auto module = compileAndLoad(session, moduleOptions);
  if (!module)
    return module.code();
  rt::Result<const rt::Entry *> entry =
      tools::findEntry(**module, options.entry);
  if (!entry.isOk())
    return reportStatus(entry.status());

  std::set<tools::LayerForm> shown = tools::shownForms(**entry);
  ReferenceValues kept;
  auto function = findEntry(*original, options.entry);
  if (!function)
    return function.code();
  bool done = session.guarded("while interpreting the program", [&] {
    return bool(
        runReference(*function, inputs, options.threads, keep(shown, kept)));
  });
  if (!done)
    return tools::ExitFailed;
  tools::LayerValues expected;
  for (const auto &[form, value] : kept)
    if (value)
      expected.emplace(form, viewOf(*value));

  rt::Result<tools::StepCheck> result = tools::checkSteps(
      *module, options.entry, std::move(inputs), options.threads, expected,
      [&](std::string_view name) {
        auto known = names.find(name);
        return known == names.end() ? std::string(name) : known->second;
      });
  if (!result.isOk())
    return reportStatus(result.status());
  return *result;
}
