//===- Handles.h - Objects behind the handles of the C API ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle is a pointer to one of these. They hold what the runtime shares, so
// that handles can be destroyed in any order.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_CAPI_RUNTIME_HANDLES_H
#define QCC_LIB_CAPI_RUNTIME_HANDLES_H

#include "qcc-c/Runtime.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Runtime/Process.h"
#include "qcc/Runtime/TaskThread.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::capi {

/// The parts of a qccTensorInfo that the module does not have as arrays.
struct TensorTables {
  std::vector<int64_t> dims;
  std::vector<const char *> dimNames;
  std::optional<qccQuantization> quantization;
};

struct EntryTables {
  std::vector<TensorTables> arguments, results;
};

/// The hook as the runtime calls it.
struct AllocatorHook {
  qccAllocator hook;

  rt::Allocator allocator();
};

/// Copies of the hooks of a context's options, zero for a hook that is not
/// given.
struct ContextHooks {
  qccHostThreads hostThreads;
  qccAllocator allocator;
  qccLogHook log;
};

rt::Result<ContextHooks> readHooks(const qccContextOptions &options);

/// A text of an artifact, which ends with a null there.
inline const char *textOf(std::string_view text) {
  return text.empty() ? "" : text.data();
}

} // namespace qcc::capi

struct qccModuleImpl {
  qcc::rt::CountedHere counted{qcc::rt::ProcessCounters::get().modules};
  std::shared_ptr<const qcc::rt::Module> module;
  std::vector<qcc::capi::EntryTables> entries; ///< Parallel to its entries.
  std::string device;                          ///< "cpu", "cuda:0"
};

struct qccThreadPoolImpl {
  std::shared_ptr<qcc::rt::ThreadPool> pool;
};

struct qccCancelTokenImpl {
  std::shared_ptr<std::atomic<bool>> flag;
};

struct qccContextImpl {
  qcc::rt::CountedHere counted{qcc::rt::ProcessCounters::get().contexts};
  // What the context refers to: destroyed after it.
  std::shared_ptr<qcc::capi::AllocatorHook> allocator; ///< Null: the default.
  std::shared_ptr<std::atomic<bool>> cancel;
  std::unique_ptr<qcc::rt::Context> context;

  /// The arguments and results of the call that holds `busy`.
  std::vector<qcc::rt::Tensor> tensors;
  /// Of each, how many elements lie between the indices of the outermost
  /// dimension.
  std::vector<int64_t> outerStrides;
  /// Of the run that holds `busy`; zero where it has none.
  qccStepHook step = qccStepHookInit();
  /// Whether the sizes of the context are those of a call.
  bool planned = false;
  std::atomic<bool> busy{false};
  std::string device; ///< The module's.
  /// Does the runs that are started. Null until there is one. Destroyed first:
  /// it waits for them.
  std::unique_ptr<qcc::rt::TaskThread> thread;
};

#endif // QCC_LIB_CAPI_RUNTIME_HANDLES_H
