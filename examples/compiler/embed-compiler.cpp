//===- embed-compiler.cpp - Compile and run in one program ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage: embed-compiler [OUTPUT.so]
//
// Compiles the text of a quantized layer for this CPU, runs it, and if asked
// to, writes an artifact for several CPUs, which other programs load without a
// compiler.
//
//===----------------------------------------------------------------------===//

#include <qcc/qcc.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

/// y = x * w^T + b, in int8 with sums in int32, y in float.
static const char layer[] = R"mlir(
!x = !quant.uniform<i8:f32, 5.000000e-01>
!w = !quant.uniform<i8:f32, 2.500000e-01>
func.func @layer(%x: tensor<?x4x!x>) -> tensor<?x2xf32> {
  %stored = arith.constant dense<[[1, -2, 3, -4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %w = quant.scast %stored : tensor<2x4xi8> to tensor<2x4x!w>
  %b = arith.constant dense<[0.5, -0.5]> : tensor<2xf32>
  %y = qnn.linear %x, %w bias(%b : tensor<2xf32>)
      : tensor<?x4x!x>, tensor<2x4x!w> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
)mlir";

int main(int argc, char **argv) try {
  // Text to something that can be called.
  qcc::Module module = qcc::compile(layer, "native");
  qcc::Function function = module.function("layer");

  // Arguments are views of the application's memory. Three rows: the first
  // dimension is dynamic.
  std::vector<int8_t> x = {1, 1, 1, 1, 2, 0, 0, 0, 0, 0, 0, -2};
  std::vector<qcc::Tensor> y = function({{x.data(), {3, 4}}});
  for (int64_t i = 0; i < y[0].dim(0); ++i)
    std::printf("%8.3f %8.3f\n", y[0].data<float>()[2 * i],
                y[0].data<float>()[2 * i + 1]);

  // The same call on the application's memory, for results as well, and with a
  // limit of time.
  std::vector<float> again(6);
  qcc::RunOptions options;
  options.timeout = std::chrono::seconds(10);
  function.run({{x.data(), {3, 4}}}, {{again.data(), {3, 2}}}, options);
  for (size_t i = 0; i < again.size(); ++i)
    if (again[i] != y[0].data<float>()[i])
      return 1;

  // What the compiler made of the program: the steps, and why they are not
  // faster, as JSON.
  qcc::CompileOptions explained;
  explained.flags = QCC_COMPILE_EXPLAIN;
  std::string json = qcc::compileArtifact(layer, explained).explanation();
  if (json.find("\"step\":\"layer.step0.contract\"") == std::string::npos)
    return 1;

  // What is wrong with a program comes with its place, one by one and, as a
  // whole, with the error.
  try {
    qcc::CompileOptions options;
    options.name = "broken.mlir";
    options.onDiagnostic = [](const qccDiagnostic &diagnostic) {
      std::printf("line %d, column %d of %s\n", diagnostic.line,
                  diagnostic.column, diagnostic.file);
    };
    qcc::compile("func.func @f(%x: tensor<4xf3>)", options);
    return 1;
  } catch (const qcc::Error &error) {
    std::printf("%s: %s\n", qccStatusCodeGetName(error.code()), error.what());
  }

  // A file with code for old and new processors; its loader takes the best.
  if (argc > 1)
    qcc::compileArtifact(layer, "x86-64-v3,cascadelake").write(argv[1]);
  return 0;
} catch (const qcc::Error &error) {
  std::fprintf(stderr, "embed-compiler: %s\n", error.what());
  return 1;
}
