//===- Generate.cpp - A random program for a seed -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Generate.h.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "Extended.h"
#include <algorithm>

namespace qcc::fuzz {

/// Larger values cost more time than they are worth.
static constexpr int64_t kMostElements = 20000;
static constexpr size_t kMostResults = 6;

static ValueId someLeaf(Builder &b) {
  Random &random = b.random;
  Element element = random.pick(
      {Element::F32, Element::F32, Element::F32, Element::F32, Element::I32,
       Element::I32, Element::I8, Element::F16, Element::BF16, Element::I16,
       Element::I64, Element::I1, Element::F64});
  Dims dims;
  size_t rank = random.weighted({3, 20, 47, 22, 8});
  for (size_t i = 0; i < rank; ++i)
    dims.push_back(b.someDim(i + 1 == rank ? 40 : 12));
  if (rank && random.chance(55))
    dims[random.below(std::min<size_t>(rank, 2))] =
        b.graph.dim({Dim::Dynamic, 0});
  if (rank > 1 && random.chance(12))
    dims.back() = b.graph.dim({Dim::Dynamic, 1});
  return b.leaf(Builder::tensor(element, dims), b.anyData(), 15);
}

static bool isPlain(const Builder &b, ValueId value) {
  Type type = b.typeOf(value);
  return !type.isScalar && type.quant < 0 && type.element != Element::U8;
}

static bool addQuantizedOp(Builder &b) {
  Random &random = b.random;
  if (b.quantizeds.empty())
    return false;
  Quantized q = random.pick(b.quantizeds);
  Type type = b.typeOf(q.value);
  bool perTensor =
      q.axis < 0 && (type.quant < 0 || b.graph.quants[type.quant].axis < 0);
  switch (random.below(6)) {
  case 0:
    b.keep(b.requantize(q, 0.05));
    return true;
  case 1:
    b.keep(b.dequantize(q));
    return true;
  case 2:
    if (perTensor)
      b.keep(b.clamp(q));
    return perTensor;
  case 3:
    b.keep(b.lookup(q));
    return true;
  case 4: {
    if (!perTensor)
      return false;
    Quantized other = b.quantizedLeaf(type.dims, 20, 0.05);
    b.keep(random.chance(50) ? b.addOrMul(q, other, 0.1)
                             : b.addOrMul(other, q, 0.1));
    return true;
  }
  default:
    if (type.rank() < 2 || !perTensor || !b.isStatic(type.dims.back()))
      return false;
    b.keep(b.linear(q, b.someDim(33), random.chance(50)));
    return true;
  }
}

ValueId somePlainValue(Builder &b) {
  ValueId x = b.pickFromPool([&](ValueId value) {
    return isPlain(b, value) && b.elements(b.dimsOf(value)) <= kMostElements;
  });
  return x < 0 ? b.keep(someLeaf(b)) : x;
}

void addWildOps(Builder &b, unsigned count) {
  Random &random = b.random;
  if (b.pool.empty())
    b.keep(someLeaf(b));
  for (unsigned i = 0; i < count; ++i) {
    ValueId x = somePlainValue(b);
    switch (random.weighted({40, 14, 20, 9, 8, 9})) {
    case 0:
      b.keep(b.elementwise(x));
      break;
    case 1:
      if (!b.dimsOf(x).empty())
        b.keep(b.reduce(x));
      break;
    case 2:
      b.keep(b.move(x));
      break;
    case 3:
      b.keep(b.freeContraction());
      break;
    case 4:
      if (isFloat(b.elementOf(x)))
        b.keep(b.quantize(x, 0.05));
      break;
    default:
      addQuantizedOp(b);
    }
  }
}

/// Every value without a use becomes a result, and some that have uses.
static void chooseResults(Builder &b) {
  Graph &graph = b.graph;
  std::vector<unsigned> uses = graph.useCounts();
  std::vector<ValueId> ends, others;
  for (const Node &node : graph.nodes)
    for (ValueId value : node.results) {
      if (node.kind == Node::Argument || node.kind == Node::Constant ||
          node.op == "tensor.empty") // has no values
        continue;
      (uses[value] ? others : ends).push_back(value);
    }
  graph.results = ends;
  b.random.shuffle(others);
  auto isFill = [&](ValueId value) {
    return std::any_of(
        graph.nodes.begin(), graph.nodes.end(), [&](const Node &node) {
          return node.op == "linalg.fill" && node.results[0] == value;
        });
  };
  for (ValueId value : others)
    // An initial value is hardly ever of interest.
    if (isFill(value) && !b.random.chance(2))
      continue;
    else if (graph.results.empty() ||
             (graph.results.size() < kMostResults && b.random.chance(25)))
      graph.results.push_back(value);
}

/// Sizes come from arguments: adds one for a dynamic size that none has.
static void defineDynamicDims(Builder &b) {
  std::vector<bool> defined(b.graph.symbolCount());
  for (const Node *node : b.graph.arguments())
    for (DimId id : b.dimsOf(node->results[0]))
      if (b.graph.dims[id].kind == Dim::Dynamic)
        defined[b.graph.dims[id].value] = true;
  for (size_t i = 0; i < defined.size(); ++i)
    if (!defined[i])
      b.argument(Builder::tensor(Element::I8,
                                 {b.graph.dim({Dim::Dynamic, int64_t(i)})}),
                 b.anyData());
}

void addBasicProgram(Builder &b) {
  switch (b.random.weighted({19, 19, 6, 4, 4, 14, 34})) {
  case 0:
    addIntegerNetwork(b);
    break;
  case 1:
    addRealNetwork(b);
    break;
  case 2:
    addAttention(b);
    break;
  case 3:
    addDynamicQuantization(b);
    break;
  case 4:
    addHandWrittenLayers(b);
    break;
  case 5:
    b.keep(b.freeContraction());
    break;
  default:
    addWildOps(b, 2 + static_cast<unsigned>(b.random.below(6)));
    break;
  }
}

/// One of so many seeds has the extended repertoire.
constexpr uint64_t kExtendedShare = 4;

Repertoire repertoireOf(uint64_t seed) {
  return seed % kExtendedShare == kExtendedShare - 1 ? Repertoire::Extended
                                                     : Repertoire::Basic;
}

uint64_t turnOf(uint64_t seed) {
  return repertoireOf(seed) == Repertoire::Extended ? seed / kExtendedShare
                                                    : seed;
}

Graph generate(uint64_t seed) {
  Builder b("p" + std::to_string(seed), seed, repertoireOf(seed));
  if (b.isExtended())
    addExtendedProgram(b);
  else
    addBasicProgram(b);
  if (b.random.chance(20))
    addWildOps(b, 1 + static_cast<unsigned>(b.random.below(2)));
  if (b.random.chance(5))
    addLoop(b);
  if (b.isExtended() && b.random.chance(12))
    addBranch(b);
  chooseResults(b);
  if (b.random.chance(7))
    outlineCall(b);
  defineDynamicDims(b);
  return std::move(b.graph);
}

} // namespace qcc::fuzz
