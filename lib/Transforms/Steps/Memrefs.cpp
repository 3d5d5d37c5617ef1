//===- Memrefs.cpp - Memrefs of pointers and sizes ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Transforms/Steps/Memrefs.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "qcc/Transforms/Steps/Steps.h"

using namespace mlir;
using namespace qcc;

Value qcc::emitMemref(OpBuilder &builder, Location loc,
                      const LLVMTypeConverter &converter, MemRefType type,
                      Value data, function_ref<Value(unsigned)> sizeOf) {
  auto literal = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
  };
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  Value stride = literal(1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    Value size = sizeOf(i);
    descriptor.setSize(builder, loc, i, size);
    descriptor.setStride(builder, loc, i, stride);
    if (i == type.getRank() - 1 && rowPitchOf(type))
      size = literal(rowPitchOf(type));
    stride = LLVM::MulOp::create(builder, loc, stride, size);
  }
  Value structure = descriptor;
  return UnrealizedConversionCastOp::create(builder, loc, TypeRange{type},
                                            structure)
      .getResult(0);
}
