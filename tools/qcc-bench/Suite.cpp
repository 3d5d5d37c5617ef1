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
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace qcc;
using namespace qcc::bench;

/// Keeps sizes in bytes far from overflow.
static constexpr int64_t kMaxExtent = 1 << 20;

std::string Shape::name() const {
  std::string text = batch ? std::to_string(batch) + "x" : "";
  text += std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  return text + (transposeRhs ? "t" : "");
}

Shape Suite::rounded(const Shape &shape) const {
  Shape result = shape;
  result.m = llvm::alignTo(shape.m, roundUp->first);
  result.n = llvm::alignTo(shape.n, roundUp->first);
  result.k = llvm::alignTo(shape.k, roundUp->second);
  return result;
}

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

static llvm::Expected<int64_t> extent(const Json &json, llvm::StringRef name) {
  if (json.kind != Json::Integer || json.integer < 1 ||
      json.integer > kMaxExtent)
    return fail("'" + name + "' must be an integer between 1 and " +
                llvm::Twine(kMaxExtent));
  return json.integer;
}

static llvm::Expected<Shape> readShape(const Json &json) {
  if (json.kind != Json::Object)
    return fail("must be an object such as {\"m\": 64, \"n\": 64, \"k\": 64}");
  Shape shape;
  unsigned given = 0;
  for (auto &[name, value] : json.object) {
    if (name == "transpose_rhs") {
      if (value.kind != Json::Bool)
        return fail("'transpose_rhs' must be true or false");
      shape.transposeRhs = value.boolean;
      continue;
    }
    int64_t *field = name == "batch" ? &shape.batch
                     : name == "m"   ? &shape.m
                     : name == "n"   ? &shape.n
                     : name == "k"   ? &shape.k
                                     : nullptr;
    if (!field)
      return fail("unknown member '" + name +
                  "'; known are batch, m, n, k and transpose_rhs");
    llvm::Expected<int64_t> number = extent(value, name);
    if (!number)
      return number.takeError();
    *field = *number;
    given += name != "batch";
  }
  if (given != 3)
    return fail("needs m, n and k");
  if (shape.transposeRhs && !shape.batch)
    return fail("'transpose_rhs' needs a batch: weights are always [n, k]");
  return shape;
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
        return fail("'round_up' must be [multiple of m and n, multiple of k]");
      llvm::Expected<int64_t> mn = extent(value.array[0], name);
      if (!mn)
        return mn.takeError();
      llvm::Expected<int64_t> k = extent(value.array[1], name);
      if (!k)
        return k.takeError();
      suite.roundUp = {*mn, *k};
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
    if (llvm::sys::path::extension(it->path()) == ".json")
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
                  " or a path that ends in .json");
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
