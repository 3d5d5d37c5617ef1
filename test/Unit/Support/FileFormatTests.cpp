//===- FileFormatTests.cpp - Formats of other tools -----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFolder.h"
#include "qcc/Support/FileFormat.h"

#include "gtest/gtest.h"

using namespace qcc;
using namespace qcc::test;
using namespace std::string_literals;

namespace {
std::string refusal(const std::string &bytes, FileUse use = FileUse::Program) {
  return refuseFormat(bytes, use).value_or("");
}

/// A zip archive as far as names of members go, in local headers only.
std::string zipOf(std::vector<std::string> names) {
  std::string bytes;
  for (const std::string &name : names) {
    std::string header(30, '\0');
    header.replace(0, 4, "PK\x03\x04");
    header[26] = char(name.size());
    bytes += header + name + "data";
  }
  return bytes;
}

void expectFormat(const std::string &bytes, const std::string &name,
                  const std::string &remedy) {
  std::string text = refusal(bytes);
  EXPECT_EQ(text.find("this is " + name), 0u) << text;
  EXPECT_NE(text.find(", not MLIR or an ONNX model; "), std::string::npos)
      << text;
  EXPECT_NE(text.find(remedy), std::string::npos) << text;
}
} // namespace

TEST(FileFormat, RecognisesModelsOfOtherTools) {
  expectFormat("\x1c\0\0\0ET12..."s, "an ExecuTorch program",
               "torch.onnx.export");
  expectFormat("\x1c\0\0\0ORTM"s, "a model in the format of ONNX Runtime",
               "the ONNX model that it was made of");
  expectFormat("GGUF\3\0\0\0"s, "a GGUF file", "optimum-cli");
  expectFormat("\x89HDF\r\n\x1a\n"s, "an HDF5 file", "format='onnx'");
  expectFormat("\x80\x02\x8a\n"s, "a pickle of Python", "torch.onnx.export");
  expectFormat("\x08\x01\x12\x05\x0a\x03xyz"s, "a SavedModel",
               "tf2onnx.convert --saved-model");
  expectFormat("\x0a\x10\x0a\x01x\x12\x0bPlaceholder"s, "a graph of TensorFlow",
               "tf2onnx.convert --graphdef");
  expectFormat("<?xml version=\"1.0\"?>\n<net name=\"m\">",
               "a model of OpenVINO", "the ONNX model");
  expectFormat("ML\xefR\x06StableHLO_v1.0\0"s, "StableHLO bytecode",
               "qcc.jax.load_exported");
  expectFormat("\x1f\x8b\x08", "a gzip archive", "unpack it");
  expectFormat("\x89PNG\r\n", "an image", "numpy.save");
  expectFormat("\x7f"
               "ELF\2\1",
               "an object file", "the model that it was made of");
}

TEST(FileFormat, LooksIntoZipArchives) {
  expectFormat(zipOf({"m/data.pkl", "m/data/0"}), "a PyTorch checkpoint",
               "torch.onnx.export(model");
  expectFormat(zipOf({"m/data.pkl", "m/code/a.py", "m/constants.pkl"}),
               "a TorchScript program", "torch.onnx.export(model");
  expectFormat(zipOf({"m/archive_format", "m/models/model.json"}),
               "an exported program of PyTorch", "torch.export.load");
  expectFormat(zipOf({"metadata.json", "model.weights.h5"}), "a Keras model",
               "model.export");
  expectFormat(zipOf({"w.npy"}), "a .npz file", "weights of a program");
  expectFormat(zipOf({"readme.txt"}), "a zip archive", "unpack it");
  // The names of a large archive are at its end.
  std::string central(46, '\0');
  central.replace(0, 4, "PK\x01\x02");
  central[28] = 10;
  expectFormat(zipOf({"x"}) + std::string(1 << 20, 'x') + central +
                   "m/data.pkl",
               "a PyTorch checkpoint", "torch.onnx.export");
}

TEST(FileFormat, LeavesProgramsAlone) {
  for (const std::string &bytes :
       {"func.func @f() { return }"s, ""s, "\x08\x07\x12\x04test"s,
        "ML\xefR\x06MLIR22\0"s, "\xff\xfe\xfd"s, "\x0a\x10"s, "P"s, "PK"s})
    EXPECT_EQ(refusal(bytes), "") << bytes;
  EXPECT_FALSE(isBinary("text\twith\r\nlines \xc3\xa4"));
  EXPECT_TRUE(isBinary("\x1b[31m"));
  EXPECT_TRUE(isBinary("\0"s));
}

TEST(FileFormat, DependsOnTheUse) {
  std::string npz = zipOf({"w.npy"});
  // A header of 8 bytes: the first byte is that of an ONNX model, too.
  std::string safetensors = "\x08\0\0\0\0\0\0\0{}      "s;
  std::string noArrays = "PK\x05\x06"s + std::string(18, '\0');
  for (const std::string &weights : {npz, safetensors, noArrays}) {
    EXPECT_EQ(refusal(weights, FileUse::Weights), "");
    EXPECT_NE(refusal(weights, FileUse::Program), "");
    EXPECT_NE(refusal(weights, FileUse::Artifact), "");
  }
  EXPECT_EQ(refusal(zipOf({"m/data.pkl"}), FileUse::Weights),
            "this is a PyTorch checkpoint, not a .npz or .safetensors file; "
            "save the tensors by safetensors.torch.save_file(model.state_dict()"
            ", 'weights.safetensors')");
  EXPECT_EQ(refusal("\x08\x07\x12", FileUse::Artifact),
            "this is an ONNX model, not an artifact; compile it by qcc compile "
            "PROGRAM -o MODEL.so");
  EXPECT_EQ(refusal("func.func", FileUse::Artifact),
            "this is text, not an artifact; compile the program by qcc compile "
            "PROGRAM -o MODEL.so");
  EXPECT_EQ(refusal("\x7f"
                    "ELF",
                    FileUse::Artifact),
            "");
  EXPECT_EQ(refusal("\x93NUMPY", FileUse::Array), "");
  EXPECT_EQ(refusal("\x89PNG", FileUse::Array),
            "this is an image, not .npy data; save the array by numpy.save");
}

TEST(FileFormat, ReadsFilesAndFolders) {
  TemporaryFolder folder;
  EXPECT_EQ(refuseFileFormat(folder.path, FileUse::Program),
            "this is a folder; name a file in it");
  std::string model = folder.write("m.pte", "....ET12");
  EXPECT_NE(refuseFileFormat(model, FileUse::Program), std::nullopt);
  EXPECT_EQ(refuseFileFormat(folder.path + "/none", FileUse::Program),
            std::nullopt);
  EXPECT_EQ(refuseFileFormat("/dev/zero", FileUse::Program), std::nullopt);
  folder.write("saved_model.pb", "");
  std::string text =
      refuseFileFormat(folder.path, FileUse::Program).value_or("");
  EXPECT_EQ(text.find("this is a SavedModel of TensorFlow"), 0u) << text;
}
