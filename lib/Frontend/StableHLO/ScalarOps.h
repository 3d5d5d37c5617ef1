//===- ScalarOps.h - Elementwise ops on scalars -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_SCALAROPS_H
#define QCC_LIB_FRONTEND_STABLEHLO_SCALAROPS_H

#include "OpImporter.h"

namespace qcc::stablehlo::scalar {

#define QCC_SCALAR(name) Value name(Scalars &s, Operation *op, ValueRange x);
QCC_SCALAR(abs)
QCC_SCALAR(acos)
QCC_SCALAR(acosh)
QCC_SCALAR(add)
QCC_SCALAR(and_)
QCC_SCALAR(asin)
QCC_SCALAR(asinh)
QCC_SCALAR(atan)
QCC_SCALAR(atan2)
QCC_SCALAR(atanh)
QCC_SCALAR(bitcast)
QCC_SCALAR(cbrt)
QCC_SCALAR(ceil)
QCC_SCALAR(clamp)
QCC_SCALAR(compare)
QCC_SCALAR(convert)
QCC_SCALAR(cos)
QCC_SCALAR(cosh)
QCC_SCALAR(countLeadingZeros)
QCC_SCALAR(divide)
QCC_SCALAR(erf)
QCC_SCALAR(erfInverse)
QCC_SCALAR(erfc)
QCC_SCALAR(exp)
QCC_SCALAR(expm1)
QCC_SCALAR(floor)
QCC_SCALAR(identity)
QCC_SCALAR(isFinite)
QCC_SCALAR(isInf)
QCC_SCALAR(log)
QCC_SCALAR(log1p)
QCC_SCALAR(logistic)
QCC_SCALAR(maximum)
QCC_SCALAR(minimum)
QCC_SCALAR(multiply)
QCC_SCALAR(negate)
QCC_SCALAR(not_)
QCC_SCALAR(or_)
QCC_SCALAR(populationCount)
QCC_SCALAR(power)
QCC_SCALAR(reducePrecision)
QCC_SCALAR(remainder)
QCC_SCALAR(roundAwayFromZero)
QCC_SCALAR(roundToEven)
QCC_SCALAR(rsqrt)
QCC_SCALAR(select)
QCC_SCALAR(shiftLeft)
QCC_SCALAR(shiftRightArithmetic)
QCC_SCALAR(shiftRightLogical)
QCC_SCALAR(sign)
QCC_SCALAR(sin)
QCC_SCALAR(sinh)
QCC_SCALAR(sqrt)
QCC_SCALAR(square)
QCC_SCALAR(subtract)
QCC_SCALAR(tan)
QCC_SCALAR(tanh)
QCC_SCALAR(uniformDequantize)
QCC_SCALAR(uniformQuantize)
QCC_SCALAR(xor_)
#undef QCC_SCALAR

} // namespace qcc::stablehlo::scalar

#endif // QCC_LIB_FRONTEND_STABLEHLO_SCALAROPS_H
