//===- KernelDialect.cpp - The kernel dialect -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "qcc/Dialect/Kernel/IR/Kernel.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace qcc::kernel;

#include "qcc/Dialect/Kernel/IR/KernelOpsDialect.cpp.inc"

#include "qcc/Dialect/Kernel/IR/KernelEnums.cpp.inc"

#include "qcc/Dialect/Kernel/IR/KernelInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "qcc/Dialect/Kernel/IR/KernelOpsAttrs.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qcc/Dialect/Kernel/IR/KernelOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "qcc/Dialect/Kernel/IR/KernelOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static bool areWidths(ArrayRef<int64_t> widths) {
  return widths.size() % 2 == 0 &&
         llvm::all_of(widths, [](int64_t width) { return width >= 0; });
}

LogicalResult FactsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                DenseI64ArrayAttr rhsRange,
                                DenseF64ArrayAttr epilogueRanges,
                                DenseI64ArrayAttr zeroBorder) {
  if (!rhsRange && !epilogueRanges && !zeroBorder)
    return emitError() << "must have a fact; leave out the attribute";
  if (rhsRange && (rhsRange.size() != 2 || rhsRange[0] > rhsRange[1]))
    return emitError() << "rhs_range must be the least and the greatest "
                          "element of rhs";
  if (epilogueRanges && epilogueRanges.size() % 2 != 0)
    return emitError() << "epilogue_ranges must have two elements for each "
                          "operand";
  if (zeroBorder && !areWidths(zeroBorder))
    return emitError() << "zero_border must have two widths, not negative, for "
                          "each dimension";
  return success();
}

LogicalResult PaddingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> widths, int64_t value) {
  if (!areWidths(widths))
    return emitError() << "must have two widths, not negative, for each "
                          "dimension";
  if (!llvm::isInt<8>(value))
    return emitError() << "must have a value from -128 to 127, but has "
                       << value;
  return success();
}

Facts Facts::of(FactsAttr facts) {
  if (!facts)
    return {};
  return {facts.getRhsRange(), facts.getEpilogueRanges(),
          facts.getZeroBorder()};
}

FactsAttr Facts::toAttr(MLIRContext *context) const {
  if (!rhsRange && !epilogueRanges && !zeroBorder)
    return {};
  return FactsAttr::get(context, rhsRange, epilogueRanges, zeroBorder);
}

ParseResult qcc::kernel::parseStrategyName(AsmParser &parser,
                                           std::string &name) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  name = word.str();
  return success();
}

void qcc::kernel::printStrategyName(AsmPrinter &printer, StringRef name) {
  printer << name;
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

namespace {
/// Reads its inputs, overwrites its outs and does not read them.
template <typename OpTy>
struct BufferizationModel
    : public bufferization::DstBufferizableOpInterfaceExternalModel<
          BufferizationModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return cast<DestinationStyleOpInterface>(op).isDpsInput(&operand);
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const bufferization::AnalysisState &) const {
    return cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    SmallVector<Value> operands;
    SmallVector<Value> results;
    rewriter.setInsertionPoint(op);
    auto dps = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<TensorType>(operand.get().getType())) {
        operands.push_back(operand.get());
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand.get(), options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
      if (dps.isDpsInit(&operand))
        results.push_back(*buffer);
    }
    OperationState newState(op->getLoc(), op->getName(), operands, TypeRange(),
                            op->getAttrs());
    for (unsigned i = 0, e = op->getNumRegions(); i < e; ++i)
      newState.addRegion();
    newState.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *newOp = rewriter.create(newState);
    for (auto [from, to] : llvm::zip(op->getRegions(), newOp->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.begin());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void qcc::kernel::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KernelDialect *) {
    ContractOp::attachInterface<BufferizationModel<ContractOp>>(*context);
    PackOp::attachInterface<BufferizationModel<PackOp>>(*context);
    FillBorderOp::attachInterface<BufferizationModel<FillBorderOp>>(*context);
  });
}
