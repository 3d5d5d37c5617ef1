//===- Positions.cpp - Positions of the protocol in a text ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "llvm/ADT/StringExtras.h"

using namespace qcc::lsp;
namespace json = llvm::json;

bool qcc::lsp::isNameCharacter(char character) {
  return llvm::isAlnum(character) || character == '_' || character == '.' ||
         character == '$';
}

/// The units of UTF-16 of a character, by the first byte of its UTF-8; 0 for
/// the bytes that follow.
static unsigned unitsOf(unsigned char byte) {
  if ((byte & 0xC0) == 0x80)
    return 0;
  return byte >= 0xF0 ? 2 : 1;
}

static int64_t unitsIn(llvm::StringRef bytes) {
  int64_t units = 0;
  for (char byte : bytes)
    units += unitsOf(byte);
  return units;
}

/// A line of the text, from 0; the last one if there are fewer.
static llvm::StringRef lineOf(llvm::StringRef text, size_t &number) {
  for (size_t skipped = 0;; ++skipped) {
    auto [line, rest] = text.split('\n');
    if (skipped == number || line.size() == text.size()) {
      number = skipped;
      return line.rtrim('\r');
    }
    text = rest;
  }
}

json::Object qcc::lsp::rangeAt(llvm::StringRef text, size_t line,
                               size_t column) {
  llvm::StringRef content = lineOf(text, line);
  column = std::min(column, content.size());
  llvm::StringRef name = content.drop_front(column);
  // "%0", "@f", "!type" and the like are one name.
  size_t length = name.empty() ? 0 : 1;
  while (length < name.size() && isNameCharacter(name[length]))
    ++length;
  int64_t start = unitsIn(content.take_front(column));
  int64_t end = start + unitsIn(name.take_front(length));
  auto position = [&](int64_t character) {
    return json::Object{{"line", int64_t(line)}, {"character", character}};
  };
  return json::Object{{"start", position(start)}, {"end", position(end)}};
}

std::optional<size_t> qcc::lsp::offsetOf(llvm::StringRef text,
                                         const json::Object *position) {
  if (!position)
    return std::nullopt;
  std::optional<int64_t> line = position->getInteger("line");
  std::optional<int64_t> character = position->getInteger("character");
  if (!line || !character || *line < 0 || *character < 0)
    return std::nullopt;
  size_t number = *line;
  llvm::StringRef content = lineOf(text, number);
  if (number != size_t(*line))
    return std::nullopt;
  size_t offset = content.data() - text.data();
  for (char byte : content) {
    if (*character <= 0 && unitsOf(byte) > 0)
      break;
    *character -= unitsOf(byte);
    ++offset;
  }
  return offset;
}
