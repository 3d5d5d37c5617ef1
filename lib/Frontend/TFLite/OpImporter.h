//===- OpImporter.h - An op of TensorFlow Lite, imported --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that imports an op gets an OpImporter: the operands and options of
// the op, a builder at its location, and slots for results. Each op has one
// function, which Ops.h declares.
//
// A value of uint8 is an `i8` here, less 128: its order and its differences
// from the zero point stay what they are, so uint8 and int8 share all code.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_OPIMPORTER_H
#define QCC_LIB_FRONTEND_TFLITE_OPIMPORTER_H

#include "../Builder/Emit.h"
#include "Model.h"
#include "llvm/ADT/MapVector.h"

namespace qcc::tflite {

using namespace frontend;
using mlir::failed;
using mlir::failure;
using mlir::LogicalResult;
using mlir::StringRef;
using mlir::succeeded;
using mlir::success;
using mlir::Type;

using Values = SmallVector<GraphValue>;

/// The most that a model may give for a size, since its own have 32 bits.
inline constexpr int64_t kMostSize = (int64_t(1) << 31) - 1;

/// The type that elements have in a GraphValue; null if they are not supported.
Type elementType(fb::TensorType type, mlir::MLIRContext *context);

/// real = scale * (stored - zeroPoint), of the integers that a GraphValue has.
struct Affine {
  float scale;
  int32_t zeroPoint;
};

/// What a model keeps from one call to the next, by its name.
struct Variable {
  /// The value that was written last; before it is read or written, that of
  /// the argument of the entry.
  GraphValue value;
  /// The value before the first call.
  GraphValue initial;
};
using Variables = llvm::MapVector<StringRef, Variable>;

/// What imports a graph of the model.
class GraphImporter {
public:
  /// From where a graph is imported.
  enum class Role { Entry, Loop, Branch, Initializer };

  virtual ~GraphImporter() = default;
  /// The outputs of a graph for values of its inputs.
  virtual FailureOr<Values> importGraph(int64_t graph,
                                        ArrayRef<GraphValue> inputs, Role role,
                                        class OpImporter &from) = 0;
  /// The name of the variable that a tensor of the graph at hand stands for;
  /// empty if it stands for none.
  virtual StringRef variableOf(int32_t tensor) = 0;
  virtual void setVariable(int32_t tensor, StringRef name) = 0;
  /// The variable, which becomes an argument of the entry with the type of
  /// `tensor` when it is asked for first.
  virtual FailureOr<Variable *> findVariable(StringRef name,
                                             const TensorInfo &tensor,
                                             class OpImporter &from) = 0;
  virtual Role role() const = 0;
  /// Whether products of stored integers are rounded once, as XNNPACK does.
  virtual bool roundsOnce() const = 0;
};

class OpImporter : public GraphBuilder {
public:
  OpImporter(const Model &model, const Graph &graph, const OpInfo &op,
             StringRef name, mlir::OpBuilder &builder, mlir::Location loc,
             ArrayRef<GraphValue *> operands, Constants &constants,
             SizeArithmetic &sizes, GraphImporter &importer);

  const OpInfo &op;
  /// "CONV_2D"
  const StringRef name;
  GraphImporter &importer;

  mlir::InFlightDiagnostic refuse() override;

  // Operands

  unsigned numInputs() const { return operands.size(); }
  /// Whether the op has operand `i`, which may be left out.
  bool has(unsigned i) const { return i < operands.size() && operands[i]; }
  GraphValue &in(unsigned i) { return *operands[i]; }
  const TensorInfo &info(unsigned i) const {
    return graph.tensors[op.inputs[i]];
  }
  Value value(unsigned i) { return tensor(in(i)); }
  /// The integers of an operand, which must be known when the model is imported
  /// or come from sizes; a message calls them `what`.
  FailureOr<SmallVector<OpFoldResult>> integers(unsigned i, StringRef what);
  /// The same; sizes are refused.
  FailureOr<SmallVector<int64_t>> constants(unsigned i, StringRef what);
  /// `axis` counted from the front, for a value of `rank`; refuses others.
  FailureOr<int64_t> axisOf(int64_t axis, int64_t rank);

  // Quantization

  bool isQuantized(unsigned i) const { return !info(i).scales.empty(); }
  /// The parameters of a tensor that has one scale.
  FailureOr<Affine> affine(const TensorInfo &tensor);
  FailureOr<Affine> affine(unsigned i) { return affine(info(i)); }
  FailureOr<Affine> resultAffine() { return affine(result()); }

  // Options

  /// The options, or all defaults of them without any; null if they are
  /// damaged or of another op, which is reported.
  template <typename Table> const Table *options(fb::OptionsType type);

  // Results

  unsigned numResults() const { return op.outputs.size(); }
  const TensorInfo &result(unsigned i = 0) const {
    return graph.tensors[op.outputs[i]];
  }
  Type resultElement(unsigned i = 0) const {
    return elementType(result(i).type, b.getContext());
  }
  /// Sets result `i`. Refuses a value of another type than the model declares.
  LogicalResult set(unsigned i, GraphValue value);
  LogicalResult set(GraphValue value) { return set(0, std::move(value)); }
  ArrayRef<GraphValue> results() const { return values; }

  const Model &model;
  const Graph &graph;

private:
  LogicalResult refuseOptions();

  SmallVector<GraphValue *> operands;
  Values values;
};

template <typename Table>
const Table *OpImporter::options(fb::OptionsType type) {
  // A table without fields, behind its vtable.
  alignas(8) static constexpr uint8_t empty[] = {4, 0, 4, 0, 4, 0, 0, 0};
  if (!op.table->options())
    return reinterpret_cast<const Table *>(empty + 4);
  auto *table = reinterpret_cast<const Table *>(op.table->options());
  if (op.table->options_type() == type && isInside(model, table))
    return table;
  (void)refuseOptions();
  return nullptr;
}

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_OPIMPORTER_H
