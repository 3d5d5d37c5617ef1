//===- X86Strategy.h - Base of x86 strategies -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A strategy says which atoms it takes, how it cuts a contraction into tiles
// and blocks, how long that takes, what it refuses, and which code computes it.
// Configs, costs and the order of candidates are made of these here.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_TARGET_X86_STRATEGIES_X86STRATEGY_H
#define QCC_LIB_TARGET_X86_STRATEGIES_X86STRATEGY_H

#include "../Emit/Contraction.h"
#include "CostModel.h"
#include "qcc/Target/Target.h"
#include "qcc/Target/X86/IR/X86.h"

namespace qcc::x86 {

class X86Strategy : public Strategy {
public:
  /// `name` lives as long as the strategy.
  X86Strategy(const Spec &spec, llvm::StringRef name)
      : spec(spec), name(name) {}

  llvm::StringRef getName() const override { return name; }
  std::optional<std::string>
  verify(kernel::LoweringConfigAttrInterface config) const override;
  std::optional<std::string>
  reasonToRefuse(kernel::ContractOp op) const override;
  std::optional<std::string>
  refuse(kernel::ContractOp op,
         kernel::LoweringConfigAttrInterface config) const override;
  llvm::SmallVector<Candidate> list(kernel::ContractOp op) const override;
  Cost cost(kernel::ContractOp op,
            kernel::LoweringConfigAttrInterface config) const override;
  /// Columns in the lanes: NR of them side by side.
  std::optional<Packing>
  packing(kernel::ContractOp op,
          kernel::LoweringConfigAttrInterface config) const override;
  int64_t rowsOfTile(kernel::LoweringConfigAttrInterface config) const override;
  kernel::LoweringConfigAttrInterface
  adapt(kernel::ContractOp op, kernel::LoweringConfigAttrInterface config,
        std::string &reason) const override;
  llvm::LogicalResult emit(mlir::RewriterBase &rewriter,
                           kernel::ContractOp op) const override;

protected:
  /// Replaces a contraction whose form is right by an `scf.forall` over blocks.
  virtual void emitKernel(KernelBuilder &builder,
                          Contraction &contraction) const = 0;

  virtual bool takes(const Atom &atom) const = 0;
  /// Whether `atom` can read the left operand where it lies.
  virtual bool canReadLhsInPlace(kernel::ContractOp op,
                                 const Atom &atom) const = 0;
  virtual llvm::SmallVector<Tiling> listTilings(kernel::ContractOp op,
                                                const GemmShape &shape,
                                                const Atom &atom) const = 0;
  /// The time that the model expects, as a multiple of what the atom takes at
  /// its peak.
  virtual double expectedTime(kernel::ContractOp op, const GemmShape &shape,
                              const Tiling &tiling, const Atom &atom) const = 0;
  /// Why this strategy cannot use `config`. The target has its atom.
  virtual std::optional<std::string> refuseConfig(kernel::ContractOp op,
                                                  ConfigAttr config,
                                                  const Atom &atom) const = 0;

  /// Why the kernel cannot compute `op`, on memrefs, in the form that it has: a
  /// sentence without its subject, `op`. `reasonToRefuse` and `verify` have
  /// passed.
  virtual std::optional<std::string>
  refuseForm(kernel::ContractOp op, ConfigAttr config, const Atom &atom) const;
  virtual OperandLayout layoutOf(kernel::ContractOp op, ConfigAttr config,
                                 const Atom &atom) const {
    return OperandLayout::ofColumns(op, atom);
  }
  /// Whether no config of the strategy packs the right operand, so that configs
  /// do not say so.
  virtual bool neverPacksRhs() const { return false; }
  bool readsRhsInPlace(ConfigAttr config) const {
    return neverPacksRhs() || config.getRhs() == RhsSource::InPlace;
  }
  /// Whether the kernels compute groups of K.
  virtual bool computesGroups() const { return false; }
  /// Whether configs may say this of the right operand.
  virtual bool canChoose(RhsSource source) const {
    return source == RhsSource::Packed;
  }

  /// Why packed columns in the lanes of accumulators do not fit `config`.
  std::optional<std::string>
  refuseTile(kernel::ContractOp op, ConfigAttr config, const Atom &atom) const;

  Candidate candidate(kernel::ContractOp op, const Tiling &tiling,
                      const Atom &atom) const;

  const Spec &spec;

private:
  Cost cost(kernel::ContractOp op, const Tiling &tiling,
            const Atom &atom) const;

  llvm::StringRef name;
};

/// Strategies whose accumulators' lanes are columns, and that read packed
/// columns: their blocks, and copies of rows where they could do without.
class TileStrategy : public X86Strategy {
public:
  using X86Strategy::X86Strategy;
  llvm::SmallVector<llvm::SmallVector<Candidate>>
  listVariants(kernel::ContractOp op,
               const Candidate &candidate) const override;
  /// Also chooses other tiles of rows where rows turn out to lie apart.
  kernel::LoweringConfigAttrInterface
  adapt(kernel::ContractOp op, kernel::LoweringConfigAttrInterface config,
        std::string &reason) const override;

protected:
  bool canReadLhsInPlace(kernel::ContractOp op,
                         const Atom &atom) const override;
};

/// Whether the right operand of groups of K can be packed in nibbles, or is,
/// which `atom` then multiplies as unsigned bytes.
bool fitsNibbles(kernel::ContractOp op, const Atom &atom);

/// Whether the right operand of a contraction of floats can be packed before
/// its prologue, or is.
bool fitsNarrow(kernel::ContractOp op);

/// Why an atom does not multiply the elements of the right operand exactly;
/// nothing if it does.
std::optional<std::string> refuseElements(kernel::ContractOp op,
                                          const Atom &atom);

/// Whether elements of an operand without a prologue follow each other along
/// loop `dim`.
bool isContiguousAlong(kernel::ContractOp op, mlir::Value operand,
                       mlir::AffineMap map, mlir::Region &prologue,
                       unsigned dim);
/// Whether elements of a segment of K (kernel.pack) follow each other in an
/// operand without a prologue.
bool isLhsContiguousAlongSegments(kernel::ContractOp op);
bool isRhsContiguousAlongSegments(kernel::ContractOp op);
/// The same of a right operand that may have a prologue.
bool liesRhsAlongSegments(kernel::ContractOp op);

/// "lowering_config does not fit atom "avx2": "
std::string doesNotFit(const Atom &atom);
/// What is said where a tile has more than kMaxAccumulators.
std::string hasTooManyAccumulators();
/// The same where a tile of vectors of columns has.
std::optional<std::string> refuseAccumulators(ConfigAttr config,
                                              const Atom &atom);

/// Whether strategy depthwise reads a left operand of `type` as if it were
/// padded, and chooses padding for lines instead of vectors.
bool isFastUnpadded(kernel::ContractOp op, mlir::RankedTensorType type,
                    llvm::ArrayRef<int64_t> padding);

#define QCC_X86_STRATEGY(name)                                                 \
  std::unique_ptr<Strategy> make##name(const Spec &spec);
#include "../Strategies.def"

} // namespace qcc::x86

#endif // QCC_LIB_TARGET_X86_STRATEGIES_X86STRATEGY_H
