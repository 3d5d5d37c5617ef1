//===- TensorMap.h - Boxes of tensor maps ------------------------*- C++
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_TENSORMAP_H
#define QCC_LIB_EMULATOR_MACHINE_TENSORMAP_H

#include "Machine/BulkCopies.h"

#include "qcc/Emulator/TensorMap.h"

#include <optional>

namespace qcc::emu {

/// Nothing if encodeTensorMap has not made the bytes.
std::optional<TensorMap> decodeTensorMap(const uint8_t *bytes);

/// The box at some coordinates, one for each dimension, which lies from
/// `shared` on in shared memory: its rows in pieces of 16 bytes.
std::vector<BulkPiece> piecesOfBox(const TensorMap &map,
                                   const int32_t *coordinates, uint64_t shared);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_TENSORMAP_H
