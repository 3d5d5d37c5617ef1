//===- ParseFunction.cpp - Functions, scopes and names --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/Parser.h"
#include "qcc/Base/KernelLimits.h"

#include <charconv>

namespace qcc::emu {

/// What ptxas takes.
constexpr int64_t maxStaticSharedBytes = 49152;
constexpr size_t maxScopes = 64;
/// What records of accesses have room for.
constexpr uint32_t maxSites = uint32_t(1) << 25;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool Parser::define(const Token &name, const Symbol &symbol) {
  if (!scopes_.back().symbols.emplace(name.text, symbol).second)
    return fail(name, "'" + std::string(name.text) + "' is declared twice");
  return true;
}

/// A register that a range of the scope declares.
const Symbol *Parser::lookupRange(Scope &scope, std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  // %r007 is not %r7, and the number of %r17 may belong to a range %r1.
  for (; digits < name.size(); ++digits) {
    uint64_t number;
    std::string_view text = name.substr(digits);
    if (text.size() > 1 && text[0] == '0')
      continue;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number);
    auto range = scope.ranges.find(name.substr(0, digits));
    if (error != std::errc() || range == scope.ranges.end() ||
        number >= range->second.count)
      continue;
    Symbol symbol;
    symbol.kind = Symbol::Register;
    symbol.type = range->second.type;
    symbol.slot = allocateRegister(symbol.type, name);
    return &scope.symbols.emplace(name, symbol).first->second;
  }
  return nullptr;
}

const Symbol *Parser::lookup(std::string_view name) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    Scope &scope = scopes_[i];
    auto it = scope.symbols.find(name);
    if (it != scope.symbols.end())
      return &it->second;
    if (const Symbol *symbol = lookupRange(scope, name))
      return symbol;
  }
  auto it = moduleScope_.symbols.find(name);
  return it == moduleScope_.symbols.end() ? nullptr : &it->second;
}

uint32_t Parser::allocateSlot(ScalarType type) {
  // Lanes start on a cache line.
  constexpr uint32_t line = 64;
  uint32_t slot = function_->frameBytes;
  uint32_t bytes = type == ScalarType::Pred ? 4 : 32 * laneBytes(type);
  function_->frameBytes = slot + (bytes + line - 1) / line * line;
  return slot;
}

uint32_t Parser::allocateRegister(ScalarType type, std::string_view name) {
  uint32_t slot = allocateSlot(type);
  function_->registerNames.push_back({slot, name});
  return slot;
}

bool Parser::openScope() {
  if (scopes_.size() >= maxScopes)
    return failHere("blocks nested more than " + std::to_string(maxScopes) +
                    " deep");
  scopes_.emplace_back();
  return true;
}

/// Resolves the labels of the innermost scope; others are left to the scope
/// around it.
bool Parser::closeScope() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (LabelUse &use : scope.labelUses) {
    auto it = scope.labels.find(use.name.text);
    if (it == scope.labels.end()) {
      if (scopes_.empty())
        return fail(use.name, "there is no label '" +
                                  std::string(use.name.text) +
                                  "' to branch to");
      scopes_.back().labelUses.push_back(use);
    } else if (use.instruction != noTarget) {
      function_->code[use.instruction].target = it->second;
    } else {
      function_->branchTables[use.table][use.entry] = it->second;
    }
  }
  for (LabelUse &use : scope.tableUses) {
    auto it = scope.branchTables.find(use.name.text);
    if (it == scope.branchTables.end()) {
      if (scopes_.empty())
        return fail(use.name, "there is no .branchtargets '" +
                                  std::string(use.name.text) + "'");
      scopes_.back().tableUses.push_back(use);
    } else {
      function_->code[use.instruction].target = it->second;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool Parser::parseParameters(std::vector<Variable> &params, bool isEntry) {
  if (!consume('('))
    return true;
  if (consume(')'))
    return true;
  do {
    if (!consumeDotted("param"))
      return failHere("expected .param; parameters in registers are not "
                      "emulated");
    Declaration declaration;
    if (!parseDeclaration(StateSpace::Param, /*isParameter=*/true, declaration))
      return false;
    Variable &variable = declaration.variable;
    if (variable.size == 0)
      return fail(*declaration.name, "a parameter without a size");
    Layout &layout = isEntry ? function_->paramLayout : function_->localLayout;
    variable.address =
        layout.place(variable.size, variable.alignment, /*isShared=*/false);
    int64_t most = mostParameterBytes(program_.version);
    if (layout.bytes > most)
      return fail(*declaration.name,
                  "more than " + std::to_string(most) +
                      " bytes of parameters, which is what PTX " +
                      versionText(program_.version) + " has room for");
    Symbol symbol;
    symbol.kind = Symbol::Variable;
    symbol.space = StateSpace::Param;
    symbol.address = variable.address;
    symbol.size = variable.size;
    symbol.isLocal = !isEntry;
    if (!define(*declaration.name, symbol))
      return false;
    params.push_back(std::move(variable));
  } while (consume(','));
  return expect(')', "after parameters");
}

bool Parser::parseDims(Dim3 &dims) {
  int64_t sizes[3] = {1, 1, 1};
  int count = 0;
  do {
    if (!parseInteger(sizes[count], "a number of threads", 1, 1024))
      return false;
  } while (++count < 3 && consume(','));
  dims = {static_cast<int>(sizes[0]), static_cast<int>(sizes[1]),
          static_cast<int>(sizes[2])};
  return true;
}

bool Parser::parseFunctionAttributes(Function &function) {
  while (token().kind == Token::Dotted) {
    const Token &at = next();
    if (at.text == "maxntid") {
      if (!parseDims(function.maximal))
        return false;
    } else if (at.text == "reqntid") {
      if (!parseDims(function.required))
        return false;
    } else if (at.text == "minnctapersm" || at.text == "maxnctapersm" ||
               at.text == "maxnreg") {
      int64_t value;
      if (!parseInteger(value, "the value of an attribute", 0, 1 << 20))
        return false;
      if (at.text == "maxnreg")
        function.maxRegisters = static_cast<int>(value);
      else if (at.text == "minnctapersm")
        function.minCtas = static_cast<int>(value);
    } else if (at.text == "noreturn" || at.text == "unified") {
    } else if (at.text == "pragma") {
      if (token().kind != Token::String)
        return failHere("expected a string after .pragma");
      next();
      if (!expect(';', "after .pragma"))
        return false;
    } else if ((at.text == "reqnctapercluster" || at.text == "maxclusterrank" ||
                at.text == "explicitcluster") &&
               (program_.smVersion < 90 || program_.version < 78)) {
      return fail(at, "clusters (." + std::string(at.text) +
                          ") need sm_90 and PTX 7.8");
    } else if (at.text == "reqnctapercluster") {
      if (!parseDims(function.cluster))
        return false;
    } else if (at.text == "maxclusterrank") {
      int64_t ignored;
      if (!parseInteger(ignored, "the value of an attribute", 1, 1 << 20))
        return false;
    } else if (at.text == "explicitcluster") {
      function.needsExplicitCluster = true;
    } else {
      return fail(at, "unknown attribute ." + std::string(at.text));
    }
  }
  return true;
}

bool Parser::parseFunction(bool isEntry, bool isExternal) {
  auto parsed = std::make_unique<Function>();
  function_ = parsed.get();
  function_->program = &program_;
  function_->isEntry = isEntry;
  function_->localBaseSlot = allocateSlot(ScalarType::U64);
  scopes_.clear();
  scopes_.emplace_back();
  firstOperand_.clear();
  specialSlots_.clear();
  // Kernels share the addresses of what is theirs alone.
  function_->sharedLayout.bytes = program_.sharedLayout.bytes;
  function_->sharedLayout.end =
      isEntry ? program_.sharedLayout.end : sharedHigh_;
  sourceFile_ = -1;
  sourceLine_ = 0;

  if (!isEntry && token().is('(') &&
      !parseParameters(function_->results, /*isEntry=*/false))
    return false;
  const Token *name;
  if (!expectName(name, "a function"))
    return false;
  function_->functionName = std::string(name->text);
  function_->line = static_cast<int>(name->line);
  if (!parseParameters(function_->params, isEntry) ||
      !parseFunctionAttributes(*function_))
    return false;
  for (const Variable &param : function_->params)
    function_->parameterInfos.push_back(
        {param.name, param.type, param.size, param.alignment, param.isPointer});
  function_->isDefined = token().is('{');

  // A function may be declared any number of times and defined once.
  auto [it, isNew] = functionIndex_.try_emplace(
      name->text, static_cast<uint32_t>(program_.functions.size()));
  functionNumber_ = it->second;
  if (moduleScope_.symbols.count(name->text))
    return fail(*name, "'" + function_->functionName + "' is declared twice");
  if (isNew) {
    program_.functions.push_back(std::move(parsed));
  } else {
    std::unique_ptr<Function> &earlier = program_.functions[functionNumber_];
    auto sizesOf = [](const std::vector<Variable> &variables) {
      std::vector<int64_t> sizes;
      for (const Variable &variable : variables)
        sizes.push_back(variable.size);
      return sizes;
    };
    if (earlier->isEntry != isEntry ||
        sizesOf(earlier->params) != sizesOf(function_->params) ||
        sizesOf(earlier->results) != sizesOf(function_->results))
      return fail(*name, "'" + function_->functionName +
                             "' was declared in another way");
    if (earlier->isDefined && function_->isDefined)
      return fail(*name, "'" + function_->functionName + "' is defined twice");
    if (function_->isDefined)
      earlier = std::move(parsed);
    else
      function_ = earlier.get();
  }
  if (!token().is('{')) {
    scopes_.clear();
    return expect(';', "after the declaration of a function");
  }
  if (isExternal)
    return fail(*name, "an .extern function with a body");
  return parseBody() && finishFunction();
}

bool Parser::parseBody() {
  bodyPosition_ = position_;
  usesBefore_ = externalSharedUses_.size();
  callsBefore_ = calls_.size();
  const Token &open = next();
  // The scope of the parameters is the body's.
  size_t outermost = scopes_.size();
  while (true) {
    if (token().kind == Token::End)
      return fail(open, "'{' without '}'");
    if (consume('}')) {
      if (!closeScope())
        return false;
      if (scopes_.size() < outermost)
        return true;
    } else if (!parseStatement()) {
      return !function_->refusal.isOk() && skipRefusedBody();
    }
  }
}

/// Leaves nothing of a body but why it is refused.
bool Parser::skipRefusedBody() {
  position_ = bodyPosition_;
  int depth = 0;
  do {
    if (token().kind == Token::End)
      return fail(tokens_[bodyPosition_], "'{' without '}'");
    const Token &mark = next();
    depth += int(mark.is('{')) - int(mark.is('}'));
  } while (depth > 0);
  scopes_.clear();
  externalSharedUses_.resize(usesBefore_);
  calls_.resize(callsBefore_);
  function_->code.clear();
  function_->operands.clear();
  function_->branchTables.clear();
  firstOperand_.clear();
  return true;
}

/// A function that calls what cannot run cannot run either.
void Parser::refuseCallers() {
  for (const CallUse &call : calls_) {
    const Function &callee = *program_.functions[call.callee];
    Function &caller = *program_.functions[call.caller];
    if (!callee.isDefined && caller.refusal.isOk())
      caller.refusal = errorAt(program_.name, program_.text, call.at,
                               "'" + callee.functionName +
                                   "' is not defined in this module");
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const CallUse &call : calls_) {
      const Function &callee = *program_.functions[call.callee];
      Function &caller = *program_.functions[call.caller];
      if (callee.refusal.isOk() || !caller.refusal.isOk())
        continue;
      caller.refusal = callee.refusal;
      changed = true;
    }
  }
}

bool Parser::parseStatement() {
  const Token &first = token();
  if (consume(';'))
    return true;
  if (consume('{'))
    return openScope();
  if (first.kind == Token::Name && token(1).is(':')) {
    next();
    next();
    if (token().isDotted("branchtargets"))
      return parseBranchTargets(first);
    if (token().isDotted("callprototype") || token().isDotted("calltargets"))
      return refuseHere("indirect calls are not emulated");
    if (!scopes_.back()
             .labels
             .emplace(first.text, static_cast<uint32_t>(function_->code.size()))
             .second)
      return fail(first,
                  "the label '" + std::string(first.text) + "' stands twice");
    return true;
  }
  if (first.kind != Token::Dotted)
    return parseInstruction();
  if (first.text == "reg") {
    next();
    return parseRegisters();
  }
  if (first.text == "loc")
    return parseLoc();
  if (first.text == "pragma")
    return parsePragma();
  std::optional<StateSpace> space = variableSpace(first.text);
  if (space && (*space == StateSpace::Local || *space == StateSpace::Shared ||
                *space == StateSpace::Param)) {
    next();
    return parseFunctionVariables(*space);
  }
  return failHere("unknown directive '." + std::string(first.text) +
                  "' in a function");
}

bool Parser::parseBranchTargets(const Token &label) {
  next();
  uint32_t table = static_cast<uint32_t>(function_->branchTables.size());
  function_->branchTables.emplace_back();
  do {
    const Token *target;
    if (!expectName(target, "a label"))
      return false;
    uint32_t entry =
        static_cast<uint32_t>(function_->branchTables[table].size());
    function_->branchTables[table].push_back(noTarget);
    scopes_.back().labelUses.push_back({*target, noTarget, table, entry});
  } while (consume(','));
  if (!scopes_.back().branchTables.emplace(label.text, table).second)
    return fail(label, "'" + std::string(label.text) + "' stands twice");
  return expect(';', "after .branchtargets");
}

bool Parser::finishFunction() {
  // Control may reach the end, and labels may stand there.
  if (function_->refusal.isOk() && !addImplicitReturn())
    return false;
  for (size_t i = 0; i < function_->code.size(); ++i)
    function_->code[i].operands = &function_->operands[firstOperand_[i]];
  Layout &own = function_->sharedLayout;
  if (function_->isEntry && own.bytes > maxStaticSharedBytes)
    return fail(tokens_[position_ - 1],
                "'" + function_->functionName + "' has " +
                    std::to_string(own.bytes) +
                    " bytes of static shared memory; " +
                    std::to_string(maxStaticSharedBytes) +
                    " at most: more must be dynamic");
  sharedHigh_ = std::max(sharedHigh_, own.end);
  own.bytes -= program_.sharedLayout.bytes;
  if (!function_->isEntry) {
    // Every kernel may call it.
    Layout &all = program_.sharedLayout;
    all.bytes += own.bytes;
    all.end = std::max(all.end, own.end);
    all.ranges.insert(all.ranges.end(), own.ranges.begin(), own.ranges.end());
  }
  return true;
}

/// Adds to the shared memory of each kernel what all of them can reach, and
/// places dynamic shared memory behind.
void Parser::finishShared() {
  const Layout &all = program_.sharedLayout;
  int64_t end = std::max(all.end, sharedHigh_);
  program_.externalSharedAlignment = externalSharedAlignment_;
  program_.externalSharedOffset =
      end == 0 ? 0
               : alignUp(end + Layout::sharedGap,
                         std::max(externalSharedAlignment_, Layout::bankCycle));
  for (auto [function, operand] : externalSharedUses_)
    program_.functions[function]->operands[operand].value +=
        program_.externalSharedOffset;
  for (const auto &function : program_.functions) {
    if (!function->isEntry)
      continue;
    Layout &own = function->sharedLayout;
    own.bytes += all.bytes;
    own.end = std::max(own.end, all.end);
    own.ranges.insert(own.ranges.end(), all.ranges.begin(), all.ranges.end());
  }
}

bool Parser::finishModule() {
  refuseCallers();
  finishShared();
  for (const auto &function : program_.functions) {
    function->firstSite = program_.numSites;
    for (Instruction &inst : function->code)
      inst.site = program_.numSites++;
  }
  if (program_.numSites > maxSites)
    return failHere("more than 32 million instructions");

  // A function communicates if one that it calls does.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &function : program_.functions)
      for (const Instruction &inst : function->code) {
        bool communicates = inst.communicates ||
                            (inst.flow == Flow::Call &&
                             program_.functions[inst.target]->communicates);
        if (communicates && !function->communicates)
          changed = function->communicates = true;
        bool reads = (inst.communicates && inst.cost != CostClass::Atomic &&
                      !inst.isStore) ||
                     (inst.flow == Flow::Call &&
                      program_.functions[inst.target]->readsStrongly);
        if (reads && !function->readsStrongly)
          changed = function->readsStrongly = true;
      }
  }
  return true;
}

} // namespace qcc::emu
