//===- GroupedColumns.cpp - Columns with a left operand by groups ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupedColumns.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;
using kernel::ContractOp;

std::optional<GroupedColumns> GroupedColumns::of(ContractOp op,
                                                 unsigned lanes) {
  ContractOp::Roles roles = *op.getRoles();
  if (roles.columnsOfGroup == 1 && roles.elementsOfGroup == 1)
    return std::nullopt;
  return GroupedColumns{roles.columnsOfGroup, roles.elementsOfGroup, lanes};
}

bool GroupedColumns::areShared(int64_t vectors) const {
  return llvm::any_of(llvm::seq(vectors),
                      [&](int64_t j) { return countGroups(j) > 1; });
}

/// Whether the last reduction dimension runs over the elements of a group and
/// over nothing else of lhs, which holds bytes.
static bool hasGroupsOfBytes(ContractOp op, int64_t elements) {
  unsigned loops = op.getNumLoops(), segment = op.getReductionDims().back();
  SmallVector<int64_t> factors(loops, 0);
  factors[segment] = 1;
  return kernel::windowFactors(op.getLhsMap().getResults().back(), loops) ==
             factors &&
         op.getReductionSizes().back() == elements &&
         op.getLhsPrologue().empty() && !op.getLhsPadding();
}

std::optional<std::string>
GroupedColumns::refuse(ContractOp op, int64_t vectors, int64_t kr) const {
  if (!hasGroupsOfBytes(op, elements))
    return "the left operand does not have groups of bytes along the last "
           "dimension of K";
  if (elements % kr != 0)
    return "groups do not have whole words of elements";
  if (vectors * lanes % columns != 0)
    return "a tile does not have whole groups of columns";
  for (int64_t j = 0; j < vectors; ++j)
    if (countGroups(j) * elements > lanes * kr)
      return "the elements of the groups of a vector do not fit in a register";
  return std::nullopt;
}
