//===- OutlineKernels.cpp - Steps to kernels and launches -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunches.h"
#include "ProgrammaticLaunch.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qcc/Base/KernelLimits.h"
#include "qcc/Target/NVPTX/Passes.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Transforms/LookupTables.h"
#include "qcc/Transforms/Steps/Memrefs.h"
#include "qcc/Transforms/Steps/StepInfo.h"
#include "qcc/Transforms/Steps/Steps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "outline-kernels"

namespace qcc {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "qcc/Target/NVPTX/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using nvptx::KernelWork;
using nvptx::kStepArguments;

ALWAYS_ENABLED_STATISTIC(numKernels, "Kernels made");
ALWAYS_ENABLED_STATISTIC(numLaunches, "Launches of kernels");

/// Bytes of a parameter that is a tensor map.
constexpr int64_t kTensorMapBytes = 128;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether an op says by itself which threads run what.
static bool isForThreads(Operation *op) {
  return isa<scf::ForallOp, nvptx::BlocksOp>(op);
}

/// Whether an op does something that only one thread may do.
static bool isScalarWork(Operation &op) {
  return !isForThreads(&op) && !isMemoryEffectFree(&op) &&
         !hasSingleEffect<MemoryEffects::Read>(&op);
}

/// Lets one thread run what no loop says it of, in a step whose ops touch
/// different memory, if the step has loops.
static void wrapScalarCode(RewriterBase &rewriter, func::FuncOp step) {
  Block &body = step.getBody().front();
  if (!step->hasAttr(kIndependentAttr) ||
      llvm::none_of(body, [](Operation &op) { return isForThreads(&op); }))
    return;
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
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

/// Rejects loops over threads inside of loops and branches.
static LogicalResult verifyIsFlat(func::FuncOp step) {
  WalkResult nested = step.walk([&](Operation *op) {
    Operation *parent = op->getParentOp();
    if (!isForThreads(op) || parent == step)
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
  return failure(nested.wasInterrupted());
}

/// What the threads of a step run; one thread runs it where nothing says more.
static FailureOr<KernelWork> findWork(func::FuncOp step) {
  KernelWork work;
  llvm::append_range(work.loops, step.getOps<scf::ForallOp>());
  llvm::append_range(work.blocks, step.getOps<nvptx::BlocksOp>());
  llvm::append_range(work.maps, step.getOps<nvptx::TensorMapOp>());
  if (failed(verifyIsFlat(step)))
    return failure();
  size_t count = work.loops.size() + work.blocks.size();
  if (count == 0)
    return work;
  work.threads = nvptx::kBlock;
  for (nvptx::BlocksOp blocks : work.blocks) {
    if (blocks.getThreads() != work.blocks.front().getThreads())
      return blocks.emitError(
          "is in one step with blocks of another number of threads; make them "
          "steps of their own");
    work.threads = blocks.getThreads();
    work.sharedBytes =
        std::max<int64_t>(work.sharedBytes, blocks.getSharedBytes());
  }
  for (Operation &op : step.getBody().front().without_terminator())
    if (isScalarWork(op))
      return op.emitError() << "'" << op.getName()
                            << "' is in one step with a loop over threads, "
                               "which all of them would repeat";
  if (count > 1 && !step->hasAttr(kIndependentAttr))
    return step.emitError("has several loops over threads, which may depend on "
                          "each other; make them steps of their own");
  return work;
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
  for (Type type : arguments)
    llvm::append_range(types,
                       nvptx::parameterTypes(type, builder.getContext()));
  return types;
}

/// The arguments of a step, made of the first parameters of its kernel. Returns
/// the others.
static ArrayRef<BlockArgument> mapArguments(OpBuilder &builder,
                                            func::FuncOp step,
                                            func::FuncOp kernel,
                                            IRMapping &mapping) {
  Location loc = step.getLoc();
  LLVMTypeConverter converter(builder.getContext());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  ArrayRef<BlockArgument> parameters = kernel.getArguments();
  for (BlockArgument argument : step.getArguments().drop_back(kStepArguments)) {
    size_t count =
        nvptx::parameterTypes(argument.getType(), builder.getContext()).size();
    assert(count > 0 && count <= parameters.size() &&
           "an argument has parameters of its own");
    ArrayRef<BlockArgument> own = parameters.take_front(count);
    parameters = parameters.drop_front(count);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      mapping.map(argument,
                  argument.getType().isIndex()
                      ? arith::IndexCastOp::create(
                            builder, loc, builder.getIndexType(), own.front())
                      : nvptx::emitLiteral(builder, loc, argument.getType(),
                                           SmallVector<Value>(own)));
      continue;
    }
    Value data =
        LLVM::AddrSpaceCastOp::create(builder, loc, pointer, own.front());
    auto sizeOf = [&](unsigned dim) -> Value {
      if (!type.isDynamicDim(dim))
        return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        type.getDimSize(dim));
      return own[1 + llvm::count_if(type.getShape().take_front(dim),
                                    ShapedType::isDynamic)];
    };
    mapping.map(argument,
                emitMemref(builder, loc, converter, type, data, sizeOf));
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (BlockArgument argument : step.getArguments().take_back(kStepArguments))
    mapping.map(argument, zero);
  return parameters;
}

/// Adds parameters of a kernel for tensor maps: sizes that are not known, which
/// are there for the launch alone, then all maps.
static void addMapTypes(const KernelWork &work, Builder &builder,
                        SmallVectorImpl<Type> &types) {
  for (nvptx::TensorMapOp map : work.maps)
    types.append(llvm::count_if(map.getMixedDims(),
                                [](OpFoldResult dim) {
                                  return !getConstantIntValue(dim);
                                }),
                 builder.getI64Type());
  types.append(work.maps.size(),
               LLVM::LLVMPointerType::get(builder.getContext()));
}

/// Makes the last parameters of a kernel its tensor maps.
static void replaceMaps(RewriterBase &rewriter, func::FuncOp kernel) {
  SmallVector<nvptx::TensorMapOp> maps(kernel.getOps<nvptx::TensorMapOp>());
  unsigned first = kernel.getNumArguments() - maps.size();
  auto bytes = LLVM::LLVMArrayType::get(rewriter.getI8Type(), kTensorMapBytes);
  constexpr int64_t kAlignment = 64;
  for (auto [i, map] : llvm::enumerate(maps)) {
    kernel.setArgAttr(first + i, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
    kernel.setArgAttr(first + i, LLVM::LLVMDialect::getAlignAttrName(),
                      rewriter.getI64IntegerAttr(kAlignment));
    rewriter.replaceOp(map, kernel.getArgument(first + i));
  }
}

/// The number of the block, or of the thread in its block.
template <typename Op>
static Value emitNumber(RewriterBase &rewriter, Location loc) {
  return arith::IndexCastUIOp::create(
      rewriter, loc, rewriter.getIndexType(),
      Op::create(rewriter, loc, rewriter.getI32Type()));
}

/// Gives each iteration of a loop to a thread of the grid, in order; threads
/// behind them do nothing.
static void assignIterations(RewriterBase &rewriter, scf::ForallOp loop,
                             int64_t threads) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value block = arith::ConstantIndexOp::create(rewriter, loc, threads);
  Value first = arith::MulIOp::create(
      rewriter, loc, emitNumber<NVVM::BlockIdXOp>(rewriter, loc), block);
  Value thread = arith::AddIOp::create(
      rewriter, loc, first, emitNumber<NVVM::ThreadIdXOp>(rewriter, loc));
  Value exists =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, thread,
                            loop.getUpperBound(rewriter).front());
  auto branch = scf::IfOp::create(rewriter, loc, exists);
  rewriter.eraseOp(loop.getTerminator());
  rewriter.inlineBlockBefore(loop.getBody(),
                             branch.thenBlock()->getTerminator(), thread);
  rewriter.eraseOp(loop);
}

/// Gives blocks to those of the grid, in order; those behind them do nothing.
static void assignBlocks(RewriterBase &rewriter, nvptx::BlocksOp blocks,
                         LLVM::GlobalOp shared) {
  Location loc = blocks.getLoc();
  rewriter.setInsertionPoint(blocks);
  Value block = emitNumber<NVVM::BlockIdXOp>(rewriter, loc);
  Value exists = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                       block, blocks.getCount());
  auto branch = scf::IfOp::create(rewriter, loc, exists);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  Value thread = emitNumber<NVVM::ThreadIdXOp>(rewriter, loc);
  Value memory = LLVM::AddressOfOp::create(rewriter, loc, shared);
  rewriter.inlineBlockBefore(&blocks.getBody().front(),
                             branch.thenBlock()->getTerminator(),
                             {block, thread, memory});
  rewriter.eraseOp(blocks);
}

/// The shared memory of blocks, whose size is that of the launch. An internal
/// global would shrink to a byte.
static LLVM::GlobalOp createSharedMemory(OpBuilder &builder, Location loc) {
  // A swizzle of 128 bytes repeats after 8 lines.
  constexpr uint64_t kAlignment = 1024;
  return LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, "shared_memory",
      Attribute(), kAlignment,
      static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

/// The kernel of a step, in blocks of `threads`.
static func::FuncOp createKernel(RewriterBase &rewriter, func::FuncOp step,
                                 const KernelWork &work,
                                 LLVM::GlobalOp shared) {
  Location loc = step.getLoc();
  SmallVector<Type> types = parametersOf(
      ArrayRef(step.getArgumentTypes()).drop_back(kStepArguments), rewriter);
  [[maybe_unused]] size_t ofArguments = types.size();
  addMapTypes(work, rewriter, types);
  auto kernel = func::FuncOp::create(rewriter, loc, kernelName(step.getName()),
                                     rewriter.getFunctionType(types, {}));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(kernel.addEntryBlock());
  IRMapping mapping;
  [[maybe_unused]] ArrayRef<BlockArgument> others =
      mapArguments(rewriter, step, kernel, mapping);
  assert(others.size() == types.size() - ofArguments &&
         "each parameter belongs to an argument or to a tensor map");
  for (Operation &op : step.getBody().front())
    rewriter.clone(op, mapping);
  SmallVector<scf::ForallOp> loops(kernel.getOps<scf::ForallOp>());
  for (scf::ForallOp loop : loops)
    assignIterations(rewriter, loop, work.threads);
  SmallVector<nvptx::BlocksOp> blocks(kernel.getOps<nvptx::BlocksOp>());
  for (nvptx::BlocksOp op : blocks)
    assignBlocks(rewriter, op, shared);
  replaceMaps(rewriter, kernel);
  return kernel;
}

/// Fails where no version of PTX has room for the parameters of a kernel.
static LogicalResult checkParameters(func::FuncOp kernel) {
  constexpr int64_t kParameterBytes = 8; // of an address, or of a number
  constexpr int64_t kMost = mostParameterBytes(kManyParametersVersion);
  int64_t bytes = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    bytes += kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName())
                 ? kTensorMapBytes
                 : kParameterBytes;
  if (bytes <= kMost)
    return success();
  return kernel.emitError("the kernel of this step has ")
         << bytes << " bytes of parameters, but PTX has room for " << kMost
         << "; split the operation into some with fewer operands";
}

/// The calls of a step among `calls`.
static SmallVector<func::CallOp> callsOf(StringRef step,
                                         ArrayRef<func::CallOp> calls) {
  return llvm::to_vector(llvm::make_filter_range(
      calls, [&](func::CallOp call) { return call.getCallee() == step; }));
}

namespace {
struct OutlineKernels : qcc::impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

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
    LLVM::GlobalOp shared;
    // Several calls may be of one step (share-steps).
    llvm::MapVector<func::FuncOp, std::pair<SymbolRefAttr, KernelWork>> known;
    for (auto [i, call] : llvm::enumerate(calls)) {
      auto step = symbols.lookup<func::FuncOp>(call.getCallee());
      auto &[name, work] = known[step];
      if (!name) {
        resolveViewSizes(step);
        wrapScalarCode(rewriter, step);
        FailureOr<KernelWork> found = findWork(step);
        if (failed(found))
          return signalPassFailure();
        work = *found;
        rewriter.clearInsertionPoint();
        if (!shared && !work.blocks.empty()) {
          shared = createSharedMemory(rewriter, module.getLoc());
          kernelSymbols.insert(shared);
        }
        if (programmatic)
          // The calls before this one, of other steps, are gone.
          nvptx::waitForKernels(
              rewriter, step,
              nvptx::findConstants(
                  step,
                  callsOf(call.getCallee(), ArrayRef(calls).drop_front(i))));
        ++numKernels;
        LDBG() << "makes " << step.getName() << " at " << step.getLoc()
               << " a kernel, in blocks of " << work.threads << " threads with "
               << work.sharedBytes << " bytes of shared memory";
        func::FuncOp kernel = createKernel(rewriter, step, work, shared);
        if (failed(checkParameters(kernel)))
          return signalPassFailure();
        name = SymbolRefAttr::get(
            room, SymbolRefAttr::get(kernelSymbols.insert(kernel)));
      }
      ++numLaunches;
      if (failed(nvptx::createLaunch(rewriter, call, step, name, work,
                                     programmatic)))
        return signalPassFailure();
    }
    for (auto &[step, outlined] : known)
      symbols.erase(step);
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
