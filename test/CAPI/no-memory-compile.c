/*===- no-memory-compile.c - The compiler on a heap that is used up -------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Requests for memory of a compilation fail, alone and with all that follow, *|
|* from its first to its last. Each time there is a status that says so, and  *|
|* nothing is printed. Where one fails alone, nothing is lost either; nor     *|
|* where the address space of the process is at its end.                      *|
|*                                                                            *|
|* First some requests fail in one process, where each time the next          *|
|* compilation has to work and no file may stay open. Then many fail: one     *|
|* compilation goes from its first request to its last, and forks before each *|
|* one that is to fail, which it does in the child. So a point costs what is  *|
|* left to do after the failure, and not a compilation. A child has only the  *|
|* thread that forks; so the compilation runs on the thread that calls, and   *|
|* has a stack of its own there. From where it has another thread on, to      *|
|* link, requests fail as at first.                                           *|
|*                                                                            *|
|* Usage: no-memory-compile [POINTS|all]                                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/no-memory-compile 2> %t.err
// RUN: count 0 < %t.err
// REQUIRES: compiler, x86-64-v3
// UNSUPPORTED: sanitizer

#define _GNU_SOURCE

#include "Doubling.h"
#include "FailingMalloc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static qccStatus compileProgram(void) {
  qccArtifact artifact = NULL;
  qccStatus status = compileDoubling(&artifact);
  CHECK((status == NULL) == (artifact != NULL));
  qccArtifactDestroy(artifact);
  return status;
}

/// Files that are open.
static int numFiles(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder && readdir(folder))
    ++count;
  if (folder)
    closedir(folder);
  return count;
}

/*===----------------------------------------------------------------------===*\
|* In one process
\*===----------------------------------------------------------------------===*/

/// `points` of the requests from `begin` on, up to `end`, alone or every second
/// one with all that follow.
static void failHere(long begin, long end, long points, bool alone) {
  int files = numFiles();
  for (long point = 0; point < points; ++point) {
    long blocks = numBlocks;
    bool andAllAfter = !alone && point % 2;
    failHeap(begin + (end - begin) * point / points, andAllAfter);
    qccStatus status = compileProgram();
    mendHeap();
    if (status && qccStatusGetCode(status) != QCC_STATUS_OUT_OF_MEMORY)
      CHECK_OK(status);
    else
      qccStatusDestroy(status);
    CHECK_OK(compileProgram());
    CHECK(andAllAfter || numBlocks <= blocks);
  }
  CHECK(numFiles() == files);
}

/*===----------------------------------------------------------------------===*\
|* Threads whose work is done by who starts them
\*===----------------------------------------------------------------------===*/

typedef int StartThread(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                        void *);
typedef int JoinThread(pthread_t, void **);

enum { stackBytes = 64 << 20 };
static bool threadRunsHere, isOnThread;
static atomic_int numOtherThreads;
static StartThread *startThread;
static JoinThread *joinThread;
static ucontext_t caller, thread;
static void *(*threadMain)(void *);
static void *threadArgument;
static void *threadStack;

static void runThread(void) { threadMain(threadArgument); }

QCC_REPLACES int pthread_create(pthread_t *made, const pthread_attr_t *options,
                                void *(*start)(void *), void *argument) {
  if (!threadRunsHere || isOnThread) {
    int error = startThread(made, options, start, argument);
    numOtherThreads += error == 0;
    return error;
  }
  threadMain = start;
  threadArgument = argument;
  getcontext(&thread);
  thread.uc_stack.ss_sp = threadStack;
  thread.uc_stack.ss_size = stackBytes;
  thread.uc_link = &caller;
  makecontext(&thread, runThread, 0);
  *made = pthread_self();
  isOnThread = true;
  int error = swapcontext(&caller, &thread);
  isOnThread = false;
  return error;
}

QCC_REPLACES int pthread_join(pthread_t joined, void **result) {
  if (threadRunsHere && !isOnThread)
    return 0;
  --numOtherThreads;
  return joinThread(joined, result);
}

/*===----------------------------------------------------------------------===*\
|* In children
\*===----------------------------------------------------------------------===*/

/// How a child ended.
enum { wasOutOfMemory, didWithout, wasWrong, numEnds };

/// What children count, in memory of all.
typedef struct Totals {
  long ends[numEnds];
  /// By children in which one request failed, and in which all after it did.
  long blocksLost[2];
} Totals;

static Totals *totals;
static double nextPoint, stride;
static long numPoints, blocksBefore;
static bool isChild, checksNext;
static long failedRequest;
/// The requests from where there was another thread on.
static long linkBegin = -1, linkEnd = -1;

static pid_t parentThread;

/// A lock that the parent held is this thread's: some know their owner by the
/// number of the thread, which is another one in a child.
static void adopt(int *owner) {
  if (isChild && *owner == parentThread)
    *owner = gettid();
}

QCC_REPLACES int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*lock)(pthread_mutex_t *);
  if (!lock)
    lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  adopt(&mutex->__data.__owner);
  return lock(mutex);
}

QCC_REPLACES int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  static int (*unlock)(pthread_mutex_t *);
  if (!unlock)
    unlock =
        (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
  adopt(&mutex->__data.__owner);
  return unlock(mutex);
}

QCC_REPLACES int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  static int (*unlock)(pthread_rwlock_t *);
  if (!unlock)
    unlock =
        (int (*)(pthread_rwlock_t *))dlsym(RTLD_NEXT, "pthread_rwlock_unlock");
  adopt(&lock->__data.__cur_writer);
  return unlock(lock);
}

/// Forks, unless there are enough points; in the child this request fails, and
/// all that follow if told so.
static void failInChild(long request, bool andAllAfter) {
  parentThread = gettid();
  pid_t child = fork();
  if (child == 0) {
    isChild = true;
    numFailures = 0;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    alarm(120); // A lock that is held hangs.
    beforeRequest = NULL;
    failsOn = andAllAfter;
    failingRequest = failedRequest = request;
    return;
  }
  int how = -1;
  CHECK(child > 0 && waitpid(child, &how, 0) == child);
  if (how != 0)
    fprintf(stderr, "request %ld, %s: the child ended with %d\n", request,
            andAllAfter ? "and all after" : "alone", how);
  CHECK(how == 0);
  ++numPoints;
  checksNext = numPoints % 100 == 0;
}

static void visitRequest(long request) {
  if (numOtherThreads > 0 || linkBegin >= 0) {
    linkBegin = linkBegin < 0 ? request : linkBegin;
    linkEnd = request + 1;
    return;
  }
  if ((double)request < nextPoint)
    return;
  nextPoint += stride;
  for (int after = 0; after < 2 && !isChild; ++after)
    failInChild(request, after);
}

/// Says how the compilation of a child ended, and ends it.
static void endChild(qccStatus status) {
  mendHeap();
  qccStatusCode code = qccStatusGetCode(status);
  int end = !status                            ? didWithout
            : code == QCC_STATUS_OUT_OF_MEMORY ? wasOutOfMemory
                                               : wasWrong;
  if (end == wasWrong)
    CHECK_OK(status);
  else
    qccStatusDestroy(status);
  ++totals->ends[end];
  long lost = numBlocks - blocksBefore;
  // The C library may have given back what it kept of threads that have ended.
  if (end != wasOutOfMemory || lost < 0)
    lost = 0;
  totals->blocksLost[failsOn] += lost;
  if (!failsOn && lost > 0)
    fprintf(stderr, "request %ld alone: %ld blocks lost\n", failedRequest,
            lost);
  if (checksNext)
    CHECK_OK(compileProgram());
  _exit(end == wasWrong || finishTest() != 0);
}

static void shareTotals(void) {
  totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(totals != MAP_FAILED);
}

static void failInChildren(long requests, long points) {
  shareTotals();
  threadStack = mmap(NULL, stackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(threadStack != MAP_FAILED);
  threadRunsHere = true;
  stride = points > 0 && points < 2 * requests
               ? 2 * (double)requests / (double)points
               : 1;
  // What LLVM keeps for the thread that calls stays with it.
  CHECK_OK(compileProgram());
  blocksBefore = numBlocks;
  failHeap(-1, false);
  beforeRequest = visitRequest;
  qccStatus status = compileProgram();
  if (isChild)
    endChild(status);
  beforeRequest = NULL;
  CHECK_OK(status);
  threadRunsHere = false;
  printf("%ld requests, %ld of them to link, %ld points: %ld times no memory, "
         "%ld times did without, %ld blocks lost where requests failed alone, "
         "%ld where all after did\n",
         requests, linkEnd - linkBegin, numPoints, totals->ends[wasOutOfMemory],
         totals->ends[didWithout], totals->blocksLost[0],
         totals->blocksLost[1]);
  CHECK(totals->ends[wasOutOfMemory] > 0 && totals->ends[wasWrong] == 0);
  CHECK(totals->blocksLost[0] == 0);
}

/*===----------------------------------------------------------------------===*\
|* With a limit of address space
\*===----------------------------------------------------------------------===*/

/// The address space that the process has now.
static size_t addressSpace(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%zu", &pages) == 1);
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/// In children whose address space may grow by ever more.
static void limitAddressSpace(void) {
  shareTotals();
  const size_t step = 1 << 20;
  for (int i = 0; i < 128 && totals->ends[didWithout] == 0; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      numFailures = 0;
      failsOn = false;
      failedRequest = -1;
      blocksBefore = numBlocks;
      size_t most = addressSpace() + (size_t)(64 + i) * step;
      struct rlimit limit = {most, most};
      CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
      endChild(compileProgram());
    }
    int how = -1;
    CHECK(child > 0 && waitpid(child, &how, 0) == child && how == 0);
  }
  printf("with limits of address space: %ld times no memory, %ld blocks lost\n",
         totals->ends[wasOutOfMemory], totals->blocksLost[0]);
  CHECK(totals->ends[wasOutOfMemory] > 0 && totals->ends[wasWrong] == 0);
  CHECK(totals->ends[didWithout] > 0 && totals->blocksLost[0] == 0);
}

int main(int argc, char **argv) {
  startThread = (StartThread *)dlsym(RTLD_NEXT, "pthread_create");
  joinThread = (JoinThread *)dlsym(RTLD_NEXT, "pthread_join");
  bool isAll = argc > 1 && strcmp(argv[1], "all") == 0;
  long points = isAll ? 0 : argc > 1 ? atol(argv[1]) : 500;
  alarm(argc > 1 ? 0 : 300); // A lock that is held hangs.
  CHECK_OK(compileProgram());
  failHeap(-1, false);
  CHECK_OK(compileProgram());
  long requests = numRequests;
  failHere(0, requests, 10, false);
  failInChildren(requests, points);
  limitAddressSpace();
  // lld may be left with a lock that it holds, where all requests fail.
  failHere(linkBegin, linkEnd, isAll ? linkEnd - linkBegin : 10, true);
  return finishTest();
}
