//===- Model.cpp - Models of TensorFlow Lite ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "qcc/Support/InputLimits.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace qcc;
using namespace qcc::tflite;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

/// Nested tables, tables of a file, dimensions of a tensor, and operands of all
/// ops together: a small file may name one vector many times.
static constexpr unsigned kMaxDepth = 16, kMaxTables = 1 << 22;
static constexpr size_t kMaxRank = 16, kMaxOperands = 1 << 22;
/// Bytes of all constants that are not read where they lie in the file, beyond
/// twice its size: sparse ones, and of types that are stored in another way.
static constexpr uint64_t kMaxCopied = uint64_t(1) << 30;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

unsigned tflite::elementBits(fb::TensorType type) {
  switch (type) {
  case fb::TensorType_Int4:
    return 4;
  case fb::TensorType_UInt8:
  case fb::TensorType_Int8:
  case fb::TensorType_Bool:
    return 8;
  case fb::TensorType_Float16:
  case fb::TensorType_BFloat16:
  case fb::TensorType_Int16:
  case fb::TensorType_UInt16:
    return 16;
  case fb::TensorType_Float32:
  case fb::TensorType_Int32:
  case fb::TensorType_UInt32:
    return 32;
  case fb::TensorType_Float64:
  case fb::TensorType_Int64:
  case fb::TensorType_UInt64:
  case fb::TensorType_Complex64:
    return 64;
  case fb::TensorType_Complex128:
    return 128;
  default:
    return 0;
  }
}

StringRef tflite::typeName(fb::TensorType type) {
  static constexpr llvm::StringLiteral names[] = {
      "float32", "float16",    "int32",  "uint8",     "int64",
      "string",  "bool",       "int16",  "complex64", "int8",
      "float64", "complex128", "uint64", "resource",  "variant",
      "uint32",  "uint16",     "int4",   "bfloat16"};
  return type >= 0 && type <= fb::TensorType_MAX ? StringRef(names[type])
                                                 : StringRef("another type");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static StringRef toString(const flatbuffers::String *text) {
  return text ? StringRef(text->c_str(), text->size()) : StringRef();
}

/// The format is little-endian, as the machines are on which qcc runs.
template <typename T>
static ArrayRef<T> toArray(const flatbuffers::Vector<T> *vector) {
  return vector ? ArrayRef<T>(vector->data(), vector->size()) : ArrayRef<T>();
}

namespace {
class Reader {
public:
  explicit Reader(ArrayRef<char> bytes) { model->bytes = bytes; }

  rt::Result<std::unique_ptr<Model>> run();

private:
  rt::Status verifySignatures();
  rt::Status readGraph(const fb::SubGraph &table, Graph &graph);
  rt::Status readTensor(const fb::Tensor &table, TensorInfo &tensor);
  rt::Status readQuantization(const fb::Tensor &table, TensorInfo &tensor);
  rt::Status readData(const fb::Tensor &table, TensorInfo &tensor);
  rt::Status readOp(const fb::Operator &table, const Graph &graph, OpInfo &op);
  rt::Status verifyIndices(ArrayRef<int32_t> indices, const Graph &graph,
                           bool mayBeAbsent);

  std::unique_ptr<Model> model = std::make_unique<Model>();
  const fb::Model *root = nullptr;
  size_t operands = 0;
  uint64_t copied = 0; ///< Bytes of constants.
};
} // namespace

static rt::Status damaged(const Twine &reason) {
  return rt::corrupt(
      ("the model is damaged: " + reason + "; write it again by its converter")
          .str());
}

/// A name, for which `what` stands in a message.
static rt::Status readName(const flatbuffers::String *text, StringRef what,
                           StringRef &name) {
  name = toString(text);
  return llvm::json::isUTF8(name)
             ? rt::Status::ok()
             : damaged("the name of " + what + " is not UTF-8: '" +
                       llvm::json::fixUTF8(name) + "'");
}

static std::string quoted(StringRef name) { return ("'" + name + "'").str(); }

rt::Status Reader::verifyIndices(ArrayRef<int32_t> indices, const Graph &graph,
                                 bool mayBeAbsent) {
  operands += indices.size();
  if (operands > kMaxOperands || indices.size() > limits::kArguments)
    return damaged("an op or the model has too many operands");
  for (int32_t index : indices)
    if (index >= static_cast<int64_t>(graph.tensors.size()) ||
        index < (mayBeAbsent ? -1 : 0))
      return damaged("there is no tensor " + Twine(index));
  return rt::Status::ok();
}

rt::Status Reader::readQuantization(const fb::Tensor &table,
                                    TensorInfo &tensor) {
  const fb::Quantization *quantization = table.quantization();
  if (!quantization)
    return rt::Status::ok();
  if (quantization->details_type() != 0)
    return rt::unsupported("tensor " + quoted(tensor.name) +
                           " has a quantization of its own kind, which is not "
                           "supported; use scales and zero points");
  tensor.scales = toArray(quantization->scale());
  tensor.zeroPoints = toArray(quantization->zero_point());
  tensor.axis = quantization->dimension();
  if (tensor.scales.empty())
    return rt::Status::ok();
  if (tensor.scales.size() > 1 &&
      (tensor.axis < 0 ||
       tensor.axis >= static_cast<int64_t>(tensor.shape.size()) ||
       tensor.shape[tensor.axis] != static_cast<int64_t>(tensor.scales.size())))
    return damaged("tensor " + quoted(tensor.name) + " has " +
                   Twine(tensor.scales.size()) +
                   " scales, which its dimension " + Twine(tensor.axis) +
                   " has not");
  if (tensor.zeroPoints.size() > 1 &&
      tensor.zeroPoints.size() != tensor.scales.size())
    return damaged("tensor " + quoted(tensor.name) + " has " +
                   Twine(tensor.scales.size()) + " scales but " +
                   Twine(tensor.zeroPoints.size()) + " zero points");
  return rt::Status::ok();
}

rt::Status Reader::readData(const fb::Tensor &table, TensorInfo &tensor) {
  auto *buffers = root->buffers();
  if (table.buffer() == 0)
    return rt::Status::ok();
  if (!buffers || table.buffer() >= buffers->size())
    return damaged("tensor " + quoted(tensor.name) + " names buffer " +
                   Twine(table.buffer()) + ", which does not exist");
  const fb::Buffer &buffer = *buffers->Get(table.buffer());
  if (buffer.offset() > 1) {
    uint64_t size = model->bytes.size();
    if (buffer.offset() > size || buffer.size() > size - buffer.offset())
      return damaged("buffer " + Twine(table.buffer()) +
                     " lies behind the end of the file");
    tensor.data = model->bytes.slice(buffer.offset(), buffer.size());
  } else if (auto *data = buffer.data()) {
    tensor.data = {reinterpret_cast<const char *>(data->data()), data->size()};
  }
  if (tensor.data.empty())
    return rt::Status::ok();
  tensor.isConstant = true;
  uint64_t elements = 1;
  for (int64_t size : tensor.shape)
    elements = llvm::SaturatingMultiply<uint64_t>(elements,
                                                  std::max<int64_t>(size, 0));
  unsigned bits = elementBits(tensor.type);
  bool isCopied = table.sparsity() || tensor.type == fb::TensorType_UInt8 ||
                  tensor.type == fb::TensorType_Bool || bits < 8;
  if (isCopied)
    copied = llvm::SaturatingMultiplyAdd<uint64_t>(
        elements, std::max(1u, bits / 8), copied);
  if (copied > kMaxCopied + 2 * model->bytes.size())
    return damaged("its constants take more than " +
                   Twine(kMaxCopied + 2 * model->bytes.size()) +
                   " bytes once they are converted");
  // Ops read other forms of data in ways of their own.
  if (bits == 0 || table.sparsity())
    return rt::Status::ok();
  uint64_t needed = (elements * bits + 7) / 8;
  if (elements > limits::kElements || needed != tensor.data.size())
    return damaged("tensor " + quoted(tensor.name) + " has " +
                   Twine(tensor.data.size()) + " bytes where its shape needs " +
                   Twine(needed));
  return rt::Status::ok();
}

rt::Status Reader::readTensor(const fb::Tensor &table, TensorInfo &tensor) {
  if (rt::Status status = readName(table.name(), "a tensor", tensor.name);
      !status.isOk())
    return status;
  tensor.type = table.type();
  tensor.isVariable = table.is_variable();
  tensor.sparsity = table.sparsity();
  auto shape = toArray(table.shape()),
       signature = toArray(table.shape_signature());
  if (signature.size() == shape.size())
    shape = signature;
  if (shape.size() > kMaxRank)
    return damaged("tensor " + quoted(tensor.name) + " has " +
                   Twine(shape.size()) + " dimensions");
  for (int32_t size : shape) {
    if (size < -1)
      return damaged("tensor " + quoted(tensor.name) + " has the size " +
                     Twine(size));
    tensor.shape.push_back(size);
  }
  if (rt::Status status = readQuantization(table, tensor); !status.isOk())
    return status;
  return readData(table, tensor);
}

rt::Status Reader::readOp(const fb::Operator &table, const Graph &graph,
                          OpInfo &op) {
  auto *codes = root->operator_codes();
  if (!codes || table.code() >= codes->size())
    return damaged("an op names operator code " + Twine(table.code()) +
                   ", which does not exist");
  const fb::OperatorCode &code = *codes->Get(table.code());
  // Numbers from 127 on are only in the newer field.
  op.code = std::max<int32_t>(code.old_code(), code.code());
  if (rt::Status status =
          readName(code.custom_code(), "a custom op", op.customName);
      !status.isOk())
    return status;
  op.table = &table;
  op.inputs = toArray(table.inputs());
  op.outputs = toArray(table.outputs());
  if (rt::Status status = verifyIndices(op.inputs, graph, true); !status.isOk())
    return status;
  return verifyIndices(op.outputs, graph, false);
}

rt::Status Reader::readGraph(const fb::SubGraph &table, Graph &graph) {
  graph.name = toString(table.name());
  graph.inputs = toArray(table.inputs());
  graph.outputs = toArray(table.outputs());
  if (auto *tensors = table.tensors())
    for (const fb::Tensor *tensor : *tensors)
      if (rt::Status status = readTensor(*tensor, graph.tensors.emplace_back());
          !status.isOk())
        return status;
  if (rt::Status status = verifyIndices(graph.inputs, graph, false);
      !status.isOk())
    return status;
  if (rt::Status status = verifyIndices(graph.outputs, graph, false);
      !status.isOk())
    return status;
  if (auto *ops = table.operators())
    for (const fb::Operator *op : *ops)
      if (rt::Status status = readOp(*op, graph, graph.ops.emplace_back());
          !status.isOk())
        return status;
  return rt::Status::ok();
}

/// Only the first graph becomes a program, so signatures of others would be
/// lost.
rt::Status Reader::verifySignatures() {
  auto *signatures = root->signatures();
  if (!signatures)
    return rt::Status::ok();
  std::string names;
  bool hasOthers = false;
  for (const fb::Signature *signature : *signatures) {
    StringRef key;
    if (rt::Status status = readName(signature->key(), "a signature", key);
        !status.isOk())
      return status;
    names += (names.empty() ? "" : ", ") + quoted(key);
    hasOthers |= signature->subgraph() != 0;
  }
  return hasOthers
             ? rt::unsupported(
                   "the model has signatures of other graphs than its first: " +
                   names +
                   "; this is not supported; convert each signature to a "
                   "model of its own")
             : rt::Status::ok();
}

rt::Result<std::unique_ptr<Model>> Reader::run() {
  ArrayRef<char> bytes = model->bytes;
  // Offsets of tables have 32 bits; data of buffers may lie behind them.
  size_t size = std::min<size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), size, kMaxDepth,
      kMaxTables);
  if (!verifier.VerifyBuffer<fb::Model>("TFL3"))
    return damaged("its tables do not lie in the file");
  root = flatbuffers::GetRoot<fb::Model>(bytes.data());
  if (root->version() != 3)
    return rt::unsupported("the model has version " +
                           std::to_string(root->version()) +
                           " of the format, which is not supported; convert "
                           "it to version 3");
  if (auto *graphs = root->subgraphs())
    for (const fb::SubGraph *graph : *graphs)
      if (rt::Status status = readGraph(*graph, model->graphs.emplace_back());
          !status.isOk())
        return status;
  if (model->graphs.empty())
    return damaged("it has no graph");
  if (rt::Status status = verifySignatures(); !status.isOk())
    return status;
  return std::move(model);
}

rt::Result<std::unique_ptr<Model>> tflite::readModel(ArrayRef<char> bytes) {
  return Reader(bytes).run();
}
