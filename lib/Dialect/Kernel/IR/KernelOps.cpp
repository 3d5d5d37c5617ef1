//===- KernelOps.cpp - Verifiers and accessors of the kernel ops ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractAssembly.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpImplementation.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::kernel;

static ParseResult
parseContractAttributes(OpAsmParser &parser, NamedAttrList &attributes,
                        Type lhs, Type rhs, Type rhsSums, Type init,
                        Type lhsZeroPoint, Type rhsZeroPoint,
                        TypeRange lhsOperands, TypeRange rhsOperands,
                        TypeRange epilogueOperands, TypeRange outs) {
  return parseWithDefaults(parser, attributes,
                           {lhs, rhs, rhsSums, init, lhsZeroPoint, rhsZeroPoint,
                            lhsOperands, rhsOperands, epilogueOperands, outs});
}

static void printContractAttributes(
    OpAsmPrinter &printer, ContractOp, DictionaryAttr attributes, Type lhs,
    Type rhs, Type rhsSums, Type init, Type lhsZeroPoint, Type rhsZeroPoint,
    TypeRange lhsOperands, TypeRange rhsOperands, TypeRange epilogueOperands,
    TypeRange outs) {
  printWithoutDefaults(printer, attributes,
                       {lhs, rhs, rhsSums, init, lhsZeroPoint, rhsZeroPoint,
                        lhsOperands, rhsOperands, epilogueOperands, outs});
}

#define GET_OP_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOps.cpp.inc"

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

/// The position in `indexing_maps` of the first operand of a segment. Segments
/// are those of the op, `rhs_sums` (the third) having no map.
static unsigned mapPosition(ContractOp op, unsigned segment) {
  unsigned position = 0;
  for (unsigned i = 0; i < segment; ++i)
    if (i != 2)
      position += op.getODSOperandIndexAndLength(i).second;
  return position;
}

static AffineMap mapAt(ContractOp op, unsigned position) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[position]).getValue();
}

static SmallVector<AffineMap> mapsOf(ContractOp op, unsigned segment) {
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
  return mapAt(*this, mapPosition(*this, 3));
}
AffineMap ContractOp::getLhsZeroPointMap() {
  return mapAt(*this, mapPosition(*this, 4));
}
AffineMap ContractOp::getRhsZeroPointMap() {
  return mapAt(*this, mapPosition(*this, 5));
}
SmallVector<AffineMap> ContractOp::getLhsOperandMaps() {
  return mapsOf(*this, 6);
}
SmallVector<AffineMap> ContractOp::getRhsOperandMaps() {
  return mapsOf(*this, 7);
}
SmallVector<AffineMap> ContractOp::getEpilogueMaps() {
  return mapsOf(*this, 8);
}
SmallVector<AffineMap> ContractOp::getOutMaps() { return mapsOf(*this, 9); }

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

/// Static sizes of one dimension must agree, those of reductions with
/// `reduction_sizes`.
static LogicalResult verifyShapes(ContractOp op) {
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  for (auto [dim, size] :
       llvm::zip(op.getReductionDims(), op.getReductionSizes()))
    sizes[dim] = size;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    if (op.isPacked() && (number == 1 || number == 2))
      continue;
    auto type = cast<ShapedType>(operand.get().getType());
    for (auto [size, expr] :
         llvm::zip(type.getShape(), op.getIndexingMap(operand).getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || ShapedType::isDynamic(size))
        continue;
      int64_t &known = sizes[dim.getPosition()];
      if (ShapedType::isDynamic(known))
        known = size;
      if (known != size)
        return op.emitOpError()
               << "dimension " << dim.getPosition() << " has size " << known
               << ", but operand " << number << " has " << size;
    }
  }
  return success();
}

LogicalResult ContractOp::verify() {
  unsigned maps = getNumOperands() - (isPacked() ? 1 : 0);
  if (getIndexingMaps().size() != maps)
    return emitOpError() << "has " << maps << " operands with a map but "
                         << getIndexingMaps().size() << " indexing_maps";
  unsigned loops = getNumLoops();
  if (getReductionDims().size() != getReductionSizes().size() ||
      getReductionDims().empty())
    return emitOpError("must have one of reduction_sizes for each of "
                       "reduction_dims, and at least one");
  for (auto [i, dim] : llvm::enumerate(getReductionDims())) {
    if (dim < 0 || dim >= (int64_t)loops)
      return emitOpError() << "reduction dimension " << dim << " is not one of "
                           << loops << " loops";
    if (llvm::is_contained(getReductionDims().take_front(i), dim))
      return emitOpError() << "has reduction dimension " << dim << " twice";
    if (getReductionSizes()[i] <= 0)
      return emitOpError("reduction sizes must be positive");
  }
  if (getOuts().empty())
    return emitOpError("must have outs");
  if (!haveOneKind(*this))
    return emitOpError("operands must be all tensors or all memrefs");
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (isPacked() && operand.getOperandNumber() == 2)
      continue;
    AffineMap map = getIndexingMap(operand);
    if (map.getNumDims() != loops || map.getNumSymbols() != 0)
      return emitOpError() << "map of operand " << operand.getOperandNumber()
                           << " must have " << loops
                           << " dimensions and no symbols";
    if (!isProjection(map))
      return emitOpError() << "map of operand " << operand.getOperandNumber()
                           << " must be a projected permutation";
    bool isPackedRhs = isPacked() && operand.getOperandNumber() == 1;
    auto type = cast<ShapedType>(operand.get().getType());
    if (!isPackedRhs && (int64_t)map.getNumResults() != type.getRank())
      return emitOpError() << "map of operand " << operand.getOperandNumber()
                           << " has " << map.getNumResults()
                           << " results, the operand rank " << type.getRank();
    bool reads =
        operand.getOperandNumber() == 0 || operand.getOperandNumber() == 1;
    for (int64_t dim : getReductionDims())
      if (!reads && map.isFunctionOfDim(dim) &&
          !llvm::is_contained(getLhsOperands(), operand.get()) &&
          !llvm::is_contained(getRhsOperands(), operand.get()))
        return emitOpError()
               << "map of operand " << operand.getOperandNumber()
               << " must not depend on reduction dimension " << dim;
  }
  for (AffineMap map : getOutMaps())
    for (unsigned dim = 0; dim < loops; ++dim)
      if (!isReduction(dim) && !map.isFunctionOfDim(dim))
        return emitOpError() << "outs must be indexed by dimension " << dim
                             << ", which is not reduced";
  if (failed(verifyShapes(*this)))
    return failure();
  if (failed(getRoles()))
    return emitOpError("must have exactly one dimension that rhs has and lhs "
                       "has not");

  Type i8 = IntegerType::get(getContext(), 8);
  Type i32 = IntegerType::get(getContext(), 32);
  auto elementOf = [](Value v) { return getElementTypeOrSelf(v.getType()); };
  if (getLhsPrologue().empty() ? elementOf(getLhs()) != i8 : false)
    return emitOpError("lhs without a prologue must have element type i8");
  if (!isPacked() && getRhsPrologue().empty() && elementOf(getRhs()) != i8)
    return emitOpError("rhs without a prologue must have element type i8");
  if (isPacked() && elementOf(getRhs()) != i32)
    return emitOpError("packed rhs must have element type i32");
  if (isPacked() && !getRhsPrologue().empty())
    return emitOpError("packed rhs has no prologue: it belongs to kernel.pack");
  for (Value v :
       {getInit(), getLhsZeroPoint(), getRhsZeroPoint(), getRhsSums()})
    if (v && elementOf(v) != i32)
      return emitOpError("init, zero points and sums must have element type "
                         "i32");

  auto types = [&](Type first, OperandRange rest) {
    SmallVector<Type> result{first};
    llvm::append_range(result, elementTypes(rest));
    return result;
  };
  if (!getLhsPrologue().empty() &&
      failed(verifyRegion(*this, getLhsPrologue(), "lhs_prologue",
                          types(elementOf(getLhs()), getLhsOperands()), {i8})))
    return failure();
  if (!getRhsPrologue().empty() &&
      failed(verifyRegion(*this, getRhsPrologue(), "rhs_prologue",
                          types(elementOf(getRhs()), getRhsOperands()), {i8})))
    return failure();
  if (getLhsPrologue().empty() && !getLhsOperands().empty())
    return emitOpError("lhs_ins without lhs_prologue");
  if (getRhsPrologue().empty() && !getRhsOperands().empty())
    return emitOpError("rhs_ins without rhs_prologue");
  if (failed(verifyRegion(*this, getEpilogue(), "epilogue",
                          types(i32, getEpilogueOperands()),
                          elementTypes(getOuts()))))
    return failure();

  if (getEpilogueRanges() &&
      getEpilogueRanges()->size() != 2 * getEpilogueOperands().size())
    return emitOpError(
        "must have two epilogue_ranges for each of epilogue_ins");

  SmallVector<Type> tensors;
  for (Value out : getOuts())
    if (isa<TensorType>(out.getType()))
      tensors.push_back(out.getType());
  if (TypeRange(tensors) != getResultTypes())
    return emitOpError("must have a result of the type of each tensor of outs");
  return success();
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
