//===- LinalgNest.h - A linalg op with its values ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One linalg op at run time: the sizes of its loops, the values of its operands
// and the tensors it fills. Named ops carry a region and maps like any other,
// so that one evaluation serves them all.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_REFERENCE_LINALGNEST_H
#define QCC_LIB_REFERENCE_LINALGNEST_H

#include "LoopNest.h"
#include "Program.h"

namespace qcc::reference {

struct LinalgNest {
  mutable mlir::linalg::LinalgOp op; ///< its accessors are not const
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<unsigned> parallel, reduction;
  llvm::SmallVector<const RtValue *> values; ///< per operand
  llvm::SmallVector<Tensor> results;
  /// Keeps the bytes of scalar operands.
  mutable std::vector<std::shared_ptr<uint8_t>> scalars;

  static llvm::Expected<LinalgNest>
  get(mlir::linalg::LinalgOp op, const Evaluator &evaluator, const Env &env);

  mlir::Block &body() const { return *op.getBlock(); }
  mlir::Value yielded(unsigned result) const {
    return op.getBlock()->getTerminator()->getOperand(result);
  }
  mlir::BlockArgument input(unsigned i) const {
    return op.getMatchingBlockArgument(op.getDpsInputOperand(i));
  }
  /// The argument that has the initial value; null where the body does not see
  /// it (linalg.map).
  mlir::BlockArgument init(unsigned i) const {
    mlir::OpOperand *operand = op.getDpsInitOperand(i);
    if (operand->getOperandNumber() >= op.getBlock()->getNumArguments())
      return nullptr;
    return op.getMatchingBlockArgument(operand);
  }
  mlir::AffineMap inputMap(unsigned i) const {
    return maps[op.getDpsInputOperand(i)->getOperandNumber()];
  }
  mlir::AffineMap resultMap(unsigned i) const {
    return maps[op.getDpsInitOperand(i)->getOperandNumber()];
  }
  const RtValue &inputValue(unsigned i) const {
    return *values[op.getDpsInputOperand(i)->getOperandNumber()];
  }

  /// Every point of the parallel loops has elements of its own in every result,
  /// and a reduction loop moves in none.
  bool resultsAreIndependent() const;

  /// An operand as the body sees it.
  struct Port {
    Access access;
    unsigned reg;
  };
  /// Binds the inputs that `program` will need: tensors become ports, scalars
  /// constants.
  llvm::Expected<llvm::SmallVector<Port>> bindInputs(Program &program) const;
  /// Compiles the body for one point at a time; `inputs` gets the destinations
  /// that it reads. The ports that its values are stored to.
  llvm::Expected<llvm::SmallVector<Port>>
  compileBody(Program &program, llvm::SmallVector<Port> &inputs);
  llvm::Expected<Access> resultAccess(unsigned i);

  // The ways to run the body.
  llvm::Error runParallel(Evaluator &evaluator, const Env &env);
  llvm::Error runInLanes(Evaluator &evaluator, const Env &env);
  llvm::Error runInOrder(Evaluator &evaluator, const Env &env);
  llvm::Error runPointByPoint(Evaluator &evaluator, const Env &env);
  /// Fills the results of a contraction; false if the op is not a contraction,
  /// or has a form that other functions compute.
  llvm::Expected<bool> runContraction(Evaluator &evaluator, const Env &env);

  /// Whether `value` needs an accumulator of the body.
  bool dependsOnInit(mlir::Value value) const;

  llvm::Error inThreads(const FailureSlot &failures) const;
};

/// The f32 or i32 contraction of N3 and N8: which inputs are multiplied.
struct ContractionMatch {
  mlir::Value x, y; ///< factors, as values of the body
  bool isFloat = false;
};
std::optional<ContractionMatch> matchContraction(const LinalgNest &nest);

/// Copies `from`, indexed by `fromMap`, to `to`, indexed by `toMap`.
llvm::Error moveElements(mlir::Operation *op, const Tensor &from,
                         mlir::AffineMap fromMap, Tensor &to,
                         mlir::AffineMap toMap, llvm::ArrayRef<int64_t> sizes,
                         unsigned threads);

} // namespace qcc::reference

#endif // QCC_LIB_REFERENCE_LINALGNEST_H
