//===- WeightHooks.h - Weights that the caller has --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_WEIGHTHOOKS_H
#define QCC_LIB_CAPI_COMPILER_WEIGHTHOOKS_H

#include "qcc-c/Compiler.h"
#include "qcc/Frontend/MLIR/Import.h"

namespace qcc::capi {

/// A compact tensor of the caller in host memory; a failure says what it is
/// instead.
rt::Result<HostView> viewTensor(const DLTensor *tensor);

/// Where the options say that weights come from. What is returned refers to
/// what the options refer to.
rt::Result<WeightsSource> readWeights(const qccCompileOptions &options);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_WEIGHTHOOKS_H
