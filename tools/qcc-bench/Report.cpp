//===- Report.cpp - Tables and JSON of a suite ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include "Bench.h"
#include "Peer.h"
#include "common/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using namespace qcc;
using namespace qcc::bench;

Report::Report(const Suite &suite, const Options &options, std::string peerIsa,
               llvm::raw_ostream &os)
    : suite(suite), options(options), peerIsa(std::move(peerIsa)), os(os) {}

static const char *peerName(PeerKind kind) {
  switch (kind) {
  case PeerKind::None:
    return "none";
  case PeerKind::OneDNN:
    return "onednn";
  case PeerKind::OneDNNFloat:
    return "onednn-f32";
  }
  return "";
}

/// Whether a shape is measured that reading its right operand may bound.
static bool hasBandwidth(const Suite &suite, const Options &options) {
  return llvm::any_of(suite.shapes, [&](const Shape &shape) {
    return bytesThatBound(shape, options.type) > 0 &&
           shape.name().find(options.filter) != std::string::npos;
  });
}

/// The text of the first column, as wide as the longest name.
static std::string padded(std::string text, const Suite &suite) {
  size_t width = 20;
  for (const Shape &shape : suite.shapes)
    width = std::max(width, shape.name().size());
  text.resize(width, ' ');
  return text;
}

void Report::printHeader() {
  os << "suite " << suite.name << ", " << nameOfType(options.type) << ", "
     << options.isa->name << ", " << options.threads << " thread"
     << (options.threads == 1 ? "" : "s");
  if (options.peer != PeerKind::None)
    os << "; peer " << peerName(options.peer) << ": " << peerVersion()
       << " limited to " << peerIsa;
  os << '\n';
  if (options.rounds == 0)
    return;
  os << padded("shape", suite)
     << llvm::formatv("{0,11}{1,9}", "qcc us", "of peak");
  if (hasBandwidth(suite, options))
    os << llvm::formatv("{0,14}", "of bandwidth");
  if (options.peer != PeerKind::None)
    os << llvm::formatv("{0,12}{1,9}{2,8}  {3,-12}", "peer us", "of peak",
                        "ratio", "half of them");
  if (suite.roundUp)
    os << llvm::formatv("{0,9}", "/rounded");
  if (options.scaling)
    os << llvm::formatv("{0,9}", "scaling");
  os << (options.peer != PeerKind::None ? "  peer\n" : "\n");
  os.flush();
}

static void printRow(llvm::raw_ostream &os, const Row &row, const Suite &suite,
                     const Options &options) {
  os << padded(row.shape.name(), suite);
  if (options.rounds == 0) {
    os << " agrees with the reference";
    if (row.peerDifference >= 0)
      os << ", with the peer up to " << row.peerDifference;
    if (!row.peerCrash.empty())
      os << "; the peer " << row.peerMissing;
    os << '\n';
    return;
  }
  os << llvm::formatv("{0,11:f2}{1,9:f3}", row.qcc.median() * 1e6,
                      row.fraction);
  if (hasBandwidth(suite, options)) {
    if (row.readFraction > 0)
      os << llvm::formatv("{0,14:f3}", row.readFraction);
    else
      os << llvm::formatv("{0,14}", "-");
  }
  if (options.peer != PeerKind::None) {
    if (row.peers.empty())
      os << llvm::formatv("{0,12}{0,9}{0,8}  {0,-12}", "-");
    else
      os << llvm::formatv(
          "{0,12:f2}{1,9:f3}{2,8:f3}  {3,-12}",
          row.peers.front().median() * 1e6, row.peerFraction, row.ratio,
          llvm::formatv("{0:f2}..{1:f2}", row.ratioLow, row.ratioHigh).str());
  }
  if (suite.roundUp)
    os << llvm::formatv("{0,9:f3}", row.roundedRatio);
  if (options.scaling)
    os << llvm::formatv("{0,9:f3}", row.scaling);
  if (options.peer != PeerKind::None)
    os << "  "
       << (row.peers.empty() ? row.peerMissing : row.peers.front().name);
  os << '\n';
  os.flush();
}

void Report::add(Row row) {
  printRow(os, row, suite, options);
  rows.push_back(std::move(row));
}

std::vector<PeakRate> Report::peaks() const {
  std::vector<PeakRate> result;
  for (size_t i = 0; !rows.empty() && i < rows.front().peaks.size(); ++i) {
    std::vector<double> rates;
    for (const Row &row : rows)
      rates.push_back(row.peaks[i].rate);
    result.push_back(rows.front().peaks[i]);
    result.back().rate = tools::medianOf(std::move(rates));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

namespace {
/// One value of each row that has it.
struct Series {
  std::vector<std::pair<double, const Row *>> values;

  double geomean() const {
    double sum = 0;
    for (auto &[value, row] : values)
      sum += std::log(value);
    return std::exp(sum / double(values.size()));
  }
  const std::pair<double, const Row *> &least() const {
    return *llvm::min_element(values);
  }
  const std::pair<double, const Row *> &most() const {
    return *llvm::max_element(values);
  }
};
} // namespace

static Series seriesOf(const std::vector<Row> &rows, double Row::*member) {
  Series series;
  for (const Row &row : rows)
    if (row.*member > 0)
      series.values.emplace_back(row.*member, &row);
  return series;
}

/// A line for each number of bytes that was read.
void Report::printBandwidths() {
  std::map<int64_t, std::pair<std::vector<double>, std::vector<double>>> rates;
  for (const Row &row : rows)
    if (row.readHuge > 0) {
      auto &[huge, small] = rates[bytesThatBound(row.shape, options.type)];
      huge.push_back(row.readHuge);
      small.push_back(row.readSmall);
    }
  for (auto &[bytes, pair] : rates)
    os << llvm::formatv("reading {0:f1} KiB: {1:f1} GB/s from huge pages, "
                        "{2:f1} from pages of 4 KiB\n",
                        double(bytes) / 1024, tools::medianOf(pair.first),
                        tools::medianOf(pair.second));
}

void Report::printCrashes() const {
  std::vector<std::string> crashed;
  for (const Row &row : rows)
    if (!row.peerCrash.empty())
      crashed.push_back(row.shape.name());
  if (!crashed.empty())
    os << "the peer crashed at "
       << tools::counted(int64_t(crashed.size()), "shape") << ": "
       << tools::join(crashed) << '\n';
}

void Report::printSummary() {
  if (!rows.empty() && options.rounds > 0)
    printMeasured();
  printCrashes();
}

void Report::printMeasured() {
  std::vector<PeakRate> rates = peaks();
  double cycles = rates.front().rate * options.threads;
  os << "peaks:";
  for (auto [i, peak] : llvm::enumerate(rates)) {
    os << (i ? ", " : " ") << peak.name << ' '
       << llvm::formatv(i ? "{0:f1} {1}" : "{0:f3} {1}", peak.rate, peak.unit);
    if (i)
      os << llvm::formatv(" ({0:f1} per cycle and thread)", peak.rate / cycles);
  }
  os << '\n';

  printBandwidths();
  int64_t batches = 0, interrupted = 0;
  for (const Row &row : rows) {
    batches += row.qcc.batches;
    interrupted += row.qcc.interrupted;
    for (const tools::TimedRun &peer : row.peers) {
      batches += peer.batches;
      interrupted += peer.interrupted;
    }
  }
  if (interrupted > 0)
    os << llvm::formatv(
        "{0:f1} % of the batches were interrupted by other processes{1}\n",
        100.0 * double(interrupted) / double(batches),
        options.threads == 1 ? " and count with their CPU time" : "");

  constexpr double kQuiet = 0.05;
  std::optional<double> share = others.share();
  if (share && *share > kQuiet)
    os << llvm::formatv(
        "other processes used {0:f0} % of the CPUs{1}\n", 100 * *share,
        options.threads > 1 ? ": times of several threads say nothing unless "
                              "the machine is quiet"
                            : "");

  if (suite.roundUp) {
    auto [worst, row] = seriesOf(rows, &Row::roundedRatio).most();
    os << llvm::formatv("against the shapes rounded up: at most {0:f3} (at "
                        "{1}, rounded {2})\n",
                        worst, row->shape.name(), row->roundedName);
  }
  if (options.scaling) {
    Series scaling = seriesOf(rows, &Row::scaling);
    auto [least, row] = scaling.least();
    os << llvm::formatv("scaling to {0} threads: {1:f3} (min {2:f3} at {3})\n",
                        options.threads, scaling.geomean(), least,
                        row->shape.name());
  }
  Series ratios = seriesOf(rows, &Row::ratio);
  if (options.peer == PeerKind::None)
    return;
  if (ratios.values.empty()) {
    os << "no ratio: the peer has nothing for these shapes\n";
    return;
  }
  auto [least, row] = ratios.least();
  os << llvm::formatv("geomean vs {0}: {1:f3} (min {2:f3} at {3})\n",
                      peerName(options.peer), ratios.geomean(), least,
                      row->shape.name());
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJson(const tools::TimedRun &candidate) {
  return llvm::json::Object{{"name", candidate.name},
                            {"seconds", candidate.median()},
                            {"rounds", llvm::json::Array(candidate.seconds)},
                            {"batches", candidate.batches},
                            {"interrupted", candidate.interrupted}};
}

/// With the members that the shape has in the file of a suite.
static llvm::json::Object toJson(const Shape &shape) {
  llvm::json::Object object{{"shape", shape.name()},
                            {"operations", shape.operations()}};
  std::vector<std::pair<const char *, int64_t>> numbers;
  if (const ConvolutionShape *conv = shape.convolution()) {
    numbers = {{"n", conv->n},           {"h", conv->h},
               {"w", conv->w},           {"c", conv->c},
               {"f", conv->f},           {"kh", conv->kh},
               {"kw", conv->kw},         {"stride", conv->stride},
               {"groups", conv->groups}, {"dilation", conv->dilation}};
    object["pads"] =
        llvm::json::Array{conv->top, conv->bottom, conv->left, conv->right};
  } else {
    const MatrixShape &matrix = *shape.matrix();
    numbers = {{"m", matrix.m}, {"n", matrix.n}, {"k", matrix.k}};
    if (matrix.batch) {
      numbers.emplace_back("batch", matrix.batch);
      object["transpose_rhs"] = matrix.transposeRhs;
    }
  }
  for (auto [name, number] : numbers)
    object[name] = number;
  return object;
}

static llvm::json::Object toJson(const Row &row, DataType type) {
  llvm::json::Object object = toJson(row.shape);
  object["config"] = row.config;
  object["compile_seconds"] = row.compileSeconds;
  object["artifact_bytes"] = row.artifactBytes;
  object["qcc"] = toJson(row.qcc);
  object["fraction_of_peak"] = row.fraction;
  if (row.readFraction > 0)
    object["bandwidth"] =
        llvm::json::Object{{"bytes", bytesThatBound(row.shape, type)},
                           {"huge_pages", row.readHuge},
                           {"small_pages", row.readSmall},
                           {"unit", "GB/s"},
                           {"fraction", row.readFraction}};
  if (!row.peerCrash.empty())
    object["peer_crash"] = row.peerCrash;
  if (!row.peers.empty()) {
    object["peer_impl"] = row.peers.front().name;
    object["peer_fraction_of_peak"] = row.peerFraction;
    if (row.peerReadFraction > 0)
      object["peer_fraction_of_bandwidth"] = row.peerReadFraction;
    object["peer_difference"] = row.peerDifference;
    object["ratio"] = row.ratio;
    object["ratio_quartiles"] = llvm::json::Array{row.ratioLow, row.ratioHigh};
    llvm::json::Array peers;
    for (const tools::TimedRun &peer : row.peers)
      peers.push_back(toJson(peer));
    object["peers"] = std::move(peers);
  }
  if (!row.roundedName.empty()) {
    object["rounded_shape"] = row.roundedName;
    object["ratio_to_rounded"] = row.roundedRatio;
  }
  if (row.scaling > 0)
    object["scaling"] = row.scaling;
  return object;
}

llvm::json::Object Report::json() const {
  llvm::json::Array shapes, rates;
  for (const Row &row : rows)
    shapes.push_back(toJson(row, options.type));
  for (const PeakRate &peak : peaks())
    rates.push_back(llvm::json::Object{
        {"name", peak.name}, {"unit", peak.unit}, {"rate", peak.rate}});
  rt::HostInfo info = rt::hostInfo();
  llvm::json::Object report{
      {"suite", suite.name},
      {"dtype", nameOfType(options.type)},
      {"isa", options.isa->name},
      {"threads", options.threads},
      {"repetitions", options.rounds},
      {"host",
       llvm::json::Object{
           {"features", llvm::join(rt::HostFeatures::host().names(), ",")},
           {"cpus", info.cpus},
           {"l1d", info.l1d},
           {"l2", info.l2},
           {"l3", info.l3}}},
      {"peaks", std::move(rates)},
      {"shapes", std::move(shapes)}};
  if (options.peer != PeerKind::None)
    report["peer"] = llvm::json::Object{{"kind", peerName(options.peer)},
                                        {"version", peerVersion()},
                                        {"isa", peerIsa}};
  if (std::optional<double> share = others.share())
    report["other_processes_share"] = *share;
  Series ratios = seriesOf(rows, &Row::ratio);
  if (!ratios.values.empty()) {
    report["geomean"] = ratios.geomean();
    report["min"] = ratios.least().first;
    report["min_shape"] = ratios.least().second->shape.name();
  }
  return report;
}
