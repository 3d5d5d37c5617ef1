//===- Sizes.cpp - Sizes that a command line gives ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Sizes.h"

#include "common/Arguments.h"
#include "common/Text.h"

#include <algorithm>

namespace qcc::tools {

std::string TensorSpec::describe(size_t position) const {
  std::string text = "input " + std::to_string(position);
  return name.empty() ? text : text + " '" + name + "'";
}

std::vector<TensorSpec> specsOf(const rt::Entry &entry) {
  std::vector<TensorSpec> specs;
  for (const rt::TensorInfo &info : entry.arguments) {
    TensorSpec spec{info.dtype, {}, std::string(info.name), {}};
    for (rt::Size dim : info.dims)
      spec.shape.push_back(dim.isDynamic() ? -1 : dim.literal());
    for (std::string_view name : info.dimNames)
      spec.dimNames.emplace_back(name);
    specs.push_back(std::move(spec));
  }
  return specs;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static rt::Result<int64_t> parseSize(std::string_view text,
                                     const std::string &option) {
  std::optional<int64_t> size = parseInteger(text);
  if (!size)
    return rt::invalidArgument("'" + option +
                               "' must be a whole number of 64 bits");
  if (*size < 0)
    return rt::invalidArgument("'" + option + "' is negative");
  return *size;
}

rt::Status addNamedDim(std::string_view text, NamedSizes &sizes) {
  std::string option = "--dim=" + std::string(text);
  size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0)
    return rt::invalidArgument("'" + option +
                               "' names no dimension; write --dim=NAME=N");
  rt::Result<int64_t> size = parseSize(text.substr(equals + 1), option);
  if (!size.isOk())
    return size.status();
  std::string name(text.substr(0, equals));
  if (!sizes.emplace(name, *size).second)
    return rt::invalidArgument("the size of dimension '" + name +
                               "' is given twice; give it once");
  return rt::Status::ok();
}

rt::Status GivenSizes::addDim(std::string_view text) {
  if (text.find('=') != std::string_view::npos)
    return addNamedDim(text, named);
  rt::Result<int64_t> size = parseSize(text, "--dim=" + std::string(text));
  if (!size.isOk())
    return size.status();
  dims.push_back(*size);
  return rt::Status::ok();
}

static rt::Result<std::vector<int64_t>> parseShape(std::string_view text,
                                                   const std::string &option) {
  std::vector<int64_t> shape;
  for (;;) {
    size_t end = text.find('x');
    rt::Result<int64_t> size = parseSize(text.substr(0, end), option);
    if (!size.isOk())
      return size.status();
    shape.push_back(*size);
    if (end == std::string_view::npos)
      return shape;
    text.remove_prefix(end + 1);
  }
}

rt::Status GivenSizes::addShape(std::string_view text) {
  std::string option = "--shape=" + std::string(text);
  size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0)
    return rt::invalidArgument("'" + option +
                               "' names no argument; write --shape=NAME=2x3");
  rt::Result<std::vector<int64_t>> shape =
      parseShape(text.substr(equals + 1), option);
  if (!shape.isOk())
    return shape.status();
  std::string name(text.substr(0, equals));
  for (const auto &[known, sizes] : shapes)
    if (known == name)
      return rt::invalidArgument("the shape of the argument '" + name +
                                 "' is given twice; give it once");
  shapes.emplace_back(std::move(name), *std::move(shape));
  return rt::Status::ok();
}

void addSizeArguments(Arguments &arguments, GivenSizes &sizes,
                      const std::string &inputs) {
  std::string ofModel = "NAME=N is the size of a dimension that has a name. "
                        "Every command compiles an ONNX model for it; ";
  if (inputs.empty())
    arguments.list(
        "dim", "NAME=N", ofModel + "programs of MLIR have sizes in their types",
        [&](std::string_view text) { return addNamedDim(text, sizes.named); });
  else
    arguments.list(
        "dim", "N|NAME=N",
        ofModel + "in programs of MLIR and artifacts, it is the size of " +
            inputs + ". N is the size of the next dynamic dimension of " +
            inputs + ", in order; nothing is compiled for it",
        [&](std::string_view text) { return sizes.addDim(text); });
  arguments.list("shape", "NAME=N0xN1...",
                 "All sizes of the input of a name, as --dim gives one",
                 [&](std::string_view text) { return sizes.addShape(text); });
}

//===----------------------------------------------------------------------===//
// Resolving
//===----------------------------------------------------------------------===//

namespace {
class Resolver {
public:
  Resolver(std::vector<TensorSpec> &specs, const GivenSizes &given,
           const std::string &entry)
      : specs_(specs), given_(given), entry_(entry) {}

  rt::Status applyShapes();
  rt::Status applyDims(const std::vector<bool> &wanted);
  /// Fails where a name that is given belongs to nothing.
  rt::Status checkNames() const;
  /// Fails where a size without a name that is given belongs to nothing.
  rt::Status checkUse(const std::string &what) const;

private:
  rt::Status applyShape(const std::string &name,
                        const std::vector<int64_t> &shape);
  rt::Status fixDim(const std::string &name, int64_t size,
                    const std::string &option);
  rt::Status applyDim(TensorSpec &spec, size_t position, size_t dim,
                      bool isWanted);

  std::vector<TensorSpec> &specs_;
  const GivenSizes &given_;
  const std::string &entry_;
  size_t used_ = 0; ///< of the sizes in order
  /// Sizes of named dimensions that shapes give, and the option of each.
  std::map<std::string, std::pair<int64_t, std::string>> fixed_;
};
} // namespace

/// Notes the size that a shape gives a dimension of a name; fails where another
/// option gives it another size.
rt::Status Resolver::fixDim(const std::string &name, int64_t size,
                            const std::string &option) {
  auto [known, isNew] = fixed_.try_emplace(name, size, option);
  auto named = given_.named.find(name);
  std::string other = isNew ? "" : known->second.second;
  int64_t otherSize = known->second.first;
  if (named != given_.named.end()) {
    otherSize = named->second;
    other = "'--dim=" + name + "=" + std::to_string(otherSize) + "'";
  }
  if (otherSize == size)
    return rt::Status::ok();
  return rt::invalidArgument(option + " gives the dimension '" + name +
                             "' the size " + std::to_string(size) + ", but " +
                             other + " the size " + std::to_string(otherSize) +
                             "; give one size for it");
}

rt::Status Resolver::applyShape(const std::string &name,
                                const std::vector<int64_t> &shape) {
  std::vector<std::string> sizes;
  for (int64_t size : shape)
    sizes.push_back(std::to_string(size));
  std::string option = "'--shape=" + name + "=" + join(sizes, "x") + "'";
  std::vector<std::string> known;
  for (TensorSpec &spec : specs_) {
    if (spec.name != name) {
      known.push_back(spec.name.empty() ? "(no name)" : spec.name);
      continue;
    }
    bool fits = shape.size() == spec.shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d)
      fits = spec.shape[d] < 0 || spec.shape[d] == shape[d];
    if (!fits)
      return rt::invalidArgument(option + " does not fit the argument '" +
                                 name + "' of entry '" + entry_ + "', " +
                                 rt::describe(spec.dtype, spec.shape));
    for (size_t d = 0; d < shape.size(); ++d) {
      bool isNamed = spec.shape[d] < 0 && !spec.dimNames.empty() &&
                     !spec.dimNames[d].empty();
      rt::Status status = isNamed ? fixDim(spec.dimNames[d], shape[d], option)
                                  : rt::Status::ok();
      if (!status.isOk())
        return status;
    }
    spec.shape = shape;
    return rt::Status::ok();
  }
  return rt::invalidArgument(option + ": entry '" + entry_ +
                             "' has no argument '" + name +
                             "'; it has: " + join(known));
}

rt::Status Resolver::applyShapes() {
  for (const auto &[name, shape] : given_.shapes)
    if (rt::Status status = applyShape(name, shape); !status.isOk())
      return status;
  return rt::Status::ok();
}

rt::Status Resolver::applyDim(TensorSpec &spec, size_t position, size_t dim,
                              bool isWanted) {
  std::string name = spec.dimNames.empty() ? "" : spec.dimNames[dim];
  auto found = given_.named.find(name);
  if (!name.empty() && found != given_.named.end()) {
    spec.shape[dim] = found->second;
  } else if (isWanted && used_ < given_.dims.size()) {
    spec.shape[dim] = given_.dims[used_++];
  } else if (isWanted) {
    return rt::invalidArgument(
        spec.describe(position) + " of entry '" + entry_ +
        "' has a dynamic dimension (" + rt::describe(spec.dtype, spec.shape) +
        "); give its size with --dim=" + (name.empty() ? "" : name + "=") +
        "N");
  }
  return rt::Status::ok();
}

rt::Status Resolver::applyDims(const std::vector<bool> &wanted) {
  for (size_t i = 0; i < specs_.size(); ++i)
    for (size_t d = 0; d < specs_[i].shape.size(); ++d) {
      if (specs_[i].shape[d] >= 0)
        continue;
      rt::Status status = applyDim(specs_[i], i, d, wanted[i]);
      if (!status.isOk())
        return status;
    }
  return rt::Status::ok();
}

rt::Status Resolver::checkUse(const std::string &what) const {
  bool hasNames = !given_.named.empty() || !given_.shapes.empty();
  if (used_ < given_.dims.size())
    return rt::invalidArgument(
        format("--dim is given %zu time(s)%s, but %s have %zu dynamic "
               "dimension(s)%s",
               given_.dims.size(), hasNames ? " without a name" : "",
               what.c_str(), used_, hasNames ? " besides" : ""));
  return rt::Status::ok();
}

rt::Status Resolver::checkNames() const {
  std::vector<std::string> known;
  for (const TensorSpec &spec : specs_)
    for (const std::string &name : spec.dimNames)
      if (!name.empty() &&
          std::find(known.begin(), known.end(), name) == known.end())
        known.push_back(name);
  for (const auto &[name, size] : given_.named)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return rt::invalidArgument(
          "'--dim=" + name + "=" + std::to_string(size) + "': entry '" +
          entry_ + "' has no dimension '" + name + "'; " +
          (known.empty() ? "none of its dimensions has a name"
                         : "it has: " + join(known)));
  return rt::Status::ok();
}

rt::Result<std::vector<TensorSpec>>
resolveSizes(std::vector<TensorSpec> specs, const GivenSizes &given,
             const std::vector<bool> &wanted, const std::string &entry,
             const std::string &what) {
  Resolver resolver(specs, given, entry);
  rt::Status status = resolver.applyShapes();
  if (status.isOk())
    status = resolver.checkNames();
  if (status.isOk())
    status = resolver.applyDims(wanted);
  if (status.isOk())
    status = resolver.checkUse(what);
  if (!status.isOk())
    return status;
  return specs;
}

} // namespace qcc::tools
