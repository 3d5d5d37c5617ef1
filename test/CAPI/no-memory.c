/*===- no-memory.c - The runtime on a heap that is used up ----------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Every request for memory of every call fails once, alone and with all that *|
|* follow. Each time there is a status, nothing leaks, and the next call with *|
|* the same handles works.                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: cp %capi/program.so %t.so
// RUN: %if libsodium %{ %stamp-artifact %t.so \
// RUN:   9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60 %}
// RUN: %capi/no-memory %capi/program.so %capi/lender.so %capi/borrower.so \
// RUN:   %if libsodium %{ %t.so %}
// UNSUPPORTED: sanitizer

#include "Check.h"
#include "FailingMalloc.h"

enum { rows = 3, columns = 4 };

static const char *path, *lenderPath, *borrowerPath, *signedPath;
static char bytes[1 << 20];
static size_t numBytes;

static float x[rows][columns], bias[columns], y[rows][columns];
static int64_t shape[2] = {rows, columns}, biasShape[1] = {columns};
static DLTensor xs, biases, ys, *arguments[2] = {&xs, &biases},
                                *results[1] = {&ys};

static qccModule module;
static qccContext context;
static qccThreadPool pool;
static qccCancelToken token;
static DLManagedTensor *owned;
static DLManagedTensorVersioned *versioned;
static qccRun started;

static qccStatus loadFile(void) {
  return qccModuleLoadFile(path, NULL, &module);
}
static qccStatus loadMemory(void) {
  return qccModuleLoadMemory(bytes, numBytes, NULL, &module);
}
static qccStatus loadNothing(void) {
  return qccModuleLoadFile("/no/such/model.so", NULL, &module);
}
/// Weights that are copied, and lent to another module.
static qccStatus loadWeights(void) {
  qccModuleOptions options = qccModuleOptionsInit();
  options.weightPages = QCC_WEIGHT_PAGES_HUGE;
  options.flags = QCC_MODULE_PRIVATE_COPY;
  qccModule lender = NULL;
  qccStatus status = qccModuleLoadFile(lenderPath, &options, &lender);
  if (!status)
    status = qccModuleLoadFile(borrowerPath, &options, &module);
  qccModuleDestroy(lender);
  return status;
}
static void *allocate(void *context, size_t size, size_t alignment) {
  void *memory = NULL;
  (void)context;
  return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}
static void deallocate(void *context, void *memory, size_t size,
                       size_t alignment) {
  (void)context, (void)size, (void)alignment;
  free(memory);
}
static qccStatus loadToAllocator(void) {
  static const qccAllocator allocator = {sizeof(allocator), NULL, allocate,
                                         deallocate};
  qccModuleOptions options = qccModuleOptionsInit();
  options.weightAllocator = &allocator;
  return qccModuleLoadFile(lenderPath, &options, &module);
}
static qccStatus loadSigned(void) {
  qccModuleOptions options = qccModuleOptionsInit();
  options.publicKey =
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
  return qccModuleLoadFile(signedPath ? signedPath : path,
                           signedPath ? &options : NULL, &module);
}
static qccStatus inspect(void) {
  qccTensorInfo info = qccTensorInfoInit();
  return qccModuleGetArgument(module, NULL, 77, &info);
}
static qccStatus createContext(void) {
  qccContextOptions options = qccContextOptionsInit();
  options.threads = 2;
  options.profile = true;
  return qccContextCreate(module, NULL, &options, &context);
}
static qccStatus plan(void) { return qccContextPlan(context, arguments, 2); }
static qccStatus run(void) {
  return qccContextRun(context, arguments, 2, results, 1);
}
static qccStatus runOnTooLittle(void) {
  return qccContextRun(context, arguments, 1, results, 1);
}
static qccStatus allocateResults(void) {
  return qccContextAllocateResults(context, arguments, 2, &owned, 1);
}
static qccStatus callEntry(void) {
  return qccContextCall(context, arguments, 2, &owned, 1, NULL);
}
static qccStatus callVersioned(void) {
  return qccContextCallVersioned(context, arguments, 2, &versioned, 1, NULL);
}
static qccStatus startRun(void) {
  qccStatus status =
      qccContextStart(context, arguments, 2, results, 1, NULL, NULL, &started);
  return status ? status : qccRunWait(started);
}
static qccStatus describe(void) {
  const char *key, *value;
  return qccModuleGetMetadata(module, 77, &key, &value);
}
static qccStatus createPool(void) { return qccThreadPoolCreate(3, &pool); }
static qccStatus createToken(void) { return qccCancelTokenCreate(&token); }

/// A call, what it returns where there is memory, and what it needs.
typedef struct Call {
  const char *name;
  qccStatus (*call)(void);
  qccStatusCode expected;
  bool needsModule, needsContext;
} Call;

static const Call calls[] = {
    {"load a file", loadFile, QCC_STATUS_OK, false, false},
    {"load memory", loadMemory, QCC_STATUS_OK, false, false},
    {"load weights", loadWeights, QCC_STATUS_OK, false, false},
    {"load to an allocator", loadToAllocator, QCC_STATUS_OK, false, false},
    {"load what is signed", loadSigned, QCC_STATUS_OK, false, false},
    {"load nothing", loadNothing, QCC_STATUS_NOT_FOUND, false, false},
    {"inspect", inspect, QCC_STATUS_INVALID_ARGUMENT, true, false},
    {"create a context", createContext, QCC_STATUS_OK, true, false},
    {"plan", plan, QCC_STATUS_OK, true, true},
    {"run", run, QCC_STATUS_OK, true, true},
    {"run on too little", runOnTooLittle, QCC_STATUS_INVALID_ARGUMENT, true,
     true},
    {"allocate results", allocateResults, QCC_STATUS_OK, true, true},
    {"call", callEntry, QCC_STATUS_OK, true, true},
    {"call for versioned results", callVersioned, QCC_STATUS_OK, true, true},
    {"start a run", startRun, QCC_STATUS_OK, true, true},
    {"describe", describe, QCC_STATUS_INVALID_ARGUMENT, true, false},
    {"create a pool", createPool, QCC_STATUS_OK, false, false},
    {"create a token", createToken, QCC_STATUS_OK, false, false},
};

static void destroyAll(void) {
  if (owned)
    owned->deleter(owned);
  if (versioned)
    versioned->deleter(versioned);
  qccRunDestroy(started);
  qccContextDestroy(context);
  qccModuleDestroy(module);
  qccThreadPoolDestroy(pool);
  qccCancelTokenDestroy(token);
  owned = NULL;
  versioned = NULL;
  started = NULL;
  context = NULL;
  module = NULL;
  pool = NULL;
  token = NULL;
}

/// One call whose request `request` fails; false where it made fewer.
static bool callWithFailure(const Call *call, long request, bool andAllAfter) {
  if (call->needsModule)
    CHECK_OK(loadFile());
  if (call->needsContext)
    CHECK_OK(createContext());
  failHeap(request, andAllAfter);
  qccStatus status = call->call();
  bool wasReached = numRequests > request;
  mendHeap();
  qccStatusCode code = qccStatusGetCode(status);
  // Some requests can do without: messages and caches.
  if (code != call->expected &&
      !(wasReached && code == QCC_STATUS_OUT_OF_MEMORY)) {
    fprintf(stderr, "%s, request %ld:\n", call->name, request);
    CHECK_OK(status);
  } else {
    CHECK(qccStatusGetMessage(status) != NULL);
    qccStatusDestroy(status);
  }
  // Nothing is held, and nothing is half done.
  if (call->needsContext)
    CHECK_OK(run());
  destroyAll();
  return wasReached;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  path = argv[1];
  lenderPath = argv[2];
  borrowerPath = argv[3];
  signedPath = argc > 4 ? argv[4] : NULL; // Null without libsodium.
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  numBytes = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
  if (file)
    fclose(file);
  xs = makeTensor(x, kDLFloat, 32, 2, shape);
  biases = makeTensor(bias, kDLFloat, 32, 1, biasShape);
  ys = makeTensor(y, kDLFloat, 32, 2, shape);

  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); ++i)
    for (int after = 0; after < 2; ++after) {
      long points = 0, before = 0;
      // What is made once in a process is made in the first walk.
      for (int walk = 0; walk < 2; ++walk) {
        before = numBlocks;
        for (points = 0; callWithFailure(&calls[i], points, after);)
          ++points;
      }
      long lost = numBlocks - before;
      printf("%s%s: %ld requests, %ld blocks lost\n", calls[i].name,
             after ? ", all after one" : "", points, lost);
      CHECK(points > 0);
      CHECK(lost == 0);
    }
  return finishTest();
}
