//===- WeightsImage.h - The weights of an artifact --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights may be most of the memory there is. Code generation and the linker
// would each hold a copy, so they see no more than how many bytes there are;
// the bytes are appended to what is linked.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_CODEGEN_WEIGHTSIMAGE_H
#define QCC_CODEGEN_WEIGHTSIMAGE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <cstring>

namespace qcc {

/// The weights of all variants one after another, each aligned to 64 bytes;
/// equal ones are there once. Refers to memory of the programs.
class WeightsImage {
public:
  /// Returns where the weights lie in the image.
  int64_t add(llvm::StringRef weights) {
    for (const Part &part : parts)
      if (part.weights == weights)
        return part.offset;
    int64_t offset = llvm::alignTo(total, 64);
    parts.push_back({offset, weights});
    total = offset + weights.size();
    return offset;
  }

  int64_t size() const { return total; }

  /// Writes the image to memory of its size that is zero.
  void copyTo(char *memory) const {
    for (const Part &part : parts)
      std::memcpy(memory + part.offset, part.weights.data(),
                  part.weights.size());
  }

private:
  struct Part {
    int64_t offset;
    llvm::StringRef weights;
  };
  llvm::SmallVector<Part, 2> parts;
  int64_t total = 0;
};

/// Fills the place that the large, empty section of a linked program reserves
/// (WeightsImage of addDescriptor): the bytes follow the file, and are loaded
/// read only.
llvm::Error appendWeights(llvm::SmallVector<char, 0> &program,
                          const WeightsImage &weights);

} // namespace qcc

#endif // QCC_CODEGEN_WEIGHTSIMAGE_H
