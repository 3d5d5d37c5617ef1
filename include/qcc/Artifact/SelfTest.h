//===- SelfTest.h - Runs whose results are known ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact has room for the digests of some runs (qcc_self_test_desc). The
// compiler runs the linked program and writes them. So any machine can find out
// whether the program computes the same there.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ARTIFACT_SELFTEST_H
#define QCC_ARTIFACT_SELFTEST_H

#include "qcc/Base/Status.h"

#include <cstdint>
#include <vector>

namespace qcc::rt {

/// For how many runs of each entry an artifact has room.
constexpr int selfTestsPerEntry = 2;

/// A run and the digest of its results; qcc_self_test_desc says what each field
/// means.
struct SelfTest {
  int64_t entry = 0;
  std::vector<int64_t> sizes;
  uint64_t seed = 0;
  int64_t integerLimit = 0;
  uint64_t digest = 0;
};

/// Writes tests into a complete artifact, in place of those that it has, and
/// its new hash into its note. Fails if the artifact is damaged, or has no room
/// for a test.
Status storeSelfTests(char *artifact, uint64_t size,
                      const std::vector<SelfTest> &tests);

} // namespace qcc::rt

#endif // QCC_ARTIFACT_SELFTEST_H
