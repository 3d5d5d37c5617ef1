//===- OpTable.cpp - Which ONNX ops are imported --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Ops.h"
#include "qcc/Frontend/MLIR/NearestName.h"
#include "qcc/Frontend/ONNX/ImportedOps.h"
#include "llvm/ADT/StringMap.h"

using namespace qcc;
using namespace qcc::onnx;

namespace {
struct Row {
  llvm::StringLiteral op;
  OpImporter import;
  /// Ascending; what ONNX changed in between is in the function.
  std::initializer_list<int64_t> versions;
};
} // namespace

static constexpr Row kRows[] = {
    {"Abs", importUnary, {6, 13}},
    {"Acos", importUnary, {7, 22}},
    {"Acosh", importUnary, {9, 22}},
    {"Add", importArithmetic, {7, 13, 14}},
    {"And", importBoolean, {7}},
    {"ArgMax", importArgExtreme, {1, 11, 12, 13}},
    {"ArgMin", importArgExtreme, {1, 11, 12, 13}},
    {"Asin", importUnary, {7, 22}},
    {"Asinh", importUnary, {9, 22}},
    {"Atan", importUnary, {7, 22}},
    {"Atanh", importUnary, {9, 22}},
    {"Attention", importAttention, {23, 24}},
    {"AveragePool", importAveragePool, {7, 10, 11, 19, 22}},
    {"BatchNormalization", importBatchNormalization, {9, 14, 15}},
    {"BitShift", importArithmetic, {11}},
    {"BitwiseAnd", importArithmetic, {18}},
    {"BitwiseNot", importUnary, {18}},
    {"BitwiseOr", importArithmetic, {18}},
    {"BitwiseXor", importArithmetic, {18}},
    {"Cast", importCast, {9, 13, 19, 21, 23, 24, 25}},
    {"CastLike", importCastLike, {15, 19, 21, 23, 24, 25}},
    {"Ceil", importUnary, {6, 13}},
    {"Celu", importUnary, {12}},
    {"CenterCropPad", importCenterCropPad, {18}},
    {"Clip", importClip, {6, 11, 12, 13}},
    {"Concat", importConcat, {4, 11, 13}},
    {"Constant", importConstant, {9, 11, 12, 13, 19, 21, 23, 24, 25}},
    {"ConstantOfShape", importConstantOfShape, {9, 20, 21, 23, 24, 25}},
    {"Conv", importConv, {1, 11, 22}},
    {"ConvInteger", importConvInteger, {10}},
    {"ConvTranspose", importConvTranspose, {1, 11, 22}},
    {"Cos", importUnary, {7, 22}},
    {"Cosh", importUnary, {9, 22}},
    {"CumProd", importCumulative, {26}},
    {"CumSum", importCumulative, {11, 14}},
    {"DepthToSpace", importDepthToSpace, {1, 11, 13}},
    {"DequantizeLinear", importDequantizeLinear, {10, 13, 19, 21, 23, 24, 25}},
    {"Div", importArithmetic, {7, 13, 14}},
    {"Dropout", importDropout, {7, 10, 12, 13, 22}},
    {"DynamicQuantizeLinear", importDynamicQuantizeLinear, {11}},
    {"Einsum", importEinsum, {12}},
    {"Elu", importUnary, {6, 22}},
    {"Equal", importComparison, {7, 11, 13, 19}},
    {"Erf", importUnary, {9, 13}},
    {"Exp", importUnary, {6, 13}},
    {"Expand", importExpand, {8, 13}},
    {"Flatten", importFlatten, {9, 11, 13, 21, 23, 24, 25}},
    {"Floor", importUnary, {6, 13}},
    {"GRU", importGRU, {7, 14, 22}},
    {"Gather", importGather, {1, 11, 13}},
    {"GatherElements", importGatherElements, {11, 13}},
    {"GatherND", importGatherND, {11, 12, 13}},
    {"Gelu", importUnary, {20}},
    {"Gemm", importGemm, {9, 11, 13}},
    {"GlobalAveragePool", importGlobalAveragePool, {1, 22}},
    {"GlobalLpPool", importGlobalLpPool, {2, 22}},
    {"GlobalMaxPool", importGlobalMaxPool, {1, 22}},
    {"Greater", importComparison, {9, 13}},
    {"GreaterOrEqual", importComparison, {12, 16}},
    {"GridSample", importGridSample, {16, 20, 22}},
    {"GroupNormalization", importGroupNormalization, {18, 21}},
    {"HardSigmoid", importUnary, {6, 22}},
    {"HardSwish", importUnary, {14, 22}},
    {"Hardmax", importHardmax, {1, 11, 13}},
    {"Identity", importIdentity, {1, 13, 14, 16, 19, 21, 23, 24, 25}},
    {"If", importIf, {1, 11, 13, 16, 19, 21, 23, 24, 25}},
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
    {"LogSoftmax", importSoftmax, {1, 11, 13}},
    {"Loop", importLoop, {1, 11, 13, 16, 19, 21, 23, 24, 25}},
    {"LpNormalization", importLpNormalization, {1, 22}},
    {"LpPool", importLpPool, {2, 11, 18, 22}},
    {"MatMul", importMatMul, {9, 13}},
    {"MatMulInteger", importMatMulInteger, {10}},
    {"Max", importVariadic, {8, 12, 13}},
    {"MaxPool", importMaxPool, {8, 10, 11, 12, 22}},
    {"Mean", importVariadic, {8, 13}},
    {"Min", importVariadic, {8, 12, 13}},
    {"Mish", importUnary, {18, 22}},
    {"Mod", importArithmetic, {10, 13}},
    {"Mul", importArithmetic, {7, 13, 14}},
    {"Neg", importUnary, {6, 13}},
    {"NonZero", importNonZero, {9, 13}},
    {"Not", importUnary, {1}},
    {"OneHot", importOneHot, {9, 11}},
    {"Or", importBoolean, {7}},
    {"PRelu", importPRelu, {9, 16}},
    {"Pad", importPad, {2, 11, 13, 18, 19, 21, 23, 24, 25}},
    {"Pow", importPow, {7, 12, 13, 15}},
    {"QLinearConv", importQLinearConv, {10}},
    {"QLinearMatMul", importQLinearMatMul, {10, 21}},
    {"QuantizeLinear", importQuantizeLinear, {10, 13, 19, 21, 23, 24, 25}},
    {"RMSNormalization", importRMSNormalization, {23}},
    {"RNN", importRNN, {7, 14, 22}},
    {"Range", importRange, {11, 27}},
    {"Reciprocal", importUnary, {6, 13}},
    {"ReduceL1", importReduce, {1, 11, 13, 18}},
    {"ReduceL2", importReduce, {1, 11, 13, 18}},
    {"ReduceLogSum", importReduce, {1, 11, 13, 18}},
    {"ReduceLogSumExp", importReduce, {1, 11, 13, 18}},
    {"ReduceMax", importReduce, {1, 11, 12, 13, 18, 20}},
    {"ReduceMean", importReduce, {1, 11, 13, 18}},
    {"ReduceMin", importReduce, {1, 11, 12, 13, 18, 20}},
    {"ReduceProd", importReduce, {1, 11, 13, 18}},
    {"ReduceSum", importReduce, {1, 11, 13}},
    {"ReduceSumSquare", importReduce, {1, 11, 13, 18}},
    {"Relu", importUnary, {6, 13, 14}},
    {"Reshape", importReshape, {5, 13, 14, 19, 21, 23, 24, 25}},
    {"Resize", importResize, {10, 11, 13, 18, 19}},
    {"RotaryEmbedding", importRotaryEmbedding, {23}},
    {"Round", importUnary, {11, 22}},
    {"Scan", importScan, {9, 11, 16, 19, 21, 23, 24, 25}},
    {"Scatter", importScatterElements, {9, 11}},
    {"ScatterElements", importScatterElements, {11, 13, 16, 18}},
    {"ScatterND", importScatterND, {11, 13, 16, 18}},
    {"Selu", importUnary, {6, 22}},
    {"Shape", importShape, {1, 13, 15, 19, 21, 23, 24, 25}},
    {"Sigmoid", importUnary, {6, 13}},
    {"Sign", importUnary, {9, 13}},
    {"Sin", importUnary, {7, 22}},
    {"Sinh", importUnary, {9, 22}},
    {"Size", importSize, {1, 13, 19, 21, 23, 24, 25}},
    {"Slice", importSlice, {1, 10, 11, 13}},
    {"Softmax", importSoftmax, {1, 11, 13}},
    {"Softplus", importUnary, {1, 22}},
    {"Softsign", importUnary, {1, 22}},
    {"SpaceToDepth", importSpaceToDepth, {1, 13}},
    {"Split", importSplit, {2, 11, 13, 18}},
    {"Sqrt", importUnary, {6, 13}},
    {"Squeeze", importSqueeze, {1, 11, 13, 21, 23, 24, 25}},
    {"Sub", importArithmetic, {7, 13, 14}},
    {"Sum", importVariadic, {8, 13}},
    {"Swish", importUnary, {24}},
    {"Tan", importUnary, {7, 22}},
    {"Tanh", importUnary, {6, 13}},
    {"TensorScatter", importTensorScatter, {24}},
    {"ThresholdedRelu", importUnary, {10, 22}},
    {"Tile", importTile, {6, 13}},
    {"TopK", importTopK, {1, 10, 11, 24}},
    {"Transpose", importTranspose, {1, 13, 21, 23, 24, 25}},
    {"Trilu", importTrilu, {14}},
    {"Unsqueeze", importUnsqueeze, {1, 11, 13, 21, 23, 24, 25}},
    {"Upsample", importOldResize, {9, 10}},
    {"Where", importWhere, {9, 16}},
    {"Xor", importBoolean, {7}},
};

static constexpr Row kMicrosoftRows[] = {
    {"Attention", importMicrosoftAttention, {1}},
    {"BiasAdd", importBiasAdd, {1}},
    {"BiasGelu", importFusedGelu, {1}},
    {"BiasSplitGelu", importBiasSplitGelu, {1}},
    {"DequantizeLinear", importDequantizeLinear, {1}},
    {"DynamicQuantizeLSTM", importDynamicQuantizeLSTM, {1}},
    {"DynamicQuantizeMatMul", importDynamicQuantizeMatMul, {1}},
    {"EmbedLayerNormalization", importEmbedLayerNormalization, {1}},
    {"ExpandDims", importExpandDims, {1}},
    {"FastGelu", importFusedGelu, {1}},
    {"FusedConv", importFusedConv, {1}},
    {"FusedGemm", importFusedGemm, {1}},
    {"FusedMatMul", importFusedMatMul, {1}},
    {"GatherND", importNamesake, {1}},
    {"Gelu", importFusedGelu, {1}},
    {"GridSample", importGridSample, {1}},
    {"GroupQueryAttention", importGroupQueryAttention, {1}},
    {"MatMulIntegerToFloat", importMatMulIntegerToFloat, {1}},
    {"MatMulNBits", importMatMulNBits, {1}},
    {"MultiHeadAttention", importMultiHeadAttention, {1}},
    {"NhwcMaxPool", importNhwcMaxPool, {1}},
    {"Pad", importMicrosoftPad, {1}},
    {"QAttention", importQAttention, {1}},
    {"QEmbedLayerNormalization", importQEmbedLayerNormalization, {1}},
    {"QGemm", importQGemm, {1}},
    {"QLinearAdd", importQLinearBinary, {1}},
    {"QLinearAveragePool", importQLinearPool, {1}},
    {"QLinearConcat", importQLinearConcat, {1}},
    {"QLinearConv", importMicrosoftQLinearConv, {1}},
    {"QLinearGlobalAveragePool", importQLinearPool, {1}},
    {"QLinearLeakyRelu", importQLinearUnary, {1}},
    {"QLinearMul", importQLinearBinary, {1}},
    {"QLinearReduceMean", importQLinearReduceMean, {1}},
    {"QLinearSigmoid", importQLinearUnary, {1}},
    {"QLinearSoftmax", importQLinearUnary, {1}},
    {"QLinearWhere", importQLinearWhere, {1}},
    {"QuantizeLinear", importQuantizeLinear, {1}},
    {"QuickGelu", importFusedGelu, {1}},
    {"Range", importMicrosoftRange, {1}},
    {"RotaryEmbedding", importMicrosoftRotaryEmbedding, {1}},
    {"SkipLayerNormalization", importSkipNormalization, {1}},
    {"SkipSimplifiedLayerNormalization", importSkipNormalization, {1}},
    {"TransposeMatMul", importFusedMatMul, {1}},
    {"Trilu", importNamesake, {1}},
};

/// Of com.microsoft.nchwc.
static constexpr Row kBlockedRows[] = {
    {"AveragePool", importBlockedPool, {1}},
    {"Conv", importBlockedConv, {1}},
    {"GlobalAveragePool", importBlockedPool, {1}},
    {"GlobalMaxPool", importBlockedPool, {1}},
    {"MaxPool", importBlockedPool, {1}},
    {"ReorderInput", importReorderInput, {1}},
    {"ReorderOutput", importReorderOutput, {1}},
    {"Upsample", importBlockedUpsample, {1}},
};

/// Ops that ONNX Runtime writes into the default domain, where ONNX has none of
/// their name.
static constexpr Row kRuntimeRows[] = {
    {"SimplifiedLayerNormalization", importRMSNormalization, {1}},
};

//===----------------------------------------------------------------------===//
// Every row has a signature
//===----------------------------------------------------------------------===//

namespace {
/// The start of an entry of a list of signatures.
struct Signed {
  std::string_view op;
  int64_t since;
};
} // namespace

#define SIGNATURE(op, since, attributes, inputs, outputs, variables)           \
  {op, since},
static constexpr Signed kStandardSigned[] = {
#include "StandardSignatures.def"
};
static constexpr Signed kMicrosoftSigned[] = {
#include "MicrosoftSignatures.def"
};
static constexpr Signed kBlockedSigned[] = {
#include "BlockedSignatures.def"
};
#undef SIGNATURE

/// Whether each row has a signature for its first version. Rows and signatures
/// are in the order of names.
template <size_t numRows, size_t numSigned>
static constexpr bool haveSignatures(const Row (&rows)[numRows],
                                     const Signed (&entries)[numSigned]) {
  size_t at = 0;
  for (const Row &row : rows) {
    std::string_view op(row.op.data(), row.op.size());
    while (at < numSigned && entries[at].op < op)
      ++at;
    if (at == numSigned || entries[at].op != op ||
        entries[at].since > *row.versions.begin())
      return false;
  }
  return true;
}

// utils/onnx-signatures.py writes the signatures.
static_assert(haveSignatures(kRows, kStandardSigned) &&
                  haveSignatures(kMicrosoftRows, kMicrosoftSigned) &&
                  haveSignatures(kRuntimeRows, kMicrosoftSigned) &&
                  haveSignatures(kBlockedRows, kBlockedSigned),
              "a row has no signature, or is not in the order of names");

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

/// Ops that sum, are composed of sums, or that ONNX Runtime rounds once.
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
    "EmbedLayerNormalization",
    "GRU",
    "Gemm",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GridSample",
    "GroupNormalization",
    "GroupQueryAttention",
    "HardSigmoid",
    "HardSwish",
    "InstanceNormalization",
    "LRN",
    "LSTM",
    "LayerNormalization",
    "LogSoftmax",
    "LpNormalization",
    "LpPool",
    "MatMul",
    "Mean",
    "MultiHeadAttention",
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
    "Sum",
    "TransposeMatMul"};

namespace {
struct Reason {
  llvm::StringLiteral text;
  /// Ops, or beginnings of their names.
  llvm::SmallVector<llvm::StringLiteral, 8> ops;
};
} // namespace

static const Reason kReasons[] = {
    {"the size of its result is data, and an artifact knows all sizes before "
     "it runs; cut the model before the node",
     {"NonMaxSuppression", "Unique", "Compress"}},
    {"sequences and optional values are no tensors; export the model without "
     "them",
     {"Sequence", "SplitToSequence", "ConcatFromSequence", "Optional"}},
    {"its results are random; make them inputs of the model",
     {"Random", "Bernoulli", "Multinomial"}},
    {"data decide which experts each row is multiplied by; export a model "
     "without a mixture of experts",
     {"MoE", "QMoE"}},
};

namespace {
/// The rows of a domain, by op.
class Table {
public:
  explicit Table(llvm::ArrayRef<Row> rows) {
    for (const Row &row : rows)
      byOp[row.op] = &row;
  }
  const Row *find(llvm::StringRef op) const { return byOp.lookup(op); }

private:
  llvm::StringMap<const Row *> byOp;
};
} // namespace

llvm::StringRef onnx::domainName(llvm::StringRef domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

static const Row *findRow(llvm::StringRef domain, llvm::StringRef op) {
  static const Table standard(kRows), runtime(kRuntimeRows),
      microsoft(kMicrosoftRows), blocked(kBlockedRows);
  if (domain == "com.microsoft")
    return microsoft.find(op);
  if (domain == "com.microsoft.nchwc")
    return blocked.find(op);
  if (domainName(domain) != "ai.onnx")
    return nullptr;
  const Row *row = standard.find(op);
  return row ? row : runtime.find(op);
}

std::optional<OpVersion> onnx::findOp(llvm::StringRef domain,
                                      llvm::StringRef op, int64_t operatorSet) {
  const Row *row = findRow(domain, op);
  if (!row)
    return std::nullopt;
  OpVersion version;
  for (int64_t since : row->versions)
    if (domainName(domain) != "ai.onnx" || since <= operatorSet)
      version = {since, row->import, nullptr, llvm::is_contained(kSums, op)};
  if (!version.import)
    return std::nullopt;
  version.signature = findSignature(domain, op, version.since);
  return version;
}

std::string onnx::remedyForOp(llvm::StringRef domain, llvm::StringRef op,
                              int64_t operatorSet) {
  if (const Row *row = findRow(domain, op))
    return "ONNX has it since operator set " +
           std::to_string(*row->versions.begin()) + ": convert the model";
  bool isStandard = domainName(domain) == "ai.onnx";
  for (const Reason &reason : kReasons)
    for (llvm::StringRef name : reason.ops)
      if (op.starts_with(name) && (isStandard || domain == "com.microsoft"))
        return reason.text.str();
  if ((isStandard || domain == "com.microsoft") &&
      signaturesOf(domain, op).empty()) {
    llvm::SmallVector<llvm::StringRef> names;
    for (const Row &row : isStandard ? llvm::ArrayRef<Row>(kRows)
                                     : llvm::ArrayRef<Row>(kMicrosoftRows))
      names.push_back(row.op);
    if (std::optional<llvm::StringRef> nearest = nearestOf(op, names))
      return "the domain has no such op; did you mean '" + nearest->str() +
             "'?";
  }
  return "'qcc ops --onnx' and docs/ONNXOps.md list the ops that are";
}

std::vector<ImportedOp> qcc::importedOps() {
  std::vector<ImportedOp> ops;
  auto add = [&](llvm::StringRef domain, llvm::ArrayRef<Row> rows) {
    for (const Row &row : rows)
      ops.push_back({domain.str(),
                     row.op.str(),
                     {row.versions.begin(), row.versions.end()}});
  };
  add("ai.onnx", kRows);
  add("ai.onnx", kRuntimeRows);
  add("com.microsoft", kMicrosoftRows);
  add("com.microsoft.nchwc", kBlockedRows);
  auto key = [](const ImportedOp &op) { return std::tie(op.domain, op.name); };
  llvm::sort(ops, [&](const ImportedOp &x, const ImportedOp &y) {
    return key(x) < key(y);
  });
  return ops;
}
