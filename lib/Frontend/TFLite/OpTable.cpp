//===- OpTable.cpp - The ops of TensorFlow Lite that are imported ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Codes.h"
#include "Ops.h"
#include "qcc/Frontend/TFLite/ImportedOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::tflite;

static constexpr OpRow kOps[] = {
    {code::ABS, "ABS", importUnary, 1, 1, "qif"},
    {code::ADD, "ADD", importArithmetic, 2, 2, "qsif", 2},
    {code::ADD_N, "ADD_N", importAddN, 1, -1, "if", -1},
    {code::ARG_MAX, "ARG_MAX", importArgMinMax, 2, 2, "qif"},
    {code::ARG_MIN, "ARG_MIN", importArgMinMax, 2, 2, "qif"},
    {code::ASSIGN_VARIABLE, "ASSIGN_VARIABLE", importAssignVariable, 2, 2, "r"},
    {code::AVERAGE_POOL_2D, "AVERAGE_POOL_2D", importAveragePool, 1, 1, "qsf"},
    {code::BATCH_MATMUL, "BATCH_MATMUL", importBatchMatMul, 2, 2, "qsf"},
    {code::BATCH_TO_SPACE_ND, "BATCH_TO_SPACE_ND", importBatchToSpace, 3, 3},
    {code::BROADCAST_TO, "BROADCAST_TO", importFill, 2, 2},
    {code::CALL_ONCE, "CALL_ONCE", importCallOnce, 0, 0, ""},
    {code::CAST, "CAST", importCast, 1, 1, "qsibfh"},
    {code::CEIL, "CEIL", importUnary, 1, 1, "f"},
    {code::CONCATENATION, "CONCATENATION", importConcatenation, 1, -1, "qsibf",
     -1},
    {code::CONV_2D, "CONV_2D", importConv2D, 2, 3, "qsf"},
    {code::CONV_3D, "CONV_3D", importConv3D, 2, 3, "qf"},
    {code::COS, "COS", importUnary, 1, 1, "f"},
    {code::CUMSUM, "CUMSUM", importCumsum, 2, 2, "if"},
    {code::DEPTH_TO_SPACE, "DEPTH_TO_SPACE", importBlocks, 1, 1},
    {code::DENSIFY, "DENSIFY", importDensify, 1, 1, "qsifh"},
    {code::DEPTHWISE_CONV_2D, "DEPTHWISE_CONV_2D", importDepthwiseConv2D, 2, 3,
     "qsf"},
    {code::DEQUANTIZE, "DEQUANTIZE", importDequantize, 1, 1, "qsh"},
    {code::DIV, "DIV", importArithmetic, 2, 2, "if", 2},
    {code::DYNAMIC_UPDATE_SLICE, "DYNAMIC_UPDATE_SLICE",
     importDynamicUpdateSlice, 3, 3, "qsibf", 2},
    {code::ELU, "ELU", importUnary, 1, 1, "qf"},
    {code::EQUAL, "EQUAL", importCompare, 2, 2, "qibf", 2},
    {code::EXP, "EXP", importUnary, 1, 1, "qf"},
    {code::EXPAND_DIMS, "EXPAND_DIMS", importExpandDims, 2, 2},
    {code::FILL, "FILL", importFill, 2, 2, "i"},
    {code::FLOOR, "FLOOR", importUnary, 1, 1, "f"},
    {code::FLOOR_DIV, "FLOOR_DIV", importArithmetic, 2, 2, "if", 2},
    {code::FLOOR_MOD, "FLOOR_MOD", importArithmetic, 2, 2, "if", 2},
    {code::FULLY_CONNECTED, "FULLY_CONNECTED", importFullyConnected, 2, 3,
     "qsf"},
    {code::GATHER, "GATHER", importGather, 2, 2},
    {code::GATHER_ND, "GATHER_ND", importGatherNd, 2, 2},
    {code::GELU, "GELU", importUnary, 1, 1, "qf"},
    {code::GREATER, "GREATER", importCompare, 2, 2, "qif", 2},
    {code::GREATER_EQUAL, "GREATER_EQUAL", importCompare, 2, 2, "qif", 2},
    {code::HARD_SWISH, "HARD_SWISH", importHardSwish, 1, 1, "qf"},
    {code::IF, "IF", importIf, 1, -1, "b"},
    {code::L2_NORMALIZATION, "L2_NORMALIZATION", importL2Normalization, 1, 1,
     "f"},
    {code::LEAKY_RELU, "LEAKY_RELU", importLeakyRelu, 1, 1, "qf"},
    {code::LESS, "LESS", importCompare, 2, 2, "qif", 2},
    {code::LESS_EQUAL, "LESS_EQUAL", importCompare, 2, 2, "qif", 2},
    {code::LOG, "LOG", importUnary, 1, 1, "f"},
    {code::LOGICAL_AND, "LOGICAL_AND", importLogical, 2, 2, "b", 2},
    {code::LOGICAL_NOT, "LOGICAL_NOT", importLogical, 1, 1, "b"},
    {code::LOGICAL_OR, "LOGICAL_OR", importLogical, 2, 2, "b", 2},
    {code::LOGISTIC, "LOGISTIC", importLogistic, 1, 1, "qf"},
    {code::LOG_SOFTMAX, "LOG_SOFTMAX", importLogSoftmax, 1, 1, "f"},
    {code::MAXIMUM, "MAXIMUM", importArithmetic, 2, 2, "qsif", 2},
    {code::MAX_POOL_2D, "MAX_POOL_2D", importMaxPool, 1, 1, "qsf"},
    {code::MEAN, "MEAN", importMean, 2, 2, "qsf"},
    {code::MINIMUM, "MINIMUM", importArithmetic, 2, 2, "qsif", 2},
    {code::MIRROR_PAD, "MIRROR_PAD", importMirrorPad, 2, 2},
    {code::MUL, "MUL", importArithmetic, 2, 2, "qsif", 2},
    {code::NEG, "NEG", importUnary, 1, 1, "if"},
    {code::NOT_EQUAL, "NOT_EQUAL", importCompare, 2, 2, "qibf", 2},
    {code::ONE_HOT, "ONE_HOT", importOneHot, 4, 4, "i"},
    {code::PACK, "PACK", importPack, 1, -1, "qsibf", -1},
    {code::PAD, "PAD", importPad, 2, 2},
    {code::PADV2, "PADV2", importPad, 3, 3},
    {code::POW, "POW", importArithmetic, 2, 2, "f", 2},
    {code::PRELU, "PRELU", importPrelu, 2, 2, "qf", 2},
    {code::QUANTIZE, "QUANTIZE", importQuantize, 1, 1, "qsf"},
    {code::RANGE, "RANGE", importRange, 3, 3, "i", 3},
    {code::RANK, "RANK", importShapeOf, 1, 1},
    {code::READ_VARIABLE, "READ_VARIABLE", importReadVariable, 1, 1, "r"},
    {code::REDUCE_ALL, "REDUCE_ALL", importReduce, 2, 2, "b"},
    {code::REDUCE_ANY, "REDUCE_ANY", importReduce, 2, 2, "b"},
    {code::REDUCE_MAX, "REDUCE_MAX", importReduce, 2, 2, "qsif"},
    {code::REDUCE_MIN, "REDUCE_MIN", importReduce, 2, 2, "qsif"},
    {code::REDUCE_PROD, "REDUCE_PROD", importReduce, 2, 2, "if"},
    {code::RELU, "RELU", importClamp, 1, 1, "qsf"},
    {code::RELU6, "RELU6", importClamp, 1, 1, "qsf"},
    {code::RELU_0_TO_1, "RELU_0_TO_1", importClamp, 1, 1, "qsf"},
    {code::RELU_N1_TO_1, "RELU_N1_TO_1", importClamp, 1, 1, "qsf"},
    {code::RESHAPE, "RESHAPE", importReshape, 1, 2},
    {code::RESIZE_BILINEAR, "RESIZE_BILINEAR", importResizeBilinear, 2, 2,
     "qf"},
    {code::RESIZE_NEAREST_NEIGHBOR, "RESIZE_NEAREST_NEIGHBOR",
     importResizeNearest, 2, 2, "qsf"},
    {code::REVERSE_V2, "REVERSE_V2", importReverse, 2, 2},
    {code::ROUND, "ROUND", importUnary, 1, 1, "f"},
    {code::RSQRT, "RSQRT", importUnary, 1, 1, "f"},
    {code::SCATTER_ND, "SCATTER_ND", importScatterNd, 3, 3, "i"},
    {code::SELECT, "SELECT", importSelect, 3, 3, "b"},
    {code::SELECT_V2, "SELECT_V2", importSelect, 3, 3, "b"},
    {code::SHAPE, "SHAPE", importShapeOf, 1, 1},
    {code::SIGN, "SIGN", importUnary, 1, 1, "f"},
    {code::SIN, "SIN", importUnary, 1, 1, "f"},
    {code::SLICE, "SLICE", importSlice, 3, 3},
    {code::SOFTMAX, "SOFTMAX", importSoftmax, 1, 1, "qf"},
    {code::SPACE_TO_BATCH_ND, "SPACE_TO_BATCH_ND", importSpaceToBatch, 3, 3},
    {code::SPACE_TO_DEPTH, "SPACE_TO_DEPTH", importBlocks, 1, 1},
    {code::SPLIT, "SPLIT", importSplit, 2, 2, "i"},
    {code::SPLIT_V, "SPLIT_V", importSplit, 3, 3},
    {code::SQRT, "SQRT", importUnary, 1, 1, "f"},
    {code::SQUARE, "SQUARE", importUnary, 1, 1, "if"},
    {code::SQUARED_DIFFERENCE, "SQUARED_DIFFERENCE", importArithmetic, 2, 2,
     "if", 2},
    {code::SQUEEZE, "SQUEEZE", importSqueeze, 1, 1},
    {code::STRIDED_SLICE, "STRIDED_SLICE", importStridedSlice, 4, 4},
    {code::SUB, "SUB", importArithmetic, 2, 2, "qsif", 2},
    {code::SUM, "SUM", importMean, 2, 2, "qsif"},
    {code::TANH, "TANH", importTanh, 1, 1, "qf"},
    {code::TILE, "TILE", importTile, 2, 2},
    {code::TOPK_V2, "TOPK_V2", importTopK, 2, 2, "qsif"},
    {code::TRANSPOSE, "TRANSPOSE", importTranspose, 2, 2},
    {code::TRANSPOSE_CONV, "TRANSPOSE_CONV", importTransposeConv, 3, 4, "i"},
    {code::UNPACK, "UNPACK", importUnpack, 1, 1},
    {code::VAR_HANDLE, "VAR_HANDLE", importVarHandle, 0, 0, ""},
    {code::WHILE, "WHILE", importWhile, 1, -1},
    {code::ZEROS_LIKE, "ZEROS_LIKE", importZerosLike, 1, 1, "qsif"},
};

const OpRow *tflite::findOp(int32_t code) {
  for (const OpRow &row : kOps)
    if (row.code == code)
      return &row;
  return nullptr;
}

std::string tflite::opName(const OpInfo &op) {
  switch (op.code) {
#define QCC_TFLITE_CODE(number, name)                                          \
  case number:                                                                 \
    return #name;
#include "Codes.def"
#undef QCC_TFLITE_CODE
  default:
    return "number " + std::to_string(op.code);
  }
}

/// The letter of the table for a type; 0 for one that no op takes.
static char letterOf(fb::TensorType type) {
  switch (type) {
  case fb::TensorType_Float32:
    return 'f';
  case fb::TensorType_Float16:
  case fb::TensorType_BFloat16:
  case fb::TensorType_Float64:
    return 'h';
  case fb::TensorType_Int8:
  case fb::TensorType_UInt8:
  case fb::TensorType_Int4:
    return 'q';
  case fb::TensorType_Int16:
    return 's';
  case fb::TensorType_Int32:
  case fb::TensorType_Int64:
    return 'i';
  case fb::TensorType_Bool:
    return 'b';
  case fb::TensorType_Resource:
    return 'r';
  default:
    return 0;
  }
}

/// "int8, uint8, float32"
static std::string typesOf(StringRef letters) {
  SmallVector<StringRef> names;
  for (char letter : letters)
    names.push_back(letter == 'q'   ? "int8, uint8"
                    : letter == 's' ? "int16"
                    : letter == 'i' ? "int32, int64"
                    : letter == 'b' ? "bool"
                    : letter == 'f' ? "float32"
                    : letter == 'h' ? "float16, bfloat16, float64"
                                    : "variables");
  return llvm::join(names, ", ");
}

LogicalResult tflite::verifyOp(OpImporter &n, const OpRow &row) {
  int count = static_cast<int>(n.numInputs());
  if (count < row.least || (row.most >= 0 && count > row.most))
    return n.refuse() << "has " << count << " operands where "
                      << (count < row.least ? row.least : row.most)
                      << " are needed; correct the model";
  for (int i = 0; i < count; ++i)
    if (n.op.inputs[i] < 0 && (i < row.least || row.most < 0))
      return n.refuse() << "leaves out operand " << i
                        << ", which it needs; correct the model";
  bool hasNoResult =
      row.code == code::ASSIGN_VARIABLE || row.code == code::CALL_ONCE;
  if (n.numResults() == 0 && !hasNoResult)
    return n.refuse() << "has no result; correct the model";
  for (unsigned i = 0; i < n.numResults(); ++i)
    if (!n.resultElement(i) && n.result(i).type != fb::TensorType_Resource)
      return n.refuse() << "has a result of " << typeName(n.result(i).type)
                        << ", which is not supported; use float32, int32 or "
                           "int8";
  if (n.numResults() > 0 && !n.resultElement() && row.code != code::VAR_HANDLE)
    return n.refuse() << "gives a variable, which only VAR_HANDLE does; "
                         "correct the model";
  if (count == 0)
    return success();
  fb::TensorType first = n.info(0).type;
  char letter = letterOf(first);
  if (!letter || !StringRef(row.elements).contains(letter))
    return n.refuse() << "takes elements of " << typeName(first)
                      << ", which is not supported; use "
                      << typesOf(row.elements);
  int alike = row.alike < 0 ? count : row.alike;
  for (int i = 1; i < alike; ++i)
    if (n.info(i).type != first)
      return n.refuse() << "takes elements of " << typeName(first) << " and of "
                        << typeName(n.info(i).type)
                        << " together; convert one of them";
  return success();
}

std::vector<TFLiteOp> qcc::tfliteOps() {
  std::vector<TFLiteOp> ops;
  for (const OpRow &row : kOps)
    ops.push_back({row.name.str(), typesOf(row.elements)});
  return ops;
}
