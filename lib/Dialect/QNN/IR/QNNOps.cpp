//===- QNNOps.cpp - Verifiers and accessors of the qnn ops ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints written in QNNOps.td. What concerns the parameters of one
// tensor is in QuantParams.cpp.
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/QNN.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace qcc::qnn;

#define GET_OP_CLASSES
#include "qcc/Dialect/QNN/IR/QNNOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// One operand or result, with its name in messages and its parameters.
namespace {
struct Side {
  StringRef name;
  Value tensor;
  Value scale;
  Value zeroPoint;
  QuantForms forms;
};
} // namespace

static FailureOr<QuantParams> verifySide(Operation *op, const Side &side) {
  return getQuantParams([&] { return op->emitOpError(); }, side.name,
                        side.tensor.getType(), side.scale, side.zeroPoint,
                        side.forms);
}

/// The parameters of a verified op; `axis` is the channel dimension of
/// operands.
static QuantParams read(Value tensor, Value scale, Value zeroPoint,
                        std::optional<int64_t> axis = std::nullopt) {
  QuantForms forms;
  forms.int32 = forms.perRow = forms.anyTypeAxis = true;
  forms.scaleOptional = true; // i32 results of contractions, C2
  forms.channelAxis = axis.value_or(shapeOf(tensor).size() - 1);
  FailureOr<QuantParams> params =
      getQuantParams([] { return InFlightDiagnostic(); }, "", tensor.getType(),
                     scale, zeroPoint, forms);
  assert(succeeded(params) && "parameters of an op that was not verified");
  return *params;
}

static LogicalResult verifySameShape(Operation *op, StringRef a, Value x,
                                     StringRef b, Value y) {
  if (shapeOf(x) == shapeOf(y))
    return success();
  return op->emitOpError() << a << " " << x.getType() << " and " << b << " "
                           << y.getType()
                           << " must have the same shape; insert a tensor.cast "
                              "if only ? differs";
}

static LogicalResult verifyBounds(Operation *op, std::optional<APFloat> low,
                                  std::optional<APFloat> high) {
  if ((low && low->isNaN()) || (high && high->isNaN()))
    return op->emitOpError("clamp bound is NaN; give a number or infinity");
  if (low && high && *low > *high)
    return op->emitOpError("lower clamp bound is above the upper one; swap "
                           "them");
  return success();
}

/// The channel dimension of operands of quantize, dequantize and requantize.
static int64_t channelAxis(Value tensor, std::optional<uint64_t> axis) {
  return axis ? static_cast<int64_t>(*axis) : shapeOf(tensor).size() - 1;
}

static LogicalResult verifyAxis(Operation *op, Value tensor,
                                std::optional<uint64_t> axis,
                                ArrayRef<Value> params) {
  if (axis && llvm::none_of(params, [](Value param) { return param; }))
    return op->emitOpError("has an axis, which is that of scale and zero point "
                           "operands, and none of these; remove it, a type has "
                           "its own");
  int64_t rank = shapeOf(tensor).size();
  int64_t value = channelAxis(tensor, axis);
  if (!axis || (value >= 0 && value < rank))
    return success();
  return op->emitOpError() << "axis " << value << " is not a dimension of "
                           << tensor.getType() << "; give 0 to " << rank - 1;
}

/// The forms that quantize, dequantize and requantize allow.
static QuantForms anyForm(Value tensor, std::optional<uint64_t> axis) {
  QuantForms forms;
  forms.perRow = forms.anyTypeAxis = true;
  forms.channelAxis = channelAxis(tensor, axis);
  return forms;
}

static QuantForms perTensorOrRow() {
  QuantForms forms;
  forms.perRow = true;
  return forms;
}

//===----------------------------------------------------------------------===//
// Between real and quantized
//===----------------------------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  if (failed(
          verifySameShape(*this, "input", getInput(), "result", getResult())) ||
      failed(verifyAxis(*this, getResult(), getAxis(),
                        {getScale(), getZeroPoint()})))
    return failure();
  return verifySide(*this, {"result", getResult(), getScale(), getZeroPoint(),
                            anyForm(getResult(), getAxis())});
}

QuantParams QuantizeOp::getResultParams() {
  return read(getResult(), getScale(), getZeroPoint(), getAxis());
}

LogicalResult DequantizeOp::verify() {
  if (failed(
          verifySameShape(*this, "input", getInput(), "result", getResult())) ||
      failed(verifyAxis(*this, getInput(), getAxis(),
                        {getScale(), getZeroPoint()})))
    return failure();
  QuantForms forms = anyForm(getInput(), getAxis());
  forms.int32 = true;
  return verifySide(*this,
                    {"input", getInput(), getScale(), getZeroPoint(), forms});
}

QuantParams DequantizeOp::getInputParams() {
  return read(getInput(), getScale(), getZeroPoint(), getAxis());
}

LogicalResult RequantizeOp::verify() {
  if (failed(
          verifySameShape(*this, "input", getInput(), "result", getResult())) ||
      failed(verifyAxis(*this, getInput(), getAxis(),
                        {getInputScale(), getInputZeroPoint(), getOutputScale(),
                         getOutputZeroPoint()})))
    return failure();
  QuantForms forms = anyForm(getInput(), getAxis());
  QuantForms inputForms = forms;
  inputForms.int32 = true;
  if (failed(verifySide(*this, {"input", getInput(), getInputScale(),
                                getInputZeroPoint(), inputForms})))
    return failure();
  return verifySide(*this, {"result", getResult(), getOutputScale(),
                            getOutputZeroPoint(), forms});
}

QuantParams RequantizeOp::getInputParams() {
  return read(getInput(), getInputScale(), getInputZeroPoint(), getAxis());
}

QuantParams RequantizeOp::getResultParams() {
  return read(getResult(), getOutputScale(), getOutputZeroPoint(), getAxis());
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// N2: K * max|x - zx| * max|w - zw| fits in i32.
static LogicalResult verifyNoOverflow(Operation *op, int64_t k,
                                      const QuantParams &lhs,
                                      const QuantParams &rhs) {
  int64_t product = lhs.getMaxDifference() * rhs.getMaxDifference();
  int64_t limit =
      std::numeric_limits<int32_t>::max() / std::max<int64_t>(product, 1);
  if (k <= limit)
    return success();
  return op->emitOpError() << "reduction of " << k << " products of at most "
                           << product
                           << " could overflow i32; with these storage ranges "
                              "and zero points at most "
                           << limit << " are possible, split the reduction";
}

static bool isReal(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type>(type);
}

/// What qnn.linear and qnn.matmul have in common, apart from shapes. `k` is the
/// size of the reduction.
template <typename OpTy>
static LogicalResult verifyContraction(OpTy op, Side lhs, Side rhs, Value bias,
                                       int64_t k) {
  Type result = elementOf(op.getResult());
  Value outputScale = op.getOutputScale();
  Value outputZeroPoint = op.getOutputZeroPoint();
  bool isInteger = result.isSignlessInteger(32);

  bool lhsFloat = isa<FloatType>(elementOf(lhs.tensor));
  if (lhsFloat != isa<FloatType>(elementOf(rhs.tensor)))
    return op.emitOpError()
           << lhs.name << " " << lhs.tensor.getType() << " and " << rhs.name
           << " " << rhs.tensor.getType()
           << " must both be f32 or both be quantized; quantize the one or "
              "dequantize the other";
  if (lhsFloat) {
    for (const Side &side : {lhs, rhs}) {
      if (!elementOf(side.tensor).isF32())
        return op.emitOpError()
               << side.name << " has element type " << elementOf(side.tensor)
               << "; real operands are f32";
      if (side.scale || side.zeroPoint)
        return op.emitOpError() << side.name
                                << " is f32 and takes no scale or zero point; "
                                   "remove the operand";
    }
    if (!isReal(result))
      return op.emitOpError() << "has f32 operands and a result of " << result
                              << "; make the result f32, f16 or bf16 and "
                                 "quantize it by qnn.quantize";
    if (bias && !elementOf(bias).isF32())
      return op.emitOpError("has f32 operands and an i32 bias; dequantize the "
                            "bias to f32");
  } else {
    lhs.forms.scaleOptional = rhs.forms.scaleOptional = isInteger;
    FailureOr<QuantParams> lhsParams = verifySide(op, lhs);
    if (failed(lhsParams))
      return failure();
    FailureOr<QuantParams> rhsParams = verifySide(op, rhs);
    if (failed(rhsParams) ||
        failed(verifyNoOverflow(op, k, *lhsParams, *rhsParams)))
      return failure();
  }

  if (isInteger || isReal(result)) {
    if (outputScale || outputZeroPoint)
      return op.emitOpError() << "has a result of " << result
                              << ", which takes no scale or zero point; remove "
                                 "the operand";
    if (isInteger && bias && !elementOf(bias).isInteger(32))
      return op.emitOpError("has an i32 result and an f32 bias; give the bias "
                            "in i32 or make the result f32");
    if (isInteger && (op.getClampMin() || op.getClampMax()))
      return op.emitOpError("has an i32 result and a clamp; make the result "
                            "f32 or quantized, or remove the clamp");
  } else if (failed(verifySide(op, {"result", op.getResult(), outputScale,
                                    outputZeroPoint, QuantForms()}))) {
    return failure();
  }
  return verifyBounds(op, op.getClampMin(), op.getClampMax());
}

LogicalResult LinearOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), weight = shapeOf(getWeight()),
                    result = shapeOf(getResult());
  if (input.empty() || weight.size() != 2 || result.size() != input.size())
    return emitOpError() << "needs an input [..., K], a weight [N, K] and a "
                            "result [..., N] of the input's rank; got "
                         << getInput().getType() << ", "
                         << getWeight().getType() << " and "
                         << getResult().getType();
  if (ShapedType::isDynamicShape(weight) ||
      ShapedType::isDynamic(input.back()) ||
      ShapedType::isDynamic(result.back()))
    return emitOpError("only leading dimensions of input and result may be "
                       "dynamic; make K and N static");
  if (input.back() != weight[1])
    return emitOpError() << "input has " << input.back()
                         << " elements in its last dimension but the weight "
                         << weight[1] << "; the weight must be [N, K]";
  if (result.back() != weight[0])
    return emitOpError() << "result has " << result.back()
                         << " elements in its last dimension but the weight "
                         << weight[0] << " rows; they must be equal";
  if (input.drop_back() != result.drop_back())
    return emitOpError() << "input " << getInput().getType() << " and result "
                         << getResult().getType()
                         << " must have equal leading dimensions";
  if (Value bias = getBias())
    if (shapeOf(bias) != ArrayRef<int64_t>{weight[0]})
      return emitOpError() << "bias has type " << bias.getType()
                           << "; it must have shape [" << weight[0] << "]";
  QuantForms weightForms;
  weightForms.channelAxis = 0;
  return verifyContraction(*this,
                           {"input", getInput(), getInputScale(),
                            getInputZeroPoint(), perTensorOrRow()},
                           {"weight", getWeight(), getWeightScale(),
                            getWeightZeroPoint(), weightForms},
                           getBias(), input.back());
}

bool LinearOp::hasFloatOperands() {
  return isa<FloatType>(elementOf(getInput()));
}

/// Neither real nor an accumulator.
static bool isQuantizedResult(Value result) {
  Type element = elementOf(result);
  return !isReal(element) && !element.isSignlessInteger(32);
}

bool LinearOp::hasQuantizedResult() { return isQuantizedResult(getResult()); }

QuantParams LinearOp::getInputParams() {
  return read(getInput(), getInputScale(), getInputZeroPoint());
}

QuantParams LinearOp::getWeightParams() {
  return read(getWeight(), getWeightScale(), getWeightZeroPoint(), 0);
}

QuantParams LinearOp::getResultParams() {
  return read(getResult(), getOutputScale(), getOutputZeroPoint());
}

LogicalResult MatmulOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs()),
                    result = shapeOf(getResult());
  size_t rank = lhs.size();
  if (rank < 2 || rhs.size() != rank || result.size() != rank)
    return emitOpError() << "needs lhs, rhs and result of equal ranks of at "
                            "least 2; got "
                         << getLhs().getType() << ", " << getRhs().getType()
                         << " and " << getResult().getType();
  size_t kDim = rank - 2, nDim = rank - 1;
  if (getTransposeRhs())
    std::swap(kDim, nDim);
  if (ShapedType::isDynamic(lhs.back()) || ShapedType::isDynamic(rhs[kDim]))
    return emitOpError("the reduction dimension is dynamic; make K static");
  if (lhs.back() != rhs[kDim])
    return emitOpError() << "lhs has " << lhs.back()
                         << " elements in its last dimension but dimension "
                         << kDim << " of rhs " << rhs[kDim]
                         << "; they must be equal (transpose_rhs takes rhs as "
                            "[..., N, K])";
  if (lhs.drop_back(2) != rhs.drop_back(2) ||
      lhs.drop_back(2) != result.drop_back(2))
    return emitOpError() << "lhs " << getLhs().getType() << ", rhs "
                         << getRhs().getType() << " and result "
                         << getResult().getType()
                         << " must have equal batch dimensions";
  if (result[rank - 2] != lhs[rank - 2] || result.back() != rhs[nDim])
    return emitOpError() << "result " << getResult().getType()
                         << " does not end in the rows of lhs "
                         << getLhs().getType() << " and the columns of rhs "
                         << getRhs().getType() << "; make it [..., M, N]";
  return verifyContraction(
      *this,
      {"lhs", getLhs(), getLhsScale(), getLhsZeroPoint(), perTensorOrRow()},
      {"rhs", getRhs(), getRhsScale(), getRhsZeroPoint(), QuantForms()},
      Value(), lhs.back());
}

bool MatmulOp::hasFloatOperands() {
  return isa<FloatType>(elementOf(getLhs()));
}

bool MatmulOp::hasQuantizedResult() { return isQuantizedResult(getResult()); }

QuantParams MatmulOp::getLhsParams() {
  return read(getLhs(), getLhsScale(), getLhsZeroPoint());
}

QuantParams MatmulOp::getRhsParams() {
  return read(getRhs(), getRhsScale(), getRhsZeroPoint());
}

QuantParams MatmulOp::getResultParams() {
  return read(getResult(), getOutputScale(), getOutputZeroPoint());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult verifyBinary(OpTy op) {
  if (failed(verifySameShape(op, "lhs", op.getLhs(), "rhs", op.getRhs())) ||
      failed(verifySameShape(op, "lhs", op.getLhs(), "result", op.getResult())))
    return failure();
  QuantForms forms = perTensorOrRow();
  for (const Side &side :
       {Side{"lhs", op.getLhs(), op.getLhsScale(), op.getLhsZeroPoint(), forms},
        Side{"rhs", op.getRhs(), op.getRhsScale(), op.getRhsZeroPoint(), forms},
        Side{"result", op.getResult(), op.getOutputScale(),
             op.getOutputZeroPoint(), forms}})
    if (failed(verifySide(op, side)))
      return failure();
  return success();
}

LogicalResult AddOp::verify() { return verifyBinary(*this); }

QuantParams AddOp::getLhsParams() {
  return read(getLhs(), getLhsScale(), getLhsZeroPoint());
}

QuantParams AddOp::getRhsParams() {
  return read(getRhs(), getRhsScale(), getRhsZeroPoint());
}

QuantParams AddOp::getResultParams() {
  return read(getResult(), getOutputScale(), getOutputZeroPoint());
}

LogicalResult MulOp::verify() { return verifyBinary(*this); }

QuantParams MulOp::getLhsParams() {
  return read(getLhs(), getLhsScale(), getLhsZeroPoint());
}

QuantParams MulOp::getRhsParams() {
  return read(getRhs(), getRhsScale(), getRhsZeroPoint());
}

QuantParams MulOp::getResultParams() {
  return read(getResult(), getOutputScale(), getOutputZeroPoint());
}

LogicalResult ClampOp::verify() {
  if (!getMin() && !getMax())
    return emitOpError("has no bound; give min, max or both");
  if (failed(verifyBounds(*this, getMin(), getMax())))
    return failure();
  return verifySide(*this, {"input", getInput(), getScale(), getZeroPoint(),
                            perTensorOrRow()});
}

QuantParams ClampOp::getInputParams() {
  return read(getInput(), getScale(), getZeroPoint());
}

LogicalResult LookupOp::verify() {
  if (failed(
          verifySameShape(*this, "input", getInput(), "result", getResult())))
    return failure();
  // The parameters do not matter to a table: any that are valid will do.
  QuantForms forms;
  forms.scaleOptional = forms.anyTypeAxis = true;
  forms.channelAxis = 0;
  if (failed(verifySide(*this, {"input", getInput(), {}, {}, forms})))
    return failure();

  Type element = elementOf(getResult());
  if (isa<quant::QuantizedType>(element)) {
    FailureOr<QuantParams> params =
        verifySide(*this, {"result", getResult(), {}, {}, forms});
    if (failed(params))
      return failure();
    element = IntegerType::get(getContext(), 8,
                               params->isSigned ? IntegerType::Signless
                                                : IntegerType::Unsigned);
  }
  if (shapeOf(getTable()) != ArrayRef<int64_t>{256})
    return emitOpError() << "table has type " << getTable().getType()
                         << "; it must have shape [256]";
  if (elementOf(getTable()) != element)
    return emitOpError() << "table has element type " << elementOf(getTable())
                         << " but the result is stored as " << element
                         << "; they must be equal";
  return success();
}
