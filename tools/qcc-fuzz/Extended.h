//===- Extended.h - Programs of the extended repertoire ------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only seeds of the extended repertoire are made of.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_EXTENDED_H
#define QCC_TOOLS_FUZZ_EXTENDED_H

#include "Builder.h"

namespace qcc::fuzz {

/// Leaves values in the pool.
void addExtendedProgram(Builder &builder);

// What it chooses from (WindowNetworks.cpp, QuantizedWindows.cpp, Images.cpp,
// ByteFunctions.cpp, NamedContractions.cpp).
void addIntegerWindowNetwork(Builder &builder);
void addRealWindowNetwork(Builder &builder);
void addQuantizedWindowNetwork(Builder &builder);
void addImageNetwork(Builder &builder);
void addByteFunctions(Builder &builder);
ValueId namedContraction(Builder &builder);

// Each goes on from a plain value, which it returns where it cannot.
ValueId namedOp(Builder &builder, ValueId x);      // NamedOps.cpp
ValueId scalarOp(Builder &builder, ValueId x);     // ScalarOps.cpp
ValueId changeOfType(Builder &builder, ValueId x); // Slices.cpp
ValueId sliceAtRunTime(Builder &builder, ValueId x);

/// A scalar of the type `index` that the run decides: at most about `high`.
ValueId indexOfRun(Builder &builder, int64_t high);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_EXTENDED_H
