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
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_C_COMPILER_H
#define QCC_C_COMPILER_H

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
  void *context;
  void (*handle)(void *context, const qccDiagnostic *diagnostic);
} qccDiagnosticHook;

/// A crash of the compiler becomes QCC_STATUS_INTERNAL. For that it handles
/// SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV and SIGTRAP while it runs, and
/// forwards those of other threads to the handlers it found. With this flag it
/// touches no handler, and a crash ends the process.
#define QCC_COMPILE_KEEP_SIGNALS 1u

/// The artifact has an explanation. The target must be one
/// CPU or chip.
#define QCC_COMPILE_EXPLAIN 2u

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
  qccDiagnosticHook diagnostics;
  uint32_t flags; ///< QCC_COMPILE_...
  /// A file of `qcc tune`, whose configs come before those of the cost model.
  /// What it does not have is a remark, what is damaged a warning; only a file
  /// that cannot be read is an error. Null: none.
  const char *tuning;
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
QCC_EXPORTED QCC_NODISCARD qccStatus
qccCompileText(const char *text, size_t length,
               const qccCompileOptions *options, qccArtifact *artifact);
QCC_EXPORTED QCC_NODISCARD qccStatus qccCompileFile(
    const char *path, const qccCompileOptions *options, qccArtifact *artifact);

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
