//===- TensorFile.cpp - Tensors in files of ONNX --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/ONNXModel/TensorFile.h"
#include "qcc/ONNXModel/Model.h"
#include "qcc/Support/FileIO.h"
#include <cstring>

using namespace qcc;
using namespace qcc::onnx;

rt::Result<HostTensor> qcc::readONNXTensor(const std::string &path) {
  std::string what = "'" + path + "': ";
  // What protobuf allows.
  constexpr int64_t kLimit = int64_t(2) << 30;
  rt::Result<std::string> bytes = readWholeFile(path, kLimit);
  if (!bytes.isOk())
    return bytes.status();
  Model storage;
  rt::Result<Tensor> tensor = parseTensor(*bytes, storage);
  if (!tensor.isOk())
    return tensor.status().withPrefix(what);
  std::optional<rt::DType> dtype = dtypeOf(tensor->type);
  if (!dtype)
    return rt::unsupported(what + "its elements are of type " +
                           dataTypeName(tensor->type) +
                           ", which programs do not take; a file of a sequence "
                           "or of an optional value is no tensor");
  if (tensor->isExternal)
    return rt::unsupported(what + "its elements are in another file; write "
                                  "them into this one");
  rt::Result<HostTensor> result = HostTensor::create(*dtype, tensor->dims);
  if (!result.isOk())
    return result.status().withPrefix(what);
  if (int64_t(tensor->data.size()) != result->numBytes())
    return rt::corrupt(what + "it has " + std::to_string(tensor->data.size()) +
                       " bytes of data but its type, " + result->describe() +
                       ", needs " + std::to_string(result->numBytes()) +
                       "; write it again");
  if (!tensor->data.empty())
    std::memcpy(result->data(), tensor->data.data(), tensor->data.size());
  return result;
}
