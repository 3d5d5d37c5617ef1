//===- AppendWeights.cpp - Weights after the linker -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a program that starts as zeros, the section .lbss, takes no bytes
// in the file and has a segment of its own, for it is of the large code model.
// Here the segment gets bytes, behind everything else in the file.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/CodeGen/WeightsImage.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <elf.h>

using namespace qcc;

//===----------------------------------------------------------------------===//
// The image
//===----------------------------------------------------------------------===//

int64_t WeightsImage::add(const Weights &weights) {
  for (const Part &part : parts)
    if (part.weights == weights)
      return part.offset;
  int64_t offset = llvm::alignTo(total, 64);
  parts.push_back({offset, weights});
  total = offset + weights.size();
  return offset;
}

void WeightsImage::copyTo(
    char *memory,
    llvm::function_ref<void(mlir::DenseResourceElementsAttr)> last) const {
  auto resourceOf = [](const Weights::Constant &constant) {
    return llvm::dyn_cast<mlir::DenseResourceElementsAttr>(constant.value);
  };
  // Constants of several types may have the data of one resource.
  llvm::DenseMap<const void *, int64_t> uses;
  for (const Part &part : parts)
    for (const Weights::Constant &constant : part.weights.constants())
      if (auto resource = resourceOf(constant))
        ++uses[resource.getRawHandle().getResource()];
  int64_t end = 0;
  for (const Part &part : parts) {
    assert(end <= part.offset && "parts follow each other");
    std::fill(memory + end, memory + part.offset, 0);
    part.weights.copyTo(
        memory + part.offset, [&](const Weights::Constant &constant) {
          auto resource = resourceOf(constant);
          if (resource && --uses[resource.getRawHandle().getResource()] == 0)
            last(resource);
        });
    end = part.offset + part.weights.size();
  }
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// Neither the headers nor the C library's header have it.
static constexpr uint64_t largeSection = 0x10000000; // SHF_X86_64_LARGE

template <typename T>
static T *headers(llvm::SmallVectorImpl<char> &program, uint64_t offset) {
  return reinterpret_cast<T *>(program.data() + offset);
}

llvm::Error qcc::appendWeights(llvm::SmallVector<char, 0> &program,
                               const WeightsImage &weights, bool releases) {
  if (weights.size() == 0)
    return llvm::Error::success();
  constexpr uint64_t page = 4096;
  assert(program.size() >= sizeof(Elf64_Ehdr) && "the linker wrote a program");
  uint64_t offset = llvm::alignTo(program.size(), page);
  Elf64_Ehdr header = *headers<Elf64_Ehdr>(program, 0);
  auto *sections = headers<Elf64_Shdr>(program, header.e_shoff);
  auto *segments = headers<Elf64_Phdr>(program, header.e_phoff);
  Elf64_Shdr *section = std::find_if(
      sections, sections + header.e_shnum, [](const Elf64_Shdr &one) {
        return one.sh_type == SHT_NOBITS && (one.sh_flags & largeSection);
      });
  Elf64_Phdr *segment = std::find_if(
      segments, segments + header.e_phnum, [&](const Elf64_Phdr &one) {
        return one.p_type == PT_LOAD && section != sections + header.e_shnum &&
               one.p_vaddr == section->sh_addr;
      });
  if (section == sections + header.e_shnum ||
      segment == segments + header.e_phnum || segment->p_filesz != 0 ||
      segment->p_memsz != uint64_t(weights.size()) ||
      segment->p_vaddr % page != 0)
    return llvm::createStringError(
        "the linked program has no segment of its own for the weights; this is "
        "a bug of qcc, please report it with the program");
  section->sh_type = SHT_PROGBITS;
  section->sh_flags &= ~uint64_t(SHF_WRITE);
  section->sh_offset = offset;
  segment->p_flags = PF_R;
  segment->p_offset = offset;
  segment->p_filesz = segment->p_memsz;
  // Memory is taken as it is written, while constants are freed.
  uint64_t end = program.size();
  program.resize_for_overwrite(offset + weights.size());
  std::fill(program.begin() + end, program.begin() + offset, 0);
  weights.copyTo(program.data() + offset,
                 [&](mlir::DenseResourceElementsAttr resource) {
                   if (releases)
                     releaseData(resource);
                 });
  return llvm::Error::success();
}
