//===- Program.cpp - The table that lower-entries leaves ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Program/Program.h"
#include "mlir/IR/Builders.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;
using namespace qcc;

void ProgramOperand::describe(DictionaryAttr value) {
  if (auto attr = value.getAs<StringAttr>(kLayerAttr))
    layer = attr.getValue().str();
  if (auto attr = value.getAs<TypeAttr>(kSourceTypeAttr))
    elementType = attr.getValue();
  if (auto attr = value.getAs<DenseI64ArrayAttr>(kOrderAttr))
    order = llvm::to_vector(attr.asArrayRef());
  if (auto attr = value.getAs<IntegerAttr>(kByteShiftAttr))
    byteShift = attr.getInt();
  if (auto attr = value.getAs<StringAttr>(kNameAttr))
    name = attr.getValue().str();
  if (auto attr = value.getAs<DenseI64ArrayAttr>(kBorderAttr))
    border = llvm::to_vector(attr.asArrayRef());
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  explicit Writer(MLIRContext *context) : builder(context) {}

  Attribute integer(int64_t value) { return builder.getI64IntegerAttr(value); }
  Attribute string(StringRef text) { return builder.getStringAttr(text); }

  template <typename Range, typename Fn> ArrayAttr list(Range &&items, Fn fn) {
    SmallVector<Attribute> attrs;
    for (auto &item : items)
      attrs.push_back(fn(item));
    return builder.getArrayAttr(attrs);
  }
  DictionaryAttr dictionary(ArrayRef<std::pair<StringRef, Attribute>> fields) {
    NamedAttrList attrs;
    for (auto [name, value] : fields)
      attrs.set(name, value);
    return attrs.getDictionary(builder.getContext());
  }
  DictionaryAttr operator()(const ProgramTensor &tensor) {
    NamedAttrList attrs(
        dictionary({{"dims", builder.getDenseI64ArrayAttr(tensor.dims)},
                    {"element", TypeAttr::get(tensor.elementType)}}));
    if (!tensor.name.empty())
      attrs.set("name", string(tensor.name));
    if (!tensor.dimNames.empty())
      attrs.set("dim_names", list(tensor.dimNames,
                                  [&](auto &name) { return string(name); }));
    return attrs.getDictionary(builder.getContext());
  }
  DictionaryAttr operator()(const ProgramOperand &operand) {
    NamedAttrList attrs(
        dictionary({{"dims", builder.getDenseI64ArrayAttr(operand.dims)},
                    {"element", TypeAttr::get(operand.elementType)},
                    {"index", integer(operand.index)},
                    {"kind", integer(operand.kind)}}));
    if (!operand.order.empty())
      attrs.set("order", builder.getDenseI64ArrayAttr(operand.order));
    if (operand.rowPitch)
      attrs.set("row_pitch", integer(operand.rowPitch));
    if (operand.byteShift)
      attrs.set("byte_shift", integer(operand.byteShift));
    if (!operand.layer.empty())
      attrs.set("layer", string(operand.layer));
    if (!operand.name.empty())
      attrs.set("name", string(operand.name));
    if (!operand.border.empty())
      attrs.set("border", builder.getDenseI64ArrayAttr(operand.border));
    return attrs.getDictionary(builder.getContext());
  }
  Attribute operator()(const ProgramParameter &parameter) {
    return builder.getDenseI64ArrayAttr(
        {int64_t(parameter.kind), parameter.value});
  }
  DictionaryAttr operator()(const ProgramTensorMap &map) {
    return dictionary({{"box", builder.getDenseI64ArrayAttr(map.box)},
                       {"dims", builder.getDenseI64ArrayAttr(map.dims)},
                       {"offset", integer(map.offset)},
                       {"operand", (*this)(map.operand)},
                       {"strides", builder.getDenseI64ArrayAttr(map.strides)},
                       {"swizzle", integer(map.swizzle)}});
  }
  DictionaryAttr operator()(const ProgramLaunch &launch) {
    NamedAttrList attrs(
        dictionary({{"block", integer(launch.block)},
                    {"grid", integer(launch.grid)},
                    {"kernel", string(launch.kernel)},
                    {"parameters", list(launch.parameters, *this)},
                    {"shared", integer(launch.sharedBytes)}}));
    if (!launch.tensorMaps.empty())
      attrs.set("tensor_maps", list(launch.tensorMaps, *this));
    return attrs.getDictionary(builder.getContext());
  }
  DictionaryAttr operator()(const ProgramStep &step) {
    NamedAttrList attrs(
        dictionary({{"bytes", integer(step.bytes)},
                    {"function", string(step.function)},
                    {"inputs", list(step.inputs, *this)},
                    {"kernel", step.kernel},
                    {"operations", integer(step.operations)},
                    {"outputs", list(step.outputs, *this)},
                    {"parallel", builder.getBoolAttr(step.parallel)},
                    {"scratch", integer(step.scratch)}}));
    if (step.launch)
      attrs.set("launch", (*this)(*step.launch));
    if (step.grid)
      attrs.set("grid", step.grid);
    return attrs.getDictionary(builder.getContext());
  }
  DictionaryAttr operator()(const ProgramEntry &entry) {
    return dictionary(
        {{"arguments", list(entry.arguments, *this)},
         {"in_place", builder.getDenseI32ArrayAttr(entry.inPlace)},
         {"name", string(entry.name)},
         {"plan", string(entry.plan)},
         {"requirements",
          list(entry.requirements, [&](auto &text) { return string(text); })},
         {"results", list(entry.results, *this)},
         {"steps", list(entry.steps, *this)},
         {"symbols", integer(entry.symbols)},
         {"values", integer(entry.values)}});
  }

  Builder builder;
};
} // namespace

void Program::attach(ModuleOp module) const {
  Writer writer(module.getContext());
  module->setAttr(kEntriesAttr, writer.list(entries, writer));
  if (weights.size() > 0)
    module->setAttr(kWeightsAttr, weights.toAttribute(module.getContext()));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static int64_t integer(DictionaryAttr dict, StringRef name) {
  return dict.getAs<IntegerAttr>(name).getInt();
}
static std::string string(DictionaryAttr dict, StringRef name) {
  return dict.getAs<StringAttr>(name).getValue().str();
}
static SmallVector<int64_t> integers(DictionaryAttr dict, StringRef name) {
  return SmallVector<int64_t>(dict.getAs<DenseI64ArrayAttr>(name).asArrayRef());
}
static SmallVector<int64_t> dims(DictionaryAttr dict) {
  return integers(dict, "dims");
}
static Type element(DictionaryAttr dict) {
  return dict.getAs<TypeAttr>("element").getValue();
}

template <typename T, typename Fn>
static std::vector<T> readList(DictionaryAttr dict, StringRef name, Fn fn) {
  std::vector<T> result;
  for (Attribute attr : dict.getAs<ArrayAttr>(name))
    result.push_back(fn(cast<DictionaryAttr>(attr)));
  return result;
}

static std::vector<std::string> readStrings(DictionaryAttr dict,
                                            StringRef name) {
  std::vector<std::string> result;
  for (Attribute attr : dict.getAs<ArrayAttr>(name))
    result.push_back(cast<StringAttr>(attr).getValue().str());
  return result;
}
static ProgramTensor readTensor(DictionaryAttr dict) {
  auto name = dict.getAs<StringAttr>("name");
  return {element(dict), dims(dict), name ? name.getValue().str() : "",
          dict.contains("dim_names") ? readStrings(dict, "dim_names")
                                     : std::vector<std::string>()};
}
static ProgramOperand readOperand(DictionaryAttr dict) {
  auto layer = dict.getAs<StringAttr>("layer");
  auto name = dict.getAs<StringAttr>("name");
  auto order = dict.getAs<DenseI64ArrayAttr>("order");
  return {(int32_t)integer(dict, "kind"),
          integer(dict, "index"),
          element(dict),
          dims(dict),
          order ? llvm::to_vector(order.asArrayRef()) : SmallVector<int64_t>(),
          dict.contains("row_pitch") ? integer(dict, "row_pitch") : 0,
          dict.contains("byte_shift") ? integer(dict, "byte_shift") : 0,
          layer ? layer.getValue().str() : "",
          name ? name.getValue().str() : "",
          dict.contains("border") ? integers(dict, "border")
                                  : SmallVector<int64_t>()};
}
static ProgramParameter readParameter(Attribute attr) {
  auto parameter = cast<DenseI64ArrayAttr>(attr);
  return {ProgramParameter::Kind(parameter[0]), parameter[1]};
}
static ProgramTensorMap readTensorMap(DictionaryAttr dict) {
  return {readParameter(dict.get("operand")),
          integer(dict, "offset"),
          dims(dict),
          integers(dict, "strides"),
          integers(dict, "box"),
          integer(dict, "swizzle")};
}
static std::optional<ProgramLaunch> readLaunch(DictionaryAttr dict) {
  if (!dict)
    return std::nullopt;
  ProgramLaunch launch{string(dict, "kernel"),
                       integer(dict, "grid"),
                       integer(dict, "block"),
                       integer(dict, "shared"),
                       {}};
  for (Attribute attr : dict.getAs<ArrayAttr>("parameters"))
    launch.parameters.push_back(readParameter(attr));
  if (dict.contains("tensor_maps"))
    launch.tensorMaps =
        readList<ProgramTensorMap>(dict, "tensor_maps", readTensorMap);
  return launch;
}
static ProgramStep readStep(DictionaryAttr dict) {
  return {string(dict, "function"),
          readLaunch(dict.getAs<DictionaryAttr>("launch")),
          dict.getAs<DictionaryAttr>("kernel"),
          dict.getAs<BoolAttr>("parallel").getValue(),
          dict.getAs<DenseI64ArrayAttr>("grid"),
          integer(dict, "scratch"),
          integer(dict, "operations"),
          integer(dict, "bytes"),
          readList<ProgramOperand>(dict, "inputs", readOperand),
          readList<ProgramOperand>(dict, "outputs", readOperand)};
}
static ProgramEntry readEntry(DictionaryAttr dict) {
  return {string(dict, "name"),
          string(dict, "plan"),
          integer(dict, "symbols"),
          integer(dict, "values"),
          readList<ProgramTensor>(dict, "arguments", readTensor),
          readList<ProgramTensor>(dict, "results", readTensor),
          SmallVector<int32_t>(
              dict.getAs<DenseI32ArrayAttr>("in_place").asArrayRef()),
          readStrings(dict, "requirements"),
          readList<ProgramStep>(dict, "steps", readStep)};
}

Program Program::of(ModuleOp module) {
  Program program;
  if (auto weights = module->getAttrOfType<ArrayAttr>(kWeightsAttr))
    program.weights = Weights::of(weights);
  program.metadata = module->getAttrOfType<DictionaryAttr>(kMetadataAttr);
  if (auto entries = module->getAttrOfType<ArrayAttr>(kEntriesAttr))
    for (Attribute attr : entries)
      program.entries.push_back(readEntry(cast<DictionaryAttr>(attr)));
  return program;
}
