/*===- qcc-c/Compiler.h - Compiling programs ---------------------*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* libqcc, which needs libqcc_runtime, libMLIR and libLLVM: the text of a     *|
|* program becomes an artifact, the bytes that qccModuleLoadMemory takes and  *|
|* that a file holds for qccModuleLoadFile. Any number of threads may compile *|
|* at once; linking is done one at a time.                                    *|
|*                                                                            *|
|* What a host application should know of its process: while a compilation    *|
|* runs, crash signals are caught (see QCC_COMPILE_KEEP_SIGNALS); after one,  *|
|* the command-line options of the LLVM that libqcc uses have their defaults. *|
|* QCC_COMPILE_ISOLATED compiles in another process instead.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_C_COMPILER_H
#define QCC_C_COMPILER_H

#include "qcc-c/Runtime.h"
#include "qcc-c/Status.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qccArtifactImpl *qccArtifact;

typedef enum qccSeverity {
  QCC_SEVERITY_ERROR = 0,
  QCC_SEVERITY_WARNING = 1,
  QCC_SEVERITY_REMARK = 2,
  QCC_SEVERITY_NOTE = 3 ///< Belongs to the diagnostic before it.
} qccSeverity;

/// Something the compiler says of a program. Lives during the call only.
typedef struct qccDiagnostic {
  size_t size;
  qccSeverity severity;
  const char *file; ///< "" where it is not known.
  int32_t line;     ///< From 1; 0 where it is not known.
  int32_t column;
  const char *message;
} qccDiagnostic;

/// Called by the thread that compiles, in the order of the program, before the
/// compilation returns. Must not throw.
typedef struct qccDiagnosticHook {
  size_t size;
  void *context;
  void (*handle)(void *context, const qccDiagnostic *diagnostic);
} qccDiagnosticHook;

static inline qccDiagnosticHook qccDiagnosticHookInit(void) {
  qccDiagnosticHook hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/// A crash of the compiler becomes QCC_STATUS_INTERNAL. For that it handles
/// SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV and SIGTRAP while it runs, and
/// forwards those of other threads to the handlers it found. With this flag it
/// touches no handler, and a crash ends the process.
#define QCC_COMPILE_KEEP_SIGNALS 1u

/// The artifact has an explanation. The target must be one
/// CPU or chip.
#define QCC_COMPILE_EXPLAIN 2u

/// The compiler runs in a process of its own, which this call starts and ends.
/// Whatever happens there is a status here, and nothing is lost:
///   a crash                               QCC_STATUS_INTERNAL
///   no memory there, or too much of it    QCC_STATUS_OUT_OF_MEMORY
///   a hang beyond the time limit          QCC_STATUS_TIMED_OUT
///   a signal from somebody else           QCC_STATUS_KILLED
///   no such program, or it cannot start   QCC_STATUS_NOT_FOUND, ..._IO_ERROR
/// Handlers of this process stay as they are, and so does its floating-point
/// environment. Hooks are called by the calling thread. Costs some 60 ms.
#define QCC_COMPILE_ISOLATED 4u

/// The kernels for NVIDIA chips are in the artifact as machine code as well. A
/// GPU of a chip's generation loads it, and all others compile the PTX beside
/// it. The target must have a chip (QCC_STATUS_INVALID_ARGUMENT), and ptxas of
/// the CUDA toolkit has to be in PATH or in /usr/local/cuda/bin
/// (QCC_STATUS_UNSUPPORTED).
#define QCC_COMPILE_CUBIN 8u

/*===----------------------------------------------------------------------===*\
|* Weights from memory
\*===----------------------------------------------------------------------===*/

/// A weight in memory, under the name that the program has for it.
typedef struct qccWeightTensor {
  size_t size;
  const char *name;
  /// In host memory, compact row-major. The compiler reads it where it lies: it
  /// has to stay as it is until the compilation returns.
  const DLTensor *tensor;
} qccWeightTensor;

static inline qccWeightTensor qccWeightTensorInit(void) {
  qccWeightTensor weight;
  memset(&weight, 0, sizeof(weight));
  weight.size = sizeof(weight);
  return weight;
}

/// A size for a dimension that an ONNX model has a name for, such as "batch".
typedef struct qccNamedSize {
  size_t size;
  const char *name;
  int64_t value;
} qccNamedSize;

/// All sizes of an input of an ONNX model.
typedef struct qccNamedShape {
  size_t size;
  const char *name;
  int32_t rank;
  const int64_t *dims; ///< `rank` sizes.
} qccNamedShape;

/// A weight that the compiler asks for. Lives during the call only.
typedef struct qccWeightRequest {
  size_t size;
  const char *name;
  DLDataType dtype; ///< As it is stored: that of a quantized type is 8 bits.
  int32_t rank;
  const int64_t *dims; ///< `rank` sizes.
  size_t numBytes;
} qccWeightRequest;

/// The bytes of a weight, `numBytes` of them, compact row-major and little
/// endian. Filled in by the hook.
typedef struct qccWeightBytes {
  size_t size;
  const void *data;
  size_t numBytes;
  /// Called once, with `context`, when the bytes are not read any more, which
  /// is before the compilation returns. May be null. Must not throw.
  void (*giveBack)(void *context);
  void *context;
} qccWeightBytes;

/// Called by a thread of the compiler, one call at a time, once for each name
/// in the program. A status other than null ends the compilation with
/// QCC_STATUS_INVALID_PROGRAM and the message of the status among its errors;
/// the compiler destroys the status. Must not throw.
typedef struct qccWeightHook {
  size_t size;
  void *context;
  qccStatus (*find)(void *context, const qccWeightRequest *request,
                    qccWeightBytes *bytes);
} qccWeightHook;

static inline qccWeightHook qccWeightHookInit(void) {
  qccWeightHook hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/*===----------------------------------------------------------------------===*\
|* Compiling
\*===----------------------------------------------------------------------===*/

typedef struct qccCompileOptions {
  size_t size;
  /// The CPU or NVIDIA chip, or several of them, each a variant of the
  /// artifact: "x86-64-v3,cascadelake,sm_80". Names are LLVM's; "native" and
  /// null are the CPU of this host.
  const char *target;
  /// Where constants written dense_resource<name> come from: a .npz or
  /// .safetensors file, or "random:SEED". Null: the program has all of them.
  const char *weights;
  /// What diagnostics call a program in memory; null: "<memory>".
  const char *name;
  /// Version 1.1 had the hook of diagnostics here, by value, and is still
  /// understood. Leave this zero.
  void *diagnosticsOfVersion11[2];
  uint32_t flags; ///< QCC_COMPILE_...
  /// A file of `qcc tune`, whose configs come before those of the cost model.
  /// What it does not have is a remark, what is damaged a warning; only a file
  /// that cannot be read is an error. Null: none.
  const char *tuning;
  /// Other places that weights can come from, of which, with `weights`, one is
  /// given. The tensors are found by name; those that the program does not ask
  /// for are not looked at.
  const qccWeightTensor *weightTensors;
  size_t numWeightTensors;
  const qccWeightHook *weightHook;
  /// Ends the compilation with QCC_STATUS_CANCELLED when any thread cancels it.
  /// Only has to live during the call. Null: none.
  qccCancelToken cancel;
  /// The compilation ends with QCC_STATUS_TIMED_OUT once it takes longer; 0:
  /// never.
  int64_t timeoutNanoseconds;
  /// The compilation ends with QCC_STATUS_OUT_OF_MEMORY once the process has
  /// grown by more bytes since it started, counting memory that is not of
  /// files. What other threads allocate meanwhile counts as well. 0: no limit.
  ///
  /// All three are looked at between passes, functions and weights, so that
  /// some time may go by and some memory be taken before they take effect.
  /// With QCC_COMPILE_ISOLATED they hold everywhere: the process is killed
  /// within .1 s, and its system refuses memory beyond the limit and 128 MiB.
  int64_t memoryLimitBytes;
  /// Dimensions of an ONNX model that the program is compiled for one size of;
  /// it takes every size of the others.
  const qccNamedSize *dims;
  size_t numDims;
  const qccDiagnosticHook *diagnostics; ///< Null: nobody is told.
  /// Inputs of an ONNX or TFLite model that the program is compiled for one
  /// shape of.
  const qccNamedShape *shapes;
  size_t numShapes;
  /// Inputs of an ONNX model that are constants, and no arguments of the
  /// program. A tensor of rank 0 gives all elements, and may be of int64 or
  /// float64 whatever the type of the input is.
  const qccWeightTensor *constants;
  size_t numConstants;
  /// For QCC_COMPILE_ISOLATED: the path of the program qcc-isolated-compiler.
  /// Null: it is looked for beside libqcc, and in the folder of programs of
  /// that installation.
  const char *isolatedCompiler;
  /// How many threads generate code; 0: one for each CPU that the process may
  /// use. The artifact does not depend on the number.
  int32_t threads;
  /// How a TFLite model rounds products of stored integers: "reference", or
  /// "xnnpack" (docs/Numerics.md); null: "reference". Other programs have none.
  const char *tfliteRounding;
} qccCompileOptions;

static inline qccCompileOptions qccCompileOptionsInit(void) {
  qccCompileOptions options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  return options;
}

/// Compiles a program: MLIR text or bytecode, or an ONNX model, which only a
/// file may have data beside. `options` may be null.
///
/// QCC_STATUS_INVALID_PROGRAM: it is rejected; the message has all errors, a
/// line each, as "name:line:column: error: ...".
/// QCC_STATUS_CANCELLED, QCC_STATUS_TIMED_OUT, QCC_STATUS_OUT_OF_MEMORY: see
/// the options. All that the compilation had is given back.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccCompileText(const char *text, size_t length,
               const qccCompileOptions *options, qccArtifact *artifact);
QCC_EXPORTED QCC_NODISCARD qccStatus qccCompileFile(
    const char *path, const qccCompileOptions *options, qccArtifact *artifact);

/// Names of processors for qccCompileOptions::target, one for each set of
/// instructions that kernels for x86 are written for: "x86-64-v3,...". The text
/// lives as long as the library.
QCC_EXPORTED const char *qccGetProcessors(void);

/// The bytes live as long as the artifact.
QCC_EXPORTED const void *qccArtifactGetData(qccArtifact artifact);
QCC_EXPORTED size_t qccArtifactGetSize(qccArtifact artifact);

/// What each step computes, how, and why not faster: the JSON of
/// `qcc explain --json`. Lives as long as the artifact. "" without
/// QCC_COMPILE_EXPLAIN.
QCC_EXPORTED const char *qccArtifactGetExplanation(qccArtifact artifact);

/// Writes a file for qccModuleLoadFile, whole or not at all.
QCC_EXPORTED QCC_NODISCARD qccStatus qccArtifactWriteFile(qccArtifact artifact,
                                                          const char *path);
QCC_EXPORTED void qccArtifactDestroy(qccArtifact artifact);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // QCC_C_COMPILER_H
