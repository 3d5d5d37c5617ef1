//===- OpDocs.h - Documentation of ops ------------------------ -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_OPDOCS_H
#define QCC_TOOLS_QCC_LSP_SERVER_OPDOCS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace qcc::lsp {

/// An attribute or an operand of an op.
struct OpPart {
  std::string name;
  std::string type; ///< "::mlir::UnitAttr", of attributes only
  std::string description;
};

/// What the .td file of an op says.
class OpDoc {
public:
  /// `section` is what mlir-tblgen -gen-op-doc writes about an op, from its
  /// heading on.
  explicit OpDoc(llvm::StringRef section) : section(section) {}

  /// One line.
  std::string summary() const;
  /// All, as Markdown without HTML.
  std::string markdown() const;
  std::vector<OpPart> attributes() const;
  /// The operands that the text of the op has in a clause, "bias(...)".
  std::vector<OpPart> clauses() const;

private:
  llvm::StringRef section;
};

/// The ops of the dialects of qcc, and of those of MLIR that programs may use.
/// Names have their dialect.
const llvm::StringMap<OpDoc> &opDocs();

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_OPDOCS_H
