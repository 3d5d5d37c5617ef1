//===- Parser.h - From PTX text to a program --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over PTX 6.0 to 9.x as LLVM and inline assembly print it.
// The first error ends it, with line, column and text; but what the emulator
// does not have refuses only the function that uses it, and those that call it.
// What a kernel does not need to run (debug sections, .file names apart) is
// skipped by name; anything else that is not known is an error.
//
// Members return false after an error, which is then set.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_PARSER_H
#define QCC_LIB_EMULATOR_PTX_PARSER_H

#include "InstructionTable.h"
#include "Lexer.h"
#include "Program.h"
#include "Scope.h"

#include <map>

namespace qcc::emu {

/// Variables of the module in .global and .const get addresses from
/// `dataBase` on, with gaps between. `table` has the instructions that there
/// are, and outlives the program.
rt::Result<std::unique_ptr<Program>>
parseProgram(std::string_view text, std::string_view name, uint64_t dataBase,
             const InstructionTable &table);

/// "8.0", of 80.
std::string versionText(int version);

class Parser {
public:
  Parser(Program &program, std::vector<Token> tokens, uint64_t dataBase,
         const InstructionTable &table)
      : program_(program), table_(table), tokens_(std::move(tokens)),
        dataBase_(dataBase), dataEnd_(dataBase) {}

  bool parseModule();
  const rt::Status &status() const { return status_; }

private:
  //===------------------------------------------------------------------===//
  // Tokens
  //===------------------------------------------------------------------===//

  const Token &token(size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  const Token &next() {
    const Token &current = token();
    if (position_ + 1 < tokens_.size())
      ++position_;
    return current;
  }
  bool consume(char mark) {
    if (!token().is(mark))
      return false;
    next();
    return true;
  }
  bool consumeDotted(std::string_view word) {
    if (!token().isDotted(word))
      return false;
    next();
    return true;
  }
  bool expect(char mark, const char *where);
  bool expectName(const Token *&name, const char *what);
  bool fail(const Token &at, const std::string &message);
  bool failHere(const std::string &message) { return fail(token(), message); }
  /// Fails for the function being parsed alone.
  bool refuse(const Token &at, const std::string &message);
  bool refuseHere(const std::string &message) {
    return refuse(token(), message);
  }

  //===------------------------------------------------------------------===//
  // Constants (ParseConstants.cpp)
  //===------------------------------------------------------------------===//

  struct Constant {
    Token at;
    bool isFloat = false;
    uint64_t bits = 0;       ///< Of an integer.
    bool isNegative = false; ///< Then bits are those of an int64_t.
    /// Of a float: the literal's own bits, and its width.
    uint64_t floatBits = 0;
    int floatWidth = 0;
  };
  bool startsConstant() const;
  bool parseConstant(Constant &constant);
  bool parseExpression(Constant &value, int level, int depth);
  bool parsePrimary(Constant &value, int depth);
  /// A constant in an address.
  bool parseOffset(int64_t &offset);
  bool parseInteger(int64_t &value, const char *what, int64_t low,
                    int64_t high);
  /// The bits of a constant of `type`; fails if it does not fit.
  bool convertConstant(const Constant &constant, ScalarType type,
                       uint64_t &bits);
  /// Its place in the pool.
  Operand poolConstant(ScalarType type, uint64_t bits);

  //===------------------------------------------------------------------===//
  // The module and its variables (ParseModule.cpp, ParseVariables.cpp)
  //===------------------------------------------------------------------===//

  bool parseModuleItem();
  bool parseVersion();
  bool parseTarget();
  bool parseFile();
  bool skipSection();
  bool parseLoc();
  bool parsePragma();

  struct Declaration {
    const Token *name = nullptr;
    Variable variable;
    bool hasNoSize = false; ///< name[]
  };
  static std::optional<StateSpace> variableSpace(std::string_view word);
  bool parseType(ScalarType &type);
  bool parseDeclaration(StateSpace space, bool isParameter,
                        Declaration &declaration);
  bool parseArrayDims(Declaration &declaration);
  bool parseModuleVariables(StateSpace space, bool isExternal);
  bool parseInitializer(Declaration &declaration);
  bool parseInitializerValue(Declaration &declaration, int64_t &offset);
  bool parseInitializerList(Declaration &declaration, int64_t &offset,
                            int depth);
  bool placeModuleVariable(Declaration &declaration);
  bool parseFunctionVariables(StateSpace space);
  bool parseRegisters();

  //===------------------------------------------------------------------===//
  // Functions (ParseFunction.cpp)
  //===------------------------------------------------------------------===//

  bool parseFunction(bool isEntry, bool isExternal);
  bool parseParameters(std::vector<Variable> &params, bool isEntry);
  bool parseFunctionAttributes(Function &function);
  bool parseDims(Dim3 &dims);
  bool parseBody();
  bool skipRefusedBody();
  void refuseCallers();
  bool parseStatement();
  bool parseBranchTargets(const Token &label);
  bool openScope();
  bool closeScope();
  bool finishFunction();
  bool finishModule();
  void finishShared();

  bool define(const Token &name, const Symbol &symbol);
  const Symbol *lookup(std::string_view name);
  const Symbol *lookupRange(Scope &scope, std::string_view name);
  uint32_t allocateSlot(ScalarType type);
  uint32_t allocateRegister(ScalarType type, std::string_view name);

  //===------------------------------------------------------------------===//
  // Instructions (ParseInstruction.cpp, ParseOperands.cpp)
  //===------------------------------------------------------------------===//

  bool parseInstruction();
  bool addImplicitReturn();
  void addInstruction(Instruction inst);
  bool parseGuard(Instruction &inst);
  bool checkSince(const Token &mnemonic, const Instruction &inst);
  int countOperands() const;
  const InstructionPattern *matchModifiers(const Token &mnemonic,
                                           Instruction &inst);
  bool refuseByName(const Token &mnemonic,
                    const std::vector<const Token *> &words);
  bool parseOperands(const InstructionPattern &pattern, Instruction &inst);
  bool parseOperand(const OperandSlot &slot, Instruction &inst);
  bool parseValue(const OperandSlot &slot, ScalarType type, bool maySink);
  bool parseVector(const OperandSlot &slot, ScalarType type, int count);
  bool parseValues(const OperandSlot &slot, ScalarType type,
                   const Instruction &inst);
  bool parseTensor(Instruction &inst);
  bool parseUpdated(const OperandSlot &slot, ScalarType type,
                    Instruction &inst);
  bool parseAddress(StateSpace space, Instruction &inst);
  bool parseAddressBody(StateSpace space, Instruction &inst);
  bool parseMov(const OperandSlot &slot, ScalarType type);
  bool parseMovVector(bool isDestination, ScalarType type);
  bool parseLabel(bool isTable);
  bool parseCall(Instruction &inst);
  bool parseCallList(const std::vector<Variable> &formal, const char *what);
  bool registerOperand(const Token &name, const Symbol &symbol,
                       const OperandSlot &slot, ScalarType type);
  bool specialOperand(ScalarType type);
  bool checkRegister(const Token &at, ScalarType wanted, ScalarType declared,
                     bool mayBeWider);
  bool beginGroup(Instruction &inst);
  void endGroup(Instruction &inst);
  void addOperand(const Operand &operand) {
    function_->operands.push_back(operand);
  }

  Program &program_;
  const InstructionTable &table_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  rt::Status status_;
  const uint64_t dataBase_;
  uint64_t dataEnd_;

  Scope moduleScope_;
  std::unordered_map<std::string_view, uint32_t> functionIndex_;
  std::map<std::pair<uint64_t, int>, uint32_t> constantSlots_;
  int64_t externalSharedAlignment_ = 1;
  /// The end of all shared memory so far.
  int64_t sharedHigh_ = 0;
  /// Operands, by function and position, that name extern shared memory: its
  /// address is known when all else is placed.
  std::vector<std::pair<uint32_t, uint32_t>> externalSharedUses_;
  /// Calls, which may come before the function is defined.
  struct CallUse {
    Token at;
    uint32_t caller, callee;
  };
  std::vector<CallUse> calls_;

  // Of the function being parsed.
  Function *function_ = nullptr;
  size_t bodyPosition_ = 0; ///< Of its first brace.
  size_t usesBefore_ = 0, callsBefore_ = 0;
  uint32_t functionNumber_ = 0;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> firstOperand_; ///< Of each instruction.
  uint32_t currentFirst_ = 0;
  std::unordered_map<int, uint32_t> specialSlots_;
  int32_t sourceFile_ = -1, sourceLine_ = 0;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_PARSER_H
