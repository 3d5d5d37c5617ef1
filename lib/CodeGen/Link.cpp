//===- Link.cpp - An object to a shared object, in process ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads and writes files. Here they are files in memory and a pipe, so that
// no file system can be full, read-only or missing. lld has one thread, which
// is the caller's: threads of its own would outlive the link, be missing in
// children of fork, and crash where no recovery reaches.
//
// This file is compiled with exceptions: a lack of memory may leave it as
// std::bad_alloc, and what it holds is given back then.
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Base/BlockedSignals.h"
#include "qcc/CodeGen/CodeGen.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace qcc;

static llvm::Error failure(int error, const char *what) {
  return llvm::createStringError(
      std::error_code(error, std::generic_category()),
      "cannot link: %s (%s); %s", what, strerror(error),
      // The limit holds for files in memory, too.
      error == EFBIG ? "raise the limit of the size of files (ulimit -f)"
                     : "free memory, file descriptors or threads");
}

namespace {
/// Something that the process has open.
class OpenFile {
public:
  explicit OpenFile(int descriptor = -1) : descriptor(descriptor) {}
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  bool isOpen() const { return descriptor >= 0; }
  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

  int descriptor;
};

/// Takes what is written to a pipe into a file in memory, on a thread of its
/// own, which allocates nothing. The end of the pipe says nothing: a child of
/// fork may hold it open. So the thread is told when all has been written.
class PipeReader {
public:
  PipeReader() = default;
  PipeReader(const PipeReader &) = delete;
  PipeReader &operator=(const PipeReader &) = delete;
  ~PipeReader() { finish(); }

  llvm::Error start();
  /// Where to write.
  std::string path() const { return input.path(); }
  /// Waits for all that has been written; the bytes.
  llvm::Expected<llvm::SmallVector<char, 0>> take();

private:
  static void *threadMain(void *self) {
    static_cast<PipeReader *>(self)->read();
    return nullptr;
  }
  void read();
  void drain();
  void finish();

  OpenFile output, input, memory, finished;
  pthread_t thread;
  bool isRunning = false;
  int error = 0;
};
} // namespace

/// Writes all of the bytes; 0 or an error of the system.
static int writeAll(int descriptor, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0) {
      data += written;
      size -= written;
    }
  }
  return 0;
}

llvm::Error PipeReader::start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return failure(errno, "no pipe can be created");
  output.descriptor = ends[0];
  input.descriptor = ends[1];
  fcntl(output.descriptor, F_SETFL, O_NONBLOCK);
  memory.descriptor = memfd_create("qcc-link-output", MFD_CLOEXEC);
  if (!memory.isOpen())
    return failure(errno, "no file in memory can be created");
  finished.descriptor = eventfd(0, EFD_CLOEXEC);
  if (!finished.isOpen())
    return failure(errno, "no event can be created");
  // What it calls needs little, and address space may be short.
  constexpr size_t stackBytes = 256 << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  int failed = 0;
  {
    rt::BlockedSignals blocked;
    failed = pthread_create(&thread, &attributes, threadMain, this);
  }
  pthread_attr_destroy(&attributes);
  if (failed != 0)
    return failure(failed, "no thread can be started");
  isRunning = true;
  return llvm::Error::success();
}

/// Reads until the pipe is empty. Without memory it reads on, since the writer
/// would wait for ever.
void PipeReader::drain() {
  char chunk[1 << 14];
  while (true) {
    ssize_t size = ::read(output.descriptor, chunk, sizeof(chunk));
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return;
    if (error == 0)
      error = writeAll(memory.descriptor, chunk, size);
  }
}

void PipeReader::read() {
  pollfd files[2] = {{output.descriptor, POLLIN, 0},
                     {finished.descriptor, POLLIN, 0}};
  while (!(files[1].revents & POLLIN)) {
    poll(files, 2, -1);
    drain();
  }
}

void PipeReader::finish() {
  if (!isRunning)
    return;
  eventfd_write(finished.descriptor, 1);
  pthread_join(thread, nullptr);
  isRunning = false;
}

llvm::Expected<llvm::SmallVector<char, 0>> PipeReader::take() {
  finish();
  if (error != 0)
    return failure(error, "the linked program cannot be kept");
  struct stat info;
  if (fstat(memory.descriptor, &info) != 0)
    return failure(errno, "the linked program cannot be looked at");
  llvm::SmallVector<char, 0> bytes;
  bytes.resize_for_overwrite(info.st_size);
  for (size_t at = 0; at < bytes.size();) {
    ssize_t size = pread(memory.descriptor, &bytes[at], bytes.size() - at, at);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return failure(size < 0 ? errno : EIO, "the linked program is not there");
    at += size;
  }
  return bytes;
}

/// One file of all objects: a program may have many, and file descriptors may
/// be few.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
makeArchive(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects) {
  std::vector<llvm::NewArchiveMember> members;
  for (const llvm::SmallVector<char, 0> &object : objects)
    members.emplace_back(llvm::MemoryBufferRef(
        llvm::StringRef(object.data(), object.size()), "part"));
  return llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab,
                                    llvm::object::Archive::K_GNU,
                                    /*Deterministic=*/true, /*Thin=*/false);
}

/// Runs lld, whose state is global.
static llvm::Error runLinker(const std::string &archive,
                             const std::string &output) {
  const char *arguments[] = {"ld.lld",
                             "-shared",
                             "-z",
                             "defs",
                             "-z",
                             "noexecstack",
                             "-Bsymbolic",
                             "--hash-style=gnu",
                             "--build-id=none",
                             "--threads=1",
                             "--whole-archive",
                             archive.c_str(),
                             "-o",
                             output.c_str()};
  static std::mutex mutex;
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result;
  {
    std::lock_guard<std::mutex> lock(mutex);
    result =
        lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  }
  if (result.retCode != 0)
    return llvm::createStringError(
        "linking failed: %s", llvm::StringRef(messages).trim().str().c_str());
  return llvm::Error::success();
}

llvm::Expected<llvm::SmallVector<char, 0>>
qcc::linkSharedObject(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects,
                      const WeightsImage &weights, bool releases) {
  if (access("/proc/self/fd", X_OK) != 0)
    return failure(errno, "the file system /proc is not mounted here");
  auto archive = makeArchive(objects);
  if (!archive)
    return archive.takeError();
  OpenFile input(memfd_create("qcc-link-input", MFD_CLOEXEC));
  if (!input.isOpen())
    return failure(errno, "no file in memory can be created");
  if (int error = writeAll(input.descriptor, (*archive)->getBufferStart(),
                           (*archive)->getBufferSize()))
    return failure(error, "the objects cannot be kept");
  archive->reset();
  PipeReader reader;
  if (llvm::Error error = reader.start())
    return std::move(error);
  if (llvm::Error error = runLinker(input.path(), reader.path()))
    return std::move(error);
  auto bytes = reader.take();
  if (!bytes)
    return bytes.takeError();
  if (llvm::Error error = appendWeights(*bytes, weights, releases))
    return std::move(error);
  rt::Status status = rt::stampArtifact(bytes->data(), bytes->size());
  if (!status.isOk())
    return llvm::createStringError(status.message());
  return bytes;
}
