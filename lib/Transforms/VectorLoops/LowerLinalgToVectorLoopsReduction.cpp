//===- LowerLinalgToVectorLoopsReduction.cpp - Float reductions of N8 -----===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 32 lanes of N8 in one of two places. If the inputs are contiguous along
// the only reduction dimension, the lanes are the elements of a vector<32>.
// Else they lie in a buffer of 32 entries, an entry for each of the outputs
// that are computed side by side: element number t of the reduction goes to
// entry t % 32. Of few elements, such as those of a window, the lanes that have
// any are values, and neither buffers nor loops are needed.
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace qcc;

/// Lanes of a reduction (N8).
static constexpr unsigned kLanes = 32;
/// Outputs that one iteration of the forall computes side by side.
static constexpr int64_t kBlock = 256;
/// Outputs of a small body that are computed as one vector have so many bits.
static constexpr unsigned kBitsOfRow = 2048;
static constexpr size_t kSmallBody = 16;
/// Elements of a small body that are combined without a loop, and how many of
/// them leave registers for two vectors of outputs.
static constexpr int64_t kFewElements = 64;
static constexpr int64_t kElementsOfTwo = 16;

namespace {
class FloatReductionEmitter {
public:
  FloatReductionEmitter(LinalgLoops &loops,
                        ArrayRef<FloatReductionOutput> outputs,
                        unsigned vectorBits)
      : loops(loops), rewriter(loops.rewriter), loc(loops.loc),
        outputs(outputs), vectorBits(vectorBits) {
    for (const FloatReductionOutput &output : outputs)
      elements.push_back(output.element);
  }

  void emit() {
    if (isContiguous() && !hasVectorsOfWindows())
      return emitInRegisters();
    emitInBuffers();
  }

private:
  using Point = LinalgLoops::Point;

  /// Whether each input is contiguous along the only reduction dimension, or
  /// does not move.
  bool isContiguous() const {
    if (loops.getReductionDims().size() != 1 || !loops.isBodyMappable() ||
        !loops.isBodySpeculatable())
      return false;
    unsigned dim = loops.getReductionDims().front();
    return llvm::all_of(loops.op.getDpsInputOperands(), [&](OpOperand *input) {
      return loops.getMovement(*input, dim) != LinalgLoops::Movement::Other;
    });
  }

  /// Whether few elements are combined for vectors of outputs whose inputs lie
  /// as the outputs do, such as windows along a line.
  bool hasVectorsOfWindows() const {
    std::optional<InnermostDim> innermost = chooseInnermostDim(loops);
    return hasFewElements() && innermost && innermost->isContiguous &&
           loops.op.getStaticLoopRanges()[innermost->dim] != 1 &&
           llvm::none_of(loops.op.getDpsInputOperands(), [&](OpOperand *input) {
             return loops.isGathered(*input, innermost->dim);
           });
  }

  Value combine(unsigned output, Value a, Value b) {
    return emitCombine(rewriter, loc, outputs[output].combine, a, b,
                       loops.bf16);
  }

  FloatType getType(unsigned output) const {
    return cast<FloatType>(elements[output].getType());
  }

  /// The neutral element as a scalar or splat of `type`.
  Value getNeutral(unsigned output, Type type) {
    TypedAttr neutral =
        getNeutralElement(outputs[output].combine, getType(output));
    if (auto vector = dyn_cast<VectorType>(type))
      neutral = DenseElementsAttr::get(vector, neutral);
    return arith::ConstantOp::create(rewriter, loc, neutral);
  }

  void storeResult(unsigned output, Value total, const Point &point,
                   const Lanes &lanes) {
    OpOperand &init = *loops.op.getDpsInitOperand(outputs[output].number);
    Value initial = loops.spread(loops.load(init, point, lanes), lanes);
    loops.store(combine(output, initial, total), init, point, lanes);
  }

  //===--------------------------------------------------------------------===//
  // Lanes in registers
  //===--------------------------------------------------------------------===//

  void emitInRegisters() {
    Point point;
    loops.openForall({}, point);
    unsigned dim = loops.getReductionDims().front();
    loops.emitInvariants(point, dim);
    // Lanes without elements are neutral from beginning to end.
    int64_t count = loops.op.getStaticLoopRanges()[dim];
    if (!ShapedType::isDynamic(count))
      numLanes =
          std::clamp<uint64_t>(llvm::bit_ceil(uint64_t(count)), 2, kLanes);
    Lanes all{dim, numLanes, Value()};
    bool hasWhole = !ShapedType::isDynamic(count) && count >= numLanes;
    SmallVector<Value> lanes;
    if (hasWhole) {
      // combine(neutral, element) is the element.
      point[dim] = loops.constant(0);
      for (Value value : loops.emitBody(elements, {}, point, all))
        lanes.push_back(loops.spread(value, all));
    } else {
      for (unsigned i = 0; i != outputs.size(); ++i)
        lanes.push_back(
            getNeutral(i, VectorType::get({int64_t(numLanes)}, getType(i))));
    }
    Value size = loops.getSize(dim);
    Value step = loops.constant(numLanes);
    Value tail = rewriter.createOrFold<arith::RemUIOp>(loc, size, step);
    Value whole = rewriter.createOrFold<arith::SubIOp>(loc, size, tail);
    auto loop = scf::ForOp::create(rewriter, loc,
                                   loops.constant(hasWhole ? numLanes : 0),
                                   whole, step, lanes);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      point[dim] = loop.getInductionVar();
      SmallVector<Value> next = fold(point, all, loop.getRegionIterArgs());
      scf::YieldOp::create(rewriter, loc, next);
    }
    lanes = llvm::to_vector_of<Value>(loop.getResults());
    if (getConstantIntValue(tail) != 0)
      lanes = emitTail(point, dim, whole, tail, lanes);
    for (unsigned i = 0; i != outputs.size(); ++i)
      storeResult(i, emitTree(i, lanes[i]), point, Lanes());
  }

  /// combine(lane, element) on all lanes, or on those of the mask.
  SmallVector<Value> fold(const Point &point, const Lanes &lanes,
                          ValueRange accumulators) {
    SmallVector<Value> next;
    for (auto [i, value] :
         llvm::enumerate(loops.emitBody(elements, {}, point, lanes))) {
      Value folded = combine(i, accumulators[i], loops.spread(value, lanes));
      if (lanes.mask)
        folded = arith::SelectOp::create(rewriter, loc, lanes.mask, folded,
                                         accumulators[i]);
      next.push_back(folded);
    }
    return next;
  }

  SmallVector<Value> emitTail(Point &point, unsigned dim, Value start,
                              Value count, ArrayRef<Value> lanes) {
    Value zero = loops.constant(0);
    Value hasTail = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne, count, zero);
    auto branch = scf::IfOp::create(rewriter, loc, ValueRange(lanes).getTypes(),
                                    hasTail, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    auto maskType = VectorType::get({int64_t(numLanes)}, rewriter.getI1Type());
    Value mask = vector::CreateMaskOp::create(rewriter, loc, maskType,
                                              ValueRange(count));
    point[dim] = start;
    SmallVector<Value> next = fold(point, Lanes{dim, numLanes, mask}, lanes);
    scf::YieldOp::create(rewriter, loc, next);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, lanes);
    return llvm::to_vector_of<Value>(branch.getResults());
  }

  Value emitTree(unsigned output, Value lanes) {
    for (int64_t half = numLanes / 2; half > 0; half /= 2) {
      auto slice = [&](int64_t offset) -> Value {
        return vector::ExtractStridedSliceOp::create(
            rewriter, loc, lanes, ArrayRef<int64_t>{offset},
            ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1});
      };
      lanes = combine(output, slice(0), slice(half));
    }
    return vector::ExtractOp::create(rewriter, loc, lanes,
                                     ArrayRef<int64_t>{0});
  }

  //===--------------------------------------------------------------------===//
  // Lanes in buffers
  //===--------------------------------------------------------------------===//

  /// A buffer of 32 scalars or vectors, at the function's entry: a stack slot
  /// for each thread.
  Value createBuffer(Type type) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto func = loops.op->getParentOfType<func::FuncOp>();
    rewriter.setInsertionPointToStart(&func.getBody().front());
    return memref::AllocaOp::create(rewriter, loc,
                                    MemRefType::get({kLanes}, type));
  }

  void emitInBuffers() {
    Point point;
    std::optional<InnermostDim> innermost = chooseInnermostDim(loops);
    if (!innermost) {
      loops.openForall({}, point);
      return emitAt(point, Lanes());
    }
    LinalgLoops::Block block =
        loops.openForall({{innermost->dim, kBlock}}, point).front();
    SmallVector<unsigned> moving(loops.getReductionDims());
    moving.push_back(innermost->dim);
    loops.emitInvariants(point, moving);
    // Rows of an input may be far apart: several lines of a cache are read from
    // each.
    unsigned unroll = !isBodySmall()      ? 1
                      : !hasFewElements() ? kBitsOfRow / vectorBits
                      : countElements() <= kElementsOfTwo ? 2
                                                          : 1;
    Segments segments = chooseSegments(loops, *innermost, vectorBits, unroll);
    loops.emitSegments(block, segments, [&](Value iv, const Lanes &lanes) {
      point[innermost->dim] = iv;
      emitAt(point, lanes);
    });
  }

  bool isBodySmall() const {
    return loops.op.getBlock()->getOperations().size() <= kSmallBody;
  }

  /// The elements of one output; a negative number if that is dynamic.
  int64_t countElements() const {
    int64_t count = 1;
    SmallVector<int64_t> sizes = loops.op.getStaticLoopRanges();
    for (unsigned dim : loops.getReductionDims()) {
      if (ShapedType::isDynamic(sizes[dim]) || count > kFewElements)
        return -1;
      count *= sizes[dim];
    }
    return count;
  }

  bool hasFewElements() const {
    int64_t count = countElements();
    return isBodySmall() && count > 0 && count <= kFewElements;
  }

  /// Emits the outputs at `lanes`, which here are lanes of outputs.
  void emitAt(const Point &point, const Lanes &lanes) {
    if (hasFewElements())
      return emitFewElements(point, lanes);
    SmallVector<Value> buffers;
    for (unsigned i = 0; i != outputs.size(); ++i) {
      Type type = getType(i);
      if (lanes.count > 1)
        type = VectorType::get({int64_t(lanes.count)}, type);
      Value buffer = createBuffer(type);
      emitLoop(loops.constant(kLanes), [&](Value lane) {
        memref::StoreOp::create(rewriter, loc, getNeutral(i, type), buffer,
                                lane);
      });
      buffers.push_back(buffer);
    }
    Value last = loops.constant(kLanes - 1);
    Value one = loops.constant(1);
    loops.emitLoops(
        loops.getReductionDims(), point, loops.constant(0),
        [&](const Point &at, ValueRange number) {
          Value lane =
              arith::AndIOp::create(rewriter, loc, number.front(), last);
          SmallVector<Value> accumulators;
          for (Value buffer : buffers)
            accumulators.push_back(
                memref::LoadOp::create(rewriter, loc, buffer, lane));
          SmallVector<Value> next = fold(at, lanes, accumulators);
          for (auto [buffer, value] : llvm::zip_equal(buffers, next))
            memref::StoreOp::create(rewriter, loc, value, buffer, lane);
          return SmallVector<Value>{
              arith::AddIOp::create(rewriter, loc, number.front(), one)};
        });
    for (unsigned i = 0; i != outputs.size(); ++i) {
      Value buffer = buffers[i];
      for (int64_t half = kLanes / 2; half > 0; half /= 2)
        emitLoop(loops.constant(half), [&](Value lane) {
          Value other =
              arith::AddIOp::create(rewriter, loc, lane, loops.constant(half));
          Value a = memref::LoadOp::create(rewriter, loc, buffer, lane);
          Value b = memref::LoadOp::create(rewriter, loc, buffer, other);
          memref::StoreOp::create(rewriter, loc, combine(i, a, b), buffer,
                                  lane);
        });
      Value total =
          memref::LoadOp::create(rewriter, loc, buffer, loops.constant(0));
      storeResult(i, total, point, lanes);
    }
  }

  /// As emitAt, without loops. Entries without elements are neutral.
  void emitFewElements(const Point &point, const Lanes &lanes) {
    SmallVector<int64_t> sizes = loops.op.getStaticLoopRanges();
    SmallVector<SmallVector<Value>> entries(kLanes);
    for (int64_t number = 0, e = countElements(); number < e; ++number) {
      Point at = point;
      int64_t rest = number;
      for (unsigned dim : llvm::reverse(loops.getReductionDims())) {
        at[dim] = loops.constant(rest % sizes[dim]);
        rest /= sizes[dim];
      }
      SmallVector<Value> &entry = entries[number % kLanes];
      if (!entry.empty()) {
        entry = fold(at, lanes, entry);
        continue;
      }
      // combine(neutral, element) is the element.
      for (Value value : loops.emitBody(elements, {}, at, lanes))
        entry.push_back(loops.spread(value, lanes));
    }
    for (unsigned half = kLanes / 2; half > 0; half /= 2)
      for (unsigned lane = 0; lane < half; ++lane)
        for (auto [i, other] : llvm::enumerate(entries[lane + half]))
          entries[lane][i] = combine(i, entries[lane][i], other);
    for (auto [i, total] : llvm::enumerate(entries.front()))
      storeResult(i, total, point, lanes);
  }

  void emitLoop(Value count, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(rewriter, loc, loops.constant(0), count,
                                   loops.constant(1));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  LinalgLoops &loops;
  RewriterBase &rewriter;
  Location loc;
  ArrayRef<FloatReductionOutput> outputs;
  unsigned vectorBits;
  SmallVector<Value> elements;
  /// Lanes in registers that hold elements.
  unsigned numLanes = kLanes;
};
} // namespace

void qcc::emitFloatReduction(LinalgLoops &loops,
                             ArrayRef<FloatReductionOutput> outputs,
                             unsigned vectorBits) {
  FloatReductionEmitter(loops, outputs, vectorBits).emit();
}
