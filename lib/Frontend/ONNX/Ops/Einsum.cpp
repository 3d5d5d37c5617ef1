//===- Einsum.cpp - Einsum ------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A label is a number: the code of a letter, or kEllipsis and more for the
// dimensions that an ellipsis stands for, counted from the last one.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Iterator = utils::IteratorType;
using Labels = SmallVector<int>;

static constexpr int kEllipsis = 256;

namespace {
/// A value and the labels of its dimensions.
struct Term {
  GraphValue value;
  Labels labels;
};
} // namespace

static bool contains(ArrayRef<int> labels, int label) {
  return llvm::is_contained(labels, label);
}

//===----------------------------------------------------------------------===//
// The equation
//===----------------------------------------------------------------------===//

/// The labels of one operand or of the result; `rank` is that of the operand,
/// or how many dimensions `ellipsis` has where it is negative.
static std::optional<Labels> readLabels(StringRef text, int64_t rank,
                                        int64_t ellipsis) {
  Labels labels;
  size_t dots = text.find("...");
  int64_t letters = text.size() - (dots == StringRef::npos ? 0 : 3);
  int64_t hidden = rank < 0                  ? ellipsis
                   : dots == StringRef::npos ? 0
                                             : rank - letters;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      for (int64_t d = hidden - 1; d >= 0; --d)
        labels.push_back(kEllipsis + d);
      i += 2;
      continue;
    }
    if (!llvm::isAlpha(text[i]))
      return std::nullopt;
    labels.push_back(text[i]);
  }
  if (rank >= 0 && static_cast<int64_t>(labels.size()) != rank)
    return std::nullopt;
  return labels;
}

/// The labels of the result where the equation does not say them: those of an
/// ellipsis, then letters that occur once, in their order.
static Labels impliedLabels(ArrayRef<Term> terms) {
  SmallVector<int> all, result;
  for (const Term &term : terms)
    llvm::append_range(all, term.labels);
  for (int label : all)
    if (!contains(result, label) &&
        (label >= kEllipsis || llvm::count(all, label) == 1))
      result.push_back(label);
  llvm::sort(result, [](int a, int b) {
    bool isHiddenA = a >= kEllipsis, isHiddenB = b >= kEllipsis;
    if (isHiddenA != isHiddenB)
      return isHiddenA;
    return isHiddenA ? a > b : a < b;
  });
  return result;
}

namespace {
struct Equation {
  std::vector<Term> terms;
  Labels result;
};
} // namespace

static FailureOr<Equation> readEquation(NodeImporter &n) {
  std::string text = n.getString("equation", "").str();
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  bool isExplicit = StringRef(text).contains("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  auto refuse = [&]() {
    return n.refuse() << "has the equation '" << text
                      << "', which does not fit its inputs; correct it";
  };
  if (parts.size() != n.numInputs())
    return refuse();
  Equation equation;
  int64_t hidden = 0;
  for (auto [i, part] : llvm::enumerate(parts)) {
    GraphValue &x = n.in(i);
    std::optional<Labels> labels = readLabels(part, x.rank(), 0);
    if (!labels)
      return refuse();
    hidden = std::max<int64_t>(hidden, llvm::count_if(*labels, [](int label) {
                                 return label >= kEllipsis;
                               }));
    equation.terms.push_back({x, *labels});
  }
  equation.result = impliedLabels(equation.terms);
  if (isExplicit) {
    std::optional<Labels> labels = readLabels(right, -1, hidden);
    if (!labels)
      return refuse();
    equation.result = *labels;
  }
  for (int label : equation.result) {
    bool isKnown = llvm::any_of(equation.terms, [&](const Term &term) {
      return contains(term.labels, label);
    });
    if (!isKnown || llvm::count(equation.result, label) > 1)
      return refuse();
  }
  return equation;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// The elements whose places are equal where two dimensions have one label.
static void takeDiagonals(NodeImporter &n, Term &term) {
  Labels labels;
  Shape shape;
  SmallVector<unsigned> place; // of each dimension among the new ones
  for (auto [label, size] : llvm::zip_equal(term.labels, term.value.shape)) {
    auto found = llvm::find(labels, label);
    place.push_back(found - labels.begin());
    if (found != labels.end())
      continue;
    labels.push_back(label);
    shape.push_back(size);
  }
  if (labels.size() == term.labels.size())
    return;
  term.value = gather(n, term.value, shape, [&](Scalars &, ValueRange at) {
    SmallVector<Value> indices;
    for (unsigned d : place)
      indices.push_back(at[d]);
    return indices;
  });
  term.labels = labels;
}

/// Removes dimensions of size 1 where another term has a larger size, and
/// refuses other sizes that differ.
static LogicalResult matchSizes(NodeImporter &n, std::vector<Term> &terms) {
  for (size_t t = 0; t < terms.size(); ++t) {
    SmallVector<int64_t> unit;
    for (auto [d, label] : llvm::enumerate(terms[t].labels)) {
      std::optional<int64_t> size = knownSize(terms[t].value.shape[d]);
      for (Term &other : terms) {
        auto found = llvm::find(other.labels, label);
        if (found == other.labels.end())
          continue;
        std::optional<int64_t> otherSize =
            knownSize(other.value.shape[found - other.labels.begin()]);
        if (size == otherSize || !size || (otherSize == 1 && size != 1))
          continue;
        if (size != 1 && otherSize)
          return n.refuse()
                 << "has inputs of sizes " << *size << " and " << *otherSize
                 << " along one dimension; correct the shapes";
        unit.push_back(d);
        break;
      }
    }
    if (unit.empty())
      continue;
    terms[t].value = squeeze(n, terms[t].value, unit);
    Labels kept;
    for (auto [d, label] : llvm::enumerate(terms[t].labels))
      if (!contains(SmallVector<int>(unit.begin(), unit.end()), d))
        kept.push_back(label);
    terms[t].labels = kept;
  }
  return success();
}

/// Sums over labels that neither another term nor the result has.
static void sumAlone(NodeImporter &n, Term &term, ArrayRef<int> needed) {
  SmallVector<int64_t> dims;
  Labels kept;
  for (auto [d, label] : llvm::enumerate(term.labels)) {
    if (contains(needed, label))
      kept.push_back(label);
    else
      dims.push_back(d);
  }
  if (dims.empty())
    return;
  term.value =
      reduce(n, term.value, dims, 0.0, [](Scalars &s, ValueRange args) {
        return s.add(args[0], args[1]);
      });
  term.labels = kept;
}

/// The products of two terms, summed over labels that are not needed: first
/// the dimensions of both, then those of each, as a contraction has them.
static Term multiply(NodeImporter &n, Term &a, Term &b, ArrayRef<int> needed) {
  Term result;
  Labels loops, summed;
  for (int label : a.labels)
    if (contains(b.labels, label))
      (contains(needed, label) ? loops : summed).push_back(label);
  for (const Term *term : {&a, &b})
    for (int label : term->labels)
      if (!contains(loops, label) && !contains(summed, label))
        loops.push_back(label);
  result.labels = loops;
  SmallVector<Iterator> iterators(loops.size(), Iterator::parallel);
  iterators.append(summed.size(), Iterator::reduction);
  llvm::append_range(loops, summed);
  auto mapOf = [&](ArrayRef<int> labels) {
    SmallVector<AffineExpr> exprs;
    for (int label : labels)
      exprs.push_back(
          n.b.getAffineDimExpr(llvm::find(loops, label) - loops.begin()));
    return AffineMap::get(loops.size(), 0, exprs, n.b.getContext());
  };
  Shape shape;
  for (int label : result.labels) {
    Term &term = contains(a.labels, label) ? a : b;
    shape.push_back(
        term.value.shape[llvm::find(term.labels, label) - term.labels.begin()]);
  }
  bool isSum = !summed.empty();
  result.value = toGraphValue(
      generic(n, {n.tensor(a.value), n.tensor(b.value)},
              filled(n, a.value.element, shape, 0.0),
              {mapOf(a.labels), mapOf(b.labels), mapOf(result.labels)},
              iterators,
              [&](Scalars &s, ValueRange args) {
                Value product = s.mul(args[0], args[1]);
                return isSum ? s.add(args[2], product) : product;
              }),
      shape);
  return result;
}

LogicalResult onnx::importEinsum(NodeImporter &n) {
  if (n.in(0).isUnsigned())
    return n.refuse() << "does not take " << elementName(n.in(0).element)
                      << "; cast the inputs to float32 or int32";
  FailureOr<Equation> equation = readEquation(n);
  if (failed(equation))
    return failure();
  std::vector<Term> &terms = equation->terms;
  for (Term &term : terms)
    takeDiagonals(n, term);
  if (failed(matchSizes(n, terms)))
    return failure();
  // Terms are multiplied from the left. Labels of later terms and of the result
  // are needed.
  auto neededAfter = [&](size_t i) {
    Labels needed = equation->result;
    for (const Term &term : ArrayRef(terms).drop_front(i + 1))
      llvm::append_range(needed, term.labels);
    return needed;
  };
  sumAlone(n, terms[0], neededAfter(0));
  Term y = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels needed = neededAfter(i), known = needed;
    llvm::append_range(known, y.labels);
    sumAlone(n, terms[i], known);
    y = multiply(n, y, terms[i], needed);
  }
  SmallVector<int64_t> order;
  for (int label : equation->result)
    order.push_back(llvm::find(y.labels, label) - y.labels.begin());
  return n.set(0, transpose(n, y.value, order));
}
