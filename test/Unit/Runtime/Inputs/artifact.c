/*===- artifact.c - A shared object with a descriptor
----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* y = 2 * x on i32 of one dynamic dimension. C cannot write distances as     *|
|* constants, so a constructor fills them in.                                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "note.h"
#include "qcc/Artifact/ABI.h"

static void twice(const qcc_frame *frame, int32_t thread, int32_t threads) {
  const int32_t *x = (const int32_t *)frame->tensors[0];
  int32_t *y = (int32_t *)frame->tensors[1];
  for (int64_t i = thread; i < frame->values[0]; i += threads)
    y[i] = 2 * x[i];
}

static int64_t plan(int64_t *values) {
  (void)values;
  return 0;
}

static const char producer[] = "by hand";
static const char target[] = "x86-64";
static const char features[] = "sse2";
static const char entryName[] = "main";
static const char stepName[] = "main.twice";
static const int64_t dims[1] = {-1};
static const char weights[3 * 4096] __attribute__((aligned(64))) = {
    [0 ... 4999] = 1, [5000] = 2, [5001 ... 12287] = 3};
static qcc_tensor_desc tensors[2];
static qcc_step_desc step;
static qcc_entry_desc entry;
static qcc_variant_desc variant;

static const qcc_record_sizes recordSizes = QCC_RECORD_SIZES;

__attribute__((visibility("default"))) qcc_descriptor qcc_artifact = {
    QCC_ABI_MAGIC, QCC_ABI_VERSION, 1, sizeof(qcc_descriptor), 0, 0,
    QCC_ABI_MINOR_VERSION, 0, 0, 0, 0};

static int64_t ref(const void *target) {
  return (int64_t)((uintptr_t)target - (uintptr_t)&qcc_artifact);
}

__attribute__((constructor)) static void fill(void) {
  for (int i = 0; i < 2; ++i) {
    tensors[i].type_code = QCC_INT;
    tensors[i].bits = 32;
    tensors[i].rank = 1;
    tensors[i].dims_ref = ref(dims);
  }
  step.parallel = 1;
  step.name_ref = ref(stepName);
  step.function_ref = ref((const void *)(uintptr_t)twice);
  entry.name_ref = ref(entryName);
  entry.n_arguments = entry.n_results = 1;
  entry.arguments_ref = ref(&tensors[0]);
  entry.results_ref = ref(&tensors[1]);
  entry.n_symbols = entry.n_values = 1;
  entry.plan_ref = ref((const void *)(uintptr_t)plan);
  entry.n_steps = 1;
  entry.steps_ref = ref(&step);
  variant.n_entries = 1;
  variant.target_ref = ref(target);
  variant.features_ref = ref(features);
  variant.entries_ref = ref(&entry);
  variant.weights_ref = ref(weights);
  variant.weights_size = sizeof(weights);
  qcc_artifact.record_sizes_ref = ref(&recordSizes);
  qcc_artifact.producer_ref = ref(producer);
  qcc_artifact.variants_ref = ref(&variant);
}
