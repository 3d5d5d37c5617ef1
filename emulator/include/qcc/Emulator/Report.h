//===- Report.h - Defects that the emulator found ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is one way in which one instruction of a kernel was wrong, with the
// first thread that it was wrong for and how often it was. Reports of a launch
// depend on the program, its data and the seed alone: not on host threads.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_REPORT_H
#define QCC_EMULATOR_REPORT_H

#include "qcc/Emulator/ScalarType.h"
#include "qcc/Runtime/Device.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::emu {

using rt::Dim3;

enum class ReportKind : uint8_t {
  OutOfBounds,       ///< An access that no one allocation contains.
  Misaligned,        ///< An address that its access size does not divide.
  ConstWrite,        ///< A write to constant memory or to parameters.
  UninitializedRead, ///< Shared or local bytes that nothing wrote.
  Race,              ///< Two accesses that nothing orders, one a write.
  AsyncRace,         ///< An access to bytes of a copy that nobody waited for.
  BarrierDivergence, ///< A barrier that part of a warp reached.
  WarpDivergence,    ///< A warp-wide instruction without all its lanes.
  BarrierMisuse,     ///< A barrier with a count or number it cannot have.
  Deadlock,          ///< Nobody can go on.
  Trap,              ///< The kernel executed trap, or a failed assertion.
  Limit,             ///< A limit of the launch was reached.
  UndefinedValue,    ///< A value that no instruction has made.
  MBarrierMisuse,    ///< An mbarrier object used in a way it does not allow.
  WgmmaRace,         ///< A register used beside a wgmma under way.
  ProxyRace,         ///< An asynchronous access after writes without a fence.
  AsyncMisuse        ///< An asynchronous unit asked for what it cannot do.
};
constexpr int numReportKinds = static_cast<int>(ReportKind::AsyncMisuse) + 1;

/// "out-of-bounds", "race", ...: what tests and tools match.
std::string_view reportKindName(ReportKind kind);
/// Nothing if no kind has the name.
std::optional<ReportKind> reportKindNamed(std::string_view name);
/// Whether a report of the kind ends the launch.
bool endsLaunch(ReportKind kind);

/// A place in a program.
struct CodeLocation {
  int line = 0;            ///< In the PTX text, from 1; 0: none.
  std::string instruction; ///< Its text.
  std::string sourceFile;  ///< From .loc; empty where there is none.
  int sourceLine = 0;
};

struct Report {
  ReportKind kind = ReportKind::OutOfBounds;
  /// What happened, in one sentence without the location.
  std::string message;
  std::string kernel;
  CodeLocation location;
  /// Whom it happened to first.
  Dim3 cta{0, 0, 0};
  Dim3 thread{0, 0, 0};
  int warp = -1; ///< -1: the CTA or the grid as a whole.
  int lane = -1;
  /// Of accesses to memory.
  StateSpace space = StateSpace::Generic;
  uint64_t address = 0;
  std::string allocation; ///< The one hit, or the nearest.
  /// Further lines: the other access of a race, the state of each warp.
  std::vector<std::string> notes;
  /// Lanes for which the instruction was wrong in this way.
  int64_t count = 1;
};

/// All of a report in lines, as qcc-ptx-emu prints it.
std::string formatReport(const Report &report);

} // namespace qcc::emu

#endif // QCC_EMULATOR_REPORT_H
