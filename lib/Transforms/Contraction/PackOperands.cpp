//===- PackOperands.cpp - Right operands in the layout of their atom ------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TargetPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Dialect/Utils/ConstantAction.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "qcc/Transforms/Contraction/ContractParts.h"
#include "qcc/Transforms/Contraction/LoweringConfigs.h"
#include "qcc/Transforms/Passes.h"
#include "qcc/Transforms/Refusal.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

#define DEBUG_TYPE "pack-operands"

namespace qcc {
#define GEN_PASS_DEF_PACKOPERANDS
#include "qcc/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

ALWAYS_ENABLED_STATISTIC(numConstant, "Right operands packed at compile time");
ALWAYS_ENABLED_STATISTIC(numAtRunTime, "Right operands packed at run time");

//===----------------------------------------------------------------------===//
// Compile-time packing
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a pack: see kernel.pack for what they mean.
struct PackShape {
  SmallVector<int64_t> batch;
  int64_t n;
  SmallVector<int64_t> reduction;
  int64_t nr, kr, kStep;
  /// Added to each element.
  int64_t offset;
  /// The groups of K, each with sums of its own.
  int64_t groups = 1;
  bool hasNibbles = false;
  /// Whether columns have sums: not those of floats.
  bool hasSums = true;
  /// The bytes of an element that is a word of its own.
  int64_t elementBytes = sizeof(float);

  int64_t wordElements() const {
    return !hasNibbles ? kr : kr == 1 ? kStep : 2 * kr;
  }
  int64_t columns() const { return llvm::divideCeil(n, nr); }
  int64_t segmentWords() const {
    return llvm::alignTo(reduction.back(), kStep) / wordElements();
  }
  int64_t words() const {
    int64_t words = segmentWords();
    for (int64_t size : ArrayRef(reduction).drop_back())
      words *= size;
    return words;
  }
};
} // namespace

/// Calls `body` with every index of a space, row-major.
static void forEach(ArrayRef<int64_t> sizes,
                    function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> index(sizes.size(), 0);
  if (llvm::is_contained(sizes, 0))
    return;
  while (true) {
    body(index);
    int64_t d = (int64_t)sizes.size() - 1;
    while (d >= 0 && ++index[d] == sizes[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

/// The distance in elements that each dimension of the map's space moves in a
/// row-major tensor.
static SmallVector<int64_t> strides(AffineMap map, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(map.getNumDims(), 0);
  int64_t stride = 1;
  for (int64_t i = (int64_t)shape.size() - 1; i >= 0; --i) {
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(i)))
      result[dim.getPosition()] += stride;
    stride *= shape[i];
  }
  return result;
}

static void packConstant(ArrayRef<char> source, ArrayRef<int64_t> stride,
                         const PackShape &shape, bool isUnsigned,
                         MutableArrayRef<char> packed,
                         MutableArrayRef<int32_t> sums) {
  int64_t columns = shape.columns(), words = shape.words();
  unsigned numBatch = shape.batch.size();
  assert(stride.size() == numBatch + 1 + shape.reduction.size() &&
         "a stride for each batch, the columns and each dimension of K");
  bool areFloats = shape.kr == 1;
  int64_t elementBytes = areFloats ? shape.elementBytes : 1;
  int64_t wordBytes =
      areFloats && !shape.hasNibbles ? shape.elementBytes : sizeof(int32_t);
  assert(int64_t(packed.size()) == llvm::product_of(shape.batch) * columns *
                                       words * shape.nr * wordBytes &&
         "as many words as tiles hold");
  assert((!shape.hasSums ||
          int64_t(sums.size()) == llvm::product_of(shape.batch) * shape.groups *
                                      columns * shape.nr) &&
         "a sum for each column and group of integers");
  unsigned elementBits = 8 * wordBytes / shape.wordElements();
  // Where an element of a column is, and where it goes.
  struct Move {
    int64_t offset, word;
    unsigned shift;
  };
  std::vector<Move> moves;
  forEach(shape.reduction, [&](ArrayRef<int64_t> index) {
    int64_t offset = 0, segment = shape.reduction.back(), k = moves.size();
    for (auto [i, x] : llvm::enumerate(index))
      offset += x * stride[numBatch + 1 + i];
    int64_t ofWord = k % segment % shape.wordElements();
    int64_t word =
        k / segment * shape.segmentWords() + k % segment / shape.wordElements();
    // Nibbles of a byte of integers are KR elements apart.
    unsigned place = shape.hasNibbles && !areFloats
                         ? 2 * (ofWord % shape.kr) + ofWord / shape.kr
                         : ofWord;
    assert(word < words && "elements of K have their words");
    moves.push_back(
        {offset * elementBytes, word * shape.nr, elementBits * place});
  });
  uint32_t mask = elementBits == 32 ? ~0u : (1u << elementBits) - 1;
  size_t movesOfGroup = moves.size() / shape.groups;
  int64_t b = 0;
  forEach(shape.batch, [&](ArrayRef<int64_t> index) {
    int64_t base = 0;
    for (auto [i, x] : llvm::enumerate(index))
      base += x * stride[i];
    for (int64_t n = 0; n < shape.n; ++n) {
      const char *column =
          source.data() + (base + n * stride[numBatch]) * elementBytes;
      assert(column + moves.back().offset < source.end() &&
             "columns are those of the source");
      char *first = &packed[(((b * columns + n / shape.nr) * words) * shape.nr +
                             n % shape.nr) *
                            wordBytes];
      auto *tile = reinterpret_cast<int32_t *>(first);
      if (areFloats) {
        for (const Move &move : moves)
          if (shape.hasNibbles)
            tile[move.word] |=
                uint32_t((column[move.offset] + shape.offset) & mask)
                << move.shift;
          else
            std::memcpy(first + move.word * wordBytes, column + move.offset,
                        wordBytes);
        continue;
      }
      for (int64_t group = 0; group < shape.groups; ++group) {
        int32_t sum = 0;
        for (const Move &move :
             ArrayRef(moves).slice(group * movesOfGroup, movesOfGroup)) {
          char raw = column[move.offset];
          int32_t element = isUnsigned ? (uint8_t)raw : (int8_t)raw;
          element += shape.offset;
          sum += element;
          tile[move.word] |= ((uint32_t)element & mask) << move.shift;
        }
        if (shape.hasSums)
          sums[((b * shape.groups + group) * columns) * shape.nr + n] = sum;
      }
    }
    ++b;
  });
}

/// Memory of a constant, which is zero.
static AsmResourceBlob allocate(RankedTensorType type) {
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(
      type.getNumElements() * getElementBytes(type.getElementType()), 64);
  llvm::fill(blob.getMutableData(), 0);
  return blob;
}

static MutableArrayRef<int32_t> wordsOf(AsmResourceBlob &blob) {
  MutableArrayRef<char> bytes = blob.getMutableData();
  return {reinterpret_cast<int32_t *>(bytes.data()), bytes.size() / 4};
}

/// Named after the function, too: functions are packed at the same time, in an
/// order of chance.
static Value resourceConstant(OpBuilder &builder, Location loc, StringRef name,
                              RankedTensorType type, AsmResourceBlob blob) {
  auto function =
      builder.getBlock()->getParent()->getParentOfType<func::FuncOp>();
  auto attr = DenseResourceElementsAttr::get(
      type, (function.getName() + "_" + name).str(), std::move(blob));
  return arith::ConstantOp::create(builder, loc, type, attr);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// The right operand of a contraction, about to be packed.
class RhsPacker {
public:
  RhsPacker(RewriterBase &rewriter, kernel::ContractOp op,
            const Packing &packing);

  /// Replaces the contraction by one of the packed operand.
  void pack();

private:
  /// A map of an operand of the contraction, from the loops of kernel.pack:
  /// (batch..., n, k...).
  AffineMap toPack(AffineMap map);
  /// The size of a loop of kernel.pack that is not reduced.
  OpFoldResult sizeOf(unsigned loop);
  void packConstantRhs(ArrayRef<char> bytes);
  /// The prologue of a narrow operand takes back what is added to nibbles.
  void takeBackOffset();
  /// Constants that the prologue of a narrow operand reads get their columns
  /// innermost, as the tiles have.
  void turnPrologueOperands();
  void packAtRunTime();

  RewriterBase &rewriter;
  kernel::ContractOp op;
  Location loc;
  kernel::ContractOp::Roles roles;
  ContractParts parts;
  PackShape shape;
  bool isNarrow; // packed before the prologue
  AffineMap map;
  SmallVector<OpFoldResult> batch;
  OpFoldResult n;
};
} // namespace

RhsPacker::RhsPacker(RewriterBase &rewriter, kernel::ContractOp op,
                     const Packing &packing)
    : rewriter(rewriter), op(op), loc(op.getLoc()), roles(*op.getRoles()),
      parts(ContractParts::of(op)) {
  rewriter.setInsertionPoint(op);
  map = toPack(parts.rhs.map);
  for (unsigned i = 0; i < roles.batch.size(); ++i)
    batch.push_back(sizeOf(i));
  n = sizeOf(roles.batch.size());
  shape.reduction = llvm::to_vector(op.getReductionSizes());
  shape.nr = packing.nr;
  shape.kr = packing.kr;
  shape.kStep = packing.kStep;
  shape.offset = packing.offset;
  shape.hasNibbles = packing.hasNibbles;
  shape.hasSums = packing.hasSums && !op.isOfFloats();
  isNarrow = packing.isNarrow;
  assert((shape.kr == 1 || shape.kr == 2 || shape.kr == 4) && shape.nr > 0 &&
         "a word has 1, 2 or 4 elements, a tile has columns");
  assert(shape.kStep % shape.kr == 0 && "a step along K is whole words");
}

AffineMap RhsPacker::toPack(AffineMap map) {
  MLIRContext *context = op.getContext();
  SmallVector<unsigned> order(roles.batch);
  order.push_back(roles.n);
  for (int64_t d : op.getReductionDims())
    order.push_back(d);
  SmallVector<AffineExpr> replacement(op.getNumLoops(),
                                      getAffineConstantExpr(0, context));
  for (auto [i, d] : llvm::enumerate(order))
    replacement[d] = getAffineDimExpr(i, context);
  return map.replaceDimsAndSymbols(replacement, {}, order.size(), 0);
}

OpFoldResult RhsPacker::sizeOf(unsigned loop) {
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (expr == getAffineDimExpr(loop, op.getContext()))
      return tensor::getMixedSize(rewriter, loc, parts.rhs.value, i);
  llvm_unreachable("dimensions of rhs by the definition of the roles");
}

void RhsPacker::packConstantRhs(ArrayRef<char> bytes) {
  for (OpFoldResult size : batch)
    shape.batch.push_back(*getConstantIntValue(size));
  shape.n = *getConstantIntValue(n);
  auto type = cast<RankedTensorType>(parts.rhs.value.getType());
  SmallVector<int64_t> packedShape(shape.batch), sumsShape(shape.batch);
  if (op.hasGroups())
    sumsShape.push_back(shape.groups = shape.reduction.front());
  packedShape.append({shape.columns(), shape.words(), shape.nr});
  sumsShape.push_back(shape.hasSums ? shape.columns() * shape.nr : 0);
  Type word = op.getAccumulatorType();
  Type element = type.getElementType();
  shape.elementBytes = getElementBytes(element);
  bool hasWords = !isNarrow || shape.hasNibbles;
  auto packedType = RankedTensorType::get(
      packedShape, !hasWords          ? element
                   : shape.hasNibbles ? rewriter.getI32Type()
                                      : word);
  auto sumsType = RankedTensorType::get(sumsShape, word);
  AsmResourceBlob packed = allocate(packedType), sums = allocate(sumsType);
  packConstant(bytes, strides(map, type.getShape()), shape, op.getRhsUnsigned(),
               packed.getMutableData(), wordsOf(sums));
  parts.rhs.value =
      resourceConstant(rewriter, loc, "packed", packedType, std::move(packed));
  if (shape.hasSums)
    parts.rhsSums.value =
        resourceConstant(rewriter, loc, "sums", sumsType, std::move(sums));
}

void RhsPacker::takeBackOffset() {
  if (shape.offset == 0)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  Block &prologue = op.getRhsPrologue().front();
  rewriter.setInsertionPointToStart(&prologue);
  BlockArgument stored = prologue.getArgument(0);
  // In i32: the prologue goes on from there, and a byte costs a conversion.
  Type wide = rewriter.getI32Type();
  Value extended = arith::ExtSIOp::create(rewriter, loc, wide, stored);
  Value offset = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(wide, shape.offset));
  Value difference = arith::SubIOp::create(rewriter, loc, extended, offset);
  Value element =
      arith::TruncIOp::create(rewriter, loc, stored.getType(), difference);
  rewriter.replaceAllUsesExcept(stored, element, extended.getDefiningOp());
}

void RhsPacker::turnPrologueOperands() {
  AffineExpr columns = getAffineDimExpr(roles.n, op.getContext());
  for (MappedOperand &operand : parts.rhsOperands) {
    std::optional<unsigned> position = operand.map.getResultPosition(columns);
    Attribute constant;
    if (!position || *position + 1 == operand.map.getNumResults() ||
        !matchPattern(operand.value, m_Constant(&constant)))
      continue;
    SmallVector<int64_t> order;
    for (unsigned d = 0; d < operand.map.getNumResults(); ++d)
      if (d != *position)
        order.push_back(d);
    order.push_back(*position);
    TypedAttr turned = transposeConstant(constant, order);
    if (!turned)
      continue;
    operand.value = arith::ConstantOp::create(rewriter, loc, turned);
    SmallVector<AffineExpr> indices;
    for (int64_t d : order)
      indices.push_back(operand.map.getResult(d));
    operand.map =
        AffineMap::get(operand.map.getNumDims(), 0, indices, op.getContext());
  }
}

void RhsPacker::packAtRunTime() {
  assert(!shape.hasNibbles && !op.hasGroups() && "only constants have nibbles");
  AffineExpr s = getAffineSymbolExpr(0, op.getContext());
  auto apply = [&](AffineExpr expr) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, {n});
  };
  OpFoldResult columns = apply(s.ceilDiv(shape.nr));
  OpFoldResult padded = apply(s.ceilDiv(shape.nr) * shape.nr);
  SmallVector<OpFoldResult> packedSizes(batch), sumsSizes(batch);
  packedSizes.append({columns, rewriter.getIndexAttr(shape.words()),
                      rewriter.getIndexAttr(shape.nr)});
  sumsSizes.push_back(padded);
  Type word = op.getAccumulatorType();
  Value packed = tensor::EmptyOp::create(rewriter, loc, packedSizes, word);
  Value sums;
  SmallVector<Type> results{packed.getType()};
  if (!op.isOfFloats()) {
    sums = tensor::EmptyOp::create(rewriter, loc, sumsSizes, word);
    results.push_back(sums.getType());
  }
  SmallVector<AffineMap> maps{map};
  SmallVector<Value> ins;
  for (const MappedOperand &operand : parts.rhsOperands) {
    ins.push_back(operand.value);
    maps.push_back(toPack(operand.map));
  }
  auto pack = kernel::PackOp::create(
      rewriter, asPartOfLayer(loc), results, parts.rhs.value, ins, packed, sums,
      rewriter.getAffineMapArrayAttr(maps),
      rewriter.getI64IntegerAttr(roles.batch.size()),
      rewriter.getDenseI64ArrayAttr(shape.reduction),
      rewriter.getDenseI64ArrayAttr({shape.nr, shape.kr}),
      shape.offset ? rewriter.getI64IntegerAttr(shape.offset) : IntegerAttr(),
      shape.kStep != shape.kr ? rewriter.getI64IntegerAttr(shape.kStep)
                              : IntegerAttr(),
      parts.attributes.rhs_unsigned,
      rewriter.getStringAttr(op.getLoweringConfigAttr().getAtomName()));
  pack.getPrologue().takeBody(op.getRhsPrologue());
  if (shape.nr == 1)
    refuse(pack, "each of its columns is packed by itself");
  else if (!pack.getContiguousLoop())
    refuse(pack, "its innermost dimension is neither the columns nor the "
                 "innermost one of K; store it so that one of them is "
                 "contiguous");
  parts.rhs.value = pack.getResult(0);
  if (!op.isOfFloats())
    parts.rhsSums.value = pack.getResult(1);
  parts.rhsOperands.clear();
}

void RhsPacker::pack() {
  auto type = cast<RankedTensorType>(parts.rhs.value.getType());
  Operation *source = parts.rhs.value.getDefiningOp();
  std::optional<ConstantData> data;
  if (type.hasStaticShape() && (isNarrow || op.getRhsPrologue().empty()))
    data = ConstantData::get(parts.rhs.value);
  bool isConstant = data && !data->bytes.empty();
  assert((isConstant || !isNarrow) && "only constants stay narrow");
  ++(isConstant ? numConstant : numAtRunTime);
  LDBG() << "packs the right operand of the contraction at " << loc << " at "
         << (isConstant ? "compile" : "run") << " time, in tiles of "
         << shape.nr << " columns and words of " << shape.kr << " elements";
  if (!shape.hasSums)
    parts.attributes.rhs_packed = rewriter.getUnitAttr();
  auto replace = [&] {
    if (isNarrow) {
      takeBackOffset();
      turnPrologueOperands();
    }
    if (isConstant)
      packConstantRhs(data->bytes);
    else
      packAtRunTime();
    rewriter.setInsertionPoint(op);
    kernel::ContractOp packedOp = parts.createFrom(rewriter, op);
    rewriter.replaceOp(op, packedOp.getResults());
    // So that its data can be freed.
    if (isConstant && source->use_empty())
      rewriter.eraseOp(source);
  };
  if (isConstant)
    makeInAction(op.getContext(), data->bytes.size(), replace);
  else
    replace();
}

namespace {
struct PackOperands : TargetPass<qcc::impl::PackOperandsBase<PackOperands>> {
  using TargetPass::TargetPass;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<kernel::ContractOp> ops;
    getOperation().walk([&](kernel::ContractOp op) { ops.push_back(op); });
    for (kernel::ContractOp op : ops) {
      if (op.isPacked())
        continue;
      if (!op.getLoweringConfig()) {
        op.emitError(
            "has no lowering_config; run select-lowering-config first");
        return signalPassFailure();
      }
      kernel::LoweringConfigAttrInterface config = op.getLoweringConfigAttr();
      if (failed(checkConfig(op, config, *target)))
        return signalPassFailure();
      if (auto packing = target->strategyOf(config)->packing(op, config))
        RhsPacker(rewriter, op, *packing).pack();
    }
  }
};
} // namespace

std::unique_ptr<Pass> qcc::createPackOperands(TargetRef target) {
  return std::make_unique<PackOperands>(std::move(target));
}
