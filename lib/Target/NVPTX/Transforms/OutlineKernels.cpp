//===- OutlineKernels.cpp - Steps to kernels and launches -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Transforms/Entry/Memrefs.h"
#include "qcc/Transforms/Entry/StepInfo.h"
#include "qcc/Transforms/Entry/Steps.h"
#include "qcc/Transforms/LookupTables.h"
#include "llvm/ADT/StringExtras.h"

namespace qcc {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;

/// Arguments of a step that are no parameters of its kernel: StepArgument.
static constexpr unsigned kStepArguments = 4;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether an op does something that only one thread may do.
static bool isScalarWork(Operation &op) {
  return !isa<scf::ForallOp>(op) && !isMemoryEffectFree(&op) &&
         !hasSingleEffect<MemoryEffects::Read>(&op);
}

/// Lets one thread run what is no loop in a step whose ops touch different
/// memory, if the step has loops.
static void wrapScalarCode(RewriterBase &rewriter, func::FuncOp step) {
  if (!step->hasAttr(kIndependentAttr) || step.getOps<scf::ForallOp>().empty())
    return;
  SmallVector<Operation *> ops;
  for (Operation &op : step.getBody().front().without_terminator())
    if (isScalarWork(op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    OpFoldResult one = rewriter.getIndexAttr(1);
    auto loop = scf::ForallOp::create(rewriter, op->getLoc(), {one},
                                      ValueRange(), std::nullopt);
    rewriter.moveOpBefore(op, loop.getTerminator());
  }
}

/// The loops over threads of a step, none if one thread runs it.
static FailureOr<SmallVector<scf::ForallOp>> threadLoops(func::FuncOp step) {
  SmallVector<scf::ForallOp> loops(step.getOps<scf::ForallOp>());
  WalkResult nested = step.walk([&](scf::ForallOp loop) {
    Operation *parent = loop->getParentOp();
    if (parent == step)
      return WalkResult::advance();
    while (parent->getParentOp() != step)
      parent = parent->getParentOp();
    parent->emitError()
        << "'" << parent->getName()
        << "' is a loop or a branch of the program with work on tensors "
           "inside, which devices do not run; write the work without it, or "
           "compile for a processor of x86";
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();
  if (loops.empty())
    return loops;
  for (Operation &op : step.getBody().front().without_terminator())
    if (isScalarWork(op))
      return op.emitError() << "'" << op.getName()
                            << "' is in one step with a loop over threads, "
                               "which all of them would repeat";
  if (loops.size() > 1 && !step->hasAttr(kIndependentAttr))
    return step.emitError("has several loops over threads, which may depend on "
                          "each other; make them steps of their own");
  return loops;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// A name that PTX accepts.
static std::string kernelName(StringRef step) {
  std::string name;
  for (char c : step)
    name += llvm::isAlnum(c) ? c : '_';
  return llvm::isDigit(name.front()) ? "_" + name : name;
}

static SmallVector<Type> parametersOf(TypeRange arguments, Builder &builder) {
  SmallVector<Type> types;
  for (Type type : arguments) {
    unsigned sizes = 1;
    if (auto memref = dyn_cast<MemRefType>(type)) {
      types.push_back(LLVM::LLVMPointerType::get(
          builder.getContext(),
          static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)));
      sizes = memref.getNumDynamicDims();
    }
    types.append(sizes, builder.getI64Type());
  }
  return types;
}

/// The arguments of a step, made of the parameters of its kernel.
static void mapArguments(OpBuilder &builder, func::FuncOp step,
                         func::FuncOp kernel, IRMapping &mapping) {
  Location loc = step.getLoc();
  LLVMTypeConverter converter(builder.getContext());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  unsigned next = 0;
  for (BlockArgument argument : step.getArguments().drop_back(kStepArguments)) {
    Value parameter = kernel.getArgument(next++);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      mapping.map(argument, arith::IndexCastOp::create(builder, loc,
                                                       builder.getIndexType(),
                                                       parameter));
      continue;
    }
    unsigned first = next;
    next += type.getNumDynamicDims();
    Value data =
        LLVM::AddrSpaceCastOp::create(builder, loc, pointer, parameter);
    auto sizeOf = [&](unsigned dim) -> Value {
      if (!type.isDynamicDim(dim))
        return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        type.getDimSize(dim));
      return kernel.getArgument(first +
                                llvm::count_if(type.getShape().take_front(dim),
                                               ShapedType::isDynamic));
    };
    mapping.map(argument,
                emitMemref(builder, loc, converter, type, data, sizeOf));
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (BlockArgument argument : step.getArguments().take_back(kStepArguments))
    mapping.map(argument, zero);
}

/// Gives each iteration of a loop to a thread of the grid, in order; threads
/// behind them do nothing.
static void assignIterations(RewriterBase &rewriter, scf::ForallOp loop) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Type index = rewriter.getIndexType(), i32 = rewriter.getI32Type();
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(rewriter, loc, index, value);
  };
  Value block = arith::ConstantIndexOp::create(rewriter, loc, nvptx::kBlock);
  Value first = arith::MulIOp::create(
      rewriter, loc, toIndex(NVVM::BlockIdXOp::create(rewriter, loc, i32)),
      block);
  Value thread = arith::AddIOp::create(
      rewriter, loc, first,
      toIndex(NVVM::ThreadIdXOp::create(rewriter, loc, i32)));
  Value exists =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, thread,
                            loop.getUpperBound(rewriter).front());
  auto branch = scf::IfOp::create(rewriter, loc, exists);
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(),
                             branch.thenBlock()->getTerminator(), thread);
  rewriter.eraseOp(loop);
}

/// The kernel of a step.
static func::FuncOp createKernel(RewriterBase &rewriter, func::FuncOp step) {
  Location loc = step.getLoc();
  auto kernel = func::FuncOp::create(
      rewriter, loc, kernelName(step.getName()),
      rewriter.getFunctionType(
          parametersOf(
              ArrayRef(step.getArgumentTypes()).drop_back(kStepArguments),
              rewriter),
          {}));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(kernel.addEntryBlock());
  IRMapping mapping;
  mapArguments(rewriter, step, kernel, mapping);
  for (Operation &op : step.getBody().front())
    rewriter.clone(op, mapping);
  SmallVector<scf::ForallOp> loops(kernel.getOps<scf::ForallOp>());
  for (scf::ForallOp loop : loops)
    assignIterations(rewriter, loop);
  return kernel;
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

/// The number of blocks that have a thread for each iteration of the loop with
/// the most of them, at least one.
static FailureOr<Value> emitGrid(RewriterBase &rewriter, func::CallOp call,
                                 func::FuncOp step,
                                 ArrayRef<scf::ForallOp> loops) {
  Location loc = call.getLoc();
  auto literal = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  EntryIndices indices(rewriter, call, step);
  Value threads = literal(1);
  for (scf::ForallOp loop : loops) {
    OpFoldResult bound = loop.getMixedUpperBound().front();
    FailureOr<Value> size = isa<Value>(bound)
                                ? indices.compute(cast<Value>(bound))
                                : literal(*getConstantIntValue(bound));
    if (failed(size))
      return failure();
    threads = rewriter.createOrFold<arith::MaxUIOp>(loc, threads, *size);
  }
  threads = rewriter.createOrFold<arith::AddIOp>(loc, threads,
                                                 literal(nvptx::kBlock - 1));
  return rewriter.createOrFold<arith::DivUIOp>(loc, threads,
                                               literal(nvptx::kBlock));
}

namespace {
struct LaunchArguments {
  SmallVector<Value> operands;
  SmallVector<int64_t> writes;
  SmallVector<Attribute> values;
};
} // namespace

/// The arguments of a launch: those of the call, each memref with its dynamic
/// sizes behind it.
static LaunchArguments argumentsOf(OpBuilder &builder, func::CallOp call,
                                   DenseI64ArrayAttr writes) {
  LaunchArguments arguments;
  ArrayAttr values = call.getArgAttrsAttr();
  auto add = [&](Value operand, Attribute value) {
    arguments.operands.push_back(operand);
    arguments.values.push_back(value ? value : builder.getDictionaryAttr({}));
  };
  for (auto [i, operand] :
       llvm::enumerate(call.getOperands().drop_back(kStepArguments))) {
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

/// Replaces the call of a step by the launch of a kernel.
static LogicalResult createLaunch(RewriterBase &rewriter, func::CallOp call,
                                  func::FuncOp step, SymbolRefAttr kernel,
                                  ArrayRef<scf::ForallOp> loops) {
  rewriter.setInsertionPoint(call);
  FailureOr<Value> grid = emitGrid(rewriter, call, step, loops);
  if (failed(grid))
    return failure();
  LaunchArguments arguments = argumentsOf(
      rewriter, call, step->getAttrOfType<DenseI64ArrayAttr>(kWritesAttr));
  unsigned count = call.getNumOperands();
  auto amount = [&](StepArgument which) {
    return call.getOperand(count - static_cast<unsigned>(which));
  };
  kernel::LaunchOp::create(
      rewriter, call.getLoc(), kernel, *grid, loops.empty() ? 1 : nvptx::kBlock,
      /*shared_bytes=*/0, amount(StepArgument::Operations),
      amount(StepArgument::Bytes), arguments.writes, arguments.operands,
      call->getAttrOfType<DictionaryAttr>(kKernelAttr),
      call.getArgAttrsAttr() ? rewriter.getArrayAttr(arguments.values)
                             : ArrayAttr());
  rewriter.eraseOp(call);
  return success();
}

namespace {
struct OutlineKernels : qcc::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    IRRewriter rewriter(&getContext());
    SmallVector<func::CallOp> calls;
    for (auto entry : module.getOps<func::FuncOp>())
      if (!isStep(entry))
        llvm::append_range(calls, entry.getOps<func::CallOp>());
    if (calls.empty())
      return;
    auto kernels = ModuleOp::create(rewriter, module.getLoc(), "kernels");
    StringAttr room = symbols.insert(kernels);
    SymbolTable kernelSymbols(kernels);
    for (func::CallOp call : calls) {
      auto step = symbols.lookup<func::FuncOp>(call.getCallee());
      resolveViewSizes(step);
      wrapScalarCode(rewriter, step);
      FailureOr<SmallVector<scf::ForallOp>> loops = threadLoops(step);
      if (failed(loops))
        return signalPassFailure();
      rewriter.clearInsertionPoint();
      func::FuncOp kernel = createKernel(rewriter, step);
      auto name = SymbolRefAttr::get(
          room, SymbolRefAttr::get(kernelSymbols.insert(kernel)));
      if (failed(createLaunch(rewriter, call, step, name, *loops)))
        return signalPassFailure();
      symbols.erase(step);
    }
    lowerLookups(kernels);
    widenConversionsToBits(rewriter, kernels);
  }

private:
  static void lowerLookups(ModuleOp kernels) {
    LookupTables tables(kernels);
    kernels.walk([&](kernel::LookupOp op) {
      OpBuilder builder(op);
      Location loc = op.getLoc();
      auto type = dyn_cast<VectorType>(op.getType());
      SmallVector<Value> elements;
      for (int64_t i = 0; type && i < type.getNumElements(); ++i) {
        Value byte = vector::ExtractOp::create(builder, loc, op.getByte(), i);
        auto lane =
            kernel::LookupOp::create(builder, loc, byte, op.getTableAttr());
        elements.push_back(tables.load(builder, lane));
        lane.erase();
      }
      op.replaceAllUsesWith(
          type ? vector::FromElementsOp::create(builder, loc, type, elements)
                     .getResult()
               : tables.load(builder, op));
      op.erase();
    });
  }

  /// LLVM 22.1.8 converts a float to one bit by asking whether the float is 0.
  static void widenConversionsToBits(RewriterBase &rewriter, ModuleOp kernels) {
    kernels.walk([&](Operation *op) {
      if (!isa<arith::FPToUIOp, arith::FPToSIOp>(op) ||
          !getElementTypeOrSelf(op->getResult(0)).isInteger(1))
        return;
      rewriter.setInsertionPointAfter(op);
      Value bit = op->getResult(0);
      auto narrow =
          arith::TruncIOp::create(rewriter, op->getLoc(), bit.getType(), bit);
      bit.replaceAllUsesExcept(narrow, narrow);
      Type word = rewriter.getI32Type();
      if (auto vector = dyn_cast<VectorType>(bit.getType()))
        word = vector.clone(word);
      bit.setType(word);
    });
  }
};
} // namespace
