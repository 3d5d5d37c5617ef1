//===- Graph.h - A random program as a graph ------------------ -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the generator makes, the printer writes as MLIR and the reducer shrinks.
// A program is a list of nodes in the order of their definitions. Sizes are not
// numbers but entries of a table, from which others are computed: the reducer
// changes one of them and the whole program follows. Constants and inputs are
// not stored either, but made from a seed for whatever size they have.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_GRAPH_H
#define QCC_TOOLS_FUZZ_GRAPH_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qcc::fuzz {

enum class Element : uint8_t {
  I1,
  I8,
  U8, // ui8, which only qnn ops and movement take
  I16,
  I32,
  I64,
  Index,
  F16,
  BF16,
  F32,
  F64
};

inline bool isFloat(Element element) { return element >= Element::F16; }
/// An integer that arith takes.
inline bool isSignless(Element element) {
  return !isFloat(element) && element != Element::U8 &&
         element != Element::Index;
}
unsigned bitsOf(Element element);
inline size_t bytesOf(Element element) { return (bitsOf(element) + 7) / 8; }

/// An entry of Graph::dims.
using DimId = int;
struct Dim {
  enum Kind {
    Static,  // value
    Dynamic, // known when the program runs: dimension number `value` of a run
    Scaled,  // ceil((mul * a + add) / div)
    Product, // a * b
    Sum,     // a + b
    Unknown  // a, but types do not say so
  };
  Kind kind = Static;
  int64_t value = 0;
  DimId a = -1, b = -1;
  int64_t mul = 1, add = 0, div = 1;

  bool operator==(const Dim &other) const;
};

/// The parameters of a quantized type, an entry of Graph::quants. Parameters of
/// channels are made from the seed.
struct Quant {
  Element storage = Element::I8; // I8, U8 or I32
  double scale = 1;
  int zeroPoint = 0;
  int axis = -1; // per tensor
  bool zeroPointsVary = false;
  uint64_t seed = 0;
};

struct Type {
  Element element = Element::F32;
  std::vector<DimId> dims;
  int quant = -1; // an entry of Graph::quants, whose storage `element` is
  bool isScalar = false; // f32, not tensor<f32>

  size_t rank() const { return dims.size(); }
  bool operator==(const Type &other) const {
    return element == other.element && dims == other.dims &&
           quant == other.quant && isScalar == other.isScalar;
  }
};

/// Where the elements of an argument or a constant come from.
struct Data {
  enum Role {
    Values,    // anything; floats around `scale`
    Scale,     // positive, around `scale`
    ZeroPoint, // in [low, high]
    Integer,   // in [low, high]
    Zero,      // all +0
    Exact,     // each element is `scale`
  };
  Role role = Values;
  double scale = 1;
  int64_t low = 0, high = 0;
  uint64_t seed = 0;
};

/// One op of a linalg body. Values are numbered: the arguments first, then the
/// ops.
struct BodyOp {
  std::string name;      // "arith.addf"
  std::string attribute; // "olt", a constant's text, an index; of scf.if, the
                         // ops on its operands 1 and 2 in either branch
  std::vector<int> operands;
  Element type;
};

struct Body {
  std::vector<Element> arguments;
  std::vector<BodyOp> ops;
  std::vector<int> yields;

  Element typeOf(int value) const {
    int count = static_cast<int>(arguments.size());
    return value < count ? arguments[value] : ops[value - count].type;
  }
};

/// How a constant is written.
enum class Form : uint8_t { Inline, Splat, Resource };

using ValueId = int;
struct Node;

/// What a function, a loop or a branch holds, what the values that are handed
/// to it are called in it, and what of it becomes the results.
struct Region {
  std::vector<Node> nodes;
  std::vector<ValueId> parameters, yields;
};

struct Node {
  enum Kind {
    Argument,
    Constant,
    Op,
    Call,  // of a function of its own; a region without parameters
    Loop,  // scf.for: as many `trips`; carries its operands as parameters
    While, // scf.while: carries its operands; the region before yields the
           // condition first, then what the region after gets
    If     // scf.if of operand 0: the region of true, then that of false
  };
  Kind kind = Op;
  std::string op; // "qnn.linear"
  /// The text of an op; Print.h says what stands for what in it.
  std::string text;
  std::vector<ValueId> operands, results;
  /// Of interest to who interprets the program: names and MLIR text of values.
  std::vector<std::pair<std::string, std::string>> attributes;
  /// What a linalg op does, as linalg.generic would say it. Only where `text`
  /// refers to them they are printed.
  std::vector<std::string> maps, iterators;
  Body body;
  Data data; // arguments, constants
  Form form = Form::Inline;
  std::vector<Region> regions;
  int64_t trips = 0;
};

struct Graph {
  std::string name;
  std::vector<Dim> dims;
  std::vector<Quant> quants;
  std::vector<Type> types; // of values
  std::vector<Node> nodes;
  std::vector<ValueId> results;

  DimId dim(const Dim &dim);
  DimId staticDim(int64_t value) { return dim({Dim::Static, value}); }
  bool isDynamic(DimId id) const;
  /// For the run's dynamic dimensions.
  int64_t sizeOf(DimId id, const std::vector<int64_t> &symbols) const;
  std::vector<int64_t> shapeOf(const Type &type,
                               const std::vector<int64_t> &symbols) const;
  /// The highest number of a dynamic dimension, plus one.
  size_t symbolCount() const;
  std::vector<const Node *> arguments() const;
  /// How often a value is used, by nodes or as a result.
  std::vector<unsigned> useCounts() const;
};

/// The scales and zero points of a quantization with that many channels.
std::vector<float> scalesOf(const Quant &quant, int64_t channels);
std::vector<int> zeroPointsOf(const Quant &quant, int64_t channels);
int lowestOf(Element storage);
int highestOf(Element storage);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_GRAPH_H
