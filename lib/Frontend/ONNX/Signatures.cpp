//===- Signatures.cpp - Attributes and inputs of ONNX ops -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signatures.h"
#include "OpTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

namespace {
struct Entry {
  llvm::StringLiteral op;
  int64_t since;
  llvm::StringLiteral attributes, inputs, outputs, variables;
};
} // namespace

#define SIGNATURE(op, since, attributes, inputs, outputs, variables)           \
  {op, since, attributes, inputs, outputs, variables},
static constexpr Entry kStandard[] = {
#include "StandardSignatures.def"
};
static constexpr Entry kMicrosoft[] = {
#include "MicrosoftSignatures.def"
};
static constexpr Entry kBlocked[] = {
#include "BlockedSignatures.def"
};
#undef SIGNATURE

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static AttributeRule parseAttribute(StringRef text) {
  auto [name, type] = text.split(':');
  return {name, type.front(), type.ends_with("!")};
}

/// `variables` is the text of an entry's type variables.
static FormalRule parseFormal(StringRef text, StringRef variables) {
  using Kind = FormalRule::Kind;
  FormalRule formal;
  size_t end = text.find_first_of(":=");
  StringRef name = text.take_front(end), type = text.substr(end);
  formal.name =
      name.take_until([](char c) { return c == '?' || c == '*' || c == '~'; });
  StringRef mark = name.drop_front(formal.name.size());
  if (mark == "?") {
    formal.kind = Kind::Optional;
    formal.minimum = 0;
  } else if (!mark.empty()) {
    formal.kind = mark.front() == '*' ? Kind::Variadic : Kind::Mixed;
    mark.drop_front().getAsInteger(10, formal.minimum);
  }
  if (type.consume_front("=")) {
    formal.types = type;
  } else if (type.consume_front(":")) {
    formal.variable = type;
    for (StringRef variable : llvm::split(variables, ' '))
      if (variable.consume_front(type) && variable.consume_front("="))
        formal.types = variable;
  }
  return formal;
}

static Signature parse(const Entry &entry) {
  Signature signature;
  SmallVector<StringRef> words;
  llvm::SplitString(entry.attributes, words);
  for (StringRef word : words)
    signature.attributes.push_back(parseAttribute(word));
  words.clear();
  llvm::SplitString(entry.inputs, words);
  for (StringRef word : words)
    signature.inputs.push_back(parseFormal(word, entry.variables));
  words.clear();
  llvm::SplitString(entry.outputs, words);
  for (StringRef word : words)
    signature.outputs.push_back(parseFormal(word, {}));
  return signature;
}

using Versions = SmallVector<std::pair<int64_t, Signature>, 1>;

static llvm::StringMap<Versions> parseAll(ArrayRef<Entry> entries) {
  llvm::StringMap<Versions> table;
  for (const Entry &entry : entries)
    table[entry.op].emplace_back(entry.since, parse(entry));
  return table;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

const AttributeRule *Signature::findAttribute(StringRef name) const {
  auto found = llvm::find_if(
      attributes, [&](const AttributeRule &rule) { return rule.name == name; });
  return found == attributes.end() ? nullptr : found;
}

ArrayRef<std::pair<int64_t, Signature>> onnx::signaturesOf(StringRef domain,
                                                           StringRef op) {
  static const llvm::StringMap<Versions> standard = parseAll(kStandard),
                                         microsoft = parseAll(kMicrosoft),
                                         blocked = parseAll(kBlocked);
  using Result = ArrayRef<std::pair<int64_t, Signature>>;
  auto findIn = [&](const llvm::StringMap<Versions> &table) {
    auto found = table.find(op);
    return found == table.end() ? Result() : Result(found->second);
  };
  if (domain == "com.microsoft.nchwc")
    return findIn(blocked);
  bool isStandard = domainName(domain) == "ai.onnx";
  if (!isStandard && domain != "com.microsoft")
    return {};
  // ONNX Runtime writes some of its ops into the default domain.
  Result result = isStandard ? findIn(standard) : Result();
  return result.empty() ? findIn(microsoft) : result;
}

const Signature *onnx::findSignature(StringRef domain, StringRef op,
                                     int64_t since) {
  const Signature *last = nullptr;
  for (auto &[version, signature] : signaturesOf(domain, op))
    if (version <= since)
      last = &signature;
  return last;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

char onnx::attributeLetter(NodeAttribute::Kind kind) {
  using Kind = NodeAttribute::Kind;
  switch (kind) {
  case Kind::Float:
    return 'f';
  case Kind::Int:
    return 'i';
  case Kind::String:
    return 's';
  case Kind::Tensor:
    return 't';
  case Kind::Graph:
    return 'g';
  case Kind::Floats:
    return 'F';
  case Kind::Ints:
    return 'I';
  case Kind::Strings:
    return 'S';
  case Kind::SparseTensor:
    return 'p';
  case Kind::None:
  case Kind::Other:
    return 0;
  }
  return 0;
}

StringRef onnx::attributeTypeName(char letter) {
  switch (letter) {
  case 'f':
    return "a float";
  case 'i':
    return "an int";
  case 's':
    return "a string";
  case 't':
    return "a tensor";
  case 'g':
    return "a graph";
  case 'F':
    return "a list of floats";
  case 'I':
    return "a list of ints";
  case 'S':
    return "a list of strings";
  case 'p':
    return "a sparse tensor";
  default:
    return "a value of another type";
  }
}

static constexpr std::pair<char, llvm::StringLiteral> kElements[] = {
    {'?', "bool"},    {'b', "int8"},    {'B', "uint8"},    {'h', "int16"},
    {'H', "uint16"},  {'i', "int32"},   {'I', "uint32"},   {'q', "int64"},
    {'Q', "uint64"},  {'e', "float16"}, {'g', "bfloat16"}, {'f', "float32"},
    {'d', "float64"}, {'n', "int4"},    {'N', "uint4"},    {'m', "int2"},
    {'M', "uint2"},   {'S', "string"}};

StringRef onnx::elementLetterName(char letter) {
  for (auto [known, name] : kElements)
    if (known == letter)
      return name;
  return "unknown";
}

char onnx::elementLetter(const frontend::GraphValue &value) {
  Type type = value.element;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    if (value.isUInt16)
      return 'H';
    if (value.packedBits == 4)
      return isUnsigned ? 'N' : 'n';
    if (value.packedBits == 2)
      return isUnsigned ? 'M' : 'm';
    switch (integer.getWidth()) {
    case 1:
      return '?';
    case 8:
      return isUnsigned ? 'B' : 'b';
    case 16:
      return isUnsigned ? 'H' : 'h';
    case 32:
      return isUnsigned ? 'I' : 'i';
    default:
      return isUnsigned ? 'Q' : 'q';
    }
  }
  return type.isF32() ? 'f' : type.isF16() ? 'e' : type.isBF16() ? 'g' : 'd';
}
