//===- Scalars.cpp - Operations element by element ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instruction an arith or math op is, and its evaluation outside of a
// body: on scalars, or on whole tensors.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace qcc::reference;

std::optional<Elem> qcc::reference::elemOf(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    type = shaped.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(type)) {
    if (!isa<IntegerType>(quantized.getStorageType()))
      return std::nullopt;
    return Elem::integer(quantized.getStorageTypeIntegralWidth(),
                         !quantized.isSigned());
  }
  if (type.isIndex())
    return Elem::integer(64);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 0 || integer.getWidth() > 64)
      return std::nullopt;
    return Elem::integer(integer.getWidth(), integer.isUnsigned());
  }
  Elem elem = Elem::single();
  if (type.isF32())
    return elem;
  elem.width = 16;
  elem.cls = Elem::F16;
  if (type.isF16())
    return elem;
  elem.cls = Elem::BF16;
  if (type.isBF16())
    return elem;
  elem.width = 64;
  elem.cls = Elem::F64;
  if (type.isF64())
    return elem;
  return std::nullopt;
}

static const llvm::StringMap<Opcode> &opcodes() {
  static const llvm::StringMap<Opcode> table = {
      {"arith.addi", Opcode::AddI},
      {"arith.subi", Opcode::SubI},
      {"arith.muli", Opcode::MulI},
      {"arith.divsi", Opcode::DivSI},
      {"arith.divui", Opcode::DivUI},
      {"arith.ceildivsi", Opcode::CeilDivSI},
      {"arith.ceildivui", Opcode::CeilDivUI},
      {"arith.floordivsi", Opcode::FloorDivSI},
      {"arith.remsi", Opcode::RemSI},
      {"arith.remui", Opcode::RemUI},
      {"arith.andi", Opcode::AndI},
      {"arith.ori", Opcode::OrI},
      {"arith.xori", Opcode::XOrI},
      {"arith.shli", Opcode::ShLI},
      {"arith.shrsi", Opcode::ShRSI},
      {"arith.shrui", Opcode::ShRUI},
      {"arith.maxsi", Opcode::MaxSI},
      {"arith.maxui", Opcode::MaxUI},
      {"arith.minsi", Opcode::MinSI},
      {"arith.minui", Opcode::MinUI},
      {"arith.cmpi", Opcode::CmpI},
      {"math.absi", Opcode::AbsI},
      {"math.ctlz", Opcode::CountLeadingZeros},
      {"math.cttz", Opcode::CountTrailingZeros},
      {"math.ctpop", Opcode::PopCount},
      {"arith.addui_extended", Opcode::AddUIExtended},
      {"arith.mulsi_extended", Opcode::MulSIExtended},
      {"arith.mului_extended", Opcode::MulUIExtended},
      {"arith.addf", Opcode::AddF},
      {"arith.subf", Opcode::SubF},
      {"arith.mulf", Opcode::MulF},
      {"arith.divf", Opcode::DivF},
      {"arith.remf", Opcode::RemF},
      {"arith.maximumf", Opcode::MaximumF},
      {"arith.minimumf", Opcode::MinimumF},
      {"arith.maxnumf", Opcode::MaxNumF},
      {"arith.minnumf", Opcode::MinNumF},
      {"arith.cmpf", Opcode::CmpF},
      {"arith.negf", Opcode::NegF},
      {"math.absf", Opcode::AbsF},
      {"math.floor", Opcode::Floor},
      {"math.ceil", Opcode::Ceil},
      {"math.round", Opcode::Round},
      {"math.roundeven", Opcode::RoundEven},
      {"math.trunc", Opcode::Trunc},
      {"math.copysign", Opcode::CopySign},
      {"math.sqrt", Opcode::Sqrt},
      {"math.fma", Opcode::Fma},
      {"math.exp", Opcode::Exp},
      {"math.tanh", Opcode::Tanh},
      {"math.erf", Opcode::Erf},
      {"math.rsqrt", Opcode::Rsqrt},
      {"math.log", Opcode::Log},
      {"math.sin", Opcode::Sin},
      {"math.cos", Opcode::Cos},
      {"math.tan", Opcode::Tan},
      {"math.asin", Opcode::Asin},
      {"math.acos", Opcode::Acos},
      {"math.atan", Opcode::Atan},
      {"math.sinh", Opcode::Sinh},
      {"math.cosh", Opcode::Cosh},
      {"math.asinh", Opcode::Asinh},
      {"math.acosh", Opcode::Acosh},
      {"math.atanh", Opcode::Atanh},
      {"math.expm1", Opcode::Expm1},
      {"math.log1p", Opcode::Log1p},
      {"math.powf", Opcode::Pow},
      {"arith.extsi", Opcode::ExtSI},
      {"arith.extui", Opcode::ExtUI},
      {"arith.trunci", Opcode::TruncI},
      {"arith.extf", Opcode::ExtF},
      {"arith.truncf", Opcode::TruncF},
      {"arith.sitofp", Opcode::SIToFP},
      {"arith.uitofp", Opcode::UIToFP},
      {"arith.fptosi", Opcode::FPToSI},
      {"arith.fptoui", Opcode::FPToUI},
      {"arith.bitcast", Opcode::Bitcast},
      {"tensor.bitcast", Opcode::Bitcast},
      {"quant.scast", Opcode::Bitcast},
      {"arith.select", Opcode::Select},
  };
  return table;
}

static bool isFixedSequence(Opcode opcode) {
  return opcode >= Opcode::Exp && opcode <= Opcode::Pow;
}

bool qcc::reference::selectInstruction(Operation *op, Inst &inst) {
  if (op->getNumOperands() == 0 || op->getNumOperands() > 3 ||
      op->getNumResults() == 0)
    return false;
  Type operandType =
      op->getOperand(op->getNumOperands() == 3 && isa<arith::SelectOp>(op) ? 1
                                                                           : 0)
          .getType();
  if (isa<VectorType>(operandType))
    return false;
  std::optional<Elem> in = elemOf(operandType);
  std::optional<Elem> out = elemOf(op->getResult(0).getType());
  if (!in || !out)
    return false;
  inst.in = *in;
  inst.out = *out;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    inst.opcode = out->width <= in->width       ? Opcode::TruncI
                  : isa<arith::IndexCastOp>(op) ? Opcode::ExtSI
                                                : Opcode::ExtUI;
    return true;
  }
  auto it = opcodes().find(op->getName().getStringRef());
  if (it == opcodes().end())
    return false;
  inst.opcode = it->second;
  if (isFixedSequence(inst.opcode) && !in->isSingle())
    return false;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    if (truncate.getRoundingmode() &&
        *truncate.getRoundingmode() != arith::RoundingMode::to_nearest_even)
      return false;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    inst.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    inst.predicate = static_cast<uint8_t>(compare.getPredicate());
  return true;
}

std::string qcc::reference::unsupportedReason(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (isa<arith::ConstantOp>(op) || (dialect != "math" && dialect != "arith"))
    return "";
  auto it = opcodes().find(op->getName().getStringRef());
  if (it == opcodes().end())
    return dialect == "math" ? "is not one of the functions that "
                               "docs/Numerics.md defines (N8)"
                             : "is not supported by the reference interpreter";
  if (isa<arith::TruncFOp>(op))
    return "rounds other than to nearest even";
  if (isFixedSequence(it->second))
    return "is defined for f32, f16 and bf16 only (N8)";
  return "is not supported on these types";
}

llvm::Error Evaluator::evaluateScalar(Operation *op, Env &env, bool &known) {
  Inst inst;
  if (!selectInstruction(op, inst)) {
    std::string reason = unsupportedReason(op);
    if (reason.empty())
      return llvm::Error::success();
    known = true;
    return failure(op, reason);
  }
  known = true;
  inst.a = 0;
  inst.b = 1;
  inst.c = 2;
  inst.dst = 3;
  inst.dst2 = 4;
  SmallVector<const RtValue *> operands;
  SmallVector<Elem> elems;
  for (Value operand : op->getOperands()) {
    operands.push_back(&valueOf(operand, env));
    elems.push_back(*elemOf(operand.getType()));
  }
  // Scalar operands of a tensor op (the condition of a select) stay in their
  // register; so do all operands of an op on scalars.
  std::vector<int64_t> shape;
  bool onTensors = isa<ShapedType>(op->getResult(0).getType());
  for (auto [operand, value] : llvm::zip(op->getOperands(), operands)) {
    if (!isa<ShapedType>(operand.getType()) || !onTensors)
      continue;
    if (!shape.empty() && shape != value->tensor.shape)
      return failure(op, "operands have different shapes");
    shape = value->tensor.shape;
  }
  if (!onTensors) {
    thread_local std::vector<Reg> regs(5);
    for (unsigned i = 0; i < operands.size(); ++i)
      regs[i].set(elems[i], 0, operands[i]->scalar);
    execute(inst, regs.data(), 1);
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      env.set(result, RtValue(regs[3 + i].get(*elemOf(result.getType()), 0)));
    return llvm::Error::success();
  }
  SmallVector<Tensor> results;
  for (Value result : op->getResults()) {
    llvm::Expected<Tensor> tensor = allocate(op, result.getType(), shape);
    if (!tensor)
      return tensor.takeError();
    results.push_back(std::move(*tensor));
  }
  parallelFor(threads, results[0].count(), 16 * kBatch,
              [&](int64_t begin, int64_t end) {
                std::vector<Reg> regs(5);
                for (auto [i, operand] : llvm::enumerate(op->getOperands()))
                  if (!isa<ShapedType>(operand.getType()))
                    regs[i].fill(elems[i], operands[i]->scalar);
                for (int64_t at = begin; at < end; at += kBatch) {
                  int n = static_cast<int>(std::min<int64_t>(kBatch, end - at));
                  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
                    if (isa<ShapedType>(operand.getType()))
                      loadLanes(elems[i], operands[i]->tensor.data.get(), at, 1,
                                n, regs[i], 0);
                  execute(inst, regs.data(), n);
                  for (auto [i, result] : llvm::enumerate(results))
                    storeLanes(result.elem, result.data.get(), at, 1, n,
                               regs[3 + i], 0);
                }
              });
  for (auto [result, tensor] : llvm::zip(op->getResults(), results))
    env.set(result, RtValue(std::move(tensor)));
  return llvm::Error::success();
}
