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

/// What all results of a node are because its inputs are so: images in blocks
/// of channels, or elements of uint16 (GraphValue).
struct Marks {
  bool isBlocked = false, isUInt16 = false;

  void addTo(GraphValue &value) const {
    value.isBlocked |= isBlocked;
    value.isUInt16 |= isUInt16;
  }
};

/// The marks of the results of a node; refuses a node that does not take inputs
/// of int4, of uint16 or in blocks that it has.
mlir::FailureOr<Marks> readMarks(NodeImporter &n);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_MARKS_H
