//===- Sizes.h - Arithmetic and conditions of sizes -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPS_SIZES_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPS_SIZES_H

#include "../OpImporter.h"

namespace qcc::stablehlo {

/// The result of an elementwise op on few integers and conditions that are
/// constants or known from sizes. Shapes and assertions may depend on it.
/// Nothing for other ops and operands.
std::optional<GraphValue> computeSizes(OpImporter &n);

/// `custom_call @shape_assertion`, by which JAX checks symbolic sizes: makes a
/// requirement of the entry. Refuses a condition that is never true, or that is
/// not known from sizes.
LogicalResult importShapeAssertion(OpImporter &n);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPS_SIZES_H
