//===- ParseOperands.cpp - Operands and their types -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"
#include "PTX/SpecialRegisters.h"

namespace qcc::emu {

bool Parser::beginGroup(Instruction &inst) {
  if (inst.numGroups >= maxGroups)
    return failHere("too many operands");
  inst.groups[inst.numGroups].first =
      static_cast<uint16_t>(function_->operands.size() - currentFirst_);
  return true;
}

void Parser::endGroup(Instruction &inst) {
  OperandGroup &group = inst.groups[inst.numGroups++];
  group.count = static_cast<uint16_t>(function_->operands.size() -
                                      currentFirst_ - group.first);
}

bool Parser::parseOperands(const InstructionPattern &pattern,
                           Instruction &inst) {
  bool isFirst = true;
  for (const OperandSlot &slot : pattern.operands) {
    if (slot.optional && token().is(';'))
      return true;
    if (!isFirst && !expect(',', "between operands"))
      return false;
    isFirst = false;
    if (!parseOperand(slot, inst))
      return false;
  }
  return true;
}

bool Parser::parseOperand(const OperandSlot &slot, Instruction &inst) {
  ScalarType type =
      slot.typeIndex >= 0 ? inst.types[slot.typeIndex] : slot.type;
  if (slot.kind == OperandSlot::Call)
    return parseCall(inst);
  if (!beginGroup(inst))
    return false;
  bool good = false;
  switch (slot.kind) {
  case OperandSlot::Value:
    if (slot.isUpdated)
      return parseUpdated(slot, type, inst);
    good = parseValues(slot, type, inst);
    break;
  case OperandSlot::Predicate: {
    bool negated = consume('!');
    good = parseValue(slot, type, /*maySink=*/false);
    if (good)
      function_->operands.back().negated = negated;
    break;
  }
  case OperandSlot::Number: {
    Constant constant;
    uint64_t bits;
    good = parseConstant(constant) &&
           convertConstant(constant, ScalarType::B32, bits);
    if (good)
      addOperand(poolConstant(ScalarType::B32, bits));
    break;
  }
  case OperandSlot::Address:
    good = parseAddress(slot.space.value_or(inst.space), inst);
    break;
  case OperandSlot::Tensor:
    return parseTensor(inst);
  case OperandSlot::Mov:
    good = token().is('{') ? parseMovVector(slot.destination, type)
                           : parseMov(slot, type);
    break;
  case OperandSlot::Label:
    good = parseLabel(/*isTable=*/false);
    break;
  case OperandSlot::Labels:
    good = parseLabel(/*isTable=*/true);
    break;
  case OperandSlot::Call:
    break;
  }
  if (!good)
    return false;
  endGroup(inst);
  if (!slot.withPredicate)
    return true;
  if (!beginGroup(inst))
    return false;
  if (consume('|')) {
    OperandSlot predicate;
    predicate.destination = true;
    if (!parseValue(predicate, ScalarType::Pred, /*maySink=*/true))
      return false;
  } else {
    addOperand(Operand());
  }
  endGroup(inst);
  return true;
}

//===----------------------------------------------------------------------===//
// Registers and constants
//===----------------------------------------------------------------------===//

bool Parser::checkRegister(const Token &at, ScalarType wanted,
                           ScalarType declared, bool mayBeWider) {
  const TypeInfo &want = typeInfo(wanted), &have = typeInfo(declared);
  bool sizesAgree =
      mayBeWider ? have.bits >= want.bits : have.bits == want.bits;
  bool classesAgree =
      want.kind == have.kind ||
      (want.kind != TypeClass::Pred && have.kind != TypeClass::Pred &&
       (want.kind == TypeClass::Bits || have.kind == TypeClass::Bits));
  // Floats of one size are of one type: f16x2 is no f32.
  if (want.kind == TypeClass::Float && have.kind == TypeClass::Float &&
      wanted != declared)
    classesAgree = false;
  if (sizesAgree && classesAgree)
    return true;
  return fail(at, "'" + std::string(at.text) + "' is a ." +
                      std::string(have.name) + " where a ." +
                      std::string(want.name) + " is needed");
}

bool Parser::registerOperand(const Token &name, const Symbol &symbol,
                             const OperandSlot &slot, ScalarType type) {
  if (!checkRegister(name, type, symbol.type, slot.mayBeWider))
    return false;
  Operand operand;
  operand.kind = OperandKind::Register;
  operand.type = symbol.type;
  operand.slot = symbol.slot;
  operand.isWritten = slot.destination;
  addOperand(operand);
  return true;
}

/// %tid.x and the like, at the current token.
bool Parser::specialOperand(ScalarType type) {
  const Token &at = next();
  std::string name(at.text);
  if (token().kind == Token::Dotted)
    name += "." + std::string(next().text);
  std::optional<SpecialInfo> info = specialRegister(name);
  if (!info) {
    if (name.find('.') != std::string::npos || name[0] != '%')
      return fail(at, "'" + name + "' is not declared");
    return refuse(at, "'" + name +
                          "' is neither declared nor a special "
                          "register that is emulated");
  }
  if (!checkRegister(at, type, info->type, /*mayBeWider=*/false))
    return false;
  Operand operand;
  operand.type = info->type;
  operand.value = static_cast<int>(info->reg);
  if (info->changes) {
    operand.kind = OperandKind::Special;
    addOperand(operand);
    return true;
  }
  operand.kind = OperandKind::Register;
  int key = static_cast<int>(info->reg);
  auto [it, isNew] = specialSlots_.try_emplace(key, 0);
  if (isNew) {
    it->second = allocateSlot(info->type);
    function_->specials.push_back({static_cast<uint8_t>(key), it->second});
  }
  operand.slot = it->second;
  addOperand(operand);
  return true;
}

bool Parser::parseValue(const OperandSlot &slot, ScalarType type,
                        bool maySink) {
  const Token &at = token();
  if (!slot.destination && startsConstant()) {
    Constant constant;
    uint64_t bits;
    if (!parseConstant(constant) || !convertConstant(constant, type, bits))
      return false;
    addOperand(poolConstant(type, bits));
    return true;
  }
  if (at.kind != Token::Name)
    return failHere(slot.destination ? "expected a register"
                                     : "expected a register or a constant");
  if (at.text == "_") {
    if (!maySink)
      return failHere("'_' is not allowed here");
    next();
    addOperand(Operand());
    return true;
  }
  const Symbol *symbol = lookup(at.text);
  if (symbol && symbol->kind == Symbol::Register) {
    next();
    return registerOperand(at, *symbol, slot, type);
  }
  if (symbol)
    return failHere("'" + std::string(at.text) +
                    "' is a variable; move its address to a register first");
  if (slot.destination || at.text[0] != '%')
    return failHere("'" + std::string(at.text) +
                    "' is not declared as a register");
  return specialOperand(type);
}

//===----------------------------------------------------------------------===//
// Addresses and variables
//===----------------------------------------------------------------------===//

/// [%rd1+16], [variable], [variable+4], [1024]
bool Parser::parseAddress(StateSpace space, Instruction &inst) {
  return expect('[', "before an address") && parseAddressBody(space, inst) &&
         expect(']', "after an address");
}

/// The same without brackets.
bool Parser::parseAddressBody(StateSpace space, Instruction &inst) {
  Operand operand;
  operand.kind = OperandKind::Address;
  operand.type = ScalarType::B64;
  bool isExternalShared = false;
  // Parameters of device functions lie in local memory.
  if (space == StateSpace::Param && !function_->isEntry)
    inst.space = StateSpace::Local;
  const Token &at = token();
  if (at.kind == Token::Name && at.text != "WARP_SZ") {
    const Symbol *symbol = lookup(at.text);
    if (!symbol)
      return failHere("'" + std::string(at.text) + "' is not declared");
    next();
    if (symbol->kind == Symbol::Register) {
      int bits = bitsOf(symbol->type);
      TypeClass kind = typeInfo(symbol->type).kind;
      if ((kind != TypeClass::Bits && kind != TypeClass::Integer) ||
          (bits != 32 && bits != 64))
        return fail(at, "'" + std::string(at.text) + "' is a ." +
                            std::string(typeName(symbol->type)) +
                            ", which is no address");
      operand.origin = Origin::Register;
      operand.type = symbol->type;
      operand.slot = symbol->slot;
    } else {
      bool agrees =
          symbol->space == space ||
          (space == StateSpace::Generic && symbol->space == StateSpace::Global);
      if (!agrees)
        return fail(at, "'" + std::string(at.text) + "' lies in ." +
                            std::string(spaceName(symbol->space)) +
                            ", which a ." + std::string(spaceName(space)) +
                            " access cannot reach");
      operand.value = symbol->address;
      if (symbol->isLocal) {
        operand.origin = Origin::Local;
        operand.slot = function_->localBaseSlot;
        inst.space = StateSpace::Local;
      }
      isExternalShared = symbol->moduleVariable >= 0 &&
                         program_.variables[symbol->moduleVariable].isExternal;
    }
    if (token().is('+') || token().is('-')) {
      int64_t offset;
      if (!parseOffset(offset))
        return false;
      operand.value += offset;
    }
  } else {
    if (!parseOffset(operand.value))
      return false;
  }
  if (isExternalShared)
    externalSharedUses_.push_back(
        {functionNumber_, static_cast<uint32_t>(function_->operands.size())});
  addOperand(operand);
  return true;
}

/// What mov and cvta take beside vectors: also the address of a variable.
bool Parser::parseMov(const OperandSlot &slot, ScalarType type) {
  const Token &at = token();
  const Symbol *symbol =
      at.kind == Token::Name && at.text != "_" ? lookup(at.text) : nullptr;
  if (slot.destination || !symbol || symbol->kind != Symbol::Variable) {
    if (at.kind == Token::Name && !symbol && functionIndex_.count(at.text))
      return refuseHere("the address of a function: indirect calls are not "
                        "emulated");
    return parseValue(slot, type, /*maySink=*/false);
  }
  next();
  TypeClass kind = typeInfo(type).kind;
  if ((kind != TypeClass::Bits && kind != TypeClass::Integer) ||
      (bitsOf(type) != 64 &&
       (bitsOf(type) != 32 || symbol->space == StateSpace::Global ||
        symbol->space == StateSpace::Const)))
    return fail(at, "the address of '" + std::string(at.text) +
                        "' does not fit in a ." + std::string(typeName(type)));
  Operand operand;
  operand.kind = OperandKind::Address;
  operand.type = type;
  operand.value = symbol->address;
  if (symbol->isLocal) {
    operand.origin = Origin::Local;
    operand.slot = function_->localBaseSlot;
  }
  if (symbol->moduleVariable >= 0 &&
      program_.variables[symbol->moduleVariable].isExternal)
    externalSharedUses_.push_back(
        {functionNumber_, static_cast<uint32_t>(function_->operands.size())});
  if (token().is('+') || token().is('-')) {
    int64_t offset;
    if (!parseOffset(offset))
      return false;
    operand.value += offset;
  }
  addOperand(operand);
  return true;
}

//===----------------------------------------------------------------------===//
// Labels and calls
//===----------------------------------------------------------------------===//

bool Parser::parseLabel(bool isTable) {
  const Token *name;
  if (!expectName(name, isTable ? "a .branchtargets list" : "a label"))
    return false;
  Scope &scope = scopes_.back();
  (isTable ? scope.tableUses : scope.labelUses)
      .push_back({*name, static_cast<uint32_t>(function_->code.size())});
  addOperand(Operand());
  return true;
}

/// One side of a call: .param variables of the caller, as the callee has them.
bool Parser::parseCallList(const std::vector<Variable> &formal,
                           const char *what) {
  const Token &open = token();
  if (!expect('(', "before the operands of a call"))
    return false;
  size_t count = 0;
  if (!consume(')')) {
    do {
      const Token *name;
      if (!expectName(name, "a .param variable"))
        return false;
      const Symbol *symbol = lookup(name->text);
      if (!symbol || symbol->kind != Symbol::Variable || !symbol->isLocal)
        return fail(*name, "'" + std::string(name->text) +
                               "' is no .param variable of this function");
      if (count < formal.size() && formal[count].size != symbol->size)
        return fail(*name, "'" + std::string(name->text) + "' has " +
                               std::to_string(symbol->size) +
                               " bytes; the function has " +
                               std::to_string(formal[count].size) + " there");
      Operand operand;
      operand.kind = OperandKind::Address;
      operand.origin = Origin::Local;
      operand.slot = function_->localBaseSlot;
      operand.value = symbol->address;
      addOperand(operand);
      ++count;
    } while (consume(','));
    if (!expect(')', "after the operands of a call"))
      return false;
  }
  if (count != formal.size())
    return fail(open, "the function has " + std::to_string(formal.size()) +
                          " " + what + ", the call " + std::to_string(count));
  return true;
}

/// call (results), function, (arguments);
bool Parser::parseCall(Instruction &inst) {
  // The callee says what the results are, and stands behind them.
  size_t results = position_;
  bool hasResults = token().is('(');
  if (hasResults) {
    while (!token().is(')') && !token().is(';') && token().kind != Token::End)
      next();
    if (!expect(')', "after the results of a call") ||
        !expect(',', "after the results of a call"))
      return false;
  }
  const Token *name;
  if (!expectName(name, "a function"))
    return false;
  auto it = functionIndex_.find(name->text);
  if (it == functionIndex_.end())
    return lookup(name->text)
               ? refuse(*name, "indirect calls are not emulated")
               : fail(*name, "'" + std::string(name->text) +
                                 "' is not declared as a function");
  const Function &callee = *program_.functions[it->second];
  if (callee.isEntry)
    return fail(*name, "a call of a kernel");
  inst.target = it->second;
  calls_.push_back({*name, functionNumber_, it->second});
  size_t afterName = position_;

  position_ = results;
  if (!beginGroup(inst))
    return false;
  if (hasResults ? !parseCallList(callee.results, "results")
                 : !callee.results.empty() &&
                       !fail(*name, "the call drops the function's results"))
    return false;
  endGroup(inst);

  position_ = afterName;
  if (!beginGroup(inst))
    return false;
  bool hasArguments = consume(',');
  if (hasArguments ? !parseCallList(callee.params, "parameters")
                   : !callee.params.empty() &&
                         !fail(*name, "the call lacks the function's "
                                      "arguments"))
    return false;
  endGroup(inst);
  if (token().is(','))
    return refuseHere("indirect calls are not emulated");
  return true;
}

} // namespace qcc::emu
