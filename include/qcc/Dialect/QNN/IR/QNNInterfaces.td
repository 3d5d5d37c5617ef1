//===- QNNInterfaces.td - What elementwise qnn ops have in common ----------===//
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
    of its tensors, and from their parameters.
  }];
  let methods = [
    InterfaceMethod<[{
      The tensors that have an element for each element of the result, and where their
      parameters are: the operands in order, then the result. They have one shape.
    }], "::llvm::SmallVector<::qcc::qnn::QuantTensor>", "getTensors">,
    InterfaceMethod<[{
      The attribute `axis`: the channel dimension of parameters in operands, where it is
      not the last.
    }], "::std::optional<uint64_t>", "getChannelAxis", (ins), "",
    [{ return std::nullopt; }]>,
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
  }];
  let verify = [{
    return ::qcc::qnn::detail::verifyElementwise(
        ::llvm::cast<::qcc::qnn::ElementwiseOpInterface>($_op));
  }];
}

#endif // QCC_DIALECT_QNN_IR_QNNINTERFACES_TD
