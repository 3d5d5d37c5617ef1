//===- Program.h - Table of the program -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `lower-entries` describes the program in attributes of the module. Code
// generation reads them from here and writes the descriptor of the ABI.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TRANSFORMS_PROGRAM_PROGRAM_H
#define QCC_TRANSFORMS_PROGRAM_PROGRAM_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "qcc/Transforms/Program/Weights.h"
#include <optional>
#include <string>
#include <vector>

namespace qcc {

/// On the module, written by lower-entries and read by the code generator.
/// Array: the table of entries.
inline constexpr llvm::StringLiteral kEntriesAttr = "qcc.entries";
/// On the module. DenseResourceElementsAttr: the bytes of all constants.
inline constexpr llvm::StringLiteral kWeightsAttr = "qcc.weights";

/// A tensor as the ABI sees it. A size is a literal or -1 - i for value i.
struct ProgramTensor {
  mlir::Type elementType; ///< of the source program: may be quantized
  llvm::SmallVector<int64_t> dims;
  std::string name; ///< in the source program; or empty
  /// A name for each dimension, "" for a dimension without one; or empty.
  std::vector<std::string> dimNames;
};

struct ProgramOperand {
  int32_t kind; ///< qcc_operand_kind
  int64_t index;
  mlir::Type elementType; ///< may be quantized
  llvm::SmallVector<int64_t> dims;
  /// The fields of qcc_operand_desc of these names; `order` may be empty.
  llvm::SmallVector<int64_t> order;
  int64_t rowPitch = 0;
  int64_t byteShift = 0;
  std::string layer; ///< of an output: the layer whose value it is; or empty
  std::string name;  ///< of an output: its value's name in the model; or empty
  llvm::SmallVector<int64_t> border; ///< may be empty

  /// Takes over the attributes of an operand of a call (Steps.h). Sizes and
  /// widths stay in the order of memory.
  void describe(mlir::DictionaryAttr value);
};

/// A parameter of a kernel: a pointer to an operand of the step, a size, or a
/// tensor map.
struct ProgramParameter {
  enum Kind { Input, Output, Size, TensorMap } kind;
  /// The number among inputs, outputs or tensor maps; the size.
  int64_t value;
};

/// The fields of qcc_tensor_map_desc of these names.
struct ProgramTensorMap {
  ProgramParameter operand;
  int64_t offset;
  llvm::SmallVector<int64_t> dims, strides, box;
  int64_t swizzle;
};

/// How a device runs a step.
struct ProgramLaunch {
  std::string kernel; ///< symbol of a function in a module of kernels
  int64_t grid;       ///< a size
  int64_t block, sharedBytes;
  bool programmatic; ///< may start while the kernels before it end
  std::vector<ProgramParameter> parameters;
  std::vector<ProgramTensorMap> tensorMaps;
};

struct ProgramStep {
  std::string function; ///< symbol of the ABI's step function; empty for a
                        ///< launch
  std::optional<ProgramLaunch> launch;
  mlir::DictionaryAttr kernel; ///< see describeWork
  bool parallel;
  /// Of a step that threads share: kParallelAttr.
  mlir::DenseI64ArrayAttr grid;
  int64_t scratch;
  int64_t operations, bytes; ///< sizes
  std::vector<ProgramOperand> inputs, outputs;
};

struct ProgramEntry {
  std::string name;
  std::string plan; ///< symbol of the plan function
  int64_t symbols, values;
  std::vector<ProgramTensor> arguments, results;
  /// For each result the argument that it may share memory with, or -1.
  llvm::SmallVector<int32_t> inPlace;
  std::vector<std::string> requirements; ///< messages of the checks of the plan
  std::vector<ProgramStep> steps;
};

/// Rejects an entry that exceeds the limits of the ABI.
mlir::LogicalResult verifyLimits(mlir::Location loc, const ProgramEntry &entry);

/// Rejects metadata of a module if they are not a dictionary of strings, or
/// exceed the limits.
mlir::LogicalResult verifyMetadata(mlir::ModuleOp module);

struct Program {
  std::vector<ProgramEntry> entries;
  Weights weights;
  /// The dictionary of strings that the module has (`qcc.metadata`); null if
  /// the module has none.
  mlir::DictionaryAttr metadata;

  /// Writes the table onto the module, and reads it back.
  void attach(mlir::ModuleOp module) const;
  static Program of(mlir::ModuleOp module);
};

} // namespace qcc

#endif // QCC_TRANSFORMS_PROGRAM_PROGRAM_H
