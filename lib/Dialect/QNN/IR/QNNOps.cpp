//===- QNNOps.cpp - Verifiers and accessors of the qnn ops ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constraints written in QNNOps.td of contractions, and those of single
// elementwise ops. What contractions share is in Contraction.cpp, what all
// elementwise ops share in QNNInterfaces.cpp, what concerns the parameters of
// one tensor in QuantParams.cpp.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

using namespace mlir;
using namespace qcc::qnn;

#define GET_OP_CLASSES
#include "qcc/Dialect/QNN/IR/QNNOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

// The tensors of contractions. With an i32 result the scales of the operands
// are not used.

static QuantTensor lhsOf(LinearOp op) {
  QuantForms forms = QuantForms::perTensorOrRow();
  forms.perGroup = true;
  forms.scaleOptional = yieldsInt32(op.getResult());
  return {"input", op.getInput(), op.getInputScale(), op.getInputZeroPoint(),
          forms};
}

static QuantTensor rhsOf(LinearOp op) {
  QuantForms forms;
  forms.channelAxis = 0;
  forms.perGroup = true;
  forms.scaleOptional = yieldsInt32(op.getResult());
  return {"weight", op.getWeight(), op.getWeightScale(),
          op.getWeightZeroPoint(), forms};
}

static QuantTensor lhsOf(MatmulOp op) {
  QuantForms forms = QuantForms::perTensorOrRow();
  forms.scaleOptional = yieldsInt32(op.getResult());
  return {"lhs", op.getLhs(), op.getLhsScale(), op.getLhsZeroPoint(), forms};
}

static QuantTensor rhsOf(MatmulOp op) {
  QuantForms forms;
  forms.scaleOptional = yieldsInt32(op.getResult());
  return {"rhs", op.getRhs(), op.getRhsScale(), op.getRhsZeroPoint(), forms};
}

template <typename OpTy> static QuantTensor resultOf(OpTy op) {
  return {"result", op.getResult(), op.getOutputScale(),
          op.getOutputZeroPoint(), QuantForms()};
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
  return verifyContraction(*this, {lhsOf(*this), rhsOf(*this), resultOf(*this),
                                   getBias(), getClampMin(), getClampMax(),
                                   input.back()});
}

bool LinearOp::hasFloatOperands() {
  return isa<FloatType>(elementOf(getInput()));
}

bool LinearOp::hasQuantizedResult() { return isQuantizedResult(getResult()); }

QuantParams LinearOp::getInputParams() { return lhsOf(*this).getParams(); }

QuantParams LinearOp::getWeightParams() { return rhsOf(*this).getParams(); }

QuantParams LinearOp::getResultParams() { return resultOf(*this).getParams(); }

int64_t LinearOp::getGroupSize() {
  if (hasFloatOperands())
    return 0;
  return std::max(getInputParams().groupSize, getWeightParams().groupSize);
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
  if (ShapedType::isDynamic(lhs.back()) != ShapedType::isDynamic(rhs[kDim]))
    return emitOpError("the reduction dimension is dynamic in one operand "
                       "only; make K static, or dynamic in both");
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
  return verifyContraction(*this,
                           {lhsOf(*this), rhsOf(*this), resultOf(*this),
                            Value(), getClampMin(), getClampMax(), lhs.back()});
}

bool MatmulOp::hasFloatOperands() {
  return isa<FloatType>(elementOf(getLhs()));
}

bool MatmulOp::hasQuantizedResult() { return isQuantizedResult(getResult()); }

QuantParams MatmulOp::getLhsParams() { return lhsOf(*this).getParams(); }

QuantParams MatmulOp::getRhsParams() { return rhsOf(*this).getParams(); }

QuantParams MatmulOp::getResultParams() { return resultOf(*this).getParams(); }

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// What ElementwiseOpInterface does not check.

LogicalResult ClampOp::verify() {
  if (!getMin() && !getMax())
    return emitOpError("has no bound; give min, max or both");
  return verifyClampBounds(*this, getMin(), getMax());
}

LogicalResult LookupOp::verify() {
  Type element = elementOf(getResult());
  if (isa<quant::QuantizedType>(element))
    element =
        IntegerType::get(getContext(), 8,
                         getResultParams().isSigned ? IntegerType::Signless
                                                    : IntegerType::Unsigned);
  if (shapeOf(getTable()) != ArrayRef<int64_t>{256})
    return emitOpError() << "table has type " << getTable().getType()
                         << "; it must have shape [256]";
  if (elementOf(getTable()) != element)
    return emitOpError() << "table has element type " << elementOf(getTable())
                         << " but the result is stored as " << element
                         << "; they must be equal";
  return success();
}
