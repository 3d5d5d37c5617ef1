//===- NpyFormat.cpp - The format of numpy arrays -------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Magic, version, the length of a header, the header (a Python dictionary with
// 'descr', 'fortran_order' and 'shape'), the data.
//
//===----------------------------------------------------------------------===//

#include "NpyFormat.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>

namespace qcc {
namespace {

rt::Status damaged(const std::string &what) {
  return rt::corrupt("the .npy data is damaged: " + what +
                     "; save the array again with numpy.save");
}

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;
};

/// Of the Python literals only what numpy writes.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// Nothing where the text is no such dictionary.
  std::optional<Header> parse() {
    Header header;
    if (!consume('{'))
      return std::nullopt;
    while (!consume('}')) {
      std::optional<std::string> key = parseString();
      if (!key || !consume(':') || !parseMember(*key, header))
        return std::nullopt;
      if (!consume(',') && !isNext('}'))
        return std::nullopt;
    }
    skipSpace();
    if (!text_.empty() || !header.descr || !header.fortranOrder ||
        !header.shape)
      return std::nullopt;
    return header;
  }

private:
  void skipSpace() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }
  bool isNext(char c) {
    skipSpace();
    return !text_.empty() && text_.front() == c;
  }
  bool consume(char c) {
    if (!isNext(c))
      return false;
    text_.remove_prefix(1);
    return true;
  }
  bool consumeWord(std::string_view word) {
    skipSpace();
    if (text_.substr(0, word.size()) != word)
      return false;
    text_.remove_prefix(word.size());
    return true;
  }

  bool parseMember(const std::string &key, Header &header) {
    if (key == "descr" && !header.descr) {
      // A list describes the fields of a structured array: what is no string
      // becomes an element type that nobody knows.
      header.descr = isNext('[') ? skipList() : parseString();
      return header.descr.has_value();
    }
    if (key == "fortran_order" && !header.fortranOrder) {
      if (consumeWord("True"))
        header.fortranOrder = true;
      else if (consumeWord("False"))
        header.fortranOrder = false;
      return header.fortranOrder.has_value();
    }
    if (key == "shape" && !header.shape) {
      header.shape = parseTuple();
      return header.shape.has_value();
    }
    return false;
  }

  std::optional<std::string> parseString() {
    skipSpace();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"'))
      return std::nullopt;
    size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return string;
  }

  std::optional<std::string> skipList() {
    size_t end = text_.find(']');
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string list(text_.substr(0, end + 1));
    text_.remove_prefix(end + 1);
    return list;
  }

  std::optional<std::vector<int64_t>> parseTuple() {
    std::vector<int64_t> shape;
    if (!consume('('))
      return std::nullopt;
    while (!consume(')')) {
      skipSpace();
      int64_t dim = 0;
      auto [end, error] =
          std::from_chars(text_.data(), text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0)
        return std::nullopt;
      text_.remove_prefix(end - text_.data());
      shape.push_back(dim);
      if (!consume(',') && !isNext(')'))
        return std::nullopt;
    }
    return shape;
  }

  std::string_view text_;
};

struct TypeName {
  const char *descr; ///< Without the byte order.
  rt::DType dtype;
};

const TypeName typeNames[] = {
    {"b1", {QCC_BOOL, 8}},   {"i1", {QCC_INT, 8}},    {"i2", {QCC_INT, 16}},
    {"i4", {QCC_INT, 32}},   {"i8", {QCC_INT, 64}},   {"u1", {QCC_UINT, 8}},
    {"u2", {QCC_UINT, 16}},  {"u4", {QCC_UINT, 32}},  {"u8", {QCC_UINT, 64}},
    {"f2", {QCC_FLOAT, 16}}, {"f4", {QCC_FLOAT, 32}}, {"f8", {QCC_FLOAT, 64}},
    {"V2", {QCC_BFLOAT, 16}}};

/// numpy's header may be any length; no dictionary of three members is longer.
constexpr int64_t maxHeaderSize = 1 << 20;

/// A printable excerpt of what a file says.
std::string excerpt(const std::string &text) {
  std::string result;
  for (char c : text.substr(0, 40))
    result += isprint(static_cast<unsigned char>(c)) ? c : '?';
  return result;
}

rt::Result<rt::DType> parseDescr(const std::string &descr) {
  char order = descr.empty() ? '\0' : descr[0];
  if (order == '<' || order == '|' || order == '=' || order == '>')
    for (const TypeName &type : typeNames) {
      if (descr.compare(1, std::string::npos, type.descr) != 0)
        continue;
      if (order == '>' && type.dtype.size() > 1)
        return rt::unsupported(
            "its elements are big endian ('" + descr +
            "'); convert the array with a.astype(a.dtype.newbyteorder('<'))");
      return type.dtype;
    }
  return rt::unsupported(
      "its elements are of type '" + excerpt(descr) +
      "'; qcc reads bool, int8 to int64, uint8 to uint64, float16 to float64 "
      "and bfloat16: convert the array with astype");
}

rt::Result<Header> readHeader(ByteSource &source) {
  unsigned char prefix[8];
  if (source.remaining() < int64_t(sizeof(prefix)))
    return damaged("it is shorter than the shortest header");
  rt::Status status = source.read(prefix, sizeof(prefix));
  if (!status.isOk())
    return status;
  constexpr char magic[] = "\x93NUMPY";
  if (memcmp(prefix, magic, 6) != 0)
    return rt::corrupt("this is no .npy data (it does not start with "
                       "\\x93NUMPY); save the array with numpy.save");
  int major = prefix[6];
  if (major < 1 || major > 3)
    return rt::unsupported("the .npy data has version " +
                           std::to_string(major) +
                           "; qcc reads 1 to 3, which numpy.save writes");
  unsigned char lengthBytes[4] = {};
  int64_t lengthSize = major == 1 ? 2 : 4;
  if (source.remaining() < lengthSize)
    return damaged("it ends within its header");
  status = source.read(lengthBytes, lengthSize);
  if (!status.isOk())
    return status;
  int64_t length = 0;
  for (int i = 3; i >= 0; --i)
    length = length << 8 | lengthBytes[i];
  if (length > source.remaining() || length > maxHeaderSize)
    return damaged("its header claims " + std::to_string(length) +
                   " bytes, but " + std::to_string(source.remaining()) +
                   " follow");
  std::string text(length, '\0');
  status = source.read(text.data(), length);
  if (!status.isOk())
    return status;
  std::optional<Header> header = HeaderParser(text).parse();
  if (!header)
    return damaged("its header is no dictionary of descr, fortran_order and "
                   "shape");
  return *std::move(header);
}

/// From the first dimension fastest to the last dimension fastest.
rt::Result<HostTensor> transpose(const HostTensor &source) {
  rt::Result<HostTensor> target =
      HostTensor::create(source.dtype(), source.shape());
  if (!target.isOk())
    return target;
  const std::vector<int64_t> &shape = source.shape();
  int64_t size = source.dtype().size();
  std::vector<int64_t> strides(shape.size()), index(shape.size());
  int64_t stride = size;
  for (size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= shape[d];
  }
  const char *from = source.as<char>();
  char *to = target->as<char>();
  for (int64_t i = 0; i < source.numElements(); ++i) {
    memcpy(to + i * size, from, size);
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d])
        break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return target;
}

} // namespace

rt::Result<HostTensor> readNpyFrom(ByteSource &source) {
  rt::Result<Header> header = readHeader(source);
  if (!header.isOk())
    return header.status();
  rt::Result<rt::DType> dtype = parseDescr(*header->descr);
  if (!dtype.isOk())
    return dtype.status();
  std::optional<int64_t> bytes = rt::numBytes(*dtype, *header->shape);
  if (!bytes || *bytes != source.remaining())
    return damaged("an array of " + rt::describe(*dtype, *header->shape) +
                   " has " +
                   (bytes ? std::to_string(*bytes) : std::string("too many")) +
                   " bytes, but " + std::to_string(source.remaining()) +
                   " follow the header");
  rt::Result<HostTensor> tensor =
      HostTensor::create(*dtype, std::move(*header->shape));
  if (!tensor.isOk())
    return tensor;
  rt::Status status = source.read(tensor->data(), *bytes);
  if (!status.isOk())
    return status;
  // A boolean is 0 or 1, which generated code relies on.
  if (dtype->code == QCC_BOOL)
    for (int64_t i = 0; i < *bytes; ++i)
      tensor->as<uint8_t>()[i] = tensor->as<uint8_t>()[i] != 0;
  if (*header->fortranOrder && tensor->shape().size() > 1)
    return transpose(*tensor);
  return tensor;
}

std::string makeNpyHeader(rt::DType dtype, const std::vector<int64_t> &shape) {
  std::string dict = "{'descr': '";
  for (const TypeName &type : typeNames)
    if (type.dtype == dtype)
      dict += (dtype.size() == 1 ? "|" : "<") + std::string(type.descr);
  dict += "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    dict += (i ? ", " : "") + std::to_string(shape[i]);
  dict += shape.size() == 1 ? ",), }" : "), }";

  // The data starts at a multiple of 64 bytes, after a newline.
  constexpr size_t alignment = 64;
  bool isShort = dict.size() < 60000;
  size_t prefix = isShort ? 10 : 12;
  size_t total =
      (prefix + dict.size() + 1 + alignment - 1) / alignment * alignment;
  dict.resize(total - prefix - 1, ' ');
  dict += '\n';
  std::string header = "\x93NUMPY";
  header += isShort ? '\1' : '\2';
  header += '\0';
  for (size_t i = 0; i < prefix - 8; ++i)
    header += char(dict.size() >> (8 * i));
  return header + dict;
}

} // namespace qcc
