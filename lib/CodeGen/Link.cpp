//===- Link.cpp - An object to a shared object, in process ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lld/Common/Driver.h"
#include "qcc/CodeGen/CodeGen.h"
#include "qcc/Runtime/ArtifactNote.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace qcc;

/// lld works on files and on global state, so that each link has a directory of
/// its own and only one runs at a time.
llvm::Expected<llvm::SmallVector<char, 0>>
qcc::linkSharedObject(llvm::ArrayRef<char> object) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);

  llvm::SmallString<128> directory;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("qcc-link", directory))
    return llvm::createStringError(
        code, "cannot create a temporary directory for linking; set TMPDIR");
  llvm::scope_exit cleanUp(
      [&] { llvm::sys::fs::remove_directories(directory); });
  auto path = [&](llvm::StringRef name) {
    llvm::SmallString<128> result(directory);
    llvm::sys::path::append(result, name);
    return std::string(result);
  };
  std::string input = path("program.o"), output = path("program.so");
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(input, code);
    if (code)
      return llvm::createStringError(code, "cannot write %s", input.c_str());
    stream.write(object.data(), object.size());
    stream.close();
    if (stream.has_error()) {
      code = stream.error();
      stream.clear_error();
      return llvm::createStringError(code, "cannot write %s", input.c_str());
    }
  }
  const char *arguments[] = {"ld.lld",
                             "-shared",
                             "-z",
                             "defs",
                             "-z",
                             "noexecstack",
                             "-Bsymbolic",
                             "--hash-style=gnu",
                             "--build-id=none",
                             input.c_str(),
                             "-o",
                             output.c_str()};
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return llvm::createStringError(
        "linking failed: %s", llvm::StringRef(messages).trim().str().c_str());
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read %s",
                                   output.c_str());
  llvm::StringRef linked = (*buffer)->getBuffer();
  llvm::SmallVector<char, 0> bytes(linked.begin(), linked.end());
  rt::Status status = rt::stampArtifact(bytes.data(), bytes.size());
  if (!status.isOk())
    return llvm::createStringError(status.message());
  return bytes;
}
