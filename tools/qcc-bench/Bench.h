//===- Bench.h - Measuring a suite ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_BENCH_H
#define QCC_TOOLS_QCC_BENCH_BENCH_H

#include "Isa.h"
#include "Suite.h"
#include "common/Interleaved.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace qcc::bench {

enum class PeerKind { None, OneDNN, OneDNNFloat };

struct Options {
  const Isa *isa = nullptr;
  DataType type = DataType::S8;
  PeerKind peer = PeerKind::OneDNN;
  int threads = 1;
  int rounds = 11; ///< 0 checks the numbers and measures nothing.
  bool scaling = false;
  std::string filter, json;
};

/// A rate of the machine, measured along with a shape.
struct PeakRate {
  std::string name, unit;
  bool isReference = false;
  double rate = 0; ///< In units.
};

/// What is known of a shape after it was measured. Times are seconds of a call
/// and medians over the rounds; ratios are medians of ratios within a round.
struct Row {
  Shape shape;
  std::string config;
  double compileSeconds = 0;
  int64_t artifactBytes = 0;

  tools::TimedRun qcc;
  /// Of the peak of the data type, all threads together.
  double fraction = 0, peerFraction = 0;
  /// The ways of the peer that came near its best, the best first.
  std::vector<tools::TimedRun> peers;
  /// Of 8-bit elements: the largest, or -1 without a peer. Of floats 0 where
  /// the peer is as near as roundings explain.
  int64_t peerDifference = -1;
  /// The rate of reading as many bytes as the right operand has, in GB/s, from
  /// huge pages and from small ones; 0 where that does not bound.
  double readHuge = 0, readSmall = 0;
  /// The time of reading them from huge pages over the time of each.
  double readFraction = 0, peerReadFraction = 0;
  double ratio = 0, ratioLow = 0, ratioHigh = 0; ///< Peer over qcc.
  std::string peerMissing; ///< Why there is none for this shape.
  std::string peerCrash;   ///< "Segmentation fault", or empty.

  std::string roundedName;
  double roundedRatio = 0; ///< This shape over the one rounded up.
  double scaling = 0;      ///< One thread over `threads`.
  std::vector<PeakRate> peaks;
};

llvm::Expected<Row> runShape(const Shape &shape, const Suite &suite,
                             const Options &options);

/// runShape() in a process of its own. If it dies there, the shape is measured
/// without the peer, and the row says that the peer crashed.
llvm::Expected<Row> runIsolated(const Shape &shape, const Suite &suite,
                                const Options &options);

/// The table, row by row, then the summary; its last line is the geometric mean
/// of the ratios.
class Report {
public:
  Report(const Suite &suite, const Options &options, std::string peerIsa,
         llvm::raw_ostream &os);

  void printHeader();
  void add(Row row);
  void printSummary();
  llvm::json::Object json() const;

private:
  std::vector<PeakRate> peaks() const;
  void printMeasured();
  void printBandwidths();
  void printCrashes() const;

  const Suite &suite;
  const Options &options;
  std::string peerIsa;
  llvm::raw_ostream &os;
  tools::OtherProcesses others;
  std::vector<Row> rows;
};

/// Measures how long it takes to compile each of these programs, and all shapes
/// of a suite as one program. Returns the exit code.
int runCompileTime(const std::vector<std::string> &files, const Suite &suite,
                   const Options &options);

/// Prints "qcc-bench: error: ..." and returns 1, the exit code.
int reportError(const llvm::Twine &message);

/// Writes a file at once or not at all; reports failures. Returns the exit
/// code.
int writeJson(const std::string &path, llvm::json::Object report);

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_BENCH_H
