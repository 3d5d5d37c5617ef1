//===- CheckText.cpp - Text that MLIR's parser survives -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser recurses once per bracket and sign, and some parsers of linalg ops
// take for granted that a list is one. Such text is refused before it is
// parsed. What is not a token of interest is skipped.
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "qcc/Support/InputLimits.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace qcc;

namespace {
class TextCheck {
public:
  TextCheck(const llvm::SourceMgr &sources, MLIRContext *context)
      : buffer(*sources.getMemoryBuffer(sources.getMainFileID())),
        sources(sources), context(context), rest(buffer.getBuffer()) {}

  LogicalResult run();

private:
  /// The next token, a word or a character; at the end an empty one, which
  /// points there.
  StringRef next();
  StringRef peek();
  LogicalResult checkWord(StringRef word, StringRef before);
  LogicalResult checkIteratorTypes();
  LogicalResult open(StringRef bracket, StringRef before);
  LogicalResult fail(StringRef at, const Twine &what);

  const llvm::MemoryBuffer &buffer;
  const llvm::SourceMgr &sources;
  MLIRContext *context;
  StringRef rest;
  /// The open brackets; 'P' for the brace of properties, as in <{...}>.
  SmallVector<char> brackets;
  /// How many brackets were open before the affine map around, and its tokens.
  std::optional<size_t> affineStart;
  unsigned affineTokens = 0;
};
} // namespace

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

StringRef TextCheck::next() {
  while (true) {
    rest = rest.ltrim();
    if (!rest.consume_front("//"))
      break;
    rest = rest.substr(rest.find('\n'));
  }
  if (rest.empty())
    return rest;
  size_t length = 1;
  if (rest.front() == '"') {
    while (length < rest.size() && rest[length] != '"' && rest[length] != '\n')
      length += rest[length] == '\\' ? 2 : 1;
    length = std::min(length + 1, rest.size());
  } else if (isWordCharacter(rest.front())) {
    length = rest.take_while(isWordCharacter).size();
  } else {
    // The last characters of these tokens do not close a bracket.
    for (StringRef arrow : {"->", ">=", "<=", "=="})
      if (rest.starts_with(arrow))
        length = 2;
  }
  StringRef token = rest.take_front(length);
  rest = rest.drop_front(length);
  return token;
}

StringRef TextCheck::peek() {
  StringRef here = rest;
  StringRef token = next();
  rest = here;
  return token;
}

LogicalResult TextCheck::fail(StringRef at, const Twine &what) {
  auto [line, column] = sources.getLineAndColumn(
      llvm::SMLoc::getFromPointer(at.data()), sources.getMainFileID());
  return emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(),
                                       line, column))
         << what;
}

LogicalResult TextCheck::open(StringRef bracket, StringRef before) {
  brackets.push_back(bracket == "{" && before == "<" ? 'P' : bracket.front());
  if (brackets.size() <= limits::kNesting)
    return success();
  return fail(bracket, "brackets are nested more than " +
                           Twine(limits::kNesting) +
                           " deep; give parts names, as in #name = ...");
}

/// Where the properties of an op of linalg are not written out, its parser
/// reads the iterator types as strings.
LogicalResult TextCheck::checkIteratorTypes() {
  bool inProperties = !brackets.empty() && brackets.back() == 'P';
  if (peek() != "=" || inProperties)
    return success();
  next();
  if (StringRef token = peek(); token != "[")
    return fail(token,
                "expected a list of iterator types, as in [\"parallel\", "
                "\"reduction\"]");
  StringRef start = rest;
  next();
  for (StringRef token = next(); token != "]"; token = next())
    if (!token.starts_with("\"") && token != ",")
      return fail(token, "expected \"parallel\" or \"reduction\"");
  rest = start;
  return success();
}

LogicalResult TextCheck::checkWord(StringRef word, StringRef before) {
  if (unsigned long long number;
      before == "#" && llvm::all_of(word, llvm::isDigit) &&
      (word.getAsInteger(10, number) || number > limits::kResultNumber))
    return fail(word, "the number of a result is at most " +
                          Twine(limits::kResultNumber));
  if (word.size() > limits::kShapeText && llvm::isDigit(word.front()))
    return fail(word, "a shape or a number of " + Twine(word.size()) +
                          " characters; write at most " +
                          Twine(limits::kShapeText));
  if (word == "iterator_types")
    return checkIteratorTypes();
  // After the operands of linalg.transpose, broadcast and reduce.
  if ((word == "permutation" || word == "dimensions") && before == ")") {
    if (peek() != "=")
      return success();
    next();
    StringRef start = rest, token = next();
    bool isList = token == "[";
    while (isList && (token = next()) != "]")
      isList = !token.empty() &&
               (token == "," ||
                (token.size() < 19 && llvm::all_of(token, llvm::isDigit)));
    if (!isList)
      return fail(token, "expected a list of dimensions, as in [1, 0]");
    rest = start;
  }
  if ((word == "affine_map" || word == "affine_set") && !affineStart) {
    affineStart = brackets.size();
    affineTokens = 0;
  }
  return success();
}

LogicalResult TextCheck::run() {
  unsigned signs = 0;
  StringRef before;
  for (StringRef token = next(); !token.empty(); token = next()) {
    signs = token == "-" ? signs + 1 : 0;
    if (signs > limits::kSigns)
      return fail(token,
                  "more than " + Twine(limits::kSigns) + " signs in a row");
    if (affineStart && ++affineTokens > limits::kAffineTokens)
      return fail(token, "an affine map of more than " +
                             Twine(limits::kAffineTokens) +
                             " tokens; shorten it");
    if (StringRef("([{<").contains(token)) {
      if (failed(open(token, before)))
        return failure();
    } else if (StringRef(")]}>").contains(token)) {
      if (!brackets.empty())
        brackets.pop_back();
      if (affineStart && brackets.size() <= *affineStart)
        affineStart.reset();
    } else if (failed(checkWord(token, before))) {
      return failure();
    }
    before = token;
  }
  return success();
}

LogicalResult qcc::checkText(const llvm::SourceMgr &sources,
                             MLIRContext *context) {
  return TextCheck(sources, context).run();
}
