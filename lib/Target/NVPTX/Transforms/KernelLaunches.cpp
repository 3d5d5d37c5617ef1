//===- KernelLaunches.cpp - Calls of steps to launches --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunches.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Transforms/Steps/Memrefs.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Bits of a literal that a parameter has: sizes of launches are not negative.
constexpr unsigned kLiteralBits = 32;

SmallVector<Type> qcc::nvptx::parameterTypes(Type argument,
                                             MLIRContext *context) {
  SmallVector<Type> types;
  size_t numbers = 1;
  if (auto memref = dyn_cast<MemRefType>(argument)) {
    types.push_back(LLVM::LLVMPointerType::get(
        context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)));
    numbers = memref.getNumDynamicDims();
  } else if (argument.isIntOrFloat()) {
    numbers = llvm::divideCeil(argument.getIntOrFloatBitWidth(), kLiteralBits);
  }
  types.append(numbers, IntegerType::get(context, 64));
  return types;
}

Value qcc::nvptx::emitLiteral(OpBuilder &builder, Location loc, Type type,
                              ValueRange parameters) {
  assert(parameters.size() ==
             llvm::divideCeil(type.getIntOrFloatBitWidth(), kLiteralBits) &&
         "a parameter for each word of the literal");
  Value bits = parameters.front();
  if (parameters.size() > 1) {
    Value amount = arith::ConstantIntOp::create(builder, loc, kLiteralBits, 64);
    Value high = arith::ShLIOp::create(builder, loc, parameters.back(), amount);
    bits = arith::OrIOp::create(builder, loc, bits, high);
  }
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (integer != bits.getType())
    bits = arith::TruncIOp::create(builder, loc, integer, bits);
  return integer == type
             ? bits
             : arith::BitcastOp::create(builder, loc, type, bits).getResult();
}

/// A literal that a call passes, as the parameters that `emitLiteral` takes.
static SmallVector<Value> literalParameters(OpBuilder &builder, Location loc,
                                            Value literal) {
  Attribute value;
  bool isLiteral = matchPattern(literal, m_Constant(&value));
  assert(isLiteral && "share-steps passes literals");
  (void)isLiteral;
  auto real = dyn_cast<FloatAttr>(value);
  APInt bits = real ? real.getValue().bitcastToAPInt()
                    : cast<IntegerAttr>(value).getValue();
  SmallVector<Value> words;
  for (unsigned low = 0; low < bits.getBitWidth(); low += kLiteralBits) {
    unsigned count = std::min(kLiteralBits, bits.getBitWidth() - low);
    words.push_back(arith::ConstantIndexOp::create(
        builder, loc, bits.extractBitsAsZExtValue(count, low)));
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The size of a dimension of a buffer of an entry.
static Value emitDim(OpBuilder &builder, Location loc, Value memref,
                     unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
  if (memref::ViewOp view = viewOf(memref))
    return view.getSizes()[llvm::count_if(
        view.getType().getShape().take_front(dim), ShapedType::isDynamic)];
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  return memref::DimOp::create(builder, loc, memref, dim);
}

namespace {
/// Computes in an entry what a step computes of its arguments.
class EntryIndices {
public:
  EntryIndices(OpBuilder &builder, func::CallOp call, func::FuncOp step)
      : builder(builder), loc(call.getLoc()) {
    mapping.map(step.getArguments(), call.getOperands());
  }

  FailureOr<Value> compute(Value value);

private:
  OpBuilder &builder;
  Location loc;
  IRMapping mapping;
};
} // namespace

FailureOr<Value> EntryIndices::compute(Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *def = value.getDefiningOp();
  auto dim = dyn_cast<memref::DimOp>(def);
  if (dim && dim.getConstantIndex() && isa<BlockArgument>(dim.getSource())) {
    Value size = emitDim(builder, loc, mapping.lookup(dim.getSource()),
                         *dim.getConstantIndex());
    mapping.map(value, size);
    return size;
  }
  if (!isMemoryEffectFree(def) || def->getNumRegions() != 0 || dim)
    return def->emitError()
           << "the number of threads of a step depends on '" << def->getName()
           << "', which is not computed from dimensions of arguments";
  for (Value operand : def->getOperands())
    if (failed(compute(operand)))
      return failure();
  builder.clone(*def, mapping);
  return mapping.lookup(value);
}

/// The number of blocks: as many as there are, and that have a thread for each
/// iteration of the loop with the most of them; at least one where there are
/// such loops, or scalar code. A step whose blocks are none does nothing.
static FailureOr<Value> emitGrid(RewriterBase &rewriter, func::CallOp call,
                                 func::FuncOp step, const KernelWork &work) {
  Location loc = call.getLoc();
  auto literal = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  EntryIndices indices(rewriter, call, step);
  bool hasBlocksOnly = work.loops.empty() && !work.blocks.empty();
  Value threads = literal(hasBlocksOnly ? 0 : 1);
  for (scf::ForallOp loop : work.loops) {
    OpFoldResult bound = loop.getMixedUpperBound().front();
    FailureOr<Value> size = isa<Value>(bound)
                                ? indices.compute(cast<Value>(bound))
                                : literal(*getConstantIntValue(bound));
    if (failed(size))
      return failure();
    threads = rewriter.createOrFold<arith::MaxUIOp>(loc, threads, *size);
  }
  threads = rewriter.createOrFold<arith::AddIOp>(loc, threads,
                                                 literal(work.threads - 1));
  Value grid = rewriter.createOrFold<arith::DivUIOp>(loc, threads,
                                                     literal(work.threads));
  for (nvptx::BlocksOp blocks : work.blocks) {
    FailureOr<Value> count = indices.compute(blocks.getCount());
    if (failed(count))
      return failure();
    grid = rewriter.createOrFold<arith::MaxUIOp>(loc, grid, *count);
  }
  return grid;
}

namespace {
struct LaunchArguments {
  SmallVector<Value> operands;
  SmallVector<int64_t> writes;
  SmallVector<Attribute> values;
  SmallVector<Attribute> maps;
  /// Where the arguments of the call begin among `operands`.
  SmallVector<int64_t> places;
};
} // namespace

/// The arguments of a launch: those of the call, each memref with its dynamic
/// sizes behind it, each literal in words.
static LaunchArguments argumentsOf(OpBuilder &builder, func::CallOp call,
                                   DenseI64ArrayAttr writes) {
  LaunchArguments arguments;
  ArrayAttr values = call.getArgAttrsAttr();
  assert((!values || values.size() == call.getNumOperands()) &&
         "attributes for each operand");
  auto add = [&](Value operand, Attribute value) {
    arguments.operands.push_back(operand);
    arguments.values.push_back(value ? value : builder.getDictionaryAttr({}));
  };
  for (auto [i, operand] :
       llvm::enumerate(call.getOperands().drop_back(kStepArguments))) {
    arguments.places.push_back(arguments.operands.size());
    if (operand.getType().isIntOrFloat()) {
      for (Value word : literalParameters(builder, call.getLoc(), operand))
        add(word, {});
      continue;
    }
    if (llvm::is_contained(writes.asArrayRef(), int64_t(i)))
      arguments.writes.push_back(arguments.operands.size());
    add(operand, values ? values[i] : Attribute());
    auto type = dyn_cast<MemRefType>(operand.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        add(emitDim(builder, call.getLoc(), operand, dim), {});
  }
  return arguments;
}

/// The argument of a step that the source of a map is, or is a part of.
static FailureOr<BlockArgument> argumentOf(TensorMapOp map) {
  Value memref = map.getSource();
  while (Operation *def = memref.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(def);
    if (!view)
      return map.emitError("is of memory that is no argument of the step");
    memref = view.getViewSource();
  }
  return cast<BlockArgument>(memref);
}

/// Adds tensor maps, and sizes that they need as further arguments.
static LogicalResult addMaps(OpBuilder &builder, func::CallOp call,
                             func::FuncOp step, ArrayRef<TensorMapOp> maps,
                             LaunchArguments &arguments) {
  EntryIndices indices(builder, call, step);
  for (TensorMapOp map : maps) {
    FailureOr<BlockArgument> source = argumentOf(map);
    if (failed(source))
      return failure();
    SmallVector<int64_t> dims;
    for (OpFoldResult dim : map.getMixedDims()) {
      if (std::optional<int64_t> known = getConstantIntValue(dim)) {
        dims.push_back(*known);
        continue;
      }
      FailureOr<Value> size = indices.compute(cast<Value>(dim));
      if (failed(size))
        return failure();
      dims.push_back(-1 - int64_t(arguments.operands.size()));
      arguments.operands.push_back(*size);
      arguments.values.push_back(builder.getDictionaryAttr({}));
    }
    arguments.maps.push_back(kernel::TensorMapAttr::get(
        builder.getContext(), arguments.places[source->getArgNumber()],
        map.getByteOffset(), dims, map.getStrides(), map.getBox(),
        map.getSwizzle()));
  }
  return success();
}

LogicalResult qcc::nvptx::createLaunch(RewriterBase &rewriter,
                                       func::CallOp call, func::FuncOp step,
                                       SymbolRefAttr kernel,
                                       const KernelWork &work,
                                       bool programmatic) {
  rewriter.setInsertionPoint(call);
  FailureOr<Value> grid = emitGrid(rewriter, call, step, work);
  if (failed(grid))
    return failure();
  LaunchArguments arguments = argumentsOf(
      rewriter, call, step->getAttrOfType<DenseI64ArrayAttr>(kWritesAttr));
  assert(llvm::all_of(arguments.writes,
                      [&](int64_t number) {
                        return isa<MemRefType>(
                            arguments.operands[number].getType());
                      }) &&
         "kernels write buffers");
  if (failed(addMaps(rewriter, call, step, work.maps, arguments)))
    return failure();
  unsigned count = call.getNumOperands();
  auto amount = [&](StepArgument which) {
    return call.getOperand(count - static_cast<unsigned>(which));
  };
  kernel::LaunchOp::create(
      rewriter, call.getLoc(), kernel, *grid, work.threads, work.sharedBytes,
      programmatic, amount(StepArgument::Operations),
      amount(StepArgument::Bytes), arguments.writes, arguments.operands,
      call->getAttrOfType<DictionaryAttr>(kKernelAttr),
      call.getArgAttrsAttr() ? rewriter.getArrayAttr(arguments.values)
                             : ArrayAttr(),
      arguments.maps.empty() ? ArrayAttr()
                             : rewriter.getArrayAttr(arguments.maps));
  rewriter.eraseOp(call);
  return success();
}
