//===- Model.h - A view of an ONNX model ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The messages of onnx.proto that an import reads. Names and data are views of
// the file's bytes, which must outlive the model; nothing is copied but data
// that the file does not store as elements lie in memory.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ONNXMODEL_MODEL_H
#define QCC_ONNXMODEL_MODEL_H

#include "qcc/Base/Status.h"
#include "qcc/Support/HostTensor.h"
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::onnx {

/// The numbers of TensorProto.DataType.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16,
  UInt4 = 21,
  Int4 = 22,
  UInt2 = 25,
  Int2 = 26,
};

/// "float", "uint8"; "type 23" for a number without a name.
std::string dataTypeName(int32_t type);
/// The element type of tensors of a type that an import takes.
std::optional<rt::DType> dtypeOf(int32_t type);
/// Bytes of an element; 0 for types that an import does not take.
unsigned dataTypeSize(int32_t type);
/// Bytes of the unit of storage: an element, or as many as a byte holds; 0 for
/// types that constants do not have.
unsigned storedSize(int32_t type);
/// The bits of an element of which a byte has several: of int4, uint4, int2 or
/// uint2. 0 for other types.
unsigned packedBits(int32_t type);

/// Where the data of a tensor outside of the model lie, as the file says it.
struct ExternalData {
  std::string_view location, offset, length;
};

struct Tensor {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t type = 0;
  /// Row-major elements in little endian, whatever field they stand in.
  std::string_view data;
  /// Whether the data are the model's own, not a part of the file.
  bool isOwned = false;
  bool isExternal = false;
  ExternalData external;
};

struct Graph;

struct NodeAttribute {
  enum class Kind {
    None,
    Float,
    Int,
    String,
    Tensor,
    Graph,
    Floats,
    Ints,
    Strings,
    SparseTensor,
    Other ///< Another type, or a value that is not of the type.
  };
  std::string_view name;
  /// The attribute of the call whose value this attribute of a node in a
  /// function takes; otherwise empty.
  std::string_view reference;
  Kind kind = Kind::None;
  float real = 0;
  int64_t integer = 0;
  std::string_view string;
  std::shared_ptr<const Tensor> tensor;
  std::shared_ptr<const Graph> graph;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  std::vector<std::string_view> strings;
};

struct Node {
  /// `overload` tells functions of one name apart.
  std::string_view name, op, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<NodeAttribute> attributes;
};

struct Dimension {
  bool hasValue = false; ///< False for -1, by which writers mean unknown.
  int64_t value = 0;
  std::string_view symbol; ///< empty: unknown, and equal to no other
};

struct ValueInfo {
  std::string_view name;
  bool isTensor = false;
  bool isOther = false; ///< A sequence, a map, an optional or a sparse tensor.
  bool hasShape = false;
  int32_t type = 0;
  std::vector<Dimension> shape;
};

struct Graph {
  std::string_view name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
  bool hasSparseInitializers = false;
};

struct OperatorSet {
  std::string_view domain;
  int64_t version = 0;
};

/// An op that the model itself defines by nodes.
struct LocalFunction {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  /// Attributes that a call must have, then those that a call may leave out,
  /// with their default values.
  std::vector<std::string_view> attributes;
  std::vector<NodeAttribute> defaults;
  std::vector<Node> nodes;
  std::vector<OperatorSet> operatorSets;
};

struct Model {
  int64_t irVersion = 0;
  std::string_view producer;
  std::vector<OperatorSet> operatorSets;
  /// Keys and texts.
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
  Graph graph;
  bool hasGraph = false;
  std::vector<LocalFunction> functions;
  /// The data that are no view of the file.
  std::deque<std::string> storage;
};

/// Whether bytes are an ONNX model rather than a program of MLIR.
bool isModel(std::string_view bytes);

/// Reads a tensor; data that are no view of the bytes are kept in `storage`.
rt::Result<Tensor> parseTensor(std::string_view bytes, Model &storage);

/// Reads a model. A damaged one is a failure.
rt::Result<std::unique_ptr<Model>> parseModel(std::string_view bytes);

} // namespace qcc::onnx

#endif // QCC_ONNXMODEL_MODEL_H
