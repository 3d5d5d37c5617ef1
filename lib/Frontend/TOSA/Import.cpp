//===- Import.cpp - Programs from TOSA ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/TOSA/Import.h"
#include "../Builder/Emit.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/IR/ValueInfo.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
/// The state of a program, between its calls.
class Variables {
public:
  explicit Variables(ModuleOp module) : module(module) {}

  LogicalResult run();

private:
  void addArguments(func::FuncOp function);
  LogicalResult replace(func::FuncOp function);
  void addResults(func::FuncOp function);

  ModuleOp module;
  /// The value of each variable, by its name.
  llvm::MapVector<StringAttr, Value> values;
};
} // namespace

void Variables::addArguments(func::FuncOp function) {
  SmallVector<Type> types(function.getFunctionType().getInputs());
  for (auto variable : module.getOps<tosa::VariableOp>()) {
    SmallVector<int64_t> shape;
    for (const APInt &size : variable.getVarShape().getValues<APInt>())
      shape.push_back(size.getSExtValue());
    auto loc = NameLoc::get(variable.getSymNameAttr(), variable.getLoc());
    types.push_back(RankedTensorType::get(shape, variable.getType()));
    values[variable.getSymNameAttr()] =
        function.getBody().front().addArgument(types.back(), loc);
  }
  function.setType(FunctionType::get(function.getContext(), types,
                                     function.getFunctionType().getResults()));
}

/// Reads give the value that was written last.
LogicalResult Variables::replace(func::FuncOp function) {
  auto find = [&](Operation *op, StringRef name) -> Value * {
    auto found = values.find(StringAttr::get(op->getContext(), name));
    if (found != values.end() && op->getParentOp() == function)
      return &found->second;
    op->emitError() << "'" << op->getName() << "' of the variable '" << name
                    << (found == values.end()
                            ? "', which is not declared; declare it"
                            : "' is in a branch or a loop, which is not "
                              "supported; move it out");
    return nullptr;
  };
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<tosa::VariableReadOp, tosa::VariableWriteOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto write = dyn_cast<tosa::VariableWriteOp>(op)) {
      Value *value = find(op, write.getName());
      if (!value)
        return failure();
      if (value->getType() != write.getInput1().getType())
        return op->emitError()
               << "'tosa.variable_write' of " << write.getInput1().getType()
               << " to a variable of " << value->getType()
               << "; correct the program";
      *value = write.getInput1();
    } else {
      auto read = cast<tosa::VariableReadOp>(op);
      Value *value = find(op, read.getName());
      if (!value)
        return failure();
      if (value->getType() != read.getOutput1().getType())
        return op->emitError()
               << "'tosa.variable_read' of " << read.getOutput1().getType()
               << " from a variable of " << value->getType()
               << "; correct the program";
      read.getOutput1().replaceAllUsesWith(*value);
    }
    op->erase();
  }
  return success();
}

void Variables::addResults(func::FuncOp function) {
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<Value> results(end->getOperands());
  SmallVector<StringAttr> names;
  for (auto &[name, value] : values) {
    results.push_back(value);
    names.push_back(name);
  }
  unsigned first = end->getNumOperands();
  end->setOperands(results);
  SmallVector<Type> types(ValueRange(results).getTypes());
  function.setType(FunctionType::get(
      function.getContext(), function.getFunctionType().getInputs(), types));
  for (auto [i, name] : llvm::enumerate(names))
    function.setResultAttr(first + i, kNameAttr, name);
}

LogicalResult Variables::run() {
  auto declared = llvm::to_vector(module.getOps<tosa::VariableOp>());
  if (declared.empty())
    return success();
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() != 1 || !functions[0].getBody().hasOneBlock())
    return declared[0].emitError()
           << "the variable '" << declared[0].getSymName()
           << "' is of a module with several functions, which is not "
              "supported; inline them";
  addArguments(functions[0]);
  if (failed(replace(functions[0])))
    return failure();
  addResults(functions[0]);
  for (tosa::VariableOp variable : declared)
    variable.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Unsigned bytes
//===----------------------------------------------------------------------===//

namespace {
/// Arguments and results of ui8, which MLIR's passes make i8: entries keep ui8.
class UnsignedBytes {
public:
  explicit UnsignedBytes(ModuleOp module);
  LogicalResult restore();

private:
  struct Entry {
    func::FuncOp function;
    SmallVector<unsigned> arguments, results;
  };
  LogicalResult restore(const Entry &entry);

  SmallVector<Entry> entries;
  frontend::Constants constants;
  frontend::SizeArithmetic sizes;
};
} // namespace

UnsignedBytes::UnsignedBytes(ModuleOp module) {
  auto find = [](TypeRange types) {
    SmallVector<unsigned> found;
    for (auto [i, type] : llvm::enumerate(types))
      if (getElementTypeOrSelf(type).isUnsignedInteger(8))
        found.push_back(i);
    return found;
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && function.getBody().hasOneBlock())
      entries.push_back({function, find(function.getArgumentTypes()),
                         find(function.getResultTypes())});
}

LogicalResult UnsignedBytes::restore(const Entry &entry) {
  func::FuncOp function = entry.function;
  Block &body = function.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  for (unsigned i : entry.arguments) {
    BlockArgument argument = body.getArgument(i);
    SmallVector<OpOperand *> uses = llvm::map_to_vector(
        argument.getUses(), [](OpOperand &use) { return &use; });
    argument.setType(cast<RankedTensorType>(argument.getType()).clone(byte));
    frontend::ProgramBuilder n(b, argument.getLoc(), constants, sizes);
    frontend::GraphValue bytes = frontend::toGraphValue(b, argument);
    auto bits = bitsOfBytes(n, bytes);
    if (failed(bits))
      return failure();
    for (OpOperand *use : uses)
      use->set(bits->value);
  }
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  for (unsigned i : entry.results) {
    frontend::ProgramBuilder n(b, end->getLoc(), constants, sizes);
    frontend::GraphValue bits = frontend::toGraphValue(b, end->getOperand(i));
    auto bytes = bytesOfBits(n, bits);
    if (failed(bytes))
      return failure();
    end->setOperand(i, n.tensor(*bytes));
  }
  function.setType(
      b.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
  return success();
}

LogicalResult UnsignedBytes::restore() {
  return success(llvm::all_of(
      entries, [&](const Entry &entry) { return succeeded(restore(entry)); }));
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// What MLIR's passes would not survive, or would leave.
static LogicalResult verifyOps(ModuleOp module) {
  auto visit = [](Operation *op) -> WalkResult {
    // The converter leaves ops that it does not know, such as tfl.topk_v2.
    if (!op->isRegistered()) {
      StringRef layer = layerName(op->getLoc());
      return op->emitError()
             << "'" << op->getName()
             << (layer.empty() ? "'" : "' of layer '" + layer.str() + "'")
             << " is an op that TOSA does not define; write it in terms of "
                "others";
    }
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return WalkResult::advance();
    if (isa<tosa::CustomOp>(op))
      return op->emitError()
             << "'tosa.custom' '" << cast<tosa::CustomOp>(op).getOperatorName()
             << "' is an op that TOSA does not define; write it in terms of "
                "others";
    if (isa<tosa::FFT2dOp, tosa::RFFT2dOp>(op))
      return op->emitError() << "'" << op->getName()
                             << "' computes complex numbers, which are not "
                                "supported; compute it outside";
    for (Type type :
         llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                            SmallVector<Type>(op->getResultTypes()))) {
      if (isa<UnrankedTensorType>(type))
        return op->emitError() << "'" << op->getName() << "' has a value of "
                               << type << "; give it a rank";
      if (getElementTypeOrSelf(type).isInteger(48))
        return op->emitError()
               << "'" << op->getName()
               << "' sums in 48 bits (16-bit activations), which is not "
                  "supported; use activations of 8 bits";
    }
    return WalkResult::advance();
  };
  return failure(module.walk(visit).wasInterrupted());
}

static LogicalResult runPasses(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.enableVerifier(true);
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaConvertIntegerTypeToSignless());
  function.addPass(tosa::createTosaInferShapesPass());
  function.addPass(tosa::createTosaOptionalDecompositionsPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(createCanonicalizerPass());
  function.addPass(tosa::createTosaLayerwiseConstantFoldPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  // The next pass takes no bodies of branches and loops.
  function.addPass(createTosaToSCFPass());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToTensorPass());
  TosaToArithPassOptions rescale;
  rescale.includeApplyRescale = true;
  function.addPass(createTosaToArithPass(rescale));
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  return pm.run(module);
}

/// On branches and maxima of the program itself, beside those of the lowering.
static constexpr StringLiteral kOwn = "qcc.own";

static void markOwn(ModuleOp module) {
  module.walk([](Operation *op) {
    if (isa<scf::IfOp, arith::MaxUIOp>(op))
      op->setAttr(kOwn, UnitAttr::get(op->getContext()));
  });
}

/// MLIR's lowering repeats a dynamic dimension where it turns out to be 1, by a
/// branch that chooses between two tensors. Such dimensions are taken for equal
/// here, and the entry asks for equal sizes.
static void dropRepetitions(ModuleOp module) {
  auto isDim = [](Value value) {
    return static_cast<bool>(value.getDefiningOp<tensor::DimOp>());
  };
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa<scf::IfOp, arith::MaxUIOp>(op) && !op->removeAttr(kOwn))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    // The size that the result would have.
    if (auto max = dyn_cast<arith::MaxUIOp>(op)) {
      if (isDim(max.getLhs()) && isDim(max.getRhs()))
        max.getResult().replaceAllUsesWith(max.getLhs());
      continue;
    }
    auto choice = cast<scf::IfOp>(op);
    auto compare = choice.getCondition().getDefiningOp<arith::CmpIOp>();
    bool asksForOne =
        compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
        isDim(compare.getLhs()) && getConstantIntValue(compare.getRhs()) == 1 &&
        choice.getNumResults() == 1 && choice.elseBlock() &&
        choice.elseBlock()->getOperations().size() == 1;
    if (!asksForOne)
      continue;
    choice.getResult(0).replaceAllUsesWith(choice.elseYield().getOperand(0));
    choice.erase();
  }
}

bool qcc::isTOSA(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult qcc::lowerTOSA(ModuleOp module) {
  module.getContext()->loadDialect<qnn::QNNDialect>();
  if (failed(Variables(module).run()) || failed(verifyOps(module)))
    return failure();
  UnsignedBytes bytes(module);
  markOwn(module);
  if (failed(runPasses(module)))
    return failure();
  dropRepetitions(module);
  auto left = [](Operation *op) -> WalkResult {
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return WalkResult::advance();
    return op->emitError() << "'" << op->getName()
                           << "' is not lowered by MLIR for these types or "
                              "sizes; write it in terms of other ops";
  };
  return success(!module.walk(left).wasInterrupted() &&
                 succeeded(bytes.restore()));
}
