//===- Mutant.cpp - Damaged programs --------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutant.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

using namespace qcc;

using Random = std::mt19937;
using Tokens = std::vector<std::string>;

static size_t below(size_t limit, Random &random) {
  return limit ? random() % limit : 0;
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

static void addParts(const std::string &text, std::vector<std::string> &seeds) {
  std::istringstream lines(text);
  std::string line, part;
  auto finish = [&] {
    if (part.find("func.func") != std::string::npos && part.size() < 16000)
      seeds.push_back(part);
    part.clear();
  };
  while (std::getline(lines, line)) {
    if (line.rfind("// -----", 0) == 0 || line.rfind("//--- ", 0) == 0)
      finish();
    else if (line.rfind("//", 0) != 0)
      part += line + "\n";
  }
  finish();
}

void test::readSeeds(const std::string &path, std::vector<std::string> &seeds) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  addParts(text.str(), seeds);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Words, numbers, blanks and single characters: all of the text in order.
static Tokens tokenize(const std::string &text) {
  auto isWord = [](char c) {
    return std::isalnum((unsigned char)c) || c == '_' || c == '.';
  };
  auto isBlank = [](char c) { return std::isspace((unsigned char)c) != 0; };
  Tokens tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (isWord(text[i]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    else if (isBlank(text[i]))
      while (end < text.size() && isBlank(text[end]))
        ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

static std::string join(const Tokens &tokens) {
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

static std::string extremeNumber(Random &random) {
  static const char *const numbers[] = {
      "0",          "1",           "-1",
      "2",          "127",         "128",
      "255",        "-128",        "65",
      "4096",       "65536",       "2147483647",
      "2147483648", "-2147483648", "4294967296",
      "1000000007", "1.0e38",      "9223372036854775807",
      "1e-40",      "0x7FC00000",  "-9223372036854775808",
      "0.0",        "-0.0",        "18446744073709551615",
      "?",          "1e400",       "99999999999999999999999999"};
  return numbers[below(std::size(numbers), random)];
}

static void mutateTokens(Tokens &tokens, const std::vector<std::string> &seeds,
                         Random &random) {
  size_t at = below(tokens.size(), random);
  switch (random() % 7) {
  case 0:
    tokens.erase(tokens.begin() + at);
    break;
  case 1:
    tokens.insert(tokens.begin() + at, tokens[at]);
    break;
  case 2:
    std::swap(tokens[at], tokens[below(tokens.size(), random)]);
    break;
  case 3:
    tokens[at] = tokens[below(tokens.size(), random)];
    break;
  case 4: {
    Tokens other = tokenize(seeds[below(seeds.size(), random)]);
    tokens[at] = other[below(other.size(), random)];
    break;
  }
  default: { // The next number.
    auto isNumber = [](const std::string &token) {
      return std::isdigit((unsigned char)token[0]);
    };
    auto number = std::find_if(tokens.begin() + at, tokens.end(), isNumber);
    if (number == tokens.end())
      break;
    // Shapes are one word: 4x8xf32.
    size_t digits = number->find_first_not_of("0123456789");
    *number = extremeNumber(random) +
              (digits == std::string::npos ? "" : number->substr(digits));
  }
  }
}

/// Moves a line, or takes one from another seed.
static void mutateLines(std::string &text,
                        const std::vector<std::string> &seeds, Random &random) {
  auto split = [](const std::string &from) {
    Tokens lines;
    std::istringstream stream(from);
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line + "\n");
    return lines;
  };
  Tokens lines = split(text);
  Tokens other = split(seeds[below(seeds.size(), random)]);
  if (lines.empty() || other.empty())
    return;
  size_t from = below(lines.size(), random);
  std::string line =
      random() % 2 ? other[below(other.size(), random)] : lines[from];
  if (random() % 2)
    lines.erase(lines.begin() + from);
  lines.insert(lines.begin() + below(lines.size() + 1, random), line);
  text = join(lines);
}

std::string test::mutateText(std::string text,
                             const std::vector<std::string> &seeds,
                             Random &random) {
  for (unsigned i = 0, changes = 1 + random() % 4; i < changes; ++i) {
    if (text.empty())
      return text;
    unsigned kind = random() % 8;
    if (kind == 0) {
      text[below(text.size(), random)] = static_cast<char>(random());
    } else if (kind == 1) {
      mutateLines(text, seeds, random);
    } else {
      Tokens tokens = tokenize(text);
      mutateTokens(tokens, seeds, random);
      text = join(tokens);
    }
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

std::string test::mutateBytes(std::string bytes,
                              const std::vector<std::string> &seeds,
                              Random &random) {
  constexpr size_t magic = 4;
  for (unsigned i = 0, changes = 1 + random() % 4; i < changes; ++i) {
    if (bytes.size() <= magic)
      return bytes;
    size_t at = magic + below(bytes.size() - magic, random);
    switch (random() % 8) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes.erase(at, 1 + below(8, random));
      break;
    case 2: {
      const std::string &other = seeds[below(seeds.size(), random)];
      size_t from = below(other.size(), random);
      bytes.replace(at, below(64, random),
                    other.substr(from, below(64, random)));
      break;
    }
    case 3:
      bytes.insert(at, 1, static_cast<char>(random()));
      break;
    case 4:
      bytes[at] = static_cast<char>(random() % 2 ? 0xff : 0);
      break;
    default:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
  }
  return bytes;
}
