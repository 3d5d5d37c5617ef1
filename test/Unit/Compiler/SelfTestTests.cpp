//===- SelfTestTests.cpp - Digests of runs --------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/TemporaryFolder.h"
#include "TestCompile.h"
#include "common/SelfTest.h"
#include "qcc/Artifact/ArtifactNote.h"

#include <algorithm>
#include <cstring>
#include <fstream>

using namespace qcc;
using namespace qcc::test;

namespace {
class SelfTests : public testing::Test {
protected:
  static tools::ModulePtr load(const Artifact &artifact) {
    auto module = rt::Module::load(artifact.data(), artifact.size());
    EXPECT_TRUE(module.isOk()) << module.message();
    return *module;
  }

  std::vector<rt::SelfTest> make(const Artifact &artifact,
                                 uint64_t mostBytes = UINT64_MAX) {
    std::vector<rt::SelfTest> tests;
    tools::makeSelfTests(
        load(artifact), mostBytes,
        [&](const rt::SelfTest &test) { tests.push_back(test); },
        [&](const std::string &message) { messages += message + "\n"; });
    return tests;
  }

  tools::ExitCode repeat(const Artifact &artifact) {
    std::string path = folder.path + "/p.so";
    std::ofstream(path, std::ios::binary)
        .write(artifact.data(), std::streamsize(artifact.size()));
    tools::RunOptions options;
    std::FILE *out = std::tmpfile();
    tools::ExitCode code = tools::runSelfTests(
        path, options, out,
        [&](const std::string &message) { messages += message + "\n"; });
    std::fclose(out);
    return code;
  }

  TemporaryFolder folder;
  std::string messages;
};
} // namespace

/// The program with its digests.
static Artifact withTests(Artifact artifact,
                          const std::vector<rt::SelfTest> &tests) {
  rt::Status status =
      rt::storeSelfTests(artifact.data(), artifact.size(), tests);
  EXPECT_TRUE(status.isOk()) << status.message();
  return artifact;
}

TEST_F(SelfTests, ArtifactRepeatsItsRuns) {
  Artifact artifact = compile(matmulProgram(), "native");
  EXPECT_TRUE(load(artifact)->selfTests().empty());
  std::vector<rt::SelfTest> tests = make(artifact);
  ASSERT_EQ(tests.size(), size_t(rt::selfTestsPerEntry));
  EXPECT_EQ(tests[0].sizes, std::vector<int64_t>{2});
  EXPECT_EQ(tests[1].sizes, std::vector<int64_t>{17});
  EXPECT_NE(tests[0].digest, tests[1].digest);
  artifact = withTests(std::move(artifact), tests);
  EXPECT_EQ(load(artifact)->selfTests().size(), tests.size());
  EXPECT_EQ(repeat(artifact), tools::ExitSuccess) << messages;
}

TEST_F(SelfTests, WrongKernelIsFound) {
  Artifact artifact = compile(matmulProgram(), "native");
  std::vector<rt::SelfTest> tests = make(artifact);
  artifact = withTests(std::move(artifact), tests);
  // The first instruction of the kernel becomes a return.
  char code[64];
  tools::ModulePtr module = load(artifact);
  auto *function = module->entries()[0].steps.back().function;
  memcpy(code, reinterpret_cast<const void *>(function), sizeof(code));
  // Others may begin in the same way.
  int numPlaces = 0;
  for (auto *place = artifact.begin();; ++numPlaces) {
    place =
        std::search(place, artifact.end(), std::begin(code), std::end(code));
    if (place == artifact.end())
      break;
    *place = char(0xc3);
  }
  ASSERT_GT(numPlaces, 0);
  ASSERT_TRUE(rt::stampArtifact(artifact.data(), artifact.size()).isOk());
  EXPECT_EQ(repeat(artifact), tools::ExitDiffers);
  EXPECT_NE(messages.find("entry 'main', sizes 17, 2 threads: the digest of "
                          "the results is "),
            std::string::npos)
      << messages;
}

TEST_F(SelfTests, OtherWeightsAreFound) {
  std::string other = matmulProgram();
  other.replace(other.find("dense<3>"), strlen("dense<3>"), "dense<4>");
  std::vector<rt::SelfTest> tests = make(compile(matmulProgram(), "native"));
  EXPECT_EQ(repeat(withTests(compile(other, "native"), tests)),
            tools::ExitDiffers);
}

TEST_F(SelfTests, EntryThatNothingPassesHasNoDigest) {
  std::string program = R"(
    func.func @main(%x: tensor<?xi32>) -> tensor<777xi32> {
      %y = tensor.cast %x : tensor<?xi32> to tensor<777xi32>
      return %y : tensor<777xi32>
    })";
  EXPECT_TRUE(make(compile(program, "native")).empty());
  EXPECT_NE(messages.find("entry 'main' gets no digest for self-tests"),
            std::string::npos)
      << messages;
}

TEST_F(SelfTests, LargeInputsAreLeftOut) {
  EXPECT_TRUE(make(compile(matmulProgram(), "native"), 63).empty());
  EXPECT_NE(messages.find("the inputs have more than 63 bytes"),
            std::string::npos)
      << messages;
  EXPECT_EQ(make(compile(matmulProgram(), "native"), 3 * 64).size(), 2u);
}

TEST_F(SelfTests, ProgramWithoutSizesHasTwoSeeds) {
  std::string program = R"(
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %e = tensor.empty() : tensor<64xf32>
      %y = linalg.sqrt ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>)
        -> tensor<64xf32>
      return %y : tensor<64xf32>
    })";
  Artifact artifact = compile(program, "native");
  std::vector<rt::SelfTest> tests = make(artifact);
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_NE(tests[0].seed, tests[1].seed);
  EXPECT_NE(tests[0].digest, tests[1].digest);
  EXPECT_EQ(repeat(withTests(std::move(artifact), tests)), tools::ExitSuccess);
}

TEST_F(SelfTests, NoRoomAndDamagedArtifacts) {
  Artifact artifact = compile(matmulProgram(), "native");
  rt::SelfTest test = make(artifact).front();
  std::vector<rt::SelfTest> tests(rt::selfTestsPerEntry + 1, test);
  rt::Status status =
      rt::storeSelfTests(artifact.data(), artifact.size(), tests);
  EXPECT_NE(status.message().find("no room for another self-test"),
            std::string::npos)
      << status.message();
  test.entry = 1;
  EXPECT_FALSE(
      rt::storeSelfTests(artifact.data(), artifact.size(), {test}).isOk());
  EXPECT_FALSE(
      rt::storeSelfTests(artifact.data(), artifact.size() / 2, {}).isOk());
}
