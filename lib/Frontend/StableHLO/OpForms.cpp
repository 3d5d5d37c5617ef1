//===- OpForms.cpp - Parsers of the printed forms of ops ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most ops are operands, then `key = value` pairs, a dictionary and types. The
// others have a form of their own. Ops that are not in this file are printed in
// the generic form, which MLIR parses.
//
//===----------------------------------------------------------------------===//

#include "OpForms.h"
#include "FormParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace qcc::stablehlo;

namespace {
/// A key of an op, and the attribute that it stands for in the generic form.
struct Key {
  StringLiteral op, key, attribute;
};
} // namespace

static constexpr Key kKeys[] = {
    {"broadcast", "sizes", "broadcast_sizes"},
    {"broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"cholesky", "lower", "lower"},
    {"concatenate", "dim", "dimension"},
    {"dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"dynamic_iota", "dim", "iota_dimension"},
    {"dynamic_slice", "sizes", "slice_sizes"},
    {"get_dimension_size", "dim", "dimension"},
    {"iota", "dim", "iota_dimension"},
    {"pad", "high", "edge_padding_high"},
    {"pad", "interior", "interior_padding"},
    {"pad", "low", "edge_padding_low"},
    {"reverse", "dims", "dimensions"},
    {"set_dimension_size", "dim", "dimension"},
    {"top_k", "k", "k"},
    {"transpose", "dims", "permutation"},
};

ParseResult FormParser::parseNumbers(SmallVectorImpl<int64_t> &numbers) {
  return p.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        for (bool truth : {false, true})
          if (succeeded(p.parseOptionalKeyword(truth ? "true" : "false"))) {
            numbers.push_back(truth);
            return success();
          }
        return p.parseInteger(numbers.emplace_back());
      });
}

ParseResult FormParser::parseValue(Attribute &value) {
  int64_t number = 0;
  OptionalParseResult isNumber = p.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    value = p.getBuilder().getI64IntegerAttr(number);
    return *isNumber;
  }
  StringRef word;
  if (succeeded(p.parseOptionalKeyword(&word))) {
    value = word == "true" || word == "false"
                ? Attribute(p.getBuilder().getBoolAttr(word == "true"))
                : p.getBuilder().getStringAttr(word);
    return success();
  }
  SmallVector<int64_t> numbers;
  bool hasWords = false;
  if (p.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            if (succeeded(p.parseOptionalKeyword(&word))) {
              hasWords = true;
              return success();
            }
            return p.parseInteger(numbers.emplace_back());
          }))
    return failure();
  if (!hasWords)
    value = p.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

/// `[0] x [1]`
ParseResult FormParser::parseDotDims(StringRef key) {
  bool isBatch = key == "batching_dims";
  return failure(parseNumbers(isBatch ? lhsBatch : lhsContracting) ||
                 p.parseKeyword("x") ||
                 parseNumbers(isBatch ? rhsBatch : rhsContracting));
}

/// `<lhs_precision_type = bf16, ..., allow_imprecise_accumulation = false>`
ParseResult FormParser::parseAlgorithm() {
  std::string text = "dot_algorithm<";
  auto parseField = [&]() -> ParseResult {
    StringRef name, word;
    if (p.parseKeyword(&name) || p.parseEqual())
      return failure();
    text += (text.back() == '<' ? "" : ", ") + name.str() + " = ";
    int64_t number = 0;
    Type type;
    if (OptionalParseResult found = p.parseOptionalInteger(number);
        found.has_value()) {
      text += std::to_string(number);
      return *found;
    }
    if (OptionalParseResult found = p.parseOptionalType(type);
        found.has_value()) {
      llvm::raw_string_ostream(text) << type;
      return *found;
    }
    if (p.parseKeyword(&word))
      return failure();
    text += word;
    return success();
  };
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return failure();
  addText("algorithm", text + ">");
  return success();
}

ParseResult FormParser::parseKey(StringRef key) {
  if (op == "dot_general" &&
      (key == "batching_dims" || key == "contracting_dims"))
    return parseDotDims(key);
  if (op == "dot_general" && key == "algorithm")
    return parseAlgorithm();
  if (op == "reduce_precision" && key == "format") {
    StringRef format;
    unsigned exponent = 0, mantissa = 0;
    if (p.parseKeyword(&format))
      return failure();
    if (!format.consume_front("e") || format.consumeInteger(10, exponent) ||
        !format.consume_front("m") || format.getAsInteger(10, mantissa))
      return p.emitError(loc, "expected a format such as e5m10");
    Builder &b = p.getBuilder();
    state.addAttribute("exponent_bits", b.getI32IntegerAttr(exponent));
    state.addAttribute("mantissa_bits", b.getI32IntegerAttr(mantissa));
    return success();
  }
  Attribute value;
  if (parseValue(value))
    return failure();
  StringRef name = key;
  for (const Key &known : kKeys)
    if (known.op == op && known.key == key)
      name = known.attribute;
  if (value)
    state.addAttribute(name, value);
  return success();
}

/// `key = value, key = value`
ParseResult FormParser::parseKeys() {
  do {
    StringRef key;
    if (p.parseKeyword(&key) || p.parseEqual() || parseKey(key))
      return failure();
  } while (succeeded(p.parseOptionalComma()));
  return success();
}

/// `%0, %1`, perhaps with a comma behind, after which keys follow.
ParseResult FormParser::parseOperands(bool &hasKeys) {
  hasKeys = false;
  do {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult found = p.parseOptionalOperand(operand);
    if (!found.has_value()) {
      hasKeys = true;
      return success();
    }
    if (failed(*found))
      return failure();
    operands.push_back(operand);
  } while (succeeded(p.parseOptionalComma()));
  return success();
}

/// `: (t, t) -> t`, `: t -> t`, `: t, t` or `: t`. Adds the types of results.
ParseResult FormParser::parseTypes(SmallVector<Type> &operandTypes) {
  SmallVector<Type> types;
  if (p.parseColonTypeList(types))
    return failure();
  size_t count = operands.size();
  if (types.size() == 1)
    if (auto function = dyn_cast<FunctionType>(types[0])) {
      operandTypes = llvm::to_vector(function.getInputs());
      state.addTypes(function.getResults());
      return success();
    }
  if (succeeded(p.parseOptionalArrow())) {
    bool isList = succeeded(p.parseOptionalLParen());
    if (p.parseTypeList(state.types) || (isList && p.parseRParen()))
      return failure();
    operandTypes = types;
  } else if (op == "return") {
    operandTypes = types;
  } else if (op == "optimization_barrier" || op == "while") {
    operandTypes = types;
    state.addTypes(types);
  } else if (op == "select" && types.size() == 2) {
    operandTypes = {types[0], types[1], types[1]};
    state.addTypes(types[1]);
  } else if (types.size() == 1) {
    operandTypes.assign(count, types[0]);
    state.addTypes(types[0]);
  } else {
    operandTypes = types;
  }
  return success();
}

/// The dictionary of attributes and the types.
ParseResult FormParser::finish() {
  SmallVector<Type> types;
  return failure(p.parseOptionalAttrDict(state.attributes) ||
                 parseTypes(types) ||
                 p.resolveOperands(operands, types, loc, state.operands));
}

ParseResult FormParser::parseConstant() {
  // A constant of a quantized type: `() <{value = dense<...>}> : () -> type`.
  if (succeeded(p.parseOptionalLParen()))
    return failure(p.parseRParen() ||
                   p.parseGenericOperationAfterOpName(
                       state, ArrayRef<OpAsmParser::UnresolvedOperand>()));
  TypedAttr value;
  if (p.parseOptionalAttrDict(state.attributes) ||
      p.parseAttribute(value, "value", state.attributes))
    return failure();
  state.addTypes(value.getType());
  return success();
}

/// `LT, %0, %1, SIGNED : ...`
ParseResult FormParser::parseCompare() {
  StringRef direction, type;
  if (p.parseKeyword(&direction) || p.parseComma() ||
      p.parseOperand(operands.emplace_back()) || p.parseComma() ||
      p.parseOperand(operands.emplace_back()))
    return failure();
  addText("comparison_direction", "comparison_direction " + direction);
  if (succeeded(p.parseOptionalComma())) {
    if (p.parseKeyword(&type))
      return failure();
    addText("compare_type", "comparison_type " + type);
  }
  return finish();
}

/// `%0 [1:3, 4:8:2] : ...`
ParseResult FormParser::parseSlice() {
  SmallVector<int64_t> starts, limits, strides;
  auto parseRange = [&]() -> ParseResult {
    if (p.parseInteger(starts.emplace_back()) || p.parseColon() ||
        p.parseInteger(limits.emplace_back()))
      return failure();
    strides.push_back(1);
    return succeeded(p.parseOptionalColon()) ? p.parseInteger(strides.back())
                                             : ParseResult(success());
  };
  if (p.parseOperand(operands.emplace_back()) ||
      p.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  addNumbers("start_indices", starts);
  addNumbers("limit_indices", limits);
  addNumbers("strides", strides);
  return finish();
}

ParseResult FormParser::parseConvDims(std::string &text) {
  SmallVector<std::string> names;
  auto parseName = [&]() -> ParseResult {
    StringRef word;
    if (succeeded(p.parseOptionalKeyword(&word))) {
      names.push_back(word.str());
      return success();
    }
    int64_t number = 0;
    if (p.parseInteger(number))
      return failure();
    names.push_back(std::to_string(number));
    return success();
  };
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
    return failure();
  text += "[" + llvm::join(names, ", ") + "]";
  return success();
}

/// `{stride = [1, 1], pad = [[0, 0], [0, 0]], ...}`
ParseResult FormParser::parseWindow() {
  auto parseItem = [&]() -> ParseResult {
    StringRef key;
    if (p.parseKeyword(&key) || p.parseEqual())
      return failure();
    SmallVector<int64_t> numbers;
    if (key == "pad") {
      if (p.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                    [&] { return parseNumbers(numbers); }))
        return failure();
      Type type =
          RankedTensorType::get({static_cast<int64_t>(numbers.size()) / 2, 2},
                                p.getBuilder().getI64Type());
      if (numbers.size() % 2 != 0)
        return p.emitError(loc, "expected pairs of numbers in pad");
      state.addAttribute("padding",
                         DenseIntElementsAttr::get(cast<ShapedType>(type),
                                                   ArrayRef<int64_t>(numbers)));
      return success();
    }
    if (parseNumbers(numbers))
      return failure();
    StringRef name = key == "stride"       ? "window_strides"
                     : key == "lhs_dilate" ? "lhs_dilation"
                     : key == "rhs_dilate" ? "rhs_dilation"
                     : key == "reverse"    ? "window_reversal"
                                           : "";
    if (name.empty())
      return p.emitError(loc, "unknown part of a window '") << key << "'";
    addNumbers(name, numbers);
    return success();
  };
  return p.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseItem);
}

/// `(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
/// window = {...} {...} : ...`
ParseResult FormParser::parseConvolution() {
  std::string dims = "conv<";
  if (p.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      p.parseKeyword("dim_numbers") || p.parseEqual() || parseConvDims(dims) ||
      p.parseKeyword("x"))
    return failure();
  dims += "x";
  if (parseConvDims(dims) || p.parseArrow())
    return failure();
  dims += "->";
  if (parseConvDims(dims) || p.parseComma() || p.parseKeyword("window") ||
      p.parseEqual() || parseWindow())
    return failure();
  addText("dimension_numbers", dims + ">");
  return finish();
}

/// `@name(%0, %1) {...} : ...`
ParseResult FormParser::parseCustomCall() {
  StringAttr name;
  if (p.parseSymbolName(name) ||
      p.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  state.addAttribute("call_target_name", name);
  return finish();
}

static std::string list(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

ParseResult FormParser::parseUsual() {
  if (op == "composite") {
    std::string name;
    if (p.parseString(&name))
      return failure();
    state.addAttribute("name", p.getBuilder().getStringAttr(name));
  }
  bool hasKeys = false, isInParentheses = succeeded(p.parseOptionalLParen());
  if (parseOperands(hasKeys))
    return failure();
  int64_t index = 0;
  if (op == "get_tuple_element") {
    if (p.parseLSquare() || p.parseInteger(index) || p.parseRSquare())
      return failure();
    state.addAttribute("index", p.getBuilder().getI32IntegerAttr(index));
  }
  // `iota dim = 0`: keys without operands. An op without either has its types
  // or its dictionary next.
  StringRef key;
  if (hasKeys && succeeded(p.parseOptionalKeyword(&key))) {
    if (p.parseEqual() || parseKey(key) ||
        (succeeded(p.parseOptionalComma()) && parseKeys()))
      return failure();
  }
  if (isInParentheses && p.parseRParen())
    return failure();
  if (op == "dot_general") {
    addText("dot_dimension_numbers",
            "dot<lhs_batching_dimensions = " + list(lhsBatch) +
                ", rhs_batching_dimensions = " + list(rhsBatch) +
                ", lhs_contracting_dimensions = " + list(lhsContracting) +
                ", rhs_contracting_dimensions = " + list(rhsContracting) + ">");
  }
  if (operands.empty() && op == "return")
    return p.parseOptionalAttrDict(state.attributes);
  return finish();
}

ParseResult FormParser::skipBrackets() {
  if (p.parseLess())
    return failure();
  for (unsigned depth = 1; depth > 0;) {
    std::string text;
    StringRef word;
    StringAttr symbol;
    int64_t number = 0;
    OptionalParseResult isNumber = p.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
    } else if (succeeded(p.parseOptionalLess()) ||
               succeeded(p.parseOptionalLSquare()) ||
               succeeded(p.parseOptionalLBrace()) ||
               succeeded(p.parseOptionalLParen())) {
      ++depth;
    } else if (succeeded(p.parseOptionalGreater()) ||
               succeeded(p.parseOptionalRSquare()) ||
               succeeded(p.parseOptionalRBrace()) ||
               succeeded(p.parseOptionalRParen())) {
      --depth;
    } else if (failed(p.parseOptionalString(&text)) &&
               failed(p.parseOptionalSymbolName(symbol)) &&
               failed(p.parseOptionalKeyword(&word)) &&
               failed(p.parseOptionalComma()) &&
               failed(p.parseOptionalColon()) &&
               failed(p.parseOptionalEqual()) &&
               failed(p.parseOptionalQuestion())) {
      return p.emitError(p.getCurrentLocation(), "expected axes of devices");
    }
  }
  return success();
}

/// `@mesh = <["x"=2]>`
ParseResult FormParser::parseMesh() {
  StringAttr name;
  return failure(p.parseSymbolName(name, "sym_name", state.attributes) ||
                 p.parseEqual() || skipBrackets() ||
                 p.parseOptionalAttrDict(state.attributes));
}

/// `%0 <@mesh, [{"x"}, {?}]> : tensor<2x3xf32>`
ParseResult FormParser::parseShardingConstraint() {
  return failure(p.parseOperand(operands.emplace_back()) || skipBrackets() ||
                 finish());
}

ParseResult FormParser::run() {
  using Parser = ParseResult (FormParser::*)();
  return (this->*llvm::StringSwitch<Parser>(op)
                     .Case("compare", &FormParser::parseCompare)
                     .Case("constant", &FormParser::parseConstant)
                     .Case("convolution", &FormParser::parseConvolution)
                     .Case("custom_call", &FormParser::parseCustomCall)
                     .Case("mesh", &FormParser::parseMesh)
                     .Case("reduce", &FormParser::parseReduce)
                     .Case("sharding_constraint",
                           &FormParser::parseShardingConstraint)
                     .Case("slice", &FormParser::parseSlice)
                     .Case("while", &FormParser::parseWhile)
                     .Default(&FormParser::parseUsual))();
}

ParseResult qcc::stablehlo::parseOpForm(OpAsmParser &parser,
                                        OperationState &state) {
  return FormParser(parser, state).run();
}
