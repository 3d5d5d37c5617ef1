//===- ONNXTests.cpp - Import of ONNX models from memory ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestImport.h"
#include "qcc/Frontend/ONNX/Import.h"
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sys/resource.h>

using namespace qcc;

//===----------------------------------------------------------------------===//
// Writing models
//===----------------------------------------------------------------------===//

static std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7)
    bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

static std::string number(unsigned tag, uint64_t value) {
  return varint(tag << 3) + varint(value);
}

static std::string field(unsigned tag, const std::string &bytes) {
  return varint(tag << 3 | 2) + varint(bytes.size()) + bytes;
}

/// A ValueInfoProto of float32.
static std::string info(const std::string &name,
                        const std::vector<int64_t> &dims) {
  std::string shape;
  for (int64_t dim : dims)
    shape += field(1, dim ? number(1, dim) : field(2, "n"));
  return field(1, name) + field(2, field(1, number(1, 1) + field(2, shape)));
}

static std::string node(const std::string &op,
                        const std::vector<std::string> &inputs,
                        const std::string &output,
                        const std::string &attributes = "") {
  std::string bytes;
  for (const std::string &input : inputs)
    bytes += field(1, input);
  return bytes + field(2, output) + field(3, output) + field(4, op) +
         attributes;
}

/// An attribute of integers.
static std::string ints(const std::string &name,
                        const std::vector<int64_t> &values) {
  std::string packed;
  for (int64_t value : values)
    packed += varint(value);
  return field(5, field(1, name) + field(8, packed) + number(20, 7));
}

static std::string tensor(const std::string &name, unsigned type,
                          const std::vector<int64_t> &dims,
                          const std::string &data) {
  std::string bytes;
  for (int64_t dim : dims)
    bytes += number(1, dim);
  return bytes + number(2, type) + field(8, name) + field(9, data);
}

/// The model of a graph, after its ir_version.
static std::string model(const std::string &graph, int64_t set = 17) {
  return number(1, 8) + field(7, graph) + field(8, number(2, set));
}

/// A convolution of bytes that are quantized, a pooling and a reshape.
static std::string network() {
  std::string one(4, '\0'), shape(16, '\0');
  one[2] = static_cast<char>(0x80);
  one[3] = 0x3f;
  shape[0] = 1;
  std::memset(&shape[8], 0xff, 8);
  std::string graph =
      field(1, node("QuantizeLinear", {"x", "s", "z"}, "q")) +
      field(1, node("DequantizeLinear", {"q", "s", "z"}, "d")) +
      field(1, node("DequantizeLinear", {"w", "s", "z"}, "v")) +
      field(1, node("Conv", {"d", "v"}, "c", ints("pads", {1, 1, 1, 1}))) +
      field(1, node("MaxPool", {"c"}, "p", ints("kernel_shape", {2, 2}))) +
      field(1, node("Reshape", {"p", "t"}, "y")) + field(2, "network");
  graph += field(5, tensor("s", 1, {}, one)) +
           field(5, tensor("z", 3, {}, std::string(1, 3))) +
           field(5, tensor("w", 3, {2, 2, 3, 3}, std::string(36, 5))) +
           field(5, tensor("t", 7, {2}, shape));
  return model(graph + field(11, info("x", {1, 2, 6, 6})) +
               field(12, info("y", {1, 50})));
}

/// Whether it is imported; what is wrong is said.
static bool imports(const std::string &bytes, std::string *errors = nullptr) {
  std::unique_ptr<mlir::MLIRContext> context = test::makeContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      context.get(),
      [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(bytes, "model.onnx"), llvm::SMLoc());
  bool isImported = static_cast<bool>(importONNX(sources, context.get()));
  EXPECT_NE(isImported, !said.empty()) << said;
  if (errors)
    *errors = said;
  return isImported;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST(ONNXTests, KnowsModelsByTheirContent) {
  EXPECT_TRUE(isONNX(network()));
  EXPECT_FALSE(isONNX(""));
  EXPECT_FALSE(isONNX("func.func @f()"));
  EXPECT_FALSE(isONNX("module {}"));
  EXPECT_FALSE(isONNX("ML\xefR"));
  // Another order of fields.
  EXPECT_TRUE(isONNX(field(7, "") + number(1, 8)));
  EXPECT_FALSE(isONNX(field(8, "")));
}

TEST(ONNXTests, ImportsANetwork) {
  std::string errors;
  EXPECT_TRUE(imports(network(), &errors)) << errors;
}

TEST(ONNXTests, RefusesEveryTruncation) {
  std::string bytes = network();
  // The last field names the operator set: no model is whole without it.
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(imports(bytes.substr(0, size))) << size;
}

/// The number that an environment variable says, as FrontendMutantTests has it.
static unsigned fromEnvironment(const char *name, unsigned absent) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : absent;
}

/// The bytes of a model that torch wrote.
static std::string torchModel(const std::string &name) {
  std::ifstream file(QCC_SOURCE_DIR "/test/Frontend/ONNX/Inputs/" + name +
                         "/model.onnx",
                     std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Damaged models are refused or imported, each in less than two seconds of a
/// CPU, and all of them in a process of less than a GiB.
TEST(ONNXTests, SurvivesDamage) {
  std::mt19937 random(fromEnvironment("QCC_MUTANT_SEED", 7));
  const std::string seeds[] = {network(), torchModel("torch-float"),
                               torchModel("torch-pt2e")};
  for (const std::string &seed : seeds)
    ASSERT_TRUE(imports(seed));
  for (unsigned i = fromEnvironment("QCC_MUTANTS", 10000); i > 0; --i) {
    std::string damaged = seeds[random() % std::size(seeds)];
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      size_t place = random() % damaged.size();
      if (random() % 4 == 0)
        damaged.erase(place, random() % 4);
      else
        damaged[place] = static_cast<char>(random());
    }
    clock_t start = clock();
    imports(damaged);
    ASSERT_LT(clock() - start, 2 * CLOCKS_PER_SEC) << "mutant " << i;
  }
  rusage usage;
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 1 << 20); // KiB
}

TEST(ONNXTests, RefusesDeepGraphs) {
  std::string graph;
  for (int depth = 0; depth < 200; ++depth)
    graph = field(1, node("If", {"c"}, "y", field(5, field(6, graph))));
  std::string errors;
  EXPECT_FALSE(imports(model(graph), &errors));
  EXPECT_NE(errors.find("graphs are nested more than 32 deep"),
            std::string::npos)
      << errors;
}

TEST(ONNXTests, RefusesSizesThatOverflow) {
  for (int64_t dim : {int64_t(1) << 62, int64_t(-1), INT64_MAX}) {
    std::string graph = field(1, node("Relu", {"w"}, "y")) +
                        field(5, tensor("w", 1, {dim, 8}, "")) +
                        field(12, info("y", {8}));
    EXPECT_FALSE(imports(model(graph)));
  }
}
