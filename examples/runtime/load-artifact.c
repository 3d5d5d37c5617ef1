/*===- load-artifact.c - Run an artifact from C
----------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: load-artifact MODEL.so [ROWS]                                       *|
|*                                                                            *|
|* Loads a compiled program, asks it what it takes, runs it once on made-up   *|
|* data and prints what it returns. ROWS stands for every dynamic dimension.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <qcc-c/Runtime.h>

#include <stdio.h>
#include <stdlib.h>

enum { maxArguments = 16, maxResults = 16, maxRank = 8 };

/* A failure is an object with a message, which whoever gets it destroys. */
static void check(qccStatus status) {
  if (!status)
    return;
  fprintf(stderr, "load-artifact: %s\n", qccStatusGetMessage(status));
  qccStatusDestroy(status);
  exit(1);
}

/* Memory for an argument, and the DLTensor that describes it. */
static DLTensor makeArgument(const qccTensorInfo *info, int64_t rows,
                             int64_t *shape) {
  size_t bytes = info->dtype.bits / 8;
  for (int32_t d = 0; d < info->rank; ++d) {
    shape[d] = info->dims[d] < 0 ? rows : info->dims[d];
    bytes *= (size_t)shape[d];
  }
  DLTensor tensor = {0};
  tensor.device.device_type = kDLCPU;
  tensor.dtype = info->dtype;
  tensor.ndim = info->rank;
  tensor.shape = shape;
  tensor.data = calloc(bytes + 1, 1);
  if (!tensor.data)
    exit(1);
  if (info->dtype.code == kDLFloat && info->dtype.bits == 32)
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
      ((float *)tensor.data)[i] = (float)(i % 13) / 4;
  else
    for (size_t i = 0; i < bytes; ++i)
      ((unsigned char *)tensor.data)[i] = (unsigned char)(i % 11);
  return tensor;
}

static void printTensor(size_t index, const DLTensor *tensor) {
  size_t bytes = tensor->dtype.bits / 8;
  printf("result %zu:", index);
  for (int32_t d = 0; d < tensor->ndim; ++d) {
    printf("%s%lld", d ? "x" : " ", (long long)tensor->shape[d]);
    bytes *= (size_t)tensor->shape[d];
  }
  unsigned long long hash = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ ((const unsigned char *)tensor->data)[i]) * 1099511628211u;
  printf(" of %d-bit elements, hash %016llx\n", tensor->dtype.bits, hash);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: load-artifact MODEL.so [ROWS]\n");
    return 2;
  }
  int64_t rows = argc > 2 ? atoll(argv[2]) : 8;

  /* A module is loaded once, and shared by whoever runs it. */
  qccModule module = NULL;
  check(qccModuleLoadFile(argv[1], NULL, &module));
  printf("compiled by %s\n", qccModuleGetProducer(module));

  /* Null names the only entry, or main. */
  qccEntryInfo entry = qccEntryInfoInit();
  check(qccModuleGetEntry(module, NULL, &entry));
  if (entry.numArguments > maxArguments || entry.numResults > maxResults)
    return 1;

  DLTensor tensors[maxArguments];
  DLTensor *arguments[maxArguments];
  int64_t shapes[maxArguments][maxRank];
  for (size_t i = 0; i < entry.numArguments; ++i) {
    qccTensorInfo info = qccTensorInfoInit();
    check(qccModuleGetArgument(module, NULL, i, &info));
    if (info.rank > maxRank)
      return 1;
    tensors[i] = makeArgument(&info, rows, shapes[i]);
    arguments[i] = &tensors[i];
  }

  /* A context is what one caller needs to run the entry. */
  qccContext context = NULL;
  check(qccContextCreate(module, NULL, NULL, &context));

  /* The runtime knows the shapes of the results, and can allocate them. */
  DLManagedTensor *owned[maxResults];
  DLTensor *results[maxResults];
  check(qccContextAllocateResults(context, arguments, entry.numArguments, owned,
                                  entry.numResults));
  for (size_t i = 0; i < entry.numResults; ++i)
    results[i] = &owned[i]->dl_tensor;
  check(qccContextRun(context, arguments, entry.numArguments, results,
                      entry.numResults));

  for (size_t i = 0; i < entry.numResults; ++i) {
    printTensor(i, results[i]);
    owned[i]->deleter(owned[i]);
  }
  for (size_t i = 0; i < entry.numArguments; ++i)
    free(tensors[i].data);
  qccContextDestroy(context);
  qccModuleDestroy(module);
  return 0;
}
