//===- Normalization.cpp - batch_norm_inference ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

/// (x - mean) / sqrt(variance + epsilon) * scale + offset; all but x have one
/// element for each feature.
LogicalResult stablehlo::importBatchNormInference(OpImporter &n) {
  GraphValue &x = n.in(0);
  auto feature = n.integer("feature_index", 0);
  auto epsilon = n.op->getAttrOfType<FloatAttr>("epsilon");
  if (failed(feature))
    return failure();
  bool fits = epsilon && *feature >= 0 && *feature < x.rank();
  for (unsigned i = 1; fits && i < 5; ++i)
    fits = n.in(i).rank() == 1 && n.in(i).element == x.element;
  if (!fits)
    return n.refuse() << "needs an epsilon, a feature_index of its operand and "
                         "vectors of the operand's elements; correct the "
                         "program";
  std::array<GraphValue, 4> columns;
  SmallVector<GraphValue *> operands{&x};
  for (unsigned i = 0; i < 4; ++i) {
    Shape shape(x.rank(), n.size(1));
    shape[*feature] = n.in(i + 1).shape[0];
    columns[i] = reshape(n, n.in(i + 1), shape);
    operands.push_back(&columns[i]);
  }
  double addend = epsilon.getValueAsDouble();
  auto result =
      elementwise(n, operands, x.element, [&](Scalars &s, ValueRange v) {
        Value scale = v[1], offset = v[2], mean = v[3], variance = v[4];
        Value deviation =
            s.sqrt(s.add(variance, s.constant(x.element, addend)));
        return s.add(s.mul(scale, s.div(s.sub(v[0], mean), deviation)), offset);
      });
  return failed(result) ? failure() : n.set(*result);
}
