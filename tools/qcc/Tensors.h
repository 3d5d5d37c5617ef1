//===- Tensors.h - Inputs and outputs of a run ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_TENSORS_H
#define QCC_TOOLS_QCC_TENSORS_H

#include "Driver.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Runtime/Tensor.h"
#include "qcc/Support/HostTensor.h"

namespace qcc::driver {

/// The function that `--entry` names, or the only one; reports and returns null
/// where there is none.
mlir::func::FuncOp findEntry(mlir::ModuleOp module, llvm::StringRef name);

/// What an entry takes, as the source program says.
struct TensorSpec {
  rt::DType dtype;
  std::vector<int64_t> shape; ///< kDynamic where it is dynamic
};
std::optional<std::vector<TensorSpec>> specsOf(mlir::func::FuncOp entry);

/// Reads or makes the inputs of an entry, checked against what it takes.
std::optional<std::vector<HostTensor>>
makeInputs(const std::vector<TensorSpec> &specs, const RunOptions &options,
           llvm::StringRef entry);

/// Counts the elements whose bits differ; NaNs are equal to each other.
int64_t countDifferences(const rt::Tensor &a, const rt::Tensor &b);

} // namespace qcc::driver

#endif // QCC_TOOLS_QCC_TENSORS_H
