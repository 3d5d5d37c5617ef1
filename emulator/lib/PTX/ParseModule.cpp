//===- ParseModule.cpp - Parser of module-level PTX -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX/AsyncRegisters.h"
#include "PTX/CasLoads.h"
#include "PTX/ControlFlow.h"
#include "PTX/LoadBatches.h"
#include "PTX/Parser.h"
#include "PTX/UndefinedValues.h"

#include <charconv>

namespace qcc::emu {

rt::Result<std::unique_ptr<Program>>
parseProgram(std::string_view text, std::string_view name, uint64_t dataBase,
             const InstructionTable &table) {
  auto program = std::make_unique<Program>();
  program->name = std::string(name);
  program->text = std::string(text);
  // A file may end in a zero byte, as images of modules do.
  while (!program->text.empty() && program->text.back() == '\0')
    program->text.pop_back();
  rt::Result<std::vector<Token>> tokens =
      tokenize(program->name, program->text);
  if (!tokens.isOk())
    return tokens.status();
  Parser parser(*program, std::move(*tokens), dataBase, table);
  if (!parser.parseModule())
    return parser.status();
  for (std::unique_ptr<Function> &function : program->functions) {
    analyzeControlFlow(*function);
    findUndefinedValues(*function);
    findCasLoads(*function);
    findLoadBatches(*function);
    watchAsyncRegisters(*function, table.watch());
  }
  return program;
}

bool Parser::fail(const Token &at, const std::string &message) {
  if (status_.isOk()) {
    std::string what = message;
    if (at.kind == Token::End)
      what += " (at the end of the text)";
    status_ = errorAt(program_.name, program_.text, at, what);
  }
  return false;
}

bool Parser::refuse(const Token &at, const std::string &message) {
  if (status_.isOk() && function_ && function_->refusal.isOk())
    function_->refusal = errorAt(program_.name, program_.text, at, message);
  return false;
}

bool Parser::expect(char mark, const char *where) {
  if (consume(mark))
    return true;
  std::string found =
      token().kind == Token::End
          ? std::string()
          : ", found '" + std::string(token().text.substr(0, 40)) + "'";
  return failHere(std::string("expected '") + mark + "' " + where + found);
}

bool Parser::expectName(const Token *&name, const char *what) {
  if (token().kind != Token::Name)
    return failHere(std::string("expected the name of ") + what);
  name = &next();
  return true;
}

bool Parser::parseModule() {
  scopes_.clear();
  if (token().kind == Token::End)
    return failHere("there is no PTX in this text");
  if (!token().isDotted("version"))
    return failHere("PTX starts with .version");
  while (token().kind != Token::End)
    if (!parseModuleItem())
      return false;
  if (program_.target.empty())
    return failHere("the module has no .target");
  return finishModule();
}

bool Parser::parseModuleItem() {
  const Token &first = token();
  if (consume(';'))
    return true;
  if (first.kind != Token::Dotted)
    return failHere("expected a directive");
  if (first.text == "version")
    return parseVersion();
  if (first.text == "target")
    return parseTarget();
  if (first.text == "address_size") {
    next();
    int64_t size;
    if (!parseInteger(size, "the address size", 32, 64))
      return false;
    return size == 64 || fail(first, "only .address_size 64 is emulated");
  }
  if (first.text == "file")
    return parseFile();
  if (first.text == "loc")
    return parseLoc();
  if (first.text == "section")
    return skipSection();
  if (first.text == "pragma")
    return parsePragma();
  // Instructions are checked against the target.
  if (program_.target.empty())
    return failHere("the module has no .target before this; write .target, "
                    "such as .target sm_80, after .version");

  bool isExternal = false;
  while (true) {
    if (consumeDotted("extern"))
      isExternal = true;
    else if (!consumeDotted("visible") && !consumeDotted("weak") &&
             !consumeDotted("common"))
      break;
  }
  const Token &kind = token();
  if (consumeDotted("entry"))
    return parseFunction(/*isEntry=*/true, isExternal);
  if (consumeDotted("func"))
    return parseFunction(/*isEntry=*/false, isExternal);
  if (kind.kind == Token::Dotted) {
    std::optional<StateSpace> space = variableSpace(kind.text);
    if (space && (*space == StateSpace::Global || *space == StateSpace::Const ||
                  *space == StateSpace::Shared)) {
      next();
      return parseModuleVariables(*space, isExternal);
    }
    if (space)
      return failHere("a ." + std::string(kind.text) +
                      " variable outside of a function");
  }
  return failHere("unknown directive '." + std::string(kind.text) + "'");
}

std::string versionText(int version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

bool Parser::parseVersion() {
  const Token &at = next();
  // "8.0" is lexed as a number with a fraction; its text tells more.
  std::string_view text = token().text;
  if (token().kind != Token::Double && token().kind != Token::Integer)
    return failHere("expected a version such as 8.0");
  next();
  int major = 0, minor = 0;
  auto [dot, majorError] =
      std::from_chars(text.data(), text.data() + text.size(), major);
  if (majorError == std::errc() && dot != text.data() + text.size() &&
      *dot == '.')
    std::from_chars(dot + 1, text.data() + text.size(), minor);
  constexpr int newest = 100;
  if (major < 6 || major > newest / 10 || minor > 9 ||
      10 * major + minor > newest)
    return fail(at, "PTX version " + std::string(text) +
                        " is not emulated; 6.0 to " + versionText(newest) +
                        " are");
  program_.version = 10 * major + minor;
  return true;
}

bool Parser::parseTarget() {
  const Token &at = next();
  do {
    const Token *word;
    if (!expectName(word, "a target such as sm_80"))
      return false;
    std::string_view name = word->text;
    if (name.substr(0, 3) != "sm_") {
      if (name == "texmode_independent" || name == "texmode_unified" ||
          name == "debug" || name == "map_f64_to_f32")
        continue;
      return fail(*word, "unknown target '" + std::string(name) + "'");
    }
    const char *end = name.data() + name.size();
    auto [rest, error] =
        std::from_chars(name.data() + 3, end, program_.smVersion);
    // sm_90a, sm_100f: features of one chip.
    bool isSuffixGood =
        rest == end || (rest + 1 == end && (*rest == 'a' || *rest == 'f'));
    if (error != std::errc() || !isSuffixGood)
      return fail(*word, "unknown target '" + std::string(name) + "'");
    program_.target = std::string(name);
    if (program_.smVersion < 70)
      return fail(*word, "targets before sm_70 are not emulated: their warps "
                         "diverge in another way");
    int needed = versionOfTarget(program_.smVersion);
    if (program_.version < needed)
      return fail(*word, "'" + program_.target + "' needs PTX " +
                             versionText(needed) + "; the module has " +
                             versionText(program_.version));
  } while (consume(','));
  return !program_.target.empty() || fail(at, "no chip in .target");
}

bool Parser::parseFile() {
  next();
  int64_t index, ignored;
  if (!parseInteger(index, "the number of a file", 0, 1 << 30))
    return false;
  if (token().kind != Token::String)
    return failHere("expected the name of a file in quotes");
  program_.files[static_cast<int>(index)] = std::string(next().text);
  // A time stamp and a size may follow.
  while (consume(','))
    if (!parseInteger(ignored, "a time stamp or size", 0, INT64_MAX))
      return false;
  return true;
}

bool Parser::skipSection() {
  const Token &at = next();
  if (token().kind != Token::Dotted && token().kind != Token::Name)
    return failHere("expected the name of a section");
  next();
  if (!expect('{', "after the name of a section"))
    return false;
  while (!consume('}')) {
    if (token().kind == Token::End)
      return fail(at, "a section without an end");
    next();
  }
  return true;
}

bool Parser::parsePragma() {
  next();
  if (token().kind != Token::String)
    return failHere("expected a string after .pragma");
  next();
  return expect(';', "after .pragma");
}

bool Parser::parseLoc() {
  next();
  int64_t file, line, column;
  if (!parseInteger(file, "the number of a file", 0, 1 << 30) ||
      !parseInteger(line, "a line", 0, INT32_MAX) ||
      !parseInteger(column, "a column", 0, INT32_MAX))
    return false;
  sourceFile_ = static_cast<int32_t>(file);
  sourceLine_ = static_cast<int32_t>(line);
  // , function_name label{+offset}, inlined_at file line column
  while (consume(',')) {
    const Token *word;
    if (!expectName(word, "an attribute of .loc"))
      return false;
    if (word->text == "function_name") {
      const Token *label;
      if (!expectName(label, "a label"))
        return false;
      if (consume('+') && !parseInteger(file, "an offset", 0, INT32_MAX))
        return false;
    } else if (word->text == "inlined_at") {
      if (!parseInteger(file, "the number of a file", 0, 1 << 30) ||
          !parseInteger(line, "a line", 0, INT32_MAX) ||
          !parseInteger(column, "a column", 0, INT32_MAX))
        return false;
    } else {
      return fail(*word, "unknown attribute of .loc");
    }
  }
  return true;
}

} // namespace qcc::emu
