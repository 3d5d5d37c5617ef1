//===- RegionForms.cpp - Parsers of the forms of reduce and while ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormParser.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace qcc::stablehlo;

/// `(%0 init: %1), (%2 init: %3) across dimensions = [0] : ... reducer(...)`,
/// or `(%0 init: %1) applies stablehlo.add across dimensions = [0] : ...`
ParseResult FormParser::parseReduce() {
  Operands starts;
  do {
    if (p.parseLParen() || p.parseOperand(operands.emplace_back()) ||
        p.parseKeyword("init") || p.parseColon() ||
        p.parseOperand(starts.emplace_back()) || p.parseRParen())
      return failure();
  } while (succeeded(p.parseOptionalComma()));
  operands.append(starts);
  StringRef applied;
  SmallVector<int64_t> dims;
  if (succeeded(p.parseOptionalKeyword("applies")) && p.parseKeyword(&applied))
    return failure();
  if (p.parseKeyword("across") || p.parseKeyword("dimensions") ||
      p.parseEqual() || parseNumbers(dims))
    return failure();
  addNumbers("dimensions", dims);
  if (finish())
    return failure();
  Region *body = state.addRegion();
  if (applied.empty()) {
    if (p.parseKeyword("reducer"))
      return failure();
    SmallVector<OpAsmParser::Argument> arguments, others;
    for (size_t i = 0; i < starts.size(); ++i)
      if (p.parseLParen() ||
          p.parseArgument(arguments.emplace_back(), /*allowType=*/true) ||
          p.parseComma() ||
          p.parseArgument(others.emplace_back(), /*allowType=*/true) ||
          p.parseRParen())
        return failure();
    arguments.append(others);
    return p.parseRegion(*body, arguments);
  }
  auto type = dyn_cast<RankedTensorType>(state.operands.front().getType());
  if (!type)
    return p.emitError(loc, "expected an operand of a ranked type");
  Location at = p.getEncodedSourceLoc(loc);
  Type scalar = RankedTensorType::get({}, type.getElementType());
  Block &block = body->emplaceBlock();
  OperationState inner(at, applied);
  inner.addOperands(
      {block.addArgument(scalar, at), block.addArgument(scalar, at)});
  inner.addTypes(scalar);
  OpBuilder b(p.getContext());
  b.setInsertionPointToEnd(&block);
  Operation *result = b.create(inner);
  OperationState end(at, "stablehlo.return");
  end.addOperands(result->getResults());
  b.create(end);
  return success();
}

/// `(%a = %0, %b = %1) : t, t cond {...} do {...}`
ParseResult FormParser::parseWhile() {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> types;
  if (p.parseAssignmentList(arguments, operands))
    return failure();
  if (!operands.empty() && parseTypes(types))
    return failure();
  if (p.resolveOperands(operands, types, loc, state.operands) ||
      p.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  for (StringRef keyword : {"cond", "do"})
    if (p.parseKeyword(keyword) || p.parseRegion(*state.addRegion(), arguments))
      return failure();
  return success();
}
