//===- Json.cpp - A small reader of JSON ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent; the first error is kept with its position.
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Json.h"

#include "qcc/Support/InputLimits.h"

#include <cctype>
#include <charconv>
#include <unordered_set>

namespace qcc {

const Json *Json::find(std::string_view name) const {
  for (const auto &[key, value] : object)
    if (key == name)
      return &value;
  return nullptr;
}

namespace {

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  rt::Result<Json> parse() {
    Json value;
    bool good = parseValue(value, 0);
    skipSpace();
    if (good && position_ != text_.size())
      good = fail("text after the end");
    if (!good)
      return rt::corrupt("bad JSON at byte " + std::to_string(position_) +
                         ": " + error_);
    return value;
  }

private:
  bool fail(const char *what) {
    error_ = what;
    return false;
  }
  char peek() const {
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  void skipSpace() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
      ++position_;
  }
  bool consume(char c) {
    skipSpace();
    if (peek() != c)
      return false;
    ++position_;
    return true;
  }
  bool consumeWord(std::string_view word) {
    if (text_.substr(position_, word.size()) != word)
      return fail("unknown word");
    position_ += word.size();
    return true;
  }

  bool parseValue(Json &value, int depth) {
    constexpr int maxDepth = 32;
    if (depth > maxDepth)
      return fail("nested too deeply");
    if (++values_ > limits::kJsonValues) {
      tooManyValues_ = "there are more than " +
                       std::to_string(limits::kJsonValues) +
                       " values; divide the file";
      return fail(tooManyValues_.c_str());
    }
    skipSpace();
    switch (peek()) {
    case '{':
      return parseObject(value, depth);
    case '[':
      return parseArray(value, depth);
    case '"':
      value.kind = Json::String;
      return parseString(value.string);
    case 't':
      value.kind = Json::Bool;
      value.boolean = true;
      return consumeWord("true");
    case 'f':
      value.kind = Json::Bool;
      return consumeWord("false");
    case 'n':
      return consumeWord("null");
    default:
      return parseNumber(value);
    }
  }

  bool parseObject(Json &value, int depth) {
    value.kind = Json::Object;
    std::unordered_set<std::string> names;
    consume('{');
    if (consume('}'))
      return true;
    do {
      std::string name;
      skipSpace();
      if (peek() != '"')
        return fail("expected the name of a member");
      if (!parseString(name))
        return false;
      if (!names.insert(name).second)
        return fail("a name appears twice");
      if (!consume(':'))
        return fail("expected ':'");
      value.object.emplace_back(std::move(name), Json());
      if (!parseValue(value.object.back().second, depth + 1))
        return false;
    } while (consume(','));
    return consume('}') || fail("expected ',' or '}'");
  }

  bool parseArray(Json &value, int depth) {
    value.kind = Json::Array;
    consume('[');
    if (consume(']'))
      return true;
    do {
      value.array.emplace_back();
      if (!parseValue(value.array.back(), depth + 1))
        return false;
    } while (consume(','));
    return consume(']') || fail("expected ',' or ']'");
  }

  bool parseNumber(Json &value) {
    size_t end = position_;
    while (end < text_.size() &&
           (isdigit(static_cast<unsigned char>(text_[end])) ||
            text_[end] == '-' || text_[end] == '+' || text_[end] == '.' ||
            text_[end] == 'e' || text_[end] == 'E'))
      ++end;
    const char *first = text_.data() + position_, *last = text_.data() + end;
    auto [numberEnd, numberError] = std::from_chars(first, last, value.number);
    if (first == last || numberError != std::errc() || numberEnd != last)
      return fail("expected a value");
    auto [integerEnd, integerError] =
        std::from_chars(first, last, value.integer);
    bool isInteger = integerError == std::errc() && integerEnd == last;
    value.kind = isInteger ? Json::Integer : Json::Number;
    position_ = end;
    return true;
  }

  bool parseHex(uint32_t &code) {
    std::string_view digits = text_.substr(position_, 4);
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4)
      return fail("bad \\u escape");
    position_ += 4;
    return true;
  }

  bool parseUnicode(std::string &string) {
    uint32_t code;
    if (!parseHex(code))
      return false;
    if (code >= 0xd800 && code < 0xdc00) {
      uint32_t low;
      if (text_.substr(position_, 2) != "\\u")
        return fail("half a surrogate pair");
      position_ += 2;
      if (!parseHex(low))
        return false;
      if (low < 0xdc00 || low > 0xdfff)
        return fail("half a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return fail("half a surrogate pair");
    }
    if (code < 0x80) {
      string += char(code);
    } else if (code < 0x800) {
      string += char(0xc0 | (code >> 6));
      string += char(0x80 | (code & 63));
    } else if (code < 0x10000) {
      string += char(0xe0 | (code >> 12));
      string += char(0x80 | ((code >> 6) & 63));
      string += char(0x80 | (code & 63));
    } else {
      string += char(0xf0 | (code >> 18));
      string += char(0x80 | ((code >> 12) & 63));
      string += char(0x80 | ((code >> 6) & 63));
      string += char(0x80 | (code & 63));
    }
    return true;
  }

  bool parseString(std::string &string) {
    ++position_; // The opening quote.
    while (position_ < text_.size()) {
      char c = text_[position_++];
      if (c == '"')
        return true;
      if (static_cast<unsigned char>(c) < 0x20)
        return fail("a control character in a string");
      if (c != '\\') {
        string += c;
        continue;
      }
      constexpr std::string_view escapes = "\"\\/bfnrt";
      constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
      char escape = peek();
      ++position_;
      if (escape == 'u') {
        if (!parseUnicode(string))
          return false;
      } else if (size_t i = escapes.find(escape);
                 i != std::string_view::npos && escape != '\0') {
        string += meanings[i];
      } else {
        return fail("unknown escape");
      }
    }
    return fail("a string without an end");
  }

  std::string_view text_;
  size_t position_ = 0;
  size_t values_ = 0;
  const char *error_ = "";
  std::string tooManyValues_;
};

} // namespace

rt::Result<Json> Json::parse(std::string_view text) {
  return Parser(text).parse();
}

} // namespace qcc
