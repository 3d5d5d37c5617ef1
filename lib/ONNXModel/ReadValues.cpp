//===- ReadValues.cpp - The tensors and attributes of a model -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include <cstring>

using namespace qcc;
using namespace qcc::onnx;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

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
