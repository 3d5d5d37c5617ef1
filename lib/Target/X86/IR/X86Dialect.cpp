//===- X86Dialect.cpp - The x86 dialect -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "qcc/Target/X86/IR/X86.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

#include "qcc/Target/X86/IR/X86IRDialect.cpp.inc"

#include "qcc/Target/X86/IR/X86Enums.cpp.inc"

using kernel::parseStrategyName;
using kernel::printStrategyName;

#define GET_ATTRDEF_CLASSES
#include "qcc/Target/X86/IR/X86IRAttrs.cpp.inc"

void X86Dialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qcc/Target/X86/IR/X86IRAttrs.cpp.inc"
      >();
}

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef, StringRef, int64_t mr, int64_t nr,
                                 int64_t kr, int64_t mc, int64_t nc, LhsSource,
                                 RhsSource, kernel::ConfigSource) {
  for (int64_t size : {mr, nr, mc, nc})
    if (size <= 0)
      return emitError() << "sizes of tile and block must be positive";
  if (mc % mr != 0 || nc % nr != 0)
    return emitError() << "block must be a multiple of the tile: MC of MR, NC "
                          "of NR";
  if (kr != 1 && kr != 2 && kr != 4)
    return emitError() << "KR must be 1, 2 or 4";
  return success();
}

kernel::LoweringConfigAttrInterface
ConfigAttr::withSource(kernel::ConfigSource source) const {
  return get(getContext(), getStrategy(), getAtom(), getMr(), getNr(), getKr(),
             getMc(), getNc(), getLhs(), getRhs(), source);
}

std::string ConfigAttr::describe() const {
  std::string text =
      llvm::formatv("{0} tile {1}x{2}x{3} block {4}x{5}", getStrategy(),
                    getMr(), getNr(), getKr(), getMc(), getNc());
  text += readsLhsInPlace() ? " lhs in place" : " lhs panel";
  if (getRhs() == RhsSource::InPlace)
    text += " rhs in place";
  if (hasNibbles())
    text += " rhs nibbles";
  if (getRhs() == RhsSource::Narrow)
    text += " rhs narrow";
  return text;
}
