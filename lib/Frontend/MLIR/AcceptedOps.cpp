//===- AcceptedOps.cpp - Which operations programs may use ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/MLIR/AcceptedOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace qcc;

static constexpr StringLiteral kDialects[] = {"builtin", "func",   "qnn",
                                              "quant",   "linalg", "tensor",
                                              "arith",   "math",   "scf"};

/// Operations that are accepted without limits. All operations of qnn and all
/// structured operations of linalg are accepted, too.
static constexpr StringLiteral kAccepted[] = {"arith.addf",
                                              "arith.addi",
                                              "arith.addui_extended",
                                              "arith.andi",
                                              "arith.bitcast",
                                              "arith.ceildivsi",
                                              "arith.ceildivui",
                                              "arith.cmpf",
                                              "arith.cmpi",
                                              "arith.constant",
                                              "arith.divf",
                                              "arith.divsi",
                                              "arith.divui",
                                              "arith.extf",
                                              "arith.extsi",
                                              "arith.extui",
                                              "arith.floordivsi",
                                              "arith.fptosi",
                                              "arith.fptoui",
                                              "arith.index_cast",
                                              "arith.index_castui",
                                              "arith.maximumf",
                                              "arith.maxnumf",
                                              "arith.maxsi",
                                              "arith.maxui",
                                              "arith.minimumf",
                                              "arith.minnumf",
                                              "arith.minsi",
                                              "arith.minui",
                                              "arith.mulf",
                                              "arith.muli",
                                              "arith.mulsi_extended",
                                              "arith.mului_extended",
                                              "arith.negf",
                                              "arith.ori",
                                              "arith.remsi",
                                              "arith.remui",
                                              "arith.select",
                                              "arith.shli",
                                              "arith.shrsi",
                                              "arith.shrui",
                                              "arith.sitofp",
                                              "arith.subf",
                                              "arith.subi",
                                              "arith.trunci",
                                              "arith.uitofp",
                                              "arith.xori",
                                              "builtin.module",
                                              "func.func",
                                              "func.return",
                                              "linalg.index",
                                              "linalg.softmax",
                                              "linalg.yield",
                                              "math.absf",
                                              "math.absi",
                                              "math.ceil",
                                              "math.copysign",
                                              "math.ctlz",
                                              "math.ctpop",
                                              "math.cttz",
                                              "math.floor",
                                              "math.fma",
                                              "math.round",
                                              "math.roundeven",
                                              "math.sqrt",
                                              "math.trunc",
                                              "quant.scast",
                                              "scf.condition",
                                              "scf.for",
                                              "scf.if",
                                              "scf.while",
                                              "scf.yield",
                                              "tensor.cast",
                                              "tensor.collapse_shape",
                                              "tensor.concat",
                                              "tensor.dim",
                                              "tensor.expand_shape",
                                              "tensor.extract",
                                              "tensor.extract_slice",
                                              "tensor.from_elements",
                                              "tensor.generate",
                                              "tensor.insert",
                                              "tensor.insert_slice",
                                              "tensor.pad",
                                              "tensor.rank",
                                              "tensor.splat",
                                              "tensor.yield"};

namespace {
struct Rule {
  StringLiteral name, note;
};
} // namespace

static constexpr StringLiteral kPositiveDivisors =
    "floordiv, ceildiv and mod by positive constants only";
static constexpr StringLiteral kSmallFloats = "f32, f16 and bf16 only";

/// Operations that are accepted with limits.
static constexpr Rule kLimited[] = {
    {"affine.apply", kPositiveDivisors},
    {"affine.max", kPositiveDivisors},
    {"affine.min", kPositiveDivisors},
    {"arith.truncf", "rounds to nearest even only"},
    {"cf.assert", "conditions on dimensions of arguments, outside of loops and "
                  "branches"},
    {"func.call", "no recursion: calls are inlined"},
    {"linalg.elementwise", "kinds whose op of arith or math is in this list"},
    {"linalg.erf", kSmallFloats},
    {"linalg.exp", kSmallFloats},
    {"linalg.log", kSmallFloats},
    {"linalg.powf", kSmallFloats},
    {"linalg.rsqrt", kSmallFloats},
    {"linalg.tanh", kSmallFloats},
    {"math.acos", kSmallFloats},
    {"math.acosh", kSmallFloats},
    {"math.asin", kSmallFloats},
    {"math.asinh", kSmallFloats},
    {"math.atan", kSmallFloats},
    {"math.atanh", kSmallFloats},
    {"math.cos", kSmallFloats},
    {"math.cosh", kSmallFloats},
    {"math.erf", kSmallFloats},
    {"math.exp", kSmallFloats},
    {"math.expm1", kSmallFloats},
    {"math.log", kSmallFloats},
    {"math.log1p", kSmallFloats},
    {"math.powf", kSmallFloats},
    {"math.rsqrt", kSmallFloats},
    {"math.sin", kSmallFloats},
    {"math.sinh", kSmallFloats},
    {"math.tan", kSmallFloats},
    {"math.tanh", kSmallFloats},
    {"tensor.empty", "elements have to be written before they are read"},
};

/// Operations of accepted dialects that are refused, and what to use instead.
static constexpr Rule kRefused[] = {
    {"arith.remf", "has no fixed sequence of operations (N8); write "
                   "x - trunc(x / y) * y"},
    {"builtin.unrealized_conversion_cast",
     "is not accepted; it has no meaning of its own"},
    {"func.call_indirect", "is not accepted; call functions by name"},
    {"func.constant", "is not accepted; call functions by name"},
    {"linalg.pack", "is not supported; write it as linalg.generic"},
    {"linalg.unpack", "is not supported; write it as linalg.generic"},
    {"quant.dcast", "is not accepted; use qnn.dequantize"},
    {"quant.qcast", "truncates and does not saturate where it is lowered; use "
                    "qnn.quantize, which rounds half to even and saturates"},
    {"tensor.bitcast", "is not supported; use arith.bitcast"},
    {"tensor.gather", "is not supported; write it as linalg.generic"},
    {"tensor.reshape", "is not supported; use tensor.expand_shape and "
                       "tensor.collapse_shape"},
    {"tensor.scatter", "is not supported; write it as linalg.generic"},
};

/// What to say of all other operations of a dialect.
static constexpr Rule kOthersOf[] = {
    {"affine", "is not accepted; of affine, only apply, min and max are: write "
               "loops with scf or linalg"},
    {"cf", "is not accepted; of cf, only assert is: write branches and loops "
           "with scf"},
    {"math", "is not one of the functions that docs/Numerics.md defines (N8); "
             "'qcc ops' lists them"},
    {"scf",
     "is not accepted; use scf.for, scf.while, scf.if or linalg.generic"},
};

static llvm::StringMap<OpAcceptance> makeTable() {
  llvm::StringMap<OpAcceptance> table;
  for (StringRef name : kAccepted)
    table[name] = {true, ""};
  for (const Rule &rule : kLimited)
    table[rule.name] = {true, rule.note};
  for (const Rule &rule : kRefused)
    table[rule.name] = {false, rule.note};
  return table;
}

OpAcceptance qcc::acceptanceOf(OperationName name) {
  static const llvm::StringMap<OpAcceptance> table = makeTable();
  auto found = table.find(name.getStringRef());
  if (found != table.end())
    return found->second;
  StringRef dialect = name.getDialectNamespace();
  if (dialect == "qnn" ||
      (dialect == "linalg" && name.hasInterface<linalg::LinalgOp>()))
    return {true, ""};
  for (const Rule &rule : kOthersOf)
    if (rule.name == dialect)
      return {false, rule.note};
  if (llvm::is_contained(kDialects, dialect))
    return {false, "is not accepted; 'qcc ops' lists what is"};
  return {false, ""};
}

ArrayRef<StringLiteral> qcc::acceptedDialects() { return kDialects; }

std::vector<AcceptedOp> qcc::acceptedOps(MLIRContext &context) {
  std::vector<AcceptedOp> ops;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    OpAcceptance acceptance = acceptanceOf(name);
    auto [dialect, op] = name.getStringRef().split('.');
    if (acceptance.isAccepted)
      ops.push_back({dialect.str(), op.str(), acceptance.note.str()});
  }
  llvm::sort(ops, [](const AcceptedOp &a, const AcceptedOp &b) {
    return std::tie(a.dialect, a.name) < std::tie(b.dialect, b.name);
  });
  return ops;
}
