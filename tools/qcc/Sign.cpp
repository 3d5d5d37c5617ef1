//===- Sign.cpp - qcc sign, verify-signature and make-key -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signing is a step of its own, so that the secret key may be on another
// machine than the compiler.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Files.h"
#include "qcc/Runtime/Signature.h"
#include "qcc/Support/FileIO.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::driver;

/// The key of a file, whose text `parse` takes.
static rt::Result<rt::Key>
readKey(std::string path, rt::Result<rt::Key> (*parse)(std::string_view)) {
  constexpr int64_t kLimit = 4096;
  rt::Status status = tools::resolveStandardInput(path);
  if (!status.isOk())
    return status;
  rt::Result<std::string> text = readWholeFile(path, kLimit);
  if (!text.isOk())
    return text.status();
  rt::Result<rt::Key> key = parse(*text);
  if (!key.isOk())
    return key.status().withPrefix(path + ": ");
  return key;
}

/// Writes a file that nobody else can read, and that was not there before.
static rt::Status writeSecret(const std::string &path, std::string_view text) {
  int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR);
  if (file < 0 && errno == EEXIST)
    return rt::ioError(path + ": there is a file of this name, which may be a "
                              "key; choose another name");
  if (file < 0)
    return rt::ioError(path + ": it cannot be created (" + strerror(errno) +
                       ")");
  ssize_t written = write(file, text.data(), text.size());
  int error = errno;
  if (close(file) == 0 && written == ssize_t(text.size()))
    return rt::Status::ok();
  unlink(path.c_str());
  return rt::ioError(path + ": it cannot be written (" +
                     (written < 0 ? strerror(error) : "the disk is full") +
                     ")");
}

int driver::runMakeKey(const std::string &path) {
  rt::Result<rt::Key> key = rt::makeSecretKey();
  if (!key.isOk())
    return reportStatus(key.status());
  rt::Result<rt::Key> publicKey = rt::publicKeyOf(*key);
  if (!publicKey.isOk())
    return reportStatus(publicKey.status());
  if (ExitCode code =
          reportStatus(writeSecret(path, rt::printSecretKey(*key) + "\n")))
    return code;
  printf("%s\n", rt::printKey(*publicKey).c_str());
  return 0;
}

int driver::runSign(const std::string &input, const std::string &keyPath,
                    const std::string &output) {
  tools::CommandFiles files;
  files.reads(input, "the artifact");
  files.reads(keyPath, "read by --key");
  files.writes(output, "-o " + output);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  rt::Result<rt::Key> key = readKey(keyPath, rt::parseSecretKey);
  if (!key.isOk())
    return reportStatus(key.status());
  rt::Result<std::string> bytes = readWholeFile(input, INT64_MAX);
  if (!bytes.isOk())
    return reportStatus(bytes.status());
  rt::Status status = rt::signArtifact(*bytes, *key);
  if (!status.isOk())
    return reportStatus(status.withPrefix(input + ": "));
  return writeOutput(output, *bytes);
}

int driver::runVerifySignature(const std::string &input,
                               const std::string &keyPath) {
  rt::Result<rt::Key> key = readKey(keyPath, rt::parseKey);
  if (!key.isOk())
    return reportStatus(key.status());
  rt::ModuleOptions options;
  options.inspectOnly = true;
  options.publicKey = *key;
  rt::Result<tools::ModulePtr> module = rt::Module::open(input, options);
  if (module.status().code() == rt::StatusCode::Untrusted)
    return reportError(tools::ExitDiffers, module.message());
  if (!module.isOk())
    return reportStatus(module.status());
  printf("%s: signed with the key %s\n", input.c_str(),
         rt::printKey(*key).c_str());
  return tools::ExitSuccess;
}
