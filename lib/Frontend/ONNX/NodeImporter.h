//===- NodeImporter.h - A node on its way into MLIR -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that imports an op gets a NodeImporter: the inputs and attributes
// of the node, a builder at the node's location, and slots for results. Each op
// has one function, which Ops.h declares.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_NODEIMPORTER_H
#define QCC_LIB_FRONTEND_ONNX_NODEIMPORTER_H

#include "../Builder/GraphBuilder.h"
#include "qcc/ONNXModel/Model.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace qcc::onnx {

using namespace frontend;

/// Reads constants of the model.
class ModelConstants;

class NodeImporter : public GraphBuilder {
public:
  NodeImporter(const Node &node, int64_t since, mlir::OpBuilder &builder,
               mlir::Location loc, llvm::ArrayRef<GraphValue *> inputs,
               ModelConstants &constants, SizeArithmetic &sizes);
  /// For a node that `whole` is composed of, which is not in the model.
  NodeImporter(NodeImporter &whole, const Node &node, int64_t since,
               llvm::ArrayRef<GraphValue *> inputs)
      : GraphBuilder(whole), node(node), since(since), whole(&whole),
        inputs(inputs), constants(whole.constants),
        results(node.outputs.size()) {}

  const Node &node;
  /// The version of the operator set in which the op got its meaning.
  const int64_t since;
  /// Imports the graph of an attribute with values for its inputs, and returns
  /// its outputs. `isChosen` is false if data decide whether they are used.
  std::function<mlir::FailureOr<llvm::SmallVector<GraphValue>>(
      const Graph &, llvm::ArrayRef<GraphValue> arguments, bool isChosen)>
      importBranch;
  /// The value that a name of the graph stands for, or null.
  std::function<GraphValue *(std::string_view)> lookup;
  /// False in a branch that data choose, since its results may be discarded.
  bool isChosen = true;
  /// See findChannelBlock.
  int64_t channelBlock = 0;

  llvm::StringRef op() const { return {node.op.data(), node.op.size()}; }

  /// A refusal of this node: `return n.refuse() << "reason; remedy"`.
  mlir::InFlightDiagnostic refuse() override;
  /// A warning about this node: `n.warn() << "difference; remedy"`.
  mlir::InFlightDiagnostic warn();

  // Inputs

  unsigned numInputs() const { return inputs.size(); }
  /// Whether an optional input is there.
  bool has(unsigned i) const { return i < inputs.size() && inputs[i]; }
  GraphValue &in(unsigned i) { return *inputs[i]; }
  /// An input as a tensor.
  mlir::Value value(unsigned i) { return tensor(*inputs[i]); }
  /// The integers of an input of int64 or int32. Refuses unknown integers, in
  /// a message that calls the input `what`.
  mlir::FailureOr<llvm::SmallVector<mlir::OpFoldResult>>
  integers(unsigned i, llvm::StringRef what);
  /// The same; also refuses integers that are not constant.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  constantIntegers(unsigned i, llvm::StringRef what);
  /// The elements of a constant of float32; refuses other inputs.
  mlir::FailureOr<llvm::SmallVector<float>>
  constantFloats(unsigned i, llvm::StringRef what);

  // Attributes

  const NodeAttribute *find(llvm::StringRef name) const;
  int64_t getInt(llvm::StringRef name, int64_t absent) const;
  float getFloat(llvm::StringRef name, float absent) const;
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef absent) const;
  /// Empty where the attribute is absent.
  llvm::ArrayRef<int64_t> getInts(llvm::StringRef name) const;
  /// The integers of an attribute, or `count` times `absent` without it.
  /// Refuses another number of integers than `count`.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  getInts(llvm::StringRef name, size_t count, int64_t absent);
  /// The dimension that `axis` names; a negative one counts from the end.
  /// Refuses an axis that a value of `rank` dimensions does not have.
  mlir::FailureOr<int64_t> dimension(int64_t axis, int64_t rank);
  mlir::FailureOr<int64_t> axis(int64_t absent, int64_t rank) {
    return dimension(getInt("axis", absent), rank);
  }
  /// Refuses a value of an attribute other than the one given.
  mlir::LogicalResult requireInt(llvm::StringRef name, int64_t value);

  // Results

  /// Sets output `i`, if the node has it.
  mlir::LogicalResult set(unsigned i, GraphValue value);
  mlir::LogicalResult set(unsigned i, mlir::Value value, const Shape &shape);
  /// Whether anything may read output `i`.
  bool hasOutput(unsigned i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }
  llvm::MutableArrayRef<std::optional<GraphValue>> outputs() { return results; }
  /// A constant of the node, such as Constant has.
  mlir::FailureOr<GraphValue> makeConstant(const Tensor &tensor);

private:
  /// The importer of a node of the model.
  const NodeImporter &outermost() const;
  /// Begins a message with the names of the node and of its op.
  mlir::InFlightDiagnostic begin(mlir::InFlightDiagnostic diagnostic) const;

  const NodeImporter *whole = nullptr;
  llvm::SmallVector<GraphValue *> inputs;
  ModelConstants &constants;
  llvm::SmallVector<std::optional<GraphValue>> results;
};

/// The type of functions that import an op.
using OpImporter = mlir::LogicalResult (*)(NodeImporter &);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_NODEIMPORTER_H
