//===- ArtifactTests.cpp - The form of a compiled artifact ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Damage to real artifacts. The forms of damage are gone through one by one in
// test/Unit/Runtime, on a smaller file.
//
//===----------------------------------------------------------------------===//

#include "TestCompile.h"
#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Runtime/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include <random>

using namespace qcc;
using namespace qcc::test;

static rt::Status load(const Artifact &artifact) {
  return rt::Module::load(artifact.data(), artifact.size()).status();
}

/// Offset and size of a section in the file.
static std::pair<size_t, size_t> findSection(const Artifact &artifact,
                                             llvm::StringRef name) {
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(
      llvm::StringRef(artifact.data(), artifact.size()));
  for (const auto &section : llvm::cantFail(file->sections()))
    if (llvm::cantFail(file->getSectionName(section)) == name)
      return {section.sh_offset, section.sh_size};
  ADD_FAILURE() << "no section " << name.str();
  return {0, 1};
}

TEST(Artifact, IsRefusedWhenAnyByteChanges) {
  Artifact artifact = compile(matmulProgram(), "x86-64-v3,cascadelake");
  ASSERT_TRUE(load(artifact).isOk()) << load(artifact).message();
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    Artifact damaged = artifact;
    size_t at = random() % artifact.size();
    damaged[at] = char(damaged[at] ^ (1 << random() % 8));
    EXPECT_FALSE(load(damaged).isOk()) << at;
    EXPECT_FALSE(load(damaged).message().empty());
    damaged = artifact;
    damaged.truncate(at);
    EXPECT_FALSE(load(damaged).isOk()) << at;
  }
}

TEST(Artifact, WithALyingDescriptorIsRefusedOrHarmless) {
  Artifact artifact = compile(matmulProgram(), "x86-64-v3,cascadelake");
  auto [begin, size] = findSection(artifact, ".qcc.descriptor");
  const int64_t interesting[] = {0,  1,    -1,        2,         7,
                                 64, 4096, -4096,     1 << 20,   INT32_MAX,
                                 -8, 1000, INT64_MAX, INT64_MIN, 1LL << 40};
  std::mt19937_64 random(2);
  int refused = 0, loaded = 0;
  for (int i = 0; i < 2000; ++i) {
    Artifact changed = artifact;
    for (int fields = 1 + random() % 3; fields > 0; --fields) {
      int64_t value = interesting[random() % std::size(interesting)];
      size_t width = size_t(1) << random() % 4;
      size_t at = begin + random() % (size / width) * width;
      memcpy(&changed[at], &value, width);
    }
    rt::Status stamped = rt::stampArtifact(changed.data(), changed.size());
    ASSERT_TRUE(stamped.isOk()) << stamped.message();
    rt::Status status = load(changed);
    status.isOk() ? ++loaded : ++refused;
    EXPECT_TRUE(status.isOk() || !status.message().empty());
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(loaded, 10);
}

TEST(Artifact, DoesNotDependOnTheNumberOfThreads) {
  const char *targets = "x86-64-v3,cascadelake,znver4,sm_80";
  Artifact one = compile(matmulProgram(), targets);
  EXPECT_TRUE(load(one).isOk()) << load(one).message();
  for (unsigned threads : {2, 5})
    EXPECT_EQ(compile(matmulProgram(), targets, threads), one) << threads;
}

TEST(Artifact, HasNoRelocationAndNoImport) {
  Artifact artifact = compile(matmulProgram(), "x86-64-v3,cascadelake");
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(
      llvm::StringRef(artifact.data(), artifact.size()));
  ASSERT_TRUE(bool(file));
  for (const auto &section : llvm::cantFail(file->sections()))
    EXPECT_TRUE(section.sh_type != llvm::ELF::SHT_RELA &&
                section.sh_type != llvm::ELF::SHT_REL &&
                section.sh_type != llvm::ELF::SHT_INIT_ARRAY);
}
