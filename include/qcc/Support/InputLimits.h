//===- InputLimits.h - Limits of programs and files -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program, a model or a JSON file may have at most. Each limit is far
// beyond what networks need. A file beyond a limit is refused by a message that
// names the limit, before it takes all memory or runs for hours. The limits of
// compiled programs are in qcc/Artifact/ABI.h, the time and memory of one
// compilation in qcc/Support/WorkLimits.h.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_INPUTLIMITS_H
#define QCC_SUPPORT_INPUTLIMITS_H

#include <cstddef>
#include <cstdint>

namespace qcc::limits {

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Values of one JSON text: each takes about 100 bytes of memory.
inline constexpr size_t kJsonValues = size_t(1) << 20;
/// Bytes of a tuning database.
inline constexpr int64_t kTuningBytes = int64_t(1) << 26;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Elements of a tensor: no machine has memory for more, and products of sizes
/// below it do not overflow.
inline constexpr uint64_t kElements = uint64_t(1) << 48;
/// Levels of nested brackets, regions, attributes, types, locations and affine
/// expressions: functions that recurse into them have a finite stack.
inline constexpr unsigned kNesting = 256;
/// Tokens of an affine map: its expressions are as deep as they are long.
inline constexpr unsigned kAffineTokens = 4096;
/// Signs in a row, each of which the parser recurses for.
inline constexpr unsigned kSigns = 64;
/// Characters of a shape, 1x2x3, or a number: the parser reads the rest of a
/// shape again for each dimension.
inline constexpr size_t kShapeText = 4096;
/// The number of a result: the parser allocates as many values as it says.
inline constexpr unsigned kResultNumber = 65535;
/// Times that the reader of bytecode reads attributes and types: it does not
/// end where they contain themselves.
inline constexpr unsigned kBytecodeReads = 1u << 23;
/// Arguments of a function, and results: MLIR takes memory that is quadratic in
/// their number.
inline constexpr size_t kArguments = 4096;
/// Operations of a function once its calls are inlined, those in bodies
/// included.
inline constexpr uint64_t kOperations = uint64_t(1) << 18;

} // namespace qcc::limits

#endif // QCC_SUPPORT_INPUTLIMITS_H
