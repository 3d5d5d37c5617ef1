//===- RedirectCalls.cpp - Calls of other functions -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RedirectCalls.h"
#include "LoadedLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace qcc;
using namespace qcc::capi;

void capi::redirectCalls(llvm::ArrayRef<const void *> addresses,
                         llvm::ArrayRef<Redirection> redirections) {
  forEachLibrary([&](const LoadedLibrary &library) {
    if (llvm::none_of(addresses, [&](const void *address) {
          return library.contains(address);
        }))
      return;
    library.forEachImport([&](const char *name, void **slot) {
      for (const Redirection &redirection : redirections)
        if (strcmp(name, redirection.name) == 0)
          library.write(slot, redirection.function);
    });
  });
}
