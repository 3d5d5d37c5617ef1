//===- Messages.cpp - Messages of JSON-RPC in a stream of bytes -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Protocol.h"

using namespace qcc::lsp;
namespace json = llvm::json;

/// A longer message is a damaged header rather than a program.
static constexpr uint64_t kLongestMessage = uint64_t(1) << 30;

void MessageReader::append(llvm::StringRef bytes) {
  if (begin > 0 && begin == buffer.size()) {
    buffer.clear();
    begin = 0;
  }
  buffer.append(bytes.data(), bytes.size());
}

/// The value of Content-Length in the lines of a header.
static std::optional<uint64_t> lengthIn(llvm::StringRef header) {
  while (!header.empty()) {
    auto [line, rest] = header.split('\n');
    header = rest;
    auto [name, value] = line.split(':');
    uint64_t length;
    if (name.trim().equals_insensitive("content-length") &&
        !value.trim().getAsInteger(10, length) && length <= kLongestMessage)
      return length;
  }
  return std::nullopt;
}

std::optional<std::string> MessageReader::next() {
  constexpr llvm::StringLiteral end = "\r\n\r\n";
  while (true) {
    llvm::StringRef rest = llvm::StringRef(buffer).drop_front(begin);
    size_t headerSize = rest.find(end);
    if (headerSize == llvm::StringRef::npos)
      break;
    size_t bodyBegin = headerSize + end.size();
    std::optional<uint64_t> length = lengthIn(rest.take_front(headerSize));
    if (!length) {
      llvm::lsp::Logger::error("message without a valid Content-Length; it is "
                               "skipped");
      begin += bodyBegin;
      continue;
    }
    if (rest.size() - bodyBegin < *length)
      break;
    std::string text = rest.substr(bodyBegin, *length).str();
    begin += bodyBegin + *length;
    return text;
  }
  buffer.erase(0, begin);
  begin = 0;
  return std::nullopt;
}

std::string qcc::lsp::frame(llvm::StringRef text) {
  return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" +
         text.str();
}

std::string qcc::lsp::printJson(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value;
  return text;
}

json::Object qcc::lsp::makeNotification(llvm::StringRef method,
                                        json::Value params) {
  return json::Object{{"jsonrpc", "2.0"},
                      {"method", method.str()},
                      {"params", std::move(params)}};
}

json::Object qcc::lsp::makeRequest(json::Value id, llvm::StringRef method,
                                   json::Value params) {
  json::Object request = makeNotification(method, std::move(params));
  request["id"] = std::move(id);
  return request;
}

json::Object qcc::lsp::makeAnswer(json::Value id, json::Value result) {
  return json::Object{
      {"jsonrpc", "2.0"}, {"id", std::move(id)}, {"result", std::move(result)}};
}

json::Object qcc::lsp::makeError(json::Value id, int code,
                                 llvm::StringRef message) {
  return json::Object{
      {"jsonrpc", "2.0"},
      {"id", std::move(id)},
      {"error", json::Object{{"code", code}, {"message", message.str()}}}};
}

std::string qcc::lsp::pathOf(llvm::StringRef uri) {
  llvm::Expected<llvm::lsp::URIForFile> file =
      llvm::lsp::URIForFile::fromURI(uri);
  if (file)
    return file->file().str();
  llvm::consumeError(file.takeError());
  return uri.str();
}
