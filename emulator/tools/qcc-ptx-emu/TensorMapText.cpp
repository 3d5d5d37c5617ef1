//===- TensorMapText.cpp - Tensor maps from the command line --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMapText.h"

#include "common/Arguments.h"

#include <algorithm>

namespace qcc::tools {

using emu::TensorMap;

TensorMapText TensorMapText::split(const std::string &text) {
  TensorMapText result;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(':', begin), text.size());
    std::string piece = text.substr(begin, end - begin);
    std::string &part =
        piece.find('=') == piece.npos ? result.buffer : result.keys;
    part += (part.empty() ? "" : ":") + piece;
    begin = end + 1;
  }
  return result;
}

namespace {
class KeyReader {
public:
  explicit KeyReader(TensorMap &map) : map_(map) {}

  rt::Status read(const std::string &key) {
    size_t equals = key.find('=');
    std::string name = key.substr(0, equals), value = key.substr(equals + 1);
    if (name == "box")
      return list(name, value, map_.box, 0);
    if (name == "steps")
      return list(name, value, map_.elementStrides, 0);
    if (name == "dims")
      return list(name, value, map_.dims, 0);
    if (name == "strides")
      return list(name, value, map_.strides, 1);
    if (name == "fill" && value == "nan") {
      map_.fill = TensorMap::Fill::NaN;
      return rt::Status::ok();
    }
    std::optional<int64_t> number = parseInteger(value);
    if (name == "swizzle" && number) {
      map_.swizzle = static_cast<int>(*number);
      return rt::Status::ok();
    }
    return rt::invalidArgument(
        "'" + key +
        "' is no key of a tensor map: box=, dims=, strides=, "
        "steps=, swizzle=, fill=nan");
  }

private:
  /// As many numbers as the map has dimensions, or `less`.
  template <typename T, size_t N>
  rt::Status list(const std::string &name, const std::string &value,
                  std::array<T, N> &numbers, int less) {
    int count = 0;
    for (size_t begin = 0; begin <= value.size(); ++count) {
      size_t end = std::min(value.find(',', begin), value.size());
      std::optional<int64_t> number =
          parseInteger(value.substr(begin, end - begin));
      if (!number || *number < 0 || count >= static_cast<int>(N))
        return rt::invalidArgument("'" + name + "=" + value +
                                   "' is no list of up to " +
                                   std::to_string(N) + " numbers");
      numbers[count] = static_cast<T>(*number);
      begin = end + 1;
    }
    if (name == "dims")
      map_.rank = count;
    else if (count != map_.rank - less)
      return rt::invalidArgument(
          "'" + name + "=" + value + "' has " + std::to_string(count) +
          " numbers; a map of " + std::to_string(map_.rank) +
          " dimensions has " + std::to_string(map_.rank - less));
    return rt::Status::ok();
  }

  TensorMap &map_;
};
} // namespace

rt::Result<std::array<uint8_t, TensorMap::bytes>>
TensorMapText::encode(const HostTensor &tensor, uint64_t address) const {
  TensorMap map;
  map.address = address;
  map.elementBytes = static_cast<int>(tensor.dtype().size());
  const std::vector<int64_t> &shape = tensor.shape();
  map.rank = static_cast<int>(
      std::min<size_t>(std::max<size_t>(shape.size(), 1), TensorMap::maxRank));
  auto stride = static_cast<uint64_t>(map.elementBytes);
  for (int i = 0; i < map.rank && i < static_cast<int>(shape.size()); ++i) {
    map.dims[i] = static_cast<uint64_t>(shape[shape.size() - 1 - i]);
    if (i > 0)
      map.strides[i - 1] = stride;
    stride *= map.dims[i];
  }
  // The rank comes first.
  KeyReader reader(map);
  for (bool isDims : {true, false})
    for (size_t begin = 0; begin < keys.size();) {
      size_t end = std::min(keys.find(':', begin), keys.size());
      std::string key = keys.substr(begin, end - begin);
      begin = end + 1;
      if ((key.substr(0, 5) == "dims=") != isDims)
        continue;
      if (rt::Status status = reader.read(key); !status.isOk())
        return status;
    }
  return emu::encodeTensorMap(map);
}

} // namespace qcc::tools
