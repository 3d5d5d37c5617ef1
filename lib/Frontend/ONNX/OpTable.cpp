//===- OpTable.cpp - Which ONNX ops are imported --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Ops.h"
#include "llvm/ADT/StringMap.h"

using namespace qcc;
using namespace qcc::onnx;

namespace {
struct Row {
  llvm::StringLiteral op;
  OpImporter import;
  /// Ascending; what ONNX changed in between is in the function.
  llvm::SmallVector<int64_t, 8> versions;
};
} // namespace

static const Row kRows[] = {
    {"Abs", importUnary, {6, 13}},
    {"Acos", importUnary, {7, 22}},
    {"Acosh", importUnary, {9, 22}},
    {"Add", importArithmetic, {7, 13, 14}},
    {"And", importBoolean, {7}},
    {"ArgMax", importArgExtreme, {11, 12, 13}},
    {"ArgMin", importArgExtreme, {11, 12, 13}},
    {"Asin", importUnary, {7, 22}},
    {"Asinh", importUnary, {9, 22}},
    {"Atan", importUnary, {7, 22}},
    {"Atanh", importUnary, {9, 22}},
    {"Attention", importAttention, {23, 24}},
    {"AveragePool", importAveragePool, {11, 19, 22}},
    {"BatchNormalization", importBatchNormalization, {9, 14, 15}},
    {"BitwiseAnd", importArithmetic, {18}},
    {"BitwiseNot", importUnary, {18}},
    {"BitwiseOr", importArithmetic, {18}},
    {"BitwiseXor", importArithmetic, {18}},
    {"Cast", importCast, {9, 13, 19, 21, 23, 24, 25}},
    {"CastLike", importCastLike, {15, 19, 21, 23, 24, 25}},
    {"Ceil", importUnary, {6, 13}},
    {"Celu", importUnary, {12}},
    {"CenterCropPad", importCenterCropPad, {18}},
    {"Clip", importClip, {11, 12, 13}},
    {"Concat", importConcat, {11, 13}},
    {"Constant", importConstant, {11, 12, 13, 19, 21, 23, 24, 25}},
    {"ConstantOfShape", importConstantOfShape, {9, 20, 21, 23, 24, 25}},
    {"Conv", importConv, {11, 22}},
    {"ConvInteger", importConvInteger, {10}},
    {"ConvTranspose", importConvTranspose, {11, 22}},
    {"Cos", importUnary, {7, 22}},
    {"Cosh", importUnary, {9, 22}},
    {"CumProd", importCumulative, {26}},
    {"CumSum", importCumulative, {11, 14}},
    {"DepthToSpace", importDepthToSpace, {11, 13}},
    {"DequantizeLinear", importDequantizeLinear, {10, 13, 19, 21, 23, 24, 25}},
    {"Div", importArithmetic, {7, 13, 14}},
    {"Dropout", importDropout, {10, 12, 13, 22}},
    {"DynamicQuantizeLinear", importDynamicQuantizeLinear, {11}},
    {"Einsum", importEinsum, {12}},
    {"Elu", importUnary, {6, 22}},
    {"Equal", importComparison, {11, 13, 19}},
    {"Erf", importUnary, {9, 13}},
    {"Exp", importUnary, {6, 13}},
    {"Expand", importExpand, {8, 13}},
    {"Flatten", importFlatten, {11, 13, 21, 23, 24, 25}},
    {"Floor", importUnary, {6, 13}},
    {"GRU", importGRU, {7, 14, 22}},
    {"Gather", importGather, {11, 13}},
    {"GatherElements", importGatherElements, {11, 13}},
    {"GatherND", importGatherND, {11, 12, 13}},
    {"Gelu", importUnary, {20}},
    {"Gemm", importGemm, {11, 13}},
    {"GlobalAveragePool", importGlobalAveragePool, {1, 22}},
    {"GlobalLpPool", importGlobalLpPool, {2, 22}},
    {"GlobalMaxPool", importGlobalMaxPool, {1, 22}},
    {"Greater", importComparison, {9, 13}},
    {"GreaterOrEqual", importComparison, {12, 16}},
    {"GroupNormalization", importGroupNormalization, {18, 21}},
    {"HardSigmoid", importUnary, {6, 22}},
    {"HardSwish", importUnary, {14, 22}},
    {"Hardmax", importHardmax, {11, 13}},
    {"Identity", importIdentity, {1, 13, 14, 16, 19, 21, 23, 24, 25}},
    {"If", importIf, {11, 13, 16, 19, 21, 23, 24, 25}},
    {"InstanceNormalization", importInstanceNormalization, {6, 22}},
    {"IsInf", importIsSpecial, {10, 20}},
    {"IsNaN", importIsSpecial, {9, 13, 20}},
    {"LRN", importLRN, {1, 13}},
    {"LSTM", importLSTM, {7, 14, 22}},
    {"LayerNormalization", importLayerNormalization, {17}},
    {"LeakyRelu", importUnary, {6, 16}},
    {"Less", importComparison, {9, 13}},
    {"LessOrEqual", importComparison, {12, 16}},
    {"Log", importUnary, {6, 13}},
    {"LogSoftmax", importSoftmax, {11, 13}},
    {"LpNormalization", importLpNormalization, {1, 22}},
    {"LpPool", importLpPool, {11, 18, 22}},
    {"MatMul", importMatMul, {9, 13}},
    {"MatMulInteger", importMatMulInteger, {10}},
    {"Max", importVariadic, {8, 12, 13}},
    {"MaxPool", importMaxPool, {11, 12, 22}},
    {"Mean", importVariadic, {8, 13}},
    {"Min", importVariadic, {8, 12, 13}},
    {"Mish", importUnary, {18, 22}},
    {"Mod", importArithmetic, {10, 13}},
    {"Mul", importArithmetic, {7, 13, 14}},
    {"Neg", importUnary, {6, 13}},
    {"Not", importUnary, {1}},
    {"OneHot", importOneHot, {11}},
    {"Or", importBoolean, {7}},
    {"PRelu", importPRelu, {9, 16}},
    {"Pad", importPad, {11, 13, 18, 19, 21, 23, 24, 25}},
    {"Pow", importPow, {7, 12, 13, 15}},
    {"QLinearConv", importQLinearConv, {10}},
    {"QLinearMatMul", importQLinearMatMul, {10, 21}},
    {"QuantizeLinear", importQuantizeLinear, {10, 13, 19, 21, 23, 24, 25}},
    {"RMSNormalization", importRMSNormalization, {23}},
    {"RNN", importRNN, {7, 14, 22}},
    {"Range", importRange, {11, 27}},
    {"Reciprocal", importUnary, {6, 13}},
    {"ReduceL1", importReduce, {11, 13, 18}},
    {"ReduceL2", importReduce, {11, 13, 18}},
    {"ReduceLogSum", importReduce, {11, 13, 18}},
    {"ReduceLogSumExp", importReduce, {11, 13, 18}},
    {"ReduceMax", importReduce, {11, 12, 13, 18, 20}},
    {"ReduceMean", importReduce, {11, 13, 18}},
    {"ReduceMin", importReduce, {11, 12, 13, 18, 20}},
    {"ReduceProd", importReduce, {11, 13, 18}},
    {"ReduceSum", importReduce, {11, 13}},
    {"ReduceSumSquare", importReduce, {11, 13, 18}},
    {"Relu", importUnary, {6, 13, 14}},
    {"Reshape", importReshape, {5, 13, 14, 19, 21, 23, 24, 25}},
    {"Resize", importResize, {11, 13, 18, 19}},
    {"RotaryEmbedding", importRotaryEmbedding, {23}},
    {"Round", importUnary, {11, 22}},
    {"ScatterElements", importScatterElements, {11, 13, 16, 18}},
    {"ScatterND", importScatterND, {11, 13, 16, 18}},
    {"Selu", importUnary, {6, 22}},
    {"Shape", importShape, {1, 13, 15, 19, 21, 23, 24, 25}},
    {"Sigmoid", importUnary, {6, 13}},
    {"Sign", importUnary, {9, 13}},
    {"Sin", importUnary, {7, 22}},
    {"Sinh", importUnary, {9, 22}},
    {"Size", importSize, {1, 13, 19, 21, 23, 24, 25}},
    {"Slice", importSlice, {11, 13}},
    {"Softmax", importSoftmax, {11, 13}},
    {"Softplus", importUnary, {1, 22}},
    {"Softsign", importUnary, {1, 22}},
    {"SpaceToDepth", importSpaceToDepth, {1, 13}},
    {"Split", importSplit, {11, 13, 18}},
    {"Sqrt", importUnary, {6, 13}},
    {"Squeeze", importSqueeze, {11, 13, 21, 23, 24, 25}},
    {"Sub", importArithmetic, {7, 13, 14}},
    {"Sum", importVariadic, {8, 13}},
    {"Swish", importUnary, {24}},
    {"Tan", importUnary, {7, 22}},
    {"Tanh", importUnary, {6, 13}},
    {"ThresholdedRelu", importUnary, {10, 22}},
    {"Tile", importTile, {6, 13}},
    {"TopK", importTopK, {11, 24}},
    {"Transpose", importTranspose, {1, 13, 21, 23, 24, 25}},
    {"Trilu", importTrilu, {14}},
    {"Unsqueeze", importUnsqueeze, {11, 13, 21, 23, 24, 25}},
    {"Where", importWhere, {9, 16}},
    {"Xor", importBoolean, {7}},
};

static const Row kMicrosoftRows[] = {
    {"BiasGelu", importFusedGelu, {1}},
    {"DequantizeLinear", importDequantizeLinear, {1}},
    {"DynamicQuantizeLSTM", importDynamicQuantizeLSTM, {1}},
    {"DynamicQuantizeMatMul", importDynamicQuantizeMatMul, {1}},
    {"FastGelu", importFusedGelu, {1}},
    {"FusedConv", importFusedConv, {1}},
    {"FusedGemm", importFusedGemm, {1}},
    {"FusedMatMul", importFusedMatMul, {1}},
    {"Gelu", importFusedGelu, {1}},
    {"MatMulIntegerToFloat", importMatMulIntegerToFloat, {1}},
    {"QGemm", importQGemm, {1}},
    {"QLinearAdd", importQLinearBinary, {1}},
    {"QLinearAveragePool", importQLinearPool, {1}},
    {"QLinearConcat", importQLinearConcat, {1}},
    {"QLinearGlobalAveragePool", importQLinearPool, {1}},
    {"QLinearLeakyRelu", importQLinearUnary, {1}},
    {"QLinearMul", importQLinearBinary, {1}},
    {"QLinearSigmoid", importQLinearUnary, {1}},
    {"QLinearSoftmax", importQLinearUnary, {1}},
    {"QLinearWhere", importQLinearWhere, {1}},
    {"QuantizeLinear", importQuantizeLinear, {1}},
    {"QuickGelu", importFusedGelu, {1}},
    {"SkipLayerNormalization", importSkipNormalization, {1}},
    {"SkipSimplifiedLayerNormalization", importSkipNormalization, {1}},
};

/// Ops that ONNX Runtime writes into the default domain, where ONNX has none of
/// their name.
static const Row kRuntimeRows[] = {
    {"SimplifiedLayerNormalization", importRMSNormalization, {1}},
};

/// What sums, or is made of sums.
static constexpr llvm::StringLiteral kSums[] = {
    "Attention",
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvTranspose",
    "CumProd",
    "CumSum",
    "Einsum",
    "FusedConv",
    "FusedGemm",
    "FusedMatMul",
    "GRU",
    "Gemm",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GroupNormalization",
    "InstanceNormalization",
    "LRN",
    "LSTM",
    "LayerNormalization",
    "LogSoftmax",
    "LpNormalization",
    "LpPool",
    "MatMul",
    "Mean",
    "RMSNormalization",
    "RNN",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMean",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "Resize",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
    "Softmax",
    "Sum"};

using Table = llvm::StringMap<const Row *>;

static Table makeTable(llvm::ArrayRef<Row> rows) {
  Table table;
  for (const Row &row : rows)
    table[row.op] = &row;
  return table;
}

llvm::StringRef onnx::domainName(llvm::StringRef domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

std::optional<OpVersion> onnx::findOp(llvm::StringRef domain,
                                      llvm::StringRef op, int64_t operatorSet) {
  static const Table standard = makeTable(kRows),
                     runtime = makeTable(kRuntimeRows),
                     microsoft = makeTable(kMicrosoftRows), none;
  bool isStandard = domainName(domain) == "ai.onnx";
  const Table &table = isStandard ? (standard.contains(op) ? standard : runtime)
                       : domain == "com.microsoft" ? microsoft
                                                   : none;
  auto found = table.find(op);
  if (found == table.end())
    return std::nullopt;
  OpVersion version;
  for (int64_t since : found->second->versions)
    if (!isStandard || since <= operatorSet)
      version = {since, found->second->import, llvm::is_contained(kSums, op)};
  if (!version.import)
    return std::nullopt;
  return version;
}
