//===- Codes.h - Numbers of ops of TensorFlow Lite --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_CODES_H
#define QCC_LIB_FRONTEND_TFLITE_CODES_H

#include <cstdint>

namespace qcc::tflite::code {

#define QCC_TFLITE_CODE(number, name) name = number,
enum : int32_t {
#include "Codes.def"
};
#undef QCC_TFLITE_CODE

} // namespace qcc::tflite::code

#endif // QCC_LIB_FRONTEND_TFLITE_CODES_H
