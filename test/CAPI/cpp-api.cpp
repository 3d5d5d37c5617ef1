//===- cpp-api.cpp - The C++ API of the runtime ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %capi/cpp-api %capi/program.so

#include "Check.h"

#include "qcc/runtime.hpp"

#include <atomic>
#include <fstream>
#include <iterator>

/// The failure of a call, or "ok".
template <typename Call> static std::string errorOf(Call call) {
  try {
    call();
  } catch (const qcc::Error &error) {
    return std::string(qccStatusCodeGetName(error.code())) + ": " +
           error.what();
  }
  return "ok";
}

static bool has(const std::string &text, const char *part) {
  if (text.find(part) != std::string::npos)
    return true;
  fprintf(stderr, "is: %s\n", text.c_str());
  return false;
}

static void inspection(const qcc::Module &module) {
  CHECK(module.entries().size() == 5 && module.entries()[1] == "increment");
  CHECK(module.entry().numArguments == 2);
  CHECK(std::string(module.argument("", 1).name) == "bias");
  CHECK(module.result("increment", 0).inPlaceArgument == 0);
  CHECK(module.variants().size() == 2 && module.variants()[0].chosen);
  CHECK(has(errorOf([&] { module.entry("other"); }),
            "not found: the program has no entry 'other'"));
  CHECK(has(errorOf([&] { module.function("other"); }), "not found: "));
  CHECK(has(errorOf([&] { module.argument("", 9); }), "no argument 9"));
}

static void calls(const qcc::Module &module) {
  qcc::Function f = module.function("main");
  const float x[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  const std::vector<float> bias = {1, 2, 3, 4};
  std::vector<qcc::Tensor> y = f({{&x[0][0], {3, 4}}, {bias.data(), {4}}});
  CHECK(y.size() == 1 && y[0].shape() == (std::vector<int64_t>{3, 4}));
  CHECK(y[0].size() == 12 && y[0].rank() == 2);
  CHECK(y[0].data<float>()[11] == 28);
  float sum = 0;
  for (float value : y[0].elements<float>())
    sum += value;
  CHECK(sum == 2 * 78 + 3 * 10);

  // A result as the argument of the next call, into memory of the caller.
  float z[12] = {};
  f.run({y[0], {bias.data(), {4}}}, {{z, {3, 4}}});
  CHECK(z[11] == 60);
  CHECK(f.info().numSteps == 2 && std::string(f.step(1).name) == "main.add");

  CHECK(has(errorOf([&] { y[0].data<int32_t>(); }), "of another type"));
  CHECK(has(errorOf([&] { f({y[0]}); }), "but the call has 1"));
  CHECK(has(errorOf([&] { f.run({y[0], {bias.data(), {4}}}, {{z, {4, 3}}}); }),
            "result 0 is 4x3xf32"));
  CHECK(has(errorOf([&] { qcc::TensorView(z, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }),
            "up to 8 dimensions, not 9"));

  // Moves, and a result that outlives its function.
  qcc::Function g = std::move(f);
  CHECK(g({y[0], {bias.data(), {4}}})[0].data<float>()[0] == 7);
  qcc::Tensor last = std::move(y[0]);
  DLManagedTensor *released = last.release();
  CHECK(released->dl_tensor.ndim == 2);
  qcc::Tensor again(released);
  CHECK(again.data<float>()[0] == 3);
}

static void elementTypes() {
  CHECK(qcc::isSameType(qcc::elementType<const bool>(), {kDLBool, 8, 1}));
  CHECK(qcc::isSameType(qcc::elementType<int8_t>(), {kDLInt, 8, 1}));
  CHECK(qcc::isSameType(qcc::elementType<uint64_t>(), {kDLUInt, 64, 1}));
  CHECK(qcc::isSameType(qcc::elementType<double>(), {kDLFloat, 64, 1}));
  CHECK(!qcc::isSameType(qcc::float16, qcc::bfloat16));
  uint16_t half = 0x3c00;
  qcc::TensorView view(&half, qcc::float16, nullptr, 0);
  CHECK(view.rank() == 0 && view.dlpack().dtype.bits == 16);
}

static void hooks(const qcc::Module &module) {
  int loops = 0, lines = 0;
  qcc::CancelToken cancel;
  qcc::FunctionOptions options;
  options.threads = 3;
  options.cancel = &cancel;
  options.log = [&](const char *) { ++lines; };
  options.parallelFor = [&](int threads, const std::function<void(int)> &body) {
    ++loops;
    for (int i = 0; i < threads; ++i)
      body(i);
  };
  qcc::Function f = module.function("increment", options);
  std::vector<int32_t> x = {1, 2, 3};
  f.run({{x.data(), {3}}}, {{x.data(), {3}}});
  CHECK(x[2] == 4 && loops == 1 && lines > 0);
  cancel.cancel();
  CHECK(cancel.isCancelled());
  CHECK(has(errorOf([&] { f({{x.data(), {3}}}); }), "cancelled: "));
  cancel.reset();
  CHECK(f({{x.data(), {3}}})[0].data<int32_t>()[0] == 3);

  qcc::CancelToken ofRun;
  qcc::RunOptions run;
  run.cancel = &ofRun;
  run.timeout = std::chrono::minutes(10);
  f.run({{x.data(), {3}}}, {{x.data(), {3}}}, run);
  CHECK(f({{x.data(), {3}}}, run)[0].data<int32_t>()[2] == 6);
  ofRun.cancel();
  CHECK(has(errorOf([&] { f({{x.data(), {3}}}, run); }), "cancelled: "));
  run = {};
  run.timeout = std::chrono::nanoseconds(1);
  CHECK(has(errorOf([&] { f({{x.data(), {3}}}, run); }), "timed out: "));

  qcc::ThreadPool pool(2);
  CHECK(pool.threads() == 2);
  qcc::FunctionOptions shared;
  shared.pool = &pool;
  CHECK(module.function("increment", shared).info().threads == 2);
}

static void pools(const qcc::Module &module) {
  CHECK(qcc::ThreadPool(3, {0}).threads() == 3);
  CHECK(has(errorOf([] { qcc::ThreadPool(2, {-1}); }), "no CPU -1"));
  qcc::ThreadPool four(4);
  four.setAsOfProcess();
  CHECK(qcc::ThreadPool::ofProcess().threads() == 4);
  CHECK(module.function("increment").info().threads == 4);
  qccThreadPoolSetDefault(nullptr);
}

static void startedRuns(const qcc::Module &module) {
  qcc::Function f = module.function("increment");
  std::vector<int32_t> x = {1, 2, 3};
  std::atomic<int> numDone{0};
  size_t numSteps = 0;
  qcc::RunOptions options;
  options.profile = true;
  options.afterStep = [&](size_t, const qccStepInfo &info) {
    numSteps += info.nanoseconds > 0;
  };
  for (int i = 0; i < 10; ++i) {
    qcc::Run run = f.start({{x.data(), {3}}}, {{x.data(), {3}}}, options,
                           [&](qccStatus status) { numDone += !status; });
    run.wait();
    CHECK(run.waitFor(std::chrono::nanoseconds(0)));
  }
  CHECK(x[2] == 13 && numDone == 10 && numSteps == 10);
  f.run({{x.data(), {3}}}, {{x.data(), {3}}}, options);
  CHECK(numSteps == 11);
  CHECK(has(errorOf([&] { f.start({}, {}); }), "but the call has 0"));
  qcc::Function refusing = module.function("refuse");
  std::vector<int32_t> y(3);
  qcc::Run run = refusing.start({{x.data(), {3}}}, {{y.data(), {3}}});
  CHECK(has(errorOf([&] { run.wait(); }), "kernel failed: "));
}

static void managedTensors(const qcc::Module &module) {
  std::vector<int32_t> x = {1, 2, 3};
  qcc::Function f = module.function("increment");
  qcc::Tensor y = std::move(f({{x.data(), {3}}})[0]);
  CHECK(!y.isReadOnly());
  DLManagedTensorVersioned *versioned = y.releaseVersioned();
  CHECK(versioned->version.major == DLPACK_MAJOR_VERSION);
  versioned->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  qcc::Tensor again(versioned);
  CHECK(again.isReadOnly() && again.data<int32_t>()[2] == 4);
  // Through both kinds, one around the other.
  qcc::Tensor last(again.release());
  CHECK(last.data<int32_t>()[0] == 2 && last.shape()[0] == 3);
  CHECK(f({last})[0].data<int32_t>()[2] == 5);
  versioned = last.releaseVersioned();
  versioned->version.major = 2;
  CHECK(has(errorOf([&] { qcc::Tensor{versioned}; }),
            "unsupported: the tensor is of another version of DLPack, 2"));
}

static void slices(const qcc::Module &module) {
  qcc::Function f = module.function("main");
  const float x[2][7] = {{1, 2, 3, 4, 0, 0, 0}, {5, 6, 7, 8, 0, 0, 0}};
  float y[2][5] = {}, bias[4] = {1};
  qcc::TensorView from = qcc::TensorView(&x[0][0], {2, 4}).withOuterStride(7);
  qcc::TensorView to = qcc::TensorView(&y[0][0], {2, 4}).withOuterStride(5);
  CHECK(has(errorOf([&] { f.run({from, {bias, {4}}}, {to}); }),
            "run each slice by itself"));
  qcc::RunOptions options;
  options.eachSlice = true;
  f.run({from, {bias, {4}}}, {to}, options);
  CHECK(y[0][0] == 3 && y[1][3] == 16 && y[0][4] == 0);
}

static void metadata(const qcc::Module &module) {
  auto pairs = module.metadata();
  CHECK(pairs.size() == 2 && pairs[0].first == "author");
  CHECK(pairs[1].second == "cat,dog");
  CHECK(module.info().artifactVersion == qccGetArtifactVersion());
}

/// Hooks move with the function that calls them.
static void moves(const qcc::Module &module) {
  int lines[2] = {0, 0};
  auto makeFunction = [&](int which) {
    qcc::FunctionOptions options;
    options.log = [&lines, which](const char *) { ++lines[which]; };
    return module.function("increment", options);
  };
  qcc::Function a = makeFunction(0), b = makeFunction(1);
  std::vector<int32_t> x = {1, 2, 3};
  a = std::move(b);
  a.run({{x.data(), {3}}}, {{x.data(), {3}}});
  CHECK(lines[0] == 0 && lines[1] > 0);
  int before = lines[1];
  b.run({{x.data(), {2}}}, {{x.data(), {2}}});
  CHECK(lines[0] > 0 && lines[1] == before);
  qcc::Function c = std::move(a);
  c.run({{x.data(), {1}}}, {{x.data(), {1}}});
  CHECK(lines[1] > before);
  CHECK(has(errorOf([&] { a.run({{x.data(), {1}}}, {{x.data(), {1}}}); }),
            "the context is a null pointer"));
}

static void elements(const qcc::Module &module) {
  std::vector<int32_t> x = {1, 2, 3};
  std::vector<qcc::Tensor> y = module.function("increment")({{x.data(), {3}}});
  int32_t sum = 0;
  for (int32_t element : y[0].elements<int32_t>())
    sum += element;
  CHECK(sum == 9 && y[0].elements<int32_t>().size() == 3);
  y[0].elements<int32_t>()[1] = 7;
  CHECK(y[0].data<int32_t>()[1] == 7);
  CHECK(has(errorOf([&] { y[0].elements<float>(); }), "of another type"));
}

/// A key is handed on, also an empty one; signature.c has what it does.
static void operation(const qcc::Module &module) {
  std::vector<std::pair<uint64_t, std::string>> records;
  qcc::setLogHandler(
      [&](const qccLogRecord &record) {
        records.emplace_back(record.tag, record.message);
      },
      QCC_LOG_DEBUG);
  qccProcessInfo before = qcc::processInfo();
  std::vector<int32_t> x = {1, 2, 3};
  qcc::RunOptions options;
  options.tag = 42;
  module.function("increment")({{x.data(), {3}}}, options);
  qcc::setLogHandler(nullptr);
  CHECK(qcc::processInfo().runs == before.runs + 1);
  CHECK(records.size() == 1 && records[0].first == 42);
  CHECK(has(records[0].second, "a run took "));
  CHECK(strlen(module.info().fingerprint) == 16);
  module.checkHealth();
}

static void keys(const char *path) {
  for (const char *key : {"", "abc"}) {
    qcc::ModuleOptions options;
    options.publicKey = key;
    CHECK(has(errorOf([&] { qcc::Module::load(path, options); }),
              "publicKey: a key has 64 hexadecimal digits"));
  }
}

int main(int argc, char **argv) {
  qcc::Module module = qcc::Module::load(argv[argc - 1]);
  keys(argv[argc - 1]);
  inspection(module);
  calls(module);
  elementTypes();
  hooks(module);
  moves(module);
  elements(module);
  pools(module);
  startedRuns(module);
  managedTensors(module);
  metadata(module);
  slices(module);
  operation(module);

  std::ifstream file(argv[argc - 1], std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  CHECK(qcc::Module::load(bytes.data(), bytes.size()).entries().size() == 5);
  CHECK(qcc::Module::load(argv[argc - 1], {"x86-64"}).entries().size() == 5);
  CHECK(has(errorOf([&] { qcc::Module::load(argv[argc - 1], {"68000"}); }),
            "not found: "));
  CHECK(has(errorOf([] { qcc::Module::load("/no/such.so"); }), "not found: "));
  qcc::ModuleOptions options;
  options.privateCopy = true;
  CHECK(qcc::Module::load(argv[argc - 1], options).entries().size() == 5);
  CHECK(has(errorOf([&] { qcc::Module::load(-1, options); }),
            "invalid argument: file descriptor -1: "));
  return finishTest();
}
