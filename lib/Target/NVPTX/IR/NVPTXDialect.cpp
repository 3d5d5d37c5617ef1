//===- NVPTXDialect.cpp - The nvptx dialect -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

#include "qcc/Target/NVPTX/IR/NVPTXIRDialect.cpp.inc"

#include "qcc/Target/NVPTX/IR/NVPTXEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.cpp.inc"

void NVPTXDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qcc/Target/NVPTX/IR/NVPTXIRAttrs.cpp.inc"
      >();
}

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StrategyKind strategy, StringRef, int64_t rows,
                                 int64_t columns, kernel::ConfigSource) {
  if (rows < 1 || columns < 1)
    return emitError() << "sizes of the tile must be positive";
  if (strategy == StrategyKind::Threads && (rows != 1 || columns != 1))
    return emitError() << "threads computes one result at a time; leave out "
                          "the tile";
  return success();
}

StringRef ConfigAttr::getStrategyName() const {
  return stringifyStrategyKind(getStrategy());
}

kernel::LoweringConfigAttrInterface
ConfigAttr::withSource(kernel::ConfigSource source) const {
  return get(getContext(), getStrategy(), getAtom(), getRows(), getColumns(),
             source);
}

std::string ConfigAttr::describe() const {
  if (getStrategy() == StrategyKind::Threads)
    return "a thread for each result";
  return llvm::formatv("tile {0}x{1} for each warp", getRows(), getColumns());
}
