//===- qcc/compiler.hpp - The C++ API of the compiler -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin over qcc-c/Compiler.h, header-only, C++17; links libqcc:
//
//   qcc::Module module = qcc::compile(text, "native");
//   qcc::compileArtifact(text, "x86-64-v3,cascadelake").write("model.so");
//
// Failures throw (qcc/error.hpp): a program that is rejected with the code
// QCC_STATUS_INVALID_PROGRAM and all its errors. Hooks must not.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_COMPILER_HPP
#define QCC_COMPILER_HPP

#include "qcc-c/Compiler.h"
#include "qcc/runtime.hpp"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace qcc {

struct CompileOptions {
  CompileOptions(std::string cpus = "native") : target(std::move(cpus)) {}
  CompileOptions(const char *cpus) : target(cpus) {}

  /// A CPU or several: "x86-64-v3,cascadelake".
  std::string target;
  /// A .npz or .safetensors file, or "random:SEED"; empty: none is needed.
  std::string weights;
  /// What diagnostics call a program in memory.
  std::string name = "<memory>";
  std::function<void(const qccDiagnostic &)> onDiagnostic;
  uint32_t flags = 0; ///< QCC_COMPILE_...
  /// A file of `qcc tune`; empty: none.
  std::string tuning;
  /// Weights in memory, by name, instead of `weights`. They are read where they
  /// lie, until the compilation returns.
  std::vector<std::pair<std::string, const DLTensor *>> weightTensors;
  /// The same by a function of the C API.
  const qccWeightHook *weightHook = nullptr;
  /// Ends the compilation with QCC_STATUS_CANCELLED.
  const CancelToken *cancel = nullptr;
  /// Ends it with QCC_STATUS_TIMED_OUT; 0: never.
  std::chrono::nanoseconds timeout{0};
  /// What the process may grow by; 0: no limit. See qccCompileOptions.
  int64_t memoryLimitBytes = 0;
  /// How many threads generate code; 0: one for each CPU.
  int threads = 0;
  /// Path of qcc-isolated-compiler, for the flag QCC_COMPILE_ISOLATED; empty:
  /// it is looked for beside libqcc.
  std::string isolatedCompiler;
  /// Sizes of dimensions that an ONNX model has names for.
  std::vector<std::pair<std::string, int64_t>> dims;
  /// All sizes of inputs of an ONNX model.
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  /// Inputs of an ONNX model that are constants. See qccCompileOptions.
  std::vector<std::pair<std::string, const DLTensor *>> constants;
  /// "reference" or "xnnpack", of a TFLite model; empty: "reference".
  std::string tfliteRounding;
};

/// The bytes of a shared object.
class Artifact {
public:
  const void *data() const { return qccArtifactGetData(artifact_.get()); }
  size_t size() const { return qccArtifactGetSize(artifact_.get()); }

  /// Whole, or not at all.
  void write(const std::string &path) const {
    detail::check(qccArtifactWriteFile(artifact_.get(), path.c_str()));
  }
  Module load() const { return Module::load(data(), size()); }

  /// JSON; empty unless the options have the flag QCC_COMPILE_EXPLAIN.
  std::string explanation() const {
    return qccArtifactGetExplanation(artifact_.get());
  }

  qccArtifact handle() const { return artifact_.get(); }

private:
  friend Artifact compileArtifact(std::string_view, const CompileOptions &);
  friend Artifact compileFileArtifact(const std::string &,
                                      const CompileOptions &);
  Artifact() = default;

  detail::Owner<qccArtifact, qccArtifactDestroy> artifact_;
};

namespace detail {
inline void callDiagnosticHook(void *hook,
                               const qccDiagnostic *diagnostic) noexcept {
  const auto *options = static_cast<const CompileOptions *>(hook);
  options->onDiagnostic(*diagnostic);
}

/// What options in C refer to.
struct CompileOptionParts {
  std::vector<qccWeightTensor> weights;
  std::vector<qccNamedSize> dims;
  std::vector<qccNamedShape> shapes;
  std::vector<qccWeightTensor> constants;
  qccDiagnosticHook diagnostics = qccDiagnosticHookInit();
};

/// The options as C has them, which refer to `parts` and to the options.
inline qccCompileOptions toC(const CompileOptions &options,
                             CompileOptionParts &parts) {
  qccCompileOptions c = qccCompileOptionsInit();
  c.target = options.target.c_str();
  c.weights = options.weights.empty() ? nullptr : options.weights.c_str();
  c.name = options.name.c_str();
  if (options.onDiagnostic) {
    parts.diagnostics.context = const_cast<CompileOptions *>(&options);
    parts.diagnostics.handle = callDiagnosticHook;
    c.diagnostics = &parts.diagnostics;
  }
  c.flags = options.flags;
  c.isolatedCompiler = options.isolatedCompiler.empty()
                           ? nullptr
                           : options.isolatedCompiler.c_str();
  c.tuning = options.tuning.empty() ? nullptr : options.tuning.c_str();
  for (const auto &item : options.weightTensors)
    parts.weights.push_back(
        {sizeof(qccWeightTensor), item.first.c_str(), item.second});
  c.weightTensors = parts.weights.data();
  c.numWeightTensors = parts.weights.size();
  for (const auto &item : options.dims)
    parts.dims.push_back(
        {sizeof(qccNamedSize), item.first.c_str(), item.second});
  c.dims = parts.dims.data();
  c.numDims = parts.dims.size();
  for (const auto &item : options.shapes)
    parts.shapes.push_back({sizeof(qccNamedShape), item.first.c_str(),
                            static_cast<int32_t>(item.second.size()),
                            item.second.data()});
  c.shapes = parts.shapes.data();
  c.numShapes = parts.shapes.size();
  for (const auto &item : options.constants)
    parts.constants.push_back(
        {sizeof(qccWeightTensor), item.first.c_str(), item.second});
  c.constants = parts.constants.data();
  c.numConstants = parts.constants.size();
  c.weightHook = options.weightHook;
  c.cancel = options.cancel ? options.cancel->handle() : nullptr;
  c.timeoutNanoseconds = options.timeout.count();
  c.memoryLimitBytes = options.memoryLimitBytes;
  c.threads = options.threads;
  c.tfliteRounding =
      options.tfliteRounding.empty() ? nullptr : options.tfliteRounding.c_str();
  return c;
}
} // namespace detail

/// Text or bytecode of MLIR.
inline Artifact compileArtifact(std::string_view text,
                                const CompileOptions &options = {}) {
  Artifact artifact;
  detail::CompileOptionParts parts;
  qccCompileOptions c = detail::toC(options, parts);
  detail::check(
      qccCompileText(text.data(), text.size(), &c, artifact.artifact_.fill()));
  return artifact;
}
inline Artifact compileFileArtifact(const std::string &path,
                                    const CompileOptions &options = {}) {
  Artifact artifact;
  detail::CompileOptionParts parts;
  qccCompileOptions c = detail::toC(options, parts);
  detail::check(qccCompileFile(path.c_str(), &c, artifact.artifact_.fill()));
  return artifact;
}

/// Compiles and loads.
inline Module compile(std::string_view text,
                      const CompileOptions &options = {}) {
  return compileArtifact(text, options).load();
}
inline Module compileFile(const std::string &path,
                          const CompileOptions &options = {}) {
  return compileFileArtifact(path, options).load();
}

} // namespace qcc

#endif // QCC_COMPILER_HPP
