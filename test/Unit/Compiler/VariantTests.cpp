//===- VariantTests.cpp - Artifacts with several variants -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCompile.h"
#include "qcc/Runtime/Context.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <elf.h>

using namespace qcc;
using namespace qcc::test;

static constexpr const char *kTargets[] = {"cascadelake", "x86-64-v3",
                                           "skylake-avx512"};

namespace {
class Variants : public testing::Test {
protected:
  static void SetUpTestSuite() {
    artifact = new Artifact(
        compile(matmulProgram(), "cascadelake,x86-64-v3,skylake-avx512"));
  }
  static void TearDownTestSuite() { delete artifact; }

  static rt::Result<std::shared_ptr<const rt::Module>>
  load(const rt::ModuleOptions &options) {
    return rt::Module::load(artifact->data(), artifact->size(), options);
  }
  /// The variant for a host with these features, or the message.
  static std::string chosen(llvm::StringRef features) {
    rt::HostFeatures host(rt::splitFeatures(features));
    rt::ModuleOptions options;
    options.features = &host;
    auto module = load(options);
    return module.isOk() ? std::string((*module)->variant().target)
                         : module.message();
  }
  static Artifact *artifact;
};
Artifact *Variants::artifact;

std::vector<int8_t> run(const std::shared_ptr<const rt::Module> &module) {
  constexpr int64_t rows = 37;
  std::vector<int8_t> x(rows * 64), y(rows * 48);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = int8_t(i * 37 + i / 64);
  auto context = rt::Context::create(module, "");
  EXPECT_TRUE(context.isOk()) << context.message();
  rt::DType i8{QCC_INT, 8};
  rt::Status status = (*context)->run({rt::Tensor(x.data(), i8, {rows, 64})},
                                      {rt::Tensor(y.data(), i8, {rows, 48})});
  EXPECT_TRUE(status.isOk()) << status.message();
  return y;
}
} // namespace

TEST_F(Variants, TheBestOneIsChosen) {
  std::string v3 = "avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt,sse3,ssse3,"
                   "sse4.1,sse4.2";
  std::string avx512 = v3 + ",avx512f,avx512bw,avx512cd,avx512dq,avx512vl";
  EXPECT_EQ(chosen(v3), "x86-64-v3");
  EXPECT_EQ(chosen(avx512), "skylake-avx512");
  EXPECT_EQ(chosen(avx512 + ",avx512vnni"), "cascadelake");
  EXPECT_EQ(chosen(avx512 + ",avx512vnni,amx-tile,amx-int8"), "cascadelake");
}

TEST_F(Variants, RefusalsNameWhatIsMissing) {
  std::string message = chosen("avx,sse3,ssse3,sse4.1,sse4.2,fma,f16c");
  EXPECT_EQ(message,
            "the artifact in memory: this host cannot run the artifact; "
            "variant 'cascadelake' needs avx2, avx512bw, avx512cd, avx512dq, "
            "avx512f, avx512vl, avx512vnni, bmi, bmi2, lzcnt, movbe, popcnt; "
            "variant 'x86-64-v3' needs avx2, bmi, bmi2, lzcnt, movbe, popcnt; "
            "variant 'skylake-avx512' needs avx2, avx512bw, avx512cd, "
            "avx512dq, avx512f, avx512vl, bmi, bmi2, lzcnt, movbe, popcnt; "
            "compile it for this host, the target `native`");
}

TEST_F(Variants, EachComputesTheSameAsCompiledAlone) {
  std::vector<int8_t> expected;
  for (const char *target : kTargets) {
    rt::ModuleOptions options;
    options.variant = target;
    auto module = load(options);
    if (!module.isOk()) {
      EXPECT_EQ(module.status().code(), rt::StatusCode::Unsupported);
      continue;
    }
    EXPECT_EQ((*module)->variant().target, target);
    ASSERT_EQ((*module)->variants().size(), 3u);
    EXPECT_EQ((*module)->variants()[1].target, "x86-64-v3");
    Artifact alone = compile(matmulProgram(), target);
    auto single = rt::Module::load(alone.data(), alone.size());
    ASSERT_TRUE(single.isOk()) << single.message();
    std::vector<int8_t> y = run(*module);
    EXPECT_EQ(y, run(*single)) << target;
    if (expected.empty())
      expected = y;
    EXPECT_EQ(y, expected) << target;
    // The names of steps do not tell that there are variants.
    EXPECT_EQ((*module)->entries()[0].steps[0].name,
              (*single)->entries()[0].steps[0].name);
  }
  if (rt::HostFeatures::host().has("avx2"))
    EXPECT_FALSE(expected.empty());
}

TEST_F(Variants, RunOnThisHostWithoutBeingAskedFor) {
  auto module = load({});
  if (!rt::HostFeatures::host().has("avx2"))
    GTEST_SKIP() << module.message();
  ASSERT_TRUE(module.isOk()) << module.message();
  EXPECT_EQ(run(*module).size(), 37u * 48);
}

/// The bytes of weights in an artifact, which are a section of their own.
static size_t weightsOf(const Artifact &artifact) {
  auto *header = reinterpret_cast<const Elf64_Ehdr *>(artifact.data());
  auto *sections =
      reinterpret_cast<const Elf64_Shdr *>(artifact.data() + header->e_shoff);
  constexpr uint64_t large = 0x10000000; // SHF_X86_64_LARGE
  size_t size = 0;
  for (int i = 0; i < header->e_shnum; ++i)
    if (sections[i].sh_flags & large) {
      EXPECT_EQ(sections[i].sh_type, Elf64_Word(SHT_PROGBITS));
      EXPECT_EQ(sections[i].sh_flags & SHF_WRITE, 0u);
      EXPECT_EQ(sections[i].sh_offset + sections[i].sh_size, artifact.size());
      size += sections[i].sh_size;
    }
  return size;
}

/// With weights that are not all the same, or all packings would be equal.
static std::string mixedProgram() {
  std::string program = matmulProgram();
  std::string bytes = "dense<\"0x";
  for (int i = 0; i < 64 * 48; ++i)
    bytes += llvm::utohexstr(i % 97, /*LowerCase=*/true, /*Width=*/2);
  program.replace(program.find("dense<3>"), strlen("dense<3>"), bytes + "\">");
  return program;
}

TEST(VariantWeights, IdenticalOnesAreStoredOnce) {
  // Both pack for avx512vnni.
  size_t one = weightsOf(compile(mixedProgram(), "cascadelake"));
  EXPECT_GE(one, 64u * 48);
  EXPECT_EQ(weightsOf(compile(mixedProgram(), "cascadelake,icelake-server")),
            one);
  // Each has its own packing.
  size_t other = weightsOf(compile(mixedProgram(), "x86-64-v3"));
  EXPECT_GE(other, 64u * 48);
  EXPECT_EQ(weightsOf(compile(mixedProgram(), "cascadelake,x86-64-v3")),
            llvm::alignTo(one, 64) + other);
}
