//===- Arith.h - Arithmetic of PTX instructions -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions, one per PTX operation, on bit patterns: no state, no memory,
// the same bits on every host. They are checked against MPFR and the text of
// the PTX ISA, and know nothing of how instructions are spelled.
//
// Some compute with the host's floats. They need the environment that a thread
// starts with: round to nearest, denormals kept, nothing trapped.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_ARITH_H
#define QCC_EMULATOR_ARITH_H

#include "qcc/Emulator/Arith/Approx.h"
#include "qcc/Emulator/Arith/Bits.h"
#include "qcc/Emulator/Arith/Compare.h"
#include "qcc/Emulator/Arith/Convert.h"
#include "qcc/Emulator/Arith/Float.h"
#include "qcc/Emulator/Arith/Integer.h"
#include "qcc/Emulator/Arith/Matrix.h"
#include "qcc/Emulator/Arith/Warp.h"

#endif // QCC_EMULATOR_ARITH_H
