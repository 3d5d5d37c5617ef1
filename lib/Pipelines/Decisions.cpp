//===- Decisions.cpp - Messages about what passes decide ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Pipelines/Decisions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"

bool qcc::printDecisions(llvm::ArrayRef<std::string> passes) {
#ifdef NDEBUG
  return false;
#else
  // LLVM's own option for this exists only if LLVM has assertions. A type
  // without a level would print all levels.
  llvm::SmallVector<std::string> types =
      llvm::map_to_vector(passes, [](const std::string &pass) {
        return llvm::StringRef(pass).contains(':') ? pass : pass + ":1";
      });
  llvm::SmallVector<const char *> names = llvm::map_to_vector(
      types, [](const std::string &type) { return type.c_str(); });
  llvm::DebugFlag = true;
  llvm::setCurrentDebugTypes(names.data(), names.size());
  return true;
#endif
}
