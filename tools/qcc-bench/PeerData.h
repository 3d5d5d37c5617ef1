//===- PeerData.h - A problem, handed to the peer ---------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_PEERDATA_H
#define QCC_TOOLS_QCC_BENCH_PEERDATA_H

#include "Kernel.h"
#include "Peer.h"
#include "common/Interleaved.h"

namespace qcc::bench {

class PeerData {
public:
  /// `problem` and `kernel` must outlive it. In float, the peer computes the
  /// same from dequantized operands.
  static llvm::Expected<PeerData> create(const Problem &problem,
                                         const Kernel &kernel, bool isFloat);

  /// Runs each of the peer's ways and compares it with the result of `problem`;
  /// those that fail are dropped. Returns the largest difference, -1 if the
  /// peer has nothing to offer; an error where both should agree up to one
  /// rounding (`exact`) and do not.
  llvm::Expected<int64_t> check(const Problem &problem, bool exact);

  /// The ways that come near the best one.
  std::vector<tools::TimedRun> candidates(int threads);

  /// Why there is nothing to measure, or empty.
  std::string missing;

private:
  PeerProblem problem;
  std::vector<float> lhs, rhs, bias;
  HostTensor out;
  std::vector<std::unique_ptr<PeerKernel>> kernels;
};

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_PEERDATA_H
