//===- LoadedLibrary.h - Libraries of the process ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library calls functions of others through a table of addresses that the
// dynamic loader has filled. Its dynamic section says where the table lies.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_LOADEDLIBRARY_H
#define QCC_LIB_CAPI_COMPILER_LOADEDLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <elf.h>
#include <link.h>

namespace qcc::capi {

/// One library in memory, during a call of forEachLibrary.
class LoadedLibrary {
public:
  /// Called with the name of a function or an object of another library, and
  /// with the entry of the table that holds its address.
  using VisitImport = llvm::function_ref<void(const char *name, void **slot)>;
  using VisitName = llvm::function_ref<void(const char *name)>;

  explicit LoadedLibrary(const dl_phdr_info &info) : info(info) {
    readDynamic();
  }

  /// The file's path, as the dynamic loader has it; "" of the program.
  const char *path() const { return info.dlpi_name; }
  bool contains(const void *address) const;
  /// Nothing where the table is of a kind that is not known here.
  void forEachImport(VisitImport visit) const;
  /// The names of the libraries that the dynamic section asks for.
  void forEachNeeded(VisitName visit) const;

private:
  void readDynamic();
  void visitImports(const ElfW(Rela) * entries, size_t bytes,
                    VisitImport visit) const;

  template <typename T> T *at(ElfW(Addr) address) const {
    return reinterpret_cast<T *>(info.dlpi_addr + address);
  }
  llvm::ArrayRef<ElfW(Phdr)> segments() const {
    return {info.dlpi_phdr, info.dlpi_phnum};
  }

  const dl_phdr_info &info;
  const ElfW(Dyn) *dynamic = nullptr;
  const ElfW(Sym) *symbols = nullptr;
  const char *strings = nullptr;
  const ElfW(Rela) *calls = nullptr, *others = nullptr;
  size_t callBytes = 0, otherBytes = 0;
};

/// Calls `visit` with each library of the process. The dynamic loader holds a
/// lock meanwhile: `visit` must not load or look up anything.
void forEachLibrary(llvm::function_ref<void(const LoadedLibrary &)> visit);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_LOADEDLIBRARY_H
