//===- RunStep.cpp - Checks and measures a step ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Pins.h"
#include "Steps.h"
#include "common/Execution.h"
#include "common/StepCheck.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/ThreadPool.h"
#include "qcc/Support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace qcc;
using namespace qcc::bench;

/// Random inputs. Their sizes must be static.
static llvm::Expected<std::vector<HostTensor>>
makeInputs(const rt::Entry &entry) {
  std::vector<HostTensor> inputs;
  for (auto [i, info] : llvm::enumerate(entry.arguments)) {
    std::vector<int64_t> shape;
    for (const rt::Size &size : info.dims) {
      if (size.isDynamic())
        return llvm::createStringError("has a dynamic dimension; suites of "
                                       "steps have static sizes");
      shape.push_back(size.literal());
    }
    auto tensor = HostTensor::create(info.dtype, shape);
    if (!tensor.isOk())
      return llvm::createStringError(tensor.message());
    fillRandom(*tensor, {Problem::kSeed, -4, 4}, i);
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

/// Compares the results of a run with those of the reference.
static llvm::Error compareWithReference(const StepProgram &step,
                                        const tools::Execution &execution) {
  return withProgram(step.text, [&](mlir::ModuleOp module) -> llvm::Error {
    auto entry = module.lookupSymbol<mlir::func::FuncOp>(step.name);
    std::vector<reference::TensorValue> inputs;
    for (const HostTensor &input : execution.storage) {
      rt::DType type = input.dtype();
      inputs.push_back(reference::TensorValue::allocate(
          {static_cast<reference::TypeCode>(type.code), type.bits},
          input.shape()));
      if (!inputs.back().bytes)
        return llvm::createStringError("not enough memory for the check");
      memcpy(inputs.back().bytes.get(), input.data(), input.numBytes());
    }
    llvm::SmallVector<reference::TensorValue> results;
    if (llvm::Error error =
            reference::Interpreter().run(entry, inputs, results))
      return error;
    std::vector<rt::Tensor> expected;
    for (const reference::TensorValue &value : results)
      expected.emplace_back(
          value.bytes.get(),
          rt::DType{uint8_t(value.type.code), value.type.bits}, value.shape);
    tools::CheckReport report =
        tools::checkResults(execution.outputs, expected);
    if (report.differing == 0)
      return llvm::Error::success();
    return llvm::createStringError("wrong numbers: " + report.text +
                                   "; this is a bug of qcc");
  });
}

static int64_t bytesOf(const std::vector<rt::Tensor> &tensors) {
  int64_t bytes = 0;
  for (const rt::Tensor &tensor : tensors)
    bytes += tensor.bytes().value_or(0);
  return bytes;
}

namespace {
/// Copies half of so many bytes, which reads and writes all of them. Each
/// thread copies its part.
class Copy {
public:
  static llvm::Expected<Copy> create(int64_t bytes, int threads) {
    Copy copy;
    PinnedTeam team(threads);
    auto pool = rt::ThreadPool::create(threads);
    auto from = HostTensor::create({QCC_UINT, 8}, {bytes / 2});
    auto to = HostTensor::create({QCC_UINT, 8}, {bytes / 2});
    if (!pool.isOk() || !from.isOk() || !to.isOk())
      return llvm::createStringError("not enough memory for the copy");
    copy.pool = std::move(*pool);
    copy.from = std::move(*from);
    copy.to = std::move(*to);
    fillRandom(copy.from, {Problem::kSeed});
    return copy;
  }

  void run(int64_t calls) {
    int64_t bytes = from.numBytes(), threads = pool->size();
    for (int64_t i = 0; i < calls; ++i)
      pool->run(int(threads), [&](int part, int) {
        int64_t low = bytes * part / threads;
        int64_t high = bytes * (part + 1) / threads;
        memcpy(to.as<char>() + low, from.as<char>() + low, high - low);
      });
  }

private:
  std::shared_ptr<rt::ThreadPool> pool;
  HostTensor from, to;
};
} // namespace

static void measureRow(StepRow &row, tools::Execution &execution, Copy &copy,
                       const Options &options) {
  PinnedCaller caller(options.threads);
  row.qcc.name = "qcc";
  row.copy.name = "copy";
  row.qcc.oneThread = row.copy.oneThread = options.threads == 1;
  row.qcc.run = [&](int64_t calls) {
    for (int64_t i = 0; i < calls; ++i)
      // It has run with the same tensors before.
      (void)execution.run();
  };
  row.copy.run = [&](int64_t calls) { copy.run(calls); };
  tools::calibrate(row.qcc);
  tools::calibrate(row.copy);
  tools::measure({&row.qcc, &row.copy}, options.rounds);
  row.qcc.run = row.copy.run = nullptr;
  std::vector<double> shares;
  for (auto [own, copied] : llvm::zip(row.qcc.seconds, row.copy.seconds))
    shares.push_back(copied / own);
  row.share = tools::medianOf(shares);
  llvm::sort(shares);
  row.shareLow = shares[shares.size() / 4];
  row.shareHigh = shares[shares.size() - 1 - shares.size() / 4];
}

llvm::Expected<StepRow> bench::runStep(const StepProgram &step,
                                       const Options &options) {
  auto target = options.isa->target(rt::HostFeatures::host());
  if (!target)
    return target.takeError();
  auto kernel = compile(step.text, *target);
  if (!kernel)
    return kernel.takeError();
  auto inputs = makeInputs(*kernel->module->findEntry(step.name));
  if (!inputs)
    return inputs.takeError();
  rt::ContextOptions contextOptions;
  contextOptions.threads = options.threads;
  auto execution = [&] {
    PinnedTeam team(options.threads);
    return tools::Execution::create(kernel->module, step.name,
                                    std::move(*inputs), contextOptions);
  }();
  if (!execution.isOk())
    return llvm::createStringError(execution.message());
  rt::Status status = execution->run();
  if (!status.isOk())
    return llvm::createStringError(status.message());
  if (llvm::Error error = compareWithReference(step, *execution))
    return std::move(error);
  StepRow row;
  row.name = step.name;
  row.compileSeconds = kernel->compileSeconds;
  row.bytesRead = bytesOf(execution->inputs);
  row.bytesWritten = bytesOf(execution->outputs);
  if (options.rounds == 0)
    return row;
  auto copy = Copy::create(row.bytesRead + row.bytesWritten, options.threads);
  if (!copy)
    return copy.takeError();
  measureRow(row, *execution, *copy, options);
  return row;
}
