//===- KernelArguments.cpp - Arguments from the command line --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"

#include "TensorMapText.h"

#include "common/Arguments.h"
#include "common/Text.h"
#include "qcc/Support/Half.h"
#include "qcc/Support/TensorFile.h"

#include <charconv>
#include <cstring>

namespace qcc::tools {

using emu::ParameterInfo;

static bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

static std::string pathOfOutput(const std::string &text) {
  std::string path = text.substr(strlen("out:"));
  return path.substr(0, path.rfind(':'));
}

void addFiles(CommandFiles &files, const std::vector<std::string> &texts) {
  for (const std::string &argument : texts) {
    std::string text = argument;
    if (startsWith(text, "map:"))
      text = TensorMapText::split(text.substr(strlen("map:"))).buffer;
    if (startsWith(text, "out:"))
      files.writes(pathOfOutput(text), "--arg=" + text);
    else if (startsWith(text, "inout:"))
      files.writes(text.substr(strlen("inout:")), "--arg=" + text);
    else if (startsWith(text, "value:"))
      files.reads(text.substr(strlen("value:")), "read by --arg");
    else if (endsWith(text, ".npy"))
      files.reads(text, "read by --arg");
  }
}

rt::Result<KernelArguments>
KernelArguments::create(emu::Emulator &emulator, const emu::Kernel &kernel,
                        const std::vector<std::string> &texts) {
  const std::vector<ParameterInfo> &parameters = kernel.parameters();
  if (texts.size() != parameters.size()) {
    std::vector<std::string> names;
    for (const ParameterInfo &parameter : parameters)
      names.push_back(parameter.name);
    return rt::invalidArgument("'" + kernel.name() + "' takes " +
                               counted(parameters.size(), "argument") +
                               (names.empty() ? "" : " (" + join(names) + ")") +
                               ", but --arg is given " +
                               counted(texts.size(), "time"));
  }
  KernelArguments arguments;
  for (size_t i = 0; i < texts.size(); ++i) {
    rt::Status status = arguments.add(emulator, parameters[i], texts[i]);
    if (!status.isOk())
      return status.withPrefix("--arg=" + texts[i] + ": ");
  }
  return arguments;
}

/// "f32[8,16]"
static rt::Result<HostTensor> zeros(std::string_view text) {
  auto bad = [&] {
    return rt::invalidArgument("'" + std::string(text) +
                               "' is no type and shape such as f32[8,16]");
  };
  size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']')
    return bad();
  std::optional<rt::DType> dtype = rt::DType::parse(text.substr(0, open));
  if (!dtype)
    return bad();
  std::vector<int64_t> shape;
  std::string_view dims = text.substr(open + 1, text.size() - open - 2);
  while (!dims.empty()) {
    size_t comma = std::min(dims.find(','), dims.size());
    std::optional<int64_t> dim = parseInteger(dims.substr(0, comma));
    if (!dim || *dim < 0)
      return bad();
    shape.push_back(*dim);
    dims.remove_prefix(std::min(comma + 1, dims.size()));
  }
  rt::Result<HostTensor> tensor = HostTensor::create(*dtype, std::move(shape));
  if (tensor.isOk() && tensor->numBytes() > 0)
    memset(tensor->data(), 0, tensor->numBytes());
  return tensor;
}

rt::Result<KernelArguments::Buffer>
KernelArguments::readBuffer(const std::string &text) {
  Buffer buffer;
  bool isOutput = startsWith(text, "out:"), isBoth = startsWith(text, "inout:");
  buffer.isOutput = isOutput || isBoth;
  buffer.path = isOutput ? pathOfOutput(text)
                : isBoth ? text.substr(strlen("inout:"))
                         : text;
  size_t colon = text.rfind(':');
  if (isOutput && colon < strlen("out:"))
    return rt::invalidArgument("an output needs its type and shape: "
                               "out:FILE.npy:f32[8,16]; inout:FILE.npy "
                               "takes them from the file");
  rt::Result<HostTensor> tensor =
      isOutput ? zeros(std::string_view(text).substr(colon + 1))
               : readNpy(buffer.path);
  if (!tensor.isOk())
    return tensor.status();
  buffer.tensor = std::move(*tensor);
  return buffer;
}

rt::Status KernelArguments::add(emu::Emulator &emulator,
                                const ParameterInfo &parameter,
                                const std::string &text) {
  if (startsWith(text, "map:"))
    return addMap(emulator, parameter, text.substr(strlen("map:")));
  if (startsWith(text, "value:"))
    return addValue(parameter, text.substr(strlen("value:")));
  if (startsWith(text, "out:") || startsWith(text, "inout:") ||
      endsWith(text, ".npy"))
    return addBuffer(emulator, parameter, text);
  return addScalar(parameter, text);
}

rt::Result<emu::DeviceAddress>
KernelArguments::place(emu::Emulator &emulator, const ParameterInfo &parameter,
                       const Buffer &buffer) {
  const HostTensor &tensor = buffer.tensor;
  rt::Result<emu::DeviceAddress> address =
      emulator.allocate(tensor.numBytes(), parameter.name);
  if (!address.isOk())
    return address;
  rt::Status status =
      emulator.copyToDevice(*address, tensor.data(), tensor.numBytes());
  if (!status.isOk())
    return status;
  if (buffer.isOutput)
    outputs_.push_back({buffer.path, tensor.dtype(), tensor.shape(), *address});
  return address;
}

rt::Status KernelArguments::addBuffer(emu::Emulator &emulator,
                                      const ParameterInfo &parameter,
                                      const std::string &text) {
  rt::Result<Buffer> buffer = readBuffer(text);
  if (!buffer.isOk())
    return buffer.status();
  if (parameter.size != 8)
    return rt::invalidArgument(
        "a buffer for parameter '" + parameter.name + "', which has " +
        counted(parameter.size, "byte") + " and is no pointer");
  rt::Result<emu::DeviceAddress> address = place(emulator, parameter, *buffer);
  if (!address.isOk())
    return address.status();
  values_.push_back(emu::Argument(*address));
  return rt::Status::ok();
}

rt::Status KernelArguments::addMap(emu::Emulator &emulator,
                                   const ParameterInfo &parameter,
                                   const std::string &text) {
  TensorMapText map = TensorMapText::split(text);
  rt::Result<Buffer> buffer = readBuffer(map.buffer);
  if (!buffer.isOk())
    return buffer.status();
  if (parameter.size != emu::TensorMap::bytes)
    return rt::invalidArgument("a tensor map for parameter '" + parameter.name +
                               "', which has " +
                               counted(parameter.size, "byte") + ", not 128");
  rt::Result<emu::DeviceAddress> address = place(emulator, parameter, *buffer);
  if (!address.isOk())
    return address.status();
  auto bytes = map.encode(buffer->tensor, *address);
  if (!bytes.isOk())
    return bytes.status();
  values_.push_back(emu::Argument(*bytes));
  return rt::Status::ok();
}

/// A parameter of any size: the bytes of a file's elements.
rt::Status KernelArguments::addValue(const ParameterInfo &parameter,
                                     const std::string &path) {
  rt::Result<HostTensor> tensor = readNpy(path);
  if (!tensor.isOk())
    return tensor.status();
  if (tensor->numBytes() != parameter.size)
    return rt::invalidArgument(
        "a value of " + counted(tensor->numBytes(), "byte") +
        " for parameter '" + parameter.name + "', which has " +
        std::to_string(parameter.size));
  const auto *bytes = static_cast<const uint8_t *>(tensor->data());
  values_.push_back(
      emu::Argument(std::vector<uint8_t>(bytes, bytes + tensor->numBytes())));
  return rt::Status::ok();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// The type that a parameter's declaration stands for; untyped bits are
/// integers.
static rt::DType dtypeOf(const ParameterInfo &parameter) {
  emu::ScalarType type = parameter.type;
  uint8_t bits = static_cast<uint8_t>(8 * parameter.size);
  if (emu::isFloat(type))
    return {QCC_FLOAT, bits};
  return {static_cast<uint8_t>(emu::isSigned(type) ? QCC_INT : QCC_UINT), bits};
}

/// An integer of any base, in the range that a type of so many bits has with
/// either sign.
static std::optional<uint64_t> integerBits(std::string_view text, int bits) {
  bool isNegative = startsWith(text, "-");
  if (isNegative)
    text.remove_prefix(1);
  int base = startsWith(text, "0x") ? 16 : 10;
  if (base == 16)
    text.remove_prefix(2);
  uint64_t value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  uint64_t limit = uint64_t(1) << (bits - 1);
  if (isNegative ? value > limit : bits < 64 && value >= 2 * limit)
    return std::nullopt;
  return isNegative ? 0 - value : value;
}

static std::optional<uint64_t> floatBitsOf(std::string_view text,
                                           rt::DType dtype) {
  double value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  uint64_t bits = 0;
  if (dtype.code == QCC_BFLOAT)
    return floatToBF16(static_cast<float>(value));
  if (dtype.bits == 16)
    return floatToF16(static_cast<float>(value));
  if (dtype.bits == 32)
    return floatBits(static_cast<float>(value));
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

rt::Status KernelArguments::addScalar(const ParameterInfo &parameter,
                                      const std::string &text) {
  constexpr int64_t maxScalarBytes = 8;
  if (parameter.size > maxScalarBytes)
    return rt::invalidArgument("parameter '" + parameter.name + "' has " +
                               counted(parameter.size, "byte") +
                               " and is no scalar; value:FILE.npy gives them");
  rt::DType dtype = dtypeOf(parameter);
  std::string_view number = text;
  size_t colon = text.find(':');
  if (colon != std::string::npos) {
    std::optional<rt::DType> given =
        rt::DType::parse(std::string_view(text).substr(0, colon));
    if (!given)
      return rt::invalidArgument("neither FILE.npy, out:FILE.npy:TYPE[DIMS], "
                                 "inout:FILE.npy, a number nor TYPE:NUMBER");
    dtype = *given;
    number.remove_prefix(colon + 1);
  }
  if (dtype.size() != parameter.size || !dtype.isKnown())
    return rt::invalidArgument(
        "a scalar of " + counted(dtype.size(), "byte") + " for parameter '" +
        parameter.name + "', which has " + std::to_string(parameter.size));
  std::optional<uint64_t> bits = dtype.isFloat()
                                     ? floatBitsOf(number, dtype)
                                     : integerBits(number, dtype.bits);
  if (!bits)
    return rt::invalidArgument("'" + std::string(number) + "' is no " +
                               dtype.name());
  std::vector<uint8_t> bytes(parameter.size);
  memcpy(bytes.data(), &*bits, bytes.size());
  values_.push_back(emu::Argument(std::move(bytes)));
  return rt::Status::ok();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

int KernelArguments::outputElementBytes() const {
  int64_t bytes = 0;
  for (const Output &output : outputs_) {
    if (bytes != 0 && bytes != output.dtype.size())
      return 0;
    bytes = output.dtype.size();
  }
  return static_cast<int>(bytes);
}

rt::Status KernelArguments::writeOutputs(emu::Emulator &emulator) const {
  for (const Output &output : outputs_) {
    rt::Result<HostTensor> tensor =
        HostTensor::create(output.dtype, output.shape);
    if (!tensor.isOk())
      return tensor.status();
    rt::Status status =
        emulator.copyToHost(tensor->data(), output.address, tensor->numBytes());
    if (status.isOk())
      status = writeNpy(output.path, *tensor);
    if (!status.isOk())
      return status;
  }
  return rt::Status::ok();
}

} // namespace qcc::tools
