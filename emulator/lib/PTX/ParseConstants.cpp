//===- ParseConstants.cpp - Constants and constant expressions ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer expressions are 64 bits wide, as PTX says; floats are literals only.
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"

#include <cstring>

namespace qcc::emu {

constexpr int maxExpressionDepth = 32;

bool Parser::startsConstant() const {
  const Token &t = token();
  return t.kind == Token::Integer || t.kind == Token::Single ||
         t.kind == Token::Double || t.is('-') || t.is('+') || t.is('~') ||
         t.is('!') || t.is('(') || t.isName("WARP_SZ");
}

bool Parser::parseConstant(Constant &constant) {
  constant = Constant();
  constant.at = token();
  bool minus = token().is('-');
  const Token &literal = token(minus ? 1 : 0);
  if (literal.kind == Token::Single || literal.kind == Token::Double) {
    if (minus)
      next();
    next();
    constant.isFloat = true;
    constant.floatWidth = literal.kind == Token::Single ? 32 : 64;
    constant.floatBits = literal.value;
    if (minus)
      constant.floatBits ^= uint64_t(1) << (constant.floatWidth - 1);
    return true;
  }
  return parseExpression(constant, 0, 0);
}

namespace {
struct BinaryOperator {
  char mark;
  bool twice; ///< "<<" and the like.
  int level;
};
} // namespace

/// The binary operator at a token; level -1 if the token is no binary operator.
static BinaryOperator binaryOperator(const Token &first, const Token &second) {
  static constexpr BinaryOperator operators[] = {
      {'|', false, 0}, {'^', false, 1}, {'&', false, 2}, {'<', true, 3},
      {'>', true, 3},  {'+', false, 4}, {'-', false, 4}, {'*', false, 5},
      {'/', false, 5}, {'%', false, 5}};
  if (first.kind != Token::Mark)
    return {0, false, -1};
  for (const BinaryOperator &op : operators)
    if (first.mark == op.mark &&
        op.twice == (second.is(op.mark) && second.begin == first.end))
      return op;
  return {0, false, -1};
}

bool Parser::parseExpression(Constant &value, int level, int depth) {
  if (depth > maxExpressionDepth)
    return failHere("an expression nested more than " +
                    std::to_string(maxExpressionDepth) + " deep");
  if (!parsePrimary(value, depth))
    return false;
  while (true) {
    BinaryOperator op = binaryOperator(token(), token(1));
    if (op.level < level)
      return true;
    const Token &at = next();
    if (op.twice)
      next();
    Constant right;
    if (!parseExpression(right, op.level + 1, depth + 1))
      return false;
    uint64_t a = value.bits, b = right.bits, result = 0;
    int64_t sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    bool isSigned = value.isNegative || right.isNegative;
    switch (op.mark) {
    case '|':
      result = a | b;
      break;
    case '^':
      result = a ^ b;
      break;
    case '&':
      result = a & b;
      break;
    case '<':
      result = b < 64 ? a << b : 0;
      break;
    case '>':
      result = b >= 64            ? (value.isNegative ? ~uint64_t(0) : 0)
               : value.isNegative ? static_cast<uint64_t>(sa >> b)
                                  : a >> b;
      break;
    case '+':
      result = a + b;
      break;
    case '-':
      result = a - b;
      isSigned = isSigned || a < b;
      break;
    case '*':
      result = a * b;
      break;
    default: // '/' and '%'
      if (b == 0)
        return fail(at, "a division by zero in a constant");
      if (isSigned && sb == -1)
        result = op.mark == '/' ? 0 - a : 0;
      else if (isSigned)
        result = static_cast<uint64_t>(op.mark == '/' ? sa / sb : sa % sb);
      else
        result = op.mark == '/' ? a / b : a % b;
      break;
    }
    value.bits = result;
    value.isNegative = isSigned && static_cast<int64_t>(result) < 0;
  }
}

bool Parser::parsePrimary(Constant &value, int depth) {
  if (depth > maxExpressionDepth)
    return failHere("an expression nested more than " +
                    std::to_string(maxExpressionDepth) + " deep");
  const Token &at = token();
  if (at.kind == Token::Integer) {
    value.bits = next().value;
    value.isNegative = false;
    return true;
  }
  if (at.isName("WARP_SZ")) {
    next();
    value.bits = 32;
    value.isNegative = false;
    return true;
  }
  if (consume('('))
    return parseExpression(value, 0, depth + 1) &&
           expect(')', "after an expression");
  if (consume('+'))
    return parsePrimary(value, depth + 1);
  if (consume('-')) {
    if (!parsePrimary(value, depth + 1))
      return false;
    value.bits = 0 - value.bits;
    value.isNegative = static_cast<int64_t>(value.bits) < 0;
    return true;
  }
  if (consume('~') || consume('!')) {
    if (!parsePrimary(value, depth + 1))
      return false;
    value.bits = at.is('~') ? ~value.bits : value.bits == 0;
    value.isNegative = at.is('~') && static_cast<int64_t>(value.bits) < 0;
    return true;
  }
  return failHere("expected an integer constant");
}

bool Parser::parseOffset(int64_t &offset) {
  Constant constant;
  if (!parseConstant(constant))
    return false;
  if (constant.isFloat)
    return fail(constant.at, "a float in an address");
  offset = static_cast<int64_t>(constant.bits);
  return true;
}

bool Parser::parseInteger(int64_t &value, const char *what, int64_t low,
                          int64_t high) {
  Constant constant;
  if (!parseConstant(constant))
    return false;
  value = static_cast<int64_t>(constant.bits);
  if (constant.isFloat || (!constant.isNegative && value < 0) || value < low ||
      value > high)
    return fail(constant.at, std::string(what) + " must be an integer from " +
                                 std::to_string(low) + " to " +
                                 std::to_string(high));
  return true;
}

bool Parser::convertConstant(const Constant &constant, ScalarType type,
                             uint64_t &bits) {
  std::string name(typeName(type));
  if (!constant.isFloat) {
    if (type == ScalarType::Pred) {
      bits = constant.bits ? 0xffffffff : 0;
      return true;
    }
    if (isFloat(type))
      return fail(constant.at, "an integer constant for a ." + name +
                                   "; write 0f and 8, or 0d and 16 "
                                   "hexadecimal digits");
    int width = bitsOf(type);
    bits = constant.bits;
    if (width < 64) {
      bool fits = constant.isNegative ? static_cast<int64_t>(bits) >=
                                            -(int64_t(1) << (width - 1))
                                      : bits >> width == 0;
      if (!fits)
        return fail(constant.at, "the constant does not fit in a ." + name);
      bits &= (uint64_t(1) << width) - 1;
    }
    return true;
  }
  double value;
  if (constant.floatWidth == 64) {
    memcpy(&value, &constant.floatBits, sizeof(value));
  } else {
    float single;
    uint32_t singleBits = static_cast<uint32_t>(constant.floatBits);
    memcpy(&single, &singleBits, sizeof(single));
    value = single;
  }
  // Untyped bits and a type as wide as the literal take it as it is.
  bool isRaw =
      bitsOf(type) == constant.floatWidth &&
      (typeInfo(type).kind == TypeClass::Bits || type == ScalarType::F32 ||
       type == ScalarType::TF32 || type == ScalarType::F64);
  if (isRaw) {
    bits = constant.floatBits;
    return true;
  }
  if (type == ScalarType::F64) {
    memcpy(&bits, &value, sizeof(bits));
    return true;
  }
  if (type == ScalarType::F32) {
    float single = static_cast<float>(value);
    uint32_t singleBits;
    memcpy(&singleBits, &single, sizeof(single));
    bits = singleBits;
    return true;
  }
  return fail(constant.at, "a float constant for a ." + name);
}

Operand Parser::poolConstant(ScalarType type, uint64_t bits) {
  Operand operand;
  operand.kind = OperandKind::Constant;
  operand.type = type;
  operand.value = static_cast<int64_t>(bits);
  bool isPredicate = type == ScalarType::Pred;
  int width = isPredicate ? 0 : static_cast<int>(laneBytes(type));
  auto [it, isNew] = constantSlots_.try_emplace({bits, width}, 0);
  if (isNew) {
    std::vector<uint8_t> &pool = program_.constants;
    it->second = static_cast<uint32_t>(pool.size());
    constexpr size_t lanes = 32, alignment = 16;
    if (isPredicate) {
      pool.resize(pool.size() + alignment);
      memcpy(&pool[it->second], &bits, 4);
    } else {
      pool.resize(pool.size() + lanes * width);
      for (size_t lane = 0; lane < lanes; ++lane)
        memcpy(&pool[it->second + lane * width], &bits, width);
    }
  }
  operand.slot = it->second;
  return operand;
}

} // namespace qcc::emu
