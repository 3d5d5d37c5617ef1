//===- compile-options.cpp - The C++ API of the compiler ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What options do in C++: isolated compilations, and inputs of a model that are
// fixed. Its arguments are a folder and an ONNX model.
//
//===----------------------------------------------------------------------===//

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/write-sum.py %t/sum.onnx
// RUN: %capi/compile-options %t %t/sum.onnx
// REQUIRES: compiler, x86-64-v3

#include "qcc/compiler.hpp"

#include "Check.h"

#include <fstream>
#include <sys/stat.h>

static const char program[] =
    "func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %y = arith.addf %x, %x : tensor<3xf32>\n"
    "  return %y : tensor<3xf32>\n"
    "}\n";

static std::string bytesOf(const qcc::Artifact &artifact) {
  return {static_cast<const char *>(artifact.data()), artifact.size()};
}

/// With a script in place of the compiler's program.
static qccStatusCode codeOf(const std::string &folder, const char *body) {
  std::string path = folder + "/compiler.sh";
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  chmod(path.c_str(), 0700);
  qcc::CompileOptions options;
  options.flags = QCC_COMPILE_ISOLATED;
  options.isolatedCompiler = path;
  options.timeout = std::chrono::milliseconds(200);
  try {
    qcc::compileArtifact(program, options);
  } catch (const qcc::Error &error) {
    return error.code();
  }
  return QCC_STATUS_OK;
}

static void fixedInputs(const char *model) {
  int64_t three = 3;
  float bias[3] = {1, 2, 3};
  DLTensor tensor = {bias,   {kDLCPU, 0}, 1, {kDLFloat, 32, 1},
                     &three, nullptr,     0};
  qcc::CompileOptions options;
  options.shapes = {{"x", {2, 3}}};
  options.constants = {{"bias", &tensor}};
  std::string here = bytesOf(qcc::compileFileArtifact(model, options));
  options.flags = QCC_COMPILE_ISOLATED;
  CHECK(bytesOf(qcc::compileFileArtifact(model, options)) == here);
  qcc::Module module = qcc::compileFile(model, options);
  CHECK(module.entry("main").numArguments == 1);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  qcc::CompileOptions options;
  std::string here = bytesOf(qcc::compileArtifact(program, options));
  options.flags = QCC_COMPILE_ISOLATED;
  CHECK(bytesOf(qcc::compileArtifact(program, options)) == here);
  CHECK(codeOf(argv[1], "kill -SEGV $$") == QCC_STATUS_INTERNAL);
  CHECK(codeOf(argv[1], "kill -KILL $$") == QCC_STATUS_KILLED);
  CHECK(codeOf(argv[1], "exit 100") == QCC_STATUS_OUT_OF_MEMORY);
  CHECK(codeOf(argv[1], "exec sleep 60") == QCC_STATUS_TIMED_OUT);
  fixedInputs(argv[2]);
  // Code does not depend on the number of threads.
  options = {};
  options.threads = 3;
  CHECK(bytesOf(qcc::compileArtifact(program, options)) == here);
  options.flags = QCC_COMPILE_ISOLATED;
  CHECK(bytesOf(qcc::compileArtifact(program, options)) == here);
  options.threads = -1;
  try {
    qcc::compileArtifact(program, options);
    CHECK(false);
  } catch (const qcc::Error &error) {
    CHECK(error.code() == QCC_STATUS_INVALID_ARGUMENT);
  }
  options = {};
  options.tfliteRounding = "xnnpack";
  try {
    qcc::compileArtifact(program, options);
    CHECK(false);
  } catch (const qcc::Error &error) {
    CHECK(error.code() == QCC_STATUS_INVALID_PROGRAM);
  }
  return finishTest();
}
