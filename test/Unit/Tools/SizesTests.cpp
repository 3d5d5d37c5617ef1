//===- SizesTests.cpp - Inputs and sizes of command lines -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Support/TemporaryFolder.h"
#include "common/Inputs.h"
#include "qcc/Support/TensorFile.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::test;
using namespace qcc::tools;

namespace {
const rt::DType f32{QCC_FLOAT, 32};

/// The arguments of most tests: two that share a dimension, and one without
/// names.
const std::vector<TensorSpec> specs = {{f32, {-1, 3}, "x", {"batch", ""}},
                                       {f32, {-1, -1}, "y:0", {"batch", "len"}},
                                       {f32, {-1}, "", {}}};

using Shapes = std::vector<std::vector<int64_t>>;

Shapes shapesOf(const std::vector<TensorSpec> &specs) {
  Shapes shapes;
  for (const TensorSpec &spec : specs)
    shapes.push_back(spec.shape);
  return shapes;
}

/// What a command line with these options gives.
rt::Result<std::vector<TensorSpec>>
resolve(const std::vector<std::string> &dims,
        const std::vector<std::string> &shapes = {},
        const std::vector<bool> &wanted = {true, true, true}) {
  GivenSizes given;
  for (const std::string &dim : dims)
    if (rt::Status status = given.addDim(dim); !status.isOk())
      return status;
  for (const std::string &shape : shapes)
    if (rt::Status status = given.addShape(shape); !status.isOk())
      return status;
  return resolveSizes(specs, given, wanted, "main");
}

std::string refusal(const std::vector<std::string> &dims,
                    const std::vector<std::string> &shapes = {}) {
  return resolve(dims, shapes).message();
}

rt::Result<std::vector<std::string>> place(std::vector<std::string> inputs) {
  return sourcePerArgument({std::move(inputs), {}}, specs, "main");
}
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

TEST(Sizes, AreGivenByNameAndInOrder) {
  EXPECT_EQ(shapesOf(*resolve({"2", "4", "5", "6"})),
            (Shapes{{2, 3}, {4, 5}, {6}}));
  EXPECT_EQ(shapesOf(*resolve({"batch=2", "len=5", "6"})),
            (Shapes{{2, 3}, {2, 5}, {6}}));
  EXPECT_EQ(shapesOf(*resolve({"5", "batch=2", "6"})),
            (Shapes{{2, 3}, {2, 5}, {6}}));
}

TEST(Sizes, ShapesComeBeforeDims) {
  EXPECT_EQ(shapesOf(*resolve({"batch=4", "6"}, {"y:0=4x5"})),
            (Shapes{{4, 3}, {4, 5}, {6}}));
  EXPECT_EQ(shapesOf(*resolve({"6"}, {"x=4x3", "y:0=4x5"})),
            (Shapes{{4, 3}, {4, 5}, {6}}));
}

TEST(Sizes, ThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal({"batch=2", "6"}, {"y:0=4x5"}),
            "'--shape=y:0=4x5' gives the dimension 'batch' the size 4, but "
            "'--dim=batch=2' the size 2; give one size for it");
  EXPECT_EQ(refusal({"6"}, {"x=2x3", "y:0=4x5"}),
            "'--shape=y:0=4x5' gives the dimension 'batch' the size 4, but "
            "'--shape=x=2x3' the size 2; give one size for it");
  EXPECT_EQ(refusal({}, {"x=2x3", "x=2x3"}),
            "the shape of the argument 'x' is given twice; give it once");
}

TEST(Sizes, OfFilesMayStayUnknownAndTakeNoneWithoutAName) {
  EXPECT_EQ(shapesOf(*resolve({"batch=2", "7"}, {}, {false, false, true})),
            (Shapes{{2, 3}, {2, -1}, {7}}));
}

TEST(Sizes, ThatAreMissingAreNamed) {
  EXPECT_EQ(refusal({}),
            "input 0 'x' of entry 'main' has a dynamic dimension (?x3xf32); "
            "give its size with --dim=batch=N");
  EXPECT_EQ(refusal({"batch=1", "len=2"}),
            "input 2 of entry 'main' has a dynamic dimension (?xf32); give its "
            "size with --dim=N");
}

TEST(Sizes, ThatBelongToNothingAreRefused) {
  EXPECT_EQ(refusal({"1", "2", "3", "4", "5"}),
            "--dim is given 5 time(s), but the random inputs have 4 dynamic "
            "dimension(s)");
  EXPECT_EQ(refusal({"batch=1", "2", "3", "4"}),
            "--dim is given 3 time(s) without a name, but the random inputs "
            "have 2 dynamic dimension(s) besides");
  // Also where it may be a wrong spelling of one without a size.
  EXPECT_EQ(refusal({"bach=1"}),
            "'--dim=bach=1': entry 'main' has no dimension 'bach'; it has: "
            "batch, len");
  EXPECT_EQ(refusal({"1", "2", "3", "4", "width=5"}),
            "'--dim=width=5': entry 'main' has no dimension 'width'; it has: "
            "batch, len");
  EXPECT_EQ(refusal({}, {"z=1x3"}),
            "'--shape=z=1x3': entry 'main' has no argument 'z'; it has: x, "
            "y:0, (no name)");
  EXPECT_EQ(refusal({}, {"x=1x4"}),
            "'--shape=x=1x4' does not fit the argument 'x' of entry 'main', "
            "?x3xf32");
  EXPECT_EQ(refusal({}, {"x=1"}),
            "'--shape=x=1' does not fit the argument 'x' of entry 'main', "
            "?x3xf32");
}

TEST(Sizes, AreWholeNumbers) {
  EXPECT_EQ(refusal({"many"}),
            "'--dim=many' must be a whole number of 64 bits");
  EXPECT_EQ(refusal({"batch=2.5"}),
            "'--dim=batch=2.5' must be a whole number of 64 bits");
  EXPECT_EQ(refusal({"-1"}), "'--dim=-1' is negative");
  EXPECT_EQ(refusal({}, {"x=-1x3"}), "'--shape=x=-1x3' is negative");
  EXPECT_EQ(refusal({}, {"x=1xx3"}),
            "'--shape=x=1xx3' must be a whole number of 64 bits");
  EXPECT_EQ(refusal({}, {"1x3"}),
            "'--shape=1x3' names no argument; write --shape=NAME=2x3");
  EXPECT_EQ(refusal({"batch=1", "batch=2"}),
            "the size of dimension 'batch' is given twice; give it once");
  NamedSizes sizes;
  EXPECT_EQ(addNamedDim("4", sizes).message(),
            "'--dim=4' names no dimension; write --dim=NAME=N");
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

TEST(Sources, AreGivenInOrderOrByName) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(*place({}), (Texts{"random", "random", "random"}));
  EXPECT_EQ(*place({"random:1"}), (Texts{"random:1", "random:1", "random:1"}));
  EXPECT_EQ(*place({"a.npy", "b.npy", "random"}),
            (Texts{"a.npy", "b.npy", "random"}));
  EXPECT_EQ(*place({"y:0:b.npy", "random:2:-1:1", "x:random:1:0:5"}),
            (Texts{"random:1:0:5", "b.npy", "random:2:-1:1"}));
}

TEST(Sources, ThatFitNoArgumentAreRefused) {
  EXPECT_EQ(place({"a.npy"}).message(),
            "entry 'main' takes 3 input(s), but --input is given 1 time(s); "
            "--input=random serves all");
  EXPECT_EQ(place({"x:a.npy", "b.npy"}).message(),
            "'--input=b.npy' has no name, but others have; write "
            "--input=NAME:b.npy");
  EXPECT_EQ(place({"x:a.npy"}).message(),
            "input 1 'y:0' of entry 'main' is not given; add "
            "--input=y:0:FILE.npy, or --input=random for all that have no "
            "file");
  EXPECT_EQ(place({"z:a.npy"}).message(),
            "'--input=z:a.npy': entry 'main' has no argument 'z'; it has: x, "
            "y:0, (no name)");
  EXPECT_EQ(place({"x:a.npy", "x:b.npy"}).message(),
            "--input gives the argument 'x' of entry 'main' twice");
  EXPECT_EQ(InputSources().add("x:random:2:1").message(),
            "--input: 'random:2:1': there must be a seed, or a seed and two "
            "bounds; write random[:SEED[:LO:HI]], such as random:1:-1:1");
}

TEST(Sources, HaveNeitherEmptyNamesNorFiles) {
  auto add = [](const char *text) {
    return InputSources().add(text).message();
  };
  EXPECT_EQ(add("x.npy"), "");
  EXPECT_EQ(add("y:0:random:2"), "");
  EXPECT_EQ(add(":x.npy"),
            "'--input=:x.npy' has an empty name; write --input=NAME:FILE.npy, "
            "or --input=FILE.npy without a name");
  EXPECT_EQ(add(":random").find("'--input=:random' has an empty name"), 0u);
  EXPECT_EQ(add("x:").find("'--input=x:' has nothing after its name"), 0u);
}

TEST(Sources, FilesHaveTheSizesOfTheirNames) {
  TemporaryFolder folder;
  std::string path = folder.path + "/x.npy";
  float zeros[6] = {};
  ASSERT_TRUE(writeNpy(path, f32, {2, 3}, zeros).isOk());
  InputSources sources{{"x:" + path, "random"},
                       {{1}, {{"batch", 4}, {"len", 1}}, {}}};
  EXPECT_EQ(makeInputs(specs, sources, "main").message(),
            "input 0, '" + path +
                "', has size 2 instead of 4 in dimension 0: the entry takes "
                "4x3xf32, the file holds 2x3xf32");
  sources.sizes.named["batch"] = 2;
  auto inputs = makeInputs(specs, sources, "main");
  ASSERT_TRUE(inputs.isOk()) << inputs.message();
  EXPECT_EQ((*inputs)[1].shape(), (std::vector<int64_t>{2, 1}));
}
