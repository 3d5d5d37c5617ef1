//===- SpecialRegisters.cpp - %tid and its kin ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecialRegisters.h"

namespace qcc::emu {

std::optional<SpecialInfo> specialRegister(std::string_view name) {
  using S = SpecialRegister;
  constexpr ScalarType u32 = ScalarType::U32, u64 = ScalarType::U64;
  struct Row {
    std::string_view name;
    S reg;
    ScalarType type = u32;
    bool changes = false;
  };
  static constexpr Row rows[] = {
      {"%tid.x", S::TidX},
      {"%tid.y", S::TidY},
      {"%tid.z", S::TidZ},
      {"%ntid.x", S::NtidX},
      {"%ntid.y", S::NtidY},
      {"%ntid.z", S::NtidZ},
      {"%ctaid.x", S::CtaidX},
      {"%ctaid.y", S::CtaidY},
      {"%ctaid.z", S::CtaidZ},
      {"%nctaid.x", S::NctaidX},
      {"%nctaid.y", S::NctaidY},
      {"%nctaid.z", S::NctaidZ},
      {"%laneid", S::Laneid},
      {"%warpid", S::Warpid},
      {"%nwarpid", S::Nwarpid},
      {"%smid", S::Smid},
      {"%nsmid", S::Nsmid},
      {"%gridid", S::Gridid, u64},
      {"%lanemask_eq", S::LanemaskEq},
      {"%lanemask_le", S::LanemaskLe},
      {"%lanemask_lt", S::LanemaskLt},
      {"%lanemask_ge", S::LanemaskGe},
      {"%lanemask_gt", S::LanemaskGt},
      {"%dynamic_smem_size", S::DynamicSmemSize},
      {"%total_smem_size", S::TotalSmemSize},
      {"%clusterid.x", S::ClusteridX},
      {"%clusterid.y", S::ClusteridY},
      {"%clusterid.z", S::ClusteridZ},
      {"%nclusterid.x", S::NclusteridX},
      {"%nclusterid.y", S::NclusteridY},
      {"%nclusterid.z", S::NclusteridZ},
      {"%cluster_ctaid.x", S::ClusterCtaidX},
      {"%cluster_ctaid.y", S::ClusterCtaidY},
      {"%cluster_ctaid.z", S::ClusterCtaidZ},
      {"%cluster_nctaid.x", S::ClusterNctaidX},
      {"%cluster_nctaid.y", S::ClusterNctaidY},
      {"%cluster_nctaid.z", S::ClusterNctaidZ},
      {"%cluster_ctarank", S::ClusterCtarank},
      {"%cluster_nctarank", S::ClusterNctarank},
      {"%clock", S::Clock, u32, true},
      {"%clock_hi", S::ClockHi, u32, true},
      {"%clock64", S::Clock64, u64, true},
      {"%globaltimer", S::Globaltimer, u64, true},
      {"%globaltimer_lo", S::GlobaltimerLo, u32, true},
      {"%globaltimer_hi", S::GlobaltimerHi, u32, true},
  };
  for (const Row &row : rows)
    if (row.name == name)
      return SpecialInfo{row.reg, row.type, row.changes};
  return std::nullopt;
}

} // namespace qcc::emu
