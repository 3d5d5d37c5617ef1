//===- Mutant.cpp - Damaged PTX -------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Mutant.h"

#include "qcc/Emulator/Emulator.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace qcc::emu::test {

namespace {

/// Where a token or line of a text lies.
struct Range {
  size_t begin = 0, end = 0;

  std::string of(const std::string &text) const {
    return text.substr(begin, end - begin);
  }
};

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' ||
         c == '$' || c == '.';
}

/// The token at or after a random place.
Range randomToken(const std::string &text, std::mt19937 &random) {
  if (text.empty())
    return {};
  size_t begin = random() % text.size();
  while (begin > 0 && isWordPart(text[begin]) && isWordPart(text[begin - 1]))
    --begin;
  while (begin < text.size() &&
         std::isspace(static_cast<unsigned char>(text[begin])))
    ++begin;
  size_t end = begin;
  while (end < text.size() && isWordPart(text[end]))
    ++end;
  if (end == begin && end < text.size())
    ++end;
  return {begin, end};
}

Range randomLine(const std::string &text, std::mt19937 &random) {
  if (text.empty())
    return {};
  size_t place = random() % text.size();
  size_t begin = text.rfind('\n', place);
  size_t end = text.find('\n', place);
  return {begin == text.npos ? 0 : begin, end == text.npos ? text.size() : end};
}

std::string randomNumber(std::mt19937 &random) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "3",
                                        "16",
                                        "31",
                                        "32",
                                        "33",
                                        "63",
                                        "64",
                                        "255",
                                        "256",
                                        "65535",
                                        "65536",
                                        "2147483647",
                                        "2147483648",
                                        "4294967295",
                                        "4294967296",
                                        "-2147483648",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0x7fffffffffffffff",
                                        "0f7F800000",
                                        "0f00000001",
                                        "0d7FF0000000000000",
                                        "1000000",
                                        "1e400",
                                        "0b2",
                                        "077U"};
  return numbers[random() % std::size(numbers)];
}

void changeOnce(std::string &text, const std::vector<std::string> &others,
                std::mt19937 &random) {
  Range token = randomToken(text, random), line = randomLine(text, random);
  const std::string &other =
      others.empty() ? text : others[random() % others.size()];
  auto replace = [&](Range range, const std::string &by) {
    text.replace(range.begin, range.end - range.begin, by);
  };
  switch (random() % 12) {
  case 0:
    replace(token, "");
    break;
  case 1:
    replace(token, randomToken(other, random).of(other));
    break;
  case 2:
    replace(token, token.of(text) + " " + token.of(text));
    break;
  case 3: { // A number: prefer one that is there.
    for (int i = 0; i < 20; ++i) {
      token = randomToken(text, random);
      if (token.begin < text.size() &&
          std::isdigit(static_cast<unsigned char>(text[token.begin])))
        break;
    }
    replace(token, randomNumber(random));
    break;
  }
  case 4: // A modifier of an instruction or register's name.
    if (size_t dot = text.find('.', token.begin); dot != text.npos) {
      size_t end = dot + 1;
      while (end < text.size() && isWordPart(text[end]) && text[end] != '.')
        ++end;
      Range source = randomToken(other, random);
      replace({dot, end}, random() % 2 ? "" : source.of(other));
    }
    break;
  case 5:
    replace(line, "");
    break;
  case 6:
    replace(line, line.of(text) + line.of(text));
    break;
  case 7:
    replace(line, randomLine(other, random).of(other));
    break;
  case 8: {
    std::string moved = line.of(text);
    replace(line, "");
    Range place = randomLine(text, random);
    text.insert(place.begin, moved);
    break;
  }
  case 9:
    if (!text.empty())
      text[random() % text.size()] = char(random());
    break;
  case 10:
    if (!text.empty() && random() % 4 == 0)
      text.resize(random() % text.size());
    break;
  default: {
    static const char marks[] = "{}[](),;:@!|<>+-\"/*%._\n0";
    std::string mark(1, marks[random() % (sizeof(marks) - 1)]);
    text.insert(std::min(token.begin, text.size()), mark);
    break;
  }
  }
}

} // namespace

std::string mutate(const std::string &text,
                   const std::vector<std::string> &others,
                   std::mt19937 &random) {
  std::string mutant = text;
  for (uint32_t i = random() % 4 + 1; i > 0; --i)
    changeOnce(mutant, others, random);
  return mutant;
}

MutantFate runMutant(std::string_view ptx, uint64_t seed) {
  MutantFate fate;
  Emulator emulator;
  auto module = emulator.loadModule(ptx, "mutant.ptx");
  if (!module.isOk()) {
    fate.error = module.message();
    return fate;
  }
  fate.isLoaded = true;
  for (const std::string &name : (*module)->kernelNames()) {
    auto kernel = (*module)->kernel(name);
    if (!kernel.isOk())
      continue;
    LaunchConfig config;
    config.block = (*kernel)->requiredBlock();
    if (config.block.x < 1 || config.block.y < 1 || config.block.z < 1)
      // wgmma needs four warps.
      config.block = Dim3{ptx.find("wgmma") == ptx.npos ? 48 : 128, 1, 1};
    config.grid = Dim3{2, 1, 1};
    config.dynamicShared = 4096;
    std::vector<Argument> arguments;
    for (const ParameterInfo &parameter : (*kernel)->parameters()) {
      uint64_t value = 3;
      if (parameter.size == 8)
        if (auto address = emulator.allocate(4096, parameter.name);
            address.isOk())
          value = *address;
      std::vector<uint8_t> bytes(size_t(std::max<int64_t>(parameter.size, 0)));
      memcpy(bytes.data(), &value, std::min(bytes.size(), sizeof(value)));
      arguments.push_back(Argument(bytes));
    }
    LaunchOptions options;
    options.seed = seed;
    options.checking = seed % 4 == 3 ? Checking::None : Checking::All;
    options.threads = 1;
    options.maxInstructions = 2000;
    auto result = emulator.launch(**kernel, config, arguments, options);
    fate.launches += result.isOk();
    if (result.isOk())
      for (const Report &report : result->reports)
        (void)formatReport(report);
    if (result.isOk())
      (void)formatCounters(result->counters);
  }
  return fate;
}

std::vector<std::string> fuzzCorpus(const std::string &folder) {
  std::vector<std::string> paths, texts;
  std::error_code error;
  for (auto &entry :
       std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.path().extension() == ".ptx")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

} // namespace qcc::emu::test
