//===- KernelOps.cpp - Verifiers and accessors of the kernel ops ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpImplementation.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::kernel;

#define GET_OP_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOps.cpp.inc"

std::optional<SmallVector<int64_t>> qcc::kernel::windowFactors(AffineExpr expr,
                                                               unsigned loops) {
  // Coefficients of the dimensions, of quotients and remainders, a constant.
  SmallVector<int64_t> factors;
  if (failed(getFlattenedAffineExpr(expr, loops, /*numSymbols=*/0, &factors)) ||
      factors.size() != loops + 1 || factors.pop_back_val() != 0 ||
      llvm::any_of(factors, [](int64_t factor) { return factor < 0; }))
    return std::nullopt;
  return factors;
}

bool qcc::kernel::isWindow(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    auto factors = windowFactors(expr, map.getNumDims());
    if (!factors)
      return false;
    for (auto [dim, factor] : llvm::enumerate(*factors)) {
      if (factor == 0)
        continue;
      if (seen.test(dim))
        return false;
      seen.set(dim);
    }
    return true;
  });
}

bool qcc::kernel::isProjection(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      bool isNew = !seen.test(dim.getPosition());
      seen.set(dim.getPosition());
      return isNew;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() == 0;
  });
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Reads of memref inputs and writes of memref outs; tensors have no effects.
static void
addEffects(DestinationStyleOpInterface op,
           SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

void ContractOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

/// The segments of operands, as the op has them.
enum Segment : unsigned {
  Lhs,
  Rhs,
  RhsSums, // has no map
  Init,
  LhsZeroPoint,
  RhsZeroPoint,
  LhsOperands,
  RhsOperands,
  EpilogueOperands,
  Outs
};

/// The position in `indexing_maps` of the first operand of a segment.
static unsigned mapPosition(ContractOp op, Segment segment) {
  unsigned position = 0;
  for (unsigned i = 0; i < segment; ++i)
    if (i != RhsSums)
      position += op.getODSOperandIndexAndLength(i).second;
  return position;
}

static AffineMap mapAt(ContractOp op, unsigned position) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[position]).getValue();
}

static SmallVector<AffineMap> mapsOf(ContractOp op, Segment segment) {
  SmallVector<AffineMap> maps;
  unsigned first = mapPosition(op, segment);
  for (unsigned i = 0, e = op.getODSOperandIndexAndLength(segment).second;
       i < e; ++i)
    maps.push_back(mapAt(op, first + i));
  return maps;
}

AffineMap ContractOp::getLhsMap() { return mapAt(*this, 0); }
AffineMap ContractOp::getRhsMap() { return mapAt(*this, 1); }
AffineMap ContractOp::getInitMap() {
  return mapAt(*this, mapPosition(*this, Init));
}
AffineMap ContractOp::getLhsZeroPointMap() {
  return mapAt(*this, mapPosition(*this, LhsZeroPoint));
}
AffineMap ContractOp::getRhsZeroPointMap() {
  return mapAt(*this, mapPosition(*this, RhsZeroPoint));
}
SmallVector<AffineMap> ContractOp::getLhsOperandMaps() {
  return mapsOf(*this, LhsOperands);
}
SmallVector<AffineMap> ContractOp::getRhsOperandMaps() {
  return mapsOf(*this, RhsOperands);
}
SmallVector<AffineMap> ContractOp::getEpilogueMaps() {
  return mapsOf(*this, EpilogueOperands);
}
SmallVector<AffineMap> ContractOp::getOutMaps() { return mapsOf(*this, Outs); }

AffineMap ContractOp::getIndexingMap(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  unsigned sums = isPacked() ? 1 : 0;
  assert((!isPacked() || number != 2) && "rhs_sums has no map");
  return mapAt(*this, number < 2 ? number : number - sums);
}

int64_t ContractOp::getReductionSize() { return product(getReductionSizes()); }

FailureOr<ContractOp::Roles> ContractOp::getRoles() {
  Roles roles;
  AffineMap lhs = getLhsMap(), rhs = getRhsMap();
  std::optional<unsigned> n;
  SmallVector<unsigned> rest;
  for (unsigned d = 0, e = getNumLoops(); d < e; ++d) {
    if (isReduction(d))
      continue;
    if (rhs.isFunctionOfDim(d) && !lhs.isFunctionOfDim(d)) {
      if (n)
        return failure();
      n = d;
      continue;
    }
    rest.push_back(d);
  }
  if (!n)
    return failure();
  roles.n = *n;
  for (unsigned d : llvm::reverse(rest))
    if (!rhs.isFunctionOfDim(d)) {
      roles.m = d;
      break;
    }
  for (unsigned d : rest) {
    if (roles.m == d)
      continue;
    roles.outer.push_back(d);
    if (rhs.isFunctionOfDim(d))
      roles.batch.push_back(d);
  }
  return roles;
}

/// The loop that indexes the dimension of lhs before that of `loop`, leaving
/// out unit dimensions.
static std::optional<unsigned> loopBefore(ContractOp op, unsigned loop) {
  AffineMap map = op.getLhsMap();
  auto position =
      map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  if (!position)
    return std::nullopt;
  for (unsigned i = *position; i-- > 0;) {
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(i)))
      return dim.getPosition();
    if (!isa<AffineConstantExpr>(map.getResult(i)))
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::pair<unsigned, unsigned>>
ContractOp::getRowDims(OpOperand &operand, ArrayRef<unsigned> rows) {
  AffineMap map = getIndexingMap(operand);
  auto dimOf = [&](unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, getContext()));
  };
  auto first = dimOf(rows.front()), last = dimOf(rows.back());
  if (!first || !last)
    return std::nullopt;
  return std::make_pair(*first, *last);
}

/// Whether dimensions `first` to `last` of an operand are one in memory.
static bool isOneInMemory(ShapedType type, unsigned first, unsigned last) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || first == last)
    return true;
  SmallVector<ReassociationIndices> groups;
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (d > first && d <= last)
      groups.back().push_back(d);
    else
      groups.push_back({d});
  return memref::CollapseShapeOp::isGuaranteedCollapsible(memref, groups);
}

/// Whether `rows` index dimensions of the operand that follow each other and
/// are one in memory, or none of them is there.
static bool areSideBySide(ContractOp op, OpOperand &operand,
                          ArrayRef<unsigned> rows) {
  AffineMap map = op.getIndexingMap(operand);
  if (llvm::none_of(rows, [&](unsigned d) { return map.isFunctionOfDim(d); }))
    return true;
  auto dims = op.getRowDims(operand, rows);
  auto type = cast<ShapedType>(operand.get().getType());
  if (!dims || dims->first > dims->second ||
      !isOneInMemory(type, dims->first, dims->second))
    return false;
  size_t next = 0;
  for (unsigned i = dims->first; i <= dims->second; ++i) {
    AffineExpr expr = map.getResult(i);
    if (next < rows.size() &&
        expr == getAffineDimExpr(rows[next], op.getContext()))
      ++next;
    else if (!isa<AffineConstantExpr>(expr) || type.getDimSize(i) != 1)
      return false;
  }
  return next == rows.size();
}

SmallVector<unsigned> ContractOp::getRows() {
  Roles roles = *getRoles();
  if (!roles.m)
    return {};
  SmallVector<unsigned> rows{*roles.m};
  while (auto before = loopBefore(*this, rows.front())) {
    if (!llvm::is_contained(roles.outer, *before) ||
        llvm::is_contained(roles.batch, *before))
      break;
    SmallVector<unsigned> longer{*before};
    llvm::append_range(longer, rows);
    if (!llvm::all_of(getOperation()->getOpOperands(), [&](OpOperand &operand) {
          bool isPackedRhs = isPacked() && (operand.getOperandNumber() == 1 ||
                                            operand.getOperandNumber() == 2);
          return isPackedRhs || areSideBySide(*this, operand, longer);
        }))
      break;
    rows = std::move(longer);
  }
  return rows;
}

/// Checks the arguments and the yield of a region: `types` the arguments,
/// `results` the yielded types.
static LogicalResult verifyRegion(Operation *op, Region &region, StringRef name,
                                  ArrayRef<Type> types,
                                  ArrayRef<Type> results) {
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(types))
    return op->emitOpError()
           << "arguments of the " << name << " must be " << TypeRange(types)
           << ", got " << block.getArgumentTypes();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError() << name << " must end with kernel.yield";
  if (yield.getValues().getTypes() != TypeRange(results))
    return op->emitOpError() << name << " must yield " << TypeRange(results)
                             << ", got " << yield.getValues().getTypes();
  return success();
}

static SmallVector<Type> elementTypes(ValueRange values) {
  return llvm::map_to_vector(
      values, [](Value v) { return getElementTypeOrSelf(v.getType()); });
}

/// Lowerings see an op before or after bufferization, never in between.
static bool haveOneKind(Operation *op) {
  bool tensors = isa<TensorType>(op->getOperand(0).getType());
  return llvm::all_of(op->getOperandTypes(), [&](Type type) {
    return isa<TensorType>(type) == tensors;
  });
}

/// Calls `visit` for each dimension of an operand that is indexed by one loop
/// alone, with the operand's number, the loop and the size, until it returns
/// false; returns whether it never did.
static bool
forEachLoopSize(ContractOp op,
                function_ref<bool(unsigned, unsigned, int64_t)> visit) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (op.isPacked() && (number == 1 || number == 2))
      continue;
    auto type = cast<ShapedType>(operand.get().getType());
    for (auto [size, expr] :
         llvm::zip(type.getShape(), op.getIndexingMap(operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!visit(number, dim.getPosition(), size))
          return false;
  }
  return true;
}

SmallVector<int64_t> ContractOp::getStaticLoopSizes() {
  SmallVector<int64_t> sizes(getNumLoops(), ShapedType::kDynamic);
  for (auto [dim, size] : llvm::zip(getReductionDims(), getReductionSizes()))
    sizes[dim] = size;
  forEachLoopSize(*this, [&](unsigned, unsigned loop, int64_t size) {
    if (ShapedType::isDynamic(sizes[loop]))
      sizes[loop] = size;
    return true;
  });
  return sizes;
}

/// Each reduction dimension is a loop with a size.
static LogicalResult verifyReductions(ContractOp op) {
  ArrayRef<int64_t> dims = op.getReductionDims();
  unsigned loops = op.getNumLoops();
  if (dims.size() != op.getReductionSizes().size() || dims.empty())
    return op.emitOpError("must have one of reduction_sizes for each of "
                          "reduction_dims, and at least one");
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= (int64_t)loops)
      return op.emitOpError() << "reduction dimension " << dim
                              << " is not one of " << loops << " loops";
    if (llvm::is_contained(dims.take_front(i), dim))
      return op.emitOpError() << "has reduction dimension " << dim << " twice";
    if (op.getReductionSizes()[i] <= 0)
      return op.emitOpError("reduction sizes must be positive");
  }
  return success();
}

/// Whether an operand is read in each iteration of a reduction.
static bool isReadAlongReductions(ContractOp op, OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  auto isIn = [&](Segment segment) {
    auto [first, size] = op.getODSOperandIndexAndLength(segment);
    return number >= first && number < first + size;
  };
  return isIn(Lhs) || isIn(Rhs) || isIn(LhsOperands) || isIn(RhsOperands);
}

static LogicalResult verifyMap(ContractOp op, OpOperand &operand) {
  unsigned loops = op.getNumLoops(), number = operand.getOperandNumber();
  AffineMap map = op.getIndexingMap(operand);
  auto error = [&] {
    return op.emitOpError() << "map of operand " << number << " ";
  };
  if (map.getNumDims() != loops || map.getNumSymbols() != 0)
    return error() << "must have " << loops << " dimensions and no symbols";
  if (number == 0 && !isWindow(map))
    return error() << "must index each dimension by a sum of different "
                      "dimensions times positive constants";
  if (number != 0 && !isProjection(map))
    return error() << "must be a projected permutation";
  bool isPackedRhs = op.isPacked() && number == 1;
  auto type = cast<ShapedType>(operand.get().getType());
  if (!isPackedRhs && (int64_t)map.getNumResults() != type.getRank())
    return error() << "has " << map.getNumResults()
                   << " results, the operand rank " << type.getRank();
  if (isReadAlongReductions(op, operand))
    return success();
  for (int64_t dim : op.getReductionDims())
    if (map.isFunctionOfDim(dim))
      return error() << "must not depend on reduction dimension " << dim;
  return success();
}

/// There is a map of the right form for each operand but rhs_sums, and results
/// have every parallel dimension.
static LogicalResult verifyMaps(ContractOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool isSums = op.isPacked() && operand.getOperandNumber() == 2;
    if (!isSums && failed(verifyMap(op, operand)))
      return failure();
  }
  for (AffineMap map : op.getOutMaps())
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (!op.isReduction(dim) && !map.isFunctionOfDim(dim))
        return op.emitOpError() << "outs must be indexed by dimension " << dim
                                << ", which is not reduced";
  return success();
}

/// Windows of the left operand lie inside of it, as far as sizes are static.
static LogicalResult verifyWindows(ContractOp op, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(op.getLhs().getType());
  for (auto [i, expr] : llvm::enumerate(op.getLhsMap().getResults())) {
    int64_t greatest = 0;
    bool isKnown = !isa<AffineDimExpr>(expr) && !type.isDynamicDim(i);
    for (auto [size, factor] :
         llvm::zip(sizes, *windowFactors(expr, sizes.size()))) {
      if (factor == 0)
        continue;
      // Without iterations nothing is read.
      int64_t last = size - 1, term;
      isKnown &= !ShapedType::isDynamic(size) && size != 0 &&
                 !llvm::MulOverflow(last, factor, term) &&
                 !llvm::AddOverflow(greatest, term, greatest);
    }
    if (isKnown && greatest >= type.getDimSize(i))
      return op.emitOpError()
             << "reads lhs at index " << greatest << " of dimension " << i
             << ", which has size " << type.getDimSize(i);
  }
  return success();
}

/// Static sizes of one dimension must agree, those of reductions with
/// `reduction_sizes`.
static LogicalResult verifyShapes(ContractOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopSizes();
  LogicalResult result = success();
  forEachLoopSize(op, [&](unsigned number, unsigned loop, int64_t size) {
    if (ShapedType::isDynamic(size) || size == sizes[loop])
      return true;
    result = op.emitOpError()
             << "dimension " << loop << " has size " << sizes[loop]
             << ", but operand " << number << " has " << size;
    return false;
  });
  return failed(result) ? result : verifyWindows(op, sizes);
}

static LogicalResult verifyElementTypes(ContractOp op) {
  auto isElement = [](Value v, unsigned bits) {
    return getElementTypeOrSelf(v.getType()).isSignlessInteger(bits);
  };
  if (op.getLhsPrologue().empty() && !isElement(op.getLhs(), 8))
    return op.emitOpError("lhs without a prologue must have element type i8");
  if (!op.isPacked() && op.getRhsPrologue().empty() &&
      !isElement(op.getRhs(), 8))
    return op.emitOpError("rhs without a prologue must have element type i8");
  if (op.isPacked() && !isElement(op.getRhs(), 32))
    return op.emitOpError("packed rhs must have element type i32");
  for (Value v : {op.getInit(), op.getLhsZeroPoint(), op.getRhsZeroPoint(),
                  op.getRhsSums()})
    if (v && !isElement(v, 32))
      return op.emitOpError(
          "init, zero points and sums must have element type i32");
  return success();
}

/// Prologues yield an i8 for an element and their operands, the epilogue what
/// outs hold.
static LogicalResult verifyBodies(ContractOp op) {
  if (op.isPacked() && !op.getRhsPrologue().empty())
    return op.emitOpError(
        "packed rhs has no prologue: it belongs to kernel.pack");
  if (op.getLhsPrologue().empty() && !op.getLhsOperands().empty())
    return op.emitOpError("lhs_ins without lhs_prologue");
  if (op.getRhsPrologue().empty() && !op.getRhsOperands().empty())
    return op.emitOpError("rhs_ins without rhs_prologue");
  Type i8 = IntegerType::get(op.getContext(), 8);
  Type i32 = IntegerType::get(op.getContext(), 32);
  auto verify = [&](Region &region, StringRef name, Type first,
                    OperandRange rest, ArrayRef<Type> results) {
    SmallVector<Type> types{first};
    llvm::append_range(types, elementTypes(rest));
    return region.empty() ? success()
                          : verifyRegion(op, region, name, types, results);
  };
  auto elementOf = [](Value v) { return getElementTypeOrSelf(v.getType()); };
  return success(
      succeeded(verify(op.getLhsPrologue(), "lhs_prologue",
                       elementOf(op.getLhs()), op.getLhsOperands(), {i8})) &&
      succeeded(verify(op.getRhsPrologue(), "rhs_prologue",
                       elementOf(op.getRhs()), op.getRhsOperands(), {i8})) &&
      succeeded(verify(op.getEpilogue(), "epilogue", i32,
                       op.getEpilogueOperands(), elementTypes(op.getOuts()))));
}

static LogicalResult verifyResults(ContractOp op) {
  SmallVector<Type> tensors;
  for (Value out : op.getOuts())
    if (isa<TensorType>(out.getType()))
      tensors.push_back(out.getType());
  if (TypeRange(tensors) != op.getResultTypes())
    return op.emitOpError(
        "must have a result of the type of each tensor of outs");
  return success();
}

LogicalResult ContractOp::verify() {
  unsigned maps = getNumOperands() - (isPacked() ? 1 : 0);
  if (getIndexingMaps().size() != maps)
    return emitOpError() << "has " << maps << " operands with a map but "
                         << getIndexingMaps().size() << " indexing_maps";
  if (failed(verifyReductions(*this)))
    return failure();
  if (getOuts().empty())
    return emitOpError("must have outs");
  if (!haveOneKind(*this))
    return emitOpError("operands must be all tensors or all memrefs");
  if (failed(verifyMaps(*this)) || failed(verifyShapes(*this)))
    return failure();
  if (failed(getRoles()))
    return emitOpError("must have exactly one dimension that rhs has and lhs "
                       "has not");
  if (failed(verifyElementTypes(*this)) || failed(verifyBodies(*this)))
    return failure();
  if (getEpilogueRanges() &&
      getEpilogueRanges()->size() != 2 * getEpilogueOperands().size())
    return emitOpError(
        "must have two epilogue_ranges for each of epilogue_ins");
  return verifyResults(*this);
}

//===----------------------------------------------------------------------===//
// PackOp
//===----------------------------------------------------------------------===//

void PackOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

MutableOperandRange PackOp::getDpsInitsMutable() {
  return MutableOperandRange(getOperation(), 1 + getIns().size(), 2);
}

int64_t PackOp::getReductionSize() { return product(getReductionSizes()); }

int64_t PackOp::getWords() {
  return llvm::alignTo(getReductionSize(), getKStep().value_or(getKR())) /
         getKR();
}

std::optional<unsigned> PackOp::getContiguousLoop() {
  AffineMap map = cast<AffineMapAttr>(getIndexingMaps()[0]).getValue();
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  unsigned column = getNumBatch();
  if (last &&
      (last.getPosition() == column ||
       (last.getPosition() == column + 1 && getReductionSizes().size() == 1)))
    return last.getPosition();
  return std::nullopt;
}

LogicalResult PackOp::verify() {
  if (getIndexingMaps().size() != 1 + getIns().size())
    return emitOpError("must have an indexing map for source and for each of "
                       "ins");
  if (llvm::any_of(getReductionSizes(), [](int64_t size) { return size <= 0; }))
    return emitOpError("reduction sizes must be positive");
  unsigned loops = getNumBatch() + 1 + getReductionSizes().size();
  if (!haveOneKind(*this))
    return emitOpError("operands must be all tensors or all memrefs");
  for (auto [attr, operand] :
       llvm::zip(getIndexingMaps(), getOperation()->getOperands())) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != loops ||
        map.getNumResults() != cast<ShapedType>(operand.getType()).getRank())
      return emitOpError() << "map " << AffineMapAttr::get(map) << " must have "
                           << loops
                           << " dimensions and a result for each dimension of "
                              "its operand";
    if (!isProjection(map))
      return emitOpError() << "map " << AffineMapAttr::get(map)
                           << " must be a projected permutation";
  }
  if (!cast<AffineMapAttr>(getIndexingMaps()[0])
           .getValue()
           .isFunctionOfDim(getNumBatch()))
    return emitOpError("source must be indexed by the column dimension");
  if (getTile().size() != 2 || getNR() <= 0 ||
      (getKR() != 1 && getKR() != 2 && getKR() != 4))
    return emitOpError("tile must be [NR, KR] with KR 1, 2 or 4");
  if (getKStep() && (*getKStep() <= 0 || *getKStep() % getKR() != 0))
    return emitOpError("k_step must be a multiple of KR");
  Type i8 = IntegerType::get(getContext(), 8);
  Type element = getElementTypeOrSelf(getSource().getType());
  if (getPrologue().empty()) {
    if (element != i8 || !getIns().empty())
      return emitOpError("without a prologue the source must be i8 and ins "
                         "empty");
  } else {
    SmallVector<Type> types{element};
    llvm::append_range(types, elementTypes(getIns()));
    if (failed(verifyRegion(*this, getPrologue(), "prologue", types, {i8})))
      return failure();
  }
  auto packed = cast<ShapedType>(getPacked().getType());
  auto sums = cast<ShapedType>(getSums().getType());
  if (!packed.getElementType().isInteger(32) ||
      !sums.getElementType().isInteger(32) ||
      packed.getRank() != (int64_t)getNumBatch() + 3 ||
      sums.getRank() != (int64_t)getNumBatch() + 1)
    return emitOpError("packed and sums must be i32 of rank num_batch + 3 and "
                       "num_batch + 1");
  int64_t words = getWords();
  if (packed.getShape()[getNumBatch() + 1] != words ||
      packed.getShape()[getNumBatch() + 2] != getNR())
    return emitOpError() << "packed must end in x" << words << "x" << getNR();
  return success();
}
