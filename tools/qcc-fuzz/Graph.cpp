//===- Graph.cpp - A random program as a graph ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Graph.h.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Random.h"
#include <algorithm>

namespace qcc::fuzz {

unsigned bitsOf(Element element) {
  switch (element) {
  case Element::I1:
    return 1;
  case Element::I8:
  case Element::U8:
    return 8;
  case Element::I16:
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::I32:
  case Element::F32:
    return 32;
  case Element::I64:
  case Element::Index:
  case Element::F64:
    break;
  }
  return 64;
}

int lowestOf(Element storage) { return storage == Element::U8 ? 0 : -128; }
int highestOf(Element storage) { return storage == Element::U8 ? 255 : 127; }

bool Dim::operator==(const Dim &other) const {
  return kind == other.kind && value == other.value && a == other.a &&
         b == other.b && mul == other.mul && add == other.add &&
         div == other.div;
}

DimId Graph::dim(const Dim &wanted) {
  auto found = std::find(dims.begin(), dims.end(), wanted);
  if (found == dims.end())
    found = dims.insert(dims.end(), wanted);
  return static_cast<DimId>(found - dims.begin());
}

bool Graph::isDynamic(DimId id) const {
  const Dim &dim = dims[id];
  switch (dim.kind) {
  case Dim::Static:
    return false;
  case Dim::Dynamic:
  case Dim::Unknown:
    return true;
  case Dim::Scaled:
    return isDynamic(dim.a);
  case Dim::Product:
  case Dim::Sum:
    break;
  }
  return isDynamic(dim.a) || isDynamic(dim.b);
}

int64_t Graph::sizeOf(DimId id, const std::vector<int64_t> &symbols) const {
  const Dim &dim = dims[id];
  switch (dim.kind) {
  case Dim::Static:
    return dim.value;
  case Dim::Dynamic:
    return static_cast<size_t>(dim.value) < symbols.size() ? symbols[dim.value]
                                                           : 1;
  case Dim::Scaled:
    return std::max<int64_t>(
        0,
        (dim.mul * sizeOf(dim.a, symbols) + dim.add + dim.div - 1) / dim.div);
  case Dim::Product:
    return sizeOf(dim.a, symbols) * sizeOf(dim.b, symbols);
  case Dim::Unknown:
    return sizeOf(dim.a, symbols);
  case Dim::Sum:
    break;
  }
  return sizeOf(dim.a, symbols) + sizeOf(dim.b, symbols);
}

std::vector<int64_t> Graph::shapeOf(const Type &type,
                                    const std::vector<int64_t> &symbols) const {
  std::vector<int64_t> shape;
  for (DimId id : type.dims)
    shape.push_back(sizeOf(id, symbols));
  return shape;
}

size_t Graph::symbolCount() const {
  int64_t count = 0;
  for (const Dim &dim : dims)
    if (dim.kind == Dim::Dynamic)
      count = std::max(count, dim.value + 1);
  return count;
}

std::vector<const Node *> Graph::arguments() const {
  std::vector<const Node *> found;
  for (const Node &node : nodes)
    if (node.kind == Node::Argument)
      found.push_back(&node);
  return found;
}

static void countUses(const std::vector<Node> &nodes,
                      std::vector<unsigned> &counts) {
  for (const Node &node : nodes) {
    for (ValueId operand : node.operands)
      ++counts[operand];
    for (const Region &region : node.regions) {
      for (ValueId value : region.yields)
        ++counts[value];
      countUses(region.nodes, counts);
    }
  }
}

std::vector<unsigned> Graph::useCounts() const {
  std::vector<unsigned> counts(types.size());
  countUses(nodes, counts);
  for (ValueId result : results)
    ++counts[result];
  return counts;
}

std::vector<float> scalesOf(const Quant &quant, int64_t channels) {
  std::vector<float> scales;
  Random random(quant.seed);
  if (quant.axis < 0)
    return {static_cast<float>(quant.scale)};
  for (int64_t i = 0; i < channels; ++i)
    scales.push_back(static_cast<float>(quant.scale * random.real(0.5, 1.5)));
  return scales;
}

std::vector<int> zeroPointsOf(const Quant &quant, int64_t channels) {
  if (quant.axis < 0)
    return {quant.zeroPoint};
  std::vector<int> zeroPoints(channels, quant.zeroPoint);
  Random random(quant.seed, 1);
  if (quant.zeroPointsVary)
    for (int &zeroPoint : zeroPoints)
      zeroPoint = static_cast<int>(
          random.between(lowestOf(quant.storage), highestOf(quant.storage)));
  return zeroPoints;
}

} // namespace qcc::fuzz
