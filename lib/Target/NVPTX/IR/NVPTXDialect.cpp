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

StringRef ConfigAttr::getStrategyName() const {
  return stringifyStrategyKind(getStrategy());
}

kernel::LoweringConfigAttrInterface
ConfigAttr::withSource(kernel::ConfigSource source) const {
  return get(getContext(), getStrategy(), getAtom(), source);
}

std::string ConfigAttr::describe() const { return "a thread for each result"; }
