//===- Strategies.h - How NVIDIA chips compute contractions -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_NVPTX_STRATEGIES_STRATEGIES_H
#define QCC_LIB_TARGET_NVPTX_STRATEGIES_STRATEGIES_H

#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"
#include "qcc/Target/Target.h"

namespace qcc::nvptx {

/// What a size that is not known is taken for, by all strategies.
inline constexpr int64_t kMany = 8192;

/// Whether `op`, on memrefs, has the form that kernels of every strategy read;
/// reports what does not fit.
llvm::LogicalResult verifyForm(kernel::ContractOp op, ConfigAttr config);

class TiledStrategy;

#define QCC_NVPTX_STRATEGY(name)                                               \
  std::unique_ptr<Strategy> make##name(const Spec &spec);
#define QCC_NVPTX_TILED_STRATEGY(name)                                         \
  std::unique_ptr<TiledStrategy> make##name(const Spec &spec);
#include "../Strategies.def"

/// Cycles of a further kernel that reads and writes so many bytes of memory.
double timeOfPass(const Spec &spec, double bytes);

} // namespace qcc::nvptx

#endif // QCC_LIB_TARGET_NVPTX_STRATEGIES_STRATEGIES_H
