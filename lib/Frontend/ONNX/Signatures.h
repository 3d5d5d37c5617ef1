//===- Signatures.h - Attributes and inputs of ONNX ops ---------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signature of an op says which attributes, inputs and outputs a node of
// the op may have. utils/onnx-signatures.py writes the signatures of all ops of
// ONNX and com.microsoft into StandardSignatures.def and
// MicrosoftSignatures.def, an entry for each version that differs from the one
// before it:
//
//   SIGNATURE(op, since, attributes, inputs, outputs, variables)
//
//   attributes  "axis:i to:i!": the names and types (AttributeType); those
//               with ! are required
//   inputs      "X:T B?:T axes?=q": the names; ? is optional, *2 stands for two
//               or more inputs of one type, ~2 for two or more of any types.
//               Behind = are the element types that the input takes
//               (elementLetter), behind : a type variable, which stands for
//               one type in a node.
//   outputs     names with ?, * and ~, as for inputs
//   variables   "T=fd": the element types that each variable takes
//
// Element types without a letter are left out, as are sequences, maps and
// optionals: values of these are refused where they come into being.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_SIGNATURES_H
#define QCC_LIB_FRONTEND_ONNX_SIGNATURES_H

#include "../Builder/GraphValue.h"
#include "qcc/ONNXModel/Model.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace qcc::onnx {

struct AttributeRule {
  llvm::StringRef name;
  char type = 0; ///< attributeLetter of the values that it takes
  bool isRequired = false;
};

/// An input or output as the op declares it.
struct FormalRule {
  enum class Kind { Single, Optional, Variadic, Mixed };
  llvm::StringRef name;
  Kind kind = Kind::Single;
  unsigned minimum = 1;     ///< How many a variadic one stands for at least.
  llvm::StringRef variable; ///< Empty if no other input has to match.
  llvm::StringRef types;    ///< Letters of the element types that it takes.

  bool isVariadic() const {
    return kind == Kind::Variadic || kind == Kind::Mixed;
  }
};

struct Signature {
  llvm::SmallVector<AttributeRule, 0> attributes;
  llvm::SmallVector<FormalRule, 0> inputs, outputs;

  const AttributeRule *findAttribute(llvm::StringRef name) const;
};

/// The signatures of an op in the order of their versions; empty for an op that
/// neither ONNX nor ONNX Runtime defines.
llvm::ArrayRef<std::pair<int64_t, Signature>>
signaturesOf(llvm::StringRef domain, llvm::StringRef op);

/// The signature that an op has in a version; null for an op without one.
const Signature *findSignature(llvm::StringRef domain, llvm::StringRef op,
                               int64_t since);

/// The letter of an attribute's type, and a name for it; 0 for a type that no
/// op has.
char attributeLetter(NodeAttribute::Kind kind);
llvm::StringRef attributeTypeName(char letter);

/// The letter of the elements of a value, and the name of a type.
char elementLetter(const frontend::GraphValue &value);
llvm::StringRef elementLetterName(char letter);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_SIGNATURES_H
