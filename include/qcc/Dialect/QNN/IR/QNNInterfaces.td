//===- QNNInterfaces.td - Interface of elementwise qnn ops ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever works on all elementwise ops asks this interface, and keeps no list
// of them: the verifier, constant folding, the reference interpreter, the
// lowering and the front end. docs/Rationale/QNN.md says what a new op needs.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_QNNINTERFACES_TD
#define QCC_DIALECT_QNN_IR_QNNINTERFACES_TD

include "mlir/IR/OpBase.td"

def QNN_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::qcc::qnn";
  let description = [{
    An op that computes each element of its result from the elements at the same place
    of its tensors, and from their parameters. Where the op broadcasts, an operand that has
    the static size 1 in a dimension has its only element there at every place.
  }];
  let methods = [
    InterfaceMethod<[{
      The tensors that have an element for each element of the result, and where their
      parameters are: the operands in order, then the result. They have one shape, apart
      from dimensions that are broadcast.
    }], "::llvm::SmallVector<::qcc::qnn::QuantTensor>", "getTensors">,
    InterfaceMethod<[{
      The attribute `axis`: the channel dimension of parameters in operands, where it is
      not the last.
    }], "::std::optional<uint64_t>", "getChannelAxis", (ins), "",
    [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Whether operands are broadcast to the shape of the result. Their parameters are per
      tensor or per row.
    }], "bool", "broadcasts", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Whether the result is the value of the first tensor, only quantized (again).
    }], "bool", "onlyQuantizes", (ins), "", [{ return false; }]>,
  ];
  let extraSharedClassDeclaration = [{
    /// The parameters of a quantized tensor of `getTensors()`, in an op that
    /// was verified.
    ::qcc::qnn::QuantParams getParams(unsigned tensor) {
      return $_op.getTensors()[tensor].getParams();
    }
    ::qcc::qnn::QuantParams getResultParams() {
      return $_op.getTensors().back().getParams();
    }
    /// Whether the only element of an operand along a dimension is at every place of the
    /// result along it.
    bool isBroadcast(unsigned tensor, int64_t dim) {
      auto tensors = $_op.getTensors();
      return $_op.broadcasts() && tensors[tensor].getType().getDimSize(dim) == 1 &&
             tensors.back().getType().getDimSize(dim) != 1;
    }
  }];
  let verify = [{
    return ::qcc::qnn::detail::verifyElementwise(
        ::llvm::cast<::qcc::qnn::ElementwiseOpInterface>($_op));
  }];
}

#endif // QCC_DIALECT_QNN_IR_QNNINTERFACES_TD
