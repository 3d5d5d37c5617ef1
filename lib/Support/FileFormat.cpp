//===- FileFormat.cpp - Formats of other tools ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Support/FileFormat.h"

#include "qcc/Support/FileIO.h"

#include <algorithm>
#include <sys/stat.h>
#include <vector>

using namespace std::string_view_literals;

namespace qcc {
namespace {

constexpr size_t kEnd = 64 << 10; ///< What is read of both ends of a file.

/// A format, and what to do with a file of it.
struct Format {
  const char *name; ///< "a PyTorch checkpoint"
  const char *asProgram;
  const char *asWeights;
};

constexpr const char *kTorchExport =
    "export the model by torch.onnx.export(model, args, 'model.onnx', "
    "dynamo=True)";
constexpr const char *kTorchWeights =
    "save the tensors by safetensors.torch.save_file(model.state_dict(), "
    "'weights.safetensors')";
constexpr const char *kNumpyWeights =
    "save the tensors by numpy.savez('weights.npz', name=array)";
constexpr const char *kUnpack = "unpack it, and give the file in it";

// Formats of which there is one each.
constexpr Format kNpy{".npy data, one array",
                      "give it as an input of a program",
                      "save named arrays by numpy.savez"};
constexpr Format kNpz{"a .npz file, which holds arrays",
                      "give it as the weights of a program", nullptr};
constexpr Format kSafetensors{"a .safetensors file, which holds tensors",
                              "give it as the weights of a program", nullptr};
constexpr Format kTorchArchive{
    "an exported program of PyTorch (.pt2)",
    "convert it by torch.onnx.export(torch.export.load(FILE), (), "
    "'model.onnx', dynamo=True)",
    kTorchWeights};
constexpr Format kTorchScript{"a TorchScript program", kTorchExport,
                              kTorchWeights};
constexpr Format kTorchCheckpoint{"a PyTorch checkpoint", kTorchExport,
                                  kTorchWeights};
constexpr Format kPickle{
    "a pickle of Python, such as an old PyTorch checkpoint", kTorchExport,
    kTorchWeights};
constexpr Format kKeras{
    "a Keras model",
    "export it by model.export('model.onnx', format='onnx') of Keras; in "
    "Python, qcc.tensorflow takes the loaded model",
    kNumpyWeights};
constexpr Format kHDF5{
    "an HDF5 file, such as a Keras model",
    "load it in Keras, and export it by model.export('model.onnx', "
    "format='onnx'); in Python, qcc.tensorflow takes the loaded model",
    kNumpyWeights};
constexpr Format kSavedModel{"a SavedModel of TensorFlow",
                             "convert it by python -m tf2onnx.convert "
                             "--saved-model FOLDER --output model.onnx; in "
                             "Python, qcc.tensorflow takes its functions",
                             kNumpyWeights};
constexpr Format kGraphDef{"a graph of TensorFlow (GraphDef)",
                           "convert it by python -m tf2onnx.convert --graphdef "
                           "FILE --output model.onnx",
                           kNumpyWeights};
constexpr Format kTFLite{"a TensorFlow Lite model", nullptr, kNumpyWeights};
constexpr Format kExecuTorch{"an ExecuTorch program", kTorchExport,
                             kTorchWeights};
constexpr Format kORT{"a model in the format of ONNX Runtime (.ort)",
                      "give the ONNX model that it was made of", kNumpyWeights};
constexpr Format kGGUF{"a GGUF file of llama.cpp",
                       "export the model that it was made of as ONNX, such as "
                       "by optimum-cli export onnx",
                       "give the .safetensors file that it was made of"};
constexpr Format kStableHLO{
    "StableHLO bytecode",
    "write the program as text, as lowered.as_text() of JAX does or "
    "stablehlo-translate --deserialize; in Python, qcc.jax.load_exported takes "
    "what jax.export made",
    kNumpyWeights};
constexpr Format kOpenVINO{"a model of OpenVINO",
                           "give the ONNX model that it was made of",
                           kNumpyWeights};
constexpr Format kBitcode{"LLVM bitcode", "give the program it was made of",
                          kNumpyWeights};
constexpr Format kZip{"a zip archive", kUnpack, kUnpack};
constexpr Format kGzip{"a gzip archive", kUnpack, kUnpack};
constexpr Format kOtherArchive{"an archive", kUnpack, kUnpack};
constexpr Format kImage{"an image",
                        "save its pixels by numpy.save, and give them as an "
                        "input of a program",
                        kNumpyWeights};
constexpr Format kElf{"an object file or a program",
                      "give the model that it was made of", kNumpyWeights};
// What other uses take.
constexpr Format kModel{"an ONNX model", nullptr,
                        "it has weights of its own: give it as the program"};
constexpr Format kBytecode{"bytecode of MLIR", nullptr,
                           "give it as the program"};
constexpr Format kText{"text", nullptr, kNumpyWeights};

bool startsWith(std::string_view bytes, std::string_view start) {
  return bytes.substr(0, start.size()) == start;
}
bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}
unsigned byteAt(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

/// The names of members of a zip archive, by headers of both kinds.
std::vector<std::string_view> zipNames(std::string_view bytes) {
  std::vector<std::string_view> names;
  struct Header {
    std::string_view magic;
    size_t lengthAt, nameAt;
  };
  for (const Header &header :
       {Header{"PK\x03\x04"sv, 26, 30}, Header{"PK\x01\x02"sv, 28, 46}})
    for (size_t i = bytes.find(header.magic); i != bytes.npos;
         i = bytes.find(header.magic, i + 4)) {
      size_t length = byteAt(bytes, i + header.lengthAt) |
                      byteAt(bytes, i + header.lengthAt + 1) << 8;
      if (i + header.nameAt < bytes.size())
        names.push_back(bytes.substr(i + header.nameAt, length));
    }
  return names;
}

const Format *recogniseZip(std::string_view bytes) {
  std::vector<std::string_view> names = zipNames(bytes);
  auto hasMember = [&](std::string_view end) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return endsWith(name, end);
    });
  };
  if (hasMember("models/model.json") || hasMember("archive_format") ||
      hasMember("serialized_exported_program.json"))
    return &kTorchArchive;
  if (hasMember("constants.pkl") || hasMember("bytecode.pkl"))
    return &kTorchScript;
  if (hasMember("data.pkl"))
    return &kTorchCheckpoint;
  if (hasMember("model.weights.h5"))
    return &kKeras;
  return names.empty() || hasMember(".npy") ? &kNpz : &kZip;
}

/// Reads a varint at `i`, which moves behind it.
size_t readVarint(std::string_view bytes, size_t &i) {
  size_t value = 0;
  for (unsigned shift = 0; i < bytes.size() && shift < 63; shift += 7) {
    unsigned byte = byteAt(bytes, i++);
    value |= size_t(byte & 127) << shift;
    if (byte < 128)
      break;
  }
  return value;
}

/// A GraphDef begins with a node, which begins with its name and its op.
bool isGraphDef(std::string_view bytes) {
  size_t i = 1;
  if (byteAt(bytes, 0) != 0x0a || readVarint(bytes, i) == 0 ||
      byteAt(bytes, i++) != 0x0a)
    return false;
  size_t length = readVarint(bytes, i);
  std::string_view name = bytes.substr(std::min(i, bytes.size()), length);
  i += length;
  if (isBinary(name) || byteAt(bytes, i++) != 0x12)
    return false;
  length = readVarint(bytes, i);
  std::string_view op = bytes.substr(std::min(i, bytes.size()), length);
  return !op.empty() && op.front() >= 'A' && op.front() <= 'Z' && !isBinary(op);
}

/// A SavedModel has the version 1 and a MetaGraphDef, which begins with a
/// message.
bool isSavedModel(std::string_view bytes) {
  size_t i = 3;
  return startsWith(bytes, "\x08\x01\x12"sv) && readVarint(bytes, i) > 0 &&
         byteAt(bytes, i) == 0x0a;
}

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

struct Magic {
  size_t offset;
  std::string_view bytes;
  const Format *format;
};

const Magic kMagics[] = {
    {0, "\x93NUMPY"sv, &kNpy},
    {0, "GGUF"sv, &kGGUF},
    {0, "\x89HDF\r\n\x1a\n"sv, &kHDF5},
    {4, "TFL3"sv, &kTFLite},
    {4, "ET12"sv, &kExecuTorch},
    {4, "ET13"sv, &kExecuTorch},
    {4, "ORTM"sv, &kORT},
    {0, "BC\xc0\xde"sv, &kBitcode},
    {0, "\x1f\x8b"sv, &kGzip},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     &kOtherArchive},
    {0, "\x28\xb5\x2f\xfd"sv, &kOtherArchive},
    {0, "BZh"sv, &kOtherArchive},
    {0, "7z\xbc\xaf"sv, &kOtherArchive},
    {257, "ustar"sv, &kOtherArchive},
    {0, "\x89PNG"sv, &kImage},
    {0, "\xff\xd8\xff"sv, &kImage},
    {0,
     "\x7f"
     "ELF"sv,
     &kElf},
};

const Format *recognise(std::string_view bytes) {
  // The length of a header, which may look like any magic.
  if (byteAt(bytes, 8) == '{' && byteAt(bytes, 7) == 0 && byteAt(bytes, 6) == 0)
    return &kSafetensors;
  for (const Magic &magic : kMagics)
    if (bytes.size() >= magic.offset &&
        startsWith(bytes.substr(magic.offset), magic.bytes))
      return magic.format;
  if (startsWith(bytes, "PK\x03\x04"sv) || startsWith(bytes, "PK\x05\x06"sv))
    return recogniseZip(bytes);
  if (startsWith(bytes, "ML\xefR"sv))
    return contains(bytes.substr(0, 64), "StableHLO") ||
                   contains(bytes, "vhlo\0"sv) ||
                   contains(bytes, "stablehlo\0"sv)
               ? &kStableHLO
               : &kBytecode;
  unsigned second = byteAt(bytes, 1);
  if (byteAt(bytes, 0) == 0x80 && second >= 2 && second <= 5)
    return &kPickle;
  if (isSavedModel(bytes))
    return &kSavedModel;
  if (isGraphDef(bytes))
    return &kGraphDef;
  if (byteAt(bytes, 0) == 0x08)
    return &kModel;
  // UTF-8 has no bytes from 0xf8 on.
  bool isText = !isBinary(bytes) &&
                std::none_of(bytes.begin(), bytes.end(),
                             [](unsigned char c) { return c >= 0xf8; });
  if (bytes.empty() || !isText)
    return nullptr;
  return startsWith(bytes, "<?xml") && contains(bytes.substr(0, 256), "<net ")
             ? &kOpenVINO
             : &kText;
}

std::optional<std::string> refuse(const Format &format, FileUse use) {
  std::string name = format.name;
  std::string asProgram = format.asProgram ? format.asProgram : "";
  switch (use) {
  case FileUse::Program:
    if (!format.asProgram)
      return std::nullopt;
    return "this is " + name + ", not MLIR or an ONNX model; " + asProgram;
  case FileUse::Weights:
    if (!format.asWeights)
      return std::nullopt;
    return "this is " + name + ", not a .npz or .safetensors file; " +
           format.asWeights;
  case FileUse::Artifact:
    if (&format == &kElf)
      return std::nullopt;
    if (&format == &kText)
      return "this is text, not an artifact; compile the program by qcc "
             "compile PROGRAM -o MODEL.so";
    return "this is " + name + ", not an artifact; " +
           (format.asProgram ? asProgram + ", and compile the program"
                             : "compile it") +
           " by qcc compile PROGRAM -o MODEL.so";
  case FileUse::Array:
    if (&format == &kNpy)
      return std::nullopt;
    return "this is " + name + ", not .npy data; save the array by numpy.save";
  }
  return std::nullopt;
}

} // namespace

std::vector<ForeignFormat> foreignPrograms() {
  std::vector<ForeignFormat> formats;
  for (const Format *format :
       {&kTorchCheckpoint, &kPickle, &kTorchScript, &kTorchArchive,
        &kExecuTorch, &kKeras, &kHDF5, &kSavedModel, &kGraphDef, &kStableHLO,
        &kGGUF, &kORT, &kOpenVINO})
    formats.push_back({format->name, format->asProgram});
  return formats;
}

bool isBinary(std::string_view bytes) {
  constexpr size_t kLooked = 4096;
  return std::any_of(bytes.begin(),
                     bytes.begin() + std::min(bytes.size(), kLooked),
                     [](unsigned char c) {
                       return (c < ' ' && (c < '\t' || c > '\r')) || c == 0x7f;
                     });
}

std::optional<std::string> refuseFormat(std::string_view bytes, FileUse use) {
  std::string ends;
  if (bytes.size() > 2 * kEnd) {
    ends = bytes.substr(0, kEnd);
    ends += bytes.substr(bytes.size() - kEnd);
    bytes = ends;
  }
  const Format *format = recognise(bytes);
  return format ? refuse(*format, use) : std::nullopt;
}

std::optional<std::string> refuseFileFormat(const std::string &path,
                                            FileUse use) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    bool isSaved = stat((path + "/saved_model.pb").c_str(), &info) == 0;
    return isSaved ? refuse(kSavedModel, use)
                   : "this is a folder; name a file in it";
  }
  rt::Result<InputFile> file = InputFile::open(path);
  if (!file.isOk())
    return std::nullopt;
  int64_t size = file->size(), half = std::min<int64_t>(size, kEnd);
  int64_t rest = std::min<int64_t>(size - half, kEnd);
  std::string bytes(half + rest, '\0');
  if (!file->read(bytes.data(), half, 0).isOk() ||
      !file->read(bytes.data() + half, rest, size - rest).isOk())
    return std::nullopt;
  return refuseFormat(bytes, use);
}

} // namespace qcc
