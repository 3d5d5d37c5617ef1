/*===- qcc-c/Runtime.h - Loading and running compiled programs ---*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* libqcc_runtime, which needs neither LLVM nor the compiler:                 *|
|*                                                                            *|
|*   qccModule   a loaded artifact: immutable, shared by any number of        *|
|*               threads and contexts                                         *|
|*   qccContext  what one caller at a time needs to run an entry of it:       *|
|*               temporaries, threads, hooks                                  *|
|*                                                                            *|
|* Loading an artifact runs its code: load only what you trust.               *|
|*                                                                            *|
|* Structures that may grow start with `size`, which the caller sets to the   *|
|* structure's sizeof; zero everywhere else is the default. The functions     *|
|* qcc...Init() below do both.                                                *|
|*                                                                            *|
|* Threads: functions of modules, pools and tokens may be called by any       *|
|* number of threads at once, with the same handle; a context by one thread   *|
|* at a time, where a second gets QCC_STATUS_BUSY. A Destroy is the last call *|
|* with its handle.                                                           *|
|*                                                                            *|
|* Ownership: a Destroy gives up the caller's share alone. Contexts keep      *|
|* modules, pools and tokens that they were made with, and results keep their *|
|* memory, so handles are destroyed in any order. Structures and strings that *|
|* a caller hands over are only read during the call; what structures point   *|
|* to that the library fills in lives as long as the module.                  *|
|*                                                                            *|
|* Errors: besides those that are said at a function, each that returns a     *|
|* status may return QCC_STATUS_INVALID_ARGUMENT (null pointers, wrong        *|
|* sizes), QCC_STATUS_UNSUPPORTED (an option of a later version, a process    *|
|* forked after threads were started) and QCC_STATUS_OUT_OF_MEMORY.           *|
|*                                                                            *|
|* Hooks must not throw, and must not call the context that calls them. They  *|
|* must live as long as the contexts and results that they are given to.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_C_RUNTIME_H
#define QCC_C_RUNTIME_H

#include "qcc-c/DLPack.h"
#include "qcc-c/Status.h"

#include <stdbool.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qccModuleImpl *qccModule;
typedef struct qccContextImpl *qccContext;
typedef struct qccThreadPoolImpl *qccThreadPool;
typedef struct qccCancelTokenImpl *qccCancelToken;

/*===----------------------------------------------------------------------===*\
|* Versions
\*===----------------------------------------------------------------------===*/

/// The QCC_API_VERSION of the library, and its QCC_API_MINOR_VERSION: at least
/// that of the headers that the application was compiled with, or the dynamic
/// loader would not have started it.
QCC_EXPORTED int32_t qccGetApiVersion(void);
QCC_EXPORTED int32_t qccGetApiMinorVersion(void);

/// The release, such as "0.1.0".
QCC_EXPORTED const char *qccGetVersion(void);

/// The version of artifacts that this runtime loads.
QCC_EXPORTED int32_t qccGetArtifactVersion(void);

/*===----------------------------------------------------------------------===*\
|* Modules
\*===----------------------------------------------------------------------===*/

/// Which memory the weights are read from. Huge pages make products with few
/// rows faster, and are this process's own.
///
/// Modules of one process share equal weights, also of different artifacts, in
/// huge pages, in memory of one allocator, and in copies of artifacts in
/// memory: the bytes are there once, until the last module or context that uses
/// them is destroyed. A second copy of the runtime in the process has its own.
typedef enum qccWeightPages {
  QCC_WEIGHT_PAGES_AUTO = 0, ///< Huge from 8 MiB of weights on.
  QCC_WEIGHT_PAGES_FILE = 1, ///< The artifact's, shared between processes.
  QCC_WEIGHT_PAGES_HUGE = 2  ///< Huge ones, where the kernel gives them.
} qccWeightPages;

/// Loads a copy of the file in memory, which is checked and which nobody else
/// can change. Without it, a file that is overwritten while a module of it
/// lives changes that module: runs of it are wrong or crash. A copy also loads
/// from a file system from which nothing may be executed.
#define QCC_MODULE_PRIVATE_COPY 1u

/// See below, at the hooks.
typedef struct qccAllocator qccAllocator;

typedef struct qccModuleOptions {
  size_t size;
  /// The target of the variant to load, such as "cascadelake"; null: the best
  /// that this host runs.
  const char *variant;
  int32_t weightPages; ///< qccWeightPages
  uint64_t flags;      ///< QCC_MODULE_...
  /// Copies the weights to memory of this allocator, whatever weightPages says.
  /// It is called by whoever loads the module, and by whoever destroys the last
  /// module or context that uses the weights, until when it must live. Where it
  /// has no memory, loading fails with QCC_STATUS_OUT_OF_MEMORY. Null: none.
  const qccAllocator *weightAllocator;
} qccModuleOptions;

static inline qccModuleOptions qccModuleOptionsInit(void) {
  qccModuleOptions options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  return options;
}

/// Loads an artifact. Its bytes are checked before any of its code can run.
/// `options` may be null.
///
/// QCC_STATUS_NOT_FOUND: no such file, or no such variant.
/// QCC_STATUS_CORRUPT: it is no artifact, or damaged.
/// QCC_STATUS_UNSUPPORTED: of another version, or this host cannot run it.
/// QCC_STATUS_IO_ERROR: the system refused, for the reason in the message.
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleLoadFile(
    const char *path, const qccModuleOptions *options, qccModule *module);

/// The same from an open file, read from its beginning. The descriptor stays
/// the caller's, with the offset it has, and is no longer needed once this
/// returns.
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleLoadDescriptor(
    int32_t descriptor, const qccModuleOptions *options, qccModule *module);

/// The same from memory, which is no longer needed once this returns.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccModuleLoadMemory(const void *data, size_t size,
                    const qccModuleOptions *options, qccModule *module);

/// Contexts of the module live on.
QCC_EXPORTED void qccModuleDestroy(qccModule module);

/// What compiled it, such as "qcc 0.1.0".
QCC_EXPORTED const char *qccModuleGetProducer(qccModule module);

/// What the code of an artifact was compiled for.
typedef struct qccVariantInfo {
  size_t size;
  const char *target;   ///< Such as "cascadelake".
  const char *features; ///< The CPU features it needs: "avx2,f16c,fma".
  const char *refusal;  ///< Why this host cannot run it; "" if it can.
  bool chosen;          ///< The one that was loaded.
} qccVariantInfo;

static inline qccVariantInfo qccVariantInfoInit(void) {
  qccVariantInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

QCC_EXPORTED size_t qccModuleGetNumVariants(qccModule module);
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleGetVariant(qccModule module,
                                                         size_t index,
                                                         qccVariantInfo *info);

/// A function of the program.
typedef struct qccEntryInfo {
  size_t size;
  const char *name;
  size_t numArguments;
  size_t numResults;
  size_t numSymbols; ///< Different dynamic dimensions of the arguments.
  size_t numSteps;
} qccEntryInfo;

static inline qccEntryInfo qccEntryInfoInit(void) {
  qccEntryInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

/// real = scale * (stored - zeroPoint)
typedef struct qccQuantization {
  int32_t axis;              ///< Of the channels; -1: one for the whole tensor.
  int64_t count;             ///< Number of scales and of zero points.
  const float *scales;       ///< count
  const int32_t *zeroPoints; ///< count
} qccQuantization;

/// An argument or a result.
typedef struct qccTensorInfo {
  size_t size;
  const char *name; ///< In the source program; "" where it has none.
  DLDataType dtype;
  int32_t rank;
  /// `rank` sizes. A negative one is dynamic, and equal ones are equal: -1 - i
  /// is symbol i, -1 the first dynamic dimension of the arguments. A result has
  /// the numbers of the arguments whose sizes it has; a size of its own has a
  /// number beyond the symbols.
  const int64_t *dims;
  const qccQuantization *quantization; ///< Null where it has none.
  /// Of a result: the argument that it may share memory with, or -1.
  int32_t inPlaceArgument;
} qccTensorInfo;

static inline qccTensorInfo qccTensorInfoInit(void) {
  qccTensorInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

/// `entry` is a name, or null: the only entry, or "main". What the structures
/// point to lives as long as the module.
QCC_EXPORTED size_t qccModuleGetNumEntries(qccModule module);
/// Null beyond the last one.
QCC_EXPORTED const char *qccModuleGetEntryName(qccModule module, size_t index);
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleGetEntry(qccModule module,
                                                       const char *entry,
                                                       qccEntryInfo *info);
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleGetArgument(qccModule module,
                                                          const char *entry,
                                                          size_t index,
                                                          qccTensorInfo *info);
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleGetResult(qccModule module,
                                                        const char *entry,
                                                        size_t index,
                                                        qccTensorInfo *info);

/*===----------------------------------------------------------------------===*\
|* Threads, cancellation, hooks
\*===----------------------------------------------------------------------===*/

/// Threads that several contexts share; their runs then follow one another. 0:
/// one thread for each CPU, or as many as the quota of the container allows.
/// The caller of a run is one of them.
QCC_EXPORTED QCC_NODISCARD qccStatus qccThreadPoolCreate(int32_t threads,
                                                         qccThreadPool *pool);
/// Contexts that use the pool keep it.
QCC_EXPORTED void qccThreadPoolDestroy(qccThreadPool pool);
QCC_EXPORTED int32_t qccThreadPoolGetNumThreads(qccThreadPool pool);

/// Ends runs with QCC_STATUS_CANCELLED: those under way within some
/// milliseconds, later ones before their first step, until it is reset. Any
/// thread may call these at any time. Long steps are done in parts where a run
/// has a token or a time limit; one that cannot be divided is finished first.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccCancelTokenCreate(qccCancelToken *token);
/// Contexts that use the token keep it.
QCC_EXPORTED void qccCancelTokenDestroy(qccCancelToken token);
QCC_EXPORTED void qccCancelTokenCancel(qccCancelToken token);
QCC_EXPORTED void qccCancelTokenReset(qccCancelToken token);
QCC_EXPORTED bool qccCancelTokenIsCancelled(qccCancelToken token);

/// Threads of the host application.
typedef struct qccHostThreads {
  void *context;
  /// Calls body(bodyContext, thread) for each thread in [0, threads), at once
  /// or in any order, and returns when all have returned. Called once per step.
  void (*parallelFor)(void *context, int32_t threads,
                      void (*body)(void *bodyContext, int32_t thread),
                      void *bodyContext);
} qccHostThreads;

/// Memory of temporaries and results, or of weights. Both functions are called
/// by whoever runs, loads or destroys.
struct qccAllocator {
  void *context;
  /// Returns null on failure. `size` > 0; `alignment` is a power of two.
  void *(*allocate)(void *context, size_t size, size_t alignment);
  void (*deallocate)(void *context, void *memory, size_t size,
                     size_t alignment);
};

/// Told in a line what a context does that costs time: planning, growing.
typedef struct qccLogHook {
  void *context;
  void (*log)(void *context, const char *message);
} qccLogHook;

/*===----------------------------------------------------------------------===*\
|* Contexts
\*===----------------------------------------------------------------------===*/

typedef struct qccContextOptions {
  size_t size;
  /// 0: as many as the pool has, or one for each CPU. A run with very little
  /// work uses the calling thread alone.
  int32_t threads;
  /// Measure the time of each step.
  bool profile;
  /// Null: the context's own threads, unless hostThreads are given.
  qccThreadPool pool;
  qccHostThreads hostThreads;
  /// Both functions or none: the C library's heap.
  qccAllocator allocator;
  qccLogHook log;
  qccCancelToken cancel;
} qccContextOptions;

static inline qccContextOptions qccContextOptionsInit(void) {
  qccContextOptions options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  return options;
}

/// A context for `entry` (null: the only one, or "main"), which keeps the
/// module. `options` may be null.
///
/// QCC_STATUS_NOT_FOUND: no such entry.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccContextCreate(qccModule module, const char *entry,
                 const qccContextOptions *options, qccContext *context);

/// No run may be under way.
QCC_EXPORTED void qccContextDestroy(qccContext context);

/// Runs the entry. Tensors are in host memory, compact row-major and aligned to
/// their elements; their structures are only read. A result may be the very
/// memory of an argument where inPlaceArgument says so, and overlaps nothing
/// else. Zero-size dimensions are legal. Once shapes have been run, running
/// them again allocates nothing.
///
/// QCC_STATUS_BUSY: another thread is in a call with this context.
/// QCC_STATUS_CANCELLED: the token of the context ended the run.
/// QCC_STATUS_KERNEL_FAILED: a step reported a failure, which is in the
/// message.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextRun(qccContext context,
                                                   DLTensor *const *arguments,
                                                   size_t numArguments,
                                                   DLTensor *const *results,
                                                   size_t numResults);

/// What holds for one run.
typedef struct qccRunOptions {
  size_t size;
  /// Ends this run, as the context's token does, which may be another. Null:
  /// none.
  qccCancelToken cancel;
  /// The run ends with QCC_STATUS_TIMED_OUT once it takes longer; 0: never.
  int64_t timeoutNanoseconds;
} qccRunOptions;

static inline qccRunOptions qccRunOptionsInit(void) {
  qccRunOptions options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  return options;
}

/// qccContextRun with options, which may be null. What results hold after a run
/// that ended early is undefined.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextRunWithOptions(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLTensor *const *results, size_t numResults, const qccRunOptions *options);

/// qccContextAllocateResults and qccContextRunWithOptions in one call.
/// `options` may be null. A failed call allocates nothing.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextCall(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLManagedTensor **results, size_t numResults, const qccRunOptions *options);

/// Evaluates all sizes for arguments of these shapes; their data is not looked
/// at. A run does so by itself where shapes are new.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextPlan(qccContext context,
                                                    DLTensor *const *arguments,
                                                    size_t numArguments);

/// The shape of a result for the last planned or run arguments. `rank` is that
/// of the result.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextGetResultShape(
    qccContext context, size_t result, int64_t *dims, size_t rank);

/// Plans, and allocates memory for all results. Their elements are undefined
/// until a run has written them. They outlive the context; the caller deletes
/// each by its `deleter`.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextAllocateResults(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLManagedTensor **results, size_t numResults);

typedef struct qccContextInfo {
  size_t size;
  const char *entry;
  int32_t threads;
  size_t numSteps;
  int64_t arenaBytes;   ///< Of temporaries, for the last planned shapes.
  int64_t scratchBytes; ///< Of all threads.
  /// Memory of this process that holds weights, for all contexts of the module;
  /// 0 where they are read from the artifact.
  int64_t weightBytes;
} qccContextInfo;

static inline qccContextInfo qccContextInfoInit(void) {
  qccContextInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

QCC_EXPORTED QCC_NODISCARD qccStatus qccContextGetInfo(qccContext context,
                                                       qccContextInfo *info);

/// A step of the entry, for the last planned shapes.
typedef struct qccStepInfo {
  size_t size;
  const char *name;     ///< The kernel's, such as "main.step0.contract".
  const char *layer;    ///< The layer's name in the model, or "".
  const char *location; ///< "file:line:column", or "".
  bool parallel;
  int64_t operations;  ///< Arithmetic operations; a multiply-add counts two.
  int64_t bytes;       ///< Read and written.
  int64_t nanoseconds; ///< In the last run, if the options ask for profiles.
} qccStepInfo;

static inline qccStepInfo qccStepInfoInit(void) {
  qccStepInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

QCC_EXPORTED QCC_NODISCARD qccStatus qccContextGetStep(qccContext context,
                                                       size_t step,
                                                       qccStepInfo *info);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // QCC_C_RUNTIME_H
