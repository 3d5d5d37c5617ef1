//===- EntryLowering.h - One entry to what the runtime calls ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TRANSFORMS_PROGRAM_ENTRYLOWERING_H
#define QCC_LIB_TRANSFORMS_PROGRAM_ENTRYLOWERING_H

#include "GlobalWeights.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "qcc/Transforms/Program/Program.h"

namespace qcc {

/// Replaces a view that makes several dynamic dimensions of one, which later
/// passes do not take.
void lowerDynamicExpansion(mlir::memref::ExpandShapeOp op);

class EntryLowering {
public:
  EntryLowering(mlir::func::FuncOp entry, mlir::SymbolTable &symbols,
                GlobalWeights &weights)
      : entry(entry), symbols(symbols), weights(weights),
        builder(entry.getContext()), loc(entry.getLoc()),
        pointer(mlir::LLVM::LLVMPointerType::get(entry.getContext())),
        converter(entry.getContext()) {}

  mlir::FailureOr<ProgramEntry> run();

private:
  mlir::LogicalResult collectTensors();
  void beginPlan();
  /// The value of an index of the entry in the plan function.
  mlir::Value inPlan(mlir::Value index);
  /// The size that stands for an index of the entry.
  int64_t sizeOf(mlir::Value index);
  int64_t sizeOf(mlir::OpFoldResult index);
  llvm::SmallVector<int64_t> dimsOf(mlir::Value memref);
  mlir::FailureOr<ProgramOperand> operandOf(mlir::Value memref);
  /// Adds a tensor, whose sizes are in the order of memory, to a step.
  static void addOperand(ProgramStep &step, ProgramOperand operand,
                         bool isWritten);
  mlir::LogicalResult lowerStep(mlir::func::CallOp call);
  mlir::LogicalResult lowerLaunch(kernel::LaunchOp launch);
  /// What the plan function returns: the size of the arena, or which
  /// requirement the dimensions contradict.
  mlir::Value planResult(mlir::Value arena);

  /// The function of the ABI that runs a step.
  struct StepFunction {
    std::string name;
    mlir::Block *body;
    mlir::Value frame;  ///< of type qcc_frame
    mlir::Value values; ///< the values table
  };
  StepFunction beginStepFunction(llvm::StringRef name, mlir::Location callLoc);
  /// A pointer to the scratch memory of the thread.
  mlir::Value scratchOf(const StepFunction &function);
  /// A pointer to an operand of the step.
  mlir::Value dataOf(const StepFunction &function,
                     const ProgramOperand &operand);
  /// Lets what follows run only where the input and the output of the step have
  /// memory of their own.
  void beginUnlessInPlace(const StepFunction &function,
                          const ProgramStep &step);

  // In the function of a step.
  mlir::Value loadField(mlir::Value frame, size_t offset, mlir::Type type);
  mlir::Value element(mlir::Value base, int64_t i, mlir::Type type);
  mlir::Value loadSize(mlir::Value values, int64_t size);
  mlir::Value memrefFor(mlir::MemRefType type, mlir::Value data,
                        mlir::Value values, llvm::ArrayRef<int64_t> dims);

  mlir::func::FuncOp entry;
  mlir::SymbolTable &symbols;
  GlobalWeights &weights;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type pointer;
  mlir::LLVMTypeConverter converter;

  ProgramEntry program;
  llvm::SmallVector<mlir::BlockArgument> destinations;
  mlir::func::FuncOp plan;
  mlir::Value planValues;
  llvm::DenseMap<mlir::Value, mlir::Value>
      planned;                                // entry's index -> plan's index
  llvm::DenseMap<mlir::Value, int64_t> slots; // entry's index -> slot
};

} // namespace qcc

#endif // QCC_LIB_TRANSFORMS_PROGRAM_ENTRYLOWERING_H
