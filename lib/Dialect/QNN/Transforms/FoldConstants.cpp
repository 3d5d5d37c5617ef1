//===- FoldConstants.cpp - qnn ops on constants ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates by N5 and N6 in the host's f32, one IEEE operation at a time: no
// expression below has a product and a sum that could be contracted.
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/QNN/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

namespace qcc {
#define GEN_PASS_DEF_QNNFOLDCONSTANTS
#include "qcc/Dialect/QNN/Transforms/Passes.h.inc"
} // namespace qcc

using namespace mlir;
using namespace qcc;
using namespace qcc::qnn;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A stored integer: 1 or 4 bytes.
static int64_t loadInteger(ArrayRef<char> bytes, int64_t index,
                           const QuantParams &params) {
  if (params.width == 32) {
    int32_t value;
    memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  }
  char byte = bytes[index];
  return params.isSigned ? static_cast<int8_t>(byte)
                         : static_cast<uint8_t>(byte);
}

static float loadFloat(ArrayRef<char> bytes, int64_t index, Type type) {
  if (type.isF32()) {
    float value;
    memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  }
  uint16_t bits;
  memcpy(&bits, bytes.data() + 2 * index, 2);
  return APFloat(cast<FloatType>(type).getFloatSemantics(), APInt(16, bits))
      .convertToFloat();
}

static void storeFloat(std::vector<char> &bytes, float value, Type type) {
  if (type.isF32()) {
    const char *data = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), data, data + 4);
    return;
  }
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  uint16_t bits = rounded.bitcastToAPInt().getZExtValue();
  const char *data = reinterpret_cast<const char *>(&bits);
  bytes.insert(bytes.end(), data, data + 2);
}

namespace {
/// Which of the parameters belongs to an element, by its row-major index.
struct ParamIndex {
  QuantParams::Kind kind;
  int64_t inner = 1, channels = 1;

  ParamIndex(QuantParams::Kind kind, int64_t axis, RankedTensorType type)
      : kind(kind) {
    if (kind == QuantParams::Kind::PerRow)
      inner = type.getShape().back();
    if (kind != QuantParams::Kind::PerChannel)
      return;
    channels = type.getDimSize(axis);
    for (int64_t size : type.getShape().drop_front(axis + 1))
      inner *= size;
  }
  int64_t operator()(int64_t index) const {
    switch (kind) {
    case QuantParams::Kind::PerTensor:
      return 0;
    case QuantParams::Kind::PerChannel:
      return index / inner % channels;
    case QuantParams::Kind::PerRow:
      return index / inner;
    }
    llvm_unreachable("a kind that is none");
  }
};

/// Known parameters of a tensor, by element.
struct KnownParams {
  QuantParams params;
  ParamIndex scaleIndex, zeroPointIndex;

  float scale(int64_t index) const { return params.scales[scaleIndex(index)]; }
  int64_t zeroPoint(int64_t index) const {
    return params.zeroPoints[zeroPointIndex(index)];
  }

  static std::optional<KnownParams> get(Value tensor, Value scale,
                                        Value zeroPoint,
                                        std::optional<int64_t> axis = {}) {
    FailureOr<QuantParams> params =
        getQuantParams(tensor.getType(), scale, zeroPoint, axis);
    if (failed(params) || !params->isScaleConstant ||
        !params->isZeroPointConstant)
      return std::nullopt;
    auto type = cast<RankedTensorType>(tensor.getType());
    return KnownParams{*params,
                       ParamIndex(params->scaleKind, params->axis, type),
                       ParamIndex(params->zeroPointKind, params->axis, type)};
  }
};
} // namespace

/// saturate(rint(v) + z); NaN gives z.
static int64_t roundAndSaturate(float v, int64_t z, const QuantParams &params) {
  if (std::isnan(v))
    return z;
  // Exact in f64 where it is not saturated anyway.
  double q = static_cast<double>(std::rint(v)) + static_cast<double>(z);
  return static_cast<int64_t>(std::clamp(q, static_cast<double>(params.qmin),
                                         static_cast<double>(params.qmax)));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

using Bytes = std::optional<std::vector<char>>;

static Bytes evaluate(QuantizeOp op, ArrayRef<char> input) {
  auto params = KnownParams::get(op.getResult(), op.getScale(),
                                 op.getZeroPoint(), op.getAxis());
  if (!params || params->params.width != 8)
    return std::nullopt;
  Type element = getTensorType(op.getInput()).getElementType();
  std::vector<char> result;
  for (int64_t i = 0, e = getTensorType(op.getInput()).getNumElements(); i < e;
       ++i) {
    float v = loadFloat(input, i, element) / params->scale(i);
    int64_t z = params->zeroPoint(i);
    if (op.getZeroPointBeforeRounding() && !std::isnan(v))
      result.push_back(
          roundAndSaturate(v + static_cast<float>(z), 0, params->params));
    else
      result.push_back(roundAndSaturate(v, z, params->params));
  }
  return result;
}

static Bytes evaluate(DequantizeOp op, ArrayRef<char> input) {
  auto params = KnownParams::get(op.getInput(), op.getScale(),
                                 op.getZeroPoint(), op.getAxis());
  if (!params)
    return std::nullopt;
  Type element = getTensorType(op.getResult()).getElementType();
  std::vector<char> result;
  for (int64_t i = 0, e = getTensorType(op.getInput()).getNumElements(); i < e;
       ++i) {
    int64_t q = loadInteger(input, i, params->params);
    storeFloat(result,
               static_cast<float>(q - params->zeroPoint(i)) * params->scale(i),
               element);
  }
  return result;
}

static Bytes evaluate(RequantizeOp op, ArrayRef<char> input) {
  auto from = KnownParams::get(op.getInput(), op.getInputScale(),
                               op.getInputZeroPoint(), op.getAxis());
  auto to = KnownParams::get(op.getResult(), op.getOutputScale(),
                             op.getOutputZeroPoint(), op.getAxis());
  if (!from || !to || to->params.width != 8)
    return std::nullopt;
  std::vector<char> result;
  for (int64_t i = 0, e = getTensorType(op.getInput()).getNumElements(); i < e;
       ++i) {
    int64_t q = loadInteger(input, i, from->params);
    float v = static_cast<float>(q - from->zeroPoint(i)) *
              (from->scale(i) / to->scale(i));
    result.push_back(roundAndSaturate(v, to->zeroPoint(i), to->params));
  }
  return result;
}

static Bytes evaluate(ClampOp op, ArrayRef<char> input) {
  auto params =
      KnownParams::get(op.getInput(), op.getScale(), op.getZeroPoint());
  if (!params)
    return std::nullopt;
  std::vector<char> result;
  for (int64_t i = 0, e = getTensorType(op.getInput()).getNumElements(); i < e;
       ++i) {
    int64_t q = loadInteger(input, i, params->params);
    auto bound = [&](const APFloat &value) {
      return roundAndSaturate(value.convertToFloat() / params->scale(i),
                              params->zeroPoint(i), params->params);
    };
    if (op.getMin())
      q = std::max(q, bound(*op.getMin()));
    if (op.getMax())
      q = std::min(q, bound(*op.getMax()));
    result.push_back(q);
  }
  return result;
}

static Bytes evaluate(LookupOp op, ArrayRef<char> input) {
  std::optional<ConstantData> table = ConstantData::get(op.getTable());
  if (!table)
    return std::nullopt;
  Type element = getTensorType(op.getInput()).getElementType();
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  bool isSigned =
      quantized ? quantized.isSigned() : !element.isUnsignedInteger();
  unsigned width =
      getElementBytes(getTensorType(op.getTable()).getElementType());
  std::vector<char> result;
  for (char byte : input) {
    int index = static_cast<uint8_t>(byte) ^ (isSigned ? 128 : 0);
    const char *entry = table->bytes.data() + width * index;
    result.insert(result.end(), entry, entry + width);
  }
  return result;
}

/// The constant value of the result of `op`, or null.
static TypedAttr evaluate(Operation *op) {
  if (TypedAttr moved = foldMovement(op))
    return moved;
  if (!isa<QuantizeOp, DequantizeOp, RequantizeOp, ClampOp, LookupOp>(op))
    return {};
  RankedTensorType type = getTensorType(op->getResult(0));
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return {};
  std::optional<ConstantData> input = ConstantData::get(op->getOperand(0));
  if (!input)
    return {};
  Bytes bytes =
      llvm::TypeSwitch<Operation *, Bytes>(op)
          .Case<QuantizeOp, DequantizeOp, RequantizeOp, ClampOp, LookupOp>(
              [&](auto known) { return evaluate(known, input->bytes); });
  if (!bytes)
    return {};
  StringRef kind = isa<DequantizeOp>(op) ? "real" : "quantized";
  return makeConstant(type, *bytes,
                      input->name.empty() ? kind.str()
                                          : input->name + "_" + kind.str());
}

namespace {
struct QNNFoldConstants : qcc::impl::QNNFoldConstantsBase<QNNFoldConstants> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 && op->getNumOperands() > 0)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      TypedAttr value = evaluate(op);
      if (!value)
        continue;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    }
  }
};
} // namespace
