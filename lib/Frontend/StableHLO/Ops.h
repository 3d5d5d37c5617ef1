//===- Ops.h - Importers of StableHLO ops -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each op, or for ops that differ in a few places; OpTable.cpp
// says which op has which.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_STABLEHLO_OPS_H
#define QCC_LIB_FRONTEND_STABLEHLO_OPS_H

#include "OpImporter.h"

namespace qcc::stablehlo {

// Ops/Elementwise.cpp
LogicalResult importElementwise(OpImporter &n);
LogicalResult importConstant(OpImporter &n);
LogicalResult importIota(OpImporter &n);
/// select and clamp.
LogicalResult importTernary(OpImporter &n);
LogicalResult importConvert(OpImporter &n);
LogicalResult importBitcastConvert(OpImporter &n);
LogicalResult importReducePrecision(OpImporter &n);
LogicalResult importIdentity(OpImporter &n);

// Ops/Movement.cpp
LogicalResult importBroadcast(OpImporter &n);
LogicalResult importBroadcastInDim(OpImporter &n);
LogicalResult importConcatenate(OpImporter &n);
LogicalResult importGetDimensionSize(OpImporter &n);
LogicalResult importSetDimensionSize(OpImporter &n);
LogicalResult importPad(OpImporter &n);
LogicalResult importReshape(OpImporter &n);
LogicalResult importReverse(OpImporter &n);
LogicalResult importSlice(OpImporter &n);
LogicalResult importTranspose(OpImporter &n);

// Ops/Quantization.cpp
LogicalResult importUniformDequantize(OpImporter &n);
LogicalResult importUniformQuantize(OpImporter &n);

// Ops/Indexing.cpp
LogicalResult importDynamicSlice(OpImporter &n);
LogicalResult importDynamicUpdateSlice(OpImporter &n);
LogicalResult importGather(OpImporter &n);
LogicalResult importScatter(OpImporter &n);

// Ops/Contractions.cpp
LogicalResult importDot(OpImporter &n);
LogicalResult importDotGeneral(OpImporter &n);

// Ops/Convolution.cpp
LogicalResult importConvolution(OpImporter &n);

// Ops/Reductions.cpp
LogicalResult importReduce(OpImporter &n);
LogicalResult importReduceWindow(OpImporter &n);
LogicalResult importSelectAndScatter(OpImporter &n);
LogicalResult importMap(OpImporter &n);

// Ops/Sorting.cpp
LogicalResult importSort(OpImporter &n);
LogicalResult importTopK(OpImporter &n);

// Ops/Normalization.cpp
LogicalResult importBatchNormInference(OpImporter &n);

// Ops/Control.cpp
LogicalResult importCase(OpImporter &n);
LogicalResult importIf(OpImporter &n);
LogicalResult importWhile(OpImporter &n);
LogicalResult importCall(OpImporter &n);
LogicalResult importCustomCall(OpImporter &n);
LogicalResult importComposite(OpImporter &n);

} // namespace qcc::stablehlo

#endif // QCC_LIB_FRONTEND_STABLEHLO_OPS_H
