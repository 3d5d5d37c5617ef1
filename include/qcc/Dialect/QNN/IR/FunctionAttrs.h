//===- FunctionAttrs.h - Attributes of many arguments -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function keeps the attributes of its arguments in one list, which the
// context never frees. Setting them one by one takes memory that is quadratic
// in the number of arguments; these functions make one list.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_FUNCTIONATTRS_H
#define QCC_DIALECT_QNN_IR_FUNCTIONATTRS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace qcc {

/// The attribute of an argument or a result by its number; null keeps the old
/// one.
using AttrOfNumber = llvm::function_ref<mlir::Attribute(unsigned)>;

/// Sets the attribute `name` of arguments.
void setArgAttrs(mlir::FunctionOpInterface function, llvm::StringRef name,
                 AttrOfNumber attrOf);

/// Sets the attribute `name` of results.
void setResultAttrs(mlir::FunctionOpInterface function, llvm::StringRef name,
                    AttrOfNumber attrOf);

} // namespace qcc

#endif // QCC_DIALECT_QNN_IR_FUNCTIONATTRS_H
