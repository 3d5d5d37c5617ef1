//===- Ops.h - Importers of the ops of TensorFlow Lite ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_TFLITE_OPS_H
#define QCC_LIB_FRONTEND_TFLITE_OPS_H

#include "OpImporter.h"

namespace qcc::tflite {

#define QCC_TFLITE_OP(name) LogicalResult import##name(OpImporter &n);

// Activations.cpp
QCC_TFLITE_OP(Clamp)
QCC_TFLITE_OP(HardSwish)
QCC_TFLITE_OP(LeakyRelu)
QCC_TFLITE_OP(LogSoftmax)
QCC_TFLITE_OP(Logistic)
QCC_TFLITE_OP(Prelu)
QCC_TFLITE_OP(Softmax)
QCC_TFLITE_OP(Tanh)

// Arithmetic.cpp
QCC_TFLITE_OP(Arithmetic)
QCC_TFLITE_OP(Compare)
QCC_TFLITE_OP(Logical)
QCC_TFLITE_OP(Select)
QCC_TFLITE_OP(Unary)

// Convolutions.cpp
QCC_TFLITE_OP(Conv2D)
QCC_TFLITE_OP(Conv3D)
QCC_TFLITE_OP(DepthwiseConv2D)
QCC_TFLITE_OP(TransposeConv)

// Blocks.cpp
QCC_TFLITE_OP(BatchToSpace)
QCC_TFLITE_OP(Blocks)
QCC_TFLITE_OP(SpaceToBatch)

// Control.cpp
QCC_TFLITE_OP(AssignVariable)
QCC_TFLITE_OP(CallOnce)
QCC_TFLITE_OP(If)
QCC_TFLITE_OP(ReadVariable)
QCC_TFLITE_OP(VarHandle)
QCC_TFLITE_OP(While)

// Indexing.cpp
QCC_TFLITE_OP(DynamicUpdateSlice)
QCC_TFLITE_OP(Gather)
QCC_TFLITE_OP(GatherNd)
QCC_TFLITE_OP(ScatterNd)
QCC_TFLITE_OP(TopK)

// Movement.cpp
QCC_TFLITE_OP(Concatenation)
QCC_TFLITE_OP(Densify)
QCC_TFLITE_OP(ExpandDims)
QCC_TFLITE_OP(MirrorPad)
QCC_TFLITE_OP(Pack)
QCC_TFLITE_OP(Pad)
QCC_TFLITE_OP(Reshape)
QCC_TFLITE_OP(Reverse)
QCC_TFLITE_OP(Squeeze)
QCC_TFLITE_OP(Tile)
QCC_TFLITE_OP(Transpose)

// Pooling.cpp
QCC_TFLITE_OP(AveragePool)
QCC_TFLITE_OP(MaxPool)

// Products.cpp
QCC_TFLITE_OP(BatchMatMul)
QCC_TFLITE_OP(FullyConnected)

// Quantization.cpp
QCC_TFLITE_OP(Cast)
QCC_TFLITE_OP(Dequantize)
QCC_TFLITE_OP(Quantize)

// Reductions.cpp
QCC_TFLITE_OP(AddN)
QCC_TFLITE_OP(ArgMinMax)
QCC_TFLITE_OP(Cumsum)
QCC_TFLITE_OP(L2Normalization)
QCC_TFLITE_OP(Mean)
QCC_TFLITE_OP(Reduce)

// Resize.cpp
QCC_TFLITE_OP(ResizeBilinear)
QCC_TFLITE_OP(ResizeNearest)

// Sizes.cpp
QCC_TFLITE_OP(Fill)
QCC_TFLITE_OP(OneHot)
QCC_TFLITE_OP(Range)
QCC_TFLITE_OP(ShapeOf)
QCC_TFLITE_OP(ZerosLike)

// Slices.cpp
QCC_TFLITE_OP(Slice)
QCC_TFLITE_OP(Split)
QCC_TFLITE_OP(StridedSlice)
QCC_TFLITE_OP(Unpack)

#undef QCC_TFLITE_OP

} // namespace qcc::tflite

#endif // QCC_LIB_FRONTEND_TFLITE_OPS_H
