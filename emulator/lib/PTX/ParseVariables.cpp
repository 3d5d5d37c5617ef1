//===- ParseVariables.cpp - Declarations of variables and registers -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"

#include <cstring>

namespace qcc::emu {

/// No GPU has more memory.
constexpr int64_t maxVariableBytes = int64_t(1) << 36;
/// Per thread, in .local or in parameters of functions.
constexpr int64_t maxLocalBytes = int64_t(512) << 10;
constexpr int64_t maxSharedBytes = int64_t(16) << 20;
/// Unmapped addresses after each variable of the module.
constexpr uint64_t variableGap = uint64_t(1) << 16;

std::optional<StateSpace> Parser::variableSpace(std::string_view word) {
  if (word == "global")
    return StateSpace::Global;
  if (word == "const")
    return StateSpace::Const;
  if (word == "shared")
    return StateSpace::Shared;
  if (word == "local")
    return StateSpace::Local;
  if (word == "param")
    return StateSpace::Param;
  return std::nullopt;
}

bool Parser::parseType(ScalarType &type) {
  if (token().kind != Token::Dotted)
    return failHere("expected a type");
  type = typeOf(modifierNamed(token().text));
  if (type == ScalarType::None)
    return failHere("unknown type '." + std::string(token().text) + "'");
  next();
  return true;
}

/// .align N .v2 .u32 name[4][8], and for parameters .u64 .ptr .global .align 1.
bool Parser::parseDeclaration(StateSpace space, bool isParameter,
                              Declaration &declaration) {
  Variable &variable = declaration.variable;
  variable.space = space;
  int64_t alignment = 0, elements = 1;
  while (true) {
    if (consumeDotted("align")) {
      if (!parseInteger(alignment, "an alignment", 1, 1 << 20))
        return false;
      if ((alignment & (alignment - 1)) != 0)
        return failHere("an alignment that is no power of two");
    } else if (consumeDotted("v2")) {
      elements = 2;
    } else if (consumeDotted("v4")) {
      elements = 4;
    } else if (consumeDotted("attribute")) {
      return failHere(".attribute (managed or unified memory) is not emulated");
    } else {
      break;
    }
  }
  if (!parseType(variable.type))
    return false;
  if (variable.type == ScalarType::Pred)
    return failHere("a variable of predicates");
  if (isParameter && consumeDotted("ptr")) {
    variable.isPointer = true;
    if (token().kind == Token::Dotted && variableSpace(token().text))
      next();
    int64_t ignored;
    if (consumeDotted("align") &&
        !parseInteger(ignored, "an alignment", 1, 1 << 30))
      return false;
  }
  if (!expectName(declaration.name, "a variable"))
    return false;
  variable.name = std::string(declaration.name->text);
  variable.size = bytesOf(variable.type) * elements;
  variable.alignment = alignment ? alignment : variable.size;
  return parseArrayDims(declaration);
}

bool Parser::parseArrayDims(Declaration &declaration) {
  Variable &variable = declaration.variable;
  while (consume('[')) {
    if (consume(']')) {
      // The size comes from the initializer, or at launch.
      declaration.hasNoSize = true;
      variable.size = 0;
      return !token().is('[') || failHere("only the only dimension of an array "
                                          "may be left out");
    }
    int64_t dim;
    if (!parseInteger(dim, "a dimension", 0, maxVariableBytes) ||
        !expect(']', "after a dimension"))
      return false;
    if (__builtin_mul_overflow(variable.size, dim, &variable.size) ||
        variable.size > maxVariableBytes)
      return fail(*declaration.name,
                  "'" + variable.name + "' has more than 64 GiB");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Variables of the module
//===----------------------------------------------------------------------===//

bool Parser::parseModuleVariables(StateSpace space, bool isExternal) {
  do {
    Declaration declaration;
    declaration.variable.isExternal = isExternal;
    if (!parseDeclaration(space, /*isParameter=*/false, declaration))
      return false;
    if (consume('=') && !parseInitializer(declaration))
      return false;
    if (!placeModuleVariable(declaration))
      return false;
  } while (consume(','));
  return expect(';', "after a variable");
}

bool Parser::parseInitializer(Declaration &declaration) {
  Variable &variable = declaration.variable;
  if (variable.space == StateSpace::Shared || variable.isExternal)
    return failHere("only .global and .const variables that are not .extern "
                    "may have values");
  if (variable.size > (int64_t(1) << 30))
    return failHere("an initial value for more than 1 GiB");
  variable.initial.resize(variable.size);
  int64_t offset = 0;
  if (!token().is('{'))
    return parseInitializerValue(declaration, offset);
  return parseInitializerList(declaration, offset, 0);
}

bool Parser::parseInitializerList(Declaration &declaration, int64_t &offset,
                                  int depth) {
  constexpr int maxDepth = 16;
  if (depth > maxDepth)
    return failHere("values nested too deeply");
  if (!expect('{', "before values"))
    return false;
  if (consume('}'))
    return true;
  do {
    bool good = token().is('{')
                    ? parseInitializerList(declaration, offset, depth + 1)
                    : parseInitializerValue(declaration, offset);
    if (!good)
      return false;
  } while (consume(','));
  return expect('}', "after values");
}

bool Parser::parseInitializerValue(Declaration &declaration, int64_t &offset) {
  Variable &variable = declaration.variable;
  int64_t size = bytesOf(variable.type);
  if (!declaration.hasNoSize && offset + size > variable.size)
    return failHere("more values than '" + variable.name + "' has elements");
  if (offset + size > int64_t(variable.initial.size()))
    variable.initial.resize(offset + size);
  uint64_t bits = 0;
  const Token &at = token();
  if (at.kind == Token::Name && at.text != "WARP_SZ") {
    // The address of a variable: name, generic(name), either with + constant.
    next();
    std::string_view name = at.text;
    if (name == "generic") {
      const Token *inner;
      if (!expect('(', "after generic") || !expectName(inner, "a variable") ||
          !expect(')', "after a variable"))
        return false;
      name = inner->text;
    }
    const Symbol *symbol = lookup(name);
    if (!symbol || symbol->kind != Symbol::Variable ||
        symbol->moduleVariable < 0 || symbol->space == StateSpace::Shared)
      return fail(at, "'" + std::string(name) +
                          "' is no variable in .global or .const declared "
                          "before");
    if (size != 8)
      return fail(at, "an address needs 8 bytes; ." +
                          std::string(typeName(variable.type)) + " has " +
                          std::to_string(size));
    int64_t addend = 0;
    if ((token().is('+') || token().is('-')) &&
        !parseInteger(addend, "an offset", INT32_MIN, INT32_MAX))
      return false;
    bits = static_cast<uint64_t>(symbol->address + addend);
  } else {
    Constant constant;
    if (!parseConstant(constant) ||
        !convertConstant(constant, variable.type, bits))
      return false;
  }
  memcpy(&variable.initial[offset], &bits, size);
  offset += size;
  return true;
}

bool Parser::placeModuleVariable(Declaration &declaration) {
  Variable &variable = declaration.variable;
  if (declaration.hasNoSize && !variable.initial.empty())
    variable.size = static_cast<int64_t>(variable.initial.size());
  Symbol symbol;
  symbol.kind = Symbol::Variable;
  symbol.space = variable.space;
  symbol.moduleVariable = static_cast<int>(program_.variables.size());
  if (variable.space == StateSpace::Shared) {
    if (variable.isExternal) {
      program_.hasExternalShared = true;
      externalSharedAlignment_ =
          std::max(externalSharedAlignment_, variable.alignment);
      variable.size = 0;
    } else if (declaration.hasNoSize) {
      return fail(*declaration.name, "an array in .shared without a size must "
                                     "be .extern");
    } else {
      Layout &layout = program_.sharedLayout;
      layout.end = sharedHigh_;
      variable.address =
          layout.place(variable.size, variable.alignment, /*isShared=*/true);
      sharedHigh_ = layout.end;
      if (sharedHigh_ > maxSharedBytes)
        return fail(*declaration.name, "more than 16 MiB of shared memory");
    }
  } else {
    if (variable.isExternal)
      return fail(*declaration.name,
                  "'" + variable.name +
                      "' is defined in another module; modules are not linked");
    if (declaration.hasNoSize && variable.size == 0)
      return fail(*declaration.name, "an array without a size or values");
    constexpr int64_t leastAlignment = 256;
    variable.address =
        alignUp(dataEnd_, std::max(variable.alignment, leastAlignment));
    dataEnd_ = variable.address + variable.size + variableGap;
    if (dataEnd_ - dataBase_ > uint64_t(maxVariableBytes))
      return fail(*declaration.name, "variables of more than 64 GiB");
  }
  symbol.address = variable.address;
  symbol.size = variable.size;
  variable.initial.resize(variable.initial.empty() ? 0 : variable.size);
  program_.variables.push_back(std::move(variable));
  if (!moduleScope_.symbols.emplace(declaration.name->text, symbol).second ||
      functionIndex_.count(declaration.name->text))
    return fail(*declaration.name, "'" + std::string(declaration.name->text) +
                                       "' is declared twice");
  return true;
}

//===----------------------------------------------------------------------===//
// Variables and registers of functions
//===----------------------------------------------------------------------===//

bool Parser::parseFunctionVariables(StateSpace space) {
  do {
    Declaration declaration;
    if (!parseDeclaration(space, /*isParameter=*/false, declaration))
      return false;
    Variable &variable = declaration.variable;
    if (declaration.hasNoSize)
      return fail(*declaration.name, "an array without a size in a function");
    Symbol symbol;
    symbol.kind = Symbol::Variable;
    symbol.space = space;
    symbol.size = variable.size;
    symbol.isLocal = space != StateSpace::Shared;
    Layout &layout =
        symbol.isLocal ? function_->localLayout : function_->sharedLayout;
    symbol.address =
        layout.place(variable.size, variable.alignment, !symbol.isLocal);
    if (symbol.isLocal && layout.end > maxLocalBytes)
      return fail(*declaration.name,
                  "more than 512 KiB of local memory in a function");
    if (!symbol.isLocal && layout.end > maxSharedBytes)
      return fail(*declaration.name, "more than 16 MiB of shared memory");
    if (!define(*declaration.name, symbol))
      return false;
    if (token().is('='))
      return failHere("a variable of a function cannot have a value");
  } while (consume(','));
  return expect(';', "after a variable");
}

/// .reg .b32 %r<12>, a, b;
bool Parser::parseRegisters() {
  if (token().isDotted("v2") || token().isDotted("v4"))
    return refuseHere("vector registers are not emulated");
  ScalarType type;
  if (!parseType(type))
    return false;
  do {
    const Token *name;
    if (!expectName(name, "a register"))
      return false;
    if (consume('<')) {
      int64_t count;
      if (!parseInteger(count, "a number of registers", 0, INT32_MAX) ||
          !expect('>', "after a number of registers"))
        return false;
      RegisterRange range = {type, static_cast<uint64_t>(count)};
      if (!scopes_.back().ranges.emplace(name->text, range).second)
        return fail(*name,
                    "'" + std::string(name->text) + "' is declared twice");
    } else {
      Symbol symbol;
      symbol.kind = Symbol::Register;
      symbol.type = type;
      symbol.slot = allocateRegister(type, name->text);
      if (!define(*name, symbol))
        return false;
    }
  } while (consume(','));
  return expect(';', "after registers");
}

} // namespace qcc::emu
