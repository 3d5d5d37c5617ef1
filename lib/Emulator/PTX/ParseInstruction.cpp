//===- ParseInstruction.cpp - Instructions and their modifiers ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"

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
  const InstructionPattern &pattern =
      InstructionTable::get().find("ret")->at(0);
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
    return fail(*mnemonic, "'" + std::string(mnemonic->text) +
                               "' does not exist with these modifiers and "
                               "operands");
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

const InstructionPattern *Parser::matchModifiers(const Token &mnemonic,
                                                 Instruction &inst) {
  std::string name(mnemonic.text);
  const std::vector<InstructionPattern> *patterns =
      InstructionTable::get().find(name);
  std::vector<const Token *> words;
  while (token().kind == Token::Dotted)
    words.push_back(&next());

  // "cp.async.bulk" has no row though "cp" has.
  std::string prefix = name;
  for (size_t i = 0;; ++i) {
    std::string_view reason = InstructionTable::whyUnsupported(prefix);
    if (!reason.empty()) {
      fail(mnemonic, "'" + prefix + "' " + std::string(reason));
      return nullptr;
    }
    if (i == words.size())
      break;
    prefix += "." + std::string(words[i]->text);
  }
  if (!patterns) {
    fail(mnemonic, "unknown instruction '" + name + "'");
    return nullptr;
  }

  int operands = countOperands();
  const InstructionPattern *fitting = nullptr;
  // The row that fits; else the message is about the one that fits longest.
  size_t longest = 0;
  bool isMissing = false;
  for (const InstructionPattern &pattern : *patterns) {
    size_t word = 0, type = 0, slot = 0;
    inst.modifiers.fill(Mod::None);
    inst.types.fill(ScalarType::None);
    bool good = true;
    for (; good && slot < pattern.modifiers.size(); ++slot) {
      const ModifierSlot &modifiers = pattern.modifiers[slot];
      Mod mod =
          word < words.size() ? modifierNamed(words[word]->text) : Mod::None;
      if (mod != Mod::None && modifiers.allows(mod)) {
        inst.modifiers[slot] = mod;
        if (ScalarType scalar = typeOf(mod);
            scalar != ScalarType::None && type < inst.types.size())
          inst.types[type++] = scalar;
        ++word;
      } else if (!modifiers.optional) {
        good = false;
      }
    }
    if (good && word == words.size()) {
      if (pattern.takes(operands))
        return &pattern;
      // The message is about its operands.
      fitting = fitting ? fitting : &pattern;
      continue;
    }
    if (word >= longest) {
      longest = word;
      isMissing = word == words.size();
    }
  }
  if (fitting)
    fail(mnemonic, "'" + name + "' has " + std::to_string(operands) +
                       " operands where " +
                       std::to_string(operands < fitting->minOperands
                                          ? fitting->minOperands
                                          : fitting->maxOperands) +
                       " are needed");
  else if (isMissing)
    fail(mnemonic, "'" + name + "' lacks a modifier, such as its type");
  else
    fail(*words[longest], "'" + name + "' has no modifier '." +
                              std::string(words[longest]->text) +
                              "', or not in this place");
  return nullptr;
}

} // namespace qcc::emu
