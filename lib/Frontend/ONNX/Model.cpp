//===- Model.cpp - Reading an ONNX model ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// protozero reports damage by exceptions, which MLIR's code is compiled
// without: this file sees no MLIR, and exceptions end in parseModel.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include <cstring>
#include <stdexcept>

// A field of another kind than the message has is damage, not a bug of qcc.
#define protozero_assert(condition)                                            \
  ((condition) ? void() : throw std::runtime_error("a field of a wrong kind"))
#include <protozero/pbf_reader.hpp>

using namespace qcc;
using namespace qcc::onnx;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// How deep graphs may be nested in attributes.
static constexpr unsigned kMaxDepth = 32;
/// More dimensions than any tensor has.
static constexpr size_t kMaxDims = 64;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static std::string_view getView(pbf_reader &message) {
  protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

/// An element of a repeated field of integers, or a packed run of them.
static void addIntegers(pbf_reader &message, std::vector<int64_t> &values) {
  if (message.wire_type() != pbf_wire_type::length_delimited) {
    values.push_back(message.get_int64());
    return;
  }
  for (int64_t value : message.get_packed_int64())
    values.push_back(value);
}

/// The bytes of an element of a repeated field of floats or doubles, or of a
/// packed run of them.
static void addFixed(pbf_reader &message, std::string &bytes) {
  if (message.wire_type() == pbf_wire_type::length_delimited) {
    bytes += getView(message);
    return;
  }
  char buffer[8];
  if (message.wire_type() == pbf_wire_type::fixed32) {
    uint32_t word = message.get_fixed32();
    std::memcpy(buffer, &word, 4);
    bytes.append(buffer, 4);
    return;
  }
  uint64_t word = message.get_fixed64();
  std::memcpy(buffer, &word, 8);
  bytes.append(buffer, 8);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

namespace {
class Reader {
public:
  explicit Reader(Model &model) : model(model) {}
  void read(pbf_reader message);
  Tensor readTensor(pbf_reader message);

private:
  NodeAttribute readAttribute(pbf_reader message, unsigned depth);
  Node readNode(pbf_reader message, unsigned depth);
  Graph readGraph(pbf_reader message, unsigned depth);
  LocalFunction readFunction(pbf_reader message);

  Model &model;
};
} // namespace

static void readExternal(pbf_reader message, ExternalData &data) {
  std::string_view key, value;
  while (message.next()) {
    if (message.tag() == 1)
      key = getView(message);
    else if (message.tag() == 2)
      value = getView(message);
    else
      message.skip();
  }
  if (key == "location")
    data.location = value;
  else if (key == "offset")
    data.offset = value;
  else if (key == "length")
    data.length = value;
}

/// The elements of a tensor whose integers stand in a field of their own.
static std::string packIntegers(const std::vector<int64_t> &values,
                                unsigned size) {
  std::string bytes;
  bytes.reserve(values.size() * size);
  for (int64_t value : values)
    bytes.append(reinterpret_cast<const char *>(&value), size);
  return bytes;
}

Tensor Reader::readTensor(pbf_reader message) {
  Tensor tensor;
  std::string fixed;
  std::vector<int64_t> integers;
  while (message.next()) {
    switch (message.tag()) {
    case 1:
      addIntegers(message, tensor.dims);
      break;
    case 2:
      tensor.type = message.get_int32();
      break;
    case 4:
    case 10:
      addFixed(message, fixed);
      break;
    case 5:
    case 7:
      addIntegers(message, integers);
      break;
    case 8:
      tensor.name = getView(message);
      break;
    case 9:
      tensor.data = getView(message);
      break;
    case 13:
      readExternal(message.get_message(), tensor.external);
      break;
    case 14:
      tensor.isExternal = message.get_enum() == 1;
      break;
    default:
      message.skip();
    }
  }
  if (tensor.dims.size() > kMaxDims)
    throw std::length_error("a tensor has more than 64 dimensions");
  if (tensor.data.empty() && !integers.empty())
    fixed = packIntegers(integers, storedSize(tensor.type));
  if (tensor.data.empty() && !fixed.empty()) {
    model.storage.push_back(std::move(fixed));
    tensor.data = model.storage.back();
    tensor.isOwned = true;
  }
  return tensor;
}

/// The AttributeType of the value in a field of an AttributeProto; 0 for a
/// field without a value.
static uint32_t typeOfField(uint32_t tag) {
  if (tag >= 2 && tag <= 11) // f, i, s, t, g, and lists of these
    return tag - 1;
  if (tag == 22 || tag == 23) // sparse_tensor, sparse_tensors
    return tag - 11;
  return tag == 14 || tag == 15 ? tag - 1 : 0; // tp, type_protos
}

NodeAttribute Reader::readAttribute(pbf_reader message, unsigned depth) {
  NodeAttribute attribute;
  int32_t type = 0;
  uint32_t values = 0; // a bit for each type that has a value
  std::string reals;
  while (message.next()) {
    values |= 1u << typeOfField(message.tag());
    switch (message.tag()) {
    case 1:
      attribute.name = getView(message);
      break;
    case 2:
      attribute.real = message.get_float();
      break;
    case 3:
      attribute.integer = message.get_int64();
      break;
    case 4:
      attribute.string = getView(message);
      break;
    case 5:
      attribute.tensor =
          std::make_shared<Tensor>(readTensor(message.get_message()));
      break;
    case 6:
      attribute.graph =
          std::make_shared<Graph>(readGraph(message.get_message(), depth + 1));
      break;
    case 7:
      addFixed(message, reals);
      break;
    case 8:
      addIntegers(message, attribute.integers);
      break;
    case 9:
      attribute.strings.push_back(getView(message));
      break;
    case 20:
      type = message.get_enum();
      break;
    case 21:
      attribute.reference = getView(message);
      break;
    default:
      message.skip();
    }
  }
  attribute.reals.resize(reals.size() / sizeof(float));
  // Without elements there may be no memory either.
  if (!attribute.reals.empty())
    std::memcpy(attribute.reals.data(), reals.data(),
                attribute.reals.size() * sizeof(float));
  using Kind = NodeAttribute::Kind;
  static constexpr Kind kinds[] = {
      Kind::None,    Kind::Float, Kind::Int,    Kind::String,
      Kind::Tensor,  Kind::Graph, Kind::Floats, Kind::Ints,
      Kind::Strings, Kind::Other, Kind::Other,  Kind::SparseTensor};
  bool isKnown = type >= 0 && type <= 11 && !(values & ~(1u << type | 1u));
  attribute.kind = isKnown ? kinds[type] : Kind::Other;
  if ((attribute.kind == Kind::Tensor && !attribute.tensor) ||
      (attribute.kind == Kind::Graph && !attribute.graph))
    attribute.kind = Kind::None;
  return attribute;
}

Node Reader::readNode(pbf_reader message, unsigned depth) {
  Node node;
  while (message.next()) {
    switch (message.tag()) {
    case 1:
      node.inputs.push_back(getView(message));
      break;
    case 2:
      node.outputs.push_back(getView(message));
      break;
    case 3:
      node.name = getView(message);
      break;
    case 4:
      node.op = getView(message);
      break;
    case 5:
      node.attributes.push_back(readAttribute(message.get_message(), depth));
      break;
    case 7:
      node.domain = getView(message);
      break;
    case 8:
      node.overload = getView(message);
      break;
    default:
      message.skip();
    }
  }
  return node;
}

static Dimension readDimension(pbf_reader message) {
  Dimension dim;
  while (message.next()) {
    if (message.tag() == 1) {
      dim.value = message.get_int64();
      dim.hasValue = dim.value != -1;
    } else if (message.tag() == 2) {
      dim.symbol = getView(message);
      if (dim.symbol == "?") // Paddle's, of each size that it does not know
        dim.symbol = {};
    } else {
      message.skip();
    }
  }
  return dim;
}

/// TypeProto.Tensor
static void readTensorType(pbf_reader message, ValueInfo &info) {
  info.isTensor = true;
  while (message.next()) {
    if (message.tag() == 1) {
      info.type = message.get_int32();
    } else if (message.tag() == 2) {
      info.hasShape = true;
      pbf_reader shape = message.get_message();
      while (shape.next(1))
        info.shape.push_back(readDimension(shape.get_message()));
    } else {
      message.skip();
    }
  }
  if (info.shape.size() > kMaxDims)
    throw std::length_error("a value has more than 64 dimensions");
}

static ValueInfo readValueInfo(pbf_reader message) {
  ValueInfo info;
  while (message.next()) {
    if (message.tag() == 1) {
      info.name = getView(message);
    } else if (message.tag() == 2) {
      pbf_reader type = message.get_message();
      while (type.next()) {
        if (type.tag() == 1) {
          readTensorType(type.get_message(), info);
          continue;
        }
        info.isOther |= type.tag() != 6; // the denotation
        type.skip();
      }
    } else {
      message.skip();
    }
  }
  return info;
}

Graph Reader::readGraph(pbf_reader message, unsigned depth) {
  if (depth > kMaxDepth)
    throw std::length_error("graphs are nested more than 32 deep");
  Graph graph;
  while (message.next()) {
    switch (message.tag()) {
    case 1:
      graph.nodes.push_back(readNode(message.get_message(), depth));
      break;
    case 2:
      graph.name = getView(message);
      break;
    case 5:
      graph.initializers.push_back(readTensor(message.get_message()));
      break;
    case 11:
      graph.inputs.push_back(readValueInfo(message.get_message()));
      break;
    case 12:
      graph.outputs.push_back(readValueInfo(message.get_message()));
      break;
    case 15:
      graph.hasSparseInitializers = true;
      message.skip();
      break;
    default:
      message.skip();
    }
  }
  return graph;
}

static OperatorSet readOperatorSet(pbf_reader message) {
  OperatorSet set;
  while (message.next()) {
    if (message.tag() == 1)
      set.domain = getView(message);
    else if (message.tag() == 2)
      set.version = message.get_int64();
    else
      message.skip();
  }
  return set;
}

/// The pair of a StringStringEntryProto.
static std::pair<std::string_view, std::string_view>
readMetadata(pbf_reader message) {
  std::pair<std::string_view, std::string_view> pair;
  while (message.next()) {
    if (message.tag() == 1)
      pair.first = getView(message);
    else if (message.tag() == 2)
      pair.second = getView(message);
    else
      message.skip();
  }
  return pair;
}

LocalFunction Reader::readFunction(pbf_reader message) {
  LocalFunction function;
  while (message.next()) {
    switch (message.tag()) {
    case 1:
      function.name = getView(message);
      break;
    case 4:
      function.inputs.push_back(getView(message));
      break;
    case 5:
      function.outputs.push_back(getView(message));
      break;
    case 6:
      function.attributes.push_back(getView(message));
      break;
    case 7:
      function.nodes.push_back(readNode(message.get_message(), 0));
      break;
    case 9:
      function.operatorSets.push_back(readOperatorSet(message.get_message()));
      break;
    case 10:
      function.domain = getView(message);
      break;
    case 11:
      function.defaults.push_back(readAttribute(message.get_message(), 0));
      break;
    case 13:
      function.overload = getView(message);
      break;
    default:
      message.skip();
    }
  }
  return function;
}

void Reader::read(pbf_reader message) {
  while (message.next()) {
    switch (message.tag()) {
    case 1:
      model.irVersion = message.get_int64();
      break;
    case 2:
      model.producer = getView(message);
      break;
    case 7:
      model.graph = readGraph(message.get_message(), 0);
      model.hasGraph = true;
      break;
    case 8:
      model.operatorSets.push_back(readOperatorSet(message.get_message()));
      break;
    case 14:
      model.metadata.push_back(readMetadata(message.get_message()));
      break;
    case 25:
      model.functions.push_back(readFunction(message.get_message()));
      break;
    default:
      message.skip();
    }
  }
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

bool onnx::isModel(std::string_view bytes) {
  // Field 1, ir_version, is what writers put first, and no character of text.
  if (!bytes.empty() && bytes.front() == 0x08)
    return true;
  // Other orders are legal: known fields of the right kind up to the end.
  try {
    pbf_reader message(bytes.data(), bytes.size());
    bool hasGraph = false;
    while (message.next()) {
      uint32_t tag = message.tag();
      bool isNumber = tag == 1 || tag == 5;
      bool isKnown = isNumber || (tag >= 2 && tag <= 8) || tag == 14 ||
                     tag == 20 || tag == 25 || tag == 26;
      if (!isKnown ||
          (message.wire_type() == pbf_wire_type::varint) != isNumber)
        return false;
      hasGraph |= tag == 7;
      message.skip();
    }
    return hasGraph;
  } catch (const std::exception &) {
    return false;
  }
}

rt::Result<Tensor> onnx::parseTensor(std::string_view bytes, Model &storage) {
  try {
    return Reader(storage).readTensor(pbf_reader(bytes.data(), bytes.size()));
  } catch (const std::exception &error) {
    return rt::corrupt(std::string("the tensor is damaged (") + error.what() +
                       "); write or copy it again");
  }
}

rt::Result<std::unique_ptr<Model>> onnx::parseModel(std::string_view bytes) {
  auto model = std::make_unique<Model>();
  try {
    Reader(*model).read(pbf_reader(bytes.data(), bytes.size()));
  } catch (const std::exception &error) {
    return rt::corrupt(std::string("the model is damaged (") + error.what() +
                       "); write or copy it again");
  }
  if (!model->hasGraph)
    return rt::corrupt("the model has no graph; write it again");
  return model;
}
