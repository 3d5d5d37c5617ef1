//===- CrashingPeer.cpp - A peer that crashes -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Crashes for matrices with 5 rows and offers nothing for others.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include <csignal>

using namespace qcc;
using namespace qcc::bench;

namespace {
class CrashingKernel : public PeerKernel {
public:
  std::string name() const override { return "crashing"; }
  bool run() override { return raise(SIGSEGV) == 0; }
};
} // namespace

std::string bench::peerVersion() { return "a peer for tests"; }

std::string bench::setPeerIsa(const std::string &isa) { return isa; }

void bench::setPeerThreads(int) {}

std::vector<std::unique_ptr<PeerKernel>>
bench::makePeerKernels(const PeerProblem &problem, std::string &error) {
  std::vector<std::unique_ptr<PeerKernel>> kernels;
  if (problem.m == 5)
    kernels.push_back(std::make_unique<CrashingKernel>());
  else
    error = "offers nothing";
  return kernels;
}
