//===- Threads.cpp - A thread for each result of a contraction ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes every contraction: operands are read where they lie, each element
// as often as there are results that need it. Times are in cycles of a
// multiprocessor.
//
//===----------------------------------------------------------------------===//

#include "../Emit/Emit.h"
#include "../IR/ConfigRules.h"
#include "Strategies.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "qcc/Target/NVPTX/Spec.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

static constexpr llvm::StringLiteral kAtom = "mad";
/// Instructions for each multiplication: two loads, and what extends bytes.
constexpr double kInstructions = 5;
/// Warp instructions that a multiprocessor issues in a cycle; cycles that a
/// thread needs for a multiplication, and to begin and end.
constexpr double kIssue = 4, kLatency = 200, kOnce = 900;

namespace {
class Threads : public Strategy {
public:
  explicit Threads(const Spec &spec) : spec(spec) {}

  StringRef getName() const override { return rulesOfThreads().getName(); }

  std::optional<std::string> reasonToRefuse(ContractOp op) const override {
    FailureOr<ContractOp::Roles> roles = op.getRoles();
    if (failed(roles) || roles->columnsOfGroup == 1)
      return std::nullopt;
    return "its columns have a left operand group by group; make groups a "
           "loop of their own";
  }

  std::optional<std::string>
  refuse(ContractOp op, LoweringConfigAttrInterface config) const override {
    if (config.getAtomName() == kAtom)
      return std::nullopt;
    return ("lowering_config has atom \"" + config.getAtomName() +
            "\", but strategy '" + getName() + "' multiplies by \"" + kAtom +
            "\"; name that atom")
        .str();
  }

  SmallVector<Candidate> list(ContractOp op) const override {
    auto config = ConfigAttr::get(op.getContext(), getName(), kAtom, 0, 0, 0, 0,
                                  0, 0, kernel::ConfigSource::Model);
    return {Candidate{config, cost(op, config), getName().str()}};
  }

  Cost cost(ContractOp op, LoweringConfigAttrInterface) const override {
    double multiplications = 1;
    for (int64_t size : op.getStaticLoopSizes())
      multiplications *= ShapedType::isDynamic(size) ? kMany : size;
    double work =
        kInstructions * multiplications / kWarp / kIssue / spec.multiprocessors;
    double chain = kOnce + kLatency * op.getReductionSize();
    return {std::max(work, chain), 1 / kInstructions};
  }

  std::optional<Packing> packing(ContractOp,
                                 LoweringConfigAttrInterface) const override {
    return std::nullopt;
  }

  LogicalResult emit(RewriterBase &rewriter, ContractOp op) const override {
    if (failed(verifyForm(op, cast<ConfigAttr>(op.getLoweringConfigAttr()))))
      return failure();
    emitThreads(rewriter, op);
    return success();
  }

private:
  const Spec spec;
};
} // namespace

std::unique_ptr<Strategy> qcc::nvptx::makeThreads(const Spec &spec) {
  return std::make_unique<Threads>(spec);
}
