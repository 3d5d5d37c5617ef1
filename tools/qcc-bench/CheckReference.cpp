//===- CheckReference.cpp - Comparing with the reference ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a product do not depend on each other, so the reference computes
// the same program for some of the rows.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace qcc;
using namespace qcc::bench;

/// The first and the last rows, where tiles begin and end, and some between:
/// as many as the interpreter does in about a tenth of a second.
static std::vector<int64_t> sampleRows(const Shape &shape) {
  constexpr int64_t kProducts = 64 << 20, kEdge = 8;
  int64_t perRow = shape.batches() * shape.n * shape.k;
  int64_t count = std::max<int64_t>(kProducts / perRow, 2 * kEdge);
  std::vector<int64_t> rows;
  if (count >= shape.m) {
    for (int64_t row = 0; row < shape.m; ++row)
      rows.push_back(row);
    return rows;
  }
  for (int64_t i = 0; i < kEdge; ++i) {
    rows.push_back(i);
    rows.push_back(shape.m - 1 - i);
  }
  for (int64_t i = 2 * kEdge; i < count; ++i)
    rows.push_back(randomBits(Problem::kSeed, 0, i) % uint64_t(shape.m));
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
  return rows;
}

static reference::TensorValue gather(const HostTensor &from, int64_t batches,
                                     llvm::ArrayRef<int64_t> rows) {
  rt::DType type = from.dtype();
  std::vector<int64_t> shape = from.shape();
  int64_t allRows = shape[shape.size() - 2], rowBytes = shape.back();
  shape[shape.size() - 2] = rows.size();
  auto value = reference::TensorValue::allocate(
      {static_cast<reference::TypeCode>(type.code), type.bits}, shape);
  if (!value.bytes)
    return value;
  uint8_t *out = value.bytes.get();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t row : rows) {
      memcpy(out, from.as<uint8_t>() + (b * allRows + row) * rowBytes,
             rowBytes);
      out += rowBytes;
    }
  return value;
}

static llvm::Error compare(const Problem &problem,
                           const reference::TensorValue &expected,
                           llvm::ArrayRef<int64_t> rows) {
  reference::TensorValue found =
      gather(problem.result, problem.shape.batches(), rows);
  if (!found.bytes)
    return llvm::createStringError("not enough memory for the check");
  int64_t differing = 0, first = -1, n = problem.shape.n;
  int64_t count = expected.elementCount();
  for (int64_t i = 0; i < count; ++i)
    if (found.bytes.get()[i] != expected.bytes.get()[i]) {
      first = differing++ ? first : i;
    }
  if (!differing)
    return llvm::Error::success();
  int64_t row = first / n % int64_t(rows.size());
  auto value = [&](const reference::TensorValue &tensor) {
    uint8_t byte = tensor.bytes.get()[first];
    return problem.isUnsigned ? int(byte) : int(int8_t(byte));
  };
  return llvm::createStringError(llvm::formatv(
      "wrong numbers: {0} of {1} elements differ from the reference, the first "
      "at row {2}, column {3}: {4} instead of {5}; this is a bug of qcc",
      differing, count, rows[row], first % n, value(found), value(expected)));
}

llvm::Error bench::checkAgainstReference(const Problem &problem) {
  std::vector<int64_t> rows = sampleRows(problem.shape);
  return withProgram(
      problem.program(rows.size()), [&](mlir::ModuleOp module) -> llvm::Error {
        auto entry = module.lookupSymbol<mlir::func::FuncOp>("f");
        std::vector<reference::TensorValue> inputs;
        inputs.push_back(gather(problem.lhs, problem.shape.batches(), rows));
        if (problem.shape.batch) {
          const HostTensor &rhs = problem.rhs;
          std::vector<int64_t> all(rhs.shape()[1]);
          for (auto [i, row] : llvm::enumerate(all))
            row = i;
          inputs.push_back(gather(rhs, problem.shape.batch, all));
        }
        for (const reference::TensorValue &input : inputs)
          if (!input.bytes)
            return llvm::createStringError(
                "not enough memory for the reference");
        llvm::SmallVector<reference::TensorValue> results;
        if (llvm::Error error =
                reference::Interpreter(1).run(entry, inputs, results))
          return error;
        return compare(problem, results.front(), rows);
      });
}
