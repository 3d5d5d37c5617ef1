//===- Import.cpp - Programs from StableHLO -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/StableHLO/Import.h"
#include "OpTable.h"
#include "Quantized.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

/// Calls inside of calls, and ops of all functions that are inlined.
static constexpr unsigned kMaxDepth = 64;
static constexpr size_t kMaxOps = 1 << 20;

namespace {
class ProgramImporter {
public:
  ProgramImporter(ModuleOp source)
      : source(source), builder(source.getContext()) {}

  OwningOpRef<ModuleOp> run();

private:
  func::FuncOp findMain();
  FailureOr<Values> addArguments(func::FuncOp main);
  LogicalResult finish(func::FuncOp main, Values results);
  FailureOr<Values> importBlock(Block &block, ArrayRef<GraphValue> arguments);
  LogicalResult importOp(Operation &op);
  FailureOr<Values>
  importFunction(StringRef name, ArrayRef<GraphValue> arguments, Location loc);
  Location locationOf(Operation &op);
  GraphValue *find(Value value) { return values.lookup(value); }
  void bind(Value value, GraphValue meaning) {
    values[value] = &storage.emplace_back(std::move(meaning));
  }

  ModuleOp source;
  OpBuilder builder;
  func::FuncOp function;
  Constants constants;
  SizeArithmetic sizes;
  /// What values of the source stand for; of functions those of the last call.
  llvm::DenseMap<Value, GraphValue *> values;
  std::deque<GraphValue> storage;
  /// Locations of the calls around the function that is imported.
  SmallVector<Location> calls;
  size_t ops = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Refuses an op that is not in the table.
static LogicalResult refuseOp(Operation &op) {
  StringRef name = op.getName().getStringRef();
  StringRef reason = reasonOf(name);
  return op.emitError() << "'" << name << "' "
                        << (reason.empty()
                                ? "is not an op of StableHLO that is "
                                  "supported; docs/StableHLOOps.md "
                                  "lists those that are"
                                : reason);
}

static StringRef fileOf(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  return place ? place.getFilename().getValue() : StringRef();
}

/// Where an op is for the user: an op of a function that JAX wrote has only a
/// place in the text of the program, but what called the function is in a file
/// of the user.
Location ProgramImporter::locationOf(Operation &op) {
  auto isOfUser = [text = fileOf(source.getLoc())](Location loc) {
    StringRef file = fileOf(loc);
    return !file.empty() && file != text;
  };
  if (isOfUser(op.getLoc()))
    return op.getLoc();
  auto call = llvm::find_if(llvm::reverse(calls), isOfUser);
  return call == calls.rend() ? op.getLoc() : *call;
}

LogicalResult ProgramImporter::importOp(Operation &op) {
  Location own = op.getLoc();
  op.setLoc(locationOf(op));
  auto restore = llvm::scope_exit([&] { op.setLoc(own); });
  if (++ops > kMaxOps)
    return op.emitError() << "the program has more than " << kMaxOps
                          << " ops once its calls are inlined, which is not "
                             "supported; split it";
  const OpInfo *info = findOp(op.getName().getStringRef());
  if (!info)
    return refuseOp(op);
  if (failed(verifyOp(&op, *info)))
    return failure();
  SmallVector<GraphValue *> operands;
  for (Value operand : op.getOperands()) {
    operands.push_back(find(operand));
    if (!operands.back())
      return op.emitError() << "'" << info->name << "' reads a value that is "
                            << "not there; correct the program";
  }
  OpImporter importer(&op, builder, operands, constants, sizes);
  importer.lookup = [&](Value value) { return find(value); };
  importer.importRegion =
      [&](Region &region, ArrayRef<GraphValue> arguments) -> FailureOr<Values> {
    if (!region.hasOneBlock())
      return importer.refuse() << "has a region of several blocks; correct "
                                  "the program";
    return importBlock(region.front(), arguments);
  };
  importer.importCall = [&](StringRef name, ArrayRef<GraphValue> arguments) {
    return importFunction(name, arguments, op.getLoc());
  };
  if (failed(info->import(importer)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), importer.results()))
    bind(result, value);
  return success();
}

FailureOr<Values> ProgramImporter::importBlock(Block &block,
                                               ArrayRef<GraphValue> arguments) {
  Operation *parent = block.getParentOp();
  if (block.getNumArguments() != arguments.size() || block.empty())
    return parent->emitError() << "has a region of " << block.getNumArguments()
                               << " arguments where " << arguments.size()
                               << " are needed; correct the program";
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != value.rank() ||
        signless(type.getElementType()) != value.element)
      return parent->emitError()
             << "has a region whose arguments are not of its operands' types; "
                "correct the program";
    bind(argument, value);
  }
  Operation &last = block.back();
  StringRef end = last.getName().getStringRef();
  if (end != "stablehlo.return" && end != "func.return")
    return last.emitError() << "'" << end << "' ends a region, which has to "
                            << "end with stablehlo.return";
  for (Operation &op : llvm::drop_end(block))
    if (failed(importOp(op)))
      return failure();
  Values results;
  for (Value operand : last.getOperands()) {
    GraphValue *value = find(operand);
    if (!value)
      return last.emitError() << "returns a value that is not there; correct "
                                 "the program";
    results.push_back(*value);
  }
  return results;
}

FailureOr<Values>
ProgramImporter::importFunction(StringRef name, ArrayRef<GraphValue> arguments,
                                Location loc) {
  auto callee = source.lookupSymbol<func::FuncOp>(name);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return emitError(loc) << "calls '" << name << "', a function without a "
                          << "body; correct the program";
  if (calls.size() >= kMaxDepth)
    return emitError(loc) << "calls more than " << kMaxDepth
                          << " functions inside of one another, which is not "
                             "supported; programs have no recursion";
  calls.push_back(loc);
  FailureOr<Values> results = importBlock(callee.getBody().front(), arguments);
  calls.pop_back();
  return results;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

func::FuncOp ProgramImporter::findMain() {
  if (auto main = source.lookupSymbol<func::FuncOp>("main"))
    return main;
  func::FuncOp only;
  for (auto function : source.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (only) {
      function.emitError() << "'" << function.getName()
                           << "' is one of several public functions, of which "
                              "none is called main; make others private";
      return {};
    }
    only = function;
  }
  if (!only)
    emitError(source.getLoc()) << "the program has no function 'main'; name "
                                  "the one to compile so";
  return only;
}

FailureOr<Values> ProgramImporter::addArguments(func::FuncOp main) {
  Block &body = function.getBody().front();
  Values arguments;
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Location loc = argument.getLoc();
    if (!type)
      return emitError(loc) << "argument " << argument.getArgNumber()
                            << " has type " << argument.getType()
                            << ", which is not supported; use tensors with a "
                               "rank";
    // ui8 is a type of entries; wider unsigned integers are passed as signed
    // ones of the same bits.
    Type element = type.getElementType();
    bool areBytes = element.isUnsignedInteger(8);
    Value tensor = body.addArgument(
        type.clone(areBytes ? element : signless(element)), loc);
    GraphValue value = toGraphValue(builder, tensor);
    if (areBytes) {
      ProgramBuilder n(builder, loc, constants, sizes);
      auto bits = bitsOfBytes(n, value);
      if (failed(bits))
        return failure();
      value = *bits;
    }
    arguments.push_back(value);
  }
  return arguments;
}

LogicalResult ProgramImporter::finish(func::FuncOp main, Values results) {
  SmallVector<Value> returned;
  SmallVector<Type> types;
  llvm::StringSet<> names;
  for (auto [i, value] : llvm::enumerate(results)) {
    ProgramBuilder n(builder, main.getLoc(), constants, sizes);
    Type declared = getElementTypeOrSelf(main.getFunctionType().getResult(i));
    if (declared.isUnsignedInteger(8)) {
      auto bytes = bytesOfBits(n, value);
      if (failed(bytes))
        return failure();
      value = *bytes;
    }
    returned.push_back(n.tensor(value));
    types.push_back(returned.back().getType());
  }
  if (returned.empty())
    return main.emitError()
           << "'" << main.getName() << "' returns nothing; return a result";
  func::ReturnOp::create(builder, main.getLoc(), returned);
  function.setType(builder.getFunctionType(
      function.getBody().front().getArgumentTypes(), types));
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto name = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    // JAX calls results of a tuple "[0]" or "result[0]".
    if (name && !name.getValue().empty() && !name.getValue().contains('[') &&
        names.insert(name.getValue()).second)
      function.setResultAttr(i, kNameAttr, name);
  }
  return success();
}

OwningOpRef<ModuleOp> ProgramImporter::run() {
  func::FuncOp main = findMain();
  if (!main || main.isExternal() || !main.getBody().hasOneBlock()) {
    if (main)
      main.emitError() << "'" << main.getName()
                       << "' has no body of one block; correct the program";
    return {};
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, source.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, main.getLoc(), "main",
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  FailureOr<Values> arguments = addArguments(main);
  if (failed(arguments))
    return {};
  FailureOr<Values> results = importBlock(main.getBody().front(), *arguments);
  if (failed(results) || failed(finish(main, *results)))
    return {};
  return module;
}

bool qcc::isStableHLO(ModuleOp module) {
  // Frameworks mark their modules, also those of the identity.
  for (NamedAttribute attribute : module->getDiscardableAttrDictionary())
    if (attribute.getName().getValue().starts_with("mhlo."))
      return true;
  return module
      .walk([](Operation *op) {
        StringRef dialect = op->getName().getDialectNamespace();
        return dialect == "stablehlo" || dialect == "chlo"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

OwningOpRef<ModuleOp> qcc::importStableHLO(ModuleOp module) {
  module.getContext()
      ->loadDialect<affine::AffineDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect,
                    linalg::LinalgDialect, math::MathDialect, qnn::QNNDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  if (failed(expandQuantized(module)))
    return {};
  return ProgramImporter(module).run();
}
