//===- ArtifactFileTests.cpp - Files of artifacts in memory ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFile.h"

#include "gtest/gtest.h"

#include "TestFiles.h"

#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>

using namespace qcc::rt;
using namespace qcc::rt::test;

/// The open file in memory of an artifact, or -1.
static int findMemoryFile() {
  int found = -1;
  DIR *files = opendir("/proc/self/fd");
  for (dirent *file; files && (file = readdir(files));) {
    char target[256] = "";
    std::string path = std::string("/proc/self/fd/") + file->d_name;
    if (readlink(path.c_str(), target, sizeof(target) - 1) > 0 &&
        std::string(target).find("memfd:qcc-artifact") != std::string::npos)
      found = atoi(file->d_name);
  }
  if (files)
    closedir(files);
  return found;
}

TEST(ArtifactFile, NobodyChangesAFileInMemory) {
  std::string bytes = readFile(QCC_TEST_ARTIFACT);
  Result<ArtifactFile> file = ArtifactFile::create(bytes.data(), bytes.size());
  ASSERT_TRUE(file.isOk()) << file.message();
  int descriptor = findMemoryFile();
  ASSERT_GE(descriptor, 0);
  // Before it is mapped: neither shorter, which would be a SIGBUS, nor longer.
  EXPECT_NE(ftruncate(descriptor, 1), 0);
  EXPECT_NE(ftruncate(descriptor, off_t(bytes.size()) + 1), 0);
  auto image = file->validate(nullptr, WeightsCheck::Now);
  ASSERT_TRUE(image.isOk()) << image.message();
  auto loaded = file->load(*image);
  ASSERT_TRUE(loaded.isOk()) << loaded.message();
  Status status = file->seal();
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(pwrite(descriptor, "x", 1, 0), -1);
  EXPECT_EQ(fcntl(descriptor, F_GET_SEALS),
            F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  // A copy is sealed as well, and a file of others is left alone.
  Result<ArtifactFile> opened = ArtifactFile::open(QCC_TEST_ARTIFACT);
  ASSERT_TRUE(opened.isOk()) << opened.message();
  EXPECT_TRUE(opened->seal().isOk());
  Result<ArtifactFile> copy = opened->copy();
  ASSERT_TRUE(copy.isOk()) << copy.message();
  EXPECT_TRUE(copy->seal().isOk());
}
