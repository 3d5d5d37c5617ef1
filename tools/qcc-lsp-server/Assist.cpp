//===- Assist.cpp - Additions to hover and completion ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's server answers from a program that it could parse. A program that is
// typed does not parse, so the additions look at characters alone.
//
//===----------------------------------------------------------------------===//

#include "Assist.h"
#include "OpDocs.h"
#include "Positions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace qcc::lsp;
using llvm::StringRef;
namespace json = llvm::json;

/// Kinds of completion items of the protocol.
enum ItemKind { kField = 5, kProperty = 10, kKeyword = 14 };

/// The end of the name that ends at the end of `text`.
static StringRef nameAtEnd(StringRef text) {
  size_t length = 0;
  while (length < text.size() &&
         isNameCharacter(text[text.size() - 1 - length]))
    ++length;
  return text.take_back(length);
}

static const OpDoc *docOf(StringRef name) {
  auto found = opDocs().find(name);
  return found == opDocs().end() ? nullptr : &found->second;
}

//===----------------------------------------------------------------------===//
// Hover
//===----------------------------------------------------------------------===//

/// The op at a byte of the text. The text may leave out a dialect, as "return"
/// does, which the hover of MLIR's server begins with: "func.return" in quotes.
static const OpDoc *docAt(StringRef hover, StringRef text, size_t offset) {
  StringRef before = nameAtEnd(text.take_front(offset));
  StringRef after = text.drop_front(offset).take_while(isNameCharacter);
  std::string name = (before + after).str();
  if (const OpDoc *doc = docOf(name))
    return doc;
  StringRef full = hover;
  if (!full.consume_front("\""))
    return nullptr;
  full = full.take_until([](char c) { return c == '"'; });
  return full.ends_with("." + name) ? docOf(full) : nullptr;
}

json::Value qcc::lsp::addOpDoc(json::Value hover, StringRef text,
                               size_t offset) {
  json::Object *object = hover.getAsObject();
  const json::Object *contents =
      object ? object->getObject("contents") : nullptr;
  StringRef value =
      contents ? contents->getString("value").value_or("") : StringRef();
  const OpDoc *doc = docAt(value, text, offset);
  if (!doc)
    return hover;
  std::string markdown = doc->markdown();
  if (!value.empty())
    markdown += "\n---\n\n" + value.str();
  json::Object result;
  if (const json::Value *range = object ? object->get("range") : nullptr)
    result["range"] = *range;
  result["contents"] =
      json::Object{{"kind", "markdown"}, {"value", std::move(markdown)}};
  return result;
}

//===----------------------------------------------------------------------===//
// Completion
//===----------------------------------------------------------------------===//

namespace {
/// An op that is not complete yet.
struct OpenOp {
  const OpDoc *doc = nullptr;
  StringRef rest; ///< between its name and the cursor
};
} // namespace

/// The last op that begins before the cursor.
static OpenOp findOpenOp(StringRef before) {
  // An op that is longer than this is nobody's to type.
  constexpr size_t kLongestOp = 4096;
  before = before.take_back(kLongestOp);
  StringRef rest = before;
  while (!rest.empty()) {
    StringRef name = nameAtEnd(rest);
    if (const OpDoc *doc = docOf(name)) {
      // A name after "=" or at the begin of a line is an op; others are text.
      StringRef line = rest.drop_back(name.size()).rsplit('\n').second;
      if (!rest.contains('\n'))
        line = rest.drop_back(name.size());
      line = line.rtrim(' ');
      if (line.empty() || line.ends_with("=") || line.ends_with("{"))
        return {doc, before.drop_front(rest.size())};
    }
    rest = rest.drop_back(std::max<size_t>(name.size(), 1));
  }
  return {};
}

/// Where the cursor is in an op.
enum class Spot { Clauses, Attributes, Other };

static Spot spotIn(StringRef rest) {
  std::string open;
  bool isInString = false;
  bool isAfterName = false; ///< of an attribute, after "="
  for (size_t i = 0; i < rest.size(); ++i) {
    char character = rest[i];
    if (character == '"')
      isInString = !isInString;
    if (isInString)
      continue;
    if (StringRef("([{<").contains(character)) {
      open += character;
      isAfterName = false;
    } else if (StringRef(")]}>").contains(character)) {
      bool isArrow = character == '>' && i > 0 && rest[i - 1] == '-';
      if (isArrow)
        continue;
      if (open.empty())
        return Spot::Other;
      open.pop_back();
    } else if (open.empty() && StringRef(":=").contains(character)) {
      return Spot::Other; // The types, or the next op.
    } else if (StringRef(open).ends_with("{")) {
      if (character == '\n')
        return Spot::Other; // A region.
      isAfterName = character == '=' || (isAfterName && character != ',');
    }
  }
  if (isInString)
    return Spot::Other;
  if (open.empty())
    return Spot::Clauses;
  bool isInAttributes = open == "{" || open == "<{";
  return isInAttributes && !isAfterName ? Spot::Attributes : Spot::Other;
}

/// Adds an item to a list of completions, in place of one of its label.
static void addItem(json::Array &items, StringRef label, ItemKind kind,
                    StringRef detail, std::string inserted = "",
                    StringRef documentation = "") {
  json::Object item{
      {"label", label.str()}, {"kind", int(kind)}, {"detail", detail.str()}};
  if (!inserted.empty())
    item["insertText"] = std::move(inserted);
  if (!documentation.empty())
    item["documentation"] = documentation.str();
  for (json::Value &other : items)
    if (other.getAsObject() &&
        other.getAsObject()->getString("label") == label) {
      other = std::move(item);
      return;
    }
  items.push_back(std::move(item));
}

/// Whether `word` stands by itself in the text.
static bool hasWord(StringRef text, StringRef word) {
  for (size_t at = text.find(word); at != StringRef::npos;
       at = text.find(word, at + 1)) {
    StringRef after = text.drop_front(at + word.size());
    if (nameAtEnd(text.take_front(at)).empty() &&
        (after.empty() || !isNameCharacter(after.front())))
      return true;
  }
  return false;
}

/// Adds the ops of a dialect.
static void addOps(json::Array &items, StringRef dialect) {
  std::vector<StringRef> names(opDocs().keys().begin(), opDocs().keys().end());
  llvm::sort(names);
  for (StringRef name : names) {
    const OpDoc *doc = docOf(name);
    if (name.consume_front(dialect) && name.consume_front("."))
      addItem(items, name, kField, doc->summary());
  }
}

json::Value qcc::lsp::addCompletions(json::Value list, StringRef text,
                                     size_t offset) {
  json::Array items;
  if (json::Object *object = list.getAsObject())
    if (json::Array *array = object->getArray("items"))
      items = std::move(*array);
  StringRef before = text.take_front(offset);
  StringRef word = nameAtEnd(before);
  if (word.contains('.')) {
    addOps(items, word.rsplit('.').first);
  } else if (OpenOp op = findOpenOp(before.drop_back(word.size())); op.doc) {
    Spot spot = spotIn(op.rest);
    if (spot == Spot::Attributes)
      for (const OpPart &part : op.doc->attributes()) {
        bool isUnit = part.type == "::mlir::UnitAttr";
        if (!hasWord(op.rest, part.name))
          addItem(items, part.name, kProperty, part.type,
                  isUnit ? "" : part.name + " = ", part.description);
      }
    if (spot == Spot::Clauses && !op.rest.empty())
      for (const OpPart &part : op.doc->clauses())
        if (!hasWord(op.rest, part.name))
          addItem(items, part.name, kKeyword, part.description,
                  part.name + "(");
  }
  return json::Object{{"isIncomplete", false}, {"items", std::move(items)}};
}
