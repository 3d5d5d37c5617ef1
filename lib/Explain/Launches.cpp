//===- Launches.cpp - Launches of a device step ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Explain/Launches.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Steps/EntryDims.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qcc;

namespace {
class LaunchTable {
public:
  LaunchTable(func::FuncOp entry, ArrayRef<int64_t> dims)
      : entry(entry), evaluator(dims) {}

  LaunchExplanation explain(kernel::LaunchOp launch);
  /// Whether every size was known so far.
  bool isComplete() const { return complete; }

private:
  int64_t evaluate(Value size);
  LaunchParameter tensor(Value memref);

  func::FuncOp entry;
  IndexEvaluator evaluator;
  bool complete = true;
};
} // namespace

int64_t LaunchTable::evaluate(Value size) {
  std::optional<int64_t> value = evaluator.evaluate(size);
  complete &= value.has_value();
  return value.value_or(0);
}

LaunchParameter LaunchTable::tensor(Value memref) {
  LaunchParameter parameter;
  Type type = cast<MemRefType>(memref.getType()).getElementType();
  llvm::raw_string_ostream(parameter.type) << type;
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    unsigned number = argument.getArgNumber(), numArguments = 0;
    while (numArguments < number &&
           !entry.getArgAttr(numArguments, kDestinationAttr))
      ++numArguments;
    bool isResult = !!entry.getArgAttr(number, kDestinationAttr);
    parameter.kind = isResult ? "result" : "argument";
    parameter.value = isResult ? number - numArguments : number;
  } else if (memref::ViewOp view = viewOf(memref)) {
    parameter.kind = "temporary";
    parameter.value = evaluate(view.getByteShift());
  } else {
    parameter.kind = "constant";
  }
  return parameter;
}

LaunchExplanation LaunchTable::explain(kernel::LaunchOp launch) {
  LaunchExplanation explanation{launch.getKernel().getLeafReference().str(),
                                evaluate(launch.getGrid()),
                                int64_t(launch.getBlock()),
                                int64_t(launch.getSharedBytes()),
                                launch.getProgrammatic(),
                                {}};
  OperandRange arguments = launch.getArguments();
  for (auto [i, value] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      LaunchParameter &size = explanation.parameters.emplace_back();
      size.kind = "size";
      size.value = evaluate(value);
      continue;
    }
    LaunchParameter parameter = tensor(value);
    parameter.isWritten = llvm::is_contained(launch.getWrites(), int64_t(i));
    unsigned next = i + 1;
    for (int64_t dim : type.getShape())
      parameter.dims.push_back(
          ShapedType::isDynamic(dim) ? evaluate(arguments[next++]) : dim);
    explanation.parameters.push_back(std::move(parameter));
  }
  ArrayAttr maps = launch.getTensorMapsAttr();
  for (Attribute attr : maps ? maps.getValue() : ArrayRef<Attribute>()) {
    auto map = cast<kernel::TensorMapAttr>(attr);
    LaunchParameter &parameter = explanation.parameters.emplace_back();
    parameter.kind = "tensor_map";
    parameter.value = map.getArgument();
    for (int64_t size : map.getDims())
      parameter.dims.push_back(size < 0 ? evaluate(arguments[-1 - size])
                                        : size);
    parameter.offset = map.getOffset();
    parameter.strides = map.getStrides();
    parameter.box = map.getBox();
    parameter.swizzle = map.getSwizzle();
  }
  return explanation;
}

std::optional<std::vector<LaunchExplanation>>
qcc::explainLaunches(func::FuncOp entry, ArrayRef<int64_t> dims) {
  LaunchTable table(entry, dims);
  std::vector<LaunchExplanation> launches;
  for (auto launch : entry.getOps<kernel::LaunchOp>())
    launches.push_back(table.explain(launch));
  if (!table.isComplete())
    return std::nullopt;
  return launches;
}

void qcc::addConstantOffsets(std::vector<LaunchExplanation> &launches,
                             const ProgramEntry &entry) {
  for (auto [launch, step] : llvm::zip_equal(launches, entry.steps))
    for (auto [parameter, from] :
         llvm::zip_equal(launch.parameters, step.launch->parameters))
      if (parameter.kind == "constant")
        parameter.value = step.inputs[from.value].index;
}
