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
|* qcc...Init() below do both. None of them is a field of another one: a      *|
|* structure refers to others by pointers, so each can grow.                  *|
|*                                                                            *|
|* Threads: functions of modules, pools, tokens and started runs may be       *|
|* called by any number of threads at once, with the same handle; a context   *|
|* by one thread at a time, where a second gets QCC_STATUS_BUSY. A Destroy is *|
|* the last call with its handle.                                             *|
|*                                                                            *|
|* Ownership: a Destroy gives up the caller's share alone. Contexts keep      *|
|* modules, pools and tokens that they were made with, and results keep their *|
|* memory, so handles are destroyed in any order. Structures and strings that *|
|* a caller hands over are only read during the call, those of hooks and      *|
|* options included; what structures point to that the library fills in lives *|
|* as long as the module.                                                     *|
|*                                                                            *|
|* Errors: besides those that are said at a function, each that returns a     *|
|* status may return QCC_STATUS_INVALID_ARGUMENT (null pointers, wrong        *|
|* sizes), QCC_STATUS_UNSUPPORTED (an option of a later version, a process    *|
|* forked after threads were started) and QCC_STATUS_OUT_OF_MEMORY.           *|
|* docs/CAPI.md has a table of all functions with these three.                *|
|*                                                                            *|
|* A hook that is given has its functions: one without is                     *|
|* QCC_STATUS_INVALID_ARGUMENT. Hooks must not throw, and must not call the
context that calls them,       *|
|* unless it is said. What their `context` points to must live as long as the *|
|* contexts, runs and results that they are given to.                         *|
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
typedef struct qccRunImpl *qccRun;

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

/// The commit of the sources that the library was built from, 40 hexadecimal
/// digits, with "+" where they had changes; "" where that is not known.
QCC_EXPORTED const char *qccGetRevision(void);

/// The version of artifacts that this runtime loads, and the newest minor
/// version of it: those of older minor versions are loaded as well, those of
/// newer ones and of other versions are refused.
QCC_EXPORTED int32_t qccGetArtifactVersion(void);
QCC_EXPORTED int32_t qccGetArtifactMinorVersion(void);

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
  /// The artifact's, shared between processes. Large weights are checked by the
  /// first run, which fails with QCC_STATUS_CORRUPT if they are
  /// damaged.
  QCC_WEIGHT_PAGES_FILE = 1,
  QCC_WEIGHT_PAGES_HUGE = 2 ///< Huge ones, where the kernel gives them.
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
  /// that the device runs.
  const char *variant;
  int32_t weightPages; ///< qccWeightPages
  uint64_t flags;      ///< QCC_MODULE_...
  /// What runs the program: null or "cpu" for the host, or "cuda:N" for a GPU,
  /// which needs a variant for it. The driver, libcuda.so.1, is opened by the
  /// first call that names a GPU; code and weights go to the GPU with the first
  /// run.
  const char *device;
  /// Copies the weights to memory of this allocator, whatever weightPages says.
  /// It is called by whoever loads the module, and by whoever destroys the last
  /// module or context that uses the weights, until when it must live. Where it
  /// has no memory, loading fails with QCC_STATUS_OUT_OF_MEMORY. Null: none.
  const qccAllocator *weightAllocator;
  /// Loads only what was signed by this key, 64 hexadecimal digits, and always
  /// as a private copy. The first such call opens libsodium, which no other
  /// call needs. Null: signatures are not looked at.
  const char *publicKey;
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
/// QCC_STATUS_NOT_FOUND: no such file, variant or GPU.
/// QCC_STATUS_CORRUPT: it is no artifact, or damaged.
/// QCC_STATUS_UNTRUSTED: a key was given, and the artifact has no signature, or
/// one that does not fit it and the key. None of its code has run.
/// QCC_STATUS_UNSUPPORTED: of another version, or the device cannot run it, or
/// there is no driver, or no libsodium to check a signature.
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

typedef struct qccModuleInfo {
  size_t size;
  int32_t artifactVersion;      ///< See qccGetArtifactVersion.
  int32_t artifactMinorVersion; ///< That of the artifact, or older.
  size_t numMetadata;           ///< Pairs of qccModuleGetMetadata.
  /// The hash of the artifact's contents, 16 hexadecimal digits. It tells
  /// artifacts apart, and is no protection against malice.
  const char *fingerprint;
  /// The key that the signature was checked with, 64 hexadecimal digits; ""
  /// where the module was loaded without one.
  const char *publicKey;
} qccModuleInfo;

static inline qccModuleInfo qccModuleInfoInit(void) {
  qccModuleInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleGetInfo(qccModule module,
                                                      qccModuleInfo *info);

/// Pairs of texts that the program came with (see docs/HowTo/Embed.md), in the
/// order of their keys. Both live as long as the module.
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleGetMetadata(qccModule module,
                                                          size_t index,
                                                          const char **key,
                                                          const char **value);
/// The text of a key; null if the artifact has no key.
QCC_EXPORTED const char *qccModuleFindMetadata(qccModule module,
                                               const char *key);

/// Success while what runs the module answers and does work. A GPU's driver is
/// asked, which takes some microseconds and waits for no run. For a CPU,
/// weights that are not read yet (QCC_WEIGHT_PAGES_FILE) are checked once, as
/// the first run does. For the readiness probe of a server.
///
/// QCC_STATUS_CORRUPT: the weights are damaged. QCC_STATUS_KERNEL_FAILED: a
/// kernel has failed, after which the driver refuses all work of the process.
/// QCC_STATUS_IO_ERROR: the driver has an error, such as a defect of the GPU.
QCC_EXPORTED QCC_NODISCARD qccStatus qccModuleCheckHealth(qccModule module);

/// What the code of an artifact was compiled for.
typedef struct qccVariantInfo {
  size_t size;
  const char *target;   ///< Such as "cascadelake".
  const char *features; ///< The CPU features it needs: "avx2,f16c,fma"; of a
                        ///< GPU the architecture, "sm_80".
  const char *refusal;  ///< Why the device cannot run it; "" if it can.
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

/// real = scale * (stored - zeroPoint). The library fills it in; its size
/// stands where version 1.1 had unused bytes.
typedef struct qccQuantization {
  int32_t axis;              ///< Of the channels; -1: one for the whole tensor.
  uint32_t size;             ///< Of the structure that the library has.
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
  /// `rank` names, such as "batch"; "" where a dimension has none.
  const char *const *dimNames;
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

typedef struct qccThreadPoolOptions {
  size_t size;
  int32_t threads; ///< As above; 0: as many as there are `cpus`, if any.
  /// The CPUs that the pool's threads run on, each on one of them alone, in
  /// turn; the caller of a run stays where it is. Null: on any CPU.
  const int32_t *cpus;
  size_t numCpus;
} qccThreadPoolOptions;

static inline qccThreadPoolOptions qccThreadPoolOptionsInit(void) {
  qccThreadPoolOptions options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  return options;
}

/// `options` may be null.
QCC_EXPORTED QCC_NODISCARD qccStatus qccThreadPoolCreateWithOptions(
    const qccThreadPoolOptions *options, qccThreadPool *pool);

/// The pool of the process, which contexts use that are given neither a pool
/// nor threads: one thread for each CPU that the process may keep busy, made
/// when it is first asked for. The caller destroys the handle, as any other.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccThreadPoolGetDefault(qccThreadPool *pool);
/// Makes a pool that of the process, for contexts that are created from now on.
/// Null: one for each CPU again.
QCC_EXPORTED void qccThreadPoolSetDefault(qccThreadPool pool);

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
  size_t size;
  void *context;
  /// Calls body(bodyContext, thread) for each thread in [0, threads), at once
  /// or in any order, and returns when all have returned. Called once per step.
  void (*parallelFor)(void *context, int32_t threads,
                      void (*body)(void *bodyContext, int32_t thread),
                      void *bodyContext);
} qccHostThreads;

static inline qccHostThreads qccHostThreadsInit(void) {
  qccHostThreads hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/// Memory of temporaries and results, or of weights. Both functions are called
/// by whoever runs, loads or destroys.
struct qccAllocator {
  size_t size;
  void *context;
  /// Returns null on failure. `size` > 0; `alignment` is a power of two.
  void *(*allocate)(void *context, size_t size, size_t alignment);
  void (*deallocate)(void *context, void *memory, size_t size,
                     size_t alignment);
};

static inline qccAllocator qccAllocatorInit(void) {
  qccAllocator hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/// Told in a line what a context does that costs time: planning, growing.
typedef struct qccLogHook {
  size_t size;
  void *context;
  void (*log)(void *context, const char *message);
} qccLogHook;

static inline qccLogHook qccLogHookInit(void) {
  qccLogHook hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/*===----------------------------------------------------------------------===*\
|* Contexts
\*===----------------------------------------------------------------------===*/

typedef struct qccContextOptions {
  size_t size;
  /// Of the context's own; 0: as many as the pool has. A run with very little
  /// work uses the calling thread alone.
  int32_t threads;
  /// Measure the time of each step.
  bool profile;
  /// Null: that of the process, unless `threads` or `hostThreads` are given.
  qccThreadPool pool;
  /// Version 1.1 had the three hooks here, by value, and is still understood.
  /// Leave this zero.
  void *hooksOfVersion11[7];
  qccCancelToken cancel;
  const qccHostThreads *hostThreads; ///< Null: a pool's.
  const qccAllocator *allocator;     ///< Null: the C library's heap.
  const qccLogHook *log;             ///< Null: nobody is told.
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

/// Waits for a run that was started. No other call may be under way.
QCC_EXPORTED void qccContextDestroy(qccContext context);

/// Runs the entry. Tensors are in host memory, or in memory of the GPU that the
/// module was loaded for, compact row-major (but see QCC_RUN_EACH_SLICE) and
/// aligned to their elements; their structures are only read. What is in host
/// memory is copied to a GPU and back; what is there and not aligned to 16
/// bytes is copied as well, and the log hook is told. A result may be the very
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

/// A step of the entry, for the last planned shapes.
typedef struct qccStepInfo {
  size_t size;
  const char *name;     ///< The kernel's, such as "main.step0.contract".
  const char *layer;    ///< The layer's name in the model, or "".
  const char *location; ///< "file:line:column", or "".
  bool parallel;
  int64_t operations; ///< Arithmetic operations; a multiply-add counts two.
  int64_t bytes;      ///< Read and written.
  /// In the last run, if the options of the run or the context ask for it.
  int64_t nanoseconds;
} qccStepInfo;

static inline qccStepInfo qccStepInfoInit(void) {
  qccStepInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

/// Told of each step that was done.
typedef struct qccStepHook {
  size_t size;
  void *context;
  /// Called by one thread of the run while none of them is in a step, in the
  /// order of the steps. `info` lives during the call.
  void (*afterStep)(void *context, size_t step, const qccStepInfo *info);
} qccStepHook;

static inline qccStepHook qccStepHookInit(void) {
  qccStepHook hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/// The entry is run once for each index of the outermost dimension, in order:
/// on that slice of each argument whose outermost dimension is dynamic, and on
/// the whole of the others, into that slice of the results. So it is as if the
/// caller made all these runs with an outermost dimension of size 1. Slices may
/// lie apart: the outermost dimension alone may have any stride, of arguments
/// also 0 or less, and nothing is copied. Results must have a dynamic outermost
/// dimension. The time limit is that of all slices together, what hooks and
/// profiles tell is of each. Planned sizes are those of a slice afterwards.
#define QCC_RUN_EACH_SLICE 1u

/// The run returns at its end also where it follows a stream of the caller.
#define QCC_RUN_WAIT 2u

/// What holds for one run.
typedef struct qccRunOptions {
  size_t size;
  /// Ends this run, as the context's token does, which may be another. Null:
  /// none.
  qccCancelToken cancel;
  /// The run ends with QCC_STATUS_TIMED_OUT once it takes longer; 0: never.
  int64_t timeoutNanoseconds;
  /// A CUstream of the primary context of the module's GPU, CU_STREAM_LEGACY
  /// for the default one. The run follows the work of the stream. Where all
  /// tensors are in memory of the GPU it returns before its end, unless
  /// QCC_RUN_WAIT is set; the caller waits for it by the stream, and a kernel
  /// that fails then makes a later call fail. Null: the tensors hold their
  /// values when the run begins, and it returns at its end.
  ///
  /// Where the caller captures the stream, the run becomes a part of the graph:
  /// its kernels are launched one by one, nothing waits, and nothing is
  /// allocated. The context must have run these shapes before, all tensors must
  /// be in memory of the GPU, and QCC_RUN_WAIT, profiles and step hooks are
  /// refused (QCC_STATUS_INVALID_ARGUMENT). The graph uses temporaries of the
  /// context: launch it while the context lives, and let it and runs of the
  /// context follow one another.
  void *stream;
  /// Measure the time of each step of this run.
  bool profile;
  const qccStepHook *step; ///< Null: nobody is told.
  uint64_t flags;          ///< QCC_RUN_...
  /// The host's number of the run, which records of the log have; 0: none.
  uint64_t tag;
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
/// `options` may be null, and has no QCC_RUN_EACH_SLICE. A failed call
/// allocates nothing.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextCall(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLManagedTensor **results, size_t numResults, const qccRunOptions *options);

/// The same with versioned tensors. They are the caller's alone: no flag is
/// set.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccContextCallVersioned(qccContext context, DLTensor *const *arguments,
                        size_t numArguments, DLManagedTensorVersioned **results,
                        size_t numResults, const qccRunOptions *options);

/// Told that a run has ended.
typedef struct qccCompletionHook {
  size_t size;
  void *context;
  /// Called by the thread that did the run. The context is free by then: this
  /// hook may call it, and start its next run, but must not destroy it.
  /// `status` is what qccContextRun would have returned; it lives during the
  /// call.
  void (*done)(void *context, qccStatus status);
} qccCompletionHook;

static inline qccCompletionHook qccCompletionHookInit(void) {
  qccCompletionHook hook;
  memset(&hook, 0, sizeof(hook));
  hook.size = sizeof(hook);
  return hook;
}

/// Starts a run, on a thread of the context's own, and returns. Until the run
/// has ended, the context is busy and the memory of tensors belongs to it;
/// the structures of tensors and options are read before this returns.
/// `options` and `completion` may be null, and so may `run` where there is a
/// completion. A token in the options cancels the run. What qccContextRun
/// refuses before its first step may be refused here, or be the run's status.
///
/// QCC_STATUS_BUSY: the context is in use, by another run for instance.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextStart(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLTensor *const *results, size_t numResults, const qccRunOptions *options,
    const qccCompletionHook *completion, qccRun *run);

/// Waits for the end of the run, and of the completion hook. Returns what
/// qccContextRun would have returned, each time it is called.
QCC_EXPORTED QCC_NODISCARD qccStatus qccRunWait(qccRun run);
/// Waits at most so long, 0: not at all; returns whether the run has ended.
QCC_EXPORTED bool qccRunWaitFor(qccRun run, int64_t nanoseconds);
/// The run goes on, if it has not ended.
QCC_EXPORTED void qccRunDestroy(qccRun run);

/// Evaluates all sizes for arguments of these shapes; their data is not looked
/// at. A run does so by itself where shapes are new.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextPlan(qccContext context,
                                                    DLTensor *const *arguments,
                                                    size_t numArguments);

/// The shape of a result for the last planned or run arguments. `rank` is that
/// of the result.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextGetResultShape(
    qccContext context, size_t result, int64_t *dims, size_t rank);

/// Plans, and allocates memory for all results: on the GPU of the module if all
/// arguments are there, otherwise of the host. Their elements are undefined
/// until a run has written them. They outlive the context; the caller deletes
/// each by its `deleter`.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextAllocateResults(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLManagedTensor **results, size_t numResults);

/// The same with versioned tensors. They are the caller's alone: no flag is
/// set.
QCC_EXPORTED QCC_NODISCARD qccStatus qccContextAllocateResultsVersioned(
    qccContext context, DLTensor *const *arguments, size_t numArguments,
    DLManagedTensorVersioned **results, size_t numResults);

/// The view of a tensor of another library, for the functions above, which take
/// views. It lives as long as the tensor, which stays the caller's. Of an
/// unversioned one it is `&tensor->dl_tensor`, and may be written.
///
/// QCC_STATUS_INVALID_ARGUMENT: it is read-only, and `isWritten` says that the
/// view will be a result.
/// QCC_STATUS_UNSUPPORTED: of another major version of DLPack.
QCC_EXPORTED QCC_NODISCARD qccStatus qccTensorGetView(
    DLManagedTensorVersioned *tensor, bool isWritten, DLTensor **view);

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
  const char *device; ///< What runs it: "cpu" or "cuda:0".
} qccContextInfo;

static inline qccContextInfo qccContextInfoInit(void) {
  qccContextInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

QCC_EXPORTED QCC_NODISCARD qccStatus qccContextGetInfo(qccContext context,
                                                       qccContextInfo *info);

QCC_EXPORTED QCC_NODISCARD qccStatus qccContextGetStep(qccContext context,
                                                       size_t step,
                                                       qccStepInfo *info);

/*===----------------------------------------------------------------------===*\
|* Operation
\*===----------------------------------------------------------------------===*/

/// What this copy of the library has done in this process, for all modules,
/// contexts and threads. Counts of what has happened only grow. Each is read by
/// itself: a run that ends meanwhile may be in one and not yet in another.
/// Children of fork go on with the counts of their parent.
typedef struct qccProcessInfo {
  size_t size;
  /// Runs that have ended, in whatever way: calls of qccContextRun,
  /// qccContextRunWithOptions and qccContextCall..., and runs that were
  /// started. One with QCC_RUN_EACH_SLICE is one run.
  uint64_t runs;
  uint64_t failedRuns;    ///< With another status than success and these three:
  uint64_t busyRuns;      ///< QCC_STATUS_BUSY
  uint64_t cancelledRuns; ///< QCC_STATUS_CANCELLED
  uint64_t timedOutRuns;  ///< QCC_STATUS_TIMED_OUT
  uint64_t loads;         ///< Calls of qccModuleLoad...
  uint64_t failedLoads;
  uint64_t loadNanoseconds; ///< That all loads took.
  /// Modules whose code and weights went to a GPU, when they were loaded.
  uint64_t deviceLoads;
  /// The time of deviceLoads, including the driver's compilation of kernels.
  uint64_t deviceLoadNanoseconds;
  int64_t modules;      ///< Handles that there are now.
  int64_t contexts;     ///< Handles that there are now.
  int64_t runsUnderWay; ///< Runs that were asked for and have not ended.
  /// Of these, how many wait for the threads of a pool: the depth of its queue.
  int64_t runsWaiting;
} qccProcessInfo;

static inline qccProcessInfo qccProcessInfoInit(void) {
  qccProcessInfo info;
  memset(&info, 0, sizeof(info));
  info.size = sizeof(info);
  return info;
}

QCC_EXPORTED QCC_NODISCARD qccStatus qccGetProcessInfo(qccProcessInfo *info);

typedef enum qccLogLevel {
  QCC_LOG_ERROR = 0,   ///< A run or a load failed.
  QCC_LOG_WARNING = 1, ///< A run was busy or timed out.
  QCC_LOG_INFO = 2,    ///< Modules, threads; runs that were cancelled.
  QCC_LOG_DEBUG = 3    ///< Each run.
} qccLogLevel;

/// A record of the log. Lives during the call only.
typedef struct qccLogRecord {
  size_t size;
  int32_t level; ///< qccLogLevel
  const char *message;
  uint64_t tag; ///< Of the run's options; 0 where there is none.
} qccLogRecord;

static inline qccLogRecord qccLogRecordInit(void) {
  qccLogRecord record;
  memset(&record, 0, sizeof(record));
  record.size = sizeof(record);
  return record;
}

/// Told what happens in the process.
typedef struct qccLogHandler {
  size_t size;
  void *context;
  /// Called by any thread of the host or of the library, and by several at
  /// once. It may call any function of the library but one that waits for the
  /// run of which it is told.
  void (*handle)(void *context, const qccLogRecord *record);
  int32_t level; ///< qccLogLevel: that of the least important records.
} qccLogHandler;

static inline qccLogHandler qccLogHandlerInit(void) {
  qccLogHandler handler;
  memset(&handler, 0, sizeof(handler));
  handler.size = sizeof(handler);
  return handler;
}

/// Makes a handler that of the process, in place of the one before; null:
/// nobody is told. The one before may be in calls that have begun, so its
/// context lives until these have ended.
QCC_EXPORTED QCC_NODISCARD qccStatus
qccSetLogHandler(const qccLogHandler *handler);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // QCC_C_RUNTIME_H
