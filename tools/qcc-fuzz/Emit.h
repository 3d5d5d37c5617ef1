//===- Emit.h - A run of a program for other interpreters ----- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with `graph.json`, `constant<value>.npy`, `input<n>.npy` and
// `result<n>.npy`. The graph has sizes as numbers; the texts of ops are those
// of Print.h.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_FUZZ_EMIT_H
#define QCC_TOOLS_FUZZ_EMIT_H

#include "Batch.h"
#include "qcc/Base/Status.h"
#include "qcc/Runtime/Tensor.h"

namespace qcc::fuzz {

rt::Status emitRun(const std::string &folder, const Subject &subject,
                   const Case &which, const std::vector<rt::Tensor> &inputs,
                   const std::vector<rt::Tensor> &results);

} // namespace qcc::fuzz

#endif // QCC_TOOLS_FUZZ_EMIT_H
