//===- ChannelBlocks.h - Images in blocks of channels -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that ONNX Runtime saves after all of its optimizations has ops of
// com.microsoft.nchwc. Their images have channels that are rounded up to whole
// blocks, and their weights are stored block by block. The size of a block
// depends on the processor that saved the model; the model does not store it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_FRONTEND_ONNX_CHANNELBLOCKS_H
#define QCC_LIB_FRONTEND_ONNX_CHANNELBLOCKS_H

#include "NodeImporter.h"

namespace qcc::onnx {

inline constexpr std::string_view kBlockedDomain = "com.microsoft.nchwc";
/// The key of the metadata entry that gives the size of a block.
inline constexpr std::string_view kChannelBlockKey = "nchwc_block_size";

/// The number of channels in a block of the model: 8 or 16, whichever its
/// sizes allow, or the one that its metadata give. 0 if the sizes allow both.
/// A failure says why neither fits.
rt::Result<int64_t> findChannelBlock(const Model &model);

} // namespace qcc::onnx

#endif // QCC_LIB_FRONTEND_ONNX_CHANNELBLOCKS_H
