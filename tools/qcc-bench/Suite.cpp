//===- Suite.cpp - Reading suites -----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"
#include "qcc/Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace qcc;
using namespace qcc::bench;

std::string bench::dataFolder() {
  static int anchor;
  llvm::SmallString<256> path(
      llvm::sys::fs::getMainExecutable("qcc-bench", &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "share", "qcc");
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Both keep numbers of elements and operations far from overflow.
static constexpr int64_t kMaxExtent = 1 << 20;
static constexpr int64_t kMaxElementsLog2 = 40;

/// Reads a number of at least `least` into all of `fields`.
static llvm::Error readNumber(const Json &json, llvm::StringRef name,
                              int64_t least, llvm::ArrayRef<int64_t *> fields) {
  if (json.kind != Json::Integer || json.integer < least ||
      json.integer > kMaxExtent)
    return fail("'" + name + "' must be an integer between " +
                llvm::Twine(least) + " and " + llvm::Twine(kMaxExtent));
  for (int64_t *field : fields)
    *field = json.integer;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static llvm::Expected<Shape> readMatrix(const Json &json) {
  MatrixShape shape;
  unsigned given = 0;
  for (auto &[name, value] : json.object) {
    if (name == "transpose_rhs") {
      if (value.kind != Json::Bool)
        return fail("'transpose_rhs' must be true or false");
      shape.transposeRhs = value.boolean;
      continue;
    }
    int64_t *field = llvm::StringSwitch<int64_t *>(name)
                         .Case("batch", &shape.batch)
                         .Case("m", &shape.m)
                         .Case("n", &shape.n)
                         .Case("k", &shape.k)
                         .Default(nullptr);
    if (!field)
      return fail("unknown member '" + name +
                  "' of a matrix product; known are batch, m, n, k and "
                  "transpose_rhs");
    if (llvm::Error error = readNumber(value, name, 1, {field}))
      return std::move(error);
    given += name != "batch";
  }
  if (given != 3)
    return fail("needs m, n and k, or, as a convolution, h, w, c, f and k");
  if (shape.transposeRhs && !shape.batch)
    return fail("'transpose_rhs' needs a batch: weights are always [n, k]");
  return shape;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static bool isConvolution(const Json &json) {
  return llvm::any_of(std::initializer_list<const char *>{"h", "w", "c", "f"},
                      [&](const char *name) { return json.find(name); });
}

static llvm::Error readConvolutionMember(llvm::StringRef name,
                                         const Json &value,
                                         ConvolutionShape &shape) {
  using Fields = llvm::SmallVector<int64_t *, 4>;
  const Fields pads{&shape.top, &shape.bottom, &shape.left, &shape.right};
  if (name == "pads") {
    if (value.kind != Json::Array || value.array.size() != pads.size())
      return fail("'pads' must be [top, bottom, left, right]");
    for (auto [element, pad] : llvm::zip(value.array, pads))
      if (llvm::Error error = readNumber(element, name, 0, {pad}))
        return error;
    return llvm::Error::success();
  }
  Fields fields = llvm::StringSwitch<Fields>(name)
                      .Case("n", {&shape.n})
                      .Case("h", {&shape.h})
                      .Case("w", {&shape.w})
                      .Case("c", {&shape.c})
                      .Case("f", {&shape.f})
                      .Case("k", {&shape.kh, &shape.kw})
                      .Case("kh", {&shape.kh})
                      .Case("kw", {&shape.kw})
                      .Case("stride", {&shape.stride})
                      .Case("dilation", {&shape.dilation})
                      .Case("groups", {&shape.groups})
                      .Case("pad", pads)
                      .Default({});
  if (fields.empty())
    return fail("unknown member '" + name +
                "' of a convolution; known are n, h, w, c, f, k, kh, kw, "
                "stride, dilation, pad, pads and groups");
  return readNumber(value, name, name == "pad" ? 0 : 1, fields);
}

/// Which members must be there and which exclude each other.
static llvm::Error checkMembers(const Json &json) {
  for (const char *name : {"h", "w", "c", "f"})
    if (!json.find(name))
      return fail("needs '" + llvm::Twine(name) + "'");
  bool hasBoth = json.find("kh") && json.find("kw");
  if (json.find("k") ? json.find("kh") || json.find("kw") : !hasBoth)
    return fail("needs either 'k' or both 'kh' and 'kw'");
  if (json.find("pad") && json.find("pads"))
    return fail("'pad' and 'pads' exclude each other");
  return llvm::Error::success();
}

/// Whether a convolution can be computed at all.
static llvm::Error checkConvolution(const ConvolutionShape &conv) {
  auto number = [](int64_t value) {
    return " (" + std::to_string(value) + ")";
  };
  for (auto [name, channels] : {std::pair("c", conv.c), std::pair("f", conv.f)})
    if (channels % conv.groups)
      return fail("'groups'" + number(conv.groups) + " does not divide '" +
                  name + "'" + number(channels));
  auto fits = [&](const std::string &kernel, int64_t window,
                  const std::string &input, int64_t padded) -> llvm::Error {
    if (window <= padded)
      return llvm::Error::success();
    return fail("'" + kernel + "' makes a window of " + llvm::Twine(window) +
                ", larger than '" + input + "' with its padding" +
                number(padded));
  };
  if (llvm::Error error =
          fits("kh", conv.windowHeight(), "h", conv.paddedHeight()))
    return error;
  if (llvm::Error error =
          fits("kw", conv.windowWidth(), "w", conv.paddedWidth()))
    return error;
  // Sums of u8 * i8.
  constexpr int64_t kMaxProducts = INT32_MAX / (255 * 128);
  if (double(conv.kh) * conv.kw * double(conv.c) / conv.groups > kMaxProducts)
    return fail("'kh' * 'kw' * 'c' / 'groups' is more than " +
                llvm::Twine(kMaxProducts) + ": sums may overflow i32");
  Shape shape(conv);
  for (auto &[name, sizes] : {std::pair("input", shape.lhsShape()),
                              std::pair("weight", shape.rhsShape()),
                              std::pair("result", shape.resultShape())}) {
    double count = 1;
    for (int64_t size : sizes)
      count *= double(size);
    if (count > double(int64_t(1) << kMaxElementsLog2))
      return fail("the " + llvm::Twine(name) + " has more than 2^" +
                  llvm::Twine(kMaxElementsLog2) + " elements");
  }
  return llvm::Error::success();
}

static llvm::Expected<Shape> readConvolution(const Json &json) {
  ConvolutionShape shape;
  for (auto &[name, value] : json.object)
    if (llvm::Error error = readConvolutionMember(name, value, shape))
      return std::move(error);
  if (llvm::Error error = checkMembers(json))
    return std::move(error);
  if (llvm::Error error = checkConvolution(shape))
    return std::move(error);
  return shape;
}

//===----------------------------------------------------------------------===//
// Suites
//===----------------------------------------------------------------------===//

static llvm::Expected<Shape> readShape(const Json &json) {
  if (json.kind != Json::Object)
    return fail("must be an object such as {\"m\": 64, \"n\": 64, \"k\": 64}");
  return isConvolution(json) ? readConvolution(json) : readMatrix(json);
}

static llvm::Expected<Suite> parse(llvm::StringRef text) {
  rt::Result<Json> json = Json::parse({text.data(), text.size()});
  if (!json.isOk())
    return fail(json.message());
  if (json->kind != Json::Object)
    return fail("must be an object");
  Suite suite;
  for (auto &[name, value] : json->object) {
    if (name == "about") {
      if (value.kind != Json::String)
        return fail("'about' must be a text");
    } else if (name == "round_up") {
      if (value.kind != Json::Array || value.array.size() != 2)
        return fail("'round_up' must be [multiple of m, n and f, multiple of k "
                    "and c]");
      auto &[outer, inner] = suite.roundUp.emplace();
      if (llvm::Error error = readNumber(value.array[0], name, 1, {&outer}))
        return std::move(error);
      if (llvm::Error error = readNumber(value.array[1], name, 1, {&inner}))
        return std::move(error);
    } else if (name == "shapes") {
      if (value.kind != Json::Array)
        return fail("'shapes' must be an array");
      for (auto [i, element] : llvm::enumerate(value.array)) {
        llvm::Expected<Shape> shape = readShape(element);
        if (!shape)
          return fail("shape " + llvm::Twine(i) + ": " +
                      llvm::toString(shape.takeError()));
        suite.shapes.push_back(*shape);
      }
    } else {
      return fail("unknown member '" + name +
                  "'; known are about, round_up and shapes");
    }
  }
  if (suite.shapes.empty())
    return fail("has no shapes");
  return suite;
}

/// "gemm, odd, small-m": the suites of a folder.
static std::string namesIn(llvm::StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == ".json" ||
        llvm::sys::fs::is_directory(it->path()))
      names.push_back(llvm::sys::path::stem(it->path()).str());
  llvm::sort(names);
  return names.empty() ? "there are none in " + folder.str()
                       : llvm::join(names, ", ");
}

llvm::Expected<Suite> Suite::load(const std::string &name) {
  std::string folder = dataFolder() + "/suites", path = name;
  if (!llvm::StringRef(name).ends_with(".json")) {
    path = folder + "/" + name + ".json";
    if (name.find('/') != std::string::npos || !llvm::sys::fs::exists(path))
      return fail("unknown suite '" + name + "'; use " + namesIn(folder) +
                  " or a path that ends in .json or .mlir");
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot read suite " + path + ": " +
                buffer.getError().message());
  llvm::Expected<Suite> suite = parse((*buffer)->getBuffer());
  if (!suite)
    return fail("suite " + path + ": " + llvm::toString(suite.takeError()));
  suite->name = llvm::sys::path::stem(path).str();
  return suite;
}
