//===- Page.cpp - Pages of HTML -------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page.h"

using namespace qcc;
using namespace qcc::driver;

static constexpr llvm::StringLiteral kFrame =
#include "pages/page.html.inc"
    ;
static constexpr llvm::StringLiteral kStyle =
#include "pages/page.css.inc"
    ;
static constexpr llvm::StringLiteral kShared =
#include "pages/page.js.inc"
    ;
static constexpr llvm::StringLiteral kExplain =
#include "pages/explain.js.inc"
    ;
static constexpr llvm::StringLiteral kDiff =
#include "pages/diff.js.inc"
    ;

/// JSON that no HTML parser takes for the end of its element.
static std::string escape(llvm::StringRef json) {
  std::string escaped;
  for (char c : json)
    escaped += c == '<' ? "\\u003c" : std::string(1, c);
  return escaped;
}

std::string driver::makePage(PageKind kind, llvm::StringRef json) {
  llvm::StringRef script = kind == PageKind::Explain ? kExplain : kDiff;
  auto [untilStyle, afterStyle] = kFrame.split("%STYLE%");
  auto [untilData, afterData] = afterStyle.split("%DATA%");
  auto [untilScript, end] = afterData.split("%SCRIPT%");
  return (untilStyle + kStyle + untilData + escape(json) + untilScript +
          kShared + script + end)
      .str();
}
