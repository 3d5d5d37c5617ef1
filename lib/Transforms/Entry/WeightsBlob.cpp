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

/// Appends the elements of a constant, one byte per i1.
static LogicalResult appendBytes(ElementsAttr attr, std::vector<char> &bytes) {
  ArrayRef<char> raw;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    raw = blob->getData();
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return failure();
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return success();
  }
  raw = dense.getRawData();
  int64_t times = dense.isSplat() ? dense.getNumElements() : 1;
  bytes.reserve(bytes.size() + raw.size() * times);
  for (int64_t i = 0; i < times; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return success();
}

FailureOr<int64_t> WeightsBlob::offsetOf(memref::GetGlobalOp op) {
  auto it = offsets.find(op.getName());
  if (it != offsets.end())
    return it->second;
  auto global = symbols.lookup<memref::GlobalOp>(op.getName());
  auto attr = dyn_cast_or_null<ElementsAttr>(
      global ? global.getInitialValueAttr() : Attribute());
  bytes.resize(llvm::alignTo(bytes.size(), 64));
  int64_t offset = bytes.size();
  if (!attr || failed(appendBytes(attr, bytes)))
    return op.emitError("has no constant value");
  offsets[op.getName()] = offset;
  return offset;
}

DenseResourceElementsAttr WeightsBlob::finish(MLIRContext *context) {
  if (bytes.empty())
    return {};
  auto type = RankedTensorType::get({(int64_t)bytes.size()},
                                    IntegerType::get(context, 8));
  return DenseResourceElementsAttr::get(
      type, "weights",
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64, false));
}
