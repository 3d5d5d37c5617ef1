//===- Page.h - Pages of HTML -----------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page is one file that loads no other. It is made of the files of
// python/qcc/pages, which the build turns into strings. Python makes pages of
// the same files.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_PAGE_H
#define QCC_TOOLS_QCC_PAGE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace qcc::driver {

enum class PageKind { Explain, Diff };

/// The page whose script draws `json`, the text of a value of JSON.
std::string makePage(PageKind kind, llvm::StringRef json);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_PAGE_H
