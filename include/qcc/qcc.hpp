//===- qcc/qcc.hpp - All of the C++ API -------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qcc::compile(text, target) -> Module -> function(name) -> results. An
// application that only runs artifacts includes qcc/runtime.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_QCC_HPP
#define QCC_QCC_HPP

#include "qcc/compiler.hpp"
#include "qcc/runtime.hpp"

#endif // QCC_QCC_HPP
