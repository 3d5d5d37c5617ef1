//===- ModelInputs.cpp - Inputs of an ONNX model as they are fixed --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelInputs.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace qcc;
using namespace qcc::onnx;

/// The bytes of an input that one number fills, at most.
static constexpr int64_t kMostFilled = int64_t(1) << 28;

ModelInputs::ModelInputs(const Graph &graph, const FixedInputs &fixed)
    : graph(graph), fixed(fixed) {
  for (const Tensor &tensor : graph.initializers)
    defaults.insert(tensor.name);
}

const ValueInfo *ModelInputs::find(const std::string &name) const {
  auto found = llvm::find_if(
      graph.inputs, [&](const ValueInfo &input) { return input.name == name; });
  return found == graph.inputs.end() ? nullptr : &*found;
}

std::string ModelInputs::listNames() const {
  std::vector<std::string> names;
  for (const ValueInfo &input : graph.inputs)
    names.push_back("'" + std::string(input.name) + "'");
  return names.empty() ? "it has none" : "it has " + llvm::join(names, ", ");
}

bool ModelInputs::isFixed(const ValueInfo &input) const {
  return fixed.constants.count(std::string(input.name));
}

bool ModelInputs::isArgument(const ValueInfo &input) const {
  return !isFixed(input) && !defaults.count(input.name);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

rt::Status ModelInputs::checkDims() const {
  std::set<std::string> known;
  for (const ValueInfo &input : graph.inputs)
    for (const Dimension &dim : input.shape)
      if ((isArgument(input) || isFixed(input)) && !dim.hasValue &&
          !dim.symbol.empty())
        known.emplace(dim.symbol);
  for (auto &[name, size] : fixed.dims)
    if (!known.count(name))
      return rt::invalidArgument(
          "no input has a dimension '" + name + "', for which the size " +
          std::to_string(size) + " is given; " +
          (known.empty()
               ? "no dimension has a name"
               : "the names are '" + llvm::join(known, "', '") + "'"));
  return rt::Status::ok();
}

rt::Status ModelInputs::fixSymbol(std::string_view symbol, int64_t size,
                                  const std::string &what) {
  auto [entry, isNew] = symbols.try_emplace(std::string(symbol), size);
  if (isNew || entry->second == size)
    return rt::Status::ok();
  return rt::invalidArgument(what + " has the size " + std::to_string(size) +
                             " where the model has '" + entry->first +
                             "', which is " + std::to_string(entry->second) +
                             "; give one size for it");
}

rt::Status ModelInputs::fixShape(const ValueInfo &input,
                                 const std::vector<int64_t> &shape,
                                 const std::string &what) {
  bool fits = !input.hasShape || input.shape.size() == shape.size();
  for (auto [dim, size] : llvm::zip(input.shape, shape))
    fits &= !dim.hasValue || dim.value == size;
  if (!fits) {
    std::vector<std::string> sizes;
    for (const Dimension &dim : input.shape)
      sizes.push_back(dim.hasValue ? std::to_string(dim.value) : "?");
    return rt::invalidArgument(
        what + " does not fit its shape in the model, " +
        (sizes.empty() ? "that of a scalar" : llvm::join(sizes, "x")));
  }
  for (auto [dim, size] : llvm::zip(input.shape, shape))
    if (!dim.hasValue && !dim.symbol.empty())
      if (rt::Status status = fixSymbol(dim.symbol, size, what); !status.isOk())
        return status;
  shapes[input.name] = shape;
  return rt::Status::ok();
}

ValueInfo ModelInputs::withSizes(const ValueInfo &input) const {
  ValueInfo known = input;
  if (auto found = shapes.find(input.name); found != shapes.end()) {
    known.hasShape = true;
    known.shape.clear();
    for (int64_t size : found->second)
      known.shape.push_back({true, size, {}});
  }
  for (Dimension &dim : known.shape)
    if (auto found = symbols.find(dim.symbol);
        !dim.hasValue && found != symbols.end())
      dim = {true, found->second, {}};
  return known;
}

std::optional<int64_t> ModelInputs::sizeOf(std::string_view symbol) const {
  auto found = symbols.find(symbol);
  return found == symbols.end() ? std::nullopt : std::optional(found->second);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// An element of type i64 or f64 as one of an integer type; nothing if the type
/// cannot hold it.
static std::optional<std::string> toInteger(const llvm::APFloat &value,
                                            rt::DType type) {
  bool isUnsigned = type.code != QCC_INT;
  unsigned width = type.code == QCC_BOOL ? 1 : type.bits;
  llvm::APSInt integer(width, isUnsigned);
  bool isExact = false;
  auto status =
      value.convertToInteger(integer, llvm::APFloat::rmTowardZero, &isExact);
  if (status != llvm::APFloat::opOK || !isExact)
    return std::nullopt;
  uint64_t bits = isUnsigned ? integer.getZExtValue() : integer.getSExtValue();
  return std::string(reinterpret_cast<const char *>(&bits), type.size());
}

/// An element of type i64 or f64 as one of another type.
static std::optional<std::string>
convertElement(const char *data, bool isInteger, rt::DType type) {
  // Has all numbers of both.
  llvm::APFloat value(llvm::APFloat::IEEEquad());
  if (isInteger) {
    int64_t integer;
    std::memcpy(&integer, data, sizeof(integer));
    value.convertFromAPInt(llvm::APInt(64, integer, /*isSigned=*/true),
                           /*IsSigned=*/true,
                           llvm::APFloat::rmNearestTiesToEven);
  } else {
    double number;
    std::memcpy(&number, data, sizeof(number));
    bool losesInfo;
    value = llvm::APFloat(number);
    value.convert(llvm::APFloat::IEEEquad(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
  }
  if (!type.isFloat())
    return toInteger(value, type);
  const llvm::fltSemantics &semantics =
      type.code == QCC_BFLOAT ? llvm::APFloat::BFloat()
      : type.bits == 16       ? llvm::APFloat::IEEEhalf()
      : type.bits == 32       ? llvm::APFloat::IEEEsingle()
                              : llvm::APFloat::IEEEdouble();
  bool losesInfo;
  bool isFinite = value.isFinite();
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  if (isFinite && !value.isFinite())
    return std::nullopt;
  uint64_t bits = value.bitcastToAPInt().getZExtValue();
  return std::string(reinterpret_cast<const char *>(&bits), type.size());
}

/// The element of a type that a number is.
static rt::Result<std::string> elementOf(const HostView &number, rt::DType type,
                                         const std::string &what) {
  if (number.dtype == type)
    return std::string(number.bytes.data(), number.bytes.size());
  bool isInteger = number.dtype == rt::DType{QCC_INT, 64};
  auto element = convertElement(number.bytes.data(), isInteger, type);
  if (!element)
    return rt::invalidArgument(what + " is no " + type.name() +
                               ", the type of its elements" +
                               (type.code == QCC_BOOL ? "; give 0 or 1" : ""));
  return *std::move(element);
}

/// Elements of a type that a number gives a shape.
static rt::Result<std::string> fill(const HostView &number, rt::DType type,
                                    const std::vector<int64_t> &shape,
                                    const std::string &what) {
  rt::Result<std::string> element = elementOf(number, type, what);
  if (!element.isOk())
    return element.status();
  std::optional<int64_t> size = rt::numBytes(type, shape);
  if (!size || *size > kMostFilled)
    return rt::invalidArgument(what + " is one number for too many elements; "
                                      "give a tensor");
  std::string elements;
  elements.reserve(*size);
  while (int64_t(elements.size()) < *size)
    elements += *element;
  return elements;
}

rt::Status ModelInputs::addConstant(const ValueInfo &input,
                                    const HostView &given) {
  std::string what = "the value of the input '" + std::string(input.name) + "'";
  std::optional<rt::DType> type = dtypeOf(input.type);
  if (!input.isTensor || !type)
    return rt::unsupported(what + " is given, but the input is no tensor of "
                                  "elements that are supported");
  bool isNumber = given.shape.empty();
  bool converts = isNumber && (given.dtype == rt::DType{QCC_INT, 64} ||
                               given.dtype == rt::DType{QCC_FLOAT, 64});
  if (given.dtype != *type && !converts)
    return rt::invalidArgument(
        what + " is " + rt::describe(given.dtype, given.shape) +
        ", but the model has elements of " + type->name() + "; convert it");
  if (!isNumber)
    if (rt::Status status = fixShape(input, given.shape, what); !status.isOk())
      return status;
  Tensor tensor;
  tensor.name = input.name;
  tensor.type = input.type;
  tensor.isOwned = true;
  ValueInfo known = withSizes(input);
  for (const Dimension &dim : known.shape)
    tensor.dims.push_back(dim.value);
  if (!known.hasShape || llvm::any_of(known.shape, [](const Dimension &dim) {
        return !dim.hasValue;
      }))
    return rt::invalidArgument(what + " is one number, but the model does not "
                                      "say how many elements it has; give a "
                                      "tensor, or its sizes as well "
                                      "(qcc compile --dim, --shape)");
  rt::Result<std::string> elements =
      isNumber ? fill(given, *type, tensor.dims, what)
               : std::string(given.bytes.data(), given.bytes.size());
  if (!elements.isOk())
    return elements.status();
  tensor.data = bytes.emplace_back(*std::move(elements));
  values.push_back(std::move(tensor));
  return rt::Status::ok();
}

rt::Status ModelInputs::read() {
  rt::Status status = checkDims();
  if (!status.isOk())
    return status;
  symbols.insert(fixed.dims.begin(), fixed.dims.end());
  auto missing = [&](const std::string &name) {
    return rt::invalidArgument("the model has no input '" + name + "'; " +
                               listNames());
  };
  for (auto &[name, shape] : fixed.shapes) {
    const ValueInfo *input = find(name);
    if (!input)
      return missing(name);
    status = fixShape(*input, shape, "the shape of the input '" + name + "'");
    if (!status.isOk())
      return status;
  }
  for (auto &[name, given] : fixed.constants) {
    const ValueInfo *input = find(name);
    if (!input)
      return missing(name);
    if (status = addConstant(*input, given); !status.isOk())
      return status;
  }
  return rt::Status::ok();
}
