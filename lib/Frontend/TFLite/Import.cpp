//===- Import.cpp - Programs from models of TensorFlow Lite ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/TFLite/Import.h"
#include "Codes.h"
#include "ModelConstants.h"
#include "OpTable.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Support/InputLimits.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

/// Graphs inside of graphs.
static constexpr unsigned kMaxDepth = 32;

namespace {
/// What is known of a graph while it is imported.
struct Scope {
  explicit Scope(const Graph &graph, GraphImporter::Role role)
      : graph(graph), role(role), values(graph.tensors.size()) {}

  const Graph &graph;
  GraphImporter::Role role;
  std::vector<std::optional<GraphValue>> values;
  llvm::DenseMap<int32_t, StringRef> variables;
};

class ModelImporter : public GraphImporter {
public:
  ModelImporter(const Model &model, StringRef file,
                const ImportOptions &options, MLIRContext *context)
      : model(model), fixed(options.fixed), rounding(options.tfliteRounding),
        builder(context), place(FileLineColLoc::get(context, file, 0, 0)) {}

  OwningOpRef<ModuleOp> run();

  FailureOr<Values> importGraph(int64_t graph, ArrayRef<GraphValue> inputs,
                                Role role, OpImporter &from) override;
  StringRef variableOf(int32_t tensor) override {
    return scope->variables.lookup(tensor);
  }
  void setVariable(int32_t tensor, StringRef name) override {
    scope->variables[tensor] = name;
  }
  FailureOr<Variable *> findVariable(StringRef name, const TensorInfo &tensor,
                                     OpImporter &from) override;
  Role role() const override { return scope->role; }
  bool roundsOnce() const override {
    return rounding == TFLiteRounding::XNNPACK;
  }

private:
  LogicalResult verifyFixed();
  LogicalResult addInputs();
  LogicalResult importOps();
  LogicalResult importOp(const OpInfo &op);
  FailureOr<GraphValue *> findOperand(const OpInfo &op, unsigned i,
                                      OpImporter &n, const OpRow &row);
  LogicalResult finish();
  void addInitialState(ModuleOp module);
  GraphValue addArgument(const TensorInfo &tensor, ArrayRef<int64_t> shape,
                         StringRef name);
  FailureOr<Value> toResult(const TensorInfo &tensor, GraphValue value,
                            ProgramBuilder &n);
  Location locationOf(StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), place);
  }
  InFlightDiagnostic refuse() { return emitError(place); }

  const Model &model;
  const FixedInputs &fixed;
  TFLiteRounding rounding;
  OpBuilder builder;
  Location place;
  func::FuncOp function;
  Constants constants;
  SizeArithmetic sizes;
  Scope *scope = nullptr;
  unsigned depth = 0;
  uint64_t ops = 0;
  Variables variables;
  /// The tensors whose types the variables have.
  llvm::MapVector<StringRef, const TensorInfo *> variableTypes;
  llvm::StringSet<> argumentNames;
};
} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// uint8 is less by 128 in a GraphValue.
static GraphValue moveByte(ProgramBuilder &n, GraphValue &bits) {
  return *elementwise(n, {&bits}, bits.element,
                      [](Scalars &s, ValueRange x) -> Value {
                        return arith::XOrIOp::create(
                            s.b, s.loc, x[0], s.constant(x[0].getType(), -128));
                      });
}

/// The argument of a tensor, with a name of its own.
GraphValue ModelImporter::addArgument(const TensorInfo &tensor,
                                      ArrayRef<int64_t> shape, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  bool isByte = tensor.type == fb::TensorType_UInt8;
  Type element = isByte ? builder.getIntegerType(8, /*isSigned=*/false)
                        : elementType(tensor.type, builder.getContext());
  Location loc = !name.empty() && argumentNames.insert(name).second
                     ? locationOf(name)
                     : place;
  SmallVector<int64_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(size < 0 ? ShapedType::kDynamic : size);
  Block &body = function.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value argument = body.addArgument(RankedTensorType::get(sizes, element), loc);
  GraphValue value = toGraphValue(builder, argument);
  if (!isByte)
    return value;
  ProgramBuilder n(builder, loc, constants, this->sizes);
  GraphValue bits = *bitsOfBytes(n, value);
  return moveByte(n, bits);
}

/// Only shapes of inputs can be fixed.
LogicalResult ModelImporter::verifyFixed() {
  if (!fixed.dims.empty())
    return refuse() << "the dimension '" << fixed.dims.begin()->first
                    << "' has a size given to it, but dimensions of a TFLite "
                       "model have no names; give the input a shape";
  if (!fixed.constants.empty())
    return refuse() << "the input '" << fixed.constants.begin()->first
                    << "' has a value given to it, which only an ONNX model "
                       "can have; give it to the program when it runs";
  for (auto &[name, shape] : fixed.shapes) {
    const Graph &graph = model.graphs.front();
    auto *found = llvm::find_if(
        graph.inputs, [&](int32_t i) { return graph.tensors[i].name == name; });
    if (found == graph.inputs.end())
      return refuse() << "there is no input '" << name
                      << "' for which a shape is given; qcc explain names the "
                         "inputs";
    if (shape.size() != graph.tensors[*found].shape.size())
      return refuse() << "the input '" << name << "' has "
                      << graph.tensors[*found].shape.size()
                      << " dimensions; the shape that is given has "
                      << shape.size();
  }
  return success();
}

LogicalResult ModelImporter::addInputs() {
  const Graph &graph = scope->graph;
  for (int32_t i : graph.inputs) {
    const TensorInfo &tensor = graph.tensors[i];
    if (!elementType(tensor.type, builder.getContext()) ||
        tensor.type == fb::TensorType_Int4)
      return refuse() << "the input '" << tensor.name << "' has elements of "
                      << typeName(tensor.type)
                      << ", which are not supported; use float32, int32 or "
                         "int8";
    auto given = fixed.shapes.find(tensor.name.str());
    ArrayRef<int64_t> shape = tensor.shape;
    if (given != fixed.shapes.end())
      shape = given->second;
    if (tensor.isVariable)
      return refuse() << "the input '" << tensor.name
                      << "' is a variable, which is not supported; convert the "
                         "model with resource variables";
    scope->values[i] = addArgument(tensor, shape, tensor.name);
  }
  return success();
}

FailureOr<Variable *> ModelImporter::findVariable(StringRef name,
                                                  const TensorInfo &tensor,
                                                  OpImporter &from) {
  auto found = variables.find(name);
  if (found != variables.end())
    return &found->second;
  if (!elementType(tensor.type, builder.getContext()) ||
      llvm::is_contained(tensor.shape, -1) ||
      tensor.type == fb::TensorType_Int4)
    return from.refuse() << "has a variable '" << name << "' of "
                         << typeName(tensor.type)
                         << " or of dynamic sizes, which is not supported; use "
                            "constant sizes and float32 or int8";
  Variable variable;
  variable.value = addArgument(tensor, tensor.shape, name);
  variableTypes[name] = &tensor;
  // Zeros, unless the model says otherwise.
  auto type = RankedTensorType::get(tensor.shape, variable.value.element);
  double zero = tensor.type == fb::TensorType_UInt8 ? -128 : 0;
  Attribute element =
      isa<FloatType>(type.getElementType())
          ? Attribute(builder.getFloatAttr(type.getElementType(), 0))
          : builder.getIntegerAttr(type.getElementType(),
                                   static_cast<int64_t>(zero));
  variable.initial =
      Constants::toValue(builder, DenseElementsAttr::get(type, element));
  return &(variables[name] = std::move(variable));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Operand `i` of an op; null for one that is left out, and for a variable.
FailureOr<GraphValue *> ModelImporter::findOperand(const OpInfo &op, unsigned i,
                                                   OpImporter &n,
                                                   const OpRow &row) {
  int32_t index = op.inputs[i];
  if (index < 0)
    return nullptr;
  const TensorInfo &tensor = scope->graph.tensors[index];
  std::optional<GraphValue> &value = scope->values[index];
  if (value)
    return &*value;
  bool takesVariable = i == 0 && StringRef(row.elements).contains('r');
  if (tensor.type == fb::TensorType_Resource && takesVariable)
    return nullptr;
  bool isEmpty = llvm::is_contained(tensor.shape, 0);
  if (!tensor.isConstant && !isEmpty)
    return n.refuse() << "reads tensor '" << tensor.name
                      << "', which nothing computes"
                      << (tensor.isVariable
                              ? "; variables of this kind are not supported"
                              : "; correct the model");
  rt::Result<GraphValue> constant = makeConstantValue(builder, tensor);
  if (!constant.isOk())
    return n.refuse() << "reads a " << constant.message();
  value = *std::move(constant);
  return &*value;
}

LogicalResult ModelImporter::importOp(const OpInfo &op) {
  std::string name = opName(op);
  StringRef output = op.outputs.empty()
                         ? StringRef()
                         : scope->graph.tensors[op.outputs[0]].name;
  Location loc = locationOf(output.empty() ? StringRef(name) : output);
  OpImporter unknown(model, scope->graph, op, name, builder, loc, {}, constants,
                     sizes, *this);
  if (++ops > limits::kOperations)
    return unknown.refuse() << "is one of more than " << limits::kOperations
                            << " ops, which is not supported; split the model";
  const OpRow *row = findOp(op.code);
  if (op.code == kCustom)
    return unknown.refuse()
           << "'" << op.customName
           << "' is a custom op, which is not supported; write "
              "it in terms of others";
  if (!row)
    return unknown.refuse() << "is not supported; qcc ops --tflite lists those "
                               "that are: write it in terms of them";
  SmallVector<GraphValue *> operands;
  for (unsigned i = 0; i < op.inputs.size(); ++i) {
    auto operand = findOperand(op, i, unknown, *row);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  OpImporter n(model, scope->graph, op, name, builder, loc, operands, constants,
               sizes, *this);
  if (failed(verifyOp(n, *row)) || failed(row->import(n)))
    return failure();
  for (auto [i, value] : llvm::zip_equal(op.outputs, n.results()))
    if (value.element)
      scope->values[i] = value;
  return success();
}

LogicalResult ModelImporter::importOps() {
  for (const OpInfo &op : scope->graph.ops)
    if (failed(importOp(op)))
      return failure();
  return success();
}

FailureOr<Values> ModelImporter::importGraph(int64_t index,
                                             ArrayRef<GraphValue> inputs,
                                             Role role, OpImporter &from) {
  if (index < 0 || index >= static_cast<int64_t>(model.graphs.size()))
    return from.refuse() << "names graph " << index
                         << ", which does not exist; correct the model";
  if (depth >= kMaxDepth)
    return from.refuse() << "has more than " << kMaxDepth
                         << " graphs inside of one another, which is not "
                            "supported; models have no recursion";
  const Graph &graph = model.graphs[index];
  if (graph.inputs.size() != inputs.size())
    return from.refuse() << "gives " << inputs.size() << " values to a graph "
                         << "of " << graph.inputs.size()
                         << " inputs; correct the model";
  Scope inner(graph, role == Role::Loop && scope->role == Role::Branch
                         ? Role::Branch
                         : role);
  for (auto [i, value] : llvm::zip_equal(graph.inputs, inputs)) {
    if (elementType(graph.tensors[i].type, builder.getContext()) !=
        value.element)
      return from.refuse() << "gives a graph a value of "
                           << elementName(value.element) << " where it takes "
                           << typeName(graph.tensors[i].type)
                           << "; correct the model";
    inner.values[i] = value;
  }
  Scope *outer = std::exchange(scope, &inner);
  ++depth;
  LogicalResult done = importOps();
  Values results;
  for (int32_t i : graph.outputs) {
    if (failed(done))
      break;
    const TensorInfo &tensor = graph.tensors[i];
    if (!inner.values[i] && tensor.isConstant) {
      rt::Result<GraphValue> constant = makeConstantValue(builder, tensor);
      if (constant.isOk())
        inner.values[i] = *constant;
    }
    if (inner.values[i])
      results.push_back(*inner.values[i]);
    else
      done = from.refuse() << "has a graph whose output '" << tensor.name
                           << "' nothing computes; correct the model";
  }
  --depth;
  scope = outer;
  return failed(done) ? FailureOr<Values>() : results;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FailureOr<Value> ModelImporter::toResult(const TensorInfo &tensor,
                                         GraphValue value, ProgramBuilder &n) {
  if (tensor.type != fb::TensorType_UInt8)
    return n.tensor(value);
  GraphValue bits = moveByte(n, value);
  auto bytes = bytesOfBits(n, bits);
  return failed(bytes) ? FailureOr<Value>() : n.tensor(*bytes);
}

LogicalResult ModelImporter::finish() {
  SmallVector<Value> results;
  SmallVector<StringRef> names;
  const Graph &graph = scope->graph;
  auto add = [&](const TensorInfo &tensor, const GraphValue &value,
                 StringRef name) {
    ProgramBuilder n(builder, locationOf(name), constants, sizes);
    auto result = toResult(tensor, value, n);
    if (failed(result))
      return failure();
    results.push_back(*result);
    names.push_back(name);
    return success();
  };
  for (int32_t i : graph.outputs) {
    const TensorInfo &tensor = graph.tensors[i];
    if (!scope->values[i] && tensor.isConstant)
      if (rt::Result<GraphValue> constant = makeConstantValue(builder, tensor);
          constant.isOk())
        scope->values[i] = *constant;
    if (!scope->values[i])
      return refuse() << "the output '" << tensor.name
                      << "' is computed by no op; correct the model";
    if (failed(add(tensor, *scope->values[i], tensor.name)))
      return failure();
  }
  for (auto &[name, variable] : variables)
    if (failed(add(*variableTypes[name], variable.value, name)))
      return failure();
  if (results.empty())
    return refuse() << "the model has no outputs; give it one";
  func::ReturnOp::create(builder, place, results);
  function.setType(
      builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                              ValueRange(results).getTypes()));
  llvm::StringSet<> seen;
  for (auto [i, name] : llvm::enumerate(names))
    if (!name.empty() && seen.insert(name).second)
      function.setResultAttr(i, kNameAttr, builder.getStringAttr(name));
  return success();
}

/// An entry that gives the values that variables have before the first call.
void ModelImporter::addInitialState(ModuleOp module) {
  if (variables.empty())
    return;
  builder.setInsertionPointToEnd(module.getBody());
  auto state = func::FuncOp::create(builder, place, "initial_state",
                                    builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(state.addEntryBlock());
  SmallVector<Value> results;
  for (auto &[name, variable] : variables) {
    ProgramBuilder n(builder, locationOf(name), constants, sizes);
    GraphValue initial = variable.initial;
    initial.value = nullptr;
    results.push_back(*toResult(*variableTypes[name], initial, n));
  }
  func::ReturnOp::create(builder, place, results);
  state.setType(builder.getFunctionType({}, ValueRange(results).getTypes()));
  for (auto [i, entry] : llvm::enumerate(variables))
    state.setResultAttr(i, kNameAttr, builder.getStringAttr(entry.first));
}

OwningOpRef<ModuleOp> ModelImporter::run() {
  if (failed(verifyFixed()))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, place);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, place, "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Scope entry(model.graphs.front(), Role::Entry);
  scope = &entry;
  if (failed(addInputs()))
    return {};
  builder.setInsertionPointToEnd(&function.getBody().front());
  if (failed(importOps()) || failed(finish()))
    return {};
  addInitialState(*module);
  return module;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

bool qcc::isTFLite(StringRef bytes) {
  return bytes.substr(4).starts_with("TFL3");
}

OwningOpRef<ModuleOp> qcc::importTFLite(const llvm::SourceMgr &sources,
                                        MLIRContext *context,
                                        const ImportOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef bytes = buffer->getBuffer(), name = buffer->getBufferIdentifier();
  rt::Result<std::unique_ptr<Model>> model =
      readModel({bytes.data(), bytes.size()});
  if (!model.isOk()) {
    emitError(FileLineColLoc::get(context, name, 0, 0), model.message());
    return {};
  }
  context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, func::FuncDialect,
                       linalg::LinalgDialect, math::MathDialect,
                       quant::QuantDialect, scf::SCFDialect,
                       tensor::TensorDialect, qnn::QNNDialect>();
  OwningOpRef<ModuleOp> module =
      ModelImporter(**model, name, options, context).run();
  if (!module || failed(verifyImported(*module, options)))
    return {};
  return module;
}
