//===- VerifyProgram.cpp - Verifier of input programs ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Dialect/QNN/IR/QuantParams.h"
#include "qcc/Frontend/MLIR/AcceptedOps.h"
#include "qcc/Support/InputLimits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;

/// A name must stay below QCC_MAX_STRING once the number of a step and the like
/// are added to it.
static constexpr size_t kMaxNameLength = QCC_MAX_STRING / 2;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

static bool isAcceptedElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isUnsigned())
      return integer.getWidth() == 8;
    return integer.isSignless() &&
           llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth());
  }
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

static LogicalResult verifyTensor(EmitError emitError, RankedTensorType type) {
  if (type.getEncoding())
    return emitError() << "has type " << type
                       << ", a tensor with an encoding, which is not "
                          "supported; remove the encoding";
  if (type.getRank() > QCC_MAX_RANK)
    return emitError() << "has a tensor of rank " << type.getRank()
                       << "; the runtime accepts ranks up to " << QCC_MAX_RANK;
  uint64_t elements = 1;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      elements = llvm::SaturatingMultiply<uint64_t>(elements, size);
  // A size 0 makes the product 0, however large the other sizes are.
  if (elements > limits::kElements ||
      llvm::any_of(type.getShape(), [](int64_t size) {
        return size > static_cast<int64_t>(limits::kElements);
      }))
    return emitError() << "has type " << type
                       << ", which has too many elements";
  Type element = type.getElementType();
  if (isa<quant::QuantizedType>(element))
    return qnn::verifyQuantType(emitError, type);
  if (!isAcceptedElement(element))
    return emitError()
           << "has type " << type << ", whose element type " << element
           << " is not supported; use i1, i8, ui8, i16, i32, i64, index, f16, "
              "bf16, f32, f64 or a quantized type";
  return success();
}

static LogicalResult verifyType(EmitError emitError, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return verifyTensor(emitError, tensor);
  if (isa<UnrankedTensorType>(type))
    return emitError() << "has type " << type
                       << ", a tensor of unknown rank, which is not "
                          "supported; give it a rank";
  if (isa<BaseMemRefType>(type))
    return emitError() << "has type " << type
                       << "; programs compute on tensors, buffers are "
                          "assigned by the compiler: use a tensor";
  if (isa<quant::QuantizedType>(type))
    return qnn::verifyQuantType(emitError, type);
  // Bodies may compute with integers of any width that a register holds.
  auto integer = dyn_cast<IntegerType>(type);
  if (isAcceptedElement(type) ||
      (integer && integer.isSignless() && integer.getWidth() <= 64))
    return success();
  return emitError() << "has type " << type
                     << ", which is not supported; use tensors, "
                        "integers, index or floats";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether a map divides by anything but a positive constant.
static bool dividesByUnknown(AffineMap map) {
  bool found = false;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || expr.getKind() == AffineExprKind::Add ||
        expr.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    found |= !divisor || divisor.getValue() <= 0;
  });
  return found;
}

static LogicalResult verifyAffineOp(Operation *op) {
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    map = max.getAffineMap();
  else
    return success();
  if (dividesByUnknown(map))
    return op->emitOpError("divides by what is not a positive constant, and is "
                           "not defined where that is 0; use arith.divsi, "
                           "arith.floordivsi, arith.ceildivsi or arith.remsi");
  return success();
}

/// Sizes and offsets are computed with index values: a constant divisor of 0
/// there is a mistake, whatever N8 says of divisions of data.
static LogicalResult verifyDivisor(Operation *op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op) ||
      !op->getResult(0).getType().isIndex() ||
      getConstantIntValue(op->getOperand(1)) != 0)
    return success();
  return op->emitOpError("divides an index by the constant 0; divide by a "
                         "constant that is not 0");
}

/// The smallest i64 stands for an amount that is an operand; the verifier of
/// the op does not compare their number with that of the operands.
static LogicalResult verifyPadding(tensor::PadOp op) {
  auto isOff = [](ArrayRef<int64_t> amounts, OperandRange operands) {
    return static_cast<size_t>(llvm::count_if(
               amounts, ShapedType::isDynamic)) != operands.size();
  };
  if (isOff(op.getStaticLow(), op.getLow()) ||
      isOff(op.getStaticHigh(), op.getHigh()))
    return op.emitOpError()
           << "pads by " << ShapedType::kDynamic
           << ", which is not possible; amounts are 0 and more";
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  OpAcceptance acceptance = acceptanceOf(op->getName());
  if (!acceptance.isAccepted && acceptance.note.empty())
    return op->emitOpError()
           << "belongs to dialect '" << op->getName().getDialectNamespace()
           << "', which is not accepted; programs use "
           << llvm::join(acceptedDialects(), ", ");
  if (!acceptance.isAccepted)
    return op->emitOpError(acceptance.note);
  if (failed(verifyAffineOp(op)))
    return failure();
  if (failed(verifyDivisor(op)))
    return failure();
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return verifyPadding(pad);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = getConstantIntValue(dim.getIndex());
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (index && type && (*index < 0 || *index >= type.getRank()))
      return op->emitOpError() << "asks for dimension " << *index
                               << " of a tensor of rank " << type.getRank();
  }
  return success();
}

static LogicalResult verifyFunction(func::FuncOp function) {
  if (function.isExternal())
    return function.emitOpError()
           << "'" << function.getName()
           << "' has no body; a program must define all of its functions";
  if (!function.getBody().hasOneBlock())
    return function.emitOpError()
           << "'" << function.getName()
           << "' has several blocks; write branches and loops with scf";
  if (function.getName().size() > kMaxNameLength)
    return function.emitOpError()
           << "has a name of " << function.getName().size()
           << " characters; the most is " << kMaxNameLength;
  if (std::max<size_t>(function.getNumArguments(), function.getNumResults()) >
      limits::kArguments)
    return function.emitOpError()
           << "'" << function.getName() << "' has "
           << function.getNumArguments() << " arguments and "
           << function.getNumResults() << " results; at most "
           << limits::kArguments
           << " of each are accepted, join some into one tensor";
  bool ok = true;
  for (BlockArgument argument : function.getArguments())
    ok &= succeeded(verifyType(
        [&] {
          return emitError(argument.getLoc())
                 << "argument " << argument.getArgNumber() << " of '"
                 << function.getName() << "' ";
        },
        argument.getType()));
  for (auto [i, type] :
       llvm::enumerate(function.getFunctionType().getResults()))
    ok &= succeeded(verifyType(
        [&, i = i] {
          return function.emitError()
                 << "result " << i << " of '" << function.getName() << "' ";
        },
        type));
  if (!function.isPublic())
    return success(ok);
  auto inputs = function.getFunctionType().getInputs(),
       results = function.getFunctionType().getResults();
  for (Type type : llvm::concat<const Type>(inputs, results))
    if (isa<IntegerType>(type) && !isAcceptedElement(type)) {
      function.emitOpError()
          << "'" << function.getName() << "' takes or returns " << type
          << ", which callers cannot pass; use i1, i8, i16, i32 or i64";
      ok = false;
    }
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Adds the sizes of the functions that a function calls to its size.
static LogicalResult addCallees(func::FuncOp function,
                                DenseMap<Operation *, uint64_t> &sizes) {
  auto module = function->getParentOfType<ModuleOp>();
  uint64_t size = sizes[function];
  function.walk([&](func::CallOp call) {
    size = llvm::SaturatingAdd(
        size, sizes[module.lookupSymbol<func::FuncOp>(call.getCallee())]);
  });
  sizes[function] = size;
  if (size <= limits::kOperations)
    return success();
  return function.emitOpError()
         << "'" << function.getName() << "' has " << size
         << " operations once its calls are inlined; at most "
         << limits::kOperations << " are accepted, use loops or fewer calls";
}

/// Reports a call by which a function reaches itself, if there is one, and
/// calls that multiply the program beyond what can be compiled.
static LogicalResult verifyCalls(ModuleOp module) {
  enum class Mark { Open, Done };
  DenseMap<Operation *, Mark> marks;
  struct Frame {
    func::FuncOp function;
    SmallVector<func::CallOp> calls;
  };
  /// The operations of functions with those of their callees.
  DenseMap<Operation *, uint64_t> sizes;
  auto enter = [&](func::FuncOp function) {
    Frame frame{function, {}};
    function.walk([&](Operation *op) {
      ++sizes[function];
      if (auto call = dyn_cast<func::CallOp>(op))
        frame.calls.push_back(call);
    });
    marks[function] = Mark::Open;
    return frame;
  };
  for (func::FuncOp root : module.getOps<func::FuncOp>()) {
    if (marks.contains(root))
      continue;
    SmallVector<Frame> stack{enter(root)};
    while (!stack.empty()) {
      if (stack.back().calls.empty()) {
        func::FuncOp done = stack.pop_back_val().function;
        marks[done] = Mark::Done;
        if (failed(addCallees(done, sizes)))
          return failure();
        continue;
      }
      func::CallOp call = stack.back().calls.pop_back_val();
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      auto mark = marks.find(callee);
      if (mark == marks.end())
        stack.push_back(enter(callee));
      else if (mark->second == Mark::Open)
        return call.emitOpError()
               << "to '" << call.getCallee()
               << "' is recursive; calls are inlined, so use a loop";
    }
  }
  return success();
}

LogicalResult qcc::verifyProgram(ModuleOp module) {
  bool ok = true;
  for (Operation &op : *module.getBody())
    if (!isa<func::FuncOp>(op)) {
      op.emitOpError("is not accepted outside of a function; a program is a "
                     "list of func.func");
      ok = false;
    }
  module.walk([&](Operation *op) {
    if (op == module)
      return;
    ok &= succeeded(verifyOp(op)) && succeeded(verifyAttributes(op));
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      ok &= succeeded(verifyFunction(function));
      return;
    }
    auto emitError = [&] { return op->emitOpError(); };
    for (Type type : op->getResultTypes())
      ok &= succeeded(verifyType(emitError, type));
    // A linalg op that moves a quantized tensor has its elements in the body.
    bool isLinalg = op->getName().getDialectNamespace() == "linalg";
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (!isLinalg || !isa<quant::QuantizedType>(type))
            ok &= succeeded(verifyType(emitError, type));
  });
  if (!ok)
    return failure();
  if (llvm::none_of(module.getOps<func::FuncOp>(),
                    [](func::FuncOp f) { return f.isPublic(); }))
    return module.emitError("the program has no public function to run; "
                            "write one func.func that is not private");
  return verifyCalls(module);
}
