//===- Isolated.cpp - A shape in a process of its own ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child sends its row through a pipe, field by field.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::bench;

//===----------------------------------------------------------------------===//
// Rows as bytes
//===----------------------------------------------------------------------===//

namespace {
class Writer {
public:
  template <typename T> void field(T &value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void field(std::string &text) {
    size(text);
    bytes += text;
  }
  template <typename List> void size(List &list) {
    uint64_t count = list.size();
    field(count);
  }

  std::string bytes;
};

/// Reads what a Writer wrote. What is not there is left as it is.
class Reader {
public:
  explicit Reader(llvm::StringRef bytes) : bytes(bytes) {}

  template <typename T> void field(T &value) {
    if (bytes.size() < sizeof(value))
      return;
    memcpy(&value, bytes.data(), sizeof(value));
    bytes = bytes.drop_front(sizeof(value));
  }
  void field(std::string &text) {
    size(text);
    text = bytes.take_front(text.size()).str();
    bytes = bytes.drop_front(text.size());
  }
  template <typename List> void size(List &list) {
    uint64_t count = 0;
    field(count);
    list.resize(std::min<uint64_t>(count, bytes.size()));
  }

private:
  llvm::StringRef bytes;
};
} // namespace

template <typename Archive>
static void visit(Archive &archive, tools::TimedRun &candidate) {
  archive.field(candidate.name);
  archive.field(candidate.callsPerBatch);
  archive.field(candidate.batches);
  archive.field(candidate.interrupted);
  archive.size(candidate.seconds);
  for (double &seconds : candidate.seconds)
    archive.field(seconds);
}

template <typename Archive>
static void visit(Archive &archive, PeakRate &peak) {
  archive.field(peak.name);
  archive.field(peak.unit);
  archive.field(peak.isReference);
  archive.field(peak.rate);
}

/// All of a row but its shape.
template <typename Archive> static void visit(Archive &archive, Row &row) {
  archive.field(row.config);
  archive.field(row.artifactBytes);
  archive.field(row.peerDifference);
  archive.field(row.peerMissing);
  archive.field(row.roundedName);
  for (double Row::*number :
       {&Row::compileSeconds, &Row::fraction, &Row::peerFraction,
        &Row::readHuge, &Row::readSmall, &Row::readFraction,
        &Row::peerReadFraction, &Row::ratio, &Row::ratioLow, &Row::ratioHigh,
        &Row::roundedRatio, &Row::scaling})
    archive.field(row.*number);
  visit(archive, row.qcc);
  archive.size(row.peers);
  for (tools::TimedRun &peer : row.peers)
    visit(archive, peer);
  archive.size(row.peaks);
  for (PeakRate &peak : row.peaks)
    visit(archive, peak);
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

namespace {
/// What came of a child: a row, an error or its death.
struct Outcome {
  std::optional<Row> row;
  std::string error, death;
};
} // namespace

static void writeAll(int file, llvm::StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return;
    bytes = bytes.drop_front(std::max<ssize_t>(count, 0));
  }
}

static std::string readAll(int file) {
  std::string bytes;
  char buffer[4096];
  for (ssize_t count; (count = read(file, buffer, sizeof(buffer))) != 0;)
    if (count > 0)
      bytes.append(buffer, count);
    else if (errno != EINTR)
      break;
  return bytes;
}

[[noreturn]] static void runChild(int file, const Shape &shape,
                                  const Suite &suite, const Options &options) {
  // The parent says what happened; neither LLVM's report nor a core file is
  // wanted.
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    signal(number, SIG_DFL);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  llvm::Expected<Row> row = runShape(shape, suite, options);
  Writer writer;
  if (row) {
    writer.bytes = "+";
    visit(writer, *row);
  } else {
    writer.bytes = "-" + llvm::toString(row.takeError());
  }
  writeAll(file, writer.bytes);
  _exit(0);
}

static Outcome runInChild(const Shape &shape, const Suite &suite,
                          const Options &options) {
  Outcome outcome;
  int ends[2];
  llvm::outs().flush();
  pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    outcome.error =
        std::string("no process can be started: ") + strerror(errno);
    return outcome;
  }
  if (child == 0) {
    close(ends[0]);
    runChild(ends[1], shape, suite, options);
  }
  close(ends[1]);
  std::string bytes = readAll(ends[0]);
  close(ends[0]);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(state))
    outcome.death = strsignal(WTERMSIG(state));
  else if (WEXITSTATUS(state) != 0 || bytes.empty())
    outcome.death = "exit code " + std::to_string(WEXITSTATUS(state));
  else if (bytes[0] == '-')
    outcome.error = bytes.substr(1);
  else {
    Reader reader(llvm::StringRef(bytes).drop_front());
    visit(reader, outcome.row.emplace());
    outcome.row->shape = shape;
  }
  return outcome;
}

llvm::Expected<Row> bench::runIsolated(const Shape &shape, const Suite &suite,
                                       const Options &options) {
  Outcome outcome = runInChild(shape, suite, options);
  std::string crash;
  if (!outcome.death.empty() && options.peer != PeerKind::None) {
    // Without the peer, the same works, or the fault is not the peer's.
    crash = outcome.death;
    Options alone = options;
    alone.peer = PeerKind::None;
    outcome = runInChild(shape, suite, alone);
  }
  if (!outcome.death.empty())
    return llvm::createStringError("qcc crashed (" + outcome.death +
                                   "); this is a bug of qcc");
  if (!outcome.row)
    return llvm::createStringError(outcome.error);
  if (!crash.empty()) {
    outcome.row->peerCrash = crash;
    outcome.row->peerMissing = "crashed (" + crash + ")";
  }
  return std::move(*outcome.row);
}
