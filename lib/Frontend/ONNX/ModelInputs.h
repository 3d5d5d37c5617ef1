//===- ModelInputs.h - Fixed inputs of an ONNX model ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_MODELINPUTS_H
#define QCC_LIB_FRONTEND_ONNX_MODELINPUTS_H

#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/ONNXModel/Model.h"
#include <set>

namespace qcc::onnx {

/// The inputs of a model with the sizes and values that are fixed. An input
/// with a constant of its name has a default, which it keeps unless another
/// value is fixed: it is no argument of the program either way.
class ModelInputs {
public:
  ModelInputs(const Graph &graph, const FixedInputs &fixed);

  /// Reads the fixed sizes and values. A failure names the one that does not
  /// fit the model.
  rt::Status read();

  /// Whether it is an argument of the program.
  bool isArgument(const ValueInfo &input) const;
  /// An argument with all sizes that are known.
  ValueInfo withSizes(const ValueInfo &input) const;
  /// The size that is fixed for a name of dimensions.
  std::optional<int64_t> sizeOf(std::string_view symbol) const;
  /// The inputs that are constants, row-major elements of the inputs' types.
  const std::vector<Tensor> &constants() const { return values; }

private:
  bool isFixed(const ValueInfo &input) const;
  const ValueInfo *find(const std::string &name) const;
  /// Gives all dimensions of an input their sizes.
  rt::Status fixShape(const ValueInfo &input, const std::vector<int64_t> &shape,
                      const std::string &what);
  rt::Status fixSymbol(std::string_view symbol, int64_t size,
                       const std::string &what);
  rt::Status addConstant(const ValueInfo &input, const HostView &given);
  /// Refuses a size for a symbol that no argument of the program has.
  rt::Status checkDims() const;
  std::string listNames() const;

  const Graph &graph;
  const FixedInputs &fixed;
  std::set<std::string_view> defaults;
  std::map<std::string, int64_t, std::less<>> symbols;
  std::map<std::string_view, std::vector<int64_t>> shapes; ///< By input.
  std::vector<Tensor> values;
  std::deque<std::string> bytes; ///< The data of `values`.
};

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_MODELINPUTS_H
