//===- TargetTests.cpp - Lists of targets ---------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCompile.h"
#include "qcc/Target/X86/X86Target.h"

using namespace qcc;

static const std::string kHost[] = {"avx2", "bmi",   "bmi2",  "f16c",
                                    "fma",  "lzcnt", "movbe", "popcnt"};

static std::string namesOf(llvm::StringRef list) {
  auto targets = parseTargets(list, kHost);
  if (!targets)
    return llvm::toString(targets.takeError());
  std::string names;
  for (const TargetRef &target : *targets)
    names += target->getName() + ";";
  return names;
}

TEST(ParseTargets, KeepsTheOrderAndDropsDuplicates) {
  EXPECT_EQ(namesOf("cascadelake"), "cascadelake;");
  EXPECT_EQ(namesOf("cascadelake,x86-64-v3, native,cascadelake,native"),
            "cascadelake;x86-64-v3;native;");
}

TEST(ParseTargets, NativeHasTheFeaturesOfTheHost) {
  auto targets = parseTargets("native", kHost);
  ASSERT_TRUE(bool(targets));
  EXPECT_TRUE(x86::specOf(*targets->front()).has("avx2"));
  EXPECT_FALSE(x86::specOf(*targets->front()).has("avx512f"));
  targets = parseTargets("native", {"avx2"});
  EXPECT_FALSE(bool(targets));
  EXPECT_NE(llvm::toString(targets.takeError()).find("'native' lacks bmi"),
            std::string::npos);
}

TEST(ParseTargets, KnowsChipsOfDevices) {
  auto targets = parseTargets("sm_80,cascadelake", {});
  ASSERT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
  EXPECT_EQ(targets->front()->getFamily(), "cuda");
  EXPECT_TRUE(targets->front()->isDevice());
  EXPECT_EQ(targets->back()->getFamily(), "x86");
  EXPECT_FALSE(targets->back()->isDevice());
  EXPECT_EQ(namesOf("sm_70"), "unknown chip 'sm_70'; use one of sm_75, sm_80, "
                              "sm_86, sm_89, sm_90, sm_90a, sm_120");
}

TEST(ParseTargets, TakesZenForTheNamesOfLLVM) {
  EXPECT_EQ(namesOf("zen4"), "znver4;");
  EXPECT_EQ(namesOf("znver4,Zen4,zen3"), "znver4;znver3;");
  EXPECT_EQ(namesOf("zen9"), "unknown processor 'zen9'; do you mean znver1, "
                             "znver2, znver3, znver4, znver5?");
  EXPECT_EQ(namesOf("zen").find("unknown processor 'zen'"), 0u);
}

TEST(ParseTargets, RefusesWhatIsNoName) {
  for (const char *list : {"", ",", "x86-64-v3,", "x86-64-v3,,native"})
    EXPECT_EQ(namesOf(list).find("no name between two commas"), 0u) << list;
  EXPECT_EQ(namesOf("x86-64-v3,pentium9000")
                .find("unknown processor "
                      "'pentium9000'"),
            0u);
}

TEST(ParseTargets, EmulatesAmxOnRequest) {
  auto targets = parseTargets("sapphirerapids,sapphirerapids+emulated-amx", {});
  ASSERT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
  const x86::Spec &tiles = x86::specOf(*(*targets)[0]),
                  &emulated = x86::specOf(*(*targets)[1]);
  EXPECT_FALSE(tiles.emulatesAMX);
  EXPECT_TRUE(emulated.emulatesAMX);
  for (const x86::Spec *target : {&tiles, &emulated})
    EXPECT_NE(target->findAtom("amx-int8"), nullptr) << target->name;
  auto needs = [](const x86::Spec &target, llvm::StringRef feature) {
    return llvm::StringRef(target.requiredFeatures()).contains(feature);
  };
  EXPECT_TRUE(needs(tiles, "amx-int8,amx-tile"));
  EXPECT_FALSE(needs(emulated, "amx"));
  EXPECT_TRUE(needs(emulated, "avx512vnni"));
  EXPECT_EQ(emulated.cpu, "sapphirerapids");
}

TEST(ParseTargets, EmulatesAmxOnlyWithVnni) {
  EXPECT_EQ(namesOf("skylake-avx512+emulated-amx")
                .find("target 'skylake-avx512+emulated-amx' lacks avx512vnni"),
            0u);
  EXPECT_EQ(namesOf("native+emulated-amx")
                .find("target 'native+emulated-amx' lacks avx512vnni"),
            0u);
  EXPECT_EQ(namesOf("pentium9000+emulated-amx")
                .find("unknown processor 'pentium9000'"),
            0u);
}

TEST(ParseTargets, UsesOnlyWhatArtifactsAskFor) {
  auto targets = parseTargets("sapphirerapids", {});
  ASSERT_TRUE(bool(targets)) << llvm::toString(targets.takeError());
  const x86::Spec &spec = x86::specOf(*(*targets)[0]);
  std::string features = spec.featureString(/*permutesBytes=*/true);
  EXPECT_EQ(features.find("avx512fp16"), std::string::npos) << features;
  EXPECT_EQ(features.find("gfni"), std::string::npos) << features;
  EXPECT_NE(features.find("+amx-int8"), std::string::npos) << features;
  EXPECT_NE(features.find("+avx512vbmi,"), std::string::npos) << features;
  features = spec.featureString(/*permutesBytes=*/false);
  EXPECT_EQ(features.find("avx512vbmi"), std::string::npos) << features;
}
