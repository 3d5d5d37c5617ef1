//===- Values.h - Between stored and real values ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules N1 and N5 of docs/Numerics.md for whole tensors, so that a program on
// floats and one on integers can be given the same input and have their values
// compared.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_VALUES_H
#define QCC_TOOLS_COMMON_VALUES_H

#include "qcc/Runtime/Module.h"
#include "qcc/Runtime/Tensor.h"
#include "qcc/Support/HostTensor.h"

namespace qcc::tools {

bool isSameQuantization(const std::optional<rt::Quantization> &a,
                        const std::optional<rt::Quantization> &b);

/// The real values of a tensor: f32 where it is quantized, s * (q - z) by N1,
/// and a copy where it is not.
rt::Result<HostTensor>
realValues(const rt::Tensor &tensor,
           const std::optional<rt::Quantization> &quantization);

/// Real values, of a float type, as `dtype` stores them: by N5 where that is
/// quantized, rounded where it is a float.
rt::Result<HostTensor>
storedValues(const HostTensor &real, rt::DType dtype,
             const std::optional<rt::Quantization> &quantization);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_VALUES_H
