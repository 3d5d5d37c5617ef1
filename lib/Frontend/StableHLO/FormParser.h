//===- FormParser.h - Parser of one op --------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_FORMPARSER_H
#define QCC_LIB_FRONTEND_STABLEHLO_FORMPARSER_H

#include "mlir/IR/OpImplementation.h"

namespace qcc::stablehlo {

using mlir::ArrayRef;
using mlir::Attribute;
using mlir::failed;
using mlir::failure;
using mlir::ParseResult;
using mlir::SmallVector;
using mlir::SmallVectorImpl;
using mlir::StringRef;
using mlir::succeeded;
using mlir::success;
using mlir::Type;

/// Parses an op as StableHLO prints it, from behind its name on.
class FormParser {
public:
  using Operands = SmallVector<mlir::OpAsmParser::UnresolvedOperand>;

  FormParser(mlir::OpAsmParser &p, mlir::OperationState &state)
      : p(p), state(state), loc(p.getCurrentLocation()),
        op(state.name.getStringRef().split('.').second) {}

  ParseResult run();

private:
  ParseResult parseConstant();
  ParseResult parseCompare();
  ParseResult parseSlice();
  ParseResult parseConvolution();
  ParseResult parseReduce();
  ParseResult parseWhile();
  ParseResult parseCustomCall();
  ParseResult parseMesh();
  ParseResult parseShardingConstraint();
  ParseResult parseUsual();

  ParseResult parseOperands(bool &hasKeys);
  ParseResult parseKeys();
  ParseResult parseKey(StringRef key);
  ParseResult parseDotDims(StringRef key);
  ParseResult parseAlgorithm();
  ParseResult parseWindow();
  /// The dimensions of an operand of a convolution, as text.
  ParseResult parseConvDims(std::string &text);
  ParseResult parseNumbers(SmallVectorImpl<int64_t> &numbers);
  /// A number, or a list of them, or of words, which are dropped.
  ParseResult parseValue(Attribute &value);
  ParseResult parseTypes(SmallVector<Type> &operandTypes);
  /// Text in brackets of which nothing is kept, such as `<@mesh, [{"x"}]>`.
  ParseResult skipBrackets();
  ParseResult finish();

  void addText(StringRef name, const llvm::Twine &text) {
    llvm::SmallString<64> storage;
    state.addAttribute(
        name, mlir::OpaqueAttr::get(p.getBuilder().getStringAttr("stablehlo"),
                                    text.toStringRef(storage),
                                    mlir::NoneType::get(p.getContext())));
  }
  void addNumbers(StringRef name, ArrayRef<int64_t> numbers) {
    state.addAttribute(name, p.getBuilder().getDenseI64ArrayAttr(numbers));
  }

  mlir::OpAsmParser &p;
  mlir::OperationState &state;
  llvm::SMLoc loc;
  StringRef op;
  Operands operands;
  /// Of dot_general.
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
};

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_FORMPARSER_H
