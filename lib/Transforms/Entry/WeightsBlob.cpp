//===- WeightsBlob.cpp - The bytes of all constants -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightsBlob.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

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

/// Writes the bytes of a constant that has some.
static void copyTo(char *memory, ElementsAttr attr) {
  auto copy = [&](ArrayRef<char> bytes) {
    llvm::copy(bytes, memory);
    memory += bytes.size();
  };
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return copy(resource.getRawHandle().getBlob()->getData());
  auto dense = cast<DenseElementsAttr>(attr);
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      *memory++ = value;
    return;
  }
  int64_t times = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < times; ++i)
    copy(dense.getRawData());
}

FailureOr<int64_t> WeightsBlob::offsetOf(memref::GetGlobalOp op) {
  auto it = offsets.find(op.getName());
  if (it != offsets.end())
    return it->second;
  auto global = symbols.lookup<memref::GlobalOp>(op.getName());
  auto attr = dyn_cast_or_null<ElementsAttr>(
      global ? global.getInitialValueAttr() : Attribute());
  std::optional<int64_t> bytes = sizeOf(attr);
  if (!bytes)
    return op.emitError("has no constant value");
  int64_t offset = llvm::alignTo(size, 64);
  constants.push_back({offset, attr});
  offsets[op.getName()] = offset;
  size = offset + *bytes;
  return offset;
}

DenseResourceElementsAttr WeightsBlob::finish(MLIRContext *context) {
  if (size == 0)
    return {};
  auto type = RankedTensorType::get({size}, IntegerType::get(context, 8));
  // Weights may be most of the memory there is: nothing is held twice.
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(size, 64);
  char *memory = blob.getMutableData().data();
  int64_t end = 0;
  for (auto [offset, attr] : constants) {
    std::fill(memory + end, memory + offset, 0);
    copyTo(memory + offset, attr);
    end = offset + *sizeOf(attr);
  }
  return DenseResourceElementsAttr::get(type, "weights", std::move(blob));
}
