//===- AssembleKernels.cpp - Machine code of kernels, by ptxas ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/CodeGen/CodeGen.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace qcc;
using llvm::StringRef;

namespace {
/// A file that is removed in the end.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix)
      : error(llvm::sys::fs::createTemporaryFile("qcc-kernels", suffix, path)) {
    if (!error)
      remover.setFile(path);
  }

  llvm::Expected<std::string> read() const {
    auto bytes = llvm::MemoryBuffer::getFile(path);
    if (!bytes)
      return llvm::errorCodeToError(bytes.getError());
    return (*bytes)->getBuffer().str();
  }

  llvm::SmallString<64> path;
  std::error_code error;

private:
  llvm::FileRemover remover;
};
} // namespace

static std::error_code write(const TemporaryFile &file, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(file.path, error);
  if (error)
    return error;
  stream << text;
  stream.close();
  error = stream.error();
  stream.clear_error();
  return error;
}

llvm::Expected<AssembledKernels> qcc::assembleKernels(StringRef ptx,
                                                      StringRef chip) {
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  if (!ptxas)
    return llvm::createStringError(
        std::make_error_code(std::errc::not_supported),
        "there is no ptxas in PATH or /usr/local/cuda/bin to assemble kernels; "
        "install the CUDA toolkit, or do without machine code: GPUs compile "
        "PTX themselves");
  TemporaryFile input("ptx"), output("cubin"), log("log");
  for (const TemporaryFile *file : {&input, &output, &log})
    if (file->error)
      return llvm::createStringError(
          file->error, "cannot create a temporary file for ptxas: %s",
          file->error.message().c_str());
  if (std::error_code error = write(input, ptx))
    return llvm::createStringError(error, "cannot write %s for ptxas: %s",
                                   input.path.c_str(), error.message().c_str());
  std::string arch = ("-arch=" + chip).str();
  std::optional<StringRef> streams[] = {"", log.path.str(), log.path.str()};
  std::string failure;
  int code = llvm::sys::ExecuteAndWait(
      *ptxas, {*ptxas, "-v", arch, input.path, "-o", output.path}, std::nullopt,
      streams, /*SecondsToWait=*/0, /*MemoryLimit=*/0, &failure);
  llvm::Expected<std::string> said = log.read();
  if (!said)
    return said.takeError();
  if (code != 0)
    return llvm::createStringError(
        "%s refuses the kernels for %s: %s%s; a later version may know the "
        "chip",
        ptxas->c_str(), chip.str().c_str(), failure.c_str(),
        StringRef(*said).trim().str().c_str());
  llvm::Expected<std::string> binary = output.read();
  if (!binary)
    return binary.takeError();
  return AssembledKernels{std::move(*binary), std::move(*said)};
}
