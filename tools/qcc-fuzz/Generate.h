//===- Generate.h - A random program for a seed --------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_GENERATE_H
#define QCC_TOOLS_FUZZ_GENERATE_H

#include "Builder.h"

namespace qcc::fuzz {

/// The program of a seed, the same every time: about half of them are what
/// networks look like, the others anything that can be put together.
Graph generate(uint64_t seed);

/// One in four seeds has the extended repertoire.
Repertoire repertoireOf(uint64_t seed);
/// What processors and efforts take turns by: counts the extended seeds by
/// themselves, so that those meet each of them.
uint64_t turnOf(uint64_t seed);

/// A value that ops of arith and linalg take, of the pool or new.
ValueId somePlainValue(Builder &builder);

// What generate() chooses from; each leaves values in the pool.
void addBasicProgram(Builder &builder);   // one of the following
void addIntegerNetwork(Builder &builder); // qnn ops from end to end
void addRealNetwork(Builder &builder);    // quantize and dequantize around
void addAttention(Builder &builder);
void addDynamicQuantization(Builder &builder);
void addHandWrittenLayers(Builder &builder); // linalg.matmul of i8, then arith
void addWildOps(Builder &builder, unsigned count);
void addLoop(Builder &builder);
void addBranch(Builder &builder); // scf.if
void addWhile(Builder &builder);  // scf.while
/// Moves some of the ops, all results being known, to a function.
void outlineCall(Builder &builder);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_GENERATE_H
