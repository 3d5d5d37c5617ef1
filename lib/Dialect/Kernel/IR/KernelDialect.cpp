//===- KernelDialect.cpp - The kernel dialect and its attributes ----------===//
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
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qcc::kernel;

#include "qcc/Dialect/Kernel/IR/KernelOpsDialect.cpp.inc"

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
// LoweringConfigAttr:
// <atom = "a", tile = [..], block = [..], lhs = "l", lanes = "n", rhs = "r",
//  source = "s">
//===----------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

Attribute LoweringConfigAttr::parse(AsmParser &parser, Type) {
  StringAttr atom, lhs, lanes, rhs, source;
  SmallVector<int64_t> tile, block;
  auto key = [&](StringRef name) -> ParseResult {
    return failure(parser.parseKeyword(name) || parser.parseEqual());
  };
  if (parser.parseLess() || key("atom") || parser.parseAttribute(atom) ||
      parser.parseComma() || key("tile") || parseIntegers(parser, tile) ||
      parser.parseComma() || key("block") || parseIntegers(parser, block) ||
      parser.parseComma())
    return {};
  auto optional = [&](StringRef name, StringRef absent, StringAttr &value) {
    value = parser.getBuilder().getStringAttr(absent);
    return success(failed(parser.parseOptionalKeyword(name)) ||
                   (succeeded(parser.parseEqual()) &&
                    succeeded(parser.parseAttribute(value)) &&
                    succeeded(parser.parseComma())));
  };
  if (failed(optional("lhs", "panel", lhs)) ||
      failed(optional("lanes", "n", lanes)) ||
      failed(optional("rhs", "packed", rhs)))
    return {};
  if (key("source") || parser.parseAttribute(source) || parser.parseGreater())
    return {};
  return parser.getChecked<LoweringConfigAttr>(parser.getContext(), atom, tile,
                                               block, lhs, lanes, rhs, source);
}

void LoweringConfigAttr::print(AsmPrinter &printer) const {
  printer << "<atom = " << getAtom() << ", tile = [";
  llvm::interleaveComma(getTile(), printer);
  printer << "], block = [";
  llvm::interleaveComma(getBlock(), printer);
  printer << "], lhs = " << getLhs();
  if (getLanes() != "n")
    printer << ", lanes = " << getLanes();
  if (getRhs() != "packed")
    printer << ", rhs = " << getRhs();
  printer << ", source = " << getSource() << ">";
}

LogicalResult LoweringConfigAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, StringAttr atom,
    ArrayRef<int64_t> tile, ArrayRef<int64_t> block, StringAttr lhs,
    StringAttr lanes, StringAttr rhs, StringAttr source) {
  if (tile.size() != 3)
    return emitError() << "tile must be [MR, NR, KR]";
  if (block.size() != 2)
    return emitError() << "block must be [MC, NC]";
  for (int64_t size : llvm::concat<const int64_t>(tile, block))
    if (size <= 0)
      return emitError() << "sizes of tile and block must be positive";
  if (block[0] % tile[0] != 0 || block[1] % tile[1] != 0)
    return emitError() << "block must be a multiple of the tile: MC of MR, NC "
                          "of NR";
  if (tile[2] != 1 && tile[2] != 2 && tile[2] != 4)
    return emitError() << "KR must be 1, 2 or 4";
  if (lhs != "in_place" && lhs != "panel")
    return emitError() << "lhs must be in_place or panel";
  if (lanes != "n" && lanes != "k")
    return emitError() << "lanes must be n or k";
  if (rhs != "packed" && rhs != "in_place")
    return emitError() << "rhs must be packed or in_place";
  if (source != "model" && source != "tuned" && source != "pinned")
    return emitError() << "source must be model, tuned or pinned";
  return success();
}

std::string LoweringConfigAttr::describe() const {
  std::string text = llvm::formatv("tile {0}x{1}x{2} block {3}x{4}", getMR(),
                                   getNR(), getKR(), getMC(), getNC());
  text += readsInPlace() ? " lhs in place" : " lhs panel";
  if (hasLanesAlongK())
    text += " lanes along K";
  if (readsRhsInPlace())
    text += " rhs in place";
  return text;
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
  });
}
