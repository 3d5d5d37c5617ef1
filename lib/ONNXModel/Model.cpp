//===- Model.cpp - Reading an ONNX model ----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/ONNXModel/Model.h"
#include "Reader.h"

using namespace qcc;
using namespace qcc::onnx;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// How deep graphs may be nested in attributes.
static constexpr unsigned kMaxDepth = 32;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

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
