//===- ParseInstruction.cpp - Instructions and their modifiers ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"

#include <algorithm>

namespace qcc::emu {

/// More than any kernel has; keeps what a hostile text can ask for in bounds.
constexpr size_t maxInstructions = size_t(1) << 24;

/// Of an instruction without a word for it: the state space that its words
/// name.
static StateSpace spaceOf(const Instruction &inst) {
  for (Mod mod : inst.modifiers)
    switch (mod) {
    case Mod::global:
      return StateSpace::Global;
    case Mod::shared:
    case Mod::shared_cta:
    case Mod::shared_cluster:
      return StateSpace::Shared;
    case Mod::local:
      return StateSpace::Local;
    case Mod::const_:
      return StateSpace::Const;
    case Mod::param:
    case Mod::param_entry:
    case Mod::param_func:
      return StateSpace::Param;
    default:
      break;
    }
  return StateSpace::Generic;
}

/// @p or @!p
bool Parser::parseGuard(Instruction &inst) {
  if (!consume('@'))
    return true;
  inst.guardNegated = consume('!');
  const Token *name;
  if (!expectName(name, "a predicate after '@'"))
    return false;
  const Symbol *symbol = lookup(name->text);
  if (!symbol || symbol->kind != Symbol::Register)
    return fail(*name, "'" + std::string(name->text) +
                           "' is not declared as a register");
  if (symbol->type != ScalarType::Pred)
    return fail(*name, "'" + std::string(name->text) + "' is a ." +
                           std::string(typeName(symbol->type)) +
                           ", not a predicate");
  inst.hasGuard = true;
  inst.guardSlot = symbol->slot;
  return true;
}

void Parser::addInstruction(Instruction inst) {
  inst.operands = nullptr; // Set when the function is complete.
  inst.sourceFile = sourceFile_;
  inst.sourceLine = sourceLine_;
  function_->code.push_back(inst);
  firstOperand_.push_back(currentFirst_);
}

bool Parser::addImplicitReturn() {
  Instruction inst;
  const InstructionPattern &pattern = table_.find("ret")->at(0);
  currentFirst_ = static_cast<uint32_t>(function_->operands.size());
  addOperand(Operand());
  inst.row = pattern.row;
  inst.cost = pattern.row->cost;
  const Token &brace = tokens_[position_ - 1];
  inst.line = brace.line;
  inst.textBegin = brace.begin;
  inst.textEnd = brace.end;
  pattern.row->select(inst);
  addInstruction(inst);
  return true;
}

bool Parser::parseInstruction() {
  Instruction inst;
  const Token &first = token();
  inst.line = first.line;
  inst.textBegin = first.begin;
  if (function_->code.size() >= maxInstructions)
    return failHere("a function of more than 16 million instructions");
  if (!parseGuard(inst))
    return false;
  const Token *mnemonic;
  if (!expectName(mnemonic, "an instruction"))
    return false;
  const InstructionPattern *pattern = matchModifiers(*mnemonic, inst);
  if (!pattern)
    return false;
  inst.row = pattern->row;
  inst.cost = pattern->row->cost;
  inst.space = spaceOf(inst);
  inst.vector = inst.has(Mod::v2)   ? 2
                : inst.has(Mod::v4) ? 4
                : inst.has(Mod::v8) ? 8
                                    : 1;
  currentFirst_ = static_cast<uint32_t>(function_->operands.size());
  if (!parseOperands(*pattern, inst))
    return false;
  inst.textEnd = token().end;
  if (!expect(';', "after an instruction"))
    return false;
  // There is always one, so that `operands` points to something.
  addOperand(Operand());
  inst.operands = &function_->operands[currentFirst_];
  if (!inst.row->select(inst))
    return refuse(*mnemonic, "'" + std::string(mnemonic->text) +
                                 "' does not exist with these modifiers and "
                                 "operands");
  if (!checkSince(*mnemonic, inst))
    return false;
  function_->setsRegisters |= mnemonic->text == "setmaxnreg";
  addInstruction(inst);
  return true;
}

/// Operands up to the semicolon, as commas outside of brackets part them.
int Parser::countOperands() const {
  int operands = token().is(';') ? 0 : 1, depth = 0;
  for (size_t ahead = 0;; ++ahead) {
    const Token &t = token(ahead);
    if (t.is(';') || t.kind == Token::End)
      return operands;
    if (t.is('[') || t.is('{') || t.is('('))
      ++depth;
    else if (t.is(']') || t.is('}') || t.is(')'))
      --depth;
    else if (t.is(',') && depth == 0)
      ++operands;
  }
}

bool Parser::refuseByName(const Token &mnemonic,
                          const std::vector<const Token *> &words) {
  // "cp.async.bulk" has no row though "cp" has.
  std::string prefix(mnemonic.text);
  for (size_t i = 0;; ++i) {
    std::string_view reason = InstructionTable::whyUnsupported(prefix);
    if (!reason.empty()) {
      refuse(mnemonic, "'" + prefix + "' " + std::string(reason));
      return true;
    }
    if (i == words.size())
      return false;
    prefix += "." + std::string(words[i]->text);
  }
}

/// Puts words into the slots of a pattern, in the order in which they stand or
/// in any order; types keep theirs. Returns how many fit, and whether all slots
/// that need a word have one.
static std::pair<size_t, bool>
fillModifiers(const InstructionPattern &pattern,
              const std::vector<const Token *> &words, bool inAnyOrder,
              Instruction &inst) {
  inst.modifiers.fill(Mod::None);
  inst.types.fill(ScalarType::None);
  // The slots from which on words and types may stand.
  size_t firstSlot = 0, firstType = 0, word = 0;
  for (; word < words.size(); ++word) {
    Mod mod = modifierNamed(words[word]->text);
    bool isType = typeOf(mod) != ScalarType::None;
    size_t slot = inAnyOrder ? (isType ? firstType : 0) : firstSlot;
    for (; slot < pattern.modifiers.size(); ++slot) {
      bool isFree = inst.modifiers[slot] == Mod::None;
      if (isFree && mod != Mod::None && pattern.modifiers[slot].allows(mod))
        break;
      if (!inAnyOrder && isFree && !pattern.modifiers[slot].optional)
        return {word, false};
    }
    if (slot == pattern.modifiers.size())
      break;
    inst.modifiers[slot] = mod;
    if (int columns = columnsNamed(words[word]->text))
      inst.columns = static_cast<uint16_t>(std::min(columns, UINT16_MAX));
    firstSlot = slot + 1;
    if (isType)
      firstType = slot + 1;
  }
  bool isComplete = true;
  size_t type = 0;
  for (size_t slot = 0; slot < pattern.modifiers.size(); ++slot) {
    Mod mod = inst.modifiers[slot];
    isComplete &= mod != Mod::None || pattern.modifiers[slot].optional;
    if (typeOf(mod) != ScalarType::None && type < inst.types.size())
      inst.types[type++] = typeOf(mod);
  }
  return {word, isComplete};
}

const InstructionPattern *Parser::matchModifiers(const Token &mnemonic,
                                                 Instruction &inst) {
  std::string name(mnemonic.text);
  const std::vector<InstructionPattern> *patterns = table_.find(name);
  std::vector<const Token *> words;
  while (token().kind == Token::Dotted)
    words.push_back(&next());
  if (refuseByName(mnemonic, words))
    return nullptr;
  if (!patterns) {
    refuse(mnemonic, "unknown instruction '" + name + "'");
    return nullptr;
  }

  int operands = countOperands();
  const InstructionPattern *fitting = nullptr;
  // The row that fits; else the message is about the one that fits longest.
  size_t longest = 0;
  bool isMissing = false;
  for (bool inAnyOrder : {false, true})
    for (const InstructionPattern &pattern : *patterns) {
      auto [fit, isComplete] = fillModifiers(pattern, words, inAnyOrder, inst);
      if (fit == words.size() && isComplete) {
        if (pattern.takes(operands))
          return &pattern;
        // The message is about its operands.
        fitting = fitting ? fitting : &pattern;
      } else if (!inAnyOrder && fit >= longest) {
        longest = fit;
        isMissing = fit == words.size();
      }
    }
  if (fitting)
    refuse(mnemonic, "'" + name + "' has " + std::to_string(operands) +
                         " operands where " +
                         std::to_string(operands < fitting->minOperands
                                            ? fitting->minOperands
                                            : fitting->maxOperands) +
                         " are needed");
  else if (isMissing)
    refuse(mnemonic, "'" + name + "' lacks a modifier, such as its type");
  else
    refuse(*words[longest], "'" + name + "' has no modifier '." +
                                std::string(words[longest]->text) +
                                "', or not in this place");
  return nullptr;
}

/// Whether the module's chip and version have the instruction.
bool Parser::checkSince(const Token &mnemonic, const Instruction &inst) {
  Since since = sinceOf(inst);
  bool hasSuffix =
      program_.target.back() == 'a' || program_.target.back() == 'f';
  bool isChipGood =
      since.family ? hasSuffix && program_.smVersion / 10 == since.family / 10
                   : program_.smVersion >= since.sm;
  if (isChipGood && program_.version >= since.ptx)
    return true;
  std::string needs = isChipGood ? "" : "sm_" + std::to_string(since.sm);
  if (!isChipGood && since.family)
    needs += "a or another target of its family with a letter";
  if (program_.version < since.ptx)
    needs += (needs.empty() ? "PTX " : " and PTX ") + versionText(since.ptx);
  return fail(mnemonic, "'" + std::string(mnemonic.text) +
                            "' with these modifiers needs " + needs +
                            "; the module is for " + program_.target +
                            " and PTX " + versionText(program_.version));
}

} // namespace qcc::emu
