//===- LoadedLibrary.cpp - Libraries of the process -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>

using namespace qcc;
using namespace qcc::capi;

#ifdef __x86_64__
constexpr unsigned callSlot = R_X86_64_JUMP_SLOT,
                   addressSlot = R_X86_64_GLOB_DAT;
constexpr bool knowsSlots = true;
#else
constexpr unsigned callSlot = 0, addressSlot = 0;
constexpr bool knowsSlots = false;
#endif

bool LoadedLibrary::contains(const void *address) const {
  auto offset = reinterpret_cast<uintptr_t>(address) - info.dlpi_addr;
  return llvm::any_of(segments(), [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && offset >= segment.p_vaddr &&
           offset - segment.p_vaddr < segment.p_memsz;
  });
}

void LoadedLibrary::readDynamic() {
  for (const ElfW(Phdr) &segment : segments())
    if (segment.p_type == PT_DYNAMIC)
      dynamic = at<const ElfW(Dyn)>(segment.p_vaddr);
  // Loaders differ in whether they add the base to these.
  auto pointer = [&](ElfW(Addr) value) {
    return value < info.dlpi_addr ? info.dlpi_addr + value : value;
  };
  for (auto *entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
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

void LoadedLibrary::visitImports(const ElfW(Rela) * entries, size_t bytes,
                                 VisitImport visit) const {
  for (size_t i = 0; entries && i < bytes / sizeof(*entries); ++i) {
    auto type = ELF64_R_TYPE(entries[i].r_info);
    if (type == callSlot || type == addressSlot)
      visit(strings + symbols[ELF64_R_SYM(entries[i].r_info)].st_name,
            at<void *>(entries[i].r_offset));
  }
}

void LoadedLibrary::forEachImport(VisitImport visit) const {
  if (!knowsSlots || !symbols || !strings)
    return;
  visitImports(calls, callBytes, visit);
  visitImports(others, otherBytes, visit);
}

void LoadedLibrary::forEachNeeded(VisitName visit) const {
  for (auto *entry = dynamic; entry && strings && entry->d_tag != DT_NULL;
       ++entry)
    if (entry->d_tag == DT_NEEDED)
      visit(strings + entry->d_un.d_val);
}

void capi::forEachLibrary(
    llvm::function_ref<void(const LoadedLibrary &)> visit) {
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        (*static_cast<decltype(visit) *>(data))(LoadedLibrary(*info));
        return 0;
      },
      &visit);
}
