//===- Ops.h - The functions that import ops, by family ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpTable.cpp says which op and version each is for.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_OPS_H
#define QCC_LIB_FRONTEND_ONNX_OPS_H

#include "NodeImporter.h"

namespace qcc::onnx {

using mlir::LogicalResult;

// Ops/Activations.cpp
LogicalResult importUnary(NodeImporter &n);
LogicalResult importIsSpecial(NodeImporter &n);
LogicalResult importClip(NodeImporter &n);
LogicalResult importPRelu(NodeImporter &n);
LogicalResult importCast(NodeImporter &n);
LogicalResult importCastLike(NodeImporter &n);

// Ops/Arithmetic.cpp
LogicalResult importArithmetic(NodeImporter &n);
LogicalResult importVariadic(NodeImporter &n);
LogicalResult importPow(NodeImporter &n);
LogicalResult importComparison(NodeImporter &n);
LogicalResult importBoolean(NodeImporter &n);
LogicalResult importWhere(NodeImporter &n);

// Ops/Attention.cpp
LogicalResult importAttention(NodeImporter &n);
LogicalResult importRotaryEmbedding(NodeImporter &n);

// Ops/BlockedLayouts.cpp
LogicalResult importBlockedConv(NodeImporter &n);
LogicalResult importBlockedPool(NodeImporter &n);
LogicalResult importBlockedUpsample(NodeImporter &n);
LogicalResult importReorderInput(NodeImporter &n);
LogicalResult importReorderOutput(NodeImporter &n);

// Ops/ChannelsLast.cpp
LogicalResult importMicrosoftQLinearConv(NodeImporter &n);
LogicalResult importNhwcMaxPool(NodeImporter &n);

// Ops/ContribAttention.cpp
LogicalResult importMicrosoftAttention(NodeImporter &n);
LogicalResult importMultiHeadAttention(NodeImporter &n);
LogicalResult importQAttention(NodeImporter &n);

// Ops/ContribLayers.cpp
LogicalResult importBiasAdd(NodeImporter &n);
LogicalResult importBiasSplitGelu(NodeImporter &n);
LogicalResult importEmbedLayerNormalization(NodeImporter &n);
LogicalResult importMicrosoftRotaryEmbedding(NodeImporter &n);
LogicalResult importQEmbedLayerNormalization(NodeImporter &n);

// Ops/Control.cpp
LogicalResult importIf(NodeImporter &n);

// Ops/Convolutions.cpp
LogicalResult importConv(NodeImporter &n);
LogicalResult importConvTranspose(NodeImporter &n);

// Ops/Einsum.cpp
LogicalResult importEinsum(NodeImporter &n);

// Ops/GridSample.cpp
LogicalResult importGridSample(NodeImporter &n);

// Ops/GroupQueryAttention.cpp
LogicalResult importGroupQueryAttention(NodeImporter &n);

// Ops/Indexing.cpp
LogicalResult importGather(NodeImporter &n);
LogicalResult importGatherElements(NodeImporter &n);
LogicalResult importOneHot(NodeImporter &n);
LogicalResult importHardmax(NodeImporter &n);
LogicalResult importGatherND(NodeImporter &n);

// Ops/IntegerContractions.cpp
LogicalResult importConvInteger(NodeImporter &n);
LogicalResult importQLinearConv(NodeImporter &n);
LogicalResult importMatMulInteger(NodeImporter &n);
LogicalResult importQLinearMatMul(NodeImporter &n);

// Ops/Loops.cpp
LogicalResult importLoop(NodeImporter &n);
LogicalResult importScan(NodeImporter &n);

// Ops/MatMulNBits.cpp
LogicalResult importMatMulNBits(NodeImporter &n);

// Ops/Microsoft.cpp
LogicalResult importDynamicQuantizeMatMul(NodeImporter &n);
LogicalResult importExpandDims(NodeImporter &n);
LogicalResult importFusedGelu(NodeImporter &n);
LogicalResult importFusedConv(NodeImporter &n);
LogicalResult importFusedGemm(NodeImporter &n);
LogicalResult importFusedMatMul(NodeImporter &n);
LogicalResult importMatMulIntegerToFloat(NodeImporter &n);
LogicalResult importMicrosoftPad(NodeImporter &n);
LogicalResult importMicrosoftRange(NodeImporter &n);
LogicalResult importNamesake(NodeImporter &n);
LogicalResult importSkipNormalization(NodeImporter &n);

// Ops/Movements.cpp
LogicalResult importConcat(NodeImporter &n);
LogicalResult importDepthToSpace(NodeImporter &n);
LogicalResult importExpand(NodeImporter &n);
LogicalResult importIdentity(NodeImporter &n);
LogicalResult importDropout(NodeImporter &n);
LogicalResult importSpaceToDepth(NodeImporter &n);
LogicalResult importTile(NodeImporter &n);
LogicalResult importTrilu(NodeImporter &n);
LogicalResult importTranspose(NodeImporter &n);

// Ops/NonZero.cpp
LogicalResult importNonZero(NodeImporter &n);

// Ops/Normalizations.cpp
LogicalResult importBatchNormalization(NodeImporter &n);
LogicalResult importGroupNormalization(NodeImporter &n);
LogicalResult importInstanceNormalization(NodeImporter &n);
LogicalResult importLayerNormalization(NodeImporter &n);
LogicalResult importLpNormalization(NodeImporter &n);
LogicalResult importLRN(NodeImporter &n);
LogicalResult importRMSNormalization(NodeImporter &n);
LogicalResult importSoftmax(NodeImporter &n);

// Ops/OldVersions.cpp
LogicalResult importOldClip(NodeImporter &n);
LogicalResult importOldPad(NodeImporter &n);
LogicalResult importOldResize(NodeImporter &n);
LogicalResult importOldSlice(NodeImporter &n);
LogicalResult importOldTopK(NodeImporter &n);

// Ops/Pads.cpp
LogicalResult importPad(NodeImporter &n);
LogicalResult importCenterCropPad(NodeImporter &n);

// Ops/Poolings.cpp
LogicalResult importAveragePool(NodeImporter &n);
LogicalResult importGlobalAveragePool(NodeImporter &n);
LogicalResult importGlobalMaxPool(NodeImporter &n);
LogicalResult importLpPool(NodeImporter &n);
LogicalResult importGlobalLpPool(NodeImporter &n);
LogicalResult importMaxPool(NodeImporter &n);

// Ops/Products.cpp
LogicalResult importGemm(NodeImporter &n);
LogicalResult importMatMul(NodeImporter &n);

// Ops/Quantization.cpp
LogicalResult importDequantizeLinear(NodeImporter &n);
LogicalResult importDynamicQuantizeLinear(NodeImporter &n);
LogicalResult importQuantizeLinear(NodeImporter &n);
/// The value that a Cast of bytes to float32 and a product with a scale are, or
/// nothing if the node is no such product.
std::optional<GraphValue> matchScaledCast(NodeImporter &n);

// Ops/QuantizedOps.cpp
LogicalResult importQGemm(NodeImporter &n);
LogicalResult importQLinearBinary(NodeImporter &n);
LogicalResult importQLinearConcat(NodeImporter &n);
LogicalResult importQLinearPool(NodeImporter &n);
LogicalResult importQLinearReduceMean(NodeImporter &n);
LogicalResult importQLinearUnary(NodeImporter &n);
LogicalResult importQLinearWhere(NodeImporter &n);

// Ops/Recurrences.cpp
LogicalResult importDynamicQuantizeLSTM(NodeImporter &n);
LogicalResult importGRU(NodeImporter &n);
LogicalResult importLSTM(NodeImporter &n);
LogicalResult importRNN(NodeImporter &n);

// Ops/Reductions.cpp
LogicalResult importArgExtreme(NodeImporter &n);
LogicalResult importReduce(NodeImporter &n);

// Ops/Resize.cpp
LogicalResult importResize(NodeImporter &n);

// Ops/Reshapes.cpp
LogicalResult importFlatten(NodeImporter &n);
LogicalResult importReshape(NodeImporter &n);
LogicalResult importSqueeze(NodeImporter &n);
LogicalResult importUnsqueeze(NodeImporter &n);

// Ops/Scans.cpp
LogicalResult importCumulative(NodeImporter &n);
LogicalResult importScatterND(NodeImporter &n);
LogicalResult importScatterElements(NodeImporter &n);

// Ops/Shapes.cpp
LogicalResult importConstant(NodeImporter &n);
LogicalResult importConstantOfShape(NodeImporter &n);
LogicalResult importRange(NodeImporter &n);
LogicalResult importShape(NodeImporter &n);
LogicalResult importSize(NodeImporter &n);

// Ops/Slices.cpp
LogicalResult importSlice(NodeImporter &n);
LogicalResult importTensorScatter(NodeImporter &n);
LogicalResult importSplit(NodeImporter &n);

// Ops/Sorting.cpp
LogicalResult importTopK(NodeImporter &n);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_OPS_H
