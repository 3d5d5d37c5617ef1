//===- qcc-run.cpp - Runs compiled programs -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `qcc run` for artifacts, where there is no compiler: it links the runtime
// alone.
//
//===----------------------------------------------------------------------===//

#include "common/Arguments.h"
#include "common/Run.h"

#include <cstdio>

using namespace qcc;
using namespace qcc::tools;

static int reportError(const std::string &message) {
  fprintf(stderr, "qcc-run: error: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  ignoreBrokenPipes();
  RunOptions options;
  rt::ModuleOptions moduleOptions;
  Arguments arguments("qcc-run",
                      "Runs programs that `qcc compile -o MODEL.so` made.",
                      "MODEL.so");
  addRunArguments(arguments, options);
  arguments.text("variant", "NAME",
                 "Variant to run, as --list names it; the best that this host "
                 "can run\nif not given",
                 moduleOptions.variant);
  if (std::optional<int> code = arguments.answer(argc, argv, QCC_VERSION))
    return *code;
  options.files.reads(arguments.positional(), "the program");
  rt::Status status = checkOptions(options);
  if (!status.isOk())
    return reportError(status.message());

  moduleOptions.inspectOnly = options.list;
  moduleOptions.weightPages = weightPagesOf(options);
  rt::Result<ModulePtr> module =
      rt::Module::open(arguments.positional(), moduleOptions);
  if (!module.isOk())
    return reportError(module.message());
  status = runModule(*std::move(module), arguments.positional(), options,
                     std::nullopt, stdout);
  if (status.isOk())
    status = flushStandardOutput();
  return status.isOk() ? 0 : reportError(status.message());
}
