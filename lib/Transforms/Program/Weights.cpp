//===- Weights.cpp - The constants that steps read ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Program/Weights.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace qcc;

/// The bytes of a constant, one for each i1; nothing where it has none.
static std::optional<int64_t> sizeOf(ElementsAttr attr) {
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional<int64_t>(blob->getData().size()) : std::nullopt;
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!dense)
    return std::nullopt;
  if (dense.getElementType().isInteger(1))
    return dense.getNumElements();
  return int64_t(dense.getRawData().size()) *
         (dense.isSplat() ? dense.getNumElements() : 1);
}

/// The bytes of a constant that are stored as they are; nothing for others.
static std::optional<ArrayRef<char>> storedBytes(ElementsAttr attr) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional(blob->getData()) : std::nullopt;
  }
  auto dense = cast<DenseElementsAttr>(attr);
  if (dense.isSplat() || dense.getElementType().isInteger(1))
    return std::nullopt;
  return dense.getRawData();
}

/// Calls `take` with the bytes of a constant, in pieces.
static void visitBytes(ElementsAttr attr,
                       function_ref<void(ArrayRef<char>)> take) {
  if (std::optional<ArrayRef<char>> bytes = storedBytes(attr))
    return take(*bytes);
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return;
  if (dense.getElementType().isInteger(1)) {
    SmallVector<char> bytes;
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return take(bytes);
  }
  // A splat of any size, by some elements at once.
  constexpr int64_t numAtOnce = 4096;
  ArrayRef<char> element = dense.getRawData();
  int64_t count = dense.getNumElements();
  SmallVector<char> some;
  for (int64_t i = 0; i < std::min(numAtOnce, count); ++i)
    some.append(element.begin(), element.end());
  for (int64_t i = 0; i < count; i += numAtOnce)
    take(ArrayRef<char>(some).take_front(std::min(numAtOnce, count - i) *
                                         element.size()));
}

/// The distance from `at` to the next constant.
static ArrayRef<char> padding(int64_t at, int64_t offset) {
  static constexpr char zeros[64] = {};
  return ArrayRef(zeros, offset - at);
}

/// Whether both are stored as they are and have the same bytes.
static bool haveSameBytes(ElementsAttr a, ElementsAttr b) {
  std::optional<ArrayRef<char>> left = storedBytes(a), right = storedBytes(b);
  return left && right && *left == *right;
}

uint64_t Weights::hashAll(ArrayRef<char> bytes) {
  read += bytes.size();
  return llvm::hash_combine(
      bytes.size(), llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size())));
}

uint64_t Weights::hashSamples(ArrayRef<char> bytes) {
  constexpr size_t count = 128, length = 64;
  if (bytes.size() <= count * length)
    return hashAll(bytes);
  SmallVector<char> samples;
  // The last sample ends where the constant ends.
  for (size_t i = 0; i < count; ++i)
    llvm::append_range(
        samples,
        bytes.slice((bytes.size() - length) / (count - 1) * i, length));
  llvm::append_range(samples, bytes.take_back(length));
  read += samples.size();
  return llvm::hash_combine(bytes.size(), llvm::xxh3_64bits(StringRef(
                                              samples.data(), samples.size())));
}

const Weights::Constant *Weights::findEqual(ElementsAttr value) {
  std::optional<ArrayRef<char>> bytes = storedBytes(value);
  if (!bytes)
    return nullptr;
  unsigned next = list.size();
  auto [found, isNew] = similar.try_emplace(hashSamples(*bytes), Similar{next});
  if (isNew)
    return nullptr;
  Similar &group = found->second;
  if (!group.isHashed) {
    std::optional<ArrayRef<char>> first = storedBytes(list[group.first].value);
    if (first)
      whole[hashAll(*first)].push_back(group.first);
    group.isHashed = true;
  }
  SmallVector<unsigned, 1> &candidates = whole[hashAll(*bytes)];
  for (unsigned i : candidates) {
    read += bytes->size();
    if (haveSameBytes(list[i].value, value))
      return &list[i];
  }
  candidates.push_back(next);
  return nullptr;
}

std::optional<int64_t> Weights::add(ElementsAttr value) {
  std::optional<int64_t> bytes = sizeOf(value);
  if (!bytes)
    return std::nullopt;
  auto [known, isNew] = offsets.try_emplace(value, 0);
  if (!isNew)
    return known->second;
  if (const Constant *equal = findEqual(value))
    return known->second = equal->offset;
  int64_t offset = llvm::alignTo(total, 64);
  list.push_back({offset, value});
  total = offset + *bytes;
  return known->second = offset;
}

void Weights::visit(function_ref<void(ArrayRef<char>)> bytes) const {
  int64_t at = 0;
  for (const Constant &constant : list) {
    bytes(padding(at, constant.offset));
    at = constant.offset;
    visitBytes(constant.value, [&](ArrayRef<char> piece) {
      bytes(piece);
      at += piece.size();
    });
  }
}

void Weights::copyTo(char *memory,
                     function_ref<void(const Constant &)> written) const {
  char *end = memory;
  auto copy = [&](ArrayRef<char> piece) { end = llvm::copy(piece, end); };
  for (const Constant &constant : list) {
    copy(padding(end - memory, constant.offset));
    visitBytes(constant.value, copy);
    written(constant);
  }
}

bool Weights::operator==(const Weights &other) const {
  return total == other.total && list.size() == other.list.size() &&
         llvm::all_of(llvm::zip_equal(list, other.list), [](auto pair) {
           const auto &[a, b] = pair;
           if (a.offset != b.offset)
             return false;
           return a.value == b.value || haveSameBytes(a.value, b.value);
         });
}

ArrayAttr Weights::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<Attribute> attrs;
  for (const Constant &constant : list)
    attrs.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("offset",
                              builder.getI64IntegerAttr(constant.offset)),
         builder.getNamedAttr("value", constant.value)}));
  return builder.getArrayAttr(attrs);
}

Weights Weights::of(ArrayAttr attribute) {
  Weights weights;
  for (Attribute attr : attribute) {
    auto dict = cast<DictionaryAttr>(attr);
    Constant constant{dict.getAs<IntegerAttr>("offset").getInt(),
                      dict.getAs<ElementsAttr>("value")};
    weights.total = constant.offset + sizeOf(constant.value).value_or(0);
    weights.list.push_back(constant);
  }
  return weights;
}

void qcc::releaseData(DenseResourceElementsAttr constant) {
  DenseResourceElementsHandle handle = constant.getRawHandle();
  DenseResourceElementsHandle::getManagerInterface(constant.getContext())
      .getBlobManager()
      .update(handle.getKey(), AsmResourceBlob());
}
