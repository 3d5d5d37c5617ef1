//===- Reader.h - Reading the messages of a model ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// protozero reports damage by exceptions, which MLIR's code is compiled
// without: the files that include this header see no MLIR, and exceptions end
// in parseModel and parseTensor.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_ONNXMODEL_READER_H
#define QCC_LIB_ONNXMODEL_READER_H

#include "qcc/ONNXModel/Model.h"
#include <stdexcept>

// A field of another kind than the message has is damage, not a bug of qcc.
#define protozero_assert(condition)                                            \
  ((condition) ? void() : throw std::runtime_error("a field of a wrong kind"))
#include <protozero/pbf_reader.hpp>

namespace qcc::onnx {

/// More dimensions than any tensor has.
inline constexpr size_t kMaxDims = 64;

inline std::string_view getView(protozero::pbf_reader &message) {
  protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

/// Reads messages into a model, which keeps the data that the file does not
/// store as elements lie in memory.
class Reader {
public:
  explicit Reader(Model &model) : model(model) {}
  void read(protozero::pbf_reader message);
  Tensor readTensor(protozero::pbf_reader message);

private:
  NodeAttribute readAttribute(protozero::pbf_reader message, unsigned depth);
  Node readNode(protozero::pbf_reader message, unsigned depth);
  Graph readGraph(protozero::pbf_reader message, unsigned depth);
  LocalFunction readFunction(protozero::pbf_reader message);

  Model &model;
};

} // namespace qcc::onnx

#endif // QCC_LIB_ONNXMODEL_READER_H
