//===- Safetensors.cpp - .safetensors files -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight bytes of length, a JSON header of that length that maps names to type,
// shape and a range of bytes, and the bytes.
//
//===----------------------------------------------------------------------===//

#include "Archives.h"
#include "qcc/Support/Json.h"

#include <cstring>

namespace qcc {
namespace {

struct TypeName {
  const char *name;
  rt::DType dtype;
};

const TypeName typeNames[] = {
    {"BOOL", {QCC_BOOL, 8}},   {"I8", {QCC_INT, 8}},
    {"I16", {QCC_INT, 16}},    {"I32", {QCC_INT, 32}},
    {"I64", {QCC_INT, 64}},    {"U8", {QCC_UINT, 8}},
    {"U16", {QCC_UINT, 16}},   {"U32", {QCC_UINT, 32}},
    {"U64", {QCC_UINT, 64}},   {"F16", {QCC_FLOAT, 16}},
    {"F32", {QCC_FLOAT, 32}},  {"F64", {QCC_FLOAT, 64}},
    {"BF16", {QCC_BFLOAT, 16}}};

rt::Status damaged(const std::string &what) {
  return rt::corrupt("the .safetensors file is truncated or damaged: " + what +
                     "; copy or export it again");
}

class SafetensorsArchive : public TensorArchive {
public:
  explicit SafetensorsArchive(InputFile file)
      : TensorArchive(file.path()), file_(std::move(file)) {}

  rt::Status readHeader();
  rt::Result<HostTensor> read(std::string_view name) const override;

private:
  struct Member {
    std::string type;
    std::vector<int64_t> shape;
    int64_t begin, end; ///< In the file.
  };
  rt::Result<Member> readMember(const std::string &name,
                                const Json &value) const;

  InputFile file_;
  int64_t dataStart_ = 0;
  std::vector<Member> members_;
};

rt::Status SafetensorsArchive::readHeader() {
  unsigned char prefix[8];
  if (file_.size() < int64_t(sizeof(prefix)))
    return damaged("it has " + std::to_string(file_.size()) + " bytes");
  rt::Status status = file_.read(prefix, sizeof(prefix), 0);
  if (!status.isOk())
    return status;
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | prefix[i];
  // The limit of the format's own library.
  constexpr uint64_t maxLength = 100'000'000;
  uint64_t available = file_.size() - sizeof(prefix);
  if (length > available || length > maxLength)
    return damaged("its header claims " + std::to_string(length) +
                   " bytes, but " + std::to_string(available) +
                   " follow (tensors are read from .npz and .safetensors)");
  std::string text(length, '\0');
  status = file_.read(text.data(), length, sizeof(prefix));
  if (!status.isOk())
    return status;
  rt::Result<Json> header = Json::parse(text);
  if (!header.isOk())
    return damaged(header.message());
  if (header->kind != Json::Object)
    return damaged("its header is no JSON object");
  dataStart_ = sizeof(prefix) + length;
  for (const auto &[name, value] : header->object) {
    if (name == "__metadata__")
      continue;
    rt::Result<Member> member = readMember(name, value);
    if (!member.isOk())
      return member.status();
    names_.push_back(name);
    members_.push_back(*std::move(member));
  }
  return rt::Status::ok();
}

rt::Result<SafetensorsArchive::Member>
SafetensorsArchive::readMember(const std::string &name,
                               const Json &value) const {
  auto fail = [&](const char *what) {
    return damaged("tensor '" + name + "' " + what);
  };
  const Json *type = value.find("dtype");
  const Json *shape = value.find("shape");
  const Json *offsets = value.find("data_offsets");
  if (!type || type->kind != Json::String)
    return fail("has no dtype");
  if (!shape || shape->kind != Json::Array)
    return fail("has no shape");
  if (!offsets || offsets->kind != Json::Array || offsets->array.size() != 2)
    return fail("has no data_offsets");

  Member member;
  member.type = type->string;
  for (const Json &dim : shape->array) {
    if (dim.kind != Json::Integer || dim.integer < 0)
      return fail("has a dimension that is no size");
    member.shape.push_back(dim.integer);
  }
  const Json &begin = offsets->array[0], &end = offsets->array[1];
  int64_t available = file_.size() - dataStart_;
  if (begin.kind != Json::Integer || end.kind != Json::Integer ||
      begin.integer < 0 || end.integer < begin.integer ||
      end.integer > available)
    return fail("lies outside of the file");
  member.begin = dataStart_ + begin.integer;
  member.end = dataStart_ + end.integer;
  return member;
}

rt::Result<HostTensor> SafetensorsArchive::read(std::string_view name) const {
  rt::Result<size_t> index = find(name);
  if (!index.isOk())
    return index.status();
  const Member &member = members_[*index];
  std::string prefix = path_ + ": tensor '" + std::string(name) + "': ";
  const TypeName *found = nullptr;
  for (const TypeName &type : typeNames)
    if (type.name == member.type)
      found = &type;
  if (!found)
    return rt::unsupported(prefix + "its elements are of type '" +
                           member.type.substr(0, 40) +
                           "'; qcc reads BOOL, I8 to I64, U8 to U64, F16, "
                           "BF16, F32 and F64: convert the tensor");
  std::optional<int64_t> bytes = rt::numBytes(found->dtype, member.shape);
  if (!bytes || *bytes != member.end - member.begin)
    return damaged("a tensor of " + rt::describe(found->dtype, member.shape) +
                   " cannot have " + std::to_string(member.end - member.begin) +
                   " bytes")
        .withPrefix(prefix);
  rt::Result<HostTensor> tensor =
      HostTensor::create(found->dtype, member.shape);
  rt::Status status = tensor.isOk()
                          ? file_.read(tensor->data(), *bytes, member.begin)
                          : tensor.status();
  if (!status.isOk())
    return status.withPrefix(prefix);
  if (found->dtype.code == QCC_BOOL)
    for (int64_t i = 0; i < *bytes; ++i)
      tensor->as<uint8_t>()[i] = tensor->as<uint8_t>()[i] != 0;
  return tensor;
}

} // namespace

rt::Result<std::unique_ptr<TensorArchive>> openSafetensors(InputFile file) {
  auto archive = std::make_unique<SafetensorsArchive>(std::move(file));
  rt::Status status = archive->readHeader();
  if (!status.isOk())
    return status;
  return std::unique_ptr<TensorArchive>(std::move(archive));
}

} // namespace qcc
