//===- ParseVectors.cpp - Operands in braces ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"

namespace qcc::emu {

/// A single value, or as many in braces as the slot says.
bool Parser::parseValues(const OperandSlot &slot, ScalarType type,
                         const Instruction &inst) {
  if (slot.orDescriptor && !token().is('{'))
    return parseValue(slot, ScalarType::B64, /*maySink=*/false);
  int count = slot.count ? slot.count : slot.vector ? inst.vector : 1;
  // Braces around a single one are allowed.
  bool inBraces =
      slot.count > 0 || (slot.vector && (inst.vector > 1 || token().is('{')));
  bool maySink =
      slot.destination && (slot.withPredicate || slot.optional || slot.maySink);
  return inBraces ? parseVector(slot, type, count)
                  : parseValue(slot, type, maySink);
}

bool Parser::parseVector(const OperandSlot &slot, ScalarType type, int count) {
  const Token &open = token();
  // A vector of one may stand without braces.
  if (count == 1 && !open.is('{'))
    return parseValue(slot, type, /*maySink=*/slot.destination);
  if (!expect('{', "before the elements of a vector"))
    return false;
  int elements = 0;
  do {
    if (++elements > count)
      break;
    if (!parseValue(slot, type, /*maySink=*/slot.destination))
      return false;
  } while (consume(','));
  if (elements != count)
    return fail(open, "a vector of " +
                          std::string(elements > count ? "more" : "fewer") +
                          " than " + std::to_string(count) + " elements");
  return expect('}', "after the elements of a vector");
}

/// {%r1, %r2, ...}, any number of them: a group of results, which is begun, and
/// one of operands.
bool Parser::parseUpdated(const OperandSlot &slot, ScalarType type,
                          Instruction &inst) {
  if (!expect('{', "before registers"))
    return false;
  do {
    if (!parseValue(slot, type, /*maySink=*/false))
      return false;
  } while (consume(','));
  if (!expect('}', "after registers"))
    return false;
  endGroup(inst);
  OperandGroup group = inst.groups[inst.numGroups - 1];
  if (!beginGroup(inst))
    return false;
  for (int i = 0; i < group.count; ++i) {
    Operand operand = function_->operands[currentFirst_ + group.first + i];
    operand.isWritten = false;
    addOperand(operand);
  }
  endGroup(inst);
  return true;
}

/// {%r1, %r2} of a mov, whose elements share the bits of its type.
bool Parser::parseMovVector(bool isDestination, ScalarType type) {
  const Token &open = next();
  // The number of elements says how wide each is.
  int count = 1;
  for (size_t ahead = 0; !token(ahead).is('}'); ++ahead) {
    if (token(ahead).kind == Token::End || token(ahead).is(';'))
      return fail(open, "'{' without '}'");
    count += token(ahead).is(',');
  }
  int bits = count <= 4 ? bitsOf(type) / count : 0;
  ScalarType element = bits == 64   ? ScalarType::B64
                       : bits == 32 ? ScalarType::B32
                       : bits == 16 ? ScalarType::B16
                       : bits == 8  ? ScalarType::B8
                                    : ScalarType::None;
  if (count < 2 || bits * count != bitsOf(type) || element == ScalarType::None)
    return fail(open, "a vector of " + std::to_string(count) +
                          " elements for a ." + std::string(typeName(type)));
  OperandSlot slot;
  slot.destination = isDestination;
  // Registers of 8 bits are rare; bytes travel in wider ones.
  slot.mayBeWider = element == ScalarType::B8;
  for (int i = 0; i < count; ++i)
    if ((i > 0 && !expect(',', "between elements")) ||
        !parseValue(slot, element, /*maySink=*/isDestination))
      return false;
  return expect('}', "after the elements of a vector");
}

/// [map, {x, y, ...}]: a group of the address, which is begun, and one of the
/// coordinates.
bool Parser::parseTensor(Instruction &inst) {
  if (!expect('[', "before a tensor map") ||
      !parseAddressBody(StateSpace::Generic, inst))
    return false;
  endGroup(inst);
  if (!expect(',', "before coordinates") ||
      !expect('{', "before coordinates") || !beginGroup(inst))
    return false;
  OperandSlot slot;
  do {
    if (!parseValue(slot, ScalarType::B32, /*maySink=*/false))
      return false;
  } while (consume(','));
  endGroup(inst);
  return expect('}', "after coordinates") &&
         expect(']', "after a tensor map and coordinates");
}

} // namespace qcc::emu
