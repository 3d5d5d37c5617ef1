//===- Describe.h - Descriptions of modules ---------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_DESCRIBE_H
#define QCC_TOOLS_COMMON_DESCRIBE_H

#include "qcc/Runtime/Module.h"
#include "qcc/Support/Json.h"

namespace qcc::tools {

/// "d0x512xf32", where dI is the I-th dynamic dimension of the arguments; what
/// is derived from them is "?".
std::string typeText(const rt::Entry &entry, rt::DType dtype,
                     const std::vector<rt::Size> &dims);

/// "scale 0.5, zero point 3", "64 scales along dimension 1"
std::string quantizationText(const rt::Quantization &quantization);

/// {"scales": [..], "zero_points": [..]}, with "axis" where it is per channel.
Json quantizationJson(const rt::Quantization &quantization);

/// The layers of a step: "fc1", or "fc1 .. relu1" where it goes on to compute
/// the value of another one; may be empty.
std::string layerText(const rt::Step &step);

/// Variants, entries, arguments, results and steps.
std::string listModule(const rt::Module &module, const std::string &name);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_DESCRIBE_H
