//===- Peer.h - The library that qcc is measured against --------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// oneDNN, where it was there when qcc-bench was built. This header knows
// neither LLVM, which has no exceptions, nor oneDNN, which throws them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_BENCH_PEER_H
#define QCC_TOOLS_QCC_BENCH_PEER_H

#include "Shape.h"
#include <memory>

namespace qcc::bench {

/// The problem of Problem.h as plain pointers. In int8, `lhs` and `out` are
/// bytes, `rhs` i8 and the accumulator is scaled by `scales`, one for each
/// column or a single one; in f32 all are floats and there are no scales. They
/// lie as lhsShape(), rhsShape() and resultShape() of the shape say. `bias`
/// (i32 or f32) may be null; it comes with a relu.
struct PeerProblem {
  Shape shape;
  bool isFloat = false;
  bool isUnsigned = false;
  const void *lhs = nullptr, *rhs = nullptr, *bias = nullptr;
  std::vector<float> scales;
  void *out = nullptr;
};

/// One way in which the peer can compute a problem. Constant operands have been
/// packed; what has to be packed at each call is part of run().
class PeerKernel {
public:
  virtual ~PeerKernel() = default;
  /// "matmul brgemm:avx512_core_vnni"
  virtual std::string name() const = 0;
  /// False where it failed.
  virtual bool run() = 0;
};

/// "oneDNN 2.6.3", or empty where there is no peer.
std::string peerVersion();

/// Limits the peer to an instruction set of Isa.h; the first call of the peer.
/// Returns what it then uses, or empty if it refuses.
std::string setPeerIsa(const std::string &isa);

void setPeerThreads(int threads);

/// All implementations of the peer but reference code. If the list is empty,
/// `error` says why.
std::vector<std::unique_ptr<PeerKernel>>
makePeerKernels(const PeerProblem &problem, std::string &error);

} // namespace qcc::bench

#endif // QCC_TOOLS_QCC_BENCH_PEER_H
