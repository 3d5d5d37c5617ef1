//===- Nodes.h - The nodes of graphs, branches and functions ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_NODES_H
#define QCC_LIB_FRONTEND_ONNX_NODES_H

#include "ModelConstants.h"
#include "NodeImporter.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <map>

namespace qcc::onnx {

/// The meaning of names in a graph, in a branch of a node, or in a call of a
/// function.
struct Scope {
  /// Of a branch: the graph around it, whose values it sees.
  Scope *outer = nullptr;
  /// Of a call: the function, and the node that has its attributes.
  const LocalFunction *function = nullptr;
  const Node *call = nullptr;
  /// The operator set of the default domain.
  int64_t operatorSet = 0;
  /// The names of the calls around the nodes, which precede the nodes' names.
  std::string prefix;
  unsigned depth = 0;
  /// False in a branch that data choose, since its results may be discarded.
  bool isChosen = true;
  llvm::StringMap<GraphValue> values;
  /// Inputs of a function that its call leaves out.
  llvm::StringSet<> absent;
  /// Outputs of refused nodes.
  llvm::StringSet<> missing;

  /// Null for a name that stands for nothing.
  GraphValue *find(std::string_view name);
  bool isMissing(std::string_view name) const;
  bool isAbsent(std::string_view name) const;
};

class Nodes {
public:
  Nodes(const Model &model, ModelConstants &constants, mlir::OpBuilder &builder,
        mlir::Location place);

  /// Refuses ops that are not supported, all of them at once, and calls that
  /// do not end.
  mlir::LogicalResult verify(const std::vector<Node> &nodes,
                             const Scope &scope);
  mlir::LogicalResult addConstants(const Graph &graph, Scope &scope);
  /// False if a node was refused.
  bool import(const std::vector<Node> &nodes, Scope &scope);
  /// An importer that makes values at `loc` without a node of the model.
  NodeImporter importerAt(mlir::Location loc);
  /// See findChannelBlock.
  int64_t channelBlock = 0;

private:
  /// Ops that are not supported: the nodes that have them, and a remedy.
  struct Refusal {
    llvm::SmallVector<std::string> nodes;
    std::string remedy;
  };
  using Refused = std::map<std::string, Refusal>;
  struct Check;

  mlir::LogicalResult importNode(const Node &node, Scope &scope);
  /// The values that a node reads, null for those that are left out; refuses a
  /// name that stands for nothing.
  mlir::FailureOr<llvm::SmallVector<GraphValue *>>
  findInputs(const Node &node, mlir::Location loc, Scope &scope);
  /// Replaces inputs of float16 or bfloat16 by their values in float32, which
  /// `wide` owns. Returns the replaced type, or null. A contraction of two
  /// results of DequantizeLinear reads them before they are rounded, so that
  /// the contraction is computed on integers.
  mlir::Type widen(const Node &node, llvm::MutableArrayRef<GraphValue *> inputs,
                   mlir::Location loc, std::deque<GraphValue> &wide);
  mlir::LogicalResult importCall(const Node &call,
                                 const LocalFunction &function,
                                 llvm::ArrayRef<GraphValue *> inputs,
                                 mlir::Location loc, Scope &scope);
  mlir::FailureOr<llvm::SmallVector<GraphValue>>
  importBranch(const Graph &graph, llvm::ArrayRef<GraphValue> arguments,
               Scope &outer, bool isChosen);
  mlir::LogicalResult setOutput(std::string_view name, GraphValue value,
                                mlir::Location loc, Scope &scope);
  const LocalFunction *findFunction(const Node &node) const;

  ModelConstants &constants;
  mlir::OpBuilder &builder;
  mlir::Location place;
  SizeArithmetic sizes;
  /// By domain, name and overload.
  std::map<std::array<std::string_view, 3>, const LocalFunction *> functions;
  /// Nodes of functions that were imported.
  size_t expanded = 0;
};

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_NODES_H
