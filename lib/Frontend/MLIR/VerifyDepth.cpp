//===- VerifyDepth.cpp - How deep a program may be nested -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, printers and walks recurse into regions, attributes, types,
// locations and affine expressions. What names of parts or bytecode nest too
// deeply for them is found here, without recursion.
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/IntegerSet.h"
#include "qcc/Support/InputLimits.h"

using namespace mlir;
using namespace qcc;

namespace {
/// Computes how deep attributes, types and expressions are; parts that they
/// share are visited once.
class Depths {
public:
  template <typename T> bool isTooDeep(T root) {
    return depthOf({Kind::of(root), root.getAsOpaquePointer()}) >
           limits::kNesting;
  }

private:
  struct Kind {
    enum Value { Attribute, Type, Expr };
    static Value of(mlir::Attribute) { return Attribute; }
    static Value of(mlir::Type) { return Type; }
  };
  using Node = std::pair<unsigned, const void *>;
  struct Frame {
    Node node;
    SmallVector<Node> children;
    unsigned depth = 1;
  };

  static SmallVector<Node> childrenOf(Node node);
  unsigned depthOf(Node root);

  DenseMap<Node, unsigned> known;
};
} // namespace

SmallVector<Depths::Node> Depths::childrenOf(Node node) {
  SmallVector<Node> children;
  auto addAttr = [&](Attribute attr) {
    if (attr)
      children.push_back({Kind::Attribute, attr.getAsOpaquePointer()});
  };
  auto addType = [&](Type type) {
    if (type)
      children.push_back({Kind::Type, type.getAsOpaquePointer()});
  };
  auto addExpr = [&](AffineExpr expr) {
    children.push_back({Kind::Expr, expr.getAsOpaquePointer()});
  };
  if (node.first == Kind::Type) {
    Type::getFromOpaquePointer(node.second)
        .walkImmediateSubElements(addAttr, addType);
  } else if (node.first == Kind::Attribute) {
    Attribute attr = Attribute::getFromOpaquePointer(node.second);
    attr.walkImmediateSubElements(addAttr, addType);
    if (auto map = dyn_cast<AffineMapAttr>(attr))
      llvm::for_each(map.getValue().getResults(), addExpr);
    if (auto set = dyn_cast<IntegerSetAttr>(attr))
      llvm::for_each(set.getValue().getConstraints(), addExpr);
  } else {
    auto *storage =
        static_cast<AffineExpr::ImplType *>(const_cast<void *>(node.second));
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(AffineExpr(storage))) {
      addExpr(binary.getLHS());
      addExpr(binary.getRHS());
    }
  }
  return children;
}

unsigned Depths::depthOf(Node root) {
  SmallVector<Frame> stack;
  auto enter = [&](Node node) {
    // In a type that contains itself, each part counts once.
    auto [entry, isNew] = known.try_emplace(node, 1);
    if (isNew)
      stack.push_back({node, childrenOf(node)});
    return entry->second;
  };
  unsigned depth = enter(root);
  while (!stack.empty()) {
    Frame &top = stack.back();
    if (!top.children.empty()) {
      Node child = top.children.pop_back_val();
      if (known.contains(child))
        top.depth = std::max(top.depth, known[child] + 1);
      else
        enter(child);
      continue;
    }
    depth = known[top.node] = top.depth;
    stack.pop_back();
    if (!stack.empty())
      stack.back().depth = std::max(stack.back().depth, depth + 1);
  }
  return depth;
}

LogicalResult qcc::verifyDepth(ModuleOp module) {
  Depths depths;
  SmallVector<std::pair<Operation *, unsigned>> work{{module, 1}};
  while (!work.empty()) {
    auto [op, depth] = work.pop_back_val();
    // A location that is too deep cannot be printed with the message.
    if (depths.isTooDeep(Attribute(op->getLoc())))
      return module.emitError()
             << "a location of '" << op->getName() << "' is nested more than "
             << limits::kNesting << " deep; remove it";
    if (depth > limits::kNesting)
      return op->emitError()
             << "regions are nested more than " << limits::kNesting
             << " deep; move a part to a function";
    bool tooDeep = depths.isTooDeep(Attribute(op->getAttrDictionary()));
    for (Type type : op->getResultTypes())
      tooDeep |= depths.isTooDeep(type);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument arg : block.getArguments())
          tooDeep |= depths.isTooDeep(arg.getType()) ||
                     depths.isTooDeep(Attribute(arg.getLoc()));
        for (Operation &inner : block)
          work.push_back({&inner, depth + 1});
      }
    if (tooDeep)
      return op->emitError() << "attributes or types of '" << op->getName()
                             << "' are nested more than " << limits::kNesting
                             << " deep; make them simpler";
  }
  return success();
}
