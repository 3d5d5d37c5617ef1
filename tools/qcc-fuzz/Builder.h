//===- Builder.h - Adds random ops to a graph ----------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each method adds what its name says, in a form that it chooses: a dequantized
// value may come from a qnn op, from a linalg.generic or from ops on tensors.
// Methods that take `dims` make a value of that shape from arguments and
// constants; the others go on from a value.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_BUILDER_H
#define QCC_TOOLS_FUZZ_BUILDER_H

#include "Graph.h"
#include "Random.h"
#include <functional>

namespace qcc::fuzz {

using Dims = std::vector<DimId>;

/// A quantized tensor, its parameters in its type or as operands.
struct Quantized {
  ValueId value = -1;
  ValueId scale = -1, zeroPoint = -1; // values, where the type has none
  int axis = -1;                      // of the operands, where it matters
};

/// Collects the operands of an op while its text is written.
class OpText {
public:
  std::string text;
  std::vector<ValueId> operands;

  /// "$3"
  std::string use(ValueId value) {
    operands.push_back(value);
    return "$" + std::to_string(operands.size() - 1);
  }
  /// "$3 : $t3"
  std::string typed(ValueId value) {
    std::string name = use(value);
    return name + " : $t" + name.substr(1);
  }
  /// " input_scale($2 : $t2) ..."
  void parameters(const std::string &role, const Quantized &value);
};

/// What a program may contain. Programs of the basic repertoire stay what they
/// are, since tests and reports name their seeds; what is new belongs to the
/// extended one.
enum class Repertoire { Basic, Extended };

class Builder {
public:
  Builder(const std::string &name, uint64_t seed, Repertoire repertoire)
      : random(seed), repertoire(repertoire) {
    graph.name = name;
  }
  bool isExtended() const { return repertoire == Repertoire::Extended; }

  Graph graph;
  Random random;
  const Repertoire repertoire;

  //===--- Sizes and types (Builder.cpp) ---===//

  DimId fixed(int64_t size) { return graph.staticDim(size); }
  /// A small size, tiny and odd ones foremost.
  DimId someDim(int64_t most = 40);
  DimId scaled(DimId a, int64_t mul, int64_t add, int64_t div = 1);
  int64_t staticSize(DimId id) const { return graph.sizeOf(id, {}); }
  bool isStatic(DimId id) const { return !graph.isDynamic(id); }
  bool isStatic(const Dims &dims) const;
  /// With dynamic dimensions as if they were 64.
  int64_t elements(const Dims &dims) const;

  static Type tensor(Element element, Dims dims) {
    return {element, std::move(dims)};
  }
  static Type scalar(Element element) { return {element, {}, -1, true}; }
  Type typeOf(ValueId value) const { return graph.types[value]; }
  Dims dimsOf(ValueId value) const { return graph.types[value].dims; }
  Element elementOf(ValueId value) const { return graph.types[value].element; }

  //===--- Nodes (Builder.cpp) ---===//

  ValueId argument(const Type &type, const Data &data);
  ValueId constant(const Type &type, const Data &data);
  /// An argument or, where the type is static, a constant.
  ValueId leaf(const Type &type, const Data &data, unsigned constantPercent);
  Data anyData(double scale = 0.05);
  ValueId op(const std::string &name, OpText text, const Type &result);
  ValueId unary(const std::string &name, ValueId operand);
  ValueId binary(const std::string &name, ValueId lhs, ValueId rhs);
  ValueId cast(const std::string &name, ValueId operand, Element to);
  ValueId zeros(const Type &type);
  ValueId filled(const Type &type, double value);
  /// A linalg.generic; the maps are those of the inputs, then the result.
  ValueId generic(const std::vector<ValueId> &inputs, ValueId init,
                  const Type &result, std::vector<std::string> maps,
                  std::vector<std::string> iterators, Body body);

  //===--- Quantization (Quantization.cpp) ---===//

  Quant someQuant(double scale);
  /// An activation, or a weight with scales that may vary along `axis`; or so
  /// many scales for each row.
  Quantized quantizedLeaf(const Dims &dims, unsigned constantPercent,
                          double scale, int channelAxis = -1,
                          int64_t perRow = 0);
  Quantized quantize(ValueId real, double scale);
  ValueId dequantize(const Quantized &value);
  Quantized requantize(const Quantized &value, double scale);
  /// The op `name`, an elementwise one of two quantized tensors, with the
  /// parameters of `result`, which is a value of `type`.
  Quantized binary(const std::string &name, const Quantized &a,
                   const Quantized &b, Quantized result, const Type &type);
  Quantized addOrMul(const Quantized &a, const Quantized &b, double scale);
  Quantized clamp(const Quantized &value);
  Quantized lookup(const Quantized &value);
  /// The type and operands of a quantized result of that shape.
  Quantized resultParameters(const Dims &dims, double scale, Type &type,
                             bool perTensor = true);
  bool isTyped(const Quantized &value) const { return value.scale < 0; }

  //===--- Contractions (Contractions.cpp) ---===//

  /// What a contraction gives: a real or i32 value, or a quantized one.
  struct Outcome {
    ValueId value = -1;
    Quantized quantized;
    bool isQuantized = false;
  };
  Outcome linear(const Quantized &x, DimId columns, bool wantQuantized);
  Outcome matmul(const Quantized &lhs, const Quantized &rhs, bool transposed,
                 bool wantQuantized);
  /// A layer with operands of its own, whose parameters vary along K.
  ValueId groupedLinear();
  /// x * transpose(w) of real values, w in any form.
  ValueId realLinear(ValueId x, DimId columns);
  /// Any contraction by linalg, with operands of its own.
  ValueId freeContraction();
  /// An operand of a contraction: an integer, or a real value mostly
  /// dequantized.
  ValueId contractionOperand(const Dims &dims, Element element);
  ValueId integerLinear(const Quantized &x, DimId columns);

  //===--- Elementwise and reductions (Elementwise.cpp) ---===//

  ValueId activation(ValueId x);
  ValueId elementwise(ValueId x);
  ValueId combine(const std::string &floatOp, const std::string &integerOp,
                  ValueId a, ValueId b);
  ValueId reduce(ValueId x);
  ValueId reduceLast(ValueId x, const std::string &combine, double initial);
  ValueId overLast(ValueId x, ValueId perRow, const std::string &op);
  ValueId softmax(ValueId x);
  ValueId normalize(ValueId x);
  ValueId convert(ValueId x, Element to);

  //===--- Movement (Movement.cpp) ---===//

  using MakeLeaf = std::function<ValueId(const Dims &)>;
  /// A value of shape `dims` that movement makes of what `make` returns.
  ValueId moved(const Dims &dims, const MakeLeaf &make, unsigned percent = 30);
  ValueId transpose(ValueId x, const std::vector<int> &permutation);
  ValueId pad(ValueId x, const std::vector<int64_t> &low,
              const std::vector<int64_t> &high, const Dims &dims, double value);
  ValueId move(ValueId x);

  //===--- What there is (Builder.cpp) ---===//

  std::vector<ValueId> pool; // plain values
  std::vector<Quantized> quantizeds;
  /// Remembers a value for what follows, and returns it.
  ValueId keep(ValueId value) {
    pool.push_back(value);
    return value;
  }
  Quantized keep(const Quantized &value) {
    quantizeds.push_back(value);
    return value;
  }
  void keep(const Outcome &outcome) {
    if (outcome.isQuantized)
      keep(outcome.quantized);
    else
      keep(outcome.value);
  }
  /// One of the pool, the last ones foremost; -1 if none is accepted.
  ValueId pickFromPool(const std::function<bool(ValueId)> &accept);
  /// A value of that type: one of the pool, or a leaf.
  ValueId another(const Type &type, double scale = 0.05);
};

// What layers of qnn have in common (Contractions.cpp).

enum class BiasKind { I32, F32, Any };
/// " bias($2 : $t2)", now and then.
void addBias(Builder &builder, OpText &text, DimId channels, BiasKind kind);
/// Adds the op: after its operands come the parameters of the result, which
/// are about `scale`, attributes, clamps and types.
Builder::Outcome finishLayer(Builder &builder, const std::string &name,
                             OpText text, const Dims &dims, bool wantQuantized,
                             bool isInteger, double scale,
                             std::string attributes);

/// Adds ops to a body, at random, and yields a value of type `result`.
void growBody(Builder &builder, Body &body, unsigned ops, Element result,
              bool hasIndices, size_t loops);
/// What the result held before: an argument that no op of the body uses.
void addResultArgument(Body &body, Element element);
/// A value of the body as a value of another type.
int convertInBody(Random &random, Body &body, int value, Element to);
int addToBody(Body &body, const std::string &name, std::vector<int> operands,
              Element type, const std::string &attribute = "");
/// A constant of a body.
int bodyConstant(Body &body, Element type, double value);

/// "d0, d1, d2"
std::string identity(size_t rank);

/// The names of ops by the types they take.
const std::vector<std::string> &floatBinaryOps();
const std::vector<std::string> &floatUnaryOps(Element element);
const std::vector<std::string> &integerBinaryOps();
const std::vector<std::string> &integerDivisions();
const std::vector<std::string> &floatPredicates();
const std::vector<std::string> &integerPredicates();

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_BUILDER_H
