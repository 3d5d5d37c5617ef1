//===- BoundLLVM.h - Which LLVM libqcc is bound to --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic loader binds a call to the first library of the process that
// exports the name to all. Where that is a library with an LLVM of its own, as
// TensorFlow is, parts of two versions would call each other.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_BOUNDLLVM_H
#define QCC_LIB_CAPI_COMPILER_BOUNDLLVM_H

#include "qcc/Base/Status.h"

namespace qcc::capi {

/// Success if the functions of LLVM and MLIR that libqcc, libMLIR and libLLVM
/// call are their own; otherwise Unsupported, with the name of the other
/// library. Calls nothing of LLVM's libraries. The first call looks, and all
/// others return what it found.
rt::Status checkBoundLLVM();

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_BOUNDLLVM_H
