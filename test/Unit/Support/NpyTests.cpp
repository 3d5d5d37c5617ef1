//===- NpyTests.cpp - .npy files ------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/TensorFile.h"

#include "TemporaryFolder.h"

#include <cstring>
#include <numeric>

using namespace qcc;
using namespace qcc::test;

static void expectMessage(const rt::Status &status, const std::string &path,
                          const char *text) {
  EXPECT_FALSE(status.isOk());
  EXPECT_EQ(status.message().find(path + ": "), 0u) << status.message();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

static std::string makeNpy(const std::string &dict, const std::string &data,
                           int major = 1) {
  std::string file = "\x93NUMPY";
  file += char(major);
  file += '\0';
  file += char(dict.size());
  file += char(dict.size() >> 8);
  if (major > 1)
    file += std::string(2, '\0');
  return file + dict + data;
}

TEST(Npy, RoundTripsEveryType) {
  TemporaryFolder folder;
  std::string path = folder.path + "/x.npy";
  for (const char *name : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
                           "f16", "f32", "f64", "bf16", "i1"})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {1}, {5}, {2, 3}, {2, 0, 4}, {2, 1, 3, 2}}) {
      rt::Result<HostTensor> tensor =
          HostTensor::create(*rt::DType::parse(name), shape);
      ASSERT_TRUE(tensor.isOk());
      for (int64_t i = 0; i < tensor->numBytes(); ++i)
        tensor->as<uint8_t>()[i] = strcmp(name, "i1") ? 17 * i : i % 2;
      ASSERT_TRUE(writeNpy(path, *tensor).isOk());
      rt::Result<HostTensor> again = readNpy(path);
      ASSERT_TRUE(again.isOk()) << again.message();
      EXPECT_EQ(again->dtype(), tensor->dtype());
      EXPECT_EQ(again->shape(), shape);
      EXPECT_EQ(memcmp(again->data(), tensor->data(), tensor->numBytes()), 0);
    }
}

TEST(Npy, WritesWhatNumpyWrites) {
  TemporaryFolder folder;
  std::string path = folder.path + "/x.npy";
  float data[2] = {1, 2};
  ASSERT_TRUE(writeNpy(path, {QCC_FLOAT, 32}, {2}, data).isOk());
  std::string bytes = TemporaryFolder::read(path);
  ASSERT_EQ(bytes.size(), 128u + 8u);
  std::string dict =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(bytes.substr(0, 10 + dict.size()),
            std::string("\x93NUMPY\1\0\x76\0", 10) + dict);
  EXPECT_EQ(bytes[127], '\n');

  // The same without a file.
  rt::Result<std::string> printed = printNpy({QCC_FLOAT, 32}, {2}, data);
  ASSERT_TRUE(printed.isOk());
  EXPECT_EQ(*printed, bytes);
  rt::Result<HostTensor> parsed = parseNpy(bytes);
  ASSERT_TRUE(parsed.isOk());
  EXPECT_EQ(parsed->as<float>()[1], 2);
  EXPECT_FALSE(parseNpy(bytes.substr(0, 130)).isOk());
}

TEST(Npy, ReadsAllVersionsAndSpellings) {
  TemporaryFolder folder;
  std::string data("\1\2\3\4\5\6", 6);
  for (int version : {1, 2, 3})
    for (const char *dict :
         {"{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }   \n",
          "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<i1\"}",
          "{ 'descr':'>i1' , 'shape' : ( 2 , 3 ) , 'fortran_order' : False "
          "}"}) {
      rt::Result<HostTensor> tensor =
          readNpy(folder.write("x.npy", makeNpy(dict, data, version)));
      ASSERT_TRUE(tensor.isOk()) << tensor.message();
      EXPECT_EQ(tensor->describe(), "2x3xi8");
      EXPECT_EQ(tensor->as<int8_t>()[5], 6);
    }
}

TEST(Npy, TransposesFortranOrder) {
  TemporaryFolder folder;
  // a[i][j][k] = 100 i + 10 j + k of shape 2x3x2, i fastest.
  std::vector<uint8_t> data;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i)
        data.push_back(uint8_t(100 * i + 10 * j + k));
  rt::Result<HostTensor> tensor = readNpy(folder.write(
      "x.npy",
      makeNpy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }",
              std::string(data.begin(), data.end()))));
  ASSERT_TRUE(tensor.isOk()) << tensor.message();
  const auto *element = tensor->as<uint8_t>();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k)
        EXPECT_EQ(*element++, 100 * i + 10 * j + k);
  tensor = readNpy(folder.write(
      "x.npy",
      makeNpy("{'descr': '<i4', 'fortran_order': True, 'shape': (0, 3), }",
              "")));
  EXPECT_TRUE(tensor.isOk()) << tensor.message();
}

TEST(Npy, MakesBooleansZeroOrOne) {
  TemporaryFolder folder;
  rt::Result<HostTensor> tensor = readNpy(folder.write(
      "x.npy",
      makeNpy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }",
              std::string("\0\1\xff", 3))));
  ASSERT_TRUE(tensor.isOk());
  EXPECT_EQ(tensor->as<uint8_t>()[2], 1);
}

TEST(Npy, RefusesEveryTruncation) {
  TemporaryFolder folder;
  int32_t data[8] = {};
  std::string path = folder.path + "/x.npy";
  ASSERT_TRUE(writeNpy(path, {QCC_INT, 32}, {2, 4}, data).isOk());
  std::string bytes = TemporaryFolder::read(path);
  for (size_t size = 0; size < bytes.size(); ++size) {
    path = folder.write("cut.npy", bytes.substr(0, size));
    expectMessage(readNpy(path).status(), path, "numpy.save");
  }
  path = folder.write("long.npy", bytes + "x");
  expectMessage(readNpy(path).status(), path,
                "has 32 bytes, but 33 follow the header");
}

TEST(Npy, SurvivesEveryDamagedByte) {
  TemporaryFolder folder;
  int32_t data[2] = {};
  std::string path = folder.path + "/x.npy";
  ASSERT_TRUE(writeNpy(path, {QCC_INT, 32}, {2}, data).isOk());
  std::string bytes = TemporaryFolder::read(path);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int value : {0x00, 0x01, 0x20, 0x28, 0x39, 0x7f, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = char(value);
      path = folder.write("x.npy", damaged);
      rt::Result<HostTensor> tensor = readNpy(path);
      if (!tensor.isOk())
        EXPECT_EQ(tensor.message().find(path + ": "), 0u);
    }
}

TEST(Npy, Refuses) {
  TemporaryFolder folder;
  auto expectRefusal = [&](const std::string &bytes, const char *text) {
    std::string path = folder.write("bad.npy", bytes);
    expectMessage(readNpy(path).status(), path, text);
  };
  auto dict = [](const char *descr, const char *shape) {
    return makeNpy(std::string("{'descr': ") + descr +
                       ", 'fortran_order': False, 'shape': " + shape + ", }",
                   "12345678");
  };
  expectRefusal("this is no array at all", "this is no .npy data");
  expectRefusal(makeNpy("{}", "", 4), "has version 4");
  expectRefusal(makeNpy("{}", ""), "no dictionary of descr");
  expectRefusal(makeNpy("[]", ""), "no dictionary of descr");
  expectRefusal(dict("'<f4'", "(2, -1)"), "no dictionary of descr");
  expectRefusal(dict("'<f4'", "(99999999999999999999,)"), "no dictionary");
  expectRefusal(dict("'<f4'", "2"), "no dictionary of descr");
  expectRefusal(dict("'<f4'", "(2,"), "no dictionary of descr");
  expectRefusal(dict("'>f4'", "(2,)"), "are big endian ('>f4')");
  expectRefusal(dict("'<c8'", "(1,)"), "are of type '<c8'");
  expectRefusal(dict("'|O'", "(1,)"), "are of type '|O'");
  expectRefusal(dict("''", "(1,)"), "are of type ''");
  expectRefusal(dict("[('a', '<i4'), ('b', '<f4')]", "(1,)"), "are of type");
  expectRefusal(dict("'<f4'", "(3,)"),
                "3xf32 has 12 bytes, but 8 follow the header");
  // No allocation of what a header claims.
  expectRefusal(dict("'<f4'", "(1000000000000,)"), "but 8 follow");
  expectRefusal(dict("'<f4'", "(4611686018427387904, 8)"), "too many bytes");
  expectRefusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12),
                "claims 4294967295 bytes, but 0 follow");
  std::string none = folder.path + "/none.npy";
  expectMessage(readNpy(none).status(), none, "cannot open it");
  EXPECT_EQ(readNpy(none).status().code(), rt::StatusCode::NotFound);
  expectMessage(readNpy(folder.path).status(), folder.path, "no regular file");
}

TEST(Npy, WritingFailsCleanly) {
  TemporaryFolder folder;
  float data[2] = {};
  std::string path = folder.path + "/no/x.npy";
  expectMessage(writeNpy(path, {QCC_FLOAT, 32}, {2}, data), path,
                "cannot create it");
  path = folder.path + "/x.npy";
  expectMessage(writeNpy(path, {QCC_FLOAT, 8}, {2}, data), path,
                "cannot be written");
  expectMessage(writeNpy("/dev/full", {QCC_FLOAT, 32}, {2}, data), "/dev/full",
                "cannot write it");
  EXPECT_EQ(folder.countFiles(), 0);
}
