//===- FileIO.cpp - Reading at offsets, writing at once -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin over POSIX.
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/FileIO.h"

#include "qcc/Base/Memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace qcc {

/// Linux moves no more than this in a call.
constexpr int64_t maxChunk = 1 << 30;

//===----------------------------------------------------------------------===//
// InputFile
//===----------------------------------------------------------------------===//

rt::Result<InputFile> InputFile::open(const std::string &path) {
  InputFile file;
  file.path_ = path;
  // Not to hang on a pipe without a writer.
  file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (file.fd_ < 0 || fstat(file.fd_, &info) != 0) {
    int error = errno;
    std::string message = std::string("cannot open it (") + strerror(error) +
                          "); check the name and the permissions";
    return error == ENOENT ? rt::notFound(message) : rt::ioError(message);
  }
  if (!S_ISREG(info.st_mode))
    return rt::invalidArgument("this is no regular file; name a file on disk");
  file.size_ = info.st_size;
  return file;
}

InputFile::InputFile(InputFile &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), size_(other.size_),
      path_(std::move(other.path_)) {}

InputFile &InputFile::operator=(InputFile &&other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0)
    close(fd_);
}

rt::Status InputFile::read(void *data, int64_t size, int64_t offset) const {
  if (size < 0 || offset < 0 || offset > size_ || size > size_ - offset)
    return rt::corrupt("the file is truncated: it has " +
                       std::to_string(size_) +
                       " bytes, fewer than its contents need; copy or export "
                       "it again");
  char *bytes = static_cast<char *>(data);
  while (size > 0) {
    ssize_t count = pread(fd_, bytes, std::min(size, maxChunk), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return rt::ioError(std::string("cannot read it (") +
                         (count < 0 ? strerror(errno) : "it became shorter") +
                         "); try again");
    bytes += count;
    size -= count;
    offset += count;
  }
  return rt::Status::ok();
}

rt::Result<std::string> readWholeFile(const std::string &path, int64_t limit) {
  std::string prefix = path + ": ";
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return file.status().withPrefix(prefix);
  int64_t size = file->size();
  if (size > limit)
    return rt::invalidArgument(prefix + "this has " + std::to_string(size) +
                               " bytes, but such a file has at most " +
                               std::to_string(limit) + "; check the name");
  if (!rt::hasMemoryFor(size))
    return rt::outOfMemory(prefix + "this has " + std::to_string(size) +
                           " bytes, for which there is not enough memory");
  std::string bytes(size, '\0');
  rt::Status status = file->read(bytes.data(), size, 0);
  if (!status.isOk())
    return status.withPrefix(prefix);
  return bytes;
}

//===----------------------------------------------------------------------===//
// OutputFile
//===----------------------------------------------------------------------===//

rt::Status OutputFile::failed(const char *what) {
  int error = errno;
  discard();
  return rt::ioError(
      path_ + ": cannot " + what + " it (" + strerror(error) + "); " +
      (error == EFBIG
           ? "raise the limit of the size of files (ulimit -f)"
           : "check the folder, its permissions and the free space"));
}

rt::Result<OutputFile> OutputFile::create(const std::string &path) {
  OutputFile file;
  file.path_ = path;
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return rt::invalidArgument(path + ": this is a folder; name a file in it");
  if (exists && !S_ISREG(info.st_mode)) {
    file.fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.fd_ < 0)
      return file.failed("open");
    return file;
  }

  // Keep a symbolic link and write what it names.
  file.target_ = path;
  if (char *resolved = exists ? realpath(path.c_str(), nullptr) : nullptr) {
    file.target_ = resolved;
    free(resolved);
  }
  if (exists && access(file.target_.c_str(), W_OK) != 0)
    return file.failed("write");
  // open() and not mkstemp(): the permissions follow the umask.
  static std::atomic<unsigned> counter{0};
  constexpr int attempts = 100;
  for (int i = 0; i < attempts && file.fd_ < 0; ++i) {
    file.temporary_ = file.target_ + ".tmp-" + std::to_string(getpid()) + "-" +
                      std::to_string(counter++);
    file.fd_ = open(file.temporary_.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.fd_ < 0 && errno != EEXIST)
      break;
  }
  if (file.fd_ < 0) {
    file.temporary_.clear();
    return file.failed("create");
  }
  if (exists)
    (void)!fchmod(file.fd_, info.st_mode & 07777);
  return file;
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, std::string())) {}

OutputFile &OutputFile::operator=(OutputFile &&other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (fd_ >= 0)
    close(fd_);
  fd_ = -1;
  if (!temporary_.empty())
    unlink(temporary_.c_str());
  temporary_.clear();
}

namespace {
/// Holds back the signals of this thread by which write() ends a process:
/// SIGPIPE (nobody reads the pipe) and SIGXFSZ (the file is at its limit). Then
/// write() fails with EPIPE or EFBIG. A signal that write() raised is dropped;
/// a signal that was pending before stays pending.
class HoldWriteSignals {
public:
  HoldWriteSignals() {
    sigset_t pending;
    sigemptyset(&raised_);
    sigpending(&pending);
    for (int signal : {SIGPIPE, SIGXFSZ})
      if (!sigismember(&pending, signal))
        sigaddset(&raised_, signal);
    pthread_sigmask(SIG_BLOCK, &raised_, &before_);
  }
  HoldWriteSignals(const HoldWriteSignals &) = delete;
  HoldWriteSignals &operator=(const HoldWriteSignals &) = delete;
  ~HoldWriteSignals() {
    int error = errno;
    timespec now{};
    while (sigtimedwait(&raised_, nullptr, &now) > 0)
      ;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

private:
  sigset_t raised_, before_;
};
} // namespace

rt::Status OutputFile::write(const void *data, int64_t size) {
  HoldWriteSignals held;
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t count = ::write(fd_, bytes, std::min(size, maxChunk));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failed("write");
    bytes += count;
    size -= count;
  }
  return rt::Status::ok();
}

rt::Status OutputFile::commit() {
  int fd = std::exchange(fd_, -1);
  if (close(fd) != 0)
    return failed("write");
  if (!temporary_.empty() && rename(temporary_.c_str(), target_.c_str()) != 0)
    return failed("create");
  temporary_.clear();
  return rt::Status::ok();
}

rt::Status writeFile(const std::string &path, std::string_view bytes) {
  rt::Result<OutputFile> file = OutputFile::create(path);
  if (!file.isOk())
    return file.status();
  rt::Status status = file->write(bytes.data(), int64_t(bytes.size()));
  return status.isOk() ? file->commit() : status;
}

} // namespace qcc
