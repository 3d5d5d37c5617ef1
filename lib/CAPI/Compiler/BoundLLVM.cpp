//===- BoundLLVM.cpp - Which LLVM libqcc is bound to ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates and inline functions are left out: where a program uses the same
// LLVM, its copy of them may rightly be the one that all use.
//
//===----------------------------------------------------------------------===//

#include "BoundLLVM.h"
#include "LoadedLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <vector>

using namespace qcc;
using namespace qcc::capi;

namespace {
/// A call that leads out of the libraries of the compiler.
struct ForeignCall {
  std::string name; ///< Of the function.
  const void *address;
};
} // namespace

static bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// By the names of C++, without those of templates, which begin with their
/// results.
static bool isOfLLVM(std::string_view symbol) {
  return llvm::any_of(
      std::initializer_list<const char *>{"_ZN4llvm", "_ZNK4llvm", "_ZN4mlir",
                                          "_ZNK4mlir"},
      [&](const char *prefix) { return startsWith(symbol, prefix); });
}

/// libqcc, and those that it needs which are of LLVM: their paths end so.
static std::vector<std::string> namesOfLibraries(const void *ofThis) {
  std::vector<std::string> names;
  forEachLibrary([&](const LoadedLibrary &library) {
    if (!library.contains(ofThis))
      return;
    library.forEachNeeded([&](const char *name) {
      if (startsWith(name, "libMLIR") || startsWith(name, "libLLVM"))
        names.push_back(std::string("/") + name);
    });
  });
  return names;
}

static bool isOneOf(const LoadedLibrary &library, const void *ofThis,
                    const std::vector<std::string> &names) {
  std::string_view path = library.path();
  return library.contains(ofThis) ||
         llvm::any_of(names, [&](const std::string &name) {
           return path.size() >= name.size() &&
                  path.substr(path.size() - name.size()) == name;
         });
}

static std::vector<ForeignCall> findForeignCalls() {
  const void *ofThis = reinterpret_cast<const void *>(&checkBoundLLVM);
  const std::vector<std::string> names = namesOfLibraries(ofThis);
  std::vector<ForeignCall> calls;
  forEachLibrary([&](const LoadedLibrary &library) {
    if (isOneOf(library, ofThis, names))
      library.forEachImport([&](const char *name, void **slot) {
        if (isOfLLVM(name))
          calls.push_back({name, __atomic_load_n(slot, __ATOMIC_ACQUIRE)});
      });
  });
  forEachLibrary([&](const LoadedLibrary &library) {
    if (isOneOf(library, ofThis, names))
      llvm::erase_if(calls, [&](const ForeignCall &call) {
        return library.contains(call.address);
      });
  });
  return calls;
}

static rt::Status look() {
  for (const ForeignCall &call : findForeignCalls()) {
    Dl_info library;
    void *entry = nullptr;
    if (!dladdr1(call.address, &library, &entry, RTLD_DL_SYMENT) || !entry ||
        ELF64_ST_BIND(static_cast<const ElfW(Sym) *>(entry)->st_info) !=
            STB_GLOBAL)
      continue;
    return rt::unsupported(
        std::string("the library ") + library.dli_fname +
        " of this process has an LLVM of its own and exports it to all, and "
        "the compiler is bound to it (" +
        call.name +
        "); load libqcc before that library, open it with RTLD_NOW and "
        "RTLD_DEEPBIND, or use the libqcc of the Python package, which has its "
        "LLVM inside (docs/HowTo/Embed.md, Other LLVMs in the process)");
  }
  return rt::Status::ok();
}

rt::Status capi::checkBoundLLVM() {
  static const rt::Status found = look();
  return found;
}
