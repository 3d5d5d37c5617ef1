//===- CheckReference.cpp - Comparing with the reference ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a result do not depend on each other, so the reference computes
// the same program for some of the rows. For a convolution these are images as
// high as the window, into which padding above and below was copied as zeros.
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
  int64_t all = shape.rows();
  int64_t perRow = int64_t(shape.operations() / 2) / all;
  int64_t count = std::max<int64_t>(kProducts / perRow, 2 * kEdge);
  std::vector<int64_t> rows;
  if (count >= all) {
    for (int64_t row = 0; row < all; ++row)
      rows.push_back(row);
    return rows;
  }
  for (int64_t i = 0; i < kEdge; ++i) {
    rows.push_back(i);
    rows.push_back(all - 1 - i);
  }
  for (int64_t i = 2 * kEdge; i < count; ++i)
    rows.push_back(randomBits(Problem::kSeed, 0, i) % uint64_t(all));
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
  return rows;
}

/// The rows of the left operand that these rows of the result are computed of.
static std::vector<int64_t> inputRows(const Shape &shape,
                                      llvm::ArrayRef<int64_t> rows) {
  const ConvolutionShape *conv = shape.convolution();
  if (!conv)
    return rows;
  std::vector<int64_t> result;
  for (int64_t row : rows) {
    int64_t image = row / conv->resultHeight();
    int64_t first = row % conv->resultHeight() * conv->stride - conv->top;
    for (int64_t y = first; y < first + conv->windowHeight(); ++y)
      result.push_back(y < 0 || y >= conv->h ? -1 : image * conv->h + y);
  }
  return result;
}

/// Some rows of a tensor that has `allRows` of them in each of
/// `batches`, as a tensor of `shape`. A row -1 is one of zeros.
static llvm::Expected<reference::TensorValue>
gather(const HostTensor &from, int64_t batches, int64_t allRows,
       llvm::ArrayRef<int64_t> rows, const std::vector<int64_t> &shape) {
  rt::DType type = from.dtype();
  auto value = reference::TensorValue::allocate(
      {static_cast<reference::TypeCode>(type.code), type.bits}, shape);
  if (!value.bytes)
    return llvm::createStringError("not enough memory for the check");
  int64_t rowBytes = int64_t(from.numBytes()) / (batches * allRows);
  uint8_t *out = value.bytes.get();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t row : rows) {
      if (row < 0)
        memset(out, 0, rowBytes);
      else
        memcpy(out, from.as<uint8_t>() + (b * allRows + row) * rowBytes,
               rowBytes);
      out += rowBytes;
    }
  return std::move(value);
}

/// "row 3, column 5" of a matrix, "image 0, row 3, column 5, channel 7" of an
/// image; `offset` counts the elements of one row.
static std::string placeOf(const Shape &shape, int64_t row, int64_t offset) {
  int64_t n = shape.columns();
  const ConvolutionShape *conv = shape.convolution();
  if (!conv)
    return llvm::formatv("row {0}, column {1}", row, offset);
  int64_t height = conv->resultHeight();
  return llvm::formatv("image {0}, row {1}, column {2}, channel {3}",
                       row / height, row % height, offset / n, offset % n);
}

static llvm::Error compare(const Problem &problem,
                           const reference::TensorValue &expected,
                           llvm::ArrayRef<int64_t> rows) {
  const Shape &shape = problem.shape;
  auto found = gather(problem.result, shape.batches(), shape.rows(), rows,
                      shape.withRows(rows.size()).resultShape());
  if (!found)
    return found.takeError();
  int64_t differing = 0, first = -1, count = expected.elementCount();
  int64_t size = problem.activationType().bits / 8;
  for (int64_t i = 0; i < count; ++i)
    if (memcmp(found->bytes.get() + i * size, expected.bytes.get() + i * size,
               size) != 0)
      first = differing++ ? first : i;
  if (!differing)
    return llvm::Error::success();
  int64_t rowSize = count / (shape.batches() * int64_t(rows.size()));
  int64_t row = rows[first / rowSize % int64_t(rows.size())];
  auto value = [&](const reference::TensorValue &tensor) {
    const uint8_t *element = tensor.bytes.get() + first * size;
    if (!problem.isOfFloats())
      return std::to_string(problem.isUnsigned() ? int(*element)
                                                 : int(int8_t(*element)));
    float real = 0;
    memcpy(&real, element, sizeof(real));
    return llvm::formatv("{0:e8}", real).str();
  };
  return llvm::createStringError(llvm::formatv(
      "wrong numbers: {0} of {1} elements differ from the reference, the first "
      "at {2}: {3} instead of {4}; this is a bug of qcc",
      differing, count, placeOf(shape, row, first % rowSize), value(*found),
      value(expected)));
}

/// The inputs of the program of `part`, which computes these rows.
static llvm::Error gatherInputs(const Problem &problem, const Shape &part,
                                llvm::ArrayRef<int64_t> rows,
                                std::vector<reference::TensorValue> &inputs) {
  const Shape &shape = problem.shape;
  int64_t allRows = shape.rows();
  if (const ConvolutionShape *conv = shape.convolution())
    allRows = conv->n * conv->h;
  auto lhs = gather(problem.lhs, shape.batches(), allRows,
                    inputRows(shape, rows), part.lhsShape());
  if (!lhs)
    return lhs.takeError();
  inputs.push_back(std::move(*lhs));
  if (shape.hasWeights())
    return llvm::Error::success();
  auto rhs = gather(problem.rhs, shape.batches(), 1, {0}, part.rhsShape());
  if (!rhs)
    return rhs.takeError();
  inputs.push_back(std::move(*rhs));
  return llvm::Error::success();
}

llvm::Error bench::checkAgainstReference(const Problem &problem) {
  std::vector<int64_t> rows = sampleRows(problem.shape);
  Shape part = problem.shape.withRows(rows.size());
  return withProgram(
      problem.program(part), [&](mlir::ModuleOp module) -> llvm::Error {
        auto entry = module.lookupSymbol<mlir::func::FuncOp>("f");
        std::vector<reference::TensorValue> inputs;
        if (llvm::Error error = gatherInputs(problem, part, rows, inputs))
          return error;
        llvm::SmallVector<reference::TensorValue> results;
        if (llvm::Error error =
                reference::Interpreter(1).run(entry, inputs, results))
          return error;
        return compare(problem, results.front(), rows);
      });
}
