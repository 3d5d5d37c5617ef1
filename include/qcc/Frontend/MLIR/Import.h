//===- Import.h - Programs from MLIR text and bytecode ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a program, fills in weights that come from elsewhere, and rejects what
// the compiler and the reference interpreter do not take. What comes out has
// only builtin, func, qnn, quant, linalg, tensor, arith, math, scf and the
// index arithmetic of affine, valid quantized types, and data behind every
// resource.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_FRONTEND_MLIR_IMPORT_H
#define QCC_FRONTEND_MLIR_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "qcc/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace qcc {

class WorkLimits;

/// The bytes of a weight, compact row-major, in memory of somebody else.
struct LentBytes {
  llvm::ArrayRef<char> bytes;
  /// Called once they are not read any more; may be empty.
  std::function<void()> giveBack;
};

/// Lends the bytes of the weight of a name, an element type and a shape.
using LendWeight = std::function<rt::Result<LentBytes>(
    llvm::StringRef, rt::DType, llvm::ArrayRef<int64_t>)>;

/// Where `dense_resource<name>` without data of its own gets them from.
struct WeightsSource {
  enum class Kind {
    None,   ///< there is no such resource, or it is an error
    File,   ///< a .npz or .safetensors file, by name
    Random, ///< integers over their whole range, floats in [-1, 1)
    Lent,   ///< whatever `lend` gives
  };
  Kind kind = Kind::None;
  std::string path;
  uint64_t seed = 0;
  LendWeight lend;

  /// "FILE.npz", "FILE.safetensors", "random" or "random:SEED".
  static llvm::Expected<WeightsSource> parse(llvm::StringRef text);
};

/// A tensor in memory of somebody else, compact row-major.
struct HostView {
  rt::DType dtype;
  std::vector<int64_t> shape;
  llvm::ArrayRef<char> bytes;
};

/// What is fixed of the inputs of an ONNX model when it is imported, by names
/// of the model. The program takes no others.
struct FixedInputs {
  std::map<std::string, int64_t> dims; ///< Of all dimensions of a name.
  std::map<std::string, std::vector<int64_t>> shapes; ///< All sizes of inputs.
  /// Inputs that are no arguments of the program. A tensor of rank 0 gives all
  /// elements, and may be of i64 or f64 whatever the type of the input is.
  std::map<std::string, HostView> constants;

  bool empty() const {
    return dims.empty() && shapes.empty() && constants.empty();
  }
};

/// How the products of stored integers of a TFLite model are rounded:
/// docs/Numerics.md, section TFLite.
enum class TFLiteRounding {
  Reference, ///< twice, as TFLite's reference kernels
  XNNPACK,   ///< once
};
/// "reference" or "xnnpack".
llvm::Expected<TFLiteRounding> parseTFLiteRounding(llvm::StringRef name);

struct ImportOptions {
  WeightsSource weights;
  /// The path of the program's file; empty if the program was not read from a
  /// file. A model may have data in files beside its own.
  std::string path;
  FixedInputs fixed;
  TFLiteRounding tfliteRounding = TFLiteRounding::Reference;
  /// Looked at while weights are read; null: none. An import that failed since
  /// they are exceeded has no diagnostic: they have the reason.
  WorkLimits *limits = nullptr;
};

/// Parses the main buffer of `sources`, text or bytecode, in `context`, which
/// must know the dialects. A null result has been reported as a diagnostic of
/// `context`. Resources are named per context: one that has imported another
/// program may know weights by other names, so give each program its own.
mlir::OwningOpRef<mlir::ModuleOp> importMLIR(const llvm::SourceMgr &sources,
                                             mlir::MLIRContext *context,
                                             const ImportOptions &options = {});

/// The first step of importMLIR: a module that MLIR verified, of any dialects.
/// With `keepsAllPositions`, each op has a position in the text, also an op
/// whose location names another file.
mlir::OwningOpRef<mlir::ModuleOp> parseMLIR(const llvm::SourceMgr &sources,
                                            mlir::MLIRContext *context,
                                            bool keepsAllPositions = false);

/// The steps of importMLIR after parseMLIR. A null module stays null.
mlir::OwningOpRef<mlir::ModuleOp>
importParsed(mlir::OwningOpRef<mlir::ModuleOp> module,
             const ImportOptions &options);

/// The last step of every import: fills in weights, and rejects what the
/// compiler and the reference interpreter do not take.
mlir::LogicalResult verifyImported(mlir::ModuleOp module,
                                   const ImportOptions &options);

} // namespace qcc

#endif // QCC_FRONTEND_MLIR_IMPORT_H
