//===- Sizes.h - Sizes that a command line gives ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dynamic dimensions of the arguments of an entry get their sizes from
// `--shape=NAME=2x3`, from `--dim=NAME=2`, or from `--dim=2`, in this order.
//
// Sizes with a name fix the dimensions of an ONNX model, in all commands: what
// they compile, run, measure or explain is one program. Programs of MLIR and
// artifacts keep their dynamic dimensions; all sizes are those of inputs there.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_SIZES_H
#define QCC_TOOLS_COMMON_SIZES_H

#include "qcc/Runtime/Module.h"

#include <map>
#include <string>
#include <vector>

namespace qcc::tools {

class Arguments;

/// What an entry takes.
struct TensorSpec {
  rt::DType dtype;
  std::vector<int64_t> shape; ///< -1 where it is dynamic
  std::string name;           ///< may be empty
  /// One for each dimension, which may be empty; or none.
  std::vector<std::string> dimNames;

  /// "input 0 'x'"
  std::string describe(size_t position) const;
};
std::vector<TensorSpec> specsOf(const rt::Entry &entry);

/// Sizes of dynamic dimensions by their names.
using NamedSizes = std::map<std::string, int64_t>;

/// Adds "batch=4"; fails where the text is something else, or the name has a
/// size.
rt::Status addNamedDim(std::string_view text, NamedSizes &sizes);

/// The sizes of dynamic dimensions that a command line gives.
struct GivenSizes {
  std::vector<int64_t> dims; ///< in order
  NamedSizes named;
  /// All sizes of the arguments of some names.
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;

  /// The sizes of inputs of a model that is compiled for those with a name.
  GivenSizes withoutNames() const { return {dims, {}, {}}; }

  bool empty() const { return dims.empty() && named.empty() && shapes.empty(); }

  /// "4" or "batch=4"
  rt::Status addDim(std::string_view text);
  /// "x=2x3"
  rt::Status addShape(std::string_view text);
};

/// Adds --dim and --shape. Sizes without a name are those of `inputs`, which
/// the help names; a command without inputs has none and takes no such sizes.
void addSizeArguments(Arguments &arguments, GivenSizes &sizes,
                      const std::string &inputs = "");

/// The specs of an entry with the sizes that are given. Fails if the size of an
/// argument that is `wanted` stays unknown. Only wanted arguments take sizes
/// without a name; messages call them `what`.
rt::Result<std::vector<TensorSpec>>
resolveSizes(std::vector<TensorSpec> specs, const GivenSizes &given,
             const std::vector<bool> &wanted, const std::string &entry,
             const std::string &what = "the random inputs");

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_SIZES_H
