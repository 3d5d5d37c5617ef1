//===- TensorFile.h - Tensors in files of ONNX ------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ONNXMODEL_TENSORFILE_H
#define QCC_ONNXMODEL_TENSORFILE_H

#include "qcc/Support/HostTensor.h"
#include <string>

namespace qcc {

/// Reads a file of one TensorProto, such as `input_0.pb` of a test of a model.
/// What it claims is checked against its size.
rt::Result<HostTensor> readONNXTensor(const std::string &path);

} // namespace qcc

#endif // QCC_ONNXMODEL_TENSORFILE_H
