//===- Serve.cpp - qcc serve ----------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The server is a part of the package qcc of Python, which also comes without
// the compiler: `python -m qcc serve` has the options, and their help.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

using namespace qcc;
using namespace qcc::driver;

void driver::addServe(tools::Commands &commands, CommandLine &line) {
  tools::Arguments &arguments = commands.add(
      "serve",
      "Serve artifacts by the Open Inference Protocol, over HTTP and gRPC, by "
      "the package qcc of Python (of python3, or of the program that "
      "QCC_PYTHON names); qcc serve --help prints its options",
      [&line](const tools::Arguments &) {
        line.serve.insert(line.serve.begin(), "serve");
        return runPythonCommand("qcc serve", line.serve);
      });
  arguments.positionals("NAME=FILE", line.serve);
  arguments.passThrough();
  arguments.example("qcc serve classifier=model.so --port=8000");
}
