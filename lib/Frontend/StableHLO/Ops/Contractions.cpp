//===- Contractions.cpp - dot and dot_general -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "../Ops.h"
#include "../ScalarOps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

using Iterator = utils::IteratorType;

/// Sums of fewer products of two bytes fit into i32.
static constexpr int64_t kMaxDepth = int64_t(1) << 16;

/// The type in which products are summed.
static Type sumType(OpImporter &n, std::optional<int64_t> depth) {
  Type x = n.elementOf(0), y = n.elementOf(1), result = n.resultElement();
  auto isByte = [](Type type) {
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 8;
  };
  bool areBytes = isByte(x) && isByte(y);
  // Integers wrap: the lowest bits of a wide sum are those of a narrow one.
  if (auto integer = dyn_cast<IntegerType>(result))
    return integer.getWidth() < 32 ? Type(n.b.getI32Type()) : signless(integer);
  // The exact sum, rounded once.
  if (areBytes && result.getIntOrFloatBitWidth() >= 32 && depth &&
      *depth < kMaxDepth)
    return n.b.getI32Type();
  if (result.getIntOrFloatBitWidth() < 32)
    return n.b.getF32Type();
  return result;
}

GraphValue stablehlo::contract(OpImporter &n, GraphValue &x, GraphValue &y,
                               const ContractionLoops &loops,
                               ArrayRef<AffineMap> maps, const Shape &shape,
                               std::optional<int64_t> depth) {
  Type sum = sumType(n, depth), result = n.resultElement();
  Type fromX = n.elementOf(0), fromY = n.elementOf(1);
  Value sums = generic(
      n, {n.tensor(x), n.tensor(y)}, filled(n, sum, shape, 0.0), maps,
      loops.iterators, [&](Scalars &s, ValueRange args) {
        return s.add(args[2], s.mul(convertScalar(s, args[0], fromX, sum),
                                    convertScalar(s, args[1], fromY, sum)));
      });
  GraphValue value = toGraphValue(sums, shape);
  if (sum == signless(result))
    return value;
  // Of bool, any product that is not 0: what a sum other than 0 says, since
  // products are 0 and 1.
  return *elementwise(n, {&value}, signless(result),
                      [&](Scalars &s, ValueRange args) {
                        return convertScalar(s, args[0], sum, result);
                      });
}

namespace {
/// Dimensions of an operand that a list of the op names.
struct DotDims {
  SmallVector<int64_t> batch, contracting;
};
} // namespace

/// Refuses dimensions that an operand does not have, or has twice.
static LogicalResult verifyDims(OpImporter &n, const DotDims &dims,
                                int64_t rank) {
  SmallVector<bool> seen(rank);
  for (ArrayRef<int64_t> list :
       {ArrayRef(dims.batch), ArrayRef(dims.contracting)})
    for (int64_t d : list) {
      if (d < 0 || d >= rank || seen[d])
        return n.refuse() << "names dimension " << d
                          << " of an operand twice, or it is not one of "
                          << rank << "; correct the program";
      seen[d] = true;
    }
  return success();
}

static LogicalResult importProduct(OpImporter &n, const DotDims &left,
                                   const DotDims &right) {
  GraphValue &x = n.in(0), &y = n.in(1);
  if (failed(verifyDims(n, left, x.rank())) ||
      failed(verifyDims(n, right, y.rank())))
    return failure();
  if (left.batch.size() != right.batch.size() ||
      left.contracting.size() != right.contracting.size())
    return n.refuse() << "names other numbers of dimensions of its operands; "
                         "correct the program";
  ContractionLoops loops(n);
  SmallVector<AffineExpr> readX(x.rank()), readY(y.rank()), write;
  Shape shape;
  auto fits = [&](int64_t dx, int64_t dy) -> LogicalResult {
    std::optional<int64_t> a = knownSize(x.shape[dx]),
                           b = knownSize(y.shape[dy]);
    if (!a || !b || *a == *b)
      return success();
    return n.refuse() << "pairs dimensions of sizes " << *a << " and " << *b
                      << "; correct the shapes";
  };
  auto addParallel = [&](OpFoldResult size) {
    AffineExpr loop = loops.add(Iterator::parallel);
    write.push_back(loop);
    shape.push_back(size);
    return loop;
  };
  for (auto [dx, dy] : llvm::zip_equal(left.batch, right.batch)) {
    if (failed(fits(dx, dy)))
      return failure();
    readX[dx] = readY[dy] = addParallel(simpler(x.shape[dx], y.shape[dy]));
  }
  auto addFree = [&](GraphValue &operand, const DotDims &dims,
                     SmallVector<AffineExpr> &read) {
    for (int64_t d = 0; d < operand.rank(); ++d)
      if (!llvm::is_contained(dims.batch, d) &&
          !llvm::is_contained(dims.contracting, d))
        read[d] = addParallel(operand.shape[d]);
  };
  addFree(x, left, readX);
  addFree(y, right, readY);
  std::optional<int64_t> depth = 1;
  for (auto [dx, dy] : llvm::zip_equal(left.contracting, right.contracting)) {
    if (failed(fits(dx, dy)))
      return failure();
    readX[dx] = readY[dy] = loops.add(Iterator::reduction);
    std::optional<int64_t> size = knownSize(x.shape[dx]);
    if (!size)
      size = knownSize(y.shape[dy]);
    depth = depth && size && *size < kMaxDepth && *depth < kMaxDepth
                ? std::optional<int64_t>(*depth * *size)
                : std::nullopt;
  }
  FailureOr<Shape> declared = n.declared(0, shape);
  if (failed(declared))
    return failure();
  return n.set(contract(n, x, y, loops,
                        {loops.map(readX), loops.map(readY), loops.map(write)},
                        *declared, depth));
}

/// Refuses operands that are no numbers of one kind.
static LogicalResult verifyElements(OpImporter &n) {
  bool isFloat = isa<FloatType>(n.elementOf(0));
  if (isa<FloatType>(n.elementOf(1)) == isFloat &&
      (!isFloat || isa<FloatType>(n.resultElement())))
    return success();
  return n.refuse() << "multiplies " << n.elementOf(0) << " by "
                    << n.elementOf(1) << " to " << n.resultElement()
                    << ", which is not supported; convert the operands";
}

LogicalResult stablehlo::importDot(OpImporter &n) {
  int64_t rx = n.in(0).rank(), ry = n.in(1).rank();
  if (rx < 1 || rx > 2 || ry < 1 || ry > 2)
    return n.refuse() << "takes vectors and matrices; use dot_general";
  if (failed(verifyElements(n)))
    return failure();
  return importProduct(n, {{}, {rx - 1}}, {{}, {0}});
}

/// The text of a field of a dot_algorithm; empty where the field is missing.
static StringRef fieldOf(StringRef algorithm, StringRef name) {
  size_t at = algorithm.find(name);
  StringRef rest =
      at == StringRef::npos ? "" : algorithm.substr(at).split('=').second;
  return rest.take_until([](char c) { return c == ',' || c == '>'; }).trim();
}

/// An algorithm may ask for what contractions do anyway: products of the
/// elements as they are, and sums in the type of the result.
static LogicalResult verifyAlgorithm(OpImporter &n) {
  if (!n.has("algorithm"))
    return success();
  auto attr = dyn_cast<OpaqueAttr>(n.op->getAttr("algorithm"));
  StringRef text = attr ? attr.getAttrData() : StringRef();
  auto isType = [&](StringRef name, Type type) {
    std::string written;
    llvm::raw_string_ostream(written) << type;
    return fieldOf(text, name) == written;
  };
  if (isType("lhs_precision_type", n.in(0).element) &&
      isType("rhs_precision_type", n.in(1).element) &&
      isType("accumulation_type", n.resultElement()) &&
      fieldOf(text, "lhs_component_count") == "1" &&
      fieldOf(text, "rhs_component_count") == "1")
    return success();
  return n.refuse() << "has an algorithm that rounds its operands, or sums in "
                       "another type than that of its result, which is not "
                       "supported; leave it out: products are exact, and sums "
                       "as docs/Numerics.md says";
}

LogicalResult stablehlo::importDotGeneral(OpImporter &n) {
  auto fields = n.fields("dot_dimension_numbers");
  if (failed(fields) || failed(verifyElements(n)) || failed(verifyAlgorithm(n)))
    return failure();
  return importProduct(n,
                       {(*fields)["lhs_batching_dimensions"],
                        (*fields)["lhs_contracting_dimensions"]},
                       {(*fields)["rhs_batching_dimensions"],
                        (*fields)["rhs_contracting_dimensions"]});
}
