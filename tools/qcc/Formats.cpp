//===- Formats.cpp - qcc formats ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "common/Text.h"
#include "qcc/Frontend/ONNX/ImportedOps.h"
#include "qcc/Support/FileFormat.h"

using namespace qcc;
using namespace qcc::driver;

namespace {
struct Line {
  std::string head, text;
};
} // namespace

static void print(const char *title, const std::vector<Line> &lines) {
  printf("%s\n", title);
  for (const Line &line : lines)
    printf("%s", tools::twoColumns(line.head, line.text).c_str());
}

int driver::runFormats() {
  print(
      "programs, which every command takes; the content of a file decides:",
      {{"MLIR", "text or bytecode, of qnn, linalg, tensor, arith, math, scf "
                "and others; qcc ops lists the ops"},
       {"ONNX", "operator sets " + std::to_string(onnx::kFirstOperatorSet) +
                    " to " + std::to_string(onnx::kLastOperatorSet) +
                    ", with external data, and com.microsoft; qcc ops --onnx "
                    "lists the ops"},
       {"TFLite", "models of TensorFlow Lite; qcc ops --tflite lists the ops"},
       {"StableHLO", "text, as JAX and TensorFlow print it or in the generic "
                     "form; qcc ops --stablehlo lists the ops"},
       {"TOSA", "text or bytecode of MLIR"}});
  print("programs in Python:",
        {{"qcc.jax", "functions of JAX, and what jax.export made"},
         {"qcc.tensorflow", "functions of TensorFlow, models of Keras"},
         {"qcc.tflite", "models of TensorFlow Lite"},
         {"qcc.torch", "modules and exported programs of PyTorch, and "
                       "torch.compile(backend=\"qcc\")"}});
  print("weights:", {{".npz", "arrays of numpy, by name"},
                     {".safetensors", "tensors, by name"}});
  std::vector<Line> foreign;
  for (const ForeignFormat &format : foreignPrograms())
    foreign.push_back({format.name, format.remedy});
  print("programs of other tools, and what to do with them:", foreign);
  return 0;
}
