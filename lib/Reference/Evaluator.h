//===- Evaluator.h - Evaluation of operations -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter's inside: values bound to SSA names, and one member function
// per family of operations, each family in a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_EVALUATOR_H
#define QCC_LIB_REFERENCE_EVALUATOR_H

#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <optional>

namespace qcc::reference {

/// What N3 needs to know of a dequantized value beside its f32 elements. It
/// moves along with the value through the operations that N3 names and is lost
/// in all others, and where a value enters or leaves a region or a function.
struct Dequantized {
  Tensor difference; ///< q - z, i32, in the shape of the value
  /// f32: one element, or one per element of the value where `varies` says so.
  Tensor scale;
  /// Per dimension: whether the scale differs along it.
  std::vector<bool> varies;
  /// The largest |q - z| that the storage and the zero point allow (N2).
  int64_t maxDifference = 0;

  bool isPerTensor() const { return scale.shape.empty(); }
};

/// The value of an SSA name: a tensor or a scalar, by the type of the name.
struct RtValue {
  Tensor tensor;
  Scalar scalar{};
  std::shared_ptr<const Dequantized> dequantized;

  RtValue() = default;
  RtValue(Tensor tensor) : tensor(std::move(tensor)) {}
  RtValue(Scalar scalar) : scalar(scalar) {}
  static RtValue index(int64_t value) {
    Scalar scalar;
    scalar.i = value;
    return RtValue(scalar);
  }
};

/// Values by name. A child sees its parent's and hides them; threads that walk
/// a region each have a child of their own.
class Env {
public:
  explicit Env(const Env *parent = nullptr)
      : depth(parent ? parent->depth : 0), parent(parent) {}
  const RtValue *lookup(mlir::Value name) const {
    for (const Env *env = this; env; env = env->parent) {
      auto it = env->values.find(name);
      if (it != env->values.end())
        return &it->second;
    }
    return nullptr;
  }
  void set(mlir::Value name, RtValue value) { values[name] = std::move(value); }
  void erase(mlir::Value name) { values.erase(name); }

  unsigned depth; ///< of calls

private:
  const Env *parent;
  llvm::DenseMap<mlir::Value, RtValue> values;
};

/// "file:line:column: 'op': message".
llvm::Error failure(mlir::Operation *op, const llvm::Twine &message);
std::string locationText(mlir::Location location);

/// The element kind of a scalar, tensor or quantized type.
std::optional<Elem> elemOf(mlir::Type type);

class Evaluator {
public:
  explicit Evaluator(unsigned threads) : threads(threads) {}

  llvm::Error call(mlir::func::FuncOp function, llvm::ArrayRef<RtValue> inputs,
                   llvm::SmallVectorImpl<RtValue> &results, unsigned depth);
  /// Binds the results of `op` in `env`.
  llvm::Error evaluate(mlir::Operation *op, Env &env);
  /// Runs the operations of `block` up to its terminator, whose operands are
  /// returned without what N3 knows of them.
  llvm::Error evaluateBlock(mlir::Block &block, Env &env,
                            llvm::SmallVectorImpl<RtValue> &yielded);

  unsigned threads;
  /// Called with each tensor that an op of a function computes, if set.
  std::function<void(mlir::OpResult, const Tensor &)> observer;

  // Values of operands; the verifier and the order of evaluation make sure that
  // they are there.
  const RtValue &valueOf(mlir::Value name, const Env &env) const;
  int64_t indexOf(mlir::Value name, const Env &env) const {
    return valueOf(name, env).scalar.i;
  }
  llvm::SmallVector<int64_t>
  indicesOf(llvm::ArrayRef<mlir::OpFoldResult> values, const Env &env) const;

  /// Zeros of the type of `result`, whose dynamic sizes `shape` gives.
  llvm::Expected<Tensor> allocate(mlir::Operation *op, mlir::Type type,
                                  std::vector<int64_t> shape) const;

private:
  // ControlFlow.cpp
  llvm::Error evaluateControlFlow(mlir::Operation *op, Env &env, bool &known);
  llvm::Error evaluateFor(mlir::scf::ForOp op, Env &env);
  llvm::Error evaluateWhile(mlir::scf::WhileOp op, Env &env);
  // Scalars.cpp
  llvm::Error evaluateScalar(mlir::Operation *op, Env &env, bool &known);
  // Constants.cpp
  llvm::Expected<RtValue> constant(mlir::Operation *op, mlir::Attribute value,
                                   mlir::Type type);
  // TensorOps.cpp, TensorShape.cpp
  llvm::Error evaluateTensor(mlir::Operation *op, Env &env, bool &known);
  /// The result of tensor.empty, splat, generate or from_elements.
  llvm::Expected<RtValue> createTensor(mlir::Operation *op,
                                       mlir::ValueRange dynamicSizes, Env &env);
  llvm::Error evaluateIndexed(mlir::Operation *op, mlir::Region &body,
                              Tensor &result, Env &env);
  // Linalg.cpp and LinalgContraction.cpp
  llvm::Error evaluateLinalg(mlir::linalg::LinalgOp op, Env &env);
  // Softmax.cpp
  llvm::Error evaluateSoftmax(mlir::linalg::SoftmaxOp op, Env &env);
  // QNNOps.cpp, QNNFormulas.cpp, QNNContraction.cpp, QNNConvolution.cpp,
  // QNNPooling.cpp and QNNResize.cpp
  llvm::Error evaluateQNN(mlir::Operation *op, Env &env, bool &known);
};

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_EVALUATOR_H
