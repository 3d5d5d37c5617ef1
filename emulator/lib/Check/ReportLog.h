//===- ReportLog.h - Reports while a kernel runs ----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_CHECK_REPORTLOG_H
#define QCC_LIB_EMULATOR_CHECK_REPORTLOG_H

#include "qcc/Emulator/Report.h"

#include <unordered_map>

namespace qcc::emu {

/// One report for each kind and instruction; the first occurrence is told, the
/// others are counted.
class ReportLog {
public:
  ReportLog() = default;
  /// Without reports of some kinds.
  explicit ReportLog(const std::vector<ReportKind> &ignored);

  /// The report to fill in, or null if there is one already.
  Report *add(ReportKind kind, uint32_t site, int64_t count = 1);

  /// To the last report, if it is of the kind.
  void addNote(ReportKind kind, std::string note);

  /// Appends what `other`, of a later CTA, has.
  void append(ReportLog &&other);

  bool empty() const { return reports_.empty(); }
  std::vector<Report> take() { return std::move(reports_); }

private:
  static uint64_t key(ReportKind kind, uint32_t site) {
    return uint64_t(site) << 8 | static_cast<uint64_t>(kind);
  }

  uint32_t ignored_ = 0; ///< One bit for each kind.
  std::vector<Report> reports_;
  std::vector<uint64_t> keys_;
  std::unordered_map<uint64_t, size_t> positions_;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_CHECK_REPORTLOG_H
