//===- WeightsTests.cpp - Data behind dense_resource ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestImport.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;
using namespace qcc::test;

/// The bytes of the resource `name`.
static ArrayRef<char> bytesOf(Imported &imported, StringRef name) {
  ArrayRef<char> bytes;
  imported.module->walk([&](arith::ConstantOp op) {
    auto attr = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (attr && attr.getRawHandle().getKey() == name)
      bytes = attr.getRawHandle().getBlob()->getData();
  });
  return bytes;
}

static ImportOptions randomWeights(uint64_t seed) {
  ImportOptions options;
  options.weights.kind = WeightsSource::Kind::Random;
  options.weights.seed = seed;
  return options;
}

static void expectRejected(StringRef program, const ImportOptions &options,
                           std::initializer_list<StringRef> texts) {
  Imported imported = import(program, options);
  EXPECT_FALSE(imported.module);
  for (StringRef text : texts)
    EXPECT_NE(imported.errors.find(text), std::string::npos)
        << "'" << text.str() << "' is not in:\n"
        << imported.errors;
}

/// A program with the one weight `w`.
static std::string programWith(StringRef type, StringRef resources = "") {
  return ("func.func @f() -> " + type + " {\n  %w = arith.constant " +
          "dense_resource<w> : " + type + "\n  return %w : " + type + "\n}\n" +
          resources)
      .str();
}

static std::string inlineWeight(StringRef bytes) {
  return ("{-# dialect_resources: { builtin: { w: \"0x40000000" + bytes +
          "\" } } #-}")
      .str();
}

TEST(Weights, SourceIsParsed) {
  auto kindOf = [](StringRef text) {
    llvm::Expected<WeightsSource> source = WeightsSource::parse(text);
    EXPECT_TRUE(static_cast<bool>(source)) << text.str();
    return source->kind;
  };
  EXPECT_EQ(kindOf("a/b.npz"), WeightsSource::Kind::File);
  EXPECT_EQ(kindOf("random.safetensors"), WeightsSource::Kind::File);
  EXPECT_EQ(kindOf("random"), WeightsSource::Kind::Random);
  EXPECT_EQ(WeightsSource::parse("random:7")->seed, 7u);
  for (StringRef bad : {"random:", "random:many", "random:-1", "x.npy", ""}) {
    llvm::Expected<WeightsSource> source = WeightsSource::parse(bad);
    EXPECT_FALSE(static_cast<bool>(source)) << bad.str();
    llvm::consumeError(source.takeError());
  }
}

TEST(Weights, InlineSizesAreChecked) {
  EXPECT_TRUE(import(programWith("tensor<2xi8>", inlineWeight("0102"))).module);
  expectRejected(programWith("tensor<3xi8>", inlineWeight("0102")), {},
                 {"2: ", "'w' has 2 bytes", "3xi8 needs 3"});
  expectRejected(programWith("tensor<1xi8>", inlineWeight("0102")), {},
                 {"2: ", "'w' has 2 bytes", "1xi8 needs 1"});
  // Also in a nested region, and in an attribute of any name.
  expectRejected(R"(func.func @f(%c: i1) {
      scf.if %c {
        %w = arith.constant {my.a = [dense_resource<w> : tensor<3xf32>]} 0 : i32
      }
      return
    } )" + inlineWeight("0102"),
                 {}, {"3: ", "'w' has 2 bytes", "3xf32 needs 12"});
}

TEST(Weights, NarrowedStorageIsChecked) {
  std::string type = "tensor<2x!quant.uniform<i8<-127:127>:f32, 1.0>>";
  EXPECT_TRUE(import(programWith(type, inlineWeight("8101"))).module);
  expectRejected(programWith(type, inlineWeight("0180")), {},
                 {"2: ", "-128 at index 1", "[-127, 127]"});
}

TEST(Weights, MissingWithoutSource) {
  expectRejected(programWith("tensor<4x8xi8>"), {},
                 {"2: ", "'w' (4x8xi8) has no data", "option `weights`"});
}

TEST(Weights, RandomDependsOnSeedAndName) {
  std::string program = R"(
    func.func @f() -> (tensor<64xi8>, tensor<64xi8>) {
      %a = arith.constant dense_resource<a> : tensor<64xi8>
      %b = arith.constant dense_resource<b> : tensor<64xi8>
      return %a, %b : tensor<64xi8>, tensor<64xi8> })";
  Imported one = import(program, randomWeights(1)),
           same = import(program, randomWeights(1)),
           other = import(program, randomWeights(2));
  ASSERT_TRUE(one.module) << one.errors;
  EXPECT_EQ(bytesOf(one, "a"), bytesOf(same, "a"));
  EXPECT_NE(bytesOf(one, "a"), bytesOf(other, "a"));
  EXPECT_NE(bytesOf(one, "a"), bytesOf(one, "b"));
}

TEST(Weights, RandomValuesAreValid) {
  Imported imported = import(R"(
    func.func @f(%x: tensor<4x8xi8>) -> tensor<4x512xf32> {
      %w = arith.constant dense_resource<w> : tensor<512x8xi8>
      %s = arith.constant dense_resource<s> : tensor<2x256xf32>
      %sc = tensor.collapse_shape %s [[0, 1]] : tensor<2x256xf32> into tensor<512xf32>
      %z = arith.constant dense_resource<z> : tensor<512xi32>
      %b = arith.constant dense_resource<b> : tensor<512xf32>
      %n = arith.constant dense_resource<n> : tensor<512x!quant.uniform<u8<3:5>:f32, 1.0:4>>
      %one = arith.constant 1.0 : f32
      %y = qnn.linear %x, %w bias(%b : tensor<512xf32>) input_scale(%one : f32) weight_scale(%sc : tensor<512xf32>)
        weight_zero_point(%z : tensor<512xi32>) : tensor<4x8xi8>, tensor<512x8xi8> -> tensor<4x512xf32>
      return %y : tensor<4x512xf32> })",
                             randomWeights(7));
  ASSERT_TRUE(imported.module) << imported.errors;
  auto floats = [&](StringRef name) {
    ArrayRef<char> bytes = bytesOf(imported, name);
    return ArrayRef<float>(reinterpret_cast<const float *>(bytes.data()),
                           bytes.size() / 4);
  };
  bool negative = false;
  for (float value : floats("b")) {
    EXPECT_TRUE(value >= -1.0f && value < 1.0f);
    negative |= value < 0;
  }
  EXPECT_TRUE(negative);
  for (float value : floats("s"))
    EXPECT_GT(value, 0.0f);
  for (char q : bytesOf(imported, "n"))
    EXPECT_TRUE(q >= 3 && q <= 5);
  ArrayRef<char> w = bytesOf(imported, "w");
  EXPECT_EQ(*std::min_element(w.begin(), w.end()), -128);
  EXPECT_EQ(*std::max_element(w.begin(), w.end()), 127);
}

/// Otherwise verifiers would refuse them.
TEST(Weights, RandomParametersOfConvolutionsAreValid) {
  for (StringRef op : {"conv2d", "conv_transpose2d"}) {
    Imported imported = import(
        R"(
    func.func @f(%x: tensor<1x1x1x8xi8>) -> tensor<1x1x1x512xi8> {
      %w = arith.constant dense_resource<w> : tensor<512x1x1x8xi8>
      %sx = arith.constant dense_resource<sx> : tensor<1xf32>
      %sw = arith.constant dense_resource<sw> : tensor<512xf32>
      %zw = arith.constant dense_resource<zw> : tensor<512xi32>
      %sy = arith.constant dense_resource<sy> : tensor<1xf32>
      %y = qnn.)" +
            op.str() +
            R"( %x, %w input_scale(%sx : tensor<1xf32>) weight_scale(%sw : tensor<512xf32>)
        weight_zero_point(%zw : tensor<512xi32>) output_scale(%sy : tensor<1xf32>)
        : tensor<1x1x1x8xi8>, tensor<512x1x1x8xi8> -> tensor<1x1x1x512xi8>
      return %y : tensor<1x1x1x512xi8> })",
        randomWeights(7));
    EXPECT_TRUE(imported.module) << imported.errors;
  }
}

TEST(Weights, RandomParametersOfImagesAreValid) {
  for (StringRef op :
       {"avg_pool2d", "resize {mode = \"linear\", coordinate_transformation = "
                      "\"half_pixel\"}"}) {
    auto [name, attributes] = op.split(' ');
    Imported imported = import(
        R"(
    func.func @f(%x: tensor<1x1x1x512xi8>) -> tensor<1x1x1x512xi8> {
      %sx = arith.constant dense_resource<sx> : tensor<512xf32>
      %zx = arith.constant dense_resource<zx> : tensor<512xi32>
      %sy = arith.constant dense_resource<sy> : tensor<512xf32>
      %y = qnn.)" +
            name.str() +
            R"( %x input_scale(%sx : tensor<512xf32>) input_zero_point(%zx : tensor<512xi32>)
        output_scale(%sy : tensor<512xf32>) )" +
            attributes.str() +
            R"( : tensor<1x1x1x512xi8> -> tensor<1x1x1x512xi8>
      return %y : tensor<1x1x1x512xi8> })",
        randomWeights(7));
    EXPECT_TRUE(imported.module) << imported.errors;
  }
}

namespace {
/// A .safetensors file that lives as long as the test.
struct TemporaryFile {
  llvm::SmallString<128> path;
  TemporaryFile(StringRef header, StringRef data) {
    EXPECT_FALSE(
        llvm::sys::fs::createTemporaryFile("weights", "safetensors", path));
    std::error_code error;
    llvm::raw_fd_ostream stream(path, error);
    uint64_t size = header.size();
    stream.write(reinterpret_cast<const char *>(&size), 8);
    stream << header << data;
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  ImportOptions options() const {
    ImportOptions options;
    options.weights = *WeightsSource::parse(path);
    return options;
  }
};
} // namespace

TEST(Weights, FromFile) {
  TemporaryFile file(
      R"({"w":{"dtype":"I8","shape":[2,2],"data_offsets":[0,4]},)"
      R"("u":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})",
      "abcdef");
  Imported imported = import(programWith("tensor<2x2xi8>"), file.options());
  ASSERT_TRUE(imported.module) << imported.errors;
  EXPECT_EQ(StringRef(bytesOf(imported, "w").data(), 4), "abcd");
  EXPECT_TRUE(import(programWith("tensor<2x2x!quant.uniform<i8:f32, 1.0>>"),
                     file.options())
                  .module);
  expectRejected(programWith("tensor<4xi8>"), file.options(),
                 {"2: ", "'w' is 2x2xi8", "4xi8", file.path});
  expectRejected(programWith("tensor<2x2xui8>"), file.options(),
                 {"2: ", "'w' is 2x2xi8", "2x2xu8", file.path});
  expectRejected(programWith("tensor<2x2x!quant.uniform<u8:f32, 1.0>>"),
                 file.options(), {"2: ", "'w' is 2x2xi8", "2x2xu8"});
  std::string other = programWith("tensor<2xui8>");
  size_t at = other.find("<w>");
  other.replace(at, 3, "<v>");
  expectRejected(other, file.options(), {"2: ", "'v'", file.path});
  expectRejected(R"(func.func @f() -> (tensor<2x2xi8>, tensor<4xi8>) {
      %a = arith.constant dense_resource<w> : tensor<2x2xi8>
      %b = arith.constant dense_resource<w> : tensor<4xi8>
      return %a, %b : tensor<2x2xi8>, tensor<4xi8> })",
                 file.options(), {"3: ", "'w' is 4xi8 here but 2x2xi8"});
}

TEST(Weights, FileThatCannotBeRead) {
  ImportOptions options;
  options.weights = *WeightsSource::parse("no/such/file.npz");
  expectRejected(programWith("tensor<2xi8>"), options, {"no/such/file.npz"});
  TemporaryFile damaged("{", "");
  expectRejected(programWith("tensor<2xi8>"), damaged.options(),
                 {damaged.path});
}

// Scales are checked once their data are there.
TEST(Weights, InvalidScales) {
  float scales[] = {1.0f, -1.0f};
  TemporaryFile file(
      R"({"s":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
      StringRef(reinterpret_cast<const char *>(scales), sizeof(scales)));
  expectRejected(R"(func.func @f(%x: tensor<4x2xi8>) -> tensor<4x2xf32> {
      %s = arith.constant dense_resource<s> : tensor<2xf32>
      %y = qnn.dequantize %x scale(%s : tensor<2xf32>) : tensor<4x2xi8> -> tensor<4x2xf32>
      return %y : tensor<4x2xf32> })",
                 file.options(), {"3: ", "scale", "negative"});
}

TEST(Weights, LentBytesStayWhereTheyAre) {
  alignas(64) static const char bytes[64] = {1, 2, 3};
  int asked = 0, givenBack = 0;
  ImportOptions options;
  options.weights.kind = WeightsSource::Kind::Lent;
  options.weights.lend = [&](StringRef name, rt::DType dtype,
                             ArrayRef<int64_t> shape) -> rt::Result<LentBytes> {
    ++asked;
    EXPECT_EQ(name, "w");
    EXPECT_EQ(rt::describe(dtype, shape.vec()), "4x8xi8");
    return LentBytes{ArrayRef(bytes, 32), [&] { ++givenBack; }};
  };
  {
    Imported imported = import(programWith("tensor<4x8xi8>"), options);
    ASSERT_TRUE(imported.module) << imported.errors;
    EXPECT_EQ(bytesOf(imported, "w").data(), bytes);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(givenBack, 0);
  }
  EXPECT_EQ(givenBack, 1);
  // Those that are not aligned are copied.
  options.weights.lend = [&](StringRef, rt::DType,
                             ArrayRef<int64_t>) -> rt::Result<LentBytes> {
    return LentBytes{ArrayRef(bytes + 1, 8), [&] { ++givenBack; }};
  };
  Imported copied = import(programWith("tensor<2xf32>"), options);
  ASSERT_TRUE(copied.module) << copied.errors;
  EXPECT_EQ(givenBack, 2);
  EXPECT_EQ(bytesOf(copied, "w")[0], 2);
  options.weights.lend = [&](StringRef, rt::DType,
                             ArrayRef<int64_t>) -> rt::Result<LentBytes> {
    return rt::notFound("there is none today");
  };
  expectRejected(programWith("tensor<4x8xi8>"), options,
                 {"2: ", "weight 'w' (4x8xi8): there is none today"});
}
