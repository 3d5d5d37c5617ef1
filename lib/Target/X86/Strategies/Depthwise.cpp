//===- Depthwise.cpp - Columns with left operands of their own ------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each column of lhs that the windows of a tile read (SharedWindows.h) is put
// together to words: KR loads for KR vectors of columns, and about three
// shuffles for each load. Words are multiplied once for each row and tap. Then
// each accumulator goes through the epilogue, which takes as long as the
// products where there are few taps. Times are in multiplications.
//
// Groups of columns have words as they lie in memory: one load and, for each
// word, a shuffle that brings it to all lanes of its group.
//
//===----------------------------------------------------------------------===//

#include "../Emit/Strategies.h"
#include "../Layout/GroupedColumns.h"
#include "../Layout/SharedWindows.h"
#include "X86Strategy.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

/// Shuffles for each load of a row of columns, and for each word of groups.
constexpr double kShuffles = 3, kGroupShuffles = 1;
/// For each tile.
constexpr double kTileOverhead = 12;
/// Vectors that are at hand beside those of accumulators, for each vector of
/// columns: what these start from, words, and the rows that are shuffled.
constexpr int64_t kTemporaries = 4;
/// For each vector that no register is left for, at each column of lhs.
constexpr double kSpill = 1;
/// The largest tile: more rows share few windows more, and more vectors of
/// columns do not fit in registers as they are put together.
constexpr int64_t kMaxRows = 14, kMaxVectors = 4;
/// The products that a tile may have, which are mostly spelled out.
constexpr int64_t kMaxProducts = 768;
/// What sizes that are not known are taken for.
constexpr int64_t kManyRows = 64, kManyColumns = 256;

namespace {
class Depthwise : public X86Strategy {
public:
  explicit Depthwise(const Spec &spec) : X86Strategy(spec, "depthwise") {}
  /// Elements that do not follow each other along columns are read one by one.
  kernel::LoweringConfigAttrInterface
  adapt(ContractOp, kernel::LoweringConfigAttrInterface config,
        std::string &) const override {
    return config;
  }

  std::optional<std::string>
  verify(kernel::LoweringConfigAttrInterface config) const override {
    if (!cast<ConfigAttr>(config).readsLhsInPlace())
      return "lowering_config has strategy 'depthwise', which reads the left "
             "operand where it lies; use lhs = in_place";
    return X86Strategy::verify(config);
  }
  std::optional<std::string> reasonToRefuse(ContractOp op) const override {
    if (op.getRoles()->isDepthwise)
      return std::nullopt;
    return "its columns share a left operand; use another strategy than "
           "depthwise";
  }

protected:
  void emitKernel(KernelBuilder &builder,
                  Contraction &contraction) const override {
    emitDepthwise(builder, contraction);
  }
  bool takes(const Atom &atom) const override {
    return atom.form == AtomForm::Words;
  }
  bool canReadLhsInPlace(ContractOp, const Atom &) const override {
    return true;
  }
  SmallVector<Tiling> listTilings(ContractOp op, const GemmShape &shape,
                                  const Atom &atom) const override;
  double expectedTime(ContractOp op, const GemmShape &shape,
                      const Tiling &tiling, const Atom &atom) const override;
  std::optional<std::string> refuseConfig(ContractOp op, ConfigAttr config,
                                          const Atom &atom) const override;
  std::optional<std::string> refuseForm(ContractOp op, ConfigAttr config,
                                        const Atom &atom) const override;
};
} // namespace

/// Of a tile of so many rows and vectors of columns.
static double timeOfTile(const GemmShape &shape, const SharedWindows &windows,
                         bool isGrouped, int64_t rows, int64_t vectors,
                         const Atom &atom, const Spec &spec) {
  // Words of the last dimension of K, which shape.segment is the size of, for
  // each iteration of the other dimensions.
  int64_t words = shape.words(atom), others = words / windows.taps;
  assert(words % windows.taps == 0 && "each tap has as many words");
  double columns = double(windows.countColumns(rows)) * others;
  double reading =
      isGrouped ? columns * vectors *
                      (double(atom.kr) / shape.segment + kGroupShuffles)
                : columns * llvm::alignTo(vectors, atom.kr) * (1 + kShuffles);
  int64_t live = (rows + kTemporaries) * vectors + atom.temporaries;
  reading +=
      columns * kSpill * std::max<int64_t>(0, live - int64_t(atom.registers));
  double products = double(rows) * vectors * words;
  double operations =
      reading + double(shape.epilogueOps) * rows * vectors + kTileOverhead;
  return products * delayOf(atom) +
         operations * spec.times.operation / countInstructions(atom);
}

double Depthwise::expectedTime(ContractOp op, const GemmShape &shape,
                               const Tiling &tiling, const Atom &atom) const {
  int64_t m = shape.m ? shape.m : kManyRows;
  int64_t n = shape.n ? shape.n : kManyColumns;
  int64_t vectors = llvm::divideCeil(n, (int64_t)atom.lanes),
          nv = tiling.nr / (int64_t)atom.lanes;
  assert(nv > 0 && tiling.nr % atom.lanes == 0 &&
         "columns of tiles are whole vectors");
  SharedWindows windows = SharedWindows::of(op);
  bool isGrouped = GroupedColumns::of(op, atom.lanes).has_value();
  auto tile = [&](int64_t rows, int64_t vectors) {
    return timeOfTile(shape, windows, isGrouped, rows, vectors, atom, spec);
  };
  auto allColumns = [&](int64_t rows) {
    int64_t whole = vectors / nv;
    double time = whole * tile(rows, nv);
    if (vectors % nv)
      time += tile(rows, vectors % nv);
    return time;
  };
  // Tiles end with the innermost dimension of rows.
  int64_t line = m;
  if (std::optional<unsigned> rows = op.getRoles()->m)
    if (int64_t size = op.getStaticLoopSizes()[*rows];
        !ShapedType::isDynamic(size))
      line = size;
  int64_t whole = line / tiling.mr;
  double time = whole * allColumns(tiling.mr);
  if (line % tiling.mr)
    time += allColumns(line % tiling.mr);
  time *= double(m) / line;
  return time * 1024 / (double(m) * n * shape.k) * unitOfPeak(atom);
}

/// The most rows at an end of a line that reach into padding: their tiles are
/// spelled out.
constexpr int64_t kMaxRowsInPadding = 4;

bool qcc::x86::isFastUnpadded(ContractOp op, RankedTensorType type,
                              ArrayRef<int64_t> padding) {
  SharedWindows windows = SharedWindows::of(op);
  if (!windows.lineDim)
    return false;
  unsigned line = *windows.lineDim;
  int64_t elements = 1;
  for (int64_t size : type.getShape().drop_front(line)) {
    if (ShapedType::isDynamic(size))
      return false;
    elements *= size;
    if (elements > kMaxLineOfPadding)
      return false;
  }
  assert(int64_t(padding.size()) == 2 * type.getRank() &&
         "two widths for each dimension");
  int64_t widest = std::max(padding[2 * line], padding[2 * line + 1]);
  return widest <= kMaxRowsInPadding * windows.rowStride;
}

SmallVector<Tiling> Depthwise::listTilings(ContractOp op,
                                           const GemmShape &shape,
                                           const Atom &atom) const {
  int64_t vectors = kMaxVectors, rows = op.getRoles()->m ? kMaxRows : 1;
  auto groups = GroupedColumns::of(op, atom.lanes);
  if (shape.n && !groups)
    vectors = std::min<int64_t>(
        vectors, llvm::bit_ceil(llvm::divideCeil(shape.n, atom.lanes)));
  if (shape.m)
    rows = std::min(rows, shape.m);
  int64_t words = shape.words(atom);
  SmallVector<Tiling> tilings;
  for (int64_t nv = vectors; nv > 0; --nv)
    for (int64_t mr = rows; mr > 0; --mr) {
      if (groups ? groups->refuse(op, nv, atom.kr).has_value()
                 : !llvm::isPowerOf2_64(nv))
        continue;
      // Accumulators, the words of a column, and what shuffles need.
      int64_t registers = mr * nv + nv + 2 + atom.temporaries;
      bool isLarge = mr > 1 && mr * nv * words > kMaxProducts;
      if (registers <= atom.registers && !isLarge)
        tilings.push_back({mr, nv * atom.lanes, mr, nv * atom.lanes});
    }
  return tilings;
}

std::optional<std::string> Depthwise::refuseConfig(ContractOp op,
                                                   ConfigAttr config,
                                                   const Atom &atom) const {
  if (!takes(atom))
    return doesNotFit(atom) + "it must multiply words of columns; choose "
                              "another atom";
  if (auto reason = refuseTile(op, config, atom))
    return reason;
  int64_t vectors = config.getNr() / atom.lanes;
  if (config.getMr() * vectors > kMaxAccumulators)
    return hasTooManyAccumulators();
  if (auto groups = GroupedColumns::of(op, atom.lanes))
    if (auto reason = groups->refuse(op, vectors, atom.kr))
      return doesNotFit(atom) + *reason + "; choose another NR or atom";
  return std::nullopt;
}

/// Reads `lhs_padding`, and columns that do not follow each other.
std::optional<std::string> Depthwise::refuseForm(ContractOp op,
                                                 ConfigAttr config,
                                                 const Atom &atom) const {
  if (!op.isPacked())
    return "needs a right operand that is packed";
  if (!takes(atom))
    return ("has strategy depthwise, which does not multiply by atom \"" +
            atom.name + "\"")
        .str();
  if (auto groups = GroupedColumns::of(op, atom.lanes))
    if (auto reason = groups->refuse(op, config.getNr() / atom.lanes, atom.kr))
      return "has strategy depthwise, but " + *reason;
  return std::nullopt;
}

std::unique_ptr<Strategy> qcc::x86::makeDepthwise(const Spec &spec) {
  return std::make_unique<Depthwise>(spec);
}
