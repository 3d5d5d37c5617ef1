//===- ReportLog.cpp - Reports while a kernel runs ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/ReportLog.h"

namespace qcc::emu {

ReportLog::ReportLog(const std::vector<ReportKind> &ignored) {
  for (ReportKind kind : ignored)
    ignored_ |= 1u << static_cast<int>(kind);
}

Report *ReportLog::add(ReportKind kind, uint32_t site, int64_t count) {
  if (ignored_ >> static_cast<int>(kind) & 1)
    return nullptr;
  auto [it, isNew] = positions_.try_emplace(key(kind, site), reports_.size());
  if (!isNew) {
    reports_[it->second].count += count;
    return nullptr;
  }
  keys_.push_back(it->first);
  Report &report = reports_.emplace_back();
  report.kind = kind;
  report.count = count;
  return &report;
}

void ReportLog::addNote(ReportKind kind, std::string note) {
  if (!reports_.empty() && reports_.back().kind == kind)
    reports_.back().notes.push_back(std::move(note));
}

void ReportLog::append(ReportLog &&other) {
  for (size_t i = 0; i < other.reports_.size(); ++i) {
    auto [it, isNew] = positions_.try_emplace(other.keys_[i], reports_.size());
    if (!isNew) {
      reports_[it->second].count += other.reports_[i].count;
      continue;
    }
    keys_.push_back(other.keys_[i]);
    reports_.push_back(std::move(other.reports_[i]));
  }
}

std::string_view reportKindName(ReportKind kind) {
  switch (kind) {
  case ReportKind::OutOfBounds:
    return "out-of-bounds";
  case ReportKind::Misaligned:
    return "misaligned";
  case ReportKind::ConstWrite:
    return "const-write";
  case ReportKind::UninitializedRead:
    return "uninitialized-read";
  case ReportKind::Race:
    return "race";
  case ReportKind::AsyncRace:
    return "async-race";
  case ReportKind::BarrierDivergence:
    return "barrier-divergence";
  case ReportKind::WarpDivergence:
    return "warp-divergence";
  case ReportKind::BarrierMisuse:
    return "barrier-misuse";
  case ReportKind::Deadlock:
    return "deadlock";
  case ReportKind::Trap:
    return "trap";
  case ReportKind::Limit:
    return "limit";
  case ReportKind::UndefinedValue:
    return "undefined-value";
  case ReportKind::MBarrierMisuse:
    return "mbarrier-misuse";
  case ReportKind::WgmmaRace:
    return "wgmma-race";
  case ReportKind::ProxyRace:
    return "proxy-race";
  case ReportKind::AsyncMisuse:
    return "async-misuse";
  }
  return "unknown";
}

std::optional<ReportKind> reportKindNamed(std::string_view name) {
  for (int i = 0; i < numReportKinds; ++i)
    if (reportKindName(ReportKind(i)) == name)
      return ReportKind(i);
  return std::nullopt;
}

bool endsLaunch(ReportKind kind) {
  return kind == ReportKind::Trap || kind == ReportKind::Deadlock ||
         kind == ReportKind::Limit;
}

static std::string dimText(Dim3 dim) {
  return "(" + std::to_string(dim.x) + "," + std::to_string(dim.y) + "," +
         std::to_string(dim.z) + ")";
}

std::string formatReport(const Report &report) {
  std::string text =
      std::string(reportKindName(report.kind)) + ": " + report.message + "\n";
  const CodeLocation &location = report.location;
  if (location.line > 0) {
    text += "  at line " + std::to_string(location.line) + " of " +
            report.kernel + ": " + location.instruction + "\n";
    if (!location.sourceFile.empty())
      text += "  from " + location.sourceFile + ":" +
              std::to_string(location.sourceLine) + "\n";
  } else {
    text += "  in " + report.kernel + "\n";
  }
  text += "  CTA " + dimText(report.cta);
  if (report.lane >= 0)
    text += ", thread " + dimText(report.thread);
  if (report.warp >= 0)
    text += ", warp " + std::to_string(report.warp);
  if (report.lane >= 0)
    text += ", lane " + std::to_string(report.lane);
  if (report.count > 1)
    text += "; " + std::to_string(report.count) + " times in all";
  text += "\n";
  for (const std::string &note : report.notes)
    text += "  " + note + "\n";
  return text;
}

} // namespace qcc::emu
