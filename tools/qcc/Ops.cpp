//===- Ops.cpp - qcc ops --------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Text.h"
#include "qcc/Frontend/MLIR/AcceptedOps.h"
#include "qcc/Frontend/ONNX/ImportedOps.h"
#include "qcc/Frontend/StableHLO/ImportedOps.h"
#include "qcc/Frontend/TFLite/ImportedOps.h"
#include "qcc/Pipelines/Register.h"

using namespace qcc;
using namespace qcc::driver;

static std::string listONNXOps() {
  tools::Table table("ll");
  for (const ImportedOp &op : importedOps()) {
    std::vector<std::string> versions;
    for (int64_t version : op.versions)
      versions.push_back(std::to_string(version));
    table.add({op.domain + "." + op.name, tools::join(versions, " ")});
  }
  return table.print() +
         "\nThe numbers are the operator sets in which the op got a meaning "
         "that is imported.\n";
}

static std::string listStableHLOOps() {
  tools::Table imported("ll"), refused("ll");
  for (const StableHLOOp &op : stableHLOOps())
    if (op.reason.empty())
      imported.add({op.name, op.elements});
    else
      refused.add({op.name, op.reason});
  return imported.print() + "\nRefused:\n" + refused.print("  ");
}

static std::string listTFLiteOps() {
  tools::Table table("ll");
  for (const TFLiteOp &op : tfliteOps())
    table.add({op.name, op.elements});
  return table.print();
}

static std::string listMLIROps() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::vector<AcceptedOp> ops = acceptedOps(context);
  constexpr size_t kIndent = 8;
  std::string text;
  for (size_t i = 0, end; i < ops.size(); i = end) {
    std::vector<std::string> names;
    for (end = i; end < ops.size() && ops[end].dialect == ops[i].dialect; ++end)
      names.push_back(ops[end].name + (ops[end].limits.empty() ? "" : "*"));
    std::string head = ops[i].dialect;
    head.resize(kIndent, ' ');
    text +=
        head +
        tools::wrap(tools::join(names, " "), tools::outputColumns(), kIndent) +
        "\n";
  }
  tools::Table table("ll");
  for (const AcceptedOp &op : ops)
    if (!op.limits.empty())
      table.add({op.dialect + "." + op.name, op.limits});
  return text + "\nWith limits:\n" + table.print("  ");
}

static std::string listOps(OpSource source) {
  switch (source) {
  case OpSource::MLIR:
    return listMLIROps();
  case OpSource::ONNX:
    return listONNXOps();
  case OpSource::StableHLO:
    return listStableHLOOps();
  case OpSource::TFLite:
    return listTFLiteOps();
  }
  llvm_unreachable("covered switch");
}

int driver::runOps(OpSource source) {
  return writeOutput("-", listOps(source));
}
