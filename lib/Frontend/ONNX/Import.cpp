//===- Import.cpp - Programs from ONNX models -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/ONNX/Import.h"
#include "../Builder/Emit.h"
#include "ChannelBlocks.h"
#include "ModelInputs.h"
#include "NodeImporter.h"
#include "Nodes.h"
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
#include "qcc/ONNXModel/Model.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
class GraphImporter {
public:
  GraphImporter(const Model &model, std::string folder, StringRef file,
                const FixedInputs &fixed, MLIRContext *context)
      : model(model), inputs(model.graph, fixed), constants(std::move(folder)),
        builder(context), place(FileLineColLoc::get(context, file, 0, 0)),
        nodes(model, constants, builder, place) {}

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult verifyModel();
  LogicalResult addInputs();
  LogicalResult addInput(const ValueInfo &input);
  LogicalResult addConstantInput(const Tensor &tensor);
  LogicalResult verifyDefault(const ValueInfo &input);
  LogicalResult verifyDeclared(const ValueInfo &output,
                               const GraphValue &value);
  LogicalResult finish();
  void addNotes(ModuleOp module);

  LogicalResult refuse(const Twine &message) {
    return emitError(place, message);
  }

  const Model &model;
  ModelInputs inputs;
  ModelConstants constants;
  OpBuilder builder;
  Location place;
  func::FuncOp function;
  std::vector<SmallVector<StringRef>> dimNames; ///< Of each argument.
  Nodes nodes;
  Scope scope;
  llvm::StringMap<Value> symbols;
  llvm::StringMap<int64_t> outputSizes; ///< By the names of dimensions.
};
} // namespace

LogicalResult GraphImporter::verifyModel() {
  bool isFound = false;
  for (const OperatorSet &set : model.operatorSets)
    if (set.domain.empty() || set.domain == "ai.onnx") {
      scope.operatorSet = set.version;
      isFound = true;
    }
  if (!isFound)
    return refuse("the model names no operator set of the domain ai.onnx; "
                  "write it again with one from " +
                  Twine(kFirstOperatorSet) + " to " + Twine(kLastOperatorSet));
  int64_t operatorSet = scope.operatorSet;
  if (operatorSet < kFirstOperatorSet || operatorSet > kLastOperatorSet)
    return refuse("the model needs operator set " + Twine(operatorSet) +
                  "; those from " + Twine(kFirstOperatorSet) + " to " +
                  Twine(kLastOperatorSet) +
                  " are supported: convert the model, or use a version of qcc "
                  "that knows it");
  rt::Result<int64_t> block = findChannelBlock(model);
  if (!block.isOk())
    return refuse(block.message());
  nodes.channelBlock = *block;
  if (model.graph.hasSparseInitializers)
    return refuse("the model has sparse constants, which are not supported; "
                  "make them dense");
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::addInput(const ValueInfo &input) {
  std::string what = "the input '" + std::string(input.name) + "' ";
  if (!input.isTensor)
    return refuse(what + "is no tensor, which is not supported");
  Type element = elementType(input.type, builder.getContext());
  if (!element)
    return refuse(what + "has elements of " + dataTypeName(input.type) +
                  ", which are not supported; use float32, int32 or int8");
  if (!input.hasShape)
    return refuse(what + "has no shape; give it one, with names for sizes that "
                         "are not known");
  SmallVector<int64_t> shape;
  for (const Dimension &dim : input.shape) {
    if (dim.hasValue && dim.value < 0)
      return refuse(what + "has the size " + Twine(dim.value) +
                    "; write -1, or a name, for one that is not known");
    shape.push_back(dim.hasValue ? dim.value : ShapedType::kDynamic);
  }
  auto loc = NameLoc::get(builder.getStringAttr(StringRef(input.name)), place);
  Block &body = function.getBody().front();
  GraphValue value;
  value.element = element;
  value.value = body.addArgument(RankedTensorType::get(shape, element), loc);
  SmallVector<StringRef> &names = dimNames.emplace_back();
  bool repeats = false; // a symbol that occurred before
  for (auto [d, dim] : llvm::enumerate(input.shape)) {
    names.push_back(dim.hasValue ? StringRef() : StringRef(dim.symbol));
    if (dim.hasValue) {
      value.shape.push_back(builder.getIndexAttr(dim.value));
      continue;
    }
    Value size =
        dim.symbol.empty() ? Value() : symbols.lookup(StringRef(dim.symbol));
    repeats |= static_cast<bool>(size);
    if (!size)
      size = tensor::DimOp::create(builder, loc, value.value, d);
    if (!dim.symbol.empty())
      symbols[StringRef(dim.symbol)] = size;
    value.shape.push_back(size);
  }
  // A copy of the sizes that the symbols stand for asks callers for them.
  if (repeats) {
    NodeImporter importer = nodes.importerAt(loc);
    value = broadcastTo(importer, value, value.shape,
                        builder.getMultiDimIdentityMap(value.rank()));
  }
  scope.values[StringRef(input.name)] = std::move(value);
  return success();
}

LogicalResult GraphImporter::addConstantInput(const Tensor &tensor) {
  rt::Result<GraphValue> value = constants.make(builder, tensor);
  if (!value.isOk())
    return refuse(value.message());
  scope.values[StringRef(tensor.name)] = *std::move(value);
  return success();
}

LogicalResult GraphImporter::addInputs() {
  if (rt::Status status = inputs.read(); !status.isOk())
    return refuse(status.message());
  bool ok = true;
  for (const ValueInfo &input : model.graph.inputs)
    if (inputs.isArgument(input))
      ok &= succeeded(addInput(inputs.withSizes(input)));
    else
      ok &= succeeded(verifyDefault(input));
  for (const Tensor &tensor : inputs.constants())
    ok &= succeeded(addConstantInput(tensor));
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// "[batch, 3]"
static std::string describe(ArrayRef<Dimension> shape) {
  std::string text;
  for (const Dimension &dim : shape)
    text += (text.empty() ? "" : ", ") +
            (dim.hasValue         ? std::to_string(dim.value)
             : dim.symbol.empty() ? "?"
                                  : std::string(dim.symbol));
  return "[" + text + "]";
}

static std::string describe(ArrayRef<OpFoldResult> shape) {
  std::vector<Dimension> dims;
  for (OpFoldResult size : shape) {
    std::optional<int64_t> known = knownSize(size);
    dims.push_back({known.has_value(), known.value_or(0), {}});
  }
  return describe(dims);
}

/// Whether a value of `shape` can have the sizes that are declared.
static bool fits(ArrayRef<Dimension> declared, ArrayRef<OpFoldResult> shape) {
  if (declared.size() != shape.size())
    return false;
  for (auto [dim, size] : llvm::zip_equal(declared, shape))
    if (std::optional<int64_t> known = knownSize(size);
        known && dim.hasValue && dim.value != *known)
      return false;
  return true;
}

/// Refuses a default of an input that has another type or shape than declared.
LogicalResult GraphImporter::verifyDefault(const ValueInfo &input) {
  GraphValue *found = scope.find(input.name);
  if (!found || !input.isTensor)
    return success();
  std::string what =
      "the input '" + std::string(input.name) + "' is declared as ";
  if (input.type != 0 && !found->packedBits &&
      elementType(input.type, builder.getContext()) != found->element)
    return refuse(what + dataTypeName(input.type) +
                  " but its constant has elements of " +
                  elementName(found->element) + "; correct one of them");
  if (input.hasShape && !fits(input.shape, found->shape))
    return refuse(what + describe(input.shape) + " but its constant is " +
                  describe(found->shape) + "; correct one of them");
  return success();
}

/// Refuses an output that has another type or other sizes than the model
/// declares. Known sizes that have one name must be equal.
LogicalResult GraphImporter::verifyDeclared(const ValueInfo &output,
                                            const GraphValue &value) {
  std::string what = "the output '" + std::string(output.name) + "' ";
  if (output.isOther)
    return refuse(what + "is declared as another type than a tensor; correct "
                         "the declaration");
  if (output.isTensor && output.type != 0 &&
      elementType(output.type, builder.getContext()) != value.element)
    return refuse(what + "is declared as " + dataTypeName(output.type) +
                  " but is " + elementName(value.element) +
                  "; correct the declaration");
  if (!output.hasShape)
    return success();
  if (!fits(output.shape, value.shape))
    return refuse(what + "is declared as " + describe(output.shape) +
                  " but is " + describe(value.shape) +
                  "; correct the declaration");
  for (auto [dim, size] : llvm::zip_equal(output.shape, value.shape)) {
    std::optional<int64_t> known = knownSize(size);
    if (dim.hasValue || dim.symbol.empty() || !known)
      continue;
    auto [first, isNew] = outputSizes.try_emplace(
        StringRef(dim.symbol), inputs.sizeOf(dim.symbol).value_or(*known));
    if (first->second != *known)
      return refuse(what + "is declared as " + describe(output.shape) +
                    " but is " + describe(value.shape) + ", and '" +
                    StringRef(dim.symbol) + "' is " + Twine(first->second) +
                    "; correct the declaration");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult GraphImporter::finish() {
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (const ValueInfo &output : model.graph.outputs) {
    std::string what = "the output '" + std::string(output.name) + "' ";
    GraphValue *found = scope.find(output.name);
    if (!found)
      return refuse(what + "is computed by no node");
    if (found->isUInt16)
      return refuse(what + "has elements of uint16, which are not supported; "
                           "cut the model behind the QuantizeLinear");
    if (found->isBlocked)
      return refuse(what + "is an image in blocks of channels; add a "
                           "ReorderOutput");
    if (failed(verifyDeclared(output, *found)))
      return failure();
    auto loc =
        NameLoc::get(builder.getStringAttr(StringRef(output.name)), place);
    NodeImporter importer = nodes.importerAt(loc);
    results.push_back(importer.tensor(*found));
    types.push_back(results.back().getType());
  }
  if (results.empty())
    return refuse("the model has no outputs; give it one");
  func::ReturnOp::create(builder, place, results);
  function.setType(builder.getFunctionType(
      function.getBody().front().getArgumentTypes(), types));
  for (auto [i, output] : llvm::enumerate(model.graph.outputs))
    function.setResultAttr(i, kNameAttr,
                           builder.getStringAttr(StringRef(output.name)));
  return success();
}

/// What the model says of itself and of the sizes of its inputs.
void GraphImporter::addNotes(ModuleOp module) {
  NamedAttrList metadata;
  for (auto [key, text] : model.metadata)
    if (!key.empty())
      metadata.set(StringRef(key), builder.getStringAttr(StringRef(text)));
  if (!metadata.empty())
    module->setAttr(kMetadataAttr,
                    metadata.getDictionary(builder.getContext()));
  setArgAttrs(function, kDimNamesAttr, [&](unsigned i) -> Attribute {
    bool isNamed =
        llvm::any_of(dimNames[i], [](StringRef name) { return !name.empty(); });
    return isNamed ? builder.getStrArrayAttr(dimNames[i]) : ArrayAttr();
  });
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  if (failed(verifyModel()) || failed(nodes.verify(model.graph.nodes, scope)))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, place);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, place, "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  if (failed(nodes.addConstants(model.graph, scope)) || failed(addInputs()) ||
      !nodes.import(model.graph.nodes, scope) || failed(finish()))
    return {};
  addNotes(*module);
  return module;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

bool qcc::isONNX(StringRef bytes) {
  return isModel({bytes.data(), bytes.size()});
}

OwningOpRef<ModuleOp> qcc::importONNX(const llvm::SourceMgr &sources,
                                      MLIRContext *context,
                                      const ImportOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef bytes = buffer->getBuffer(), name = buffer->getBufferIdentifier();
  rt::Result<std::unique_ptr<Model>> model =
      parseModel({bytes.data(), bytes.size()});
  if (!model.isOk()) {
    emitError(FileLineColLoc::get(context, name, 0, 0), model.message());
    return {};
  }
  context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                       cf::ControlFlowDialect, func::FuncDialect,
                       linalg::LinalgDialect, math::MathDialect,
                       quant::QuantDialect, scf::SCFDialect,
                       tensor::TensorDialect, qnn::QNNDialect>();
  std::string folder = llvm::sys::path::parent_path(options.path).str();
  if (folder.empty() && !options.path.empty())
    folder = ".";
  OwningOpRef<ModuleOp> module =
      GraphImporter(**model, folder, name, options.fixed, context).run();
  // Messages about ops name the node of the model.
  ScopedDiagnosticHandler handler(context, [](Diagnostic &diagnostic) {
    if (auto node = dyn_cast<NameLoc>(diagnostic.getLocation()))
      diagnostic << ", in node '" << node.getName().getValue() << "'";
    return failure(); // The next handler prints it.
  });
  if (!module || failed(verifyImported(*module, options)))
    return {};
  return module;
}
