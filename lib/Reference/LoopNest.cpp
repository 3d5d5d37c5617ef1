//===- LoopNest.cpp - Iteration spaces and accesses -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc::reference;

std::optional<int64_t>
qcc::reference::evaluateAffine(AffineExpr expr, ArrayRef<int64_t> dims,
                               ArrayRef<int64_t> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = evaluateAffine(binary.getLHS(), dims, symbols);
  std::optional<int64_t> rhs = evaluateAffine(binary.getRHS(), dims, symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  auto wrapped = [](uint64_t value) { return static_cast<int64_t>(value); };
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return wrapped(static_cast<uint64_t>(*lhs) + static_cast<uint64_t>(*rhs));
  case AffineExprKind::Mul:
    return wrapped(static_cast<uint64_t>(*lhs) * static_cast<uint64_t>(*rhs));
  default:
    break;
  }
  if (*rhs <= 0)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(*lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(*lhs, *rhs);
  default:
    return llvm::mod(*lhs, *rhs);
  }
}

/// Adds factor * expr to `coefficients` and `constant`; false if not linear.
static bool decompose(AffineExpr expr, int64_t factor,
                      SmallVectorImpl<int64_t> &coefficients,
                      int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * value.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return decompose(binary.getLHS(), factor, coefficients, constant) &&
           decompose(binary.getRHS(), factor, coefficients, constant);
  auto rhs = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && rhs &&
         decompose(binary.getLHS(), factor * rhs.getValue(), coefficients,
                   constant);
}

llvm::Expected<Access> Access::get(Operation *op, AffineMap map,
                                   const Tensor &tensor,
                                   ArrayRef<int64_t> loopSizes) {
  Access access;
  access.elem = tensor.elem;
  access.data = tensor.data.get();
  access.shape = tensor.shape;
  access.exprs.assign(map.getResults().begin(), map.getResults().end());
  access.coefficients.assign(loopSizes.size(), 0);
  access.uses.assign(loopSizes.size(), false);
  for (unsigned d = 0; d < loopSizes.size(); ++d)
    access.uses[d] = map.isFunctionOfDim(d);
  bool empty = llvm::is_contained(loopSizes, 0);
  std::vector<int64_t> strides = rowMajorStrides(tensor.shape);
  for (auto [position, expr] : llvm::enumerate(access.exprs)) {
    SmallVector<int64_t> own(loopSizes.size(), 0);
    int64_t constant = 0;
    if (!decompose(expr, 1, own, constant)) {
      access.linear = false;
      continue;
    }
    int64_t least = constant, greatest = constant;
    for (auto [coefficient, size] : llvm::zip(own, loopSizes)) {
      int64_t reach = coefficient * (size - 1);
      (reach < 0 ? least : greatest) += reach;
    }
    if (!empty && (least < 0 || greatest >= tensor.shape[position]))
      return failure(op, "reaches elements " + llvm::Twine(least) + " to " +
                             llvm::Twine(greatest) + " of a dimension of " +
                             llvm::Twine(tensor.shape[position]));
    access.base += constant * strides[position];
    for (unsigned d = 0; d < loopSizes.size(); ++d)
      access.coefficients[d] += own[d] * strides[position];
  }
  return access;
}

int64_t Access::offset(ArrayRef<int64_t> index) const {
  if (linear) {
    int64_t result = base;
    for (auto [coefficient, i] : llvm::zip(coefficients, index))
      result += coefficient * i;
    return result;
  }
  int64_t result = 0;
  for (auto [expr, size] : llvm::zip(exprs, shape)) {
    std::optional<int64_t> i = evaluateAffine(expr, index, {});
    if (!i || *i < 0 || *i >= size)
      return -1;
    result = result * size + *i;
  }
  return result;
}

/// Calls move(offset, stride, n, position) for the elements of a run.
template <typename F>
static bool forRun(const Access &access, ArrayRef<int64_t> index, int dim,
                   int n, int position, F move) {
  if (access.linear) {
    move(access.offset(index), dim < 0 ? 0 : access.coefficients[dim], n,
         position);
    return true;
  }
  SmallVector<int64_t> current(index);
  for (int l = 0; l < n; ++l) {
    int64_t offset = access.offset(current);
    if (offset < 0)
      return false;
    move(offset, 1, 1, position + l);
    if (dim >= 0)
      ++current[dim];
  }
  return true;
}

bool Access::load(ArrayRef<int64_t> index, int dim, int n, Reg &reg,
                  int position) const {
  return forRun(*this, index, dim, n, position,
                [&](int64_t offset, int64_t stride, int count, int at) {
                  loadLanes(elem, data, offset, stride, count, reg, at);
                });
}

bool Access::store(ArrayRef<int64_t> index, int dim, int n, const Reg &reg,
                   int position) const {
  return forRun(*this, index, dim, n, position,
                [&](int64_t offset, int64_t stride, int count, int at) {
                  storeLanes(elem, data, offset, stride, count, reg, at);
                });
}

int64_t LoopWalk::count() const {
  int64_t result = 1;
  for (unsigned dim : dims)
    result *= sizes[dim];
  return result;
}

void LoopWalk::seek(int64_t point, MutableArrayRef<int64_t> index) const {
  for (unsigned dim : llvm::reverse(dims)) {
    // An empty loop has no points to seek.
    int64_t size = std::max<int64_t>(1, sizes[dim]);
    index[dim] = point % size;
    point /= size;
  }
}

void qcc::reference::coalesce(SmallVectorImpl<int64_t> &sizes,
                              MutableArrayRef<Access *> accesses) {
  auto drop = [&](unsigned dim) {
    sizes.erase(sizes.begin() + dim);
    for (Access *access : accesses)
      access->coefficients.erase(access->coefficients.begin() + dim);
  };
  assert(llvm::all_of(accesses,
                      [&](const Access *access) {
                        return access->coefficients.size() == sizes.size();
                      }) &&
         "an access moves along each loop");
  for (unsigned d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) {
      drop(d);
      continue;
    }
    if (d + 1 >= sizes.size())
      continue;
    bool joins = llvm::all_of(accesses, [&](Access *access) {
      return access->coefficients[d] ==
             access->coefficients[d + 1] * sizes[d + 1];
    });
    if (!joins)
      continue;
    sizes[d + 1] *= sizes[d];
    drop(d);
  }
}
