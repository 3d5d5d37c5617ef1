//===- Isolate.cpp - Programs in processes of their own -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child writes to a pipe what it is about to do and what has come out. A
// record is its length, then a letter and numbers, then a text.
//
//===----------------------------------------------------------------------===//

#include "Isolate.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qcc::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

struct Record {
  enum What : uint32_t { Compiling, Running, Finished };
  uint32_t size = 0; // of the text behind it
  uint32_t what = Compiling;
  uint32_t subject = 0;
  uint32_t kind = 0, runs = 0;
  int32_t index = -1; // of a case
};

/// In the child: writes records.
class Writer : public Observer {
public:
  explicit Writer(int fd) : fd(fd) {}
  void compiling() override { write({}, ""); }
  void running(size_t subject, int index) override {
    Record record;
    record.what = Record::Running;
    record.subject = static_cast<uint32_t>(subject);
    record.index = index;
    write(record, "");
  }
  void finished(size_t subject, const Verdict &verdict) override {
    Record record;
    record.what = Record::Finished;
    record.subject = static_cast<uint32_t>(subject);
    record.kind = verdict.kind;
    record.runs = verdict.runs;
    record.index = verdict.failingCase;
    write(record, verdict.message);
  }

private:
  void write(Record record, const std::string &text) {
    record.size = static_cast<uint32_t>(text.size());
    std::string bytes(reinterpret_cast<const char *>(&record), sizeof(record));
    bytes += text;
    for (size_t at = 0; at < bytes.size();) {
      ssize_t count = ::write(fd, bytes.data() + at, bytes.size() - at);
      if (count < 0 && errno != EINTR)
        _exit(1);
      at += std::max<ssize_t>(count, 0);
    }
  }

  int fd;
};

/// A batch and the process that runs it.
struct Child {
  Task task;
  pid_t pid = -1;
  int fd = -1;
  std::string received;
  std::vector<bool> finished;
  bool isRunning = false;
  uint32_t subject = 0; // that runs
  int32_t index = -1;
  Clock::time_point progress;
  bool isHung = false;
};

class Pool {
public:
  Pool(const NextTask &next, const IsolateOptions &options, const Done &done)
      : next(next), options(options), done(done) {}

  void run();

private:
  void start(Task task);
  void receive(Child &child);
  void handle(Child &child, const Record &record, const std::string &text);
  void end(Child &child);
  std::optional<Task> nextTask();

  const NextTask &next;
  const IsolateOptions &options;
  const Done &done;
  std::deque<Task> again;
  std::deque<Child> children;
};

} // namespace

/// One for each process of batches: a child's changes are its own.
static mlir::MLIRContext &sharedContext() {
  static std::unique_ptr<mlir::MLIRContext> context = makeContext();
  return *context;
}

std::optional<Task> Pool::nextTask() {
  if (again.empty())
    return next();
  Task task = std::move(again.front());
  again.pop_front();
  return task;
}

void Pool::start(Task task) {
  mlir::MLIRContext &context = sharedContext();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    if (int null = open("/dev/null", O_WRONLY); null >= 0)
      dup2(null, STDERR_FILENO);
    Writer writer(ends[1]);
    runBatch(context, task.subjects, task.options, writer);
    _exit(0);
  }
  close(ends[1]);
  Child child;
  child.finished.resize(task.subjects.size());
  child.task = std::move(task);
  child.pid = pid;
  child.fd = ends[0];
  child.progress = Clock::now();
  children.push_back(std::move(child));
}

void Pool::handle(Child &child, const Record &record, const std::string &text) {
  child.progress = Clock::now();
  child.isRunning = record.what == Record::Running;
  child.subject = record.subject;
  child.index = record.index;
  if (record.what != Record::Finished)
    return;
  child.finished[record.subject] = true;
  Verdict verdict;
  verdict.kind = static_cast<Verdict::Kind>(record.kind);
  verdict.runs = record.runs;
  verdict.failingCase = record.index;
  verdict.message = text;
  done(child.task, child.task.subjects[record.subject], verdict);
}

void Pool::receive(Child &child) {
  char buffer[4096];
  ssize_t count = read(child.fd, buffer, sizeof(buffer));
  if (count < 0 && errno == EINTR)
    return;
  if (count <= 0)
    return end(child);
  child.received.append(buffer, count);
  Record record;
  while (child.received.size() >= sizeof(record)) {
    memcpy(&record, child.received.data(), sizeof(record));
    if (child.received.size() < sizeof(record) + record.size)
      break;
    handle(child, record, child.received.substr(sizeof(record), record.size));
    child.received.erase(0, sizeof(record) + record.size);
  }
}

/// The pipe is closed: the child has ended, or is about to.
void Pool::end(Child &child) {
  close(child.fd);
  child.fd = -1;
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
    ;
  std::vector<Subject> left;
  for (size_t i = 0; i < child.finished.size(); ++i)
    if (!child.finished[i] && !(child.isRunning && i == child.subject))
      left.push_back(child.task.subjects[i]);
  Verdict verdict;
  verdict.kind = child.isHung ? Verdict::Hung : Verdict::Crashed;
  verdict.message =
      child.isHung
          ? "no progress for " + std::to_string(options.timeoutSeconds) + " s"
      : WIFSIGNALED(status)
          ? strsignal(WTERMSIG(status))
          : "exit code " + std::to_string(WEXITSTATUS(status));
  if (child.isRunning) {
    const Subject &subject = child.task.subjects[child.subject];
    verdict.failingCase = child.index;
    verdict.message =
        spell(subject.cases[child.index]) + ": " + verdict.message;
    done(child.task, subject, verdict);
  } else if (left.size() == 1) {
    verdict.message = "while compiling: " + verdict.message;
    done(child.task, left.front(), verdict);
    left.clear();
  }
  if (left.empty())
    return;
  // A run is its program's fault alone; in the compiler it may be any.
  size_t half = child.isRunning ? left.size() : left.size() / 2;
  again.push_back({{left.begin(), left.begin() + half}, child.task.options});
  if (half < left.size())
    again.push_back({{left.begin() + half, left.end()}, child.task.options});
}

void Pool::run() {
  bool more = true;
  while (more || !children.empty()) {
    while (more && children.size() < options.jobs) {
      if (std::optional<Task> task = nextTask())
        start(std::move(*task));
      else
        more = false;
    }
    std::vector<pollfd> polls;
    for (Child &child : children)
      polls.push_back({child.fd, POLLIN, 0});
    poll(polls.data(), polls.size(), 1000);
    for (size_t i = 0; i < polls.size(); ++i) {
      Child &child = children[i];
      if (polls[i].revents)
        receive(child);
      else if (Clock::now() - child.progress >
               std::chrono::seconds(options.timeoutSeconds)) {
        child.isHung = true;
        kill(child.pid, SIGKILL);
      }
    }
    for (size_t i = children.size(); i > 0; --i)
      if (children[i - 1].fd < 0)
        children.erase(children.begin() + (i - 1));
    more |= !again.empty();
  }
}

void runIsolated(const NextTask &next, const IsolateOptions &options,
                 const Done &done) {
  Pool(next, options, done).run();
}

Verdict judge(const Subject &subject, const BatchOptions &options,
              unsigned timeoutSeconds) {
  bool given = false;
  Verdict result;
  runIsolated(
      [&]() -> std::optional<Task> {
        if (std::exchange(given, true))
          return std::nullopt;
        return Task{{subject}, options};
      },
      {1, timeoutSeconds},
      [&](const Task &, const Subject &, const Verdict &verdict) {
        result = verdict;
      });
  return result;
}

} // namespace qcc::fuzz
