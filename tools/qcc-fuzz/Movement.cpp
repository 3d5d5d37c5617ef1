//===- Movement.cpp - Ops that move elements ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In both directions: from the shape that is wanted back to a source, and on
// from a value that there is.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include <algorithm>

namespace qcc::fuzz {

/// What is not zero and surrounds values now and then.
static constexpr double kPadding = 3;

static std::string numbers(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

static std::string sizes(const Dims &dims) {
  std::string text;
  for (DimId id : dims)
    text += (text.empty() ? "${" : ", ${") + std::to_string(id) + "}";
  return "[" + text + "]";
}

ValueId Builder::transpose(ValueId x, const std::vector<int> &permutation) {
  Type type = typeOf(x);
  Dims dims;
  std::vector<int64_t> list;
  for (int from : permutation) {
    dims.push_back(type.dims[from]);
    list.push_back(from);
  }
  type.dims = dims;
  if (random.chance(75))
    return op("linalg.transpose",
              {"linalg.transpose ins($0 : $t0) outs($e0 : $r0) permutation = " +
                   numbers(list),
               {x}},
              type);
  // A generic that only yields its input.
  std::string from, to;
  std::vector<std::string> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[permutation[i]] = "d" + std::to_string(i);
    to += (i ? ", d" : "d") + std::to_string(i);
  }
  for (const std::string &dim : inverse)
    from += (from.empty() ? "" : ", ") + dim;
  Body body;
  body.arguments = {type.element, type.element};
  body.yields = {0};
  return generic({x}, -1, type, {from, to},
                 std::vector<std::string>(permutation.size(), "parallel"),
                 std::move(body));
}

static ValueId slice(Builder &b, ValueId x, const std::vector<int64_t> &offsets,
                     const Dims &dims, const std::vector<int64_t> &strides) {
  Type type = b.typeOf(x);
  type.dims = dims;
  return b.op("tensor.extract_slice",
              {"tensor.extract_slice $0" + numbers(offsets) + " " +
                   sizes(dims) + " " + numbers(strides) + " : $t0 to $r0",
               {x}},
              type);
}

ValueId Builder::pad(ValueId x, const std::vector<int64_t> &low,
                     const std::vector<int64_t> &high, const Dims &dims,
                     double value) {
  Type type = typeOf(x);
  type.dims = dims;
  std::string indices;
  for (size_t i = 0; i < dims.size(); ++i)
    indices += (i ? ", %p" : "%p") + std::to_string(i) + ": index";
  Data data;
  data.role = value == 0 ? Data::Zero : Data::Exact;
  data.scale = value;
  ValueId number = constant(scalar(type.element), data);
  return op("tensor.pad",
            {"tensor.pad $0 low" + numbers(low) + " high" + numbers(high) +
                 " {\n  ^bb0(" + indices +
                 "):\n    tensor.yield $1 : $t1\n  } : $t0 to $r0",
             {x, number}},
            type);
}

namespace {
/// What a movement starts from: a value of other dimensions, itself moved, or,
/// where the movement cannot be made of it, one of the wanted dimensions.
struct Sources {
  Builder::MakeLeaf source, make;
};
} // namespace

/// The groups of a reassociation of `count` dimensions, of which number `at`
/// stands for two.
static std::string groupsOf(size_t count, size_t at) {
  std::string groups;
  for (size_t i = 0; i < count; ++i) {
    size_t first = i + (i > at);
    groups += (i ? ", [" : "[") + std::to_string(first) +
              (i == at ? ", " + std::to_string(first + 1) : "") + "]";
  }
  return groups;
}

/// Whether ops of arith and linalg take it.
static bool isPlain(const Builder &b, ValueId value) {
  return b.typeOf(value).quant < 0 && b.elementOf(value) != Element::U8;
}

static bool hasChannels(const Builder &b, ValueId value) {
  Type type = b.typeOf(value);
  return type.quant >= 0 && b.graph.quants[type.quant].axis >= 0;
}

static ValueId transposed(Builder &b, const Dims &dims,
                          const Sources &sources) {
  size_t rank = dims.size();
  std::vector<int> permutation;
  for (size_t i = 0; i < rank; ++i)
    permutation.push_back(static_cast<int>(i));
  b.random.shuffle(permutation);
  Dims from(rank);
  for (size_t i = 0; i < rank; ++i)
    from[permutation[i]] = dims[i];
  ValueId value = sources.source(from);
  return isPlain(b, value) ? b.transpose(value, permutation)
                           : sources.make(dims);
}

static ValueId padded(Builder &b, const Dims &dims, const Sources &sources) {
  size_t rank = dims.size();
  std::vector<int64_t> low(rank), high(rank);
  Dims from = dims;
  for (size_t i = 0; i < rank; ++i) {
    if (!b.isStatic(dims[i]) || !b.random.chance(60))
      continue;
    int64_t room = std::min<int64_t>(b.staticSize(dims[i]) - 1, 3);
    if (room <= 0)
      continue;
    low[i] = b.random.between(0, room);
    high[i] = b.random.between(0, room - low[i]);
    from[i] = b.scaled(dims[i], 1, -low[i] - high[i]);
  }
  ValueId value = sources.source(from);
  if (!isPlain(b, value))
    return sources.make(dims);
  bool withZero = b.random.chance(isFloat(b.elementOf(value)) ? 90 : 50);
  return b.pad(value, low, high, dims, withZero ? 0 : kPadding);
}

static ValueId sliced(Builder &b, const Dims &dims, const Sources &sources) {
  size_t rank = dims.size();
  std::vector<int64_t> offsets(rank), strides(rank, 1);
  Dims from = dims;
  for (size_t i = 0; i < rank; ++i) {
    if (!b.random.chance(50))
      continue;
    // Whatever the size, the slice stays inside.
    strides[i] = b.random.chance(30) ? b.random.between(2, 3) : 1;
    offsets[i] = b.random.between(0, 3);
    from[i] =
        b.scaled(dims[i], strides[i], offsets[i] + b.random.between(0, 2));
  }
  return slice(b, sources.source(from), offsets, dims, strides);
}

static ValueId broadcasted(Builder &b, const Dims &dims,
                           const Sources &sources) {
  size_t rank = dims.size();
  size_t at = b.random.below(rank);
  Dims from = dims;
  from.erase(from.begin() + at);
  ValueId value = sources.source(from);
  Type type = b.typeOf(value);
  if (!isPlain(b, value))
    return sources.make(dims);
  type.dims = dims;
  return b.op("linalg.broadcast",
              {"linalg.broadcast ins($0 : $t0) outs($e0 : $r0) dimensions = [" +
                   std::to_string(at) + "]",
               {value}},
              type);
}

static ValueId expanded(Builder &b, const Dims &dims, const Sources &sources) {
  size_t rank = dims.size();
  if (rank < 2 || rank > 4)
    return sources.make(dims);
  size_t at = b.random.below(rank - 1);
  if (!b.isStatic(dims[at]) && !b.isStatic(dims[at + 1]))
    return sources.make(dims);
  Dims from = dims;
  from[at] = b.graph.dim({Dim::Product, 0, dims[at], dims[at + 1]});
  from.erase(from.begin() + at + 1);
  ValueId value = sources.source(from);
  Type type = b.typeOf(value);
  if (hasChannels(b, value))
    return sources.make(dims);
  type.dims = dims;
  std::string groups = groupsOf(from.size(), at);
  return b.op("tensor.expand_shape",
              {"tensor.expand_shape $0 [" + groups + "] output_shape " +
                   sizes(dims) + " : $t0 into $r0",
               {value}},
              type);
}

static ValueId collapsed(Builder &b, const Dims &dims, const Sources &sources) {
  size_t rank = dims.size();
  if (rank > 3)
    return sources.make(dims);
  size_t at = b.random.below(rank);
  Dims from = dims;
  from.insert(from.begin() + at + b.random.below(2), b.fixed(1));
  ValueId value = sources.source(from);
  Type type = b.typeOf(value);
  if (hasChannels(b, value))
    return sources.make(dims);
  type.dims = dims;
  std::string groups = groupsOf(rank, at);
  return b.op(
      "tensor.collapse_shape",
      {"tensor.collapse_shape $0 [" + groups + "] : $t0 into $r0", {value}},
      type);
}

ValueId Builder::moved(const Dims &dims, const MakeLeaf &make,
                       unsigned percent) {
  if (dims.empty() || !random.chance(percent))
    return make(dims);
  Sources sources = {
      [&](const Dims &from) { return moved(from, make, percent / 2); }, make};
  switch (random.weighted({20, 32, 17, 11, 10, 10})) {
  case 0:
    return transposed(*this, dims, sources);
  case 1:
    return padded(*this, dims, sources);
  case 2:
    return sliced(*this, dims, sources);
  case 3:
    return broadcasted(*this, dims, sources);
  case 4:
    return expanded(*this, dims, sources);
  default:
    return collapsed(*this, dims, sources);
  }
}

static ValueId concat(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  size_t axis = b.random.below(type.rank());
  Type other = type;
  if (b.isStatic(type.dims[axis]))
    other.dims[axis] = b.someDim(9);
  ValueId y = b.another(other);
  bool swap = b.random.chance(50);
  Type result = type;
  result.dims[axis] =
      b.graph.dim({Dim::Sum, 0, (swap ? other : type).dims[axis],
                   (swap ? type : other).dims[axis]});
  std::vector<ValueId> operands = {x, y};
  if (swap)
    std::swap(operands[0], operands[1]);
  return b.op("tensor.concat",
              {"tensor.concat dim(" + std::to_string(axis) +
                   ") $0, $1 : ($t0, $t1) -> $r0",
               operands},
              result);
}

/// Writes a value into a larger one, whose size fits whatever that of x is.
static ValueId insertSlice(Builder &b, ValueId x) {
  Type type = b.typeOf(x), into = type;
  std::vector<int64_t> offsets(type.rank()), strides(type.rank(), 1);
  for (size_t i = 0; i < type.rank(); ++i) {
    if (!b.random.chance(60))
      continue;
    strides[i] = b.random.chance(25) ? 2 : 1;
    offsets[i] = b.random.between(0, 2);
    into.dims[i] =
        b.scaled(type.dims[i], strides[i], offsets[i] + b.random.between(0, 2));
  }
  ValueId target = b.another(into);
  return b.op("tensor.insert_slice",
              {"tensor.insert_slice $0 into $1" + numbers(offsets) + " " +
                   sizes(type.dims) + " " + numbers(strides) +
                   " : $t0 into $t1",
               {x, target}},
              into);
}

/// A slice of a value: a stride, or a part of what is static.
static ValueId takeSlice(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  std::vector<int64_t> offsets(type.rank()), strides(type.rank(), 1);
  Dims dims = type.dims;
  for (size_t i = 0; i < type.rank(); ++i) {
    if (!b.random.chance(60))
      continue;
    if (b.random.chance(30)) {
      strides[i] = b.random.between(2, 3);
      dims[i] = b.scaled(dims[i], 1, 0, strides[i]);
      continue;
    }
    if (!b.isStatic(dims[i]))
      continue;
    int64_t room = b.staticSize(dims[i]) - 1;
    if (room <= 0)
      continue;
    offsets[i] = b.random.between(0, std::min<int64_t>(room, 3));
    dims[i] = b.scaled(dims[i], 1, -offsets[i] - (room > offsets[i] + 1));
  }
  return slice(b, x, offsets, dims, strides);
}

/// A tensor with one element that is taken out of x.
static ValueId extractElement(Builder &b, ValueId x) {
  Type type = b.typeOf(x);
  OpText text;
  text.text = "tensor.extract " + text.use(x);
  std::string indices;
  for (DimId id : type.dims) {
    Data data;
    data.role = Data::Integer;
    data.high = b.staticSize(id) - 1;
    ValueId index = b.constant(Builder::scalar(Element::Index), data);
    indices += (indices.empty() ? "" : ", ") + text.use(index);
  }
  text.text += "[" + indices + "] : $t0";
  ValueId element =
      b.op("tensor.extract", std::move(text), Builder::scalar(type.element));
  if (b.random.chance(50))
    return b.op("tensor.from_elements",
                {"tensor.from_elements $0, $0 : $r0", {element}},
                Builder::tensor(type.element, {b.fixed(2)}));
  return b.op("tensor.splat", {"tensor.splat $0 : $r0", {element}},
              Builder::tensor(type.element, {b.someDim(), b.someDim(9)}));
}

ValueId Builder::move(ValueId x) {
  Type type = typeOf(x);
  size_t rank = type.rank();
  bool isPlain = type.quant < 0 && type.element != Element::U8;
  switch (random.weighted({20, 12, 12, 20, 12, 6, 10, 8})) {
  case 0:
    if (rank >= 2 && isPlain) {
      std::vector<int> permutation;
      for (size_t i = 0; i < rank; ++i)
        permutation.push_back(static_cast<int>(i));
      random.shuffle(permutation);
      return transpose(x, permutation);
    }
    break;
  case 1:
    if (rank && isPlain)
      return concat(*this, x);
    break;
  case 2:
    if (rank && isPlain)
      return insertSlice(*this, x);
    break;
  case 3:
    break;
  case 4:
    if (rank && isPlain) {
      std::vector<int64_t> low(rank), high(rank);
      Dims dims = type.dims;
      for (size_t i = 0; i < rank; ++i) {
        low[i] = random.between(0, 2);
        high[i] = random.between(0, 3);
        dims[i] = scaled(dims[i], 1, low[i] + high[i]);
      }
      return pad(x, low, high, dims, random.chance(70) ? 0 : kPadding);
    }
    break;
  case 5:
    if (isStatic(type.dims) && elements(type.dims) && isPlain)
      return extractElement(*this, x);
    break;
  case 6:
    if (rank >= 2 && isPlain &&
        (isStatic(type.dims[0]) || isStatic(type.dims[1]))) {
      Type result = type;
      result.dims.erase(result.dims.begin());
      result.dims[0] = graph.dim({Dim::Product, 0, type.dims[0], type.dims[1]});
      std::string groups = "[0, 1]";
      for (size_t i = 2; i < rank; ++i)
        groups += ", [" + std::to_string(i) + "]";
      return op(
          "tensor.collapse_shape",
          {"tensor.collapse_shape $0 [" + groups + "] : $t0 into $r0", {x}},
          result);
    }
    break;
  default:
    if (rank < 4 && isPlain) {
      Type result = type;
      size_t at = random.below(rank + 1);
      result.dims.insert(result.dims.begin() + at, someDim(9));
      return op("linalg.broadcast",
                {"linalg.broadcast ins($0 : $t0) outs($e0 : $r0) dimensions = "
                 "[" +
                     std::to_string(at) + "]",
                 {x}},
                result);
    }
  }
  return rank && isPlain ? takeSlice(*this, x) : x;
}

} // namespace qcc::fuzz
