//===- TemporaryFolder.h - A folder for a test ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gone, with what is in it, after the test.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
#define QCC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace qcc::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "qcc-support-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string write(const std::string &name, const std::string &bytes) const {
    std::string file = path + "/" + name;
    // Some file systems flush a file that is truncated and written again.
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  static std::string read(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  int countFiles() const {
    auto files = std::filesystem::directory_iterator(path);
    return int(std::distance(begin(files), end(files)));
  }

  std::string path;
};

} // namespace qcc::test

#endif // QCC_TEST_UNIT_SUPPORT_TEMPORARYFOLDER_H
