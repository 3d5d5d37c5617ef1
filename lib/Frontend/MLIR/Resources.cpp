//===- Resources.cpp - Data behind dense_resource -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser takes a resource whose size does not fit its type, and one that is
// named but not there. The second is qcc's form for weights from a file.
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Base/Memory.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Support/Random.h"
#include "qcc/Support/TensorFile.h"
#include "qcc/Support/WorkLimits.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// How elements are stored in a resource and in files; nothing where they have
/// no such form.
static std::optional<rt::DType> getDType(Type element) {
  bool isUnsigned = element.isUnsignedInteger();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    isUnsigned = !quantized.isSigned();
    element = quantized.getStorageType();
  }
  if (element.isIndex())
    return rt::DType{QCC_INT, 64};
  if (element.isInteger(1))
    return rt::DType{QCC_BOOL, 8};
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  uint8_t code = element.isBF16()          ? QCC_BFLOAT
                 : isa<FloatType>(element) ? QCC_FLOAT
                 : isUnsigned              ? QCC_UINT
                                           : QCC_INT;
  rt::DType dtype{code, static_cast<uint8_t>(element.getIntOrFloatBitWidth())};
  return dtype.isKnown() ? std::optional(dtype) : std::nullopt;
}

/// "4x8xi8", "4x8xu8", "f32".
static std::string describe(RankedTensorType type) {
  return rt::describe(*getDType(type.getElementType()), type.getShape().vec());
}

//===----------------------------------------------------------------------===//
// Random weights
//===----------------------------------------------------------------------===//

/// The scales and zero points among the operands of a qnn op.
static void getParams(Operation *op, SmallVectorImpl<Value> &scales,
                      SmallVectorImpl<Value> &zeroPoints) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<qnn::ElementwiseOpInterface, qnn::AvgPool2DOp, qnn::ResizeOp>(
          [&](auto q) {
            for (const qnn::QuantTensor &tensor : q.getTensors()) {
              scales.push_back(tensor.scale);
              zeroPoints.push_back(tensor.zeroPoint);
            }
          })
      .Case<qnn::LinearOp, qnn::Conv2DOp, qnn::ConvTranspose2DOp>([&](auto q) {
        scales.append(
            {q.getInputScale(), q.getWeightScale(), q.getOutputScale()});
        zeroPoints.append({q.getInputZeroPoint(), q.getWeightZeroPoint(),
                           q.getOutputZeroPoint()});
      })
      .Case<qnn::MatmulOp>([&](auto q) {
        scales.append({q.getLhsScale(), q.getRhsScale(), q.getOutputScale()});
        zeroPoints.append(
            {q.getLhsZeroPoint(), q.getRhsZeroPoint(), q.getOutputZeroPoint()});
      });
}

namespace {
enum class Role { Data, Scale, ZeroPoint };
} // namespace

/// What the constant is used for, directly or reshaped: not every value makes a
/// valid scale (N9) or zero point.
static Role getRole(Operation *constant) {
  SmallVector<Operation *> work{constant};
  while (!work.empty()) {
    for (OpOperand &use : work.pop_back_val()->getUses()) {
      Operation *user = use.getOwner();
      SmallVector<Value> scales, zeroPoints;
      getParams(user, scales, zeroPoints);
      if (llvm::is_contained(scales, use.get()))
        return Role::Scale;
      if (llvm::is_contained(zeroPoints, use.get()))
        return Role::ZeroPoint;
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
              tensor::ExtractSliceOp, tensor::ExtractOp>(user))
        work.push_back(user);
    }
  }
  return Role::Data;
}

static rt::Result<HostTensor> makeRandom(RankedTensorType type, Role role,
                                         StringRef name, uint64_t seed) {
  rt::DType dtype = *getDType(type.getElementType());
  rt::Result<HostTensor> tensor =
      HostTensor::create(dtype, type.getShape().vec());
  if (!tensor.isOk())
    return tensor.status();
  int64_t count = tensor->numElements();
  MutableArrayRef<char> bytes(tensor->as<char>(), tensor->numBytes());
  RandomSpec spec{seed, -1.0, 1.0};
  if (role == Role::Scale)
    spec = {seed, 0.001, 0.01};
  // FNV-1a: each weight has numbers of its own, wherever it stands.
  uint64_t stream = 0xcbf29ce484222325u;
  for (char c : name)
    stream = (stream ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  fillRandom(bytes.data(), dtype, count, spec, stream);

  // Narrowed storage has fewer values than its bits.
  auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType());
  if (quantized && dtype.bits == 8) {
    int64_t low = quantized.getStorageTypeMin();
    int64_t values = quantized.getStorageTypeMax() - low + 1;
    if (values < 256)
      for (char &byte : bytes)
        byte = static_cast<char>(low + static_cast<uint8_t>(byte) % values);
  }
  // Zero points from 0 to 127 are valid for every storage type.
  if (role == Role::ZeroPoint && dtype == rt::DType{QCC_INT, 32})
    for (int64_t i = 0; i < count; ++i) {
      bytes[4 * i] &= 127;
      bytes[4 * i + 1] = bytes[4 * i + 2] = bytes[4 * i + 3] = 0;
    }
  return tensor;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult verifySize(Operation *op, StringRef name,
                                RankedTensorType type, ArrayRef<char> bytes) {
  size_t expected = getDType(type.getElementType())->size() *
                    static_cast<size_t>(type.getNumElements());
  if (bytes.size() == expected)
    return success();
  return op->emitError() << "weight '" << name << "' has " << bytes.size()
                         << " bytes but " << describe(type) << " needs "
                         << expected << "; give it all of its elements";
}

/// Elements outside of a narrowed storage range would break the bounds that
/// verifiers and kernels rely on.
static LogicalResult verifyRange(Operation *op, StringRef name,
                                 RankedTensorType type, ArrayRef<char> bytes) {
  auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType());
  if (!quantized || quantized.getStorageTypeIntegralWidth() != 8)
    return success();
  int64_t low = quantized.getStorageTypeMin(),
          high = quantized.getStorageTypeMax();
  for (auto [i, byte] : llvm::enumerate(bytes)) {
    int64_t q = quantized.isSigned() ? static_cast<int8_t>(byte)
                                     : static_cast<uint8_t>(byte);
    if (q < low || q > high)
      return op->emitError()
             << "weight '" << name << "' has the value " << q << " at index "
             << i << ", outside of the storage range [" << low << ", " << high
             << "] of its type; correct the value or the type";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

namespace {
class Filler {
public:
  Filler(ModuleOp module, const ImportOptions &options)
      : module(module), source(options.weights), limits(options.limits) {}

  LogicalResult run() {
    if (source.kind == WeightsSource::Kind::File) {
      auto opened = TensorArchive::open(source.path);
      if (!opened.isOk())
        return emitError(firstUse()) << opened.message();
      archive = std::move(*opened);
    }
    bool ok = true;
    module.walk([&](Operation *op) {
      op->getAttrDictionary().walk([&](DenseResourceElementsAttr attr) {
        ok &= succeeded(visit(op, attr));
      });
    });
    // Random weights are for whatever a program needs; a file is for this one.
    if (archive && filled.empty() && ok)
      return emitError(module.getLoc())
             << "nothing of the weights '" << source.path
             << "' is used: the program has no dense_resource without data of "
                "its own; leave the weights out";
    return success(ok);
  }

private:
  LogicalResult visit(Operation *op, DenseResourceElementsAttr attr);
  /// Of the source.
  Location firstUse();
  std::optional<AsmResourceBlob> load(Operation *op, StringRef name,
                                      RankedTensorType type);
  /// Of the archive.
  std::optional<AsmResourceBlob> read(Operation *op, StringRef name,
                                      RankedTensorType type);

  ModuleOp module;
  const WeightsSource &source;
  WorkLimits *limits;
  std::unique_ptr<TensorArchive> archive;
  /// By name, the type for which data was asked of the source.
  llvm::StringMap<Type> filled;
};
} // namespace

/// The tensor as it is, which the blob owns.
static AsmResourceBlob toBlob(HostTensor tensor) {
  ArrayRef<char> bytes(tensor.as<char>(), tensor.numBytes());
  return AsmResourceBlob(
      bytes, 64,
      [tensor = std::move(tensor)](void *, size_t, size_t) mutable {
        tensor = HostTensor();
      },
      /*dataIsMutable=*/true);
}

/// Bytes that stay where they are, if elements are aligned there.
static AsmResourceBlob toBlob(const LentBytes &lent, size_t alignment) {
  auto giveBack = [lent](void *, size_t, size_t) {
    if (lent.giveBack)
      lent.giveBack();
  };
  if (reinterpret_cast<uintptr_t>(lent.bytes.data()) % alignment == 0)
    return AsmResourceBlob(lent.bytes, alignment, giveBack,
                           /*dataIsMutable=*/false);
  AsmResourceBlob copy =
      HeapAsmResourceBlob::allocateAndCopyWithAlign(lent.bytes, 64);
  giveBack(nullptr, 0, 0);
  return copy;
}

std::optional<AsmResourceBlob> Filler::read(Operation *op, StringRef name,
                                            RankedTensorType type) {
  auto tensor = archive->read(name);
  if (!tensor.isOk()) {
    op->emitError() << "weight '" << name << "' (" << describe(type)
                    << "): " << tensor.message();
    return std::nullopt;
  }
  std::string found = tensor->describe();
  if (found != describe(type)) {
    op->emitError() << "weight '" << name << "' is " << found << " in "
                    << source.path << " but " << describe(type)
                    << " in the program; make them the same";
    return std::nullopt;
  }
  return toBlob(*std::move(tensor));
}

std::optional<AsmResourceBlob> Filler::load(Operation *op, StringRef name,
                                            RankedTensorType type) {
  rt::DType dtype = *getDType(type.getElementType());
  rt::Status status;
  switch (source.kind) {
  case WeightsSource::Kind::None:
    op->emitError()
        << "weight '" << name << "' (" << describe(type)
        << ") has no data in the program; the option `weights` "
           "names its source: a .npz or .safetensors file, or random:SEED";
    return std::nullopt;
  case WeightsSource::Kind::File:
    return read(op, name, type);
  case WeightsSource::Kind::Random: {
    auto tensor = makeRandom(type, getRole(op), name, source.seed);
    if (tensor.isOk())
      return toBlob(*std::move(tensor));
    status = tensor.status();
    break;
  }
  case WeightsSource::Kind::Lent: {
    rt::Result<LentBytes> lent = source.lend(name, dtype, type.getShape());
    if (lent.isOk())
      return toBlob(*lent, dtype.size());
    status = lent.status();
    break;
  }
  }
  op->emitError() << "weight '" << name << "' (" << describe(type)
                  << "): " << status.message();
  return std::nullopt;
}

Location Filler::firstUse() {
  Location loc = module.getLoc();
  module.walk([&](arith::ConstantOp op) {
    auto attr = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (!attr || attr.getRawHandle().getBlob())
      return WalkResult::advance();
    loc = op.getLoc();
    return WalkResult::interrupt();
  });
  return loc;
}

LogicalResult Filler::visit(Operation *op, DenseResourceElementsAttr attr) {
  DenseResourceElementsHandle handle = attr.getRawHandle();
  StringRef name = handle.getKey();
  auto type = dyn_cast<RankedTensorType>(attr.getType());
  if (!type || !type.hasStaticShape() || !getDType(type.getElementType()))
    return op->emitError() << "weight '" << name << "' has type "
                           << attr.getType()
                           << "; weights are tensors of static shape and of "
                              "elements of whole bytes up to 64 bits (give the "
                              "sizes here, and use tensor.cast where a type "
                              "with ? is wanted)";
  auto known = filled.find(name);
  if (known != filled.end() && known->second != type)
    return op->emitError() << "weight '" << name << "' is " << describe(type)
                           << " here but "
                           << describe(cast<RankedTensorType>(known->second))
                           << " elsewhere; give each its own name";
  if (!handle.getBlob()) {
    // What failed to load has been reported where it was first used.
    if (known != filled.end())
      return failure();
    filled[name] = type;
    uint64_t bytes =
        getDType(type.getElementType())->size() * type.getNumElements();
    if (limits && limits->isExceededBy(bytes))
      return failure();
    std::optional<AsmResourceBlob> blob = load(op, name, type);
    if (!blob)
      return failure();
    DenseResourceElementsHandle::getManagerInterface(op->getContext())
        .update(name, *std::move(blob));
  }
  AsmResourceBlob *blob = handle.getBlob();
  if (failed(verifySize(op, name, type, blob->getData())))
    return failure();
  return verifyRange(op, name, type, blob->getData());
}

/// Checks that the constants fit in memory: a splat is short in the program and
/// long in memory.
static LogicalResult verifyMemory(ModuleOp module, WorkLimits *limits) {
  uint64_t total = 0;
  auto visit = [&](arith::ConstantOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.hasStaticShape())
      return WalkResult::advance();
    std::optional<rt::DType> dtype = getDType(type.getElementType());
    uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
        type.getNumElements(), dtype ? dtype->size() : 8);
    total = llvm::SaturatingAdd(total, bytes);
    constexpr uint64_t small = 1 << 20;
    if (bytes < small)
      return WalkResult::advance();
    if (limits && limits->isExceededBy(total))
      return WalkResult::interrupt();
    if (rt::hasMemoryFor(total))
      return WalkResult::advance();
    op.emitError() << "a constant of " << type << " needs " << bytes
                   << " bytes, with those before it " << total
                   << ", for which there is not enough memory; compute it by "
                      "linalg.fill, or make it smaller";
    return WalkResult::interrupt();
  };
  return failure(module.walk(visit).wasInterrupted());
}

LogicalResult qcc::fillResources(ModuleOp module,
                                 const ImportOptions &options) {
  if (failed(verifyMemory(module, options.limits)))
    return failure();
  return Filler(module, options).run();
}
