//===- Lexer.cpp - Words of PTX text --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include <charconv>
#include <cstring>

namespace qcc::emu {

rt::Status errorAt(std::string_view name, std::string_view text,
                   const Token &token, const std::string &message) {
  size_t begin = token.begin;
  while (begin > 0 && text[begin - 1] != '\n')
    --begin;
  size_t end = std::min(text.find('\n', token.begin), text.size());
  std::string line(text.substr(begin, end - begin));
  size_t first = line.find_first_not_of(" \t\r");
  line.erase(0, std::min(first, line.size()));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
    line.pop_back();
  constexpr size_t maxShown = 160;
  if (line.size() > maxShown)
    line = line.substr(0, maxShown) + "...";
  std::string whole = std::string(name) + ":" + std::to_string(token.line) +
                      ":" + std::to_string(token.column) + ": " + message;
  if (!line.empty())
    whole += "\n  " + line;
  return rt::corrupt(std::move(whole));
}

namespace {

// Locale plays no part in PTX.
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isHexDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool startsName(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%';
}
bool continuesName(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

class Lexer {
public:
  Lexer(std::string_view name, std::string_view text)
      : name_(name), text_(text) {}

  rt::Result<std::vector<Token>> run() {
    while (skipBlanks()) {
      start();
      if (!lexToken())
        return errorAt(name_, text_, token_, error_);
      token_.end = position_;
      tokens_.push_back(token_);
    }
    start();
    if (!error_.empty())
      return errorAt(name_, text_, token_, error_);
    token_.end = position_;
    tokens_.push_back(token_);
    return std::move(tokens_);
  }

private:
  char peek(size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  void start() {
    token_ = Token();
    token_.line = line_;
    token_.column = position_ - lineBegin_ + 1;
    token_.begin = token_.end = position_;
  }
  void newLine() {
    ++line_;
    lineBegin_ = position_;
  }

  /// Skips blanks and comments; false at the end, or with an error set.
  bool skipBlanks() {
    while (position_ < text_.size()) {
      char c = text_[position_];
      if (c == '\n') {
        ++position_;
        newLine();
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++position_;
      } else if (c == '/' && peek(1) == '/') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (c == '/' && peek(1) == '*') {
        size_t end = text_.find("*/", position_ + 2);
        if (end == std::string_view::npos)
          return fail("a comment without an end");
        for (; position_ < end + 2; ++position_)
          if (text_[position_] == '\n') {
            ++line_;
            lineBegin_ = position_ + 1;
          }
      } else {
        return true;
      }
    }
    return false;
  }

  bool lexToken() {
    char c = peek();
    if (startsName(c))
      return lexName();
    if (isDigit(c))
      return lexNumber();
    if (c == '.')
      return startsFraction() ? lexNumber() : lexDotted();
    if (c == '"')
      return lexString();
    if (c != '\0' && strchr(",;:{}[]()<>+-*/%!~|&^=@?", c)) {
      token_.kind = Token::Mark;
      token_.mark = c;
      token_.text = text_.substr(position_++, 1);
      return true;
    }
    if (c > ' ' && c < '\x7f')
      return fail(std::string("unexpected character '") + c + "'");
    return fail("unexpected byte " +
                std::to_string(static_cast<unsigned char>(c)));
  }

  /// Whether the point at the position starts a number such as .5 or .5e3, and
  /// not a word such as .2d or .32x32b.
  bool startsFraction() const {
    size_t ahead = 1;
    while (isDigit(peek(ahead)))
      ++ahead;
    bool isExponent = peek(ahead) == 'e' || peek(ahead) == 'E';
    return ahead > 1 && (isExponent || !isLetter(peek(ahead)));
  }

  bool lexName() {
    size_t begin = position_++;
    // "%" alone is the remainder of constant expressions.
    if (text_[begin] == '%' && !continuesName(peek())) {
      token_.kind = Token::Mark;
      token_.mark = '%';
      token_.text = text_.substr(begin, 1);
      return true;
    }
    while (continuesName(peek()))
      ++position_;
    token_.kind = Token::Name;
    token_.text = text_.substr(begin, position_ - begin);
    return true;
  }

  bool lexDotted() {
    size_t begin = ++position_;
    while (continuesName(peek()) ||
           (peek() == ':' && peek(1) == ':' && continuesName(peek(2)))) {
      // "::" belongs to the word.
      position_ += peek() == ':' ? 2 : 1;
    }
    if (position_ == begin)
      return fail("expected a word after '.'");
    token_.kind = Token::Dotted;
    token_.text = text_.substr(begin, position_ - begin);
    return true;
  }

  bool lexString() {
    size_t end = ++position_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size() || text_[end] != '"')
      return fail("a string without an end");
    token_.kind = Token::String;
    token_.text = text_.substr(position_, end - position_);
    position_ = end + 1;
    return true;
  }

  bool lexBits(size_t digits, Token::Kind kind) {
    std::string_view hex = text_.substr(position_ + 2, digits);
    size_t good = 0;
    while (good < hex.size() && isHexDigit(hex[good]))
      ++good;
    if (good != digits || isHexDigit(peek(2 + digits)))
      return fail("expected " + std::to_string(digits) + " hexadecimal digits");
    token_.kind = kind;
    std::from_chars(hex.data(), hex.data() + digits, token_.value, 16);
    position_ += 2 + digits;
    return endOfNumber();
  }

  bool endOfNumber() {
    token_.text = text_.substr(token_.begin, position_ - token_.begin);
    if (continuesName(peek()))
      return fail("a number with a letter in it");
    return true;
  }

  bool lexInteger(int base, size_t prefix) {
    const char *first = text_.data() + position_ + prefix;
    const char *last = text_.data() + text_.size();
    auto [end, error] = std::from_chars(first, last, token_.value, base);
    if (error == std::errc::result_out_of_range)
      return fail("a number of more than 64 bits");
    if (end == first)
      return fail("expected digits");
    token_.kind = Token::Integer;
    position_ = end - text_.data();
    if (peek() == 'U')
      ++position_;
    return endOfNumber();
  }

  bool lexNumber() {
    char second = peek(1);
    if (peek() == '0') {
      if (second == 'f' || second == 'F')
        return lexBits(8, Token::Single);
      if (second == 'd' || second == 'D')
        return lexBits(16, Token::Double);
      if (second == 'x' || second == 'X')
        return lexInteger(16, 2);
      if (second == 'b' || second == 'B')
        return lexInteger(2, 2);
    }
    size_t end = position_;
    while (isDigit(text_[end]) && end + 1 < text_.size())
      ++end;
    bool isFloat = text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E';
    if (!isFloat)
      return peek() == '0' && isDigit(second) ? lexInteger(8, 1)
                                              : lexInteger(10, 0);
    double value = 0;
    auto [after, error] = std::from_chars(text_.data() + position_,
                                          text_.data() + text_.size(), value);
    if (error != std::errc())
      return fail("a number that no double holds");
    memcpy(&token_.value, &value, sizeof(value));
    token_.kind = Token::Double;
    position_ = after - text_.data();
    return endOfNumber();
  }

  std::string_view name_, text_;
  size_t position_ = 0, lineBegin_ = 0;
  uint32_t line_ = 1;
  Token token_;
  std::vector<Token> tokens_;
  std::string error_;
};

} // namespace

rt::Result<std::vector<Token>> tokenize(std::string_view name,
                                        std::string_view text) {
  constexpr size_t maxText = size_t(1) << 30;
  if (text.size() > maxText)
    return rt::unsupported(std::string(name) + ": PTX text of more than 1 GiB");
  return Lexer(name, text).run();
}

} // namespace qcc::emu
