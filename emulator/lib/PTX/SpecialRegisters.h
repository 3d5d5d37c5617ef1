//===- SpecialRegisters.h - %tid and its kin --------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special registers that stay the same while a CTA runs get a place in the
// frame, filled in when the frame starts; those that change (clocks) are read
// by mov alone.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_SPECIALREGISTERS_H
#define QCC_LIB_EMULATOR_PTX_SPECIALREGISTERS_H

#include "qcc/Emulator/ScalarType.h"

#include <optional>
#include <string_view>

namespace qcc::emu {

enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  Laneid,
  Warpid,
  Nwarpid,
  Smid,
  Nsmid,
  Gridid,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  DynamicSmemSize,
  TotalSmemSize,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  ClusterCtarank,
  ClusterNctarank,
  Clock,
  ClockHi,
  Clock64,
  Globaltimer,
  GlobaltimerLo,
  GlobaltimerHi
};

struct SpecialInfo {
  SpecialRegister reg;
  ScalarType type;
  bool changes;
};

/// `name` with its component, such as "%tid.x".
std::optional<SpecialInfo> specialRegister(std::string_view name);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_SPECIALREGISTERS_H
