/*===- compile-isolated.c - Compilations in a process of their own --------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* An isolated compilation gives the bytes, the diagnostics and the messages  *|
|* of one in this process. Whatever ends its process is a status, and neither *|
|* memory nor descriptors nor processes are left. Scripts in place of the     *|
|* compiler's program crash, hang and answer nonsense.                        *|
|*                                                                            *|
|* compile-isolated FOLDER COMPILER [ROUNDS]: each case so often              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: rm -rf %t && mkdir %t
// RUN: %capi/compile-isolated %t %build/bin/qcc-isolated-compiler
// REQUIRES: compiler, x86-64-v3
// Address space is limited, of which a sanitizer takes more.
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "qcc-c/Compiler.h"

#include "Check.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char program[] =
    "!q = !quant.uniform<i8:f32, 3.000000e-02>\n"
    "func.func @main(%x: tensor<?x8x!q>) -> tensor<?x4x!q> {\n"
    "  %w = arith.constant dense_resource<w> : tensor<4x8x!q>\n"
    "  %y = qnn.linear %x, %w\n"
    "      : tensor<?x8x!q>, tensor<4x8x!q> -> tensor<?x4x!q>\n"
    "  return %y : tensor<?x4x!q>\n"
    "}\n";

static const char *folder, *compiler;
static char diagnostics[4096];

static void note(void *context, const qccDiagnostic *diagnostic) {
  (void)context;
  size_t at = strlen(diagnostics);
  snprintf(diagnostics + at, sizeof(diagnostics) - at, "%d %s:%d:%d %s\n",
           (int)diagnostic->severity, diagnostic->file, diagnostic->line,
           diagnostic->column, diagnostic->message);
}

static qccCompileOptions isolated(void) {
  static const qccDiagnosticHook hook = {sizeof(hook), NULL, note};
  qccCompileOptions options = qccCompileOptionsInit();
  options.weights = "random:7";
  options.target = "x86-64-v3";
  options.diagnostics = &hook;
  options.flags = QCC_COMPILE_ISOLATED;
  return options;
}

static qccStatus compileWith(const qccCompileOptions *options,
                             const char *text) {
  qccArtifact artifact = NULL;
  qccStatus status = qccCompileText(text, strlen(text), options, &artifact);
  CHECK((status == NULL) == (artifact != NULL));
  qccArtifactDestroy(artifact);
  return status;
}

/// A program in place of the compiler's.
static const char *writeScript(const char *name, const char *body) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s/%s.sh", folder, name);
  FILE *file = fopen(path, "w");
  CHECK(file != NULL);
  if (!file)
    return path;
  fprintf(file, "#!/bin/sh\n%s\n", body);
  fclose(file);
  CHECK(chmod(path, 0700) == 0);
  return path;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/*===----------------------------------------------------------------------===*\
|* The same as in this process
\*===----------------------------------------------------------------------===*/

/// Compiles here and there, and compares all that comes out.
static void compareWithHere(qccCompileOptions options, const char *text) {
  char said[2][sizeof(diagnostics)];
  char messages[2][4096];
  qccStatusCode codes[2];
  qccArtifact artifacts[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    options.flags ^= QCC_COMPILE_ISOLATED;
    diagnostics[0] = '\0';
    qccStatus status =
        qccCompileText(text, strlen(text), &options, &artifacts[i]);
    memcpy(said[i], diagnostics, sizeof(diagnostics));
    snprintf(messages[i], sizeof(messages[i]), "%s",
             qccStatusGetMessage(status));
    codes[i] = qccStatusGetCode(status);
    qccStatusDestroy(status);
  }
  CHECK(codes[0] == codes[1]);
  CHECK(strcmp(messages[0], messages[1]) == 0);
  CHECK(strcmp(said[0], said[1]) == 0);
  size_t size = qccArtifactGetSize(artifacts[0]);
  CHECK(size == qccArtifactGetSize(artifacts[1]));
  if (size > 0 && size == qccArtifactGetSize(artifacts[1]))
    CHECK(memcmp(qccArtifactGetData(artifacts[0]),
                 qccArtifactGetData(artifacts[1]), size) == 0);
  CHECK((*qccArtifactGetExplanation(artifacts[0]) != '\0') ==
        (*qccArtifactGetExplanation(artifacts[1]) != '\0'));
  for (int i = 0; i < 2; ++i)
    qccArtifactDestroy(artifacts[i]);
}

static int8_t bytes[32];
static int numLent;

static void giveBack(void *context) {
  (void)context;
  --numLent;
}

static qccStatus find(void *context, const qccWeightRequest *request,
                      qccWeightBytes *lent) {
  if (context)
    return qccStatusCreate(QCC_STATUS_NOT_FOUND, "it is not for you");
  CHECK(strcmp(request->name, "w") == 0);
  CHECK(request->rank == 2 && request->dims[0] == 4 && request->dims[1] == 8);
  CHECK(request->dtype.code == kDLInt && request->dtype.bits == 8);
  ++numLent;
  lent->data = bytes;
  lent->numBytes = request->numBytes;
  lent->giveBack = giveBack;
  return NULL;
}

static void sameAsHere(void) {
  compareWithHere(isolated(), program);
  compareWithHere(isolated(), "nonsense");
  qccCompileOptions options = isolated();
  options.flags |= QCC_COMPILE_EXPLAIN;
  options.name = "a program";
  compareWithHere(options, program);
  options.target = "no such processor";
  compareWithHere(options, program);
  // An empty text is not a missing one.
  options.target = "";
  compareWithHere(options, program);
  options = isolated();
  options.tuning = "";
  compareWithHere(options, program);
  options = isolated();
  options.name = "";
  compareWithHere(options, "nonsense");
  options = isolated();
  options.weights = NULL;
  compareWithHere(options, program);
  options.tuning = "/nowhere";
  compareWithHere(options, program);

  // Weights of this process.
  for (int i = 0; i < 32; ++i)
    bytes[i] = (int8_t)(5 * i - 70);
  int64_t shape[2] = {4, 8};
  DLTensor tensor = {bytes, {kDLCPU, 0}, 2, {kDLInt, 8, 1}, shape, NULL, 0};
  qccWeightTensor weight = qccWeightTensorInit();
  weight.name = "w";
  weight.tensor = &tensor;
  options = isolated();
  options.weights = NULL;
  options.weightTensors = &weight;
  options.numWeightTensors = 1;
  compareWithHere(options, program);
  weight.name = "v";
  compareWithHere(options, program);
  options = isolated();
  options.weights = NULL;
  qccWeightHook hook = qccWeightHookInit();
  hook.find = find;
  options.weightHook = &hook;
  compareWithHere(options, program);
  CHECK(numLent == 0);
  hook.context = bytes;
  compareWithHere(options, program);

  // A file, in the working folder.
  CHECK(chdir(folder) == 0);
  FILE *file = fopen("program.mlir", "w");
  CHECK(file && fputs(program, file) >= 0);
  if (file)
    fclose(file);
  options = isolated();
  qccArtifact artifact = NULL;
  CHECK_OK(qccCompileFile("program.mlir", &options, &artifact));
  CHECK(qccArtifactGetSize(artifact) > 0);
  CHECK_FAILS(qccCompileFile("absent.mlir", &options, &artifact),
              QCC_STATUS_NOT_FOUND, "absent.mlir");
  qccArtifactDestroy(artifact);
  options.isolatedCompiler = compiler;
  CHECK_OK(compileWith(&options, program));
  options.flags = 0;
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_INVALID_ARGUMENT,
              "isolatedCompiler is given without the flag");
}

/*===----------------------------------------------------------------------===*\
|* Processes that end
\*===----------------------------------------------------------------------===*/

/// Compiles with a script in place of the compiler's program.
static void checkScript(const char *name, const char *body, int64_t timeout,
                        qccStatusCode code, const char *text) {
  qccCompileOptions options = isolated();
  options.isolatedCompiler = writeScript(name, body);
  options.timeoutNanoseconds = timeout;
  double start = now();
  CHECK_FAILS(compileWith(&options, program), code, text);
  CHECK(now() - start < 10);
}

static void brokenProcesses(void) {
  checkScript("crash", "kill -SEGV $$", 0, QCC_STATUS_INTERNAL,
              "the compiler crashed in its process, by signal 11");
  checkScript("abort", "echo LLVM ERROR; kill -ABRT $$", 0, QCC_STATUS_INTERNAL,
              "it printed: LLVM ERROR");
  checkScript("killed", "kill -KILL $$", 0, QCC_STATUS_KILLED,
              "killed by signal 9");
  checkScript("ended", "kill -TERM $$", 0, QCC_STATUS_KILLED,
              "killed by signal 15");
  checkScript("exit", "echo no luck >&2; exit 3", 0, QCC_STATUS_INTERNAL,
              "ended with exit code 3; it printed: no luck");
  checkScript("memory", "exit 100", 0, QCC_STATUS_OUT_OF_MEMORY,
              "ran out of memory");
  checkScript("nonsense",
              "head -c 64 /dev/zero | tr '\\000' x >&3; exec sleep 60", 0,
              QCC_STATUS_INTERNAL, "sends what is no message");
  // A weight that is larger than any memory, of which nothing comes.
  checkScript("huge",
              "printf '\\003\\000\\000\\000\\000\\000\\000\\000"
              "\\000\\000\\000\\000\\000\\000\\001\\000' >&3",
              0, QCC_STATUS_INTERNAL, "ended with exit code 0");
  checkScript("half", "printf '\\004\\000\\000' >&3", 0, QCC_STATUS_INTERNAL,
              "ended with exit code 0");
  checkScript("hang", "exec sleep 60", 100000000, QCC_STATUS_TIMED_OUT,
              "longer than the time limit of 100000000 nanoseconds");
  checkScript("silent", "exec 3>&-; exec sleep 60", 0, QCC_STATUS_INTERNAL,
              "left the connection and did not end");
  // Nothing but the connection is there, and no signal is blocked.
  checkScript("clean", "ls /proc/self/fd; grep SigBlk /proc/self/status", 0,
              QCC_STATUS_INTERNAL,
              "it printed: 0 1 2 3 4 SigBlk:\t0000000000000000");
}

static void absentPrograms(void) {
  qccCompileOptions options = isolated();
  options.isolatedCompiler = "/nowhere/qcc-isolated-compiler";
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_NOT_FOUND,
              "cannot start the compiler's process /nowhere/");
  options.isolatedCompiler = folder;
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_IO_ERROR,
              "Permission denied");
}

/// The one child of this process.
static pid_t findChild(void) {
  for (int i = 0; i < 5000; ++i, usleep(1000)) {
    char text[64] = "";
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
    FILE *file = fopen(path, "r");
    if (file && fgets(text, sizeof(text), file) && atoi(text) > 0) {
      fclose(file);
      return atoi(text);
    }
    if (file)
      fclose(file);
  }
  return -1;
}

static useconds_t killDelay;

static void *killLater(void *argument) {
  (void)argument;
  pid_t child = findChild();
  usleep(killDelay);
  if (child > 0)
    kill(child, SIGKILL);
  return NULL;
}

/// Somebody kills the compiler at any moment.
static void killedCompiler(int rounds) {
  int numKilled = 0;
  for (int i = 0; i < rounds; ++i) {
    pthread_t thread;
    killDelay = (useconds_t)(i * 7919 % 60000);
    CHECK(pthread_create(&thread, NULL, killLater, NULL) == 0);
    qccCompileOptions options = isolated();
    qccStatus status = compileWith(&options, program);
    qccStatusCode code = qccStatusGetCode(status);
    CHECK(code == QCC_STATUS_KILLED || code == QCC_STATUS_OK);
    if (code != QCC_STATUS_KILLED && code != QCC_STATUS_OK)
      printf("killed after %u us: %s\n", killDelay,
             qccStatusGetMessage(status));
    numKilled += code == QCC_STATUS_KILLED;
    qccStatusDestroy(status);
    pthread_join(thread, NULL);
  }
  CHECK(numKilled > 0);
}

static void *cancelLater(void *token) {
  usleep(50000);
  qccCancelTokenCancel(token);
  return NULL;
}

static void cancelled(void) {
  qccCompileOptions options = isolated();
  CHECK_OK(qccCancelTokenCreate(&options.cancel));
  options.isolatedCompiler = writeScript("endless", "exec sleep 60");
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancelLater, options.cancel) == 0);
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_CANCELLED,
              "it was cancelled");
  pthread_join(thread, NULL);
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_CANCELLED,
              "it was cancelled");
  qccCancelTokenDestroy(options.cancel);
}

/// The address space of the process ends at any point.
static void shortMemory(int rounds) {
  int numShort = 0;
  for (int i = 0; i < rounds; ++i) {
    char body[4200];
    snprintf(body, sizeof(body), "ulimit -v %d; exec %s \"$@\"",
             20000 + i * 400000 / rounds, compiler);
    qccCompileOptions options = isolated();
    options.isolatedCompiler = writeScript("short", body);
    qccStatus status = compileWith(&options, program);
    qccStatusCode code = qccStatusGetCode(status);
    CHECK(code == QCC_STATUS_OUT_OF_MEMORY || code == QCC_STATUS_OK);
    if (code != QCC_STATUS_OUT_OF_MEMORY && code != QCC_STATUS_OK)
      printf("%s: %s\n", body, qccStatusGetMessage(status));
    numShort += code == QCC_STATUS_OUT_OF_MEMORY;
    qccStatusDestroy(status);
  }
  CHECK(numShort > 0);
  qccCompileOptions options = isolated();
  options.memoryLimitBytes = 1;
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_OUT_OF_MEMORY,
              "the limit of 1 bytes of memory does not suffice");
  options.memoryLimitBytes = 300 << 20;
  CHECK_OK(compileWith(&options, program));
}

/*===----------------------------------------------------------------------===*\
|* The host
\*===----------------------------------------------------------------------===*/

static int countDescriptors(void) {
  int count = 0;
  DIR *list = opendir("/proc/self/fd");
  while (list && readdir(list))
    ++count;
  closedir(list);
  return count;
}

static void checkNothingIsLeft(int descriptors) {
  CHECK(countDescriptors() == descriptors);
  CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void unusualHosts(void) {
  qccCompileOptions options = isolated();
  // A host that wants to know nothing of children.
  signal(SIGCHLD, SIG_IGN);
  CHECK_OK(compileWith(&options, program));
  options.isolatedCompiler = writeScript("reaped", "kill -SEGV $$");
  CHECK_FAILS(compileWith(&options, program), QCC_STATUS_INTERNAL,
              "its exit status went to another wait");
  options.isolatedCompiler = NULL;
  signal(SIGCHLD, SIG_DFL);
  // One without standard streams.
  int kept = dup(0);
  close(0);
  CHECK_OK(compileWith(&options, program));
  CHECK(dup2(kept, 0) == 0);
  close(kept);
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  folder = argv[1];
  compiler = argv[2];
  int rounds = argc > 3 ? atoi(argv[3]) : 10;
  sameAsHere();
  int descriptors = countDescriptors();
  brokenProcesses();
  absentPrograms();
  unusualHosts();
  size_t held = mallinfo2().uordblks;
  for (int i = 0; i < rounds; i += 10) {
    cancelled();
    checkScript("crash", "kill -SEGV $$", 0, QCC_STATUS_INTERNAL, "crashed");
    checkScript("hang", "exec sleep 60", 10000000, QCC_STATUS_TIMED_OUT,
                "time");
  }
  killedCompiler(rounds);
  shortMemory(rounds);
  double start = now();
  for (int i = 0; i < rounds; ++i) {
    qccCompileOptions options = isolated();
    CHECK_OK(compileWith(&options, program));
  }
  double there = now() - start;
  start = now();
  for (int i = 0; i < rounds; ++i) {
    qccCompileOptions options = isolated();
    options.flags = 0;
    CHECK_OK(compileWith(&options, program));
  }
  double here = now() - start;
  printf("a compilation takes %.1f ms here and %.1f ms there\n",
         here / rounds * 1e3, there / rounds * 1e3);
  int64_t lost = (int64_t)(mallinfo2().uordblks - held);
  printf("%lld bytes lost\n", (long long)lost);
  CHECK(lost < 1 << 20);
  checkNothingIsLeft(descriptors);
  return finishTest();
}
