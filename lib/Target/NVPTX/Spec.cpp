//===- Spec.cpp - Table of NVIDIA chips -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/NVPTX/Spec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace qcc::nvptx;

/// Each with the first version of PTX that knows it, but for sm_75: the first
/// one that multiplies matrices of bytes there is 6.5.
static constexpr Spec kChips[] = {
    {"sm_75", 75, 65, 64 << 10, 65536, 1024, 40, 1024, 1280, 201},
    {"sm_80", 80, 70, 163 << 10, 65536, 2048, 108, 2048, 5120, 1446},
    {"sm_86", 86, 71, 99 << 10, 65536, 1536, 72, 1024, 2560, 354},
    {"sm_89", 89, 78, 99 << 10, 65536, 1536, 58, 1024, 1856, 147},
    {"sm_90", 90, 78, 227 << 10, 65536, 2048, 132, 2540, 5120, 1830, 1500, .8},
    {"sm_90a", 90, 84, 227 << 10, 65536, 2048, 132, 2540, 5120, 1830, 1500, .8,
     true},
    {"sm_120", 120, 87, 99 << 10, 65536, 1536, 170, 1024, 5440, 744},
};

static constexpr Atom kAtoms[] = {
    {"wgmma-m64k32", 64, 32, 90, 84, true},
    {"mma-m16n8k32", 16, 32, 80, 70},
    {"mma-m8n8k16", 8, 16, 75, 65},
};

llvm::ArrayRef<Atom> qcc::nvptx::matrixAtoms() { return kAtoms; }

const Atom *qcc::nvptx::findMatrixAtom(llvm::StringRef name) {
  auto *found = llvm::find_if(
      kAtoms, [&](const Atom &atom) { return atom.name == name; });
  return found == std::end(kAtoms) ? nullptr : found;
}

llvm::ArrayRef<Spec> qcc::nvptx::allChips() { return kChips; }

bool qcc::nvptx::isChipName(llvm::StringRef name) {
  return name.starts_with("sm_");
}

llvm::Expected<Spec> Spec::forChip(llvm::StringRef name) {
  for (const Spec &chip : kChips)
    if (chip.name == name)
      return chip;
  std::string known = llvm::join(
      llvm::map_range(kChips, [](const Spec &chip) { return chip.name; }),
      ", ");
  return llvm::createStringError("unknown chip '%s'; use one of %s",
                                 name.str().c_str(), known.c_str());
}
