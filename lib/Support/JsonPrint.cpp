//===- JsonPrint.cpp - Writing JSON ---------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/Json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace qcc {

Json Json::of(bool value) {
  Json json;
  json.kind = Bool;
  json.boolean = value;
  return json;
}

Json Json::of(int64_t value) {
  Json json;
  json.kind = Integer;
  json.integer = value;
  json.number = double(value);
  return json;
}

Json Json::of(double value) {
  Json json;
  if (!std::isfinite(value))
    return json;
  json.kind = Number;
  json.number = value;
  return json;
}

Json Json::of(std::string_view text) {
  Json json;
  json.kind = String;
  json.string = text;
  return json;
}

Json Json::list() {
  Json json;
  json.kind = Array;
  return json;
}

Json Json::dictionary() {
  Json json;
  json.kind = Object;
  return json;
}

Json &Json::add(Json value) {
  array.push_back(std::move(value));
  return *this;
}

Json &Json::add(std::string name, Json value) {
  object.emplace_back(std::move(name), std::move(value));
  return *this;
}

/// The length of the UTF-8 sequence at the start of `text`, 0 if the bytes are
/// not UTF-8.
static size_t sequenceLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates and what lies beyond Unicode.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

static void printString(std::string_view text, std::string &out) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    unsigned char c = text[0];
    size_t length = sequenceLength(text);
    if (length == 0)
      out += "\\ufffd";
    else if (c == '"' || c == '\\')
      (out += '\\') += char(c);
    else if (c < 0x20)
      ((out += "\\u00") += digits[c >> 4]) += digits[c & 15];
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

template <typename T> static void printNumber(T value, std::string &out) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  (void)error; // The shortest form of any number fits.
  out.append(buffer, end);
}

static void printValue(const Json &json, size_t indent, std::string &out) {
  auto newLine = [&](size_t width) { (out += '\n').append(width, ' '); };
  switch (json.kind) {
  case Json::Null:
    out += "null";
    return;
  case Json::Bool:
    out += json.boolean ? "true" : "false";
    return;
  case Json::Integer:
    return printNumber(json.integer, out);
  case Json::Number:
    return printNumber(json.number, out);
  case Json::String:
    return printString(json.string, out);
  case Json::Array: {
    bool isPlain =
        std::all_of(json.array.begin(), json.array.end(), [](const Json &item) {
          return item.kind != Json::Array && item.kind != Json::Object;
        });
    out += '[';
    for (size_t i = 0; i < json.array.size(); ++i) {
      out += i == 0 ? "" : isPlain ? ", " : ",";
      if (!isPlain)
        newLine(indent + 2);
      printValue(json.array[i], indent + 2, out);
    }
    if (!isPlain)
      newLine(indent);
    out += ']';
    return;
  }
  case Json::Object:
    out += '{';
    for (size_t i = 0; i < json.object.size(); ++i) {
      if (i != 0)
        out += ',';
      newLine(indent + 2);
      printString(json.object[i].first, out);
      out += ": ";
      printValue(json.object[i].second, indent + 2, out);
    }
    if (!json.object.empty())
      newLine(indent);
    out += '}';
    return;
  }
}

std::string Json::print() const {
  std::string out;
  printValue(*this, 0, out);
  return out += '\n';
}

} // namespace qcc
