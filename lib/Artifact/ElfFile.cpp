//===- ElfFile.cpp - The form of a shared object --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Artifact/ElfFile.h"

#include "qcc/Artifact/ABI.h"
#include "qcc/Artifact/ArtifactNote.h"

#include <algorithm>
#include <optional>

namespace qcc::rt {

static constexpr const char *makeOne =
    "; make an artifact with `qcc compile FILE -o NAME.so`";

static Status damaged(const std::string &what) {
  return corrupt("it is truncated or damaged: " + what +
                 "; compile the program again");
}

static Status noArtifact(const std::string &what) {
  return corrupt("this is no artifact of qcc: " + what + makeOne);
}

static Status otherMachine(const std::string &what) {
  return unsupported("it is " + what +
                     ", and this runtime loads shared objects for x86-64; "
                     "compile the program for this machine");
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

Status ElfFile::checkIdentity() const {
  if (header_.e_ident[EI_CLASS] == ELFCLASS32)
    return otherMachine("a 32-bit ELF file");
  if (header_.e_ident[EI_DATA] == ELFDATA2MSB)
    return otherMachine("a big-endian ELF file");
  if (header_.e_ident[EI_CLASS] != ELFCLASS64 ||
      header_.e_ident[EI_DATA] != ELFDATA2LSB ||
      header_.e_ident[EI_VERSION] != EV_CURRENT ||
      header_.e_version != EV_CURRENT || header_.e_ehsize != sizeof(header_))
    return damaged("its ELF header contradicts itself");
  if (header_.e_machine != EM_X86_64)
    return otherMachine("for another machine, number " +
                        std::to_string(header_.e_machine) + " of ELF");
  if (header_.e_type == ET_REL)
    return noArtifact("it is an object that is not linked yet");
  if (header_.e_type == ET_EXEC)
    return noArtifact("it is a program");
  if (header_.e_type != ET_DYN)
    return noArtifact("it is an ELF file, but no shared object");
  return Status::ok();
}

Status ElfFile::readSegments() {
  uint64_t size = uint64_t(header_.e_phnum) * sizeof(Elf64_Phdr);
  if (header_.e_phnum == 0 || header_.e_phentsize != sizeof(Elf64_Phdr) ||
      !bytes_->contains(header_.e_phoff, size))
    return damaged("its program headers lie outside of it");
  segments_.resize(header_.e_phnum);
  Status status = bytes_->read(segments_.data(), size, header_.e_phoff);
  if (!status.isOk())
    return status;
  constexpr uint64_t addressLimit = uint64_t(1) << 47;
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Elf64_Phdr &segment = segments_[i];
    if (!bytes_->contains(segment.p_offset, segment.p_filesz) ||
        segment.p_memsz > addressLimit ||
        segment.p_vaddr > addressLimit - segment.p_memsz ||
        (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz))
      return damaged("segment " + std::to_string(i) + " lies outside of it");
  }
  if (loadedSegments().empty())
    return damaged("it has nothing to load");
  return Status::ok();
}

Status ElfFile::readSections() {
  uint64_t size = uint64_t(header_.e_shnum) * sizeof(Elf64_Shdr);
  if (header_.e_shnum == 0)
    return Status::ok();
  if (header_.e_shentsize != sizeof(Elf64_Shdr) ||
      !bytes_->contains(header_.e_shoff, size))
    return damaged("its section headers lie outside of it");
  sections_.resize(header_.e_shnum);
  return bytes_->read(sections_.data(), size, header_.e_shoff);
}

Result<ElfFile> ElfFile::read(const ByteSource &bytes) {
  if (bytes.size() == 0)
    return noArtifact("the file is empty");
  ElfFile file(bytes);
  char *header = reinterpret_cast<char *>(&file.header_);
  size_t count = std::min<uint64_t>(bytes.size(), sizeof(Elf64_Ehdr));
  Status status = bytes.read(header, count, 0);
  if (!status.isOk())
    return status;
  if (memcmp(header, ELFMAG, std::min<size_t>(count, SELFMAG)) != 0)
    return noArtifact("it is no ELF file");
  if (count < sizeof(Elf64_Ehdr))
    return damaged("it ends within its header");
  status = file.checkIdentity();
  if (status.isOk())
    status = file.readSegments();
  if (status.isOk())
    status = file.readSections();
  if (!status.isOk())
    return status;
  return file;
}

std::vector<ElfSegment> ElfFile::loadedSegments() const {
  std::vector<ElfSegment> loaded;
  for (const Elf64_Phdr &segment : segments_)
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R))
      loaded.push_back({segment.p_vaddr, segment.p_offset,
                        int64_t(segment.p_memsz),
                        (segment.p_flags & PF_W) != 0});
  return loaded;
}

uint64_t ElfFile::findLastReadOnly() const {
  Elf64_Phdr last = {};
  for (const Elf64_Phdr &segment : segments_)
    if (segment.p_type == PT_LOAD && segment.p_offset >= last.p_offset)
      last = segment;
  uint64_t sectionsEnd =
      header_.e_shoff + uint64_t(header_.e_shnum) * sizeof(Elf64_Shdr);
  bool isLast = last.p_flags == PF_R && last.p_offset >= sectionsEnd;
  return isLast ? last.p_offset : 0;
}

//===----------------------------------------------------------------------===//
// The note
//===----------------------------------------------------------------------===//

Result<ElfPlace> ElfFile::findNote() const {
  const ArtifactNote expected;
  for (const Elf64_Phdr &segment : segments_) {
    if (segment.p_type != PT_NOTE)
      continue;
    uint64_t align = segment.p_align == 8 ? 8 : 4;
    uint64_t at = segment.p_offset, end = at + segment.p_filesz;
    while (end - at >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr header;
      Status status = bytes_->read(&header, sizeof(header), at);
      if (!status.isOk())
        return status;
      // Owner and content are padded on their own.
      auto padded = [&](uint64_t size) { return (size + align - 1) & -align; };
      uint64_t size = padded(sizeof(header) + header.n_namesz);
      size = padded(size + header.n_descsz);
      char start[offsetof(ArtifactNote, version)];
      if (end - at >= sizeof(expected)) {
        status = bytes_->read(start, sizeof(start), at);
        if (!status.isOk())
          return status;
        if (memcmp(start, &expected, sizeof(start)) == 0)
          return ElfPlace{at, segment.p_vaddr + (at - segment.p_offset)};
      }
      if (size > end - at)
        break;
      at += size;
    }
  }
  return noArtifact("the shared object has no note of qcc");
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Status ElfFile::checkDynamic() const {
  for (const Elf64_Phdr &segment : segments_) {
    if (segment.p_type != PT_DYNAMIC)
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      Status status =
          bytes_->read(&entry, sizeof(entry), segment.p_offset + at);
      if (!status.isOk())
        return status;
      if (entry.d_tag == DT_NULL)
        return Status::ok();
      if (entry.d_tag == DT_NEEDED)
        return noArtifact("it needs other libraries");
    }
  }
  return damaged("it has no complete dynamic section");
}

Result<ElfPlace> ElfFile::findDescriptor() const {
  Status status = checkDynamic();
  if (!status.isOk())
    return status;
  auto section =
      std::find_if(sections_.begin(), sections_.end(),
                   [](const auto &one) { return one.sh_type == SHT_DYNSYM; });
  if (section == sections_.end() || section->sh_link >= sections_.size() ||
      section->sh_entsize != sizeof(Elf64_Sym) ||
      !bytes_->contains(section->sh_offset, section->sh_size))
    return damaged("it has no table of symbols");
  const Elf64_Shdr &names = sections_[section->sh_link];
  std::optional<uint64_t> address;
  // The first symbol of every table is empty.
  for (uint64_t at = sizeof(Elf64_Sym);
       at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    status = bytes_->read(&symbol, sizeof(symbol), section->sh_offset + at);
    if (!status.isOk())
      return status;
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
      continue;
    char name[sizeof(QCC_ARTIFACT_SYMBOL)] = {};
    if (symbol.st_name < names.sh_size &&
        names.sh_size - symbol.st_name >= sizeof(name) &&
        bytes_->contains(names.sh_offset, names.sh_size)) {
      status =
          bytes_->read(name, sizeof(name), names.sh_offset + symbol.st_name);
      if (!status.isOk())
        return status;
    }
    if (symbol.st_shndx == SHN_UNDEF)
      return noArtifact("it needs symbols of other libraries");
    if (memcmp(name, QCC_ARTIFACT_SYMBOL, sizeof(name)) != 0 || address)
      return noArtifact("it exports more than " QCC_ARTIFACT_SYMBOL);
    address = symbol.st_value;
  }
  if (!address)
    return noArtifact("it has no symbol " QCC_ARTIFACT_SYMBOL);
  for (const ElfSegment &segment : loadedSegments())
    if (*address >= segment.address &&
        *address - segment.address < uint64_t(segment.size))
      return ElfPlace{segment.offset + (*address - segment.address), *address};
  return damaged(QCC_ARTIFACT_SYMBOL " lies outside of it");
}

} // namespace qcc::rt
