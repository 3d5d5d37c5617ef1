//===- StampArtifact.cpp - Completes an artifact made by hand -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: qcc-stamp-artifact FILE [KEY]. Writes size and hash into its note, and
// signs it by a secret key of 64 hexadecimal digits.
//
//===----------------------------------------------------------------------===//

#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Runtime/Signature.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: qcc-stamp-artifact FILE [KEY]\n";
    return 1;
  }
  std::ifstream input(argv[1], std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(input), {}};
  input.close();
  qcc::rt::Status status = qcc::rt::stampArtifact(bytes.data(), bytes.size());
  if (status.isOk() && argc == 3) {
    qcc::rt::Result<qcc::rt::Key> key = qcc::rt::parseKey(argv[2]);
    status = key.isOk() ? qcc::rt::signArtifact(bytes, *key) : key.status();
  }
  if (status.isOk() && !(std::ofstream(argv[1], std::ios::binary) << bytes))
    status = qcc::rt::ioError("it cannot be written");
  if (!status.isOk())
    std::cerr << argv[1] << ": " << status.message() << '\n';
  return !status.isOk();
}
