//===- MatMulNBits.cpp - Products with weights of few bits ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MatMulNBits of com.microsoft: y = x * transpose(w) + bias. Each row of w has
// blocks of K with a scale and a zero point of their own.
//
// The accuracy level 4 multiplies integers: blocks of x become int8, and
// qnn.linear has groups of K. The other levels multiply floats.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../../Builder/Emit.h"
#include "../NodeImporter.h"
#include "../Ops.h"
#include "Quantization.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include <cmath>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

/// The inputs of the node.
enum Input : unsigned { X, W, Scales, ZeroPoints, Order, Bias };

namespace {
/// The attributes of the node. `depth` is K with the rest of the last block.
struct Blocks {
  int64_t k, n, bits, size, count, depth;
  bool isInteger;

  int64_t bytesOf(int64_t codes) const { return (codes * bits + 7) / 8; }
};

/// w as [n, depth] of int8, or of uint8 with zero points [n, count]; scales are
/// float32 of [n, count].
struct Weight {
  GraphValue codes, zeroPoints, scales;
  /// Zero points that are floats, [n, count] of float32.
  std::optional<GraphValue> realZeroPoints;
};
} // namespace

static FailureOr<Blocks> readBlocks(NodeImporter &n) {
  if (failed(n.requireInt("weight_prepacked", 0)))
    return failure();
  Blocks blocks;
  blocks.k = n.getInt("K", 0);
  blocks.n = n.getInt("N", 0);
  blocks.bits = n.getInt("bits", 4);
  blocks.size = n.getInt("block_size", 0);
  blocks.isInteger = n.getInt("accuracy_level", 0) == 4;
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8)
    return n.refuse() << "has weights of " << blocks.bits
                      << " bits, which is not supported; use 2, 4 or 8";
  if (blocks.size < 16 || !llvm::isPowerOf2_64(blocks.size))
    return n.refuse() << "has blocks of " << blocks.size
                      << " elements; use a power of two of at least 16";
  if (blocks.k < 1 || blocks.n < 1)
    return n.refuse() << "has a weight of " << blocks.n << " rows and "
                      << blocks.k << " columns; correct N and K";
  blocks.count = (blocks.k + blocks.size - 1) / blocks.size;
  blocks.depth = blocks.count * blocks.size;
  return blocks;
}

/// Refuses an order of columns other than that of the weight.
static LogicalResult verifyOrder(NodeImporter &n, const Blocks &blocks) {
  if (!n.has(Order))
    return success();
  std::optional<ConstantData> data = ConstantData::get(n.in(Order).constant);
  bool isTrivial = data.has_value();
  for (size_t at = 0; isTrivial && at < data->bytes.size() / sizeof(int32_t);
       ++at) {
    int32_t block;
    std::memcpy(&block, data->bytes.data() + at * sizeof(block), sizeof(block));
    isTrivial = block == static_cast<int64_t>(at) / blocks.size;
  }
  if (isTrivial)
    return success();
  return n.refuse() << "has a g_idx that gives columns of the weight another "
                       "order of blocks, which is not supported; quantize "
                       "without act-order, or permute input and weight";
}

/// `rows` rows of `count` codes of `bits` bits; a row begins with a byte of its
/// own, and a byte with its lowest bits.
static std::vector<uint8_t> unpack(ArrayRef<char> bytes, int64_t rows,
                                   int64_t count, int64_t bits) {
  std::vector<uint8_t> codes;
  codes.reserve(rows * count);
  int64_t perByte = 8 / bits, rowBytes = (count + perByte - 1) / perByte;
  auto mask = static_cast<uint8_t>((1 << bits) - 1);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < count; ++i) {
      auto byte = static_cast<uint8_t>(bytes[row * rowBytes + i / perByte]);
      codes.push_back((byte >> (i % perByte * bits)) & mask);
    }
  return codes;
}

/// The codes of a constant input of uint8; refuses others.
static FailureOr<std::vector<uint8_t>> readCodes(NodeImporter &n, Input input,
                                                 StringRef what, int64_t rows,
                                                 int64_t count, int64_t bits) {
  GraphValue &given = n.in(input);
  std::optional<ConstantData> data = ConstantData::get(given.constant);
  if (!data)
    return n.refuse() << "has " << what
                      << " that are no constant; make them an initializer";
  int64_t perByte = 8 / bits;
  int64_t size = rows * ((count + perByte - 1) / perByte);
  if (static_cast<int64_t>(data->bytes.size()) != size)
    return n.refuse() << "has " << data->bytes.size() << " bytes of " << what
                      << ", but its attributes ask for " << size
                      << "; correct the shape";
  std::vector<uint8_t> codes = unpack(data->bytes, rows, count, bits);
  n.evict(given.constant);
  return codes;
}

/// An input of `n` rows of blocks, as float32 of [n, count].
static FailureOr<GraphValue> readPerBlock(NodeImporter &n, Input input,
                                          const Blocks &blocks) {
  GraphValue &given = n.in(input);
  std::optional<SmallVector<int64_t>> sizes = knownSizes(given.shape);
  int64_t elements = 1;
  for (int64_t size : sizes.value_or(SmallVector<int64_t>{0}))
    elements *= size;
  if (elements != blocks.n * blocks.count)
    return n.refuse() << "needs " << blocks.n * blocks.count << " "
                      << (input == Scales ? "scales" : "zero points")
                      << ", one for each block of a row; correct the shape";
  FailureOr<GraphValue> wide = convert(n, given, n.b.getF32Type());
  if (failed(wide))
    return failure();
  return reshape(n, *wide, {n.size(blocks.n), n.size(blocks.count)});
}

/// Makes constant scales valid (N9): a block whose scale is negative has
/// negated differences, and one whose scale is 0 has differences of 0.
static void normalize(MutableArrayRef<float> scales, const Blocks &blocks,
                      std::vector<uint8_t> &codes,
                      std::vector<uint8_t> &zeroPoints) {
  auto most = static_cast<uint8_t>((1 << blocks.bits) - 1);
  for (auto [at, scale] : llvm::enumerate(scales)) {
    auto block = MutableArrayRef(codes).slice(at * blocks.size, blocks.size);
    if (scale == 0) {
      llvm::fill(block, zeroPoints[at]);
      scale = 1;
    } else if (scale < 0) {
      for (uint8_t &code : block)
        code = most - code;
      zeroPoints[at] = most - zeroPoints[at];
      scale = -scale;
    }
  }
}

static GraphValue makeBytes(NodeImporter &n, ArrayRef<uint8_t> bytes,
                            ArrayRef<int64_t> shape, bool isSigned,
                            StringRef name) {
  Type element = n.b.getIntegerType(8);
  if (!isSigned)
    element = n.b.getIntegerType(8, /*isSigned=*/false);
  ArrayRef<char> data(reinterpret_cast<const char *>(bytes.data()),
                      bytes.size());
  return Constants::toValue(
      n.b, makeConstant(RankedTensorType::get(shape, element), data, name));
}

/// Codes less zero points as int8 if all fit, otherwise both as uint8.
static void setCodes(NodeImporter &n, const Blocks &blocks,
                     std::vector<uint8_t> &codes, ArrayRef<uint8_t> zeroPoints,
                     Weight &weight) {
  auto differenceAt = [&](size_t i) {
    return int32_t(codes[i]) - int32_t(zeroPoints[i / blocks.size]);
  };
  bool fits = llvm::all_of(llvm::seq<size_t>(0, codes.size()), [&](size_t i) {
    return differenceAt(i) >= -128 && differenceAt(i) <= 127;
  });
  SmallVector<int64_t> shape{blocks.n, blocks.depth};
  if (fits)
    for (size_t i = 0; i < codes.size(); ++i)
      codes[i] = static_cast<uint8_t>(differenceAt(i));
  else
    weight.zeroPoints = makeBytes(n, zeroPoints, {blocks.n, blocks.count},
                                  /*isSigned=*/false, "zero_points");
  weight.codes = makeBytes(n, codes, shape, fits, "weight");
}

static FailureOr<Weight> readWeight(NodeImporter &n, Blocks &blocks) {
  Weight weight;
  FailureOr<std::vector<uint8_t>> codes =
      readCodes(n, W, "weights", blocks.n, blocks.depth, blocks.bits);
  if (failed(codes))
    return failure();
  FailureOr<GraphValue> scales = readPerBlock(n, Scales, blocks);
  if (failed(scales))
    return failure();
  weight.scales = *scales;
  std::vector<uint8_t> zeroPoints(blocks.n * blocks.count,
                                  1 << (blocks.bits - 1));
  if (n.has(ZeroPoints) && n.in(ZeroPoints).isFloat()) {
    FailureOr<GraphValue> real = readPerBlock(n, ZeroPoints, blocks);
    if (failed(real))
      return failure();
    weight.realZeroPoints = *real;
    weight.codes = makeBytes(n, *codes, {blocks.n, blocks.depth},
                             /*isSigned=*/false, "weight");
    return weight;
  }
  if (n.has(ZeroPoints)) {
    auto given = readCodes(n, ZeroPoints, "zero points", blocks.n, blocks.count,
                           blocks.bits);
    if (failed(given))
      return failure();
    zeroPoints = std::move(*given);
  }
  if (std::optional<SmallVector<float>> known =
          Constants::readFloats(*scales)) {
    normalize(*known, blocks, *codes, zeroPoints);
    SmallVector<int64_t> shape{blocks.n, blocks.count};
    weight.scales = Constants::toValue(
        n.b, makeConstant(
                 RankedTensorType::get(shape, n.b.getF32Type()),
                 ArrayRef<char>(reinterpret_cast<const char *>(known->data()),
                                known->size() * sizeof(float)),
                 "scales"));
    if (failed(verifyScale(n, weight.scales)))
      return failure();
  }
  setCodes(n, blocks, *codes, zeroPoints, weight);
  return weight;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// x [.., K] as [.., depth], with zeros for the rest of the last block.
static GraphValue padRows(NodeImporter &n, GraphValue &x,
                          const Blocks &blocks) {
  if (blocks.depth == blocks.k)
    return x;
  SmallVector<OpFoldResult> low(x.rank(), n.size(0)), high = low;
  high.back() = n.size(blocks.depth - blocks.k);
  Value zero = arith::ConstantOp::create(n.b, n.loc, n.b.getF32FloatAttr(0));
  return pad(n, x, low, high, zero);
}

/// The dimensions of `x` but the last one, and these.
static Shape withLast(const GraphValue &x, ArrayRef<OpFoldResult> last) {
  Shape shape(x.shape.begin(), x.shape.end() - 1);
  shape.append(last.begin(), last.end());
  return shape;
}

/// x in blocks of int8: the scale is max|x| / 127, [.., count].
static FailureOr<StoredValue> quantizeBlocks(NodeImporter &n, GraphValue &x,
                                             const Blocks &blocks) {
  GraphValue padded = padRows(n, x, blocks);
  OpFoldResult count = n.size(blocks.count), size = n.size(blocks.size);
  GraphValue blocked = reshape(n, padded, withLast(x, {count, size}));
  GraphValue most = reduce(
      n, blocked, {blocked.rank() - 1}, 0.0,
      [](Scalars &s, ValueRange args) { return s.max(args[0], args[1]); },
      [](Scalars &s, Value element) { return s.abs(element); });
  FailureOr<GraphValue> scale =
      elementwise(n, {&most}, x.element, [](Scalars &s, ValueRange args) {
        return s.div(args[0], s.constant(args[0].getType(), 127));
      });
  if (failed(scale))
    return failure();
  GraphValue perRow = reshape(n, *scale, withLast(x, {count, n.size(1)}));
  Type i8 = n.b.getI8Type();
  Value stored = qnn::QuantizeOp::create(n.b, n.loc, n.type(i8, blocked.shape),
                                         n.tensor(blocked), n.tensor(perRow),
                                         Value(), IntegerAttr(), UnitAttr());
  GraphValue integers = toGraphValue(stored, blocked.shape);
  StoredValue result{reshape(n, integers, padded.shape), {}};
  result.params.scale = n.tensor(*scale);
  return result;
}

/// (codes - zero points) * scales as float32 of [n, k].
static FailureOr<GraphValue> dequantize(NodeImporter &n, const Blocks &blocks,
                                        Weight &weight) {
  Type f32 = n.b.getF32Type();
  Shape shape{n.size(blocks.n), n.size(blocks.count), n.size(blocks.size)},
      rows{n.size(blocks.n), n.size(blocks.count), n.size(1)};
  GraphValue codes = reshape(n, weight.codes, shape),
             scales = reshape(n, weight.scales, rows);
  GraphValue real;
  if (weight.realZeroPoints) {
    GraphValue zero = reshape(n, *weight.realZeroPoints, rows);
    FailureOr<GraphValue> wide = convert(n, codes, f32);
    if (failed(wide))
      return failure();
    FailureOr<GraphValue> scaled = elementwise(
        n, {&*wide, &zero, &scales}, f32, [](Scalars &s, ValueRange args) {
          return s.mul(s.sub(args[0], args[1]), args[2]);
        });
    if (failed(scaled))
      return failure();
    real = *scaled;
  } else {
    Value zero;
    if (weight.zeroPoints.element) {
      GraphValue zeroPoints = reshape(n, weight.zeroPoints, rows);
      zero = n.tensor(zeroPoints);
    }
    real = toGraphValue(qnn::DequantizeOp::create(
                            n.b, n.loc, n.type(f32, shape), n.tensor(codes),
                            n.tensor(scales), zero, IntegerAttr()),
                        shape);
  }
  GraphValue flat = reshape(n, real, {n.size(blocks.n), n.size(blocks.depth)});
  if (blocks.depth == blocks.k)
    return flat;
  return slice(n, flat, {n.size(0), n.size(0)},
               {n.size(blocks.n), n.size(blocks.k)}, {1, 1});
}

/// x [.., K] as float32; refuses other shapes.
static FailureOr<GraphValue> readRows(NodeImporter &n, const Blocks &blocks) {
  GraphValue &given = n.in(X);
  if (given.rank() < 2)
    return n.refuse() << "takes an input of at least two dimensions, not of "
                      << given.rank() << "; reshape it";
  std::optional<int64_t> k = knownSize(given.shape.back());
  if (k && *k != blocks.k)
    return n.refuse() << "has K = " << blocks.k << " and an input with rows of "
                      << *k << " elements; correct one of them";
  FailureOr<GraphValue> x = convert(n, given, n.b.getF32Type());
  if (failed(x) || k)
    return x;
  return assumeSizes(n, *x, withLast(*x, {n.size(blocks.k)}));
}

LogicalResult onnx::importMatMulNBits(NodeImporter &n) {
  FailureOr<Blocks> blocks = readBlocks(n);
  if (failed(blocks) || failed(verifyOrder(n, *blocks)))
    return failure();
  FailureOr<GraphValue> x = readRows(n, *blocks);
  if (failed(x))
    return failure();
  FailureOr<Weight> weight = readWeight(n, *blocks);
  if (failed(weight))
    return failure();
  Value bias;
  if (n.has(Bias)) {
    if (n.in(Bias).rank() != 1 || knownSize(n.in(Bias).shape[0]) != blocks->n)
      return n.refuse() << "has a bias that is not one number for each of its "
                        << blocks->n << " results; correct the bias";
    FailureOr<GraphValue> wide = convert(n, n.in(Bias), n.b.getF32Type());
    if (failed(wide))
      return failure();
    bias = n.tensor(*wide);
  }
  Value input, codes, inputScale, scales, zeroPoints;
  if (blocks->isInteger && !weight->realZeroPoints) {
    FailureOr<StoredValue> stored = quantizeBlocks(n, *x, *blocks);
    if (failed(stored))
      return failure();
    input = n.tensor(stored->integers);
    inputScale = stored->params.scale;
    codes = n.tensor(weight->codes);
    scales = n.tensor(weight->scales);
    if (weight->zeroPoints.element)
      zeroPoints = n.tensor(weight->zeroPoints);
  } else {
    FailureOr<GraphValue> real = dequantize(n, *blocks, *weight);
    if (failed(real))
      return failure();
    input = n.tensor(*x);
    codes = n.tensor(*real);
  }
  Shape shape = withLast(*x, {n.size(blocks->n)});
  Value y = qnn::LinearOp::create(
      n.b, n.loc, n.type(n.in(X).element, shape), input, codes, bias,
      inputScale, /*input_zero_point=*/Value(), scales, zeroPoints,
      /*output_scale=*/Value(), /*output_zero_point=*/Value(),
      /*clamp_min=*/FloatAttr(), /*clamp_max=*/FloatAttr());
  return n.set(0, y, shape);
}
