//===- OpDocs.cpp - Documentation of ops ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpDocs.h"

using namespace qcc::lsp;
using llvm::StringRef;

/// The pages of -gen-op-doc: each has a section "### `dialect.op` (CLASS)" for
/// each op, in which headings of tables have one # more.
static const char *const kPages[] = {
#include "OpDocs.inc"
};

static constexpr StringRef kHeading = "\n### `";
static constexpr StringRef kAttributes = "#### Attributes:";

const llvm::StringMap<OpDoc> &qcc::lsp::opDocs() {
  static const llvm::StringMap<OpDoc> docs = [] {
    llvm::StringMap<OpDoc> docs;
    for (StringRef page : kPages) {
      StringRef rest = page.split(kHeading).second;
      while (!rest.empty()) {
        auto [section, next] = rest.split(kHeading);
        docs.try_emplace(section.take_until([](char c) { return c == '`'; }),
                         OpDoc(section));
        rest = next;
      }
    }
    return docs;
  }();
  return docs;
}

/// The text between two markers, which `rest` loses with what was before.
static StringRef takeBetween(StringRef &rest, StringRef before,
                             StringRef after) {
  StringRef inside;
  std::tie(inside, rest) = rest.split(before).second.split(after);
  return inside;
}

std::string OpDoc::summary() const {
  StringRef rest = section.split('\n').second.ltrim('\n');
  if (!rest.consume_front("_"))
    return "";
  return rest.split("_\n").first.str();
}

std::vector<OpPart> OpDoc::attributes() const {
  std::vector<OpPart> parts;
  StringRef table = section.split(kAttributes).second.split("</table>").first;
  while (table.contains("<tr><td><code>")) {
    OpPart &part = parts.emplace_back();
    part.name = takeBetween(table, "<tr><td><code>", "</code></td>").str();
    part.type = takeBetween(table, "<td>", "</td>").str();
    part.description = takeBetween(table, "<td>", "</td></tr>").str();
  }
  return parts;
}

std::vector<OpPart> OpDoc::clauses() const {
  std::vector<OpPart> parts;
  StringRef syntax = section.split("operation ::=").second.split("```").first;
  StringRef rest = section.split("#### Operands:").second.split("####").first;
  while (rest.contains("\n| `")) {
    OpPart part;
    part.name = takeBetween(rest, "\n| `", "` | ").str();
    auto [description, after] = rest.split(" |");
    part.description = description.str();
    rest = after;
    if (syntax.contains("`" + part.name + "` `(`"))
      parts.push_back(std::move(part));
  }
  return parts;
}

std::string OpDoc::markdown() const {
  std::string text = "### `";
  StringRef rest = section;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    // Traits are for those who write passes.
    if (line.starts_with("Traits: ") || line.starts_with("Interfaces: ") ||
        line.starts_with("Effects: "))
      continue;
    if (line != kAttributes) {
      text += line.str() + "\n";
      continue;
    }
    rest = rest.split("</table>").second;
    text += kAttributes.str() + "\n\n| Attribute | Type | Description |\n" +
            "| :-: | --- | --- |\n";
    for (const OpPart &part : attributes())
      text += "| `" + part.name + "` | `" + part.type + "` | " +
              part.description + " |\n";
  }
  return text;
}
