//===- Marks.h - Values that few ops take -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_MARKS_H
#define QCC_LIB_FRONTEND_ONNX_MARKS_H

#include "NodeImporter.h"

namespace qcc::onnx {

/// Properties that all results of a node have if one of its inputs has them:
/// images in blocks of channels, elements of uint16 (GraphValue).
struct Marks {
  bool isBlocked = false, isUInt16 = false;

  void addTo(GraphValue &value) const {
    value.isBlocked |= isBlocked;
    value.isUInt16 |= isUInt16;
  }
};

/// The marks of the results of a node. Refuses a node with inputs of int4, of
/// uint16 or in blocks of channels that its op does not take.
mlir::FailureOr<Marks> readMarks(NodeImporter &n);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_MARKS_H
