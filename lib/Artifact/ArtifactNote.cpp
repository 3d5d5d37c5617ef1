//===- ArtifactNote.cpp - Header of an artifact ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hash, and stamping. XXH64 is written down in the xxHash specification:
// four lanes take 8 bytes of every 32 each, are merged at the end, and what is
// left goes into the result in pieces of 8, 4 and 1.
//
//===----------------------------------------------------------------------===//

#include "qcc/Artifact/ArtifactNote.h"

#include "qcc/Artifact/ABI.h"
#include "qcc/Artifact/ElfFile.h"

#include <algorithm>

namespace qcc::rt {

//===----------------------------------------------------------------------===//
// XXH64
//===----------------------------------------------------------------------===//

static constexpr uint64_t prime1 = 0x9e3779b185ebca87,
                          prime2 = 0xc2b2ae3d27d4eb4f,
                          prime3 = 0x165667b19e3779f9,
                          prime4 = 0x85ebca77c2b2ae63,
                          prime5 = 0x27d4eb2f165667c5;

static uint64_t rotateLeft(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

template <typename T> static uint64_t read(const unsigned char *bytes) {
  T value;
  memcpy(&value, bytes, sizeof(value));
  return value;
}

static uint64_t round(uint64_t lane, uint64_t input) {
  return rotateLeft(lane + input * prime2, 31) * prime1;
}

void ContentHash::consume(const unsigned char *stripe) {
  for (int i = 0; i < 4; ++i)
    lanes_[i] = round(lanes_[i], read<uint64_t>(stripe + 8 * i));
}

void ContentHash::update(const void *data, size_t size) {
  auto *bytes = static_cast<const unsigned char *>(data);
  total_ += size;
  if (numPending_ > 0) {
    size_t count = std::min(size, stripeSize - numPending_);
    memcpy(pending_ + numPending_, bytes, count);
    numPending_ += count;
    bytes += count;
    size -= count;
    if (numPending_ < stripeSize)
      return;
    consume(pending_);
    numPending_ = 0;
  }
  for (; size >= stripeSize; bytes += stripeSize, size -= stripeSize)
    consume(bytes);
  if (size > 0)
    memcpy(pending_, bytes, size);
  numPending_ = size;
}

uint64_t ContentHash::finish() const {
  uint64_t hash = prime5;
  if (total_ >= stripeSize) {
    hash = rotateLeft(lanes_[0], 1) + rotateLeft(lanes_[1], 7) +
           rotateLeft(lanes_[2], 12) + rotateLeft(lanes_[3], 18);
    for (uint64_t lane : lanes_)
      hash = (hash ^ round(0, lane)) * prime1 + prime4;
  }
  hash += total_;

  const unsigned char *rest = pending_, *end = pending_ + numPending_;
  for (; rest + 8 <= end; rest += 8)
    hash =
        rotateLeft(hash ^ round(0, read<uint64_t>(rest)), 27) * prime1 + prime4;
  if (rest + 4 <= end) {
    hash ^= read<uint32_t>(rest) * prime1;
    hash = rotateLeft(hash, 23) * prime2 + prime3;
    rest += 4;
  }
  for (; rest < end; ++rest)
    hash = rotateLeft(hash ^ (*rest * prime5), 11) * prime1;

  hash = (hash ^ (hash >> 33)) * prime2;
  hash = (hash ^ (hash >> 29)) * prime3;
  return hash ^ (hash >> 32);
}

//===----------------------------------------------------------------------===//
// Stamping
//===----------------------------------------------------------------------===//

/// Writes the size and the hash of what comes before the weights.
static void stampCode(char *bytes, uint64_t size, const ElfFile &elf) {
  constexpr uint64_t end =
      offsetof(qcc_descriptor, code_hash) + sizeof(qcc_descriptor::code_hash);
  Result<ElfPlace> place = elf.findDescriptor();
  uint64_t codeSize = elf.findLastReadOnly();
  if (!place.isOk() || codeSize > size || codeSize < end ||
      place->offset > codeSize - end)
    return;
  qcc_descriptor descriptor;
  memcpy(&descriptor, bytes + place->offset, end);
  if (descriptor.size < int64_t(end))
    return;
  descriptor.code_size = int64_t(codeSize);
  descriptor.code_hash = 0;
  memcpy(bytes + place->offset, &descriptor, end);
  ContentHash hash;
  hash.update(bytes, codeSize);
  descriptor.code_hash = hash.finish();
  memcpy(bytes + place->offset, &descriptor, end);
}

Status stampArtifact(char *bytes, uint64_t size) {
  MemorySource source(bytes, size);
  Result<ElfFile> elf = ElfFile::read(source);
  if (!elf.isOk())
    return elf.status();
  Result<ElfPlace> place = elf->findNote();
  if (!place.isOk())
    return place.status();
  ArtifactNote note;
  memcpy(&note, bytes + place->offset, sizeof(note));
  note.fileSize = size;
  note.hash = 0;
  memcpy(bytes + place->offset, &note, sizeof(note));
  stampCode(bytes, size, *elf);
  ContentHash hash;
  hash.update(bytes, size);
  note.hash = hash.finish();
  memcpy(bytes + place->offset, &note, sizeof(note));
  return Status::ok();
}

} // namespace qcc::rt
