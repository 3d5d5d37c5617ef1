//===- RedirectCalls.cpp - Calls of other functions -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RedirectCalls.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::capi;

#ifdef __x86_64__
namespace {
struct Search {
  llvm::ArrayRef<const void *> addresses;
  llvm::ArrayRef<Redirection> redirections;
};

/// One library in memory, with what its dynamic section says.
class Library {
public:
  explicit Library(const dl_phdr_info &info) : info(info) { readDynamic(); }

  bool contains(const void *address) const;
  void redirect(llvm::ArrayRef<Redirection> redirections);

private:
  void readDynamic();
  void redirectIn(const ElfW(Rela) * entries, size_t bytes,
                  llvm::ArrayRef<Redirection> redirections);
  void write(void **slot, void *value);

  template <typename T> T *at(ElfW(Addr) address) const {
    return reinterpret_cast<T *>(info.dlpi_addr + address);
  }
  llvm::ArrayRef<ElfW(Phdr)> segments() const {
    return {info.dlpi_phdr, info.dlpi_phnum};
  }

  const dl_phdr_info &info;
  const ElfW(Sym) *symbols = nullptr;
  const char *strings = nullptr;
  const ElfW(Rela) *calls = nullptr, *others = nullptr;
  size_t callBytes = 0, otherBytes = 0;
};
} // namespace

bool Library::contains(const void *address) const {
  auto offset = reinterpret_cast<uintptr_t>(address) - info.dlpi_addr;
  return llvm::any_of(segments(), [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && offset >= segment.p_vaddr &&
           offset - segment.p_vaddr < segment.p_memsz;
  });
}

void Library::readDynamic() {
  const ElfW(Dyn) *entry = nullptr;
  for (const ElfW(Phdr) &segment : segments())
    if (segment.p_type == PT_DYNAMIC)
      entry = at<ElfW(Dyn)>(segment.p_vaddr);
  // Loaders differ in whether they add the base to these.
  auto pointer = [&](ElfW(Addr) value) {
    return value < info.dlpi_addr ? info.dlpi_addr + value : value;
  };
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    ElfW(Addr) value = pointer(entry->d_un.d_ptr);
    switch (entry->d_tag) {
    case DT_SYMTAB:
      symbols = reinterpret_cast<const ElfW(Sym) *>(value);
      break;
    case DT_STRTAB:
      strings = reinterpret_cast<const char *>(value);
      break;
    case DT_JMPREL:
      calls = reinterpret_cast<const ElfW(Rela) *>(value);
      break;
    case DT_PLTRELSZ:
      callBytes = entry->d_un.d_val;
      break;
    case DT_RELA:
      others = reinterpret_cast<const ElfW(Rela) *>(value);
      break;
    case DT_RELASZ:
      otherBytes = entry->d_un.d_val;
      break;
    default:
      break;
    }
  }
}

/// Other threads may be about to call through the slot.
void Library::write(void **slot, void *value) {
  uintptr_t page = sysconf(_SC_PAGESIZE);
  auto *begin =
      reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(slot) & ~(page - 1));
  auto offset = reinterpret_cast<uintptr_t>(slot) - info.dlpi_addr;
  bool isReadOnly = llvm::any_of(segments(), [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_GNU_RELRO && offset >= segment.p_vaddr &&
           offset - segment.p_vaddr < segment.p_memsz;
  });
  if (isReadOnly && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  if (isReadOnly)
    mprotect(begin, page, PROT_READ);
}

void Library::redirectIn(const ElfW(Rela) * entries, size_t bytes,
                         llvm::ArrayRef<Redirection> redirections) {
  for (size_t i = 0; entries && i < bytes / sizeof(*entries); ++i) {
    auto type = ELF64_R_TYPE(entries[i].r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
      continue;
    const char *name =
        strings + symbols[ELF64_R_SYM(entries[i].r_info)].st_name;
    for (const Redirection &redirection : redirections)
      if (strcmp(name, redirection.name) == 0)
        write(at<void *>(entries[i].r_offset), redirection.function);
  }
}

void Library::redirect(llvm::ArrayRef<Redirection> redirections) {
  if (!symbols || !strings)
    return;
  redirectIn(calls, callBytes, redirections);
  redirectIn(others, otherBytes, redirections);
}

void capi::redirectCalls(llvm::ArrayRef<const void *> addresses,
                         llvm::ArrayRef<Redirection> redirections) {
  Search search{addresses, redirections};
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        auto &search = *static_cast<Search *>(data);
        Library library(*info);
        if (llvm::any_of(search.addresses, [&](const void *address) {
              return library.contains(address);
            }))
          library.redirect(search.redirections);
        return 0;
      },
      &search);
}
#else
void capi::redirectCalls(llvm::ArrayRef<const void *>,
                         llvm::ArrayRef<Redirection>) {}
#endif
