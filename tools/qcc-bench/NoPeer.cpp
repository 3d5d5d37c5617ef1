//===- NoPeer.cpp - Without oneDNN ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

using namespace qcc;
using namespace qcc::bench;

std::string bench::peerVersion() { return ""; }

std::string bench::setPeerIsa(const std::string &) { return ""; }

void bench::setPeerThreads(int) {}

std::vector<std::unique_ptr<PeerKernel>>
bench::makePeerKernels(const PeerProblem &, std::string &error) {
  error = "qcc-bench was built without oneDNN";
  return {};
}
