//===- qcc/runtime.hpp - The C++ API of the runtime -------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin over qcc-c/Runtime.h, header-only, C++17; links libqcc_runtime alone:
//
//   qcc::Module module = qcc::Module::load("model.so");
//   qcc::Function f = module.function("main");
//   std::vector<qcc::Tensor> y = f({{x.data(), {8, 512}}});
//
// Failures throw (qcc/error.hpp). Hooks must not.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_HPP
#define QCC_RUNTIME_HPP

#include "qcc-c/Runtime.h"
#include "qcc/error.hpp"
#include "qcc/tensor.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qcc {

namespace detail {
/// Owns a handle of the C API.
template <typename Handle, void (*destroy)(Handle)> class Owner {
public:
  explicit Owner(Handle handle = nullptr) : handle_(handle) {}
  Owner(Owner &&other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner &operator=(Owner &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() { destroy(handle_); }

  Handle get() const { return handle_; }
  /// To be filled by a function that creates.
  Handle *fill() { return &handle_; }

private:
  Handle handle_;
};
} // namespace detail

/// Threads that functions share; their runs then follow one another.
class ThreadPool {
public:
  /// 0: one thread for each CPU. The caller of a run is one of them. With
  /// `cpus`, the pool's own threads run on these in turn, each on one alone.
  explicit ThreadPool(int threads = 0, const std::vector<int32_t> &cpus = {}) {
    qccThreadPoolOptions options = qccThreadPoolOptionsInit();
    options.threads = threads;
    options.cpus = cpus.data();
    options.numCpus = cpus.size();
    detail::check(qccThreadPoolCreateWithOptions(&options, pool_.fill()));
  }
  /// The pool of the process, which functions use that have neither a pool nor
  /// a number of threads.
  static ThreadPool ofProcess() {
    ThreadPool pool{Empty()};
    detail::check(qccThreadPoolGetDefault(pool.pool_.fill()));
    return pool;
  }
  /// Makes this pool that of the process, for functions made from now on.
  void setAsOfProcess() const { qccThreadPoolSetDefault(pool_.get()); }

  int threads() const { return qccThreadPoolGetNumThreads(pool_.get()); }
  qccThreadPool handle() const { return pool_.get(); }

private:
  struct Empty {};
  explicit ThreadPool(Empty) {}

  detail::Owner<qccThreadPool, qccThreadPoolDestroy> pool_;
};

/// Ends runs, from any thread.
class CancelToken {
public:
  CancelToken() { detail::check(qccCancelTokenCreate(token_.fill())); }
  void cancel() const { qccCancelTokenCancel(token_.get()); }
  void reset() const { qccCancelTokenReset(token_.get()); }
  bool isCancelled() const { return qccCancelTokenIsCancelled(token_.get()); }
  qccCancelToken handle() const { return token_.get(); }

private:
  detail::Owner<qccCancelToken, qccCancelTokenDestroy> token_;
};

struct FunctionOptions {
  /// Of the function's own; 0: as many as the pool has.
  int threads = 0;
  /// Measure the time of each step.
  bool profile = false;
  /// Null: that of the process, unless `threads` or `parallelFor` are given.
  const ThreadPool *pool = nullptr;
  const CancelToken *cancel = nullptr;
  /// Threads of the host: calls body(0) to body(threads - 1), at once or in any
  /// order, and returns when all have returned.
  std::function<void(int threads, const std::function<void(int)> &body)>
      parallelFor;
  std::function<void(const char *message)> log;
  /// Read when the function is made; null: the C library's heap.
  const qccAllocator *allocator = nullptr;
};

/// What holds for one run; see qccRunOptions.
struct RunOptions {
  const CancelToken *cancel = nullptr;
  std::chrono::nanoseconds timeout{0};
  void *stream = nullptr; ///< A CUstream, for a program on a GPU.
  /// Measure the time of each step of this run.
  bool profile = false;
  /// Run each slice of the outermost dimension by itself; see
  /// QCC_RUN_EACH_SLICE.
  bool eachSlice = false;
  /// Called after each step, while no thread of the run is in one.
  std::function<void(size_t step, const qccStepInfo &info)> afterStep;
  /// Return at the end of the run also where there is a stream; see
  /// QCC_RUN_WAIT.
  bool waits = false;
  /// The host's number of the run, which records of the log have; 0: none.
  uint64_t tag = 0;
};

/// A run that was started; see qccContextStart. The memory of its tensors is
/// the run's until it has ended.
class Run {
public:
  /// Waits for the end; a failure of the run is thrown.
  void wait() const { detail::check(qccRunWait(run_.get())); }
  /// Waits at most so long; returns whether the run has ended.
  bool waitFor(std::chrono::nanoseconds time) const {
    return qccRunWaitFor(run_.get(), time.count());
  }
  qccRun handle() const { return run_.get(); }

private:
  friend class Function;
  Run() = default;

  detail::Owner<qccRun, qccRunDestroy> run_;
};

/// An entry of a module and what one caller at a time needs to run it. For
/// several threads make several of these; they share the module.
class Function {
public:
  Function(Function &&) = default;
  /// A context and the hooks that it calls stay together.
  Function &operator=(Function &&other) noexcept {
    std::swap(hooks_, other.hooks_);
    std::swap(context_, other.context_);
    std::swap(numResults_, other.numResults_);
    std::swap(arguments_, other.arguments_);
    std::swap(results_, other.results_);
    return *this;
  }

  /// Runs; the results are the runtime's memory.
  std::vector<Tensor> operator()(std::initializer_list<TensorView> arguments,
                                 const RunOptions &options = {}) {
    return call(arguments.begin(), arguments.size(), options);
  }
  std::vector<Tensor> operator()(const std::vector<TensorView> &arguments,
                                 const RunOptions &options = {}) {
    return call(arguments.data(), arguments.size(), options);
  }

  /// Runs; the results are the caller's memory. Once shapes have been run,
  /// running them again allocates nothing.
  void run(std::initializer_list<TensorView> arguments,
           std::initializer_list<TensorView> results,
           const RunOptions &options = {}) {
    run(arguments.begin(), arguments.size(), results.begin(), results.size(),
        options);
  }
  void run(const std::vector<TensorView> &arguments,
           const std::vector<TensorView> &results,
           const RunOptions &options = {}) {
    run(arguments.data(), arguments.size(), results.data(), results.size(),
        options);
  }
  void run(const TensorView *arguments, size_t numArguments,
           const TensorView *results, size_t numResults,
           const RunOptions &options = {}) {
    arguments_.set(arguments, numArguments);
    results_.set(results, numResults);
    OptionsOfRun c(options);
    detail::check(qccContextRunWithOptions(
        context_.get(), arguments_.pointers(), numArguments,
        results_.pointers(), numResults, &c.options));
  }

  /// Starts a run and returns; the results are the caller's memory. `done` is
  /// called when the run has ended, by another thread, with the run's status,
  /// which lives during that call.
  Run start(const std::vector<TensorView> &arguments,
            const std::vector<TensorView> &results,
            const RunOptions &options = {},
            std::function<void(qccStatus status)> done = nullptr) {
    // The hooks live until the completion has been called.
    auto kept = std::make_unique<Started>(Started{options, std::move(done)});
    OptionsOfRun c(kept->options);
    qccCompletionHook completion = qccCompletionHookInit();
    completion.context = kept.get();
    completion.done = Started::complete;
    TensorArray views[2];
    views[0].set(arguments.data(), arguments.size());
    views[1].set(results.data(), results.size());
    Run run;
    detail::check(qccContextStart(context_.get(), views[0].pointers(),
                                  arguments.size(), views[1].pointers(),
                                  results.size(), &c.options, &completion,
                                  run.run_.fill()));
    kept.release(); // The completion deletes it.
    return run;
  }

  /// Memory for the results of arguments of these shapes.
  std::vector<Tensor>
  allocateResults(const std::vector<TensorView> &arguments) {
    return allocateResults(arguments.data(), arguments.size());
  }
  std::vector<Tensor> allocateResults(const TensorView *arguments,
                                      size_t numArguments) {
    std::vector<DLManagedTensorVersioned *> managed(numResults_);
    arguments_.set(arguments, numArguments);
    detail::check(qccContextAllocateResultsVersioned(
        context_.get(), arguments_.pointers(), numArguments, managed.data(),
        managed.size()));
    return own(managed);
  }

  /// Threads, steps, memory, device.
  qccContextInfo info() const {
    qccContextInfo info = qccContextInfoInit();
    detail::check(qccContextGetInfo(context_.get(), &info));
    return info;
  }
  qccStepInfo step(size_t index) const {
    qccStepInfo info = qccStepInfoInit();
    detail::check(qccContextGetStep(context_.get(), index, &info));
    return info;
  }

  qccContext handle() const { return context_.get(); }

private:
  friend class Module;

  /// What the hooks of the C API call.
  struct Hooks {
    FunctionOptions options;

    static void parallelFor(void *self, int32_t threads,
                            void (*body)(void *, int32_t),
                            void *bodyContext) noexcept {
      static_cast<Hooks *>(self)->options.parallelFor(
          threads, [=](int thread) { body(bodyContext, thread); });
    }
    static void log(void *self, const char *message) noexcept {
      static_cast<Hooks *>(self)->options.log(message);
    }
  };

  /// Views as the C API takes them, in memory that is used again.
  class TensorArray {
  public:
    void set(const TensorView *views, size_t count) {
      tensors_.clear();
      pointers_.clear();
      for (size_t i = 0; i < count; ++i)
        tensors_.push_back(views[i].dlpack());
      for (DLTensor &tensor : tensors_)
        pointers_.push_back(&tensor);
    }
    DLTensor *const *pointers() const { return pointers_.data(); }

  private:
    std::vector<DLTensor> tensors_;
    std::vector<DLTensor *> pointers_;
  };

  Function(qccModule module, const char *entry, const FunctionOptions &options)
      : hooks_(new Hooks{options}) {
    qccContextOptions c = qccContextOptionsInit();
    c.threads = options.threads;
    c.profile = options.profile;
    c.pool = options.pool ? options.pool->handle() : nullptr;
    c.cancel = options.cancel ? options.cancel->handle() : nullptr;
    c.allocator = options.allocator;
    qccHostThreads hostThreads = {sizeof(hostThreads), hooks_.get(),
                                  Hooks::parallelFor};
    if (options.parallelFor)
      c.hostThreads = &hostThreads;
    qccLogHook log = {sizeof(log), hooks_.get(), Hooks::log};
    if (options.log)
      c.log = &log;
    detail::check(qccContextCreate(module, entry, &c, context_.fill()));
    qccEntryInfo info = qccEntryInfoInit();
    detail::check(qccModuleGetEntry(module, entry, &info));
    numResults_ = info.numResults;
  }

  std::vector<Tensor> call(const TensorView *arguments, size_t numArguments,
                           const RunOptions &options) {
    std::vector<DLManagedTensorVersioned *> managed(numResults_);
    arguments_.set(arguments, numArguments);
    OptionsOfRun c(options);
    detail::check(qccContextCallVersioned(context_.get(), arguments_.pointers(),
                                          numArguments, managed.data(),
                                          managed.size(), &c.options));
    return own(managed);
  }

  static std::vector<Tensor>
  own(const std::vector<DLManagedTensorVersioned *> &managed) {
    std::vector<Tensor> results;
    results.reserve(managed.size());
    for (DLManagedTensorVersioned *tensor : managed)
      results.emplace_back(tensor);
    return results;
  }

  /// RunOptions as the C API takes them, which outlive the run.
  struct OptionsOfRun {
    qccRunOptions options = qccRunOptionsInit();
    qccStepHook hook = qccStepHookInit();

    explicit OptionsOfRun(const RunOptions &given) {
      options.cancel = given.cancel ? given.cancel->handle() : nullptr;
      options.timeoutNanoseconds = given.timeout.count();
      options.stream = given.stream;
      options.profile = given.profile;
      options.tag = given.tag;
      options.flags = (given.eachSlice ? QCC_RUN_EACH_SLICE : 0) |
                      (given.waits ? QCC_RUN_WAIT : 0);
      hook.context = const_cast<RunOptions *>(&given);
      hook.afterStep = afterStep;
      if (given.afterStep)
        options.step = &hook;
    }
    OptionsOfRun(const OptionsOfRun &) = delete;
    OptionsOfRun &operator=(const OptionsOfRun &) = delete;

    static void afterStep(void *self, size_t step,
                          const qccStepInfo *info) noexcept {
      static_cast<const RunOptions *>(self)->afterStep(step, *info);
    }
  };

  /// What the hooks of a run that was started call.
  struct Started {
    RunOptions options;
    std::function<void(qccStatus)> done;

    static void complete(void *self, qccStatus status) noexcept {
      std::unique_ptr<Started> started(static_cast<Started *>(self));
      if (started->done)
        started->done(status);
    }
  };

  std::unique_ptr<Hooks> hooks_; ///< Outlives the context.
  detail::Owner<qccContext, qccContextDestroy> context_;
  size_t numResults_ = 0;
  TensorArray arguments_, results_;
};

struct ModuleOptions {
  /// The target of the variant to load; empty: the best that the device runs.
  std::string variant;
  qccWeightPages weightPages = QCC_WEIGHT_PAGES_AUTO;
  /// See QCC_MODULE_PRIVATE_COPY.
  bool privateCopy = false;
  /// What runs the program: empty or "cpu" for the host, "cuda:N" for a GPU.
  std::string device = {};
  /// Memory of the weights, which must live as long as modules and functions
  /// that use them; null: what weightPages says.
  const qccAllocator *weightAllocator = nullptr;
  /// Load only what was signed by this key, 64 hexadecimal digits.
  std::optional<std::string> publicKey = {};
};

/// A loaded artifact: immutable, shared by any number of threads and functions,
/// which may outlive it.
class Module {
public:
  /// Loading an artifact runs its code.
  static Module load(const std::string &path,
                     const ModuleOptions &options = {}) {
    Module module;
    qccModuleOptions c = toC(options);
    detail::check(qccModuleLoadFile(path.c_str(), &c, module.module_.fill()));
    return module;
  }
  /// From an open file, whose descriptor stays the caller's.
  static Module load(int descriptor, const ModuleOptions &options = {}) {
    Module module;
    qccModuleOptions c = toC(options);
    detail::check(
        qccModuleLoadDescriptor(descriptor, &c, module.module_.fill()));
    return module;
  }
  static Module load(const void *data, size_t size,
                     const ModuleOptions &options = {}) {
    Module module;
    qccModuleOptions c = toC(options);
    detail::check(qccModuleLoadMemory(data, size, &c, module.module_.fill()));
    return module;
  }

  /// `entry` may be empty: the only one, or "main".
  Function function(const std::string &entry = "",
                    const FunctionOptions &options = {}) const {
    return Function(handle(), nameOrNull(entry), options);
  }

  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < qccModuleGetNumEntries(handle()); ++i)
      names.push_back(qccModuleGetEntryName(handle(), i));
    return names;
  }

  /// Pairs of texts that the program came with; see qccModuleGetMetadata.
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::vector<std::pair<std::string, std::string>> pairs(info().numMetadata);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const char *key = nullptr, *value = nullptr;
      detail::check(qccModuleGetMetadata(handle(), i, &key, &value));
      pairs[i] = {key, value};
    }
    return pairs;
  }
  qccModuleInfo info() const {
    qccModuleInfo info = qccModuleInfoInit();
    detail::check(qccModuleGetInfo(handle(), &info));
    return info;
  }

  /// What these point to lives as long as the module.
  qccEntryInfo entry(const std::string &entry = "") const {
    qccEntryInfo info = qccEntryInfoInit();
    detail::check(qccModuleGetEntry(handle(), nameOrNull(entry), &info));
    return info;
  }
  qccTensorInfo argument(const std::string &entry, size_t index) const {
    qccTensorInfo info = qccTensorInfoInit();
    detail::check(
        qccModuleGetArgument(handle(), nameOrNull(entry), index, &info));
    return info;
  }
  qccTensorInfo result(const std::string &entry, size_t index) const {
    qccTensorInfo info = qccTensorInfoInit();
    detail::check(
        qccModuleGetResult(handle(), nameOrNull(entry), index, &info));
    return info;
  }
  std::vector<qccVariantInfo> variants() const {
    std::vector<qccVariantInfo> infos(qccModuleGetNumVariants(handle()),
                                      qccVariantInfoInit());
    for (size_t i = 0; i < infos.size(); ++i)
      detail::check(qccModuleGetVariant(handle(), i, &infos[i]));
    return infos;
  }

  /// Throws unless what runs the module works; see qccModuleCheckHealth.
  void checkHealth() const { detail::check(qccModuleCheckHealth(handle())); }

  qccModule handle() const { return module_.get(); }

private:
  Module() = default;

  static const char *nameOrNull(const std::string &name) {
    return name.empty() ? nullptr : name.c_str();
  }
  static qccModuleOptions toC(const ModuleOptions &options) {
    qccModuleOptions c = qccModuleOptionsInit();
    c.variant = nameOrNull(options.variant);
    c.weightPages = options.weightPages;
    c.flags = options.privateCopy ? QCC_MODULE_PRIVATE_COPY : 0;
    c.device = nameOrNull(options.device);
    c.weightAllocator = options.weightAllocator;
    c.publicKey = options.publicKey ? options.publicKey->c_str() : nullptr;
    return c;
  }

  detail::Owner<qccModule, qccModuleDestroy> module_;
};

/// Counters of the process; see qccProcessInfo. Any thread may call it.
inline qccProcessInfo processInfo() {
  qccProcessInfo info = qccProcessInfoInit();
  detail::check(qccGetProcessInfo(&info));
  return info;
}

/// Makes `handle` what is told of the process, up to a level; see
/// qccSetLogHandler. Any thread calls it, and several at once; it must not
/// throw. An empty function tells nobody. What is handed over is kept until the
/// process ends, since calls may be under way.
inline void setLogHandler(std::function<void(const qccLogRecord &)> handle,
                          qccLogLevel level = QCC_LOG_WARNING) {
  using Handle = std::function<void(const qccLogRecord &)>;
  if (!handle)
    return detail::check(qccSetLogHandler(nullptr));
  qccLogHandler handler = qccLogHandlerInit();
  auto kept = std::make_unique<Handle>(std::move(handle));
  handler.context = kept.get();
  handler.handle = [](void *self, const qccLogRecord *record) noexcept {
    (*static_cast<Handle *>(self))(*record);
  };
  handler.level = level;
  detail::check(qccSetLogHandler(&handler));
  kept.release();
}

} // namespace qcc

#endif // QCC_RUNTIME_HPP
