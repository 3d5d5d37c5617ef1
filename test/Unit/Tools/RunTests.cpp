//===- RunTests.cpp - Running a module as tools do ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/TemporaryFolder.h"
#include "SmallProgram.h"
#include "common/Arguments.h"
#include "common/Describe.h"
#include "common/Run.h"
#include "qcc/Support/Json.h"
#include "qcc/Support/TensorFile.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::test;
using namespace qcc::tools;

namespace {
struct Outcome {
  rt::Status status;
  Differences differences;

  /// Why the run fails, or how its results differ.
  std::string message() const {
    return status.isOk() ? differences : status.message();
  }
  std::string text;
};

class Run : public testing::Test {
protected:
  Run() { options.sources.inputs = {writeInput()}; }

  std::string path(const char *name) const { return folder.path + "/" + name; }
  std::string writeInput() const {
    int32_t x[] = {1, 2, 3};
    EXPECT_TRUE(writeNpy(path("x.npy"), SmallProgram::i32, {3}, x).isOk());
    return path("x.npy");
  }
  std::string writeExpected(std::vector<int32_t> y) const {
    EXPECT_TRUE(writeNpy(path("want.npy"), SmallProgram::i32,
                         {int64_t(y.size())}, y.data())
                    .isOk());
    return path("want.npy");
  }

  Outcome run() { return run(program.load()); }
  Outcome run(ModulePtr module) {
    Outcome outcome;
    outcome.status = checkOptions(options);
    if (!outcome.status.isOk())
      return outcome;
    std::FILE *out = std::tmpfile();
    rt::Result<Differences> differences =
        runModule(std::move(module), "m.so", options, std::nullopt, out);
    outcome.status = differences.status();
    if (differences.isOk())
      outcome.differences = *differences;
    outcome.text.resize(std::ftell(out));
    std::rewind(out);
    EXPECT_EQ(std::fread(outcome.text.data(), 1, outcome.text.size(), out),
              outcome.text.size());
    std::fclose(out);
    return outcome;
  }
  void expectFailure(const std::string &message) {
    EXPECT_EQ(run().message(), message);
  }

  TemporaryFolder folder;
  SmallProgram program;
  RunOptions options;
};
} // namespace

TEST_F(Run, WritesAndDescribesResults) {
  Outcome outcome = run();
  ASSERT_TRUE(outcome.status.isOk()) << outcome.status.message();
  EXPECT_EQ(outcome.text, "result 0: 3xi32\n");

  options.outputs = {path("y.npy")};
  EXPECT_EQ(run().text, "");
  rt::Result<HostTensor> y = readNpy(path("y.npy"));
  ASSERT_TRUE(y.isOk()) << y.message();
  EXPECT_EQ(y->as<int32_t>()[2], 7);
}

TEST_F(Run, ComparesWithWhatIsExpected) {
  options.expected = {writeExpected({3, 5, 7})};
  EXPECT_EQ(run().text, "expect: 3 elements, 0 differ\n");

  writeExpected({3, 6, 9});
  expectFailure("result 0 differs from '" + path("want.npy") +
                "' in 2 of 3 elements, first at [1]: 5 instead of 6; largest "
                "error 2");
  EXPECT_TRUE(run().status.isOk());
  // A quarter of 9.
  options.tolerance = 0.25;
  EXPECT_EQ(run().text, "expect: 3 elements, 0 differ\n");

  writeExpected({3, 5});
  expectFailure("result 0 is 3xi32, but '" + path("want.npy") +
                "' holds 2xi32");
  options.expected = {path("none.npy")};
  EXPECT_NE(run().status.message().find("none.npy"), std::string::npos);
}

TEST_F(Run, RefusesOptionsThatMeanNothing) {
  options.outputs = {"y.txt"};
  expectFailure("output 'y.txt' must be a .npy file, the only format written");
  options.outputs = {path("a.npy"), path("b.npy")};
  expectFailure("the entry has 1 result(s), but --output is given 2 times");
  options.outputs.clear();
  options.expected = {"want.bin"};
  expectFailure("expected result 'want.bin' must be a .npy file");
  options.expected = {path("a.npy"), path("b.npy")};
  expectFailure("the entry has 1 result(s), but --expect is given 2 times");
  options.expected.clear();
}

/// What is said to a command line of qcc-run; empty if it is taken.
static std::string refusalOf(std::vector<const char *> words) {
  RunOptions options;
  std::string file;
  Arguments arguments("qcc-run", "Runs.");
  arguments.positional("MODEL.so", file);
  addRunArguments(arguments, options);
  words.insert(words.begin(), {"qcc-run", "m.so"});
  return arguments.parse(int(words.size()), words.data()).message();
}

TEST(RunCommandLine, RefusesOptionsWithoutEffect) {
  EXPECT_EQ(refusalOf({"--tolerance=1"}),
            "--tolerance is for --expect or --test-data, neither of which is "
            "given");
  for (const char *option : {"--json=b.json", "--warm-up=2", "--duration=1"}) {
    std::string name(option);
    EXPECT_EQ(refusalOf({option}),
              name.substr(0, name.find('=')) +
                  " is for --bench or --profile, neither of which is given");
    EXPECT_EQ(refusalOf({option, "--profile"}), "");
  }
  EXPECT_EQ(refusalOf({"--dump-steps=d", "--bench"}),
            "--dump-steps does not go with --bench: writing would be measured; "
            "leave one of the two out");
  EXPECT_EQ(refusalOf({"--counters=c"}),
            "--counters is for --device=emulator, which is not given");
  EXPECT_EQ(refusalOf({"--counters=c", "--device=cuda"}),
            "--counters is for --device=emulator, which is not given");
  EXPECT_EQ(refusalOf({"--counters=c", "--device=emulator:seed=1"}), "");
  EXPECT_EQ(refusalOf({"--counters=-", "--device=emulator"}), "");
  EXPECT_EQ(refusalOf({"--dump-steps=-"}),
            "'--dump-steps=-' names no file: the option takes neither the "
            "standard input nor output; name a file");
  EXPECT_EQ(refusalOf({"--device=tpu"}),
            "there is no device 'tpu'; use cpu, cuda, cuda:N, emulator or "
            "emulator:seed=N");
  EXPECT_EQ(refusalOf({"--profile="}),
            "'--profile=' has an empty value; write --profile or give it a "
            "value");
}

TEST(RunCommandLine, ListsOrRuns) {
  EXPECT_EQ(refusalOf({"--list", "--variant=x"}), "");
  for (const char *option :
       {"--output=y.npy", "--expect=y.npy", "--bench", "--profile",
        "--test-data=d", "--dump-steps=d", "--input=random", "--dim=1",
        "--shape=x=1", "--entry=f", "--threads=1"}) {
    std::string name(option);
    EXPECT_EQ(refusalOf({"--list", option}),
              "--list does not go with " + name.substr(0, name.find('=')) +
                  ": it runs nothing; leave one of the two out");
  }
}

TEST_F(Run, ChoosesAnEntry) {
  options.entry = "other";
  expectFailure("no entry 'other'; the program has: main");
  options.entry = "main";
  EXPECT_TRUE(run().status.isOk());

  rt::test::FakeArtifact two;
  two.setVariants(1);
  two.setVariant(0, "t", "",
                 {SmallProgram::entry("a"), SmallProgram::entry("b")});
  options.entry.clear();
  EXPECT_EQ(run(*two.load()).status.message(),
            "the program has 2 entries; choose one with --entry: a, b");
}

TEST_F(Run, ChecksInputs) {
  options.sources.inputs = {"x.npy", "y.npy"};
  expectFailure("entry 'main' takes 1 input(s), but --input is given 2 "
                "time(s); --input=random serves all");
  options.sources.inputs = {"x.bin"};
  expectFailure("input 'x.bin' is neither a .npy file nor "
                "random[:SEED[:LO:HI]]");
  options.sources.inputs = {"random"};
  expectFailure(
      "input 0 'x' of entry 'main' has a dynamic dimension (?xi32); give "
      "its size with --dim=N");
  options.sources.sizes.dims = {4, 5};
  expectFailure("--dim is given 2 time(s), but the random inputs have 1 "
                "dynamic dimension(s)");
  options.sources.sizes.dims = {4};
  EXPECT_EQ(run().text, "result 0: 4xi32\n");
  options.sources.inputs.clear();
  EXPECT_EQ(run().text, "inputs: random, since --input gives none\n"
                        "result 0: 4xi32\n");
  EXPECT_EQ(options.sources.add("random:x").message().find("--input: "), 0u);
}

TEST_F(Run, Lists) {
  options.list = true;
  options.sources.inputs.clear();
  EXPECT_EQ(run().text, R"(m.so: made by qcc test, format 4.7
variants:
  test  runs here, loaded  (sse2)
weights: 64 bytes
entry main:
  argument 0 'x'  d0xi32
  result 0        d0xi32
  2 steps
    main.step0/twice  fc1 .. relu1  -> d0xi32  (scale 0.5, zero point 1)  net.py:7:3
    main.step1/more   fc2           -> d0xi32                             net.py:7:3
)");
  program.quant->kind = QCC_QUANT_PER_CHANNEL;
  EXPECT_NE(run().text.find("(1 scale and zero points along dimension 0)"),
            std::string::npos);
}

TEST_F(Run, ListsVariantsThatTheHostCannotRun) {
  options.list = true;
  program.artifact.setVariants(2);
  program.artifact.setVariant(0, "plain", "sse2", {SmallProgram::entry()});
  program.artifact.setVariant(1, "newer", "sse2,avx99",
                              {SmallProgram::entry()});
  std::string text = run().text;
  EXPECT_NE(text.find("plain  runs here, loaded  (sse2)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("newer  needs avx99        (sse2,avx99)\n"),
            std::string::npos)
      << text;
}

TEST_F(Run, ListsArtifactsThatTheHostCannotRun) {
  options.list = true;
  program.artifact.setVariant(0, "newer", "sse2,avx99",
                              {SmallProgram::entry()});
  rt::ModuleOptions inspecting;
  inspecting.inspectOnly = true;
  std::string text = listModule(**program.artifact.load(inspecting), "net.so");
  EXPECT_NE(text.find("newer  needs avx99, shown below  (sse2,avx99)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("entry main:\n"), std::string::npos) << text;
}

TEST_F(Run, MeasuresSteps) {
  options.bench = true;
  Outcome bench = run();
  ASSERT_TRUE(bench.status.isOk()) << bench.status.message();
  EXPECT_EQ(bench.text.find("host "), 0u);
  EXPECT_NE(bench.text.find("\nmedian "), std::string::npos);
  EXPECT_EQ(bench.text.find("main.step0"), std::string::npos);
  EXPECT_EQ(bench.text.find("result 0"), std::string::npos);

  options.bench = false;
  options.profile = true;
  options.trace = path("trace.json");
  options.benchJson = path("bench.json");
  Outcome profile = run();
  ASSERT_TRUE(profile.status.isOk()) << profile.status.message();
  EXPECT_NE(profile.text.find("step              layer\n"), std::string::npos)
      << profile.text;
  EXPECT_NE(profile.text.find("main.step0/twice  fc1 .. relu1\n"),
            std::string::npos)
      << profile.text;

  rt::Result<Json> bench2 =
      Json::parse(TemporaryFolder::read(path("bench.json")));
  ASSERT_TRUE(bench2.isOk()) << bench2.message();
  ASSERT_EQ(bench2->find("steps")->array.size(), 2u);
  EXPECT_EQ(bench2->find("operations")->number, 3);
  EXPECT_GT(bench2->find("median_seconds")->number, 0);
}

TEST_F(Run, TracesStepsOneAfterTheOther) {
  options.profile = true;
  options.trace = path("trace.json");
  ASSERT_TRUE(run().status.isOk());
  rt::Result<Json> trace =
      Json::parse(TemporaryFolder::read(path("trace.json")));
  ASSERT_TRUE(trace.isOk()) << trace.message();
  double end = 0;
  int steps = 0, runs = 0, shares = 0;
  for (const Json &event : trace->find("traceEvents")->array) {
    if (event.find("ph")->string != "X")
      continue;
    double start = event.find("ts")->number;
    if (event.find("tid")->integer == 1) {
      EXPECT_GE(start, end - 1e-3);
      ++runs;
      continue;
    }
    if (event.find("tid")->integer > 2) {
      EXPECT_EQ(event.find("tid")->integer, 3); // of the only thread
      ++shares;
      continue;
    }
    EXPECT_GE(start, end - 1e-3);
    end = start + event.find("dur")->number;
    EXPECT_EQ(event.find("name")->string, steps % 2 ? "fc2" : "fc1 .. relu1");
    EXPECT_EQ(event.find("args")->find("location")->string, "net.py:7:3");
    ++steps;
  }
  EXPECT_EQ(runs, 10);
  EXPECT_EQ(steps, 20);
  EXPECT_EQ(shares, 20);
}

TEST_F(Run, DumpsSteps) {
  options.dumpSteps = path("dump");
  ASSERT_TRUE(run().status.isOk());
  rt::Result<Json> index =
      Json::parse(TemporaryFolder::read(path("dump/index.json")));
  ASSERT_TRUE(index.isOk()) << index.message();
  const Json &first = index->find("steps")->array[0];
  EXPECT_EQ(first.find("name")->string, "main.step0/twice");
  EXPECT_EQ(first.find("layer")->string, "fc1");
  EXPECT_EQ(first.find("location")->string, "net.py:7:3");
  const Json &output = first.find("outputs")->array[0];
  EXPECT_EQ(output.find("file")->string, "main.step0_twice.0.npy");
  EXPECT_EQ(output.find("layer")->string, "relu1");
  EXPECT_EQ(output.find("dtype")->string, "i32");
  EXPECT_EQ(output.find("shape")->array[0].integer, 3);
  EXPECT_EQ(output.find("quantization")->find("scales")->array[0].number, 0.5);
  rt::Result<HostTensor> value = readNpy(path("dump/main.step0_twice.0.npy"));
  ASSERT_TRUE(value.isOk()) << value.message();
  EXPECT_EQ(value->as<int32_t>()[2], 6);
  EXPECT_EQ(index->find("steps")->array[1].find("outputs")->array[0].find(
                "quantization"),
            nullptr);
}

TEST_F(Run, ADumpThatFailsHasNoIndex) {
  options.dumpSteps = path("dump");
  ASSERT_TRUE(run().status.isOk());
  // A folder stands where the second file should go.
  std::filesystem::remove(path("dump/main.step1_more.0.npy"));
  std::filesystem::create_directories(path("dump/main.step1_more.0.npy/x"));
  EXPECT_NE(run().status.message().find("main.step1_more.0.npy"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("dump/index.json")));

  options.dumpSteps = path("x.npy");
  expectFailure(path("x.npy") +
                ": is no folder; name another for --dump-steps");
  options.dumpSteps = path("no/such");
  expectFailure(path("no/such") +
                ": cannot make the folder: No such file or directory");
}

TEST(Execution, KnowsArtifactsByTheirBytes) {
  TemporaryFolder folder;
  EXPECT_TRUE(isArtifact(folder.write("a.txt", "\x7f"
                                               "ELF...")));
  EXPECT_FALSE(isArtifact(folder.write("b.so", "module {}")));
  EXPECT_FALSE(isArtifact(folder.write("c.so", "\x7f"
                                               "EL")));
  EXPECT_FALSE(isArtifact(folder.path + "/none"));
  EXPECT_FALSE(isArtifact(folder.path));
}
