//===- BlockedLayouts.cpp - Ops on images in blocks of channels -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The domain com.microsoft.nchwc. Its images become images in the order of
// ONNX whose channels are rounded up to whole blocks. Only weights, which are
// constants, are stored in blocks; their elements are put back in order.
//
//===----------------------------------------------------------------------===//

#include "../../Builder/Constants.h"
#include "../ChannelBlocks.h"
#include "../Compose.h"
#include "../Ops.h"
#include "qcc/Dialect/Utils/ConstantData.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace qcc;
using namespace qcc::onnx;

using Ref = Composer::Ref;

/// Refuses a first input that is no image, in blocks or not.
static LogicalResult verifyImage(NodeImporter &n, bool isBlocked) {
  GraphValue &x = n.in(0);
  if (x.rank() == 4 && x.isBlocked == isBlocked)
    return success();
  return n.refuse() << "takes an image in four dimensions"
                    << (isBlocked ? ", in blocks of channels"
                                  : ", not in blocks of channels")
                    << "; correct its input";
}

static LogicalResult setBlocked(NodeImporter &n, Composer &c, Ref y) {
  y->isBlocked = true;
  return c.set(0, y);
}

/// The number of channels in a block, or a refusal.
static FailureOr<int64_t> blockOf(NodeImporter &n) {
  if (n.channelBlock > 0)
    return n.channelBlock;
  return n.refuse()
         << "has blocks of 8 or of 16 channels, and the model does not say "
            "which; save it at the level EXTENDED, or add the metadata entry '"
         << StringRef(kChannelBlockKey.data(), kChannelBlockKey.size())
         << "': 16 if a processor with vectors of 512 bits saved it, otherwise "
            "8";
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

/// A weight that is stored as [O / block, I / inner, H, W, inner, block], in
/// the order [O, I, H, W].
static GraphValue unblock(NodeImporter &n, const GraphValue &weight,
                          ArrayRef<char> bytes, ArrayRef<int64_t> sizes,
                          int64_t block, int64_t inner, StringRef name) {
  int64_t filters = sizes[0], depth = sizes[1], window = sizes[2] * sizes[3];
  constexpr size_t kElement = sizeof(float);
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64);
  char *to = blob.getMutableData().data();
  for (int64_t o = 0; o < filters; ++o)
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t k = 0; k < window; ++k, to += kElement) {
        int64_t place = (o / block) * (depth / inner) + i / inner;
        place = (place * window + k) * inner + i % inner;
        std::memcpy(to, &bytes[(place * block + o % block) * kElement],
                    kElement);
      }
  n.evict(weight.constant);
  return Constants::toValue(n.b,
                            makeConstant(n.type(weight.element, weight.shape),
                                         std::move(blob), name));
}

static FailureOr<GraphValue> readWeight(NodeImporter &n) {
  GraphValue &w = n.in(1);
  std::optional<ConstantData> data = ConstantData::get(w.constant);
  std::optional<SmallVector<int64_t>> sizes = knownSizes(w.shape);
  if (!data || !sizes || sizes->size() != 4)
    return n.refuse() << "has a weight in blocks of channels that is no "
                         "constant in four dimensions; correct it";
  FailureOr<int64_t> block = blockOf(n);
  if (failed(block))
    return failure();
  int64_t depth = (*sizes)[1], groups = n.getInt("group", 1);
  bool isDepthwise = groups > 1 && depth == 1;
  // An image with fewer channels than a block is read as it is.
  bool isWhole = isDepthwise || (groups == 1 && depth < *block);
  int64_t inner = isWhole ? 1 : *block;
  bool readsBlocks = isDepthwise || !isWhole;
  if ((*sizes)[0] % *block != 0 || depth % inner != 0 ||
      n.in(0).isBlocked != readsBlocks)
    return n.refuse() << "has a weight or an image that are not in blocks of "
                      << *block << " channels; save the model at the level "
                      << "EXTENDED";
  return unblock(n, w, data->bytes, *sizes, *block, inner,
                 data->name.empty() ? "weight" : data->name);
}

LogicalResult onnx::importBlockedConv(NodeImporter &n) {
  if (failed(verifyImage(n, n.in(0).isBlocked)))
    return failure();
  if (n.has(3) && !n.in(3).isBlocked)
    return n.refuse() << "adds an image that is not in blocks of channels; "
                         "correct its input 3";
  FailureOr<GraphValue> weight = readWeight(n);
  if (failed(weight))
    return failure();
  Composer c(n);
  FailureOr<Ref> y = fusedConv(n, c, c.hold(std::move(*weight)));
  return failed(y) || c.failed() ? failure() : setBlocked(n, c, *y);
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

LogicalResult onnx::importReorderInput(NodeImporter &n) {
  if (failed(verifyImage(n, /*isBlocked=*/false)))
    return failure();
  Composer c(n);
  Ref x = n.getInt("channels_last", 0) ? channelsFirst(c, c.in(0)) : c.in(0);
  std::optional<int64_t> channels = knownSize(x->shape[1]);
  if (!channels)
    return n.refuse() << "reads an image with a number of channels that is not "
                         "known; give it (--dim, --shape)";
  // Every size of a block divides 16.
  if (*channels % 16 == 0)
    return setBlocked(n, c, c.op("Identity", {x}));
  FailureOr<int64_t> block = blockOf(n);
  if (failed(block))
    return failure();
  SmallVector<OpFoldResult> low(4, n.size(0)), high(low);
  high[1] = n.size(llvm::alignTo(*channels, *block) - *channels);
  Value zero = Scalars(n.b, n.loc).constant(x->element, 0);
  return setBlocked(n, c, c.hold(pad(n, *x, low, high, zero)));
}

LogicalResult onnx::importReorderOutput(NodeImporter &n) {
  if (failed(verifyImage(n, /*isBlocked=*/true)))
    return failure();
  std::optional<int64_t> all = knownSize(n.in(0).shape[1]);
  int64_t channels = n.getInt("channels", 0);
  if (!all || channels < 1 || channels > *all)
    return n.refuse() << "has the attribute channels = " << channels
                      << ", which its image does not have; correct it";
  Composer c(n);
  Ref y = c.part(c.in(0), 1, n.size(0), n.size(channels));
  y->isBlocked = false;
  return c.set(0, n.getInt("channels_last", 0) ? channelsLast(c, y) : y);
}

/// MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool.
LogicalResult onnx::importBlockedPool(NodeImporter &n) {
  if (failed(verifyImage(n, /*isBlocked=*/true)))
    return failure();
  Composer c(n);
  Ref y = c.op(n.op(), {c.in(0)}, n.node.attributes);
  return c.failed() ? failure() : setBlocked(n, c, y);
}

static std::string_view toView(StringRef text) {
  return {text.data(), text.size()};
}

/// Resize by whole scales.
LogicalResult onnx::importBlockedUpsample(NodeImporter &n) {
  if (failed(verifyImage(n, /*isBlocked=*/true)))
    return failure();
  ArrayRef<int64_t> given = n.getInts("scales");
  if (given.size() != 4 || given[0] != 1 || given[1] != 1 || given[2] < 1 ||
      given[3] < 1)
    return n.refuse() << "has scales other than [1, 1, height, width], each at "
                         "least 1; correct the attribute";
  StringRef mode = n.getString("mode", "nearest"),
            places =
                n.getString("coordinate_transformation_mode", "asymmetric");
  if (mode != "nearest" && mode != "linear")
    return n.refuse() << "has the mode '" << mode
                      << "', which is not supported; nearest and linear are";
  Composer c(n);
  SmallVector<float> scales(given.begin(), given.end());
  Ref y = c.op("Resize", {c.in(0), nullptr, c.floats(scales)},
               {attribute("mode", toView(mode)),
                attribute("coordinate_transformation_mode", toView(places)),
                attribute("nearest_mode", std::string_view("floor"))});
  return c.failed() ? failure() : setBlocked(n, c, y);
}
