/*===- program.c - An artifact made by hand
--------------------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* So that the C API is tested without a compiler:                            *|
|*                                                                            *|
|*   main(x: ?x4xf32, bias: 4xf32) -> ?x4xf32   2 * x + bias in two steps,    *|
|*                                              at most 1000 rows             *|
|*   increment(x: ?xi32) -> ?xi32               x + 1, in place if wanted     *|
|*   refuse(x: ?xi32) -> ?xi32                  its step reports a failure    *|
|*   quantized(x: 2x3xu8) -> 2x3xi8             x - 128 as i8; quantized      *|
|*   nothing() -> ()                            no arguments, no results      *|
|*                                                                            *|
|* C cannot write distances as constants, so a constructor fills them in. The *|
|* build makes a second program, which increments by two, and others with     *|
|* weights, the last byte of which they increment by.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "../../Unit/Runtime/Inputs/note.h"
#include "qcc/Artifact/ABI.h"

#ifndef QCC_TEST_INCREMENT
#define QCC_TEST_INCREMENT 1
#endif
#ifndef QCC_TEST_PRODUCER
#define QCC_TEST_PRODUCER "by hand"
#endif

enum { columns = 4, maxRows = 1000, numEntries = 5 };

/*===----------------------------------------------------------------------===*\
|* Code
\*===----------------------------------------------------------------------===*/

/* The share of a thread of `count` things. */
static int64_t begin(int64_t count, int32_t thread, int32_t threads) {
  return count * thread / threads;
}

static void twice(const qcc_frame *frame, int32_t thread, int32_t threads) {
  const float *x = (const float *)frame->tensors[0];
  float *t = (float *)(void *)frame->arena;
  int64_t end = begin(frame->values[0], thread + 1, threads) * columns;
  for (int64_t i = begin(frame->values[0], thread, threads) * columns; i < end;
       ++i)
    t[i] = 2 * x[i];
}

static void add(const qcc_frame *frame, int32_t thread, int32_t threads) {
  const float *t = (const float *)(const void *)frame->arena;
  const float *bias = (const float *)frame->tensors[1];
  float *y = (float *)frame->tensors[2];
  int64_t end = begin(frame->values[0], thread + 1, threads) * columns;
  for (int64_t i = begin(frame->values[0], thread, threads) * columns; i < end;
       ++i)
    y[i] = t[i] + bias[i % columns];
}

static int64_t planMain(int64_t *values) {
  if (values[0] > maxRows)
    return -1;
  values[1] = values[0] * columns;
  return values[0] * columns * (int64_t)sizeof(float);
}

#ifdef QCC_TEST_WEIGHTS
/* Says for all programs that their weights are equal, which need not be true.
 */
static const uint64_t weightKeys[2] = {1, 1};
__attribute__((aligned(64))) static const char weights[QCC_TEST_WEIGHTS] = {
    [QCC_TEST_WEIGHTS - 1] = QCC_TEST_INCREMENT};
#define summand frame->weights[QCC_TEST_WEIGHTS - 1]
#else
/* In memory, so that all programs have the same code. */
static const volatile int32_t summand = QCC_TEST_INCREMENT;
#endif

static void increment(const qcc_frame *frame, int32_t thread, int32_t threads) {
  const int32_t *x = (const int32_t *)frame->tensors[0];
  int32_t *y = (int32_t *)frame->tensors[1];
  for (int64_t i = thread; i < frame->values[0]; i += threads)
    y[i] = x[i] + summand;
}

static void refuse(const qcc_frame *frame, int32_t thread, int32_t threads) {
  (void)thread;
  (void)threads;
  frame->runtime->fail(frame, "the table of steps is only a test");
}

static void requantize(const qcc_frame *frame, int32_t thread,
                       int32_t threads) {
  const uint8_t *x = (const uint8_t *)frame->tensors[0];
  int8_t *y = (int8_t *)frame->tensors[1];
  for (int64_t i = thread; i < 6; i += threads)
    y[i] = (int8_t)(x[i] - 128);
}

static int64_t planNothing(int64_t *values) {
  (void)values;
  return 0;
}

/*===----------------------------------------------------------------------===*\
|* Tables
\*===----------------------------------------------------------------------===*/

static const int64_t rowsDims[2] = {-1, columns}, biasDims[1] = {columns},
                     vectorDims[1] = {-1}, fixedDims[2] = {2, 3};
static const float scales[4] = {0.5f, 1.0f, 2.0f, 4.0f};
static const int32_t zeroPoints[4] = {128, 0, 0, 0};
static const int32_t inPlace[1] = {0};
static qcc_quant_desc quants[2];
static qcc_tensor_desc mainTensors[3], vectors[2], quantizedTensors[2];
static int64_t requirements[1], dimNames[2];
static qcc_metadata_desc metadata[2];
static qcc_step_desc steps[5];
static qcc_entry_desc entries[numEntries];
static qcc_variant_desc variants[2];

static const qcc_record_sizes recordSizes = QCC_RECORD_SIZES;

__attribute__((visibility("default"))) qcc_descriptor qcc_artifact = {
    QCC_ABI_MAGIC, QCC_ABI_VERSION, 2, sizeof(qcc_descriptor), 0, 0,
    QCC_ABI_MINOR_VERSION, 2, 0, 0, 0};

static int64_t ref(const void *target) {
  return (int64_t)((uintptr_t)target - (uintptr_t)&qcc_artifact);
}

static void setTensor(qcc_tensor_desc *tensor, uint8_t code, uint8_t bits,
                      uint16_t rank, const int64_t *dims) {
  tensor->type_code = code;
  tensor->bits = bits;
  tensor->rank = rank;
  tensor->dims_ref = ref(dims);
}

static void setStep(qcc_step_desc *step, const char *name,
                    qcc_step_fn function) {
  step->parallel = 1;
  step->name_ref = ref(name);
  step->function_ref = ref((const void *)(uintptr_t)function);
}

static void setEntry(qcc_entry_desc *entry, const char *name,
                     qcc_tensor_desc *tensors, int32_t arguments,
                     int32_t results, qcc_step_desc *firstStep,
                     int32_t numSteps, qcc_plan_fn plan) {
  entry->name_ref = ref(name);
  entry->n_arguments = arguments;
  entry->n_results = results;
  entry->arguments_ref = ref(tensors);
  entry->results_ref = ref(tensors + arguments);
  entry->n_steps = numSteps;
  entry->steps_ref = ref(firstStep);
  entry->plan_ref = ref((const void *)(uintptr_t)plan);
}

__attribute__((constructor)) static void fill(void) {
  setTensor(&mainTensors[0], QCC_FLOAT, 32, 2, rowsDims);
  setTensor(&mainTensors[1], QCC_FLOAT, 32, 1, biasDims);
  setTensor(&mainTensors[2], QCC_FLOAT, 32, 2, rowsDims);
  mainTensors[0].name_ref = ref("x");
  mainTensors[1].name_ref = ref("bias");
  dimNames[0] = ref("batch");
  mainTensors[0].dim_names_ref = ref(dimNames);
  for (int i = 0; i < 2; ++i)
    setTensor(&vectors[i], QCC_INT, 32, 1, vectorDims);

  setTensor(&quantizedTensors[0], QCC_UINT, 8, 2, fixedDims);
  setTensor(&quantizedTensors[1], QCC_INT, 8, 2, fixedDims);
  quants[0].kind = QCC_QUANT_PER_TENSOR;
  quants[0].count = 1;
  quants[1].kind = QCC_QUANT_PER_CHANNEL;
  quants[1].axis = 1;
  quants[1].count = 3;
  for (int i = 0; i < 2; ++i) {
    quants[i].scales_ref = ref(scales + i);
    quants[i].zero_points_ref = ref(zeroPoints + i);
    quantizedTensors[i].quant_ref = ref(&quants[i]);
  }

  setStep(&steps[0], "main.twice", twice);
  setStep(&steps[1], "main.add", add);
  steps[0].layer_ref = ref("dense1");
  steps[0].location_ref = ref("model.mlir:3:8");
  steps[0].operations = -2;
  steps[0].bytes = 8;
  setStep(&steps[2], "increment.step0", increment);
  setStep(&steps[3], "refuse.step0", refuse);
  setStep(&steps[4], "quantized.step0", requantize);

  setEntry(&entries[0], "main", mainTensors, 2, 1, &steps[0], 2, planMain);
  setEntry(&entries[1], "increment", vectors, 1, 1, &steps[2], 1, planNothing);
  setEntry(&entries[2], "refuse", vectors, 1, 1, &steps[3], 1, planNothing);
  setEntry(&entries[3], "quantized", quantizedTensors, 1, 1, &steps[4], 1,
           planNothing);
  setEntry(&entries[4], "nothing", vectors, 0, 0, &steps[4], 0, planNothing);
  requirements[0] = ref("at most 1000 rows fit");
  entries[0].requirements_ref = ref(requirements);
  entries[0].n_requirements = 1;
  for (int i = 0; i < 3; ++i)
    entries[i].n_symbols = entries[i].n_values = 1;
  entries[0].n_values = 2;
  entries[1].in_place_ref = ref(inPlace);

  for (int i = 0; i < 2; ++i) {
    variants[i].target_ref = ref(i ? "of-the-future" : "x86-64");
    variants[i].features_ref = ref(i ? "sse2,warp-drive" : "sse2");
    variants[i].n_entries = numEntries;
    variants[i].entries_ref = ref(entries);
#ifdef QCC_TEST_WEIGHTS
    variants[i].weights_ref = ref(weights);
    variants[i].weights_size = sizeof(weights);
#endif
  }
  qcc_artifact.record_sizes_ref = ref(&recordSizes);
  metadata[0].key_ref = ref("author");
  metadata[0].value_ref = ref("by hand");
  metadata[1].key_ref = ref("labels");
  metadata[1].value_ref = ref("cat,dog");
  qcc_artifact.metadata_ref = ref(metadata);
#ifdef QCC_TEST_WEIGHTS
  qcc_artifact.weight_keys_ref = ref(weightKeys);
#endif
  qcc_artifact.producer_ref = ref(QCC_TEST_PRODUCER);
  qcc_artifact.variants_ref = ref(variants);
}
