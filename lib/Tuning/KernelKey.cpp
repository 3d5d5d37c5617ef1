//===- KernelKey.cpp - Keys of tuned configs ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Tuning/KernelKey.h"
#include "mlir/IR/Matchers.h"
#include "qcc/Analysis/NumberRange.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace qcc;

std::string qcc::shapeOf(kernel::ContractOp op) {
  return shapeOf(op,
                 cast<ShapedType>(op.getOuts().front().getType()).getShape());
}

std::string qcc::shapeOf(kernel::ContractOp op, ArrayRef<int64_t> shape) {
  kernel::ContractOp::Roles roles = *op.getRoles();
  SmallVector<unsigned> rows = op.getRows();
  AffineMap map = op.getOutMaps().front();
  auto sizeOf = [&](unsigned dim) {
    for (auto [size, expr] : llvm::zip(shape, map.getResults()))
      if (expr == getAffineDimExpr(dim, op.getContext()))
        return size;
    return ShapedType::kDynamic;
  };
  SmallVector<int64_t> sizes;
  for (unsigned dim : roles.outer)
    if (!llvm::is_contained(rows, dim))
      sizes.push_back(sizeOf(dim));
  int64_t m = 1;
  for (unsigned dim : rows) {
    int64_t size = sizeOf(dim);
    m = ShapedType::isDynamic(size) || ShapedType::isDynamic(m)
            ? ShapedType::kDynamic
            : m * size;
  }
  sizes.append({m, sizeOf(roles.n), op.getReductionSize()});
  return llvm::join(llvm::map_range(sizes,
                                    [](int64_t size) {
                                      return ShapedType::isDynamic(size)
                                                 ? std::string("?")
                                                 : std::to_string(size);
                                    }),
                    "x");
}

/// "i8", or "f32 as u8" where it is computed from something else.
static std::string aboutOperand(Type type, Region &prologue, bool isUnsigned) {
  auto nameOf = [](Type type) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return name;
  };
  std::string name = nameOf(type);
  if (!prologue.empty())
    name += " as " +
            nameOf(prologue.front().getTerminator()->getOperand(0).getType());
  if (isUnsigned)
    name[name.rfind('i')] = 'u';
  return name;
}

std::string qcc::aboutKernel(kernel::ContractOp op) {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << aboutOperand(elementOf(op.getLhs()), op.getLhsPrologue(),
                     op.getLhsUnsigned())
     << " * "
     << aboutOperand(elementOf(op.getRhs()), op.getRhsPrologue(),
                     op.getRhsUnsigned())
     << " -> ";
  llvm::interleaveComma(llvm::map_range(op.getOuts(), elementOf), os);
  return text;
}

//===----------------------------------------------------------------------===//
// Fingerprints
//===----------------------------------------------------------------------===//

namespace {
/// Writes regions with values numbered in the order of their definitions.
class RegionWriter {
public:
  explicit RegionWriter(llvm::raw_ostream &os) : os(os) {}

  void write(StringRef name, Region &region) {
    os << name << " {\n";
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        define(argument);
        os << ' ';
      }
      os << '\n';
      for (Operation &op : block)
        write(op);
    }
    os << "}\n";
  }

private:
  void define(Value value) {
    unsigned number = numbers.size();
    numbers[value] = number;
    os << number << ':' << value.getType();
  }

  void write(Operation &op) {
    os << op.getName();
    for (Value operand : op.getOperands())
      os << ' ' << numbers.lookup(operand);
    bool isConstant =
        op.hasTrait<OpTrait::ConstantLike>() || isa<kernel::LookupOp>(op);
    for (NamedAttribute attr : op.getAttrs())
      if (!isConstant)
        os << ' ' << attr.getName().getValue() << '=' << attr.getValue();
    for (Value result : op.getResults()) {
      os << ' ';
      define(result);
    }
    os << '\n';
    for (Region &region : op.getRegions())
      write("", region);
  }

  llvm::raw_ostream &os;
  DenseMap<Value, unsigned> numbers;
};
} // namespace

/// Whether the right operand is a constant whose elements, signed or less 128,
/// are at most 64 from 0.
static bool hasSevenBits(kernel::ContractOp op) {
  std::optional<NumberRange> extent =
      rangeOfConstant(op.getRhs(), op.getRhsUnsigned());
  double middle = op.getRhsUnsigned() ? 128 : 0;
  return extent && extent->low >= middle - 64 && extent->high <= middle + 64;
}

std::string qcc::describeKernel(kernel::ContractOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto operand = [&](StringRef name, Value value, AffineMap map) {
    os << name << ' ' << getElementTypeOrSelf(value.getType()) << ' ' << map;
    if (matchPattern(value, m_Constant()))
      os << " constant";
    os << '\n';
  };
  auto operands = [&](StringRef name, OperandRange values,
                      ArrayRef<AffineMap> maps) {
    for (auto [value, map] : llvm::zip_equal(values, maps))
      operand(name, value, map);
  };
  operand(op.getLhsUnsigned() ? "ulhs" : "lhs", op.getLhs(), op.getLhsMap());
  operand(op.getRhsUnsigned() ? "urhs" : "rhs", op.getRhs(), op.getRhsMap());
  if (op.getRhsPrologue().empty() && hasSevenBits(op))
    os << "rhs of 7 bits\n";
  if (Value init = op.getInit())
    operand("init", init, op.getInitMap());
  if (Value zeroPoint = op.getLhsZeroPoint())
    operand("lhs_zero_point", zeroPoint, op.getLhsZeroPointMap());
  if (Value zeroPoint = op.getRhsZeroPoint())
    operand("rhs_zero_point", zeroPoint, op.getRhsZeroPointMap());
  operands("lhs_in", op.getLhsOperands(), op.getLhsOperandMaps());
  operands("rhs_in", op.getRhsOperands(), op.getRhsOperandMaps());
  operands("group_in", op.getGroupOperands(), op.getGroupMaps());
  operands("epilogue_in", op.getEpilogueOperands(), op.getEpilogueMaps());
  for (auto [out, map] : llvm::zip_equal(op.getOuts(), op.getOutMaps()))
    os << "out " << getElementTypeOrSelf(out.getType()) << ' ' << map << '\n';
  if (op.getLhsPadding()) {
    os << "lhs_padding ";
    llvm::interleave(op.getLhsPaddingWidths(), os, " ");
    os << '\n';
  }
  for (auto [dim, size] :
       llvm::zip_equal(op.getReductionDims(), op.getReductionSizes()))
    os << "reduce " << dim << ' ' << size << '\n';
  RegionWriter writer(os);
  writer.write("lhs_prologue", op.getLhsPrologue());
  writer.write("rhs_prologue", op.getRhsPrologue());
  if (op.hasGroups())
    writer.write("group_epilogue", op.getGroupEpilogue());
  writer.write("epilogue", op.getEpilogue());
  return text;
}

std::string qcc::fingerprintOf(kernel::ContractOp op) {
  uint64_t hash = llvm::xxh3_64bits(describeKernel(op));
  return llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
}

TuningKey qcc::keyOf(kernel::ContractOp op, const Target &target) {
  return {target.tuningName(), shapeOf(op), fingerprintOf(op)};
}
