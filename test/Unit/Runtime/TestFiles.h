//===- TestFiles.h - Files of tests -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_TESTFILES_H
#define QCC_TEST_UNIT_RUNTIME_TESTFILES_H

#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace qcc::rt::test {

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file that is gone after the test.
struct TemporaryFile {
  std::string path =
      testing::TempDir() + "qcc-module-" + std::to_string(getpid()) + ".so";
  void write(const std::string &bytes) const {
    remove(path.c_str());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { remove(path.c_str()); }
};

} // namespace qcc::rt::test

#endif // QCC_TEST_UNIT_RUNTIME_TESTFILES_H
