//===- IsolatedMessages.cpp - Requests and outcomes as messages -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IsolatedMessages.h"

using namespace qcc;
using namespace qcc::capi;

/// A text that may be null, which is not the same as "".
static void addOptional(MessageWriter &message, const char *text) {
  message.add(int64_t(text != nullptr)).add(llvm::StringRef(text ? text : ""));
}

static const char *readOptional(MessageReader &message) {
  bool isGiven = message.number() != 0;
  llvm::StringRef text = message.text();
  return isGiven ? text.data() : nullptr;
}

MessageWriter capi::writeRequest(const ProgramSource &program,
                                 const qccCompileOptions &options,
                                 const FixedInputs &fixed, bool lendsWeights) {
  MessageWriter message(MessageKind::Request);
  message.add(int64_t(program.path != nullptr))
      .add(program.path ? llvm::StringRef(program.path) : program.bytes);
  for (const char *text : {options.target, options.weights, options.name,
                           options.tuning, options.tfliteRounding})
    addOptional(message, text);
  message.add(int64_t(options.flags & ~QCC_COMPILE_ISOLATED))
      .add(int64_t(lendsWeights))
      .add(options.timeoutNanoseconds)
      .add(options.memoryLimitBytes)
      .add(int64_t(options.threads));
  message.add(static_cast<int64_t>(fixed.dims.size()));
  for (const auto &[name, size] : fixed.dims)
    message.add(llvm::StringRef(name)).add(size);
  message.add(static_cast<int64_t>(fixed.shapes.size()));
  for (const auto &[name, shape] : fixed.shapes)
    message.add(llvm::StringRef(name)).add(llvm::ArrayRef(shape));
  message.add(static_cast<int64_t>(fixed.constants.size()));
  for (const auto &[name, tensor] : fixed.constants)
    message.add(llvm::StringRef(name))
        .add(int64_t(tensor.dtype.code))
        .add(int64_t(tensor.dtype.bits))
        .add(llvm::ArrayRef(tensor.shape))
        .add(llvm::StringRef(tensor.bytes.data(), tensor.bytes.size()));
  return message;
}

/// How many of something follow. A damaged message must not ask for more than
/// it has bytes.
size_t ReceivedRequest::readCount() {
  int64_t count = message.number();
  return count >= 0 && static_cast<size_t>(count) <= message.bytes.size()
             ? static_cast<size_t>(count)
             : 0;
}

void ReceivedRequest::readShapes() {
  for (size_t left = readCount(); left > 0; --left) {
    const char *name = message.text().data();
    sizes.push_back(message.numbers());
    shapes.push_back({sizeof(qccNamedShape), name,
                      static_cast<int32_t>(sizes.back().size()),
                      sizes.back().data()});
  }
  options.shapes = shapes.data();
  options.numShapes = shapes.size();
}

void ReceivedRequest::readConstants() {
  size_t count = readCount();
  tensors.reserve(count); // The constants point to them.
  for (size_t left = count; left > 0; --left) {
    const char *name = message.text().data();
    DLDataType dtype = {static_cast<uint8_t>(message.number()), 0, 1};
    dtype.bits = static_cast<uint8_t>(message.number());
    sizes.push_back(message.numbers());
    llvm::StringRef bytes = message.text();
    tensors.push_back({const_cast<char *>(bytes.data()),
                       {kDLCPU, 0},
                       static_cast<int32_t>(sizes.back().size()),
                       dtype,
                       sizes.back().data(),
                       nullptr,
                       0});
    constants.push_back({sizeof(qccWeightTensor), name, &tensors.back()});
  }
  options.constants = constants.data();
  options.numConstants = constants.size();
}

ReceivedRequest::ReceivedRequest(MessageReader received)
    : options(qccCompileOptionsInit()), message(std::move(received)) {
  bool isFile = message.number() != 0;
  program.bytes = message.text();
  if (isFile)
    program.path = program.bytes.data();
  for (const char **text : {&options.target, &options.weights, &options.name,
                            &options.tuning, &options.tfliteRounding})
    *text = readOptional(message);
  options.flags = static_cast<uint32_t>(message.number());
  lendsWeights = message.number() != 0;
  options.timeoutNanoseconds = message.number();
  options.memoryLimitBytes = message.number();
  options.threads = static_cast<int32_t>(message.number());
  for (size_t left = readCount(); left > 0; --left) {
    const char *name = message.text().data();
    dims.push_back({sizeof(qccNamedSize), name, message.number()});
  }
  options.dims = dims.data();
  options.numDims = dims.size();
  readShapes();
  readConstants();
}

bool ReceivedRequest::isValid() const {
  return message.kind == MessageKind::Request && message.isWhole();
}

MessageWriter capi::writeOutcome(const Outcome &outcome) {
  MessageWriter message(MessageKind::Result);
  message.add(int64_t(outcome.owner != nullptr))
      .add(int64_t(outcome.failure.code()))
      .add(llvm::StringRef(outcome.failure.message()))
      .add(llvm::StringRef(outcome.explanation));
  llvm::ArrayRef<DiagnosticLog::Entry> entries = outcome.log.getEntries();
  message.add(static_cast<int64_t>(entries.size()));
  for (const DiagnosticLog::Entry &entry : entries)
    message.add(int64_t(entry.severity))
        .add(llvm::StringRef(entry.file))
        .add(int64_t(entry.line))
        .add(int64_t(entry.column))
        .add(llvm::StringRef(entry.message));
  return message;
}

rt::Status capi::readOutcome(MessageReader received, Outcome &outcome) {
  auto message = std::make_shared<MessageReader>(std::move(received));
  bool hasArtifact = message->number() != 0;
  auto code = static_cast<rt::StatusCode>(message->number());
  outcome.failure = rt::Status(code, message->text().str());
  outcome.explanation = message->text().str();
  int64_t numEntries = message->number();
  for (; numEntries > 0 && !message->isAtEnd(); --numEntries) {
    DiagnosticLog::Entry entry;
    entry.severity = static_cast<qccSeverity>(message->number());
    entry.file = message->text().str();
    entry.line = static_cast<int32_t>(message->number());
    entry.column = static_cast<int32_t>(message->number());
    entry.message = message->text().str();
    outcome.log.add(std::move(entry));
  }
  outcome.artifact = message->rest();
  if (!message->isWhole() || numEntries > 0 ||
      hasArtifact == outcome.artifact.empty())
    return rt::corrupt("the other process sends a damaged result");
  if (hasArtifact)
    outcome.owner = std::move(message);
  return rt::Status::ok();
}
