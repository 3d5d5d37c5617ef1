//===- Mutant.h - Damaged programs ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_FRONTEND_FUZZ_MUTANT_H
#define QCC_TEST_UNIT_FRONTEND_FUZZ_MUTANT_H

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace qcc::test {

/// Appends the programs of an .mlir file, each part of a split file by itself.
void readSeeds(const std::string &path, std::vector<std::string> &seeds);

/// Keeps the seeds that import accepts, in text and as bytecode.
std::vector<std::string> acceptSeeds(std::vector<std::string> &seeds);

/// One to four changes of tokens, numbers and lines, or parts of other seeds.
std::string mutateText(std::string text, const std::vector<std::string> &seeds,
                       std::mt19937 &random);

/// Changed, missing and foreign bytes behind the magic number.
std::string mutateBytes(std::string bytes,
                        const std::vector<std::string> &seeds,
                        std::mt19937 &random);

enum class Fate { Refused, Compiled, Crashed, Hung };

/// Imports a program, and if it is accepted compiles it, in a process of its
/// own of limited time and memory.
Fate compileMutant(const std::string &program);

/// Imports each truncation of a program, in a process of its own of limited
/// time and memory. Returns the length of the first one that ends the process,
/// or nothing.
std::optional<size_t> findFatalTruncation(const std::string &program);

} // namespace qcc::test

#endif // QCC_TEST_UNIT_FRONTEND_FUZZ_MUTANT_H
