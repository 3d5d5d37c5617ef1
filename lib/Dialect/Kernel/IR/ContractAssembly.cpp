//===- ContractAssembly.cpp - Attributes of kernel.contract as text -------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The defaults of the attributes that say which product of matrices a
// contraction is; the description of the op in KernelOps.td defines them.
//
//===----------------------------------------------------------------------===//

#include "ContractAssembly.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace qcc::kernel;

static constexpr StringLiteral kMaps = "indexing_maps";
static constexpr StringLiteral kDims = "reduction_dims";
static constexpr StringLiteral kSizes = "reduction_sizes";
static constexpr StringLiteral kPacked = "rhs_packed";

/// The rank of a ranked tensor or memref; nothing for other types.
static std::optional<unsigned> rankOf(Type type) {
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return std::nullopt;
  return shaped.getRank();
}

namespace {
/// Collects the default map of one operand after the other. The loops are
/// (outer..., n, k).
class DefaultMaps {
public:
  DefaultMaps(MLIRContext *context, unsigned numOuter)
      : context(context), numOuter(numOuter) {}

  unsigned n() const { return numOuter; }
  unsigned k() const { return numOuter + 1; }

  /// The first `count` of the outer loops, then `rest`.
  SmallVector<unsigned> loops(unsigned count, ArrayRef<unsigned> rest) const {
    auto result = llvm::to_vector(llvm::seq<unsigned>(0, count));
    llvm::append_range(result, rest);
    return result;
  }

  /// An operand of `type` is indexed by as many of the last of `loops` as it
  /// has dimensions. Nothing is collected for an absent operand.
  void addLast(Type type, ArrayRef<unsigned> loops) {
    if (!type)
      return;
    std::optional<unsigned> rank = rankOf(type);
    if (!rank || *rank > loops.size())
      isComplete = false;
    else
      add(loops.take_back(*rank));
  }

  /// An operand of a prologue: indexed as the operand of the contraction if it
  /// has the same rank, by the last of `loops` otherwise.
  void addPrologueOperand(Type type, ArrayRef<unsigned> whole,
                          ArrayRef<unsigned> loops) {
    if (rankOf(type) == whole.size())
      add(whole);
    else
      addLast(type, loops);
  }

  /// An operand that must be indexed by all of `loops`.
  void addWhole(Type type, ArrayRef<unsigned> loops) {
    isComplete &= rankOf(type) == loops.size();
    add(loops);
  }

  void add(ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : loops)
      results.push_back(getAffineDimExpr(loop, context));
    maps.push_back(AffineMap::get(k() + 1, 0, results, context));
  }

  /// Null if an operand has a rank for which there is no default.
  ArrayAttr finish() const {
    return isComplete ? Builder(context).getAffineMapArrayAttr(maps)
                      : ArrayAttr();
  }

private:
  MLIRContext *context;
  unsigned numOuter;
  SmallVector<AffineMap> maps;
  bool isComplete = true;
};
} // namespace

/// Null where the ranks of the operands tell no maps.
static ArrayAttr defaultMaps(MLIRContext *context, const ContractTypes &types,
                             bool isPacked) {
  std::optional<unsigned> lhs = rankOf(types.lhs), rhs = rankOf(types.rhs);
  // The packed weight is [batch..., N / NR, words, NR].
  if (rhs && isPacked)
    rhs = *rhs > 0 ? *rhs - 1 : 0;
  if (!lhs || *lhs < 1 || !rhs || *rhs < 2 || *rhs > *lhs + 1)
    return {};
  unsigned numOuter = *lhs - 1;
  DefaultMaps maps(context, numOuter);
  SmallVector<unsigned> lhsLoops = maps.loops(numOuter, {maps.k()});
  SmallVector<unsigned> rhsLoops = maps.loops(*rhs - 2, {maps.n(), maps.k()});
  SmallVector<unsigned> outLoops = maps.loops(numOuter, {maps.n()});
  ArrayRef<unsigned> rows = ArrayRef(lhsLoops).drop_back();
  ArrayRef<unsigned> columns = ArrayRef(rhsLoops).drop_back();
  maps.add(lhsLoops);
  maps.add(rhsLoops);
  maps.addLast(types.init, outLoops);
  maps.addLast(types.lhsZeroPoint, rows);
  maps.addLast(types.rhsZeroPoint, columns);
  for (Type type : types.lhsOperands)
    maps.addPrologueOperand(type, lhsLoops, rows);
  for (Type type : types.rhsOperands)
    maps.addPrologueOperand(type, rhsLoops, columns);
  for (Type type : types.epilogueOperands)
    maps.addLast(type, outLoops);
  for (Type type : types.outs)
    maps.addWhole(type, outLoops);
  return maps.finish();
}

/// The last loop; null if `maps` has none.
static DenseI64ArrayAttr defaultDims(ArrayAttr maps) {
  if (!maps || maps.empty())
    return {};
  auto lhs = dyn_cast<AffineMapAttr>(maps[0]);
  if (!lhs || lhs.getValue().getNumDims() == 0)
    return {};
  int64_t last = lhs.getValue().getNumDims() - 1;
  return DenseI64ArrayAttr::get(maps.getContext(), last);
}

/// The sizes of the reduced dimensions of lhs; null where one of them is
/// dynamic or lhs does not have it.
static DenseI64ArrayAttr defaultSizes(Type lhsType, ArrayAttr maps,
                                      DenseI64ArrayAttr dims) {
  std::optional<unsigned> rank = rankOf(lhsType);
  if (!rank || !maps || maps.empty() || !dims)
    return {};
  auto map = dyn_cast<AffineMapAttr>(maps[0]);
  if (!map || map.getValue().getNumResults() != *rank)
    return {};
  SmallVector<int64_t> sizes;
  for (int64_t dim : dims.asArrayRef()) {
    if (dim < 0 || dim >= static_cast<int64_t>(map.getValue().getNumDims()))
      return {};
    std::optional<unsigned> position = map.getValue().getResultPosition(
        getAffineDimExpr(dim, maps.getContext()));
    if (!position || cast<ShapedType>(lhsType).isDynamicDim(*position))
      return {};
    sizes.push_back(cast<ShapedType>(lhsType).getDimSize(*position));
  }
  return DenseI64ArrayAttr::get(maps.getContext(), sizes);
}

ParseResult qcc::kernel::parseWithDefaults(OpAsmParser &parser,
                                           NamedAttrList &attributes,
                                           const ContractTypes &types) {
  SMLoc loc = parser.getCurrentLocation();
  OperationName name(ContractOp::getOperationName(), parser.getContext());
  if (parser.parseOptionalAttrDict(attributes) ||
      failed(ContractOp::verifyInherentAttrs(name, attributes, [&] {
        return parser.emitError(loc) << "'" << name << "' op ";
      })))
    return failure();
  auto missing = [&](StringRef name, StringRef reason) {
    return parser.emitError(loc)
           << "'" << name << "' must be written where " << reason;
  };
  if (!attributes.get(kMaps)) {
    bool isPacked = types.rhsSums || attributes.get(kPacked);
    ArrayAttr maps = defaultMaps(parser.getContext(), types, isPacked);
    if (!maps)
      return missing(kMaps, "the operands are not those of a product of "
                            "matrices lhs [..., m, k], rhs [..., n, k] and "
                            "outs [..., m, n]");
    attributes.append(kMaps, maps);
  }
  auto maps = dyn_cast<ArrayAttr>(attributes.get(kMaps));
  if (!attributes.get(kDims)) {
    DenseI64ArrayAttr dims = defaultDims(maps);
    if (!dims)
      return missing(kDims, "'indexing_maps' has no loops");
    attributes.append(kDims, dims);
  }
  if (!attributes.get(kSizes)) {
    auto dims = dyn_cast<DenseI64ArrayAttr>(attributes.get(kDims));
    DenseI64ArrayAttr sizes = defaultSizes(types.lhs, maps, dims);
    if (!sizes)
      return missing(kSizes, "the type of lhs does not have them");
    attributes.append(kSizes, sizes);
  }
  return success();
}

void qcc::kernel::printWithoutDefaults(OpAsmPrinter &printer,
                                       DictionaryAttr attributes,
                                       const ContractTypes &types) {
  SmallVector<StringRef> elided = {ContractOp::getOperandSegmentSizeAttr()};
  auto maps = attributes.getAs<ArrayAttr>(kMaps);
  auto dims = attributes.getAs<DenseI64ArrayAttr>(kDims);
  auto sizes = attributes.getAs<DenseI64ArrayAttr>(kSizes);
  bool isPacked = types.rhsSums || attributes.contains(kPacked);
  if (maps && maps == defaultMaps(attributes.getContext(), types, isPacked))
    elided.push_back(kMaps);
  if (dims && dims == defaultDims(maps))
    elided.push_back(kDims);
  if (sizes && sizes == defaultSizes(types.lhs, maps, dims))
    elided.push_back(kSizes);
  printer.printOptionalAttrDict(attributes.getValue(), elided);
}
