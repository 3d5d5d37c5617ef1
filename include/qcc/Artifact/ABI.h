//===- ABI.h - Interface of generated code and runtime ---------*- C -* -*-===//
//-*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiled program is one read-only, versioned table, the *descriptor*,
// exported under the name `qcc_artifact`. Every reference inside it (a field
// named `*_ref`) is a signed byte distance from the start of the descriptor,
// 0 meaning "none": the artifact carries no relocation and no import, and its
// weights may lie more than 2 GiB away.
//
// Sizes that depend on dynamic dimensions live in the *values table* of an
// execution context, an array of int64 per entry:
//
//   values[0 .. n_symbols)   the dynamic dimensions of the arguments, in the
//                            order in which they appear (set by the caller)
//   values[n_symbols .. n)   everything the plan function derives from them:
//                            result dimensions, dimensions and arena offsets
//                            of temporaries, amounts of work
//
// A *size* field holds either a literal (>= 0) or the index i of a value as
// -1 - i. This header is plain C and includes nothing of qcc or LLVM.
//
// Versions: a runtime loads artifacts of its version and of its minor version
// or an older one. A minor version appends fields to records, which are the
// structures that tables consist of, to the descriptor and to the frame, and
// changes nothing that was there. Each artifact says how large its records are
// (qcc_record_sizes); to a runtime that knows more fields, those that are
// missing are zero, which means what they meant before there were any. What
// cannot be said so is a new version. test/CAPI/Artifacts has an artifact of
// each minor version, which is run for ever.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_ARTIFACT_ABI_H
#define QCC_ARTIFACT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QCC_ABI_MAGIC "QCCARTF" /* 8 bytes with its terminator */
#define QCC_ABI_VERSION 4u
#define QCC_ABI_MINOR_VERSION 7u
#define QCC_ARTIFACT_SYMBOL "qcc_artifact"

/// The limits of the runtime. Compilers refuse programs that exceed them; an
/// artifact that exceeds them is damaged.
#define QCC_MAX_RANK 64
#define QCC_MAX_STRING 65535      /* bytes, without the end */
#define QCC_MAX_COUNT (1 << 20)   /* in one table */
#define QCC_MAX_OBJECTS (1 << 22) /* in all tables */

/// Pointers that kernels of a device get are multiples of this many bytes.
#define QCC_DEVICE_ALIGNMENT 16

/// Element types: the type codes of DLPack, with a width in bits.
enum qcc_type_code {
  QCC_INT = 0,
  QCC_UINT = 1,
  QCC_FLOAT = 2,
  QCC_BFLOAT = 4,
  QCC_BOOL = 6
};

/// Where a tensor of a step lives; `index` of qcc_operand_desc is given here.
enum qcc_operand_kind {
  QCC_ARGUMENT = 0, ///< index: position among the arguments
  QCC_RESULT = 1,   ///< index: position among the results
  QCC_ARENA = 2,    ///< index: a size, the byte offset in the arena
  QCC_WEIGHTS = 3   ///< index: byte offset in the weights blob
};

enum qcc_quant_kind {
  QCC_QUANT_PER_TENSOR = 0, ///< one scale and zero point
  QCC_QUANT_PER_CHANNEL = 1 ///< one of each along `axis`
};

/// real = scale * (stored - zero_point)   (N1)
typedef struct qcc_quant_desc {
  int32_t kind;
  int32_t axis;
  int64_t count;           ///< number of scales and of zero points
  int64_t scales_ref;      ///< float[count]
  int64_t zero_points_ref; ///< int32_t[count]
} qcc_quant_desc;

/// An argument or a result, compact row-major.
typedef struct qcc_tensor_desc {
  int64_t name_ref; ///< C string or 0
  uint8_t type_code;
  uint8_t bits;
  uint16_t rank;
  uint32_t reserved;
  int64_t dims_ref;  ///< int64_t[rank] of sizes
  int64_t quant_ref; ///< qcc_quant_desc or 0
  // Since 4.1.
  int64_t dim_names_ref; ///< int64_t[rank] refs of C strings or 0; or 0
} qcc_tensor_desc;

/// A tensor that a step reads or writes.
typedef struct qcc_operand_desc {
  int32_t kind; ///< qcc_operand_kind
  uint8_t type_code;
  uint8_t bits;
  uint16_t rank;
  int64_t index;
  int64_t dims_ref;   ///< int64_t[rank] of sizes
  int64_t order_ref;  ///< of an output whose dimensions lie in another order:
                      ///< int64_t[rank], which of them is the first in memory,
                      ///< the second, and so on; or 0
  int64_t row_pitch;  ///< in the arena: elements from one row of the last
                      ///< dimension in memory, a literal, to the next; 0:
                      ///< compact
  int64_t byte_shift; ///< of an output of bytes: what was added to each of
                      ///< them, modulo 256, when it was stored
  int64_t quant_ref;  ///< qcc_quant_desc or 0
  int64_t layer_ref;  ///< of an output: the layer whose value it is, or 0
  // Since 4.6.
  int64_t name_ref; ///< of an output: the name of its value in the model, or 0
  int64_t border_ref; ///< of an output whose value has a border around it:
                      ///< int64_t[2 * rank], how many elements of the border
                      ///< are before the value in each dimension, then how
                      ///< many behind it; or 0
} qcc_operand_desc;

struct qcc_frame;

/// The functions that generated code may call. Every frame refers to this
/// table.
typedef struct qcc_runtime_table {
  uint32_t version;
  uint32_t reserved;
  /// Records a failure of the running step; the run returns it as a status.
  void (*fail)(const struct qcc_frame *frame, const char *message);
} qcc_runtime_table;

/// The arguments of a step function.
typedef struct qcc_frame {
  void *const *tensors;   ///< arguments, then results
  const int64_t *values;  ///< the values table
  char *arena;            ///< temporaries, 64-byte aligned
  const char *weights;    ///< the weights blob, 64-byte aligned
  char *scratch;          ///< per-thread scratch, 64-byte aligned
  int64_t scratch_stride; ///< thread t owns [scratch + t*stride, + stride)
  const qcc_runtime_table *runtime;
  void *context; ///< the runtime's own
} qcc_frame;

/// One step, called once by each of `threads` threads with `thread` counting
/// from 0. The threads share no state but the tensors; a step is over when all
/// have returned.
typedef void (*qcc_step_fn)(const qcc_frame *frame, int32_t thread,
                            int32_t threads);

/// Fills values[n_symbols .. n_values) from values[0 .. n_symbols). Returns the
/// size of the arena in bytes, or -1 - i where the dimensions contradict
/// requirement i of the entry (see requirements_ref).
typedef int64_t (*qcc_plan_fn)(int64_t *values);

enum qcc_step_kind {
  QCC_STEP_HOST = 0,  ///< function_ref runs the step
  QCC_STEP_LAUNCH = 1 ///< launch_ref says which kernel of the variant does
};

enum qcc_parameter_kind {
  QCC_PARAMETER_INPUT = 0,  ///< a pointer to an input of the step
  QCC_PARAMETER_OUTPUT = 1, ///< a pointer to an output of the step
  QCC_PARAMETER_SIZE = 2,   ///< a number
  // Since 4.4.
  QCC_PARAMETER_TENSOR_MAP = 3 ///< 128 bytes that the device's driver makes
};

/// Since 4.1: a parameter of a kernel, of 64 bits, or a tensor map.
typedef struct qcc_parameter_desc {
  int32_t kind; ///< qcc_parameter_kind
  int32_t reserved;
  int64_t value; ///< position among the inputs or outputs; or a size; or the
                 ///< ref of a qcc_tensor_map_desc
} qcc_parameter_desc;

#define QCC_MAX_TENSOR_MAP_RANK 5

/// Since 4.4: how kernels see the bytes of an operand that they copy in boxes,
/// the innermost dimension first. Bytes outside of the dimensions are 0 in a
/// box.
typedef struct qcc_tensor_map_desc {
  int32_t operand_kind; ///< QCC_PARAMETER_INPUT or QCC_PARAMETER_OUTPUT
  int32_t operand;      ///< position among the inputs or outputs
  int32_t rank;         ///< from 1 to QCC_MAX_TENSOR_MAP_RANK
  int32_t swizzle;      ///< bytes of a line in shared memory within which
                        ///< chunks of 16 change places: 0, 32, 64 or 128
  int64_t offset;       ///< bytes from the operand to the first one of the map
  int64_t dims[QCC_MAX_TENSOR_MAP_RANK];        ///< sizes
  int64_t strides[QCC_MAX_TENSOR_MAP_RANK - 1]; ///< bytes from one element to
                                                ///< the next, of dimension 1
                                                ///< and further ones
  int32_t box[QCC_MAX_TENSOR_MAP_RANK];         ///< elements, up to 256
  int32_t reserved;                             ///< 0
} qcc_tensor_map_desc;

/// Since 4.1: how a device runs a step.
typedef struct qcc_launch_desc {
  int64_t kernel_ref;   ///< C string: a kernel of the variant
  int64_t grid;         ///< a size: how many blocks; 0: the step does nothing
  int64_t block;        ///< a size: how many threads a block has
  int64_t shared_bytes; ///< a size: shared memory of a block, beside what the
                        ///< kernel declares
  int64_t n_parameters;
  int64_t parameters_ref; ///< qcc_parameter_desc[n_parameters]
} qcc_launch_desc;

typedef struct qcc_step_desc {
  int32_t kind;          ///< qcc_step_kind: launches in variants for devices,
                         ///< functions in those for processors
  int32_t parallel;      ///< 0: thread 0 does all the work
  int64_t name_ref;      ///< the kernel's name, such as "main.step0.contract"
  int64_t layer_ref;     ///< the layer's name in the model, or 0
  int64_t location_ref;  ///< "file:line:column" or 0
  int64_t function_ref;  ///< qcc_step_fn; 0 where a device runs the step
  int64_t operations;    ///< a size: arithmetic operations (a MAC counts two)
  int64_t bytes;         ///< a size: bytes read and written
  int64_t scratch_bytes; ///< per thread
  int32_t n_inputs;
  int32_t n_outputs;
  int64_t inputs_ref;  ///< qcc_operand_desc[n_inputs]
  int64_t outputs_ref; ///< qcc_operand_desc[n_outputs]
  // Since 4.1.
  int64_t launch_ref; ///< qcc_launch_desc; 0 where the host runs the step
  // Since 4.3.
  int32_t programmatic; ///< 1: the kernel may start while those before it on
                        ///< the stream end, for which it waits itself
  int32_t reserved;     ///< 0
} qcc_step_desc;

typedef struct qcc_entry_desc {
  int64_t name_ref;
  int32_t n_arguments;
  int32_t n_results;
  int64_t arguments_ref; ///< qcc_tensor_desc[n_arguments]
  int64_t results_ref;   ///< qcc_tensor_desc[n_results]
  int64_t in_place_ref;  ///< int32_t[n_results]: argument that it may share
                         ///< memory with, or -1; 0 if no result may
  int32_t n_symbols;
  int32_t n_values;
  int32_t n_requirements;
  int32_t n_steps;
  int64_t requirements_ref; ///< int64_t[n]: refs of C strings, why a call with
                            ///< such dimensions is refused
  int64_t plan_ref;         ///< qcc_plan_fn
  int64_t steps_ref;        ///< qcc_step_desc[n_steps]
} qcc_entry_desc;

enum qcc_device_kind {
  QCC_DEVICE_CPU = 0, ///< the host
  QCC_DEVICE_CUDA = 1 ///< an NVIDIA GPU; the host runs plan functions alone
};

typedef struct qcc_variant_desc {
  int32_t device; ///< qcc_device_kind
  int32_t n_entries;
  int64_t target_ref;   ///< what it was compiled for, such as "cascadelake"
  int64_t features_ref; ///< required CPU features, "avx2,fma,f16c", LLVM's
                        ///< names; of a GPU the architecture, "sm_80", which
                        ///< it or a later one must have
  int64_t entries_ref;  ///< qcc_entry_desc[n_entries]
  int64_t weights_ref;  ///< 64-byte aligned blob
  int64_t weights_size;
  // Since 4.1.
  int64_t kernels_ref;  ///< the code of all kernels, PTX text with a 0 at its
                        ///< end; 0 for a processor
  int64_t kernels_size; ///< bytes of it, without the 0
  // Since 4.2.
  int64_t binary_ref;  ///< the same kernels as machine code (a cubin of ptxas)
                       ///< for the architecture of features_ref; or 0
  int64_t binary_size; ///< bytes of it
} qcc_variant_desc;

/// Since 4.1: a pair of texts that the program came with.
typedef struct qcc_metadata_desc {
  int64_t key_ref;   ///< C string
  int64_t value_ref; ///< C string
} qcc_metadata_desc;

/// Since 4.5: a run whose results are known. Element i of input k is a function
/// of `seed`, k and i (qcc/Support/Random.h): floats are in [-1, 1), integers
/// take their whole range, or, where the limit says so, [0, integer_limit).
typedef struct qcc_self_test_desc {
  int64_t entry;         ///< position among the entries of each variant
  int64_t sizes_ref;     ///< int64_t[n_symbols] of the entry
  uint64_t seed;         ///< of the inputs
  int64_t integer_limit; ///< of integers of 32 bits and more; 0: none
  uint64_t digest;       ///< XXH64 of the types, shapes and elements of the
                         ///< results, in which all NaNs are equal
  int32_t is_known;      ///< 0: the compiler ran nothing
  int32_t reserved;      ///< 0
} qcc_self_test_desc;

/// Since 4.1: the size in bytes of each record of the artifact, a multiple of
/// 8.
typedef struct qcc_record_sizes {
  uint32_t quant;
  uint32_t tensor;
  uint32_t operand;
  uint32_t step;
  uint32_t entry;
  uint32_t variant;
} qcc_record_sizes;

/// The sizes of records of version 4.0, whose artifacts have no table of them,
/// and the sizes of the records in this header.
#define QCC_RECORD_SIZES_OF_4_0 {32, 32, 64, 88, 80, 48}
#define QCC_RECORD_SIZES                                                       \
  {sizeof(qcc_quant_desc), sizeof(qcc_tensor_desc), sizeof(qcc_operand_desc),  \
   sizeof(qcc_step_desc),  sizeof(qcc_entry_desc),  sizeof(qcc_variant_desc)}

typedef struct qcc_descriptor {
  char magic[8];
  uint32_t version;
  uint32_t n_variants;
  int64_t size;         ///< of this structure
  int64_t producer_ref; ///< "qcc 0.1.0"
  int64_t variants_ref; ///< qcc_variant_desc[n_variants]
  // Since 4.1.
  uint32_t minor_version;
  uint32_t n_metadata;
  int64_t metadata_ref;     ///< qcc_metadata_desc[n_metadata]
  int64_t record_sizes_ref; ///< qcc_record_sizes
  int64_t weight_keys_ref;  ///< uint64_t[n_variants], XXH64 of the weights of
                            ///< each; or 0
  // Since 4.5.
  int64_t n_self_tests;
  int64_t self_tests_ref; ///< qcc_self_test_desc[n_self_tests]
  // Since 4.7, for runtimes that check weights when a program first runs.
  int64_t code_size;  ///< bytes of the file before the segment of the weights,
                      ///< the last one; 0: they have none of their own
  uint64_t code_hash; ///< XXH64 of these bytes, in which this hash and that of
                      ///< the note (ArtifactNote.h) count as zero
} qcc_descriptor;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // QCC_ARTIFACT_ABI_H
