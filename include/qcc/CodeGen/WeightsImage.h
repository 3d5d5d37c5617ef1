//===- WeightsImage.h - The weights of an artifact --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights may be most of the memory there is. Code generation and the linker
// would each hold a copy, so they see no more than how many bytes there are;
// the bytes are appended to what is linked, and constants can be freed as they
// are copied.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_CODEGEN_WEIGHTSIMAGE_H
#define QCC_CODEGEN_WEIGHTSIMAGE_H

#include "qcc/Transforms/Program/Weights.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace qcc {

/// The weights of all variants one after another, each aligned to 64 bytes;
/// equal ones are there once. Refers to memory of the programs.
class WeightsImage {
public:
  /// Returns where the weights lie in the image.
  int64_t add(const Weights &weights);

  int64_t size() const { return total; }

  /// Writes the image to memory of its size. `last` is called with each
  /// resource that is not read any more.
  void copyTo(
      char *memory,
      llvm::function_ref<void(mlir::DenseResourceElementsAttr)> last =
          [](mlir::DenseResourceElementsAttr) {}) const;

private:
  struct Part {
    int64_t offset;
    Weights weights;
  };
  llvm::SmallVector<Part, 2> parts;
  int64_t total = 0;
};

/// Fills the place that the large, empty section of a linked program reserves
/// (WeightsImage of addDescriptor): the bytes follow the file, and are loaded
/// read only. Frees constants once they are copied, if `releases`.
llvm::Error appendWeights(llvm::SmallVector<char, 0> &program,
                          const WeightsImage &weights, bool releases);

} // namespace qcc

#endif // QCC_CODEGEN_WEIGHTSIMAGE_H
