//===- SmallProgram.h - A program for tests of tools ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main(x: d0 x i32) -> d0 x i32, in two steps: "twice" (layer fc1) leaves 2x in
// the arena, which is quantized with scale 0.5 and zero point 1; "more" (layer
// fc2) adds 1.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_TOOLS_SMALLPROGRAM_H
#define QCC_TEST_UNIT_TOOLS_SMALLPROGRAM_H

#include "../Runtime/FakeArtifact.h"

#include "gtest/gtest.h"

namespace qcc::test {

inline void twice(const qcc_frame *frame, int32_t, int32_t) {
  auto *x = static_cast<const int32_t *>(frame->tensors[0]);
  for (int64_t i = 0; i < frame->values[0]; ++i)
    reinterpret_cast<int32_t *>(frame->arena)[i] = 2u * x[i];
}
inline void more(const qcc_frame *frame, int32_t, int32_t) {
  auto *t = reinterpret_cast<const int32_t *>(frame->arena);
  for (int64_t i = 0; i < frame->values[0]; ++i)
    static_cast<int32_t *>(frame->tensors[1])[i] = t[i] + 1u;
}

struct SmallProgram {
  static constexpr rt::DType i32{QCC_INT, 32};

  static rt::test::FakeArtifact::EntrySpec entry(const char *name = "main") {
    rt::test::FakeArtifact::EntrySpec spec;
    spec.name = name;
    spec.arguments = {{i32, {rt::test::value(0)}, "x"}};
    spec.results = {{i32, {rt::test::value(0)}}};
    spec.symbols = spec.values = 1;
    spec.plan = [](int64_t *values) -> int64_t { return values[0] * 4; };
    spec.steps = {{"main.step0/twice", twice, false},
                  {"main.step1/more", more, false}};
    return spec;
  }

  SmallProgram() : artifact(entry()) {
    auto *dims = artifact.table<int64_t>(1);
    dims[0] = rt::test::value(0);
    auto *scale = artifact.table<float>(1);
    auto *zeroPoint = artifact.table<int32_t>(1);
    *scale = 0.5f;
    *zeroPoint = 1;
    quant = artifact.table<qcc_quant_desc>(1);
    *quant = {QCC_QUANT_PER_TENSOR, 0, 1, artifact.ref(scale),
              artifact.ref(zeroPoint)};
    outputs = artifact.table<qcc_operand_desc>(2);
    outputs[0] = {QCC_ARENA,
                  QCC_INT,
                  32,
                  1,
                  0,
                  artifact.ref(dims),
                  0,
                  0,
                  0,
                  artifact.ref(quant),
                  artifact.string("relu1"),
                  0,
                  0};
    outputs[1] = {QCC_RESULT,
                  QCC_INT,
                  32,
                  1,
                  0,
                  artifact.ref(dims),
                  0,
                  0,
                  0,
                  0,
                  artifact.string("fc2"),
                  0,
                  0};
    const char *layers[] = {"fc1", "fc2"};
    for (int i = 0; i < 2; ++i) {
      artifact.steps[i].layer_ref = artifact.string(layers[i]);
      artifact.steps[i].location_ref = artifact.string("net.py:7:3");
      artifact.steps[i].n_outputs = 1;
      artifact.steps[i].outputs_ref = artifact.ref(outputs + i);
    }
    artifact.steps[0].operations = rt::test::value(0);
    artifact.steps[0].bytes = 8;
  }

  std::shared_ptr<const rt::Module>
  load(const rt::ModuleOptions &options = rt::ModuleOptions()) const {
    rt::Result<std::shared_ptr<const rt::Module>> module =
        artifact.load(options);
    EXPECT_TRUE(module.isOk()) << module.message();
    return *module;
  }

  rt::test::FakeArtifact artifact;
  qcc_quant_desc *quant;
  qcc_operand_desc *outputs;
};

} // namespace qcc::test

#endif // QCC_TEST_UNIT_TOOLS_SMALLPROGRAM_H
