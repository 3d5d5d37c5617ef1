//===- NodeCheck.cpp - Nodes against the signatures of ops ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeCheck.h"
#include "qcc/Frontend/MLIR/NearestName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

bool onnx::isTolerated(StringRef attribute) {
  // ONNX reserves these names for notes inside tools, and its checker and
  // ONNX Runtime pass over them.
  return attribute.starts_with("__");
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// What to do about an attribute that an op does not have.
static std::string adviceFor(StringRef name, ArrayRef<StringRef> known) {
  if (std::optional<StringRef> nearest = nearestOf(name, known))
    return "did you mean '" + nearest->str() + "'?";
  return known.empty() ? "it has none: remove the attribute"
                       : "correct the name, or remove it; it has " +
                             llvm::join(known, ", ");
}

namespace {
class NodeCheck {
public:
  NodeCheck(NodeImporter &n, const Signature &signature)
      : n(n), signature(signature) {}
  void checkAttributes();
  /// Checks inputs, outputs and element types.
  LogicalResult checkOperands();

private:
  void checkUnknown(const NodeAttribute &attribute);
  void checkInputs();
  void checkOutputs();
  void checkTypes();
  /// Refuses too few or too many inputs or outputs.
  void checkCount(ArrayRef<FormalRule> formals, size_t count, StringRef what);
  /// Refuses those that are left out, but may not be.
  void checkAbsent(ArrayRef<FormalRule> formals, size_t count, StringRef what,
                   llvm::function_ref<bool(size_t)> isThere);
  InFlightDiagnostic refuse() {
    ok = false;
    return n.refuse();
  }

  NodeImporter &n;
  const Signature &signature;
  bool ok = true;
};
} // namespace

/// The attribute may be one of another version of the op.
void NodeCheck::checkUnknown(const NodeAttribute &attribute) {
  StringRef name = StringRef(attribute.name);
  for (auto &[since, other] : signaturesOf(StringRef(n.node.domain), n.op()))
    if (other.findAttribute(name) && since > n.since) {
      refuse() << "has the attribute '" << name
               << "', which the op has since operator set " << since
               << "; convert the model to that, or remove the attribute";
      return;
    }
  for (auto [i, input] : llvm::enumerate(signature.inputs))
    if (input.name == name) {
      refuse() << "has the attribute '" << name
               << "', which is an input in this version of the op; make it "
                  "input "
               << i;
      return;
    }
  SmallVector<StringRef> known;
  for (const AttributeRule &rule : signature.attributes)
    known.push_back(rule.name);
  refuse() << "has the attribute '" << name << "', which the op does not have; "
           << adviceFor(name, known);
}

void NodeCheck::checkAttributes() {
  llvm::StringSet<> seen;
  for (const NodeAttribute &attribute : n.node.attributes) {
    StringRef name = StringRef(attribute.name);
    if (!seen.insert(name).second) {
      refuse() << "has the attribute '" << name << "' twice; remove one";
      continue;
    }
    const AttributeRule *rule = signature.findAttribute(name);
    if (!rule) {
      if (!isTolerated(name))
        checkUnknown(attribute);
      continue;
    }
    if (attributeLetter(attribute.kind) == rule->type)
      continue;
    refuse() << "has the attribute '" << name << "' with "
             << attributeTypeName(attributeLetter(attribute.kind)) << "; it is "
             << attributeTypeName(rule->type) << ": correct its type";
  }
  for (const AttributeRule &rule : signature.attributes)
    if (rule.isRequired && !seen.contains(rule.name))
      refuse() << "lacks the attribute '" << rule.name << "', "
               << attributeTypeName(rule.type) << "; give it one";
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// Input or output `i` as the op declares it; null for one too many.
static const FormalRule *formalOf(ArrayRef<FormalRule> formals, size_t i) {
  if (i < formals.size())
    return &formals[i];
  return !formals.empty() && formals.back().isVariadic() ? &formals.back()
                                                         : nullptr;
}

/// "input 1 ('W')"
static std::string nameOf(StringRef what, size_t i, const FormalRule &formal) {
  return (what + " " + Twine(i) + " ('" + formal.name + "')").str();
}

void NodeCheck::checkCount(ArrayRef<FormalRule> formals, size_t count,
                           StringRef what) {
  bool isOpen = !formals.empty() && formals.back().isVariadic();
  std::string counted =
      (Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
  if (count > formals.size() && !isOpen) {
    refuse() << "has " << counted << "; the op has at most " << formals.size()
             << ": remove the others";
    return;
  }
  for (size_t i = count; i < formals.size(); ++i)
    if (formals[i].kind != FormalRule::Kind::Optional &&
        formals[i].minimum > 0) {
      refuse() << "has " << counted << " and lacks "
               << nameOf(what, i, formals[i])
               << ", which the op needs; give it one";
      return;
    }
  if (isOpen && count < formals.size() - 1 + formals.back().minimum)
    refuse() << "has " << counted << "; the op needs at least "
             << formals.size() - 1 + formals.back().minimum
             << ": give it the others";
}

void NodeCheck::checkAbsent(ArrayRef<FormalRule> formals, size_t count,
                            StringRef what,
                            llvm::function_ref<bool(size_t)> isThere) {
  for (size_t i = 0; i < count; ++i) {
    const FormalRule *formal = formalOf(formals, i);
    if (formal && formal->kind != FormalRule::Kind::Optional && !isThere(i))
      refuse() << "leaves out " << nameOf(what, i, *formal)
               << ", which the op needs; give it one";
  }
}

void NodeCheck::checkInputs() {
  checkCount(signature.inputs, n.numInputs(), "input");
  checkAbsent(signature.inputs, n.numInputs(), "input",
              [&](size_t i) { return n.has(i); });
}

void NodeCheck::checkOutputs() {
  size_t count = n.node.outputs.size();
  checkCount(signature.outputs, count, "output");
  checkAbsent(signature.outputs, count, "output",
              [&](size_t i) { return n.hasOutput(i); });
}

/// "float16, float32 or float64"
static std::string listTypes(StringRef letters) {
  std::string list;
  for (auto [i, letter] : llvm::enumerate(letters)) {
    if (i > 0)
      list += i + 1 == letters.size() ? " or " : ", ";
    list += elementLetterName(letter);
  }
  return list;
}

void NodeCheck::checkTypes() {
  struct First {
    unsigned input;
    char letter;
  };
  llvm::StringMap<First> types; // of each variable
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    const FormalRule *formal = formalOf(signature.inputs, i);
    if (!formal || !n.has(i))
      continue;
    std::string name = nameOf("input", i, *formal);
    char letter = elementLetter(n.in(i));
    if (!formal->types.contains(letter)) {
      refuse() << "has elements of " << elementLetterName(letter) << " in "
               << name << ", which takes " << listTypes(formal->types)
               << "; convert it by a Cast";
      continue;
    }
    StringRef variable = formal->variable;
    if (formal->kind == FormalRule::Kind::Variadic && variable.empty())
      variable = formal->name;
    if (variable.empty() || formal->kind == FormalRule::Kind::Mixed)
      continue;
    auto [first, isNew] = types.try_emplace(variable, First{i, letter});
    if (isNew || first->second.letter == letter)
      continue;
    unsigned other = first->second.input;
    refuse() << "has elements of " << elementLetterName(letter) << " in "
             << name << " and of " << elementLetterName(first->second.letter)
             << " in "
             << nameOf("input", other, *formalOf(signature.inputs, other))
             << "; the op takes one type for both: convert one by a Cast";
  }
}

LogicalResult NodeCheck::checkOperands() {
  checkInputs();
  checkOutputs();
  if (ok)
    checkTypes();
  return success(ok);
}

LogicalResult onnx::checkNode(NodeImporter &n, const Signature &signature) {
  NodeCheck check(n, signature);
  check.checkAttributes();
  return check.checkOperands();
}

LogicalResult onnx::checkOperands(NodeImporter &n, const Signature &signature) {
  return NodeCheck(n, signature).checkOperands();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static SmallVector<StringRef> attributesOf(const LocalFunction &function) {
  SmallVector<StringRef> names;
  for (std::string_view name : function.attributes)
    names.push_back(StringRef(name));
  for (const NodeAttribute &attribute : function.defaults)
    names.push_back(StringRef(attribute.name));
  return names;
}

LogicalResult onnx::checkCall(const Node &call, const LocalFunction &function,
                              Refuse refuse) {
  SmallVector<StringRef> known = attributesOf(function);
  bool ok = true;
  llvm::StringSet<> seen;
  for (const NodeAttribute &attribute : call.attributes) {
    StringRef name = StringRef(attribute.name);
    if (!seen.insert(name).second) {
      refuse() << "has the attribute '" << name << "' twice; remove one";
      ok = false;
    } else if (!llvm::is_contained(known, name) && !isTolerated(name)) {
      refuse() << "has the attribute '" << name
               << "', which the function does not have; "
               << adviceFor(name, known);
      ok = false;
    }
  }
  return success(ok);
}

LogicalResult onnx::checkReferences(const Node &node,
                                    const LocalFunction *function,
                                    Refuse refuse) {
  for (const NodeAttribute &attribute : node.attributes) {
    StringRef name = StringRef(attribute.reference);
    if (name.empty())
      continue;
    if (!function)
      return refuse() << "takes its attribute '" << StringRef(attribute.name)
                      << "' from '" << name
                      << "' of a function, but is in none; give it a value";
    SmallVector<StringRef> known = attributesOf(*function);
    if (!llvm::is_contained(known, name))
      return refuse() << "takes its attribute '" << StringRef(attribute.name)
                      << "' from '" << name
                      << "', which the function does not have; "
                      << adviceFor(name, known);
  }
  return success();
}
