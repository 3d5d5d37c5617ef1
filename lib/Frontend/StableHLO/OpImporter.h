//===- OpImporter.h - An op of StableHLO on its way into linalg -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that imports an op gets an OpImporter: the operands, attributes
// and regions of the op, a builder at its location, and slots for results. Each
// op has one function, which Ops.h declares.
//
// Elements are signless here, as linalg has them: `ui8` of StableHLO is `i8` in
// a GraphValue. The types of the op itself tell what is unsigned.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPIMPORTER_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPIMPORTER_H

#include "../Builder/Emit.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace qcc::stablehlo {

using namespace frontend;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::StringRef;
using mlir::succeeded;
using mlir::success;
using mlir::Type;

using Values = SmallVector<GraphValue>;

bool isUnsigned(Type type);
/// The text of an attribute such as #stablehlo<comparison_direction EQ> behind
/// its first word; empty without the attribute.
StringRef wordOf(Operation *op, StringRef name);

class OpImporter : public GraphBuilder {
public:
  OpImporter(Operation *op, mlir::OpBuilder &builder,
             ArrayRef<GraphValue *> operands, Constants &constants,
             SizeArithmetic &sizes);

  Operation *const op;
  /// Imports a region of the op with values for the arguments of its block, and
  /// returns what the block returns.
  std::function<FailureOr<Values>(mlir::Region &, ArrayRef<GraphValue>)>
      importRegion;
  /// The value that a value of the program stands for.
  std::function<GraphValue *(Value)> lookup;
  /// Imports a function of the program with values for its arguments.
  std::function<FailureOr<Values>(StringRef, ArrayRef<GraphValue>)> importCall;

  mlir::InFlightDiagnostic refuse() override;

  // Operands

  unsigned numOperands() const { return operands.size(); }
  GraphValue &in(unsigned i) { return *operands[i]; }
  Value value(unsigned i) { return tensor(in(i)); }
  /// The element types that the op declares.
  Type elementOf(unsigned i) const;
  Type resultElement(unsigned i = 0) const;
  /// The integers of an operand, which must be known when the program is
  /// imported or come from sizes; a message calls them `what`.
  FailureOr<SmallVector<OpFoldResult>> integers(unsigned i, StringRef what);

  // Attributes

  bool has(StringRef name) const {
    return static_cast<bool>(op->getAttr(name));
  }
  /// Refuse attributes of another type.
  FailureOr<int64_t> integer(StringRef name, int64_t absent);
  /// The elements of an array or a dense attribute, or `count` times `absent`
  /// without it. Refuses another number of elements than `count`.
  FailureOr<SmallVector<int64_t>> ints(StringRef name, size_t count,
                                       int64_t absent);
  /// The same of any number of elements; empty without the attribute.
  FailureOr<SmallVector<int64_t>> ints(StringRef name);
  /// Dimensions: like ints, each from 0 to `rank` - 1 and none twice.
  FailureOr<SmallVector<int64_t>> dimensions(StringRef name, int64_t rank);
  /// The lists and numbers of an attribute such as #stablehlo.dot<...>.
  FailureOr<llvm::StringMap<SmallVector<int64_t>>> fields(StringRef name);

  // Results

  /// Sets result `i`. Refuses a value of another type than the op declares.
  LogicalResult set(unsigned i, GraphValue value);
  LogicalResult set(GraphValue value) { return set(0, std::move(value)); }
  ArrayRef<GraphValue> results() const { return values; }

  /// The sizes of result `i`: those of its type, and `computed` where they are
  /// not known. Refuses what does not agree.
  FailureOr<Shape> declared(unsigned i, const Shape &computed);

private:
  SmallVector<GraphValue *> operands;
  Values values;
};

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPIMPORTER_H
