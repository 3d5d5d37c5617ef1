//===- DevicePrograms.h - A program for GPUs, by hand -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = 2 * x + w on i32 of one dynamic dimension, a multiple of 32: a step for
// each operation, with a temporary between them.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_DEVICEPROGRAMS_H
#define QCC_TEST_UNIT_RUNTIME_DEVICEPROGRAMS_H

#include "FakeArtifact.h"

#include "qcc/Runtime/Device.h"

namespace qcc::rt::test {

inline constexpr int32_t weightOfTest = 5;
inline constexpr DType i32OfTest{QCC_INT, 32};

/// The kernels. `last` is what the second one ends with.
inline std::string kernelsOfTest(const std::string &last = "ret") {
  auto kernel = [](const char *name, const char *parameters, const char *load,
                   const std::string &end) {
    return std::string("\n.visible .entry ") + name + "(" + parameters +
           R"(, .param .u64 blocks)
.reqntid 32
{
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r1, 32, %r2;
  mul.wide.u32 %d1, %r3, 4;
  ld.param.u64 %d2, [x];
  add.s64 %d3, %d2, %d1;
  ld.global.u32 %r4, [%d3];
)" + load + R"(
  ld.param.u64 %d4, [y];
  add.s64 %d5, %d4, %d1;
  st.global.u32 [%d5], %r6;
  )" + end +
           ";\n}\n";
  };
  return ".version 7.0\n.target sm_75\n.address_size 64\n" +
         kernel("twice", ".param .u64 x, .param .u64 y",
                "  shl.b32 %r6, %r4, 1;", "ret") +
         kernel("add", ".param .u64 x, .param .u64 w, .param .u64 y",
                "  ld.param.u64 %d6, [w];\n  ld.global.u32 %r5, [%d6];\n"
                "  add.s32 %r6, %r4, %r5;",
                last);
}

inline FakeArtifact::EntrySpec entryOfTest() {
  FakeArtifact::EntrySpec entry;
  entry.arguments = {{i32OfTest, {value(0)}, "x"}};
  entry.results = {{i32OfTest, {value(0)}, "y"}};
  entry.symbols = 1;
  entry.values = 2;
  entry.plan = [](int64_t *values) -> int64_t {
    values[1] = values[0] / 32;
    return 4 * values[0];
  };
  FakeArtifact::OperandSpec x{QCC_ARGUMENT, 0, i32OfTest, {value(0)}};
  FakeArtifact::OperandSpec temporary{QCC_ARENA, 0, i32OfTest, {value(0)}};
  FakeArtifact::OperandSpec weight{QCC_WEIGHTS, 0, i32OfTest, {1}};
  FakeArtifact::OperandSpec y{QCC_RESULT, 0, i32OfTest, {value(0)}};
  FakeArtifact::StepSpec first{"main.step0.twice", nullptr}, second = first;
  first.kernel = "twice";
  first.inputs = {x};
  first.outputs = {temporary};
  second.name = "main.step1.add";
  second.kernel = "add";
  second.inputs = {temporary, weight};
  second.outputs = {y};
  first.grid = second.grid = value(1);
  entry.steps = {first, second};
  return entry;
}

class DeviceArtifact : public FakeArtifact {
public:
  explicit DeviceArtifact(const std::string &ptx = kernelsOfTest(),
                          const char *architecture = "sm_75")
      : FakeArtifact(entryOfTest()) {
    setKernels(0, architecture, ptx.c_str());
    memcpy(weights, &weightOfTest, sizeof(weightOfTest));
  }

  Result<std::shared_ptr<const Module>>
  loadOn(const std::shared_ptr<Device> &device) const {
    ModuleOptions options;
    options.device = device;
    return load(options);
  }
};

/// Inputs and results of a run, in memory of the host.
struct ValuesOfTest {
  explicit ValuesOfTest(int64_t count) : x(count), y(count, -1) {
    for (int64_t i = 0; i < count; ++i)
      x[i] = int32_t(3 * i - 7);
  }
  std::vector<Tensor> inputs() {
    return {Tensor(x.data(), i32OfTest, {int64_t(x.size())})};
  }
  std::vector<Tensor> outputs() {
    return {Tensor(y.data(), i32OfTest, {int64_t(y.size())})};
  }
  bool areRight() const {
    for (size_t i = 0; i < x.size(); ++i)
      if (y[i] != 2 * x[i] + weightOfTest)
        return false;
    return true;
  }

  std::vector<int32_t> x, y;
};

} // namespace qcc::rt::test

#endif // QCC_TEST_UNIT_RUNTIME_DEVICEPROGRAMS_H
