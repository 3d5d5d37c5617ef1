//===- Model.h - Models of TensorFlow Lite ----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view of the bytes of a .tflite file. readModel checks everything that is
// found by an offset or an index, so that no reader of the view has to: tables
// and vectors lie in the file, indices name tensors, graphs and buffers that
// exist, and constants have as many bytes as their shapes need.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_MODEL_H
#define QCC_LIB_FRONTEND_TFLITE_MODEL_H

#include "Schema_generated.h"
#include "qcc/Base/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <vector>

namespace qcc::tflite {

struct TensorInfo {
  llvm::StringRef name;
  fb::TensorType type;
  /// -1 for a size that is not known.
  llvm::SmallVector<int64_t, 4> shape;
  /// The elements of a constant, of which `isConstant` tells.
  llvm::ArrayRef<char> data;
  bool isConstant = false;
  bool isVariable = false;
  /// The parameters of the quantization: one, or one for each element of
  /// dimension `axis`. Empty for a tensor that is not quantized.
  llvm::ArrayRef<float> scales;
  llvm::ArrayRef<int64_t> zeroPoints;
  int64_t axis = 0;
  /// Null for a dense tensor.
  const fb::Sparsity *sparsity = nullptr;
};

struct OpInfo {
  /// The number of the op; kCustom for a custom op, which has a name.
  int32_t code;
  llvm::StringRef customName;
  /// Indices of tensors; -1 for an operand that is left out.
  llvm::ArrayRef<int32_t> inputs, outputs;
  const fb::Operator *table;
};

struct Graph {
  llvm::StringRef name;
  std::vector<TensorInfo> tensors;
  std::vector<OpInfo> ops;
  llvm::ArrayRef<int32_t> inputs, outputs;
};

struct Model {
  llvm::ArrayRef<char> bytes;
  /// The first one is the program.
  std::vector<Graph> graphs;
};

inline constexpr int32_t kCustom = 32;

/// The bits of an element; 0 for types that have no elements of one size.
unsigned elementBits(fb::TensorType type);
/// "int8"
llvm::StringRef typeName(fb::TensorType type);

rt::Result<std::unique_ptr<Model>> readModel(llvm::ArrayRef<char> bytes);

/// Whether a table of a model lies in it with all that it refers to.
template <typename Table>
bool isInside(const Model &model, const Table *table) {
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(model.bytes.data()),
      std::min<size_t>(model.bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1));
  return table->Verify(verifier);
}

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_MODEL_H
