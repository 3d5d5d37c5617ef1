//===- Launches.h - Launches of a device step -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EXPLAIN_LAUNCHES_H
#define QCC_EXPLAIN_LAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "qcc/Transforms/Program/Program.h"
#include <optional>
#include <string>
#include <vector>

namespace qcc {

/// A parameter of a kernel: a size, a pointer to a tensor, or a tensor map.
struct LaunchParameter {
  /// "size", "argument", "result", "temporary", "constant" or "tensor_map".
  std::string kind;
  /// The size, the number of the argument or result, the byte offset among
  /// temporaries or constants, or the number of the parameter that is the
  /// tensor of the map.
  int64_t value = 0;

  // Only tensors have what follows.
  std::string type; ///< of an element: "i8", "bf16"
  std::vector<int64_t> dims;
  bool isWritten = false;

  // Only tensor maps have what follows, and `dims`: see qcc_tensor_map_desc.
  int64_t offset = 0;
  std::vector<int64_t> strides, box;
  int64_t swizzle = 0;
};

/// A step of an entry as a launch, for dimensions that are known.
struct LaunchExplanation {
  std::string kernel;
  int64_t grid, block, sharedBytes;
  bool isProgrammatic; ///< May start while the kernels before it end.
  std::vector<LaunchParameter> parameters;
};

/// The launches of an entry after the target stage, without the offsets of
/// constants. Nothing where sizes depend on dimensions that `dims`, those of
/// the arguments, does not give.
std::optional<std::vector<LaunchExplanation>>
explainLaunches(mlir::func::FuncOp entry, llvm::ArrayRef<int64_t> dims);

/// Adds what the llvm stage decides: the offsets of constants.
void addConstantOffsets(std::vector<LaunchExplanation> &launches,
                        const ProgramEntry &entry);

} // namespace qcc

#endif // QCC_EXPLAIN_LAUNCHES_H
