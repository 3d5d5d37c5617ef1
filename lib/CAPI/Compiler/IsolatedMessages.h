//===- IsolatedMessages.h - Requests and outcomes as messages ---*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_COMPILER_ISOLATEDMESSAGES_H
#define QCC_LIB_CAPI_COMPILER_ISOLATEDMESSAGES_H

#include "Channel.h"
#include "Compile.h"

namespace qcc::capi {

/// The program and the options, without their weights. `lendsWeights`: the host
/// answers for them.
MessageWriter writeRequest(const ProgramSource &program,
                           const qccCompileOptions &options,
                           const FixedInputs &fixed, bool lendsWeights);

/// A request that was received.
class ReceivedRequest {
public:
  explicit ReceivedRequest(MessageReader received);

  /// Whether the message was a request, and all of it.
  bool isValid() const;

  ProgramSource program;
  qccCompileOptions options;
  bool lendsWeights = false;

private:
  void readShapes();
  void readConstants();
  size_t readCount();

  MessageReader message;
  std::vector<qccNamedSize> dims;
  std::vector<qccNamedShape> shapes;
  std::vector<qccWeightTensor> constants;
  std::vector<DLTensor> tensors;           ///< Of the constants.
  std::vector<std::vector<int64_t>> sizes; ///< Of shapes and tensors.
};

/// An outcome without its artifact, which stands behind the fields.
MessageWriter writeOutcome(const Outcome &outcome);
/// Corrupt if this is no outcome.
rt::Status readOutcome(MessageReader received, Outcome &outcome);

} // namespace qcc::capi

#endif // QCC_LIB_CAPI_COMPILER_ISOLATEDMESSAGES_H
