//===- Supervision.cpp - Supervision between passes -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Supervision.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/Pass.h"
#include "qcc/Dialect/Utils/ConstantAction.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace qcc;

/// It takes a walk over the program to find out what is unused: constants of
/// fewer bytes in all stay where they are.
static constexpr int64_t kMinReleased = 16 << 20;

Supervision::Supervision(ModuleOp module, bool releasesConstants,
                         WorkLimits *limits)
    : module(module), releasesConstants(releasesConstants), limits(limits) {
  if (releasesConstants || limits)
    module.getContext()->registerActionHandler(
        [this](function_ref<void()> work, const tracing::Action &action) {
          handle(work, action);
        });
}

Supervision::~Supervision() {
  if (releasesConstants || limits)
    module.getContext()->registerActionHandler(nullptr);
}

void Supervision::handle(function_ref<void()> work,
                         const tracing::Action &action) {
  auto *pass = dyn_cast<PassExecutionAction>(&action);
  // Not one of a program that a pass has made for itself.
  bool isPass = pass && module->isAncestor(pass->getOp());
  auto *constant = dyn_cast<ConstantAction>(&action);
  if (!isPass && !constant)
    return work();
  int64_t bytes = constant ? constant->bytes : 0;
  if (limits && limits->isExceededBy(bytes))
    return;
  work();
  if (!releasesConstants)
    return;
  bytesMade += bytes;
  if ((isPass && makesConstants) || bytesMade >= kMinReleased)
    releaseUnusedConstants();
}

void Supervision::releaseUnusedConstants() {
  bytesMade = 0;
  using Entry = DialectResourceBlobManager::BlobEntry;
  auto &blobs =
      DenseResourceElementsHandle::getManagerInterface(module.getContext())
          .getBlobManager();
  int64_t total = 0;
  blobs.getBlobMap([&](const llvm::StringMap<Entry> &map) {
    for (const auto &item : map)
      if (const AsmResourceBlob *blob = item.second.getBlob())
        total += blob->getData().size();
  });
  if (total < kMinReleased)
    return;
  llvm::SmallPtrSet<const Entry *, 16> used;
  AttrTypeWalker walker;
  walker.addWalk([&](DenseResourceElementsAttr attr) {
    used.insert(attr.getRawHandle().getResource());
  });
  module->walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  std::vector<std::string> unused;
  blobs.getBlobMap([&](const llvm::StringMap<Entry> &map) {
    for (const auto &item : map)
      if (item.second.getBlob() && !used.contains(&item.second))
        unused.push_back(item.first().str());
  });
  for (const std::string &name : unused)
    blobs.update(name, AsmResourceBlob());
}
