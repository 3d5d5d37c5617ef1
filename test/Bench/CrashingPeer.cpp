//===- CrashingPeer.cpp - A peer that crashes -----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dies of a signal at some shapes and offers nothing for others.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include <csignal>

using namespace qcc;
using namespace qcc::bench;

static constexpr std::pair<const char *, int> kCrashes[] = {
    {"5x7x9", SIGSEGV}, {"8x9x3-5k3p1", SIGABRT}, {"7x5x33-21k1", SIGILL}};

namespace {
class CrashingKernel : public PeerKernel {
public:
  explicit CrashingKernel(int signal) : signal(signal) {}
  std::string name() const override { return "crashing"; }
  bool run() override { return raise(signal) == 0; }

private:
  int signal;
};
} // namespace

std::string bench::peerVersion() { return "a peer for tests"; }

std::string bench::setPeerIsa(const std::string &isa) { return isa; }

void bench::setPeerThreads(int) {}

std::vector<std::unique_ptr<PeerKernel>>
bench::makePeerKernels(const PeerProblem &problem, std::string &error) {
  std::vector<std::unique_ptr<PeerKernel>> kernels;
  for (auto [name, signal] : kCrashes)
    if (problem.shape.name() == name)
      kernels.push_back(std::make_unique<CrashingKernel>(signal));
  if (kernels.empty())
    error = "offers nothing";
  return kernels;
}
