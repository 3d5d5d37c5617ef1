//===- MmaTiles.cpp - Matrix instructions of a warp -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp computes a tile of rows and columns: for each step of K it loads words
// of both operands, and each thread multiplies what it has with what the others
// have. Times are in instructions of a warp.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"
#include "qcc/Target/NVPTX/IR/NVPTX.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::nvptx;
using kernel::ContractOp;
using kernel::LoweringConfigAttrInterface;

/// Columns of a tile: a row of the left operand is loaded once for all of them.
constexpr int64_t kColumns = 32;
/// Instructions for a word of an operand, for one of bytes by themselves, and
/// for a result.
constexpr double kWord = 3, kBytes = 24, kResult = 30;
/// What a size that is not known is taken for.
constexpr int64_t kMany = 1024;

namespace {
class MmaTiles : public Strategy {
public:
  explicit MmaTiles(const Spec &spec) : spec(spec) {}

  StringRef getName() const override {
    return stringifyStrategyKind(StrategyKind::MmaTiles);
  }
  std::optional<std::string> obstacle(ContractOp op) const override;
  std::optional<std::string>
  refuse(ContractOp op, LoweringConfigAttrInterface config) const override;
  SmallVector<Candidate> list(ContractOp op) const override;
  Cost cost(ContractOp op, LoweringConfigAttrInterface config) const override;
  std::optional<Packing> packing(ContractOp,
                                 LoweringConfigAttrInterface) const override {
    return Packing{1, 4, kPackedStep, 0};
  }

private:
  const Spec spec;
};
} // namespace

std::optional<std::string> MmaTiles::obstacle(ContractOp op) const {
  FailureOr<ContractOp::Roles> roles = op.getRoles();
  if (failed(roles))
    return "it has no dimension of columns, which only the right operand and "
           "the results have; use strategy threads";
  if (roles->isDepthwise)
    return "each of its columns has a left operand of its own, which matrix "
           "instructions do not multiply; use strategy threads";
  return std::nullopt;
}

std::optional<std::string>
MmaTiles::refuse(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  const Atom *atom = findMatrixAtom(config.getAtom());
  if (!atom)
    return ("lowering_config has atom \"" + config.getAtom() +
            "\", which no chip has; choose another atom")
        .str();
  if (!spec.has(*atom))
    return ("lowering_config has atom \"" + config.getAtom() +
            "\", which chip " + spec.name + " does not have in PTX " +
            std::to_string(spec.ptxVersion / 10) + "." +
            std::to_string(spec.ptxVersion % 10) + "; choose another atom")
        .str();
  if (config.getRows() % atom->rows != 0 ||
      config.getColumns() % kAtomColumns != 0)
    return ("lowering_config has tile " + std::to_string(config.getRows()) +
            "x" + std::to_string(config.getColumns()) + ", but with atom \"" +
            atom->name + "\" rows are a multiple of " +
            std::to_string(atom->rows) + " and columns of " +
            std::to_string(kAtomColumns))
        .str();
  return std::nullopt;
}

SmallVector<Candidate> MmaTiles::list(ContractOp op) const {
  const Atom *atom = llvm::find_if(
      matrixAtoms(), [&](const Atom &atom) { return spec.has(atom); });
  int64_t columns = op.getStaticLoopSizes()[op.getRoles()->n];
  columns = ShapedType::isDynamic(columns)
                ? kColumns
                : std::clamp<int64_t>(llvm::alignTo(columns, kAtomColumns),
                                      kAtomColumns, kColumns);
  auto config =
      ConfigAttr::get(op.getContext(), StrategyKind::MmaTiles, atom->name,
                      /*rows=*/16, columns, kernel::ConfigSource::Model);
  return {Candidate{config, cost(op, config), getName().str()}};
}

Cost MmaTiles::cost(ContractOp op, LoweringConfigAttrInterface any) const {
  auto config = cast<ConfigAttr>(any);
  const Atom &atom = *findMatrixAtom(config.getAtom());
  int64_t rows = 1, n = 1;
  ContractOp::Roles roles = *op.getRoles();
  double batch = 1;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopSizes())) {
    if (op.isReduction(loop))
      continue;
    int64_t known = ShapedType::isDynamic(size) ? kMany : size;
    if (loop == roles.n)
      n = known;
    else if (llvm::is_contained(roles.batch, loop))
      batch *= known;
    else
      rows *= known;
  }
  double steps = 1;
  for (int64_t size : op.getReductionSizes().drop_back())
    steps *= size;
  steps *= llvm::divideCeil(op.getReductionSizes().back(), atom.k);
  double words = double(atom.k) / 16;
  double multiplications =
      double(config.getRows()) / atom.rows * config.getColumns() / kAtomColumns;
  double loads = words * (config.getRows() / 8 *
                              (op.getLhsPrologue().empty() ? kWord : kBytes) +
                          config.getColumns() / 8 * kWord);
  double results = double(config.getRows()) * config.getColumns() / kWarp;
  double tile = steps * (multiplications + loads) + results * kResult;
  double tiles = batch * llvm::divideCeil(rows, config.getRows()) *
                 llvm::divideCeil(n, config.getColumns());
  return {tile * tiles, steps * multiplications / tile};
}

std::unique_ptr<Strategy> qcc::nvptx::makeMmaTiles(const Spec &spec) {
  return std::make_unique<MmaTiles>(spec);
}
