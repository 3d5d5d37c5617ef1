//===- GraphBuilder.h - Builds programs for front ends ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the importer of one op of any format needs: a builder at the location of
// the op, arithmetic of sizes, and values that are tensors or constants. Emit.h
// has functions that make linalg and tensor ops with it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_BUILDER_GRAPHBUILDER_H
#define QCC_LIB_FRONTEND_BUILDER_GRAPHBUILDER_H

#include "Constants.h"
#include "mlir/IR/Diagnostics.h"

namespace qcc::frontend {

class GraphBuilder {
public:
  GraphBuilder(mlir::OpBuilder &builder, mlir::Location loc,
               Constants &constants, SizeArithmetic &sizes)
      : b(builder), loc(loc), constants(constants), sizes(sizes) {}
  virtual ~GraphBuilder() = default;

  mlir::OpBuilder &b;
  mlir::Location loc;

  /// A refusal of the op: `return n.refuse() << "reason; remedy"`.
  virtual mlir::InFlightDiagnostic refuse() = 0;

  // Values

  /// A value as a tensor.
  mlir::Value tensor(GraphValue &value);
  /// Whether the integer evaluator knows the elements of a value, which it
  /// reads from a constant.
  bool knowsIntegers(GraphValue &value);
  /// See Constants.
  mlir::TypedAttr transposed(mlir::TypedAttr constant,
                             llvm::ArrayRef<int64_t> permutation) {
    return constants.transposed(constant, permutation);
  }
  void evict(mlir::Attribute constant) { constants.evict(constant); }

  // Sizes

  mlir::OpFoldResult size(int64_t n) { return b.getIndexAttr(n); }
  Shape shape(llvm::ArrayRef<int64_t> sizes);
  mlir::OpFoldResult add(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult sub(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult mul(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Rounded down; the divisor is not 0.
  mlir::OpFoldResult floorDiv(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Rounded towards 0, as Div of integers.
  mlir::OpFoldResult truncDiv(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult min(mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult max(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Of truncDiv.
  mlir::OpFoldResult remainder(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Conditions on sizes: see SizeArithmetic.
  mlir::OpFoldResult compare(mlir::arith::CmpIPredicate predicate,
                             mlir::OpFoldResult x, mlir::OpFoldResult y);
  mlir::OpFoldResult combine(LogicOp op, mlir::OpFoldResult x,
                             mlir::OpFoldResult y);
  mlir::OpFoldResult select(mlir::OpFoldResult condition, mlir::OpFoldResult x,
                            mlir::OpFoldResult y);
  void noteTrue(mlir::OpFoldResult condition) { sizes.noteTrue(condition); }
  std::optional<int64_t> leastOf(mlir::OpFoldResult size) const {
    return sizes.leastOf(size);
  }
  /// `y` where x is 1, otherwise x: the size of a dimension of operands that
  /// have these.
  mlir::OpFoldResult broadcastSize(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// How many times an element of a dimension of size `x` is repeated in one of
  /// size `y`.
  mlir::OpFoldResult repeats(mlir::OpFoldResult x, mlir::OpFoldResult y);
  /// Whether a number is known to be at least 0.
  bool isNeverNegative(mlir::OpFoldResult size) const {
    return sizes.isNeverNegative(size);
  }
  /// Notes that numbers are sizes of a tensor.
  void noteSizes(llvm::ArrayRef<mlir::OpFoldResult> numbers) {
    sizes.noteSizes(numbers);
  }
  /// The product of sizes.
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::Value index(mlir::OpFoldResult size);
  /// A condition as a value of type i1.
  mlir::Value truth(mlir::OpFoldResult condition);
  mlir::RankedTensorType type(mlir::Type element, const Shape &shape);

  /// Forgets sizes that are computed while it lives: they are values of a
  /// region, which nothing outside of it may use.
  class Region {
  public:
    explicit Region(GraphBuilder &n) : n(n), saved(n.sizes) {}
    Region(const Region &) = delete;
    ~Region() { n.sizes = saved; }

  private:
    GraphBuilder &n;
    SizeArithmetic saved;
  };

private:
  Constants &constants;
  SizeArithmetic &sizes;
};

/// Builds what belongs to no op, such as conversions of arguments and results.
class ProgramBuilder : public GraphBuilder {
public:
  using GraphBuilder::GraphBuilder;
  mlir::InFlightDiagnostic refuse() override;
};

} // namespace qcc::frontend

#endif // QCC_LIB_FRONTEND_BUILDER_GRAPHBUILDER_H
