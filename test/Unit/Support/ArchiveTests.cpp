//===- ArchiveTests.cpp - .npz and .safetensors files ---------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/TensorFile.h"

#include "TemporaryFolder.h"

#include <cstring>
#include <zlib.h>

using namespace qcc;
using namespace qcc::test;

static void expectMessage(const rt::Status &status, const std::string &path,
                          const char *text) {
  EXPECT_FALSE(status.isOk());
  EXPECT_EQ(status.message().find(path + ": "), 0u) << status.message();
  EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
}

/// Opens and reads everything; the first failure.
static rt::Status readAll(const std::string &path) {
  rt::Result<std::unique_ptr<TensorArchive>> archive =
      TensorArchive::open(path);
  if (!archive.isOk())
    return archive.status();
  for (const std::string &name : (*archive)->names()) {
    rt::Result<HostTensor> tensor = (*archive)->read(name);
    if (!tensor.isOk())
      return tensor.status();
  }
  return rt::Status::ok();
}

static std::string number(uint64_t value, int bytes) {
  std::string result;
  for (int i = 0; i < bytes; ++i, value >>= 8)
    result += char(value);
  return result;
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

namespace {

std::string npyOf(const std::vector<float> &data) {
  TemporaryFolder folder;
  std::string path = folder.path + "/x.npy";
  EXPECT_TRUE(
      writeNpy(path, {QCC_FLOAT, 32}, {int64_t(data.size())}, data.data())
          .isOk());
  return TemporaryFolder::read(path);
}

std::string deflateRaw(const std::string &bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = uInt(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// A zip archive, as regular or as strange as a test needs it.
struct Zip {
  struct Member {
    std::string name;
    std::string contents;
    int method = 0;
    int flags = 0;
    uint64_t claimedSize = ~uint64_t(0);
    bool wrongCrc = false;
  };

  static std::string make(const std::vector<Member> &members,
                          bool zip64 = false) {
    std::string file, directory;
    for (const Member &member : members) {
      std::string data =
          member.method == 8 ? deflateRaw(member.contents) : member.contents;
      uint64_t size = member.claimedSize == ~uint64_t(0)
                          ? member.contents.size()
                          : member.claimedSize;
      uint32_t crc = uint32_t(
          crc32(0, reinterpret_cast<const Bytef *>(member.contents.data()),
                uInt(member.contents.size())));
      crc ^= member.wrongCrc;
      std::string common = number(20, 2) + number(member.flags, 2) +
                           number(member.method, 2) + number(0, 4) +
                           number(crc, 4);
      std::string sizes = zip64 ? std::string(8, '\xff')
                                : number(data.size(), 4) + number(size, 4);
      std::string extra = zip64 ? number(1, 2) + number(24, 2) +
                                      number(size, 8) + number(data.size(), 8) +
                                      number(file.size(), 8)
                                : "";
      directory += "PK\1\2" + number(20, 2) + common + sizes +
                   number(member.name.size(), 2) + number(extra.size(), 2) +
                   number(0, 10) +
                   (zip64 ? std::string(4, '\xff') : number(file.size(), 4)) +
                   member.name + extra;
      file += "PK\3\4" + common + sizes + number(member.name.size(), 2) +
              number(0, 2) + member.name + data;
    }
    uint64_t start = file.size();
    file += directory;
    if (zip64) {
      uint64_t record = file.size();
      file += "PK\6\6" + number(44, 8) + number(45, 4) + number(0, 8) +
              number(members.size(), 8) + number(members.size(), 8) +
              number(directory.size(), 8) + number(start, 8);
      file += "PK\6\7" + number(0, 4) + number(record, 8) + number(1, 4);
      return file + "PK\5\6" + number(0, 4) + std::string(12, '\xff') +
             number(0, 2);
    }
    return file + "PK\5\6" + number(0, 4) + number(members.size(), 2) +
           number(members.size(), 2) + number(directory.size(), 4) +
           number(start, 4) + number(0, 2);
  }
};

} // namespace

TEST(Npz, ReadsStoredDeflatedAndZip64) {
  TemporaryFolder folder;
  std::vector<float> big(100000);
  for (size_t i = 0; i < big.size(); ++i)
    big[i] = float(i % 1000);
  for (bool zip64 : {false, true})
    for (int method : {0, 8}) {
      std::string path = folder.write(
          "x.npz", Zip::make({{"a.npy", npyOf({1, 2, 3}), method},
                              {"notes.txt", "no array"},
                              {"layer.0/w.npy", npyOf(big), method},
                              {"empty.npy", npyOf({}), method}},
                             zip64));
      rt::Result<std::unique_ptr<TensorArchive>> archive =
          TensorArchive::open(path);
      ASSERT_TRUE(archive.isOk()) << archive.message();
      EXPECT_EQ((*archive)->names(),
                (std::vector<std::string>{"a", "layer.0/w", "empty"}));
      EXPECT_TRUE((*archive)->contains("a"));
      EXPECT_FALSE((*archive)->contains("notes.txt"));
      rt::Result<HostTensor> tensor = (*archive)->read("layer.0/w");
      ASSERT_TRUE(tensor.isOk()) << tensor.message();
      EXPECT_EQ(memcmp(tensor->data(), big.data(), tensor->numBytes()), 0);
      tensor = (*archive)->read("a");
      ASSERT_TRUE(tensor.isOk()) << tensor.message();
      EXPECT_EQ(tensor->as<float>()[2], 3.0f);
      EXPECT_TRUE((*archive)->read("empty").isOk());
      expectMessage((*archive)->read("b").status(), path,
                    "there is no tensor 'b'; the file has 3: 'a', 'layer.0/w'");
    }
}

// Written by numpy.savez and numpy.savez_compressed: a = arange(6) as i32 of
// shape 2x3, f = its f16 in Fortran order, s = a scalar 2.5 of f64.
TEST(Npz, ReadsWhatNumpyWrote) {
  for (const char *name : {"numpy-stored.npz", "numpy-deflated.npz"}) {
    rt::Result<std::unique_ptr<TensorArchive>> archive =
        TensorArchive::open(std::string(QCC_TEST_INPUTS) + "/" + name);
    ASSERT_TRUE(archive.isOk()) << archive.message();
    rt::Result<HostTensor> a = (*archive)->read("a");
    rt::Result<HostTensor> f = (*archive)->read("f");
    rt::Result<HostTensor> s = (*archive)->read("s");
    ASSERT_TRUE(a.isOk() && f.isOk() && s.isOk());
    EXPECT_EQ(a->describe(), "2x3xi32");
    EXPECT_EQ(f->describe(), "2x3xf16");
    EXPECT_EQ(s->describe(), "f64");
    const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(a->as<int32_t>()[i], i);
      EXPECT_EQ(f->as<uint16_t>()[i], halves[i]);
    }
    EXPECT_EQ(*s->as<double>(), 2.5);
  }
}

TEST(Npz, RefusesEveryTruncation) {
  TemporaryFolder folder;
  for (int method : {0, 8})
    for (bool zip64 : {false, true}) {
      std::string bytes = Zip::make(
          {{"a.npy", npyOf({1, 2, 3}), method}, {"b.npy", npyOf({4}), method}},
          zip64);
      for (size_t size = 0; size < bytes.size(); ++size) {
        std::string path = folder.write("cut.npz", bytes.substr(0, size));
        rt::Status status = readAll(path);
        EXPECT_FALSE(status.isOk()) << size;
        EXPECT_EQ(status.message().find(path + ": "), 0u);
      }
    }
}

TEST(Npz, SurvivesEveryDamagedByte) {
  TemporaryFolder folder;
  for (int method : {0, 8})
    for (bool zip64 : {false, true}) {
      std::string bytes =
          Zip::make({{"a.npy", npyOf({1, 2, 3}), method}}, zip64);
      for (size_t i = 0; i < bytes.size(); ++i)
        for (int value : {0x00, 0x01, 0x7f, 0xff}) {
          std::string damaged = bytes;
          damaged[i] = char(value);
          std::string path = folder.write("x.npz", damaged);
          rt::Status status = readAll(path);
          if (!status.isOk())
            EXPECT_EQ(status.message().find(path + ": "), 0u);
        }
    }
}

TEST(Npz, Refuses) {
  TemporaryFolder folder;
  auto expectRefusal = [&](const std::string &bytes, const char *text) {
    std::string path = folder.write("bad.npz", bytes);
    expectMessage(readAll(path), path, text);
  };
  std::string npy = npyOf({1, 2});
  expectRefusal(Zip::make({{"a.npy", npy, 0, 0, ~uint64_t(0), true}}),
                "array 'a': the .npz file is truncated or damaged: the "
                "checksum is wrong");
  expectRefusal(Zip::make({{"a.npy", npy, 8, 0, ~uint64_t(0), true}}),
                "the checksum is wrong");
  expectRefusal(Zip::make({{"a.npy", npy, 0, 1}}), "it is encrypted");
  expectRefusal(Zip::make({{"a.npy", npy, 12}}), "compressed by method 12");
  expectRefusal(Zip::make({{"a.npy", npy}, {"a.npy", npy}}),
                "'a' appears twice");
  expectRefusal(Zip::make({{"a.npy", npy, 0, 0, 1u << 30}}),
                "its size makes no sense");
  expectRefusal(Zip::make({{"a.npy", npy, 8, 0, 1u << 30}}),
                "its size makes no sense");
  expectRefusal(Zip::make({{"a.npy", npy, 8, 0, 5000}}), "damaged");
  expectRefusal(Zip::make({{"a.npy", "no array"}}), "this is no .npy data");
  expectRefusal(std::string("PK\3\4") + std::string(100, 'x'),
                "this is a zip archive, not a .npz");
  expectRefusal(Zip::make({{"a.npy", npy}}).substr(0, 60),
                "no directory at its end");
}

//===----------------------------------------------------------------------===//
// .safetensors
//===----------------------------------------------------------------------===//

static std::string makeSafetensors(const std::string &header,
                                   const std::string &data) {
  return number(header.size(), 8) + header + data;
}

TEST(Safetensors, Reads) {
  TemporaryFolder folder;
  float floats[2] = {1.5f, -2.0f};
  std::string data(reinterpret_cast<char *>(floats), 8);
  data += std::string("\1\2\3\4\0\5", 6);
  std::string path =
      folder.write("x.safetensors", makeSafetensors(
                                        R"({"__metadata__":{"format":"pt"},
              "w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
              "q":{"dtype":"I8","shape":[4],"data_offsets":[8,12]},
              "b":{"dtype":"BOOL","shape":[2],"data_offsets":[12,14]},
              "e":{"dtype":"BF16","shape":[0,7],"data_offsets":[14,14]},
              "s":{"dtype":"U16","shape":[],"data_offsets":[8,10]}})",
                                        data));
  rt::Result<std::unique_ptr<TensorArchive>> archive =
      TensorArchive::open(path);
  ASSERT_TRUE(archive.isOk()) << archive.message();
  EXPECT_EQ((*archive)->names(),
            (std::vector<std::string>{"w", "q", "b", "e", "s"}));
  rt::Result<HostTensor> w = (*archive)->read("w");
  ASSERT_TRUE(w.isOk()) << w.message();
  EXPECT_EQ(w->describe(), "1x2xf32");
  EXPECT_EQ(w->as<float>()[1], -2.0f);
  EXPECT_EQ((*archive)->read("q")->as<int8_t>()[3], 4);
  EXPECT_EQ((*archive)->read("b")->as<uint8_t>()[1], 1);
  EXPECT_EQ((*archive)->read("e")->describe(), "0x7xbf16");
  EXPECT_EQ(*(*archive)->read("s")->as<uint16_t>(), 0x201);
  expectMessage((*archive)->read("v").status(), path, "no tensor 'v'");
}

TEST(Safetensors, Refuses) {
  TemporaryFolder folder;
  auto expectRefusal = [&](const std::string &bytes, const char *text) {
    std::string path = folder.write("bad.safetensors", bytes);
    expectMessage(readAll(path), path, text);
  };
  auto tensor = [](const char *fields) {
    return makeSafetensors(std::string("{\"w\":{") + fields + "}}", "12345678");
  };
  expectRefusal("", "it has 0 bytes");
  expectRefusal("1234", "this is text, not a .npz or .safetensors file");
  expectRefusal("\1\2\3\4", "it has 4 bytes");
  expectRefusal(number(100, 8) + "{}", "claims 100 bytes, but 2 follow");
  expectRefusal(std::string(8, '\xff') + "{}", "but 2 follow");
  expectRefusal(makeSafetensors("{", ""), "bad JSON at byte 1");
  expectRefusal(makeSafetensors("[]", ""), "no JSON object");
  expectRefusal(makeSafetensors("{\"w\":1}", ""), "'w' has no dtype");
  expectRefusal(tensor(R"("dtype":"F32","data_offsets":[0,8])"),
                "'w' has no shape");
  expectRefusal(tensor(R"("dtype":"F32","shape":[2])"), "no data_offsets");
  expectRefusal(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0])"),
                "no data_offsets");
  expectRefusal(tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"),
                "dimension that is no size");
  expectRefusal(tensor(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,8])"),
                "dimension that is no size");
  for (const char *range : {"[0,9]", "[8,0]", "[-8,0]", "[0,1e30]", "[9,9]"})
    expectRefusal(tensor((R"("dtype":"F32","shape":[2],"data_offsets":)" +
                          std::string(range))
                             .c_str()),
                  "lies outside of the file");
  expectRefusal(tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"),
                "tensor 'w': the .safetensors file is truncated or damaged: a "
                "tensor of 3xf32 cannot have 8 bytes");
  expectRefusal(
      tensor(
          R"("dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,8])"),
      "cannot have 8 bytes");
  expectRefusal(tensor(R"("dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8])"),
                "of type 'F8_E4M3'");
  std::string npy = folder.write("x.npy", npyOf({1}));
  expectMessage(readAll(npy), npy, "this is .npy data, one array, not a .npz");
  std::string none = folder.path + "/none.safetensors";
  expectMessage(readAll(none), none, "cannot open it");
}

TEST(Safetensors, SurvivesTruncationAndDamage) {
  TemporaryFolder folder;
  std::string bytes = makeSafetensors(
      R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string path = folder.write("x", bytes.substr(0, size));
    EXPECT_FALSE(readAll(path).isOk()) << size;
  }
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int value : {0x00, 0x22, 0x39, 0x5b, 0x7d, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = char(value);
      std::string path = folder.write("x", damaged);
      rt::Status status = readAll(path);
      if (!status.isOk())
        EXPECT_EQ(status.message().find(path + ": "), 0u);
    }
}
