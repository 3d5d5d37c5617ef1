//===- FunctionAttrs.h - Attributes of functions ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes of entries that the descriptor needs, and functions that set
// attributes of functions. A function keeps the attributes of its arguments in
// one list, which the context never frees. Setting them one by one takes memory
// that is quadratic in the number of arguments; these functions make one list.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_DIALECT_QNN_IR_FUNCTIONATTRS_H
#define QCC_DIALECT_QNN_IR_FUNCTIONATTRS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace qcc {

//===----------------------------------------------------------------------===//
// Attributes of a program for its descriptor, which cannot be written without
// them
//===----------------------------------------------------------------------===//

/// Type, on an argument or a result of an entry: its type in the source
/// program, written by convert-qnn-to-linalg. On an operand of the call of a
/// step: the element type of its value there, written by outline-steps. For the
/// descriptor.
inline constexpr llvm::StringLiteral kSourceTypeAttr = "qcc.type";
/// String, on an argument or a result of an entry: its name. Written on results
/// by importers, or in the program. Otherwise convert-qnn-to-linalg takes the
/// name from the location. On an operand of the call of a step: the name of its
/// value there in the model, written by outline-steps. For the descriptor.
inline constexpr llvm::StringLiteral kNameAttr = "qcc.name";
/// Array of a string for each dimension, on an argument of an entry: their
/// names, "" for none. Written by importers, or in the program; for the
/// descriptor.
inline constexpr llvm::StringLiteral kDimNamesAttr = "qcc.dim_names";
/// Dictionary of strings, on the module: the metadata of the program, for the
/// descriptor. Written by importers, or in the program.
inline constexpr llvm::StringLiteral kMetadataAttr = "qcc.metadata";

//===----------------------------------------------------------------------===//
// Lists of attributes
//===----------------------------------------------------------------------===//

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
