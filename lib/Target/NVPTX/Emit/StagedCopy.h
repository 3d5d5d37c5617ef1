//===- StagedCopy.h - Tiles by way of registers -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_EMIT_STAGEDCOPY_H
#define QCC_LIB_TARGET_NVPTX_EMIT_STAGEDCOPY_H

#include "TileCopy.h"
#include <deque>

namespace qcc::nvptx {

/// Bytes of a word of a matrix instruction, and words of a chunk.
inline constexpr int64_t kWord = 4, kWords = kChunk / kWord;

/// Loads the chunks of a thread, and stores them later.
class StagedCopy : public TileCopy {
public:
  StagedCopy(ScalarCode &code, SharedMemory memory, ThreadShare share)
      : code(code), memory(memory), share(share) {}

  void begin(const Step &step) override;
  void finish(const Step &step) override;

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  /// What a thread holds of its chunks, one for each pass.
  virtual llvm::SmallVector<Values> load(mlir::Value step) = 0;
  /// The chunk as a vector of words; what is held is those words.
  virtual mlir::Value toWords(int64_t pass, mlir::ValueRange values,
                              mlir::Value step);

  ScalarCode &code;
  SharedMemory memory;
  ThreadShare share;

private:
  /// What is loaded and not stored yet.
  struct Loaded {
    mlir::Value step;
    llvm::SmallVector<Values> chunks;
  };

  std::deque<Loaded> loaded;
};

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_EMIT_STAGEDCOPY_H
