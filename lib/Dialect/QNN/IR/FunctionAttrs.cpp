//===- FunctionAttrs.cpp - Attributes of many arguments -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Dialect/QNN/IR/FunctionAttrs.h"

using namespace mlir;
using namespace qcc;

/// Adds an attribute to some of the dictionaries; returns whether there is one.
static bool addAttrs(MutableArrayRef<DictionaryAttr> dictionaries,
                     MLIRContext *context, StringRef name,
                     AttrOfNumber attrOf) {
  bool isAny = false;
  for (auto [i, dictionary] : llvm::enumerate(dictionaries)) {
    Attribute attr = attrOf(i);
    if (!attr)
      continue;
    NamedAttrList attrs(dictionary);
    attrs.set(name, attr);
    dictionary = attrs.getDictionary(context);
    isAny = true;
  }
  return isAny;
}

void qcc::setArgAttrs(FunctionOpInterface function, StringRef name,
                      AttrOfNumber attrOf) {
  SmallVector<DictionaryAttr> attrs;
  function.getAllArgAttrs(attrs);
  if (addAttrs(attrs, function->getContext(), name, attrOf))
    function.setAllArgAttrs(attrs);
}

void qcc::setResultAttrs(FunctionOpInterface function, StringRef name,
                         AttrOfNumber attrOf) {
  SmallVector<DictionaryAttr> attrs;
  function.getAllResultAttrs(attrs);
  if (addAttrs(attrs, function->getContext(), name, attrOf))
    function.setAllResultAttrs(attrs);
}
