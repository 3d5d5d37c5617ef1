//===- FileIOTests.cpp - Files and tensors in memory ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/FileIO.h"

#include "Sanitized.h"
#include "TemporaryFolder.h"
#include "qcc/Support/HostTensor.h"

#include <csignal>
#include <fcntl.h>
#include <limits>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::test;

TEST(InputFile, ReadsAtOffsets) {
  TemporaryFolder folder;
  rt::Result<InputFile> file = InputFile::open(folder.write("x", "0123456789"));
  ASSERT_TRUE(file.isOk());
  EXPECT_EQ(file->size(), 10);
  char data[4];
  ASSERT_TRUE(file->read(data, 4, 6).isOk());
  EXPECT_EQ(std::string(data, 4), "6789");
  EXPECT_TRUE(file->read(data, 0, 10).isOk());
  for (int64_t offset : {int64_t(7), int64_t(11), int64_t(-1),
                         std::numeric_limits<int64_t>::max()})
    EXPECT_EQ(file->read(data, 4, offset).code(), rt::StatusCode::Corrupt);
}

TEST(InputFile, Refuses) {
  TemporaryFolder folder;
  EXPECT_EQ(InputFile::open(folder.path + "/none").status().code(),
            rt::StatusCode::NotFound);
  EXPECT_EQ(InputFile::open(folder.path).status().code(),
            rt::StatusCode::InvalidArgument);
  std::string pipe = folder.path + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(InputFile::open(pipe).status().code(),
            rt::StatusCode::InvalidArgument);
}

TEST(OutputFile, AppearsWhenCommitted) {
  TemporaryFolder folder;
  std::string path = folder.write("out", "old");
  rt::Result<OutputFile> file = OutputFile::create(path);
  ASSERT_TRUE(file.isOk()) << file.message();
  ASSERT_TRUE(file->write("new", 3).isOk());
  EXPECT_EQ(TemporaryFolder::read(path), "old");
  ASSERT_TRUE(file->commit().isOk());
  EXPECT_EQ(TemporaryFolder::read(path), "new");
  EXPECT_EQ(folder.countFiles(), 1);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  {
    rt::Result<OutputFile> file = OutputFile::create(folder.path + "/out");
    ASSERT_TRUE(file.isOk());
    ASSERT_TRUE(file->write("half", 4).isOk());
    EXPECT_EQ(folder.countFiles(), 1);
  }
  EXPECT_EQ(folder.countFiles(), 0);
}

/// Ends the process: 0 if a write beyond the limit of file sizes is a failure
/// with a remedy, and the mask of signals is as before.
[[noreturn]] static void writeBeyondLimit(const std::string &path) {
  rlimit limit{100, 100};
  setrlimit(RLIMIT_FSIZE, &limit);
  rt::Result<OutputFile> file = OutputFile::create(path);
  rt::Status status = file->write(std::string(200, 'x').data(), 200);
  bool isRight = status.code() == rt::StatusCode::IOError &&
                 status.message().find("ulimit -f") != std::string::npos;
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  _exit(isRight && !sigismember(&mask, SIGXFSZ) ? 0 : 1);
}

/// Ends the process: 0 if a write to a pipe that nobody reads is a failure.
[[noreturn]] static void writeUnread(const std::string &path) {
  int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  rt::Result<OutputFile> file = OutputFile::create(path);
  close(reader);
  _exit(file->write("x", 1).code() == rt::StatusCode::IOError ? 0 : 1);
}

TEST(OutputFile, ReportsFailedWritesWithoutSignals) {
  TemporaryFolder folder;
  EXPECT_EXIT(writeBeyondLimit(folder.path + "/out"),
              testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder.countFiles(), 0);
  std::string pipe = folder.path + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EXIT(writeUnread(pipe), testing::ExitedWithCode(0), "");
}

TEST(OutputFile, FollowsSymbolicLinks) {
  TemporaryFolder folder;
  std::string target = folder.write("target", "old");
  std::string link = folder.path + "/link";
  ASSERT_EQ(symlink("target", link.c_str()), 0);
  rt::Result<OutputFile> file = OutputFile::create(link);
  ASSERT_TRUE(file.isOk());
  ASSERT_TRUE(file->write("new", 3).isOk() && file->commit().isOk());
  EXPECT_EQ(TemporaryFolder::read(target), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(OutputFile, WritesDevicesDirectly) {
  rt::Result<OutputFile> null = OutputFile::create("/dev/null");
  ASSERT_TRUE(null.isOk()) << null.message();
  EXPECT_TRUE(null->write("x", 1).isOk());
  EXPECT_TRUE(null->commit().isOk());
  rt::Result<OutputFile> full = OutputFile::create("/dev/full");
  ASSERT_TRUE(full.isOk()) << full.message();
  rt::Status status = full->write("x", 1);
  EXPECT_EQ(status.code(), rt::StatusCode::IOError);
  EXPECT_NE(status.message().find("/dev/full: cannot write it (No space"),
            std::string::npos)
      << status.message();
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(OutputFile, Refuses) {
  TemporaryFolder folder;
  rt::Result<OutputFile> file =
      OutputFile::create(folder.path + "/no/such/out");
  EXPECT_EQ(file.status().code(), rt::StatusCode::IOError);
  EXPECT_NE(file.message().find("/no/such/out: cannot create it (No such"),
            std::string::npos);
  EXPECT_EQ(OutputFile::create(folder.path).status().code(),
            rt::StatusCode::InvalidArgument);
}

TEST(HostTensor, ChecksShapes) {
  rt::DType i8{QCC_INT, 8};
  rt::Result<HostTensor> tensor = HostTensor::create(i8, {2, 3});
  ASSERT_TRUE(tensor.isOk());
  EXPECT_EQ(tensor->numBytes(), 6);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  rt::Result<HostTensor> empty = HostTensor::create(i8, {0, 3});
  ASSERT_TRUE(empty.isOk());
  EXPECT_EQ(empty->numBytes(), 0);
  EXPECT_NE(empty->data(), nullptr);
  EXPECT_EQ(HostTensor::create(i8, {-1}).status().code(),
            rt::StatusCode::InvalidArgument);
  int64_t huge = int64_t(1) << 62;
  EXPECT_EQ(HostTensor::create(i8, {huge, 4}).status().code(),
            rt::StatusCode::InvalidArgument);
  if (!QCC_TEST_SANITIZED)
    EXPECT_EQ(HostTensor::create(i8, {huge}).status().code(),
              rt::StatusCode::OutOfMemory);
}

TEST(FileIO, WritesAFileAtOnce) {
  TemporaryFolder folder;
  ASSERT_TRUE(writeFile(folder.path + "/a", "text").isOk());
  EXPECT_EQ(TemporaryFolder::read(folder.path + "/a"), "text");
  rt::Status status = writeFile(folder.path + "/none/a", "text");
  EXPECT_NE(status.message().find("none/a"), std::string::npos);
  EXPECT_EQ(folder.countFiles(), 1);
}
