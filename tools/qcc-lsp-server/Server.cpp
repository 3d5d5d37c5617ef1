//===- Server.cpp - The language server -----------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"
#include "Assist.h"
#include "Positions.h"
#include "common/ExitCodes.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Protocol.h"
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace qcc;
using namespace qcc::lsp;
using llvm::StringRef;
using llvm::lsp::Logger;
namespace json = llvm::json;

/// Codes of errors of JSON-RPC.
static constexpr int kParseError = -32700, kInternalError = -32603;

/// The exit code of LLVM's command lines for wrong options.
static constexpr int kUsageOfMLIR = 1;

/// The ids of requests of the server itself.
static constexpr StringRef kSettingsId = "qcc-settings",
                           kRegisterId = "qcc-register",
                           kRestartId = "qcc-restart";

/// What shows that a version of a document was handled.
static std::string keyOf(StringRef uri, int64_t version) {
  // MLIR's server may write the URI in another form.
  return pathOf(uri) + " " + std::to_string(version);
}

/// Whether MLIR's server ended since its command line is wrong, about which it
/// has written a message.
static bool isUsageError(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == kUsageOfMLIR;
}

/// An object inside an object, or null.
static const json::Object *inside(const json::Object *object,
                                  std::initializer_list<StringRef> path) {
  for (StringRef name : path)
    object = object ? object->getObject(name) : nullptr;
  return object;
}

static std::string uriOf(const json::Object &params) {
  const json::Object *document = params.getObject("textDocument");
  return document ? document->getString("uri").value_or("").str() : "";
}

//===----------------------------------------------------------------------===//
// The editor
//===----------------------------------------------------------------------===//

void Server::sendText(StringRef text) {
  std::string bytes = frame(text);
  StringRef rest = bytes;
  while (!rest.empty()) {
    ssize_t length = write(STDOUT_FILENO, rest.data(), rest.size());
    if (length < 0 && errno == EINTR)
      continue;
    if (length < 0) {
      // The editor has gone.
      exitCode = 1;
      return;
    }
    rest = rest.drop_front(length);
  }
}

void Server::send(const json::Value &message) { sendText(printJson(message)); }

void Server::show(StringRef message) {
  constexpr int warning = 2;
  send(makeNotification("window/showMessage",
                        json::Object{{"type", warning}, {"message", message}}));
}

void Server::handleEditor(StringRef text) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    std::string reason = llvm::toString(parsed.takeError());
    Logger::error("message of the editor is no JSON: {0}", reason);
    return send(
        makeError(nullptr, kParseError, "the message is no JSON: " + reason));
  }
  const json::Object *message = parsed->getAsObject();
  if (!message)
    return send(makeError(nullptr, kParseError, "the message is no object"));
  std::optional<StringRef> method = message->getString("method");
  if (method)
    return handleRequest(*message, *method, text);
  // An answer.
  if (message->getString("id") == kSettingsId)
    if (const json::Array *result = message->getArray("result");
        result && !result->empty())
      updateSettings(result->front().getAsObject());
}

void Server::handleRequest(const json::Object &message, StringRef method,
                           StringRef text) {
  static const json::Object none;
  const json::Object *params = message.getObject("params");
  if (!params)
    params = &none;
  if (method == "initialize")
    return initialize(message, text);
  if (method == "initialized") {
    forward(text);
    return initialized();
  }
  if (method == "exit") {
    exitCode = isShutDown ? 0 : 1;
    return;
  }
  if (method == "workspace/didChangeConfiguration") {
    const json::Object *own = inside(params, {"settings", "qcc"});
    if (!own)
      return askForSettings();
    return updateSettings(own);
  }
  if (method.starts_with("textDocument/did"))
    return changeDocument(method, *params);
  const json::Value *id = message.get("id");
  // Other notifications are of no use to MLIR's server.
  if (!id)
    return;
  isShutDown |= method == "shutdown";
  Request request{*id, method.str(), uriOf(*params), {}};
  if (const json::Object *position = params->getObject("position"))
    request.position = *position;
  requests.insert_or_assign(printJson(*id), std::move(request));
  forward(text, uriOf(*params), printJson(*id));
}

void Server::initialize(const json::Object &message, StringRef text) {
  const json::Object *params = message.getObject("params");
  if (params) {
    updateSettings(params->getObject("initializationOptions"));
    initialSettings = settings;
    const json::Object *workspace =
        inside(params, {"capabilities", "workspace"});
    canAskForSettings =
        workspace && workspace->getBoolean("configuration").value_or(false);
    const json::Object *change = inside(workspace, {"didChangeConfiguration"});
    canRegisterSettings =
        change && change->getBoolean("dynamicRegistration").value_or(false);
    // Paths in settings begin at the folder of the editor.
    if (auto root = llvm::lsp::URIForFile::fromURI(
            params->getString("rootUri").value_or(""));
        !root)
      llvm::consumeError(root.takeError());
    else if (chdir(root->file().str().c_str()) != 0)
      Logger::error("cannot change to the folder {0}", root->file());
  }
  if (const json::Value *id = message.get("id"))
    requests.insert_or_assign(printJson(*id),
                              Request{*id, "initialize", "", {}});
  json::Object again = message;
  again["id"] = kRestartId;
  initializeText = printJson(std::move(again));
  forward(text);
}

void Server::initialized() {
  askForSettings();
  if (canRegisterSettings)
    send(makeRequest(
        kRegisterId, "client/registerCapability",
        json::Object{{"registrations",
                      json::Array{json::Object{
                          {"id", kRegisterId},
                          {"method", "workspace/didChangeConfiguration"}}}}}));
}

void Server::changeDocument(StringRef method, const json::Object &params) {
  const json::Object *item = params.getObject("textDocument");
  std::string uri = uriOf(params);
  if (uri.empty())
    return;
  if (method == "textDocument/didClose") {
    auto closed = documents.find(uri);
    if (closed == documents.end())
      return;
    int64_t version = closed->second.version;
    documents.erase(closed);
    if (check && check->uri == uri)
      check.reset();
    forward(printJson(makeNotification(method, json::Object(params))), uri,
            keyOf(uri, version));
    return publish(uri, version, {});
  }
  std::optional<StringRef> text;
  if (method == "textDocument/didOpen")
    text = item->getString("text");
  // Each change has the whole text, as the server asks for.
  const json::Array *changes = params.getArray("contentChanges");
  if (method == "textDocument/didChange" && changes && !changes->empty())
    if (const json::Object *change = changes->back().getAsObject())
      text = change->getString("text");
  if (!text)
    return;
  Document &document = documents[uri];
  document.text = text->str();
  document.version = item->getInteger("version").value_or(0);
  forwardDocument(uri, document);
  document.isServed = true;
  scheduleCheck(uri);
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

void Server::askForSettings() {
  if (canAskForSettings)
    send(makeRequest(kSettingsId, "workspace/configuration",
                     json::Object{{"items", json::Array{json::Object{
                                                {"section", "qcc"}}}}}));
}

/// Takes the settings of a section of the editor, which is null where nothing
/// is set; the others are as they were at the start.
void Server::updateSettings(const json::Object *section) {
  settings = initialSettings;
  if (section)
    for (const std::string &wrong : settings.update(*section))
      show(wrong);
  for (const auto &document : documents)
    scheduleCheck(document.first());
}

//===----------------------------------------------------------------------===//
// MLIR's server
//===----------------------------------------------------------------------===//

bool Server::startMLIR() {
  hasAnswered = false;
  fromMLIR = MessageReader();
  toMLIR.clear();
  unwritten = written = 0;
  rt::Result<tools::Child> started = tools::Child::start(
      tools::Child::Prints::Errors, [&](int input, int output) {
        dup2(input, STDIN_FILENO);
        dup2(output, STDOUT_FILENO);
        close(input);
        close(output);
        int code = serveMLIR();
        llvm::outs().flush();
        return code;
      });
  if (!started.isOk()) {
    Logger::error("MLIR's server cannot be started: {0}", started.message());
    return false;
  }
  mlir = *std::move(started);
  return true;
}

void Server::forward(StringRef text, StringRef uri, std::string key,
                     bool isChange) {
  // While MLIR's server parses, only the last of several changes matters.
  if (isChange && toMLIR.size() > unwritten + 1 && toMLIR.back().isChange &&
      toMLIR.back().uri == uri)
    toMLIR.pop_back();
  toMLIR.push_back({frame(text), uri.str(), std::move(key), isChange});
}

void Server::markHandled(StringRef key) {
  for (size_t i = 0; i < unwritten; ++i)
    if (toMLIR[i].key == key) {
      toMLIR.erase(toMLIR.begin(), toMLIR.begin() + i + 1);
      unwritten -= i + 1;
      return;
    }
}

void Server::forwardDocument(StringRef uri, const Document &document) {
  json::Object item{{"uri", uri}, {"version", document.version}};
  std::string key = keyOf(uri, document.version);
  if (document.isServed)
    return forward(
        printJson(makeNotification(
            "textDocument/didChange",
            json::Object{{"textDocument", std::move(item)},
                         {"contentChanges", json::Array{json::Object{
                                                {"text", document.text}}}}})),
        uri, std::move(key), /*isChange=*/true);
  item["languageId"] = "mlir";
  item["text"] = document.text;
  forward(printJson(makeNotification(
              "textDocument/didOpen",
              json::Object{{"textDocument", std::move(item)}})),
          uri, std::move(key));
}

void Server::writeToMLIR() {
  while (unwritten < toMLIR.size()) {
    std::string &bytes = toMLIR[unwritten].bytes;
    StringRef rest = StringRef(bytes).drop_front(written);
    ssize_t length = write(mlir->input(), rest.data(), rest.size());
    // What fails otherwise is a server that ended, whose output ends, too.
    if (length < 0)
      return;
    written += length;
    if (written < bytes.size())
      return;
    bytes = std::string();
    ++unwritten;
    written = 0;
  }
}

void Server::restartMLIR() {
  int status = mlir->kill();
  if (!hasAnswered) {
    exitCode = isUsageError(status) ? tools::ExitUsage : tools::ExitFailed;
    if (exitCode == tools::ExitFailed)
      Logger::error("MLIR's server ended before it answered");
    return;
  }
  // It handles one message after the other.
  auto last = llvm::find_if(
      toMLIR, [](const Outgoing &message) { return !message.uri.empty(); });
  std::string crashed = last == toMLIR.end() ? "" : last->uri;
  for (const auto &[id, request] : requests)
    send(makeError(request.id, kInternalError,
                   request.uri == crashed
                       ? "MLIR's server crashed on this document; it answers "
                         "again after the next change"
                       : "MLIR's server crashed on " + pathOf(crashed) +
                             " before it answered; ask again"));
  requests.clear();
  if (isShutDown || !startMLIR()) {
    exitCode = tools::ExitFailed;
    return;
  }
  Logger::error("MLIR's server crashed on {0}; it was started again", crashed);
  forward(initializeText);
  forward(printJson(makeNotification("initialized", json::Object())));
  for (auto &document : documents) {
    // One that was left out before stays out, so that crashes have an end.
    if (!std::exchange(document.second.isServed, false) ||
        document.first() == crashed)
      continue;
    forwardDocument(document.first(), document.second);
    document.second.isServed = true;
  }
}

void Server::handleMLIR(StringRef text) {
  hasAnswered = true;
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return llvm::consumeError(parsed.takeError());
  json::Object *message = parsed->getAsObject();
  if (!message)
    return;
  // Its only notifications are diagnostics, which checks have better.
  if (message->get("method")) {
    const json::Object *params = message->getObject("params");
    if (std::optional<StringRef> uri =
            params ? params->getString("uri") : std::nullopt)
      markHandled(keyOf(*uri, params->getInteger("version").value_or(0)));
    return;
  }
  const json::Value *id = message->get("id");
  if (id)
    markHandled(printJson(*id));
  auto found = id ? requests.find(printJson(*id)) : requests.end();
  if (found == requests.end())
    return;
  Request request = std::move(found->second);
  requests.erase(found);
  if (json::Value *result = message->get("result"))
    send(makeAnswer(std::move(request.id), amend(request, std::move(*result))));
  else
    sendText(text);
}

json::Value Server::amend(const Request &request, json::Value result) {
  if (request.method == "initialize") {
    json::Object &object = *result.getAsObject();
    object["serverInfo"] =
        json::Object{{"name", "qcc-lsp-server"}, {"version", QCC_VERSION}};
    if (json::Object *capabilities = object.getObject("capabilities"))
      if (json::Object *completion =
              capabilities->getObject("completionProvider"))
        if (json::Array *characters = completion->getArray("triggerCharacters"))
          characters->push_back("{");
    return result;
  }
  auto document = documents.find(request.uri);
  if (document == documents.end())
    return result;
  StringRef text = document->second.text;
  std::optional<size_t> offset = offsetOf(text, &request.position);
  if (offset && request.method == "textDocument/hover")
    return addOpDoc(std::move(result), text, *offset);
  if (offset && request.method == "textDocument/completion")
    return addCompletions(std::move(result), text, *offset);
  return result;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

int Server::endOfInput() {
  // It may not have read its command line yet.
  if (!hasAnswered && isUsageError(mlir->wait()))
    return tools::ExitUsage;
  return isShutDown ? 0 : 1;
}

int Server::run() {
  std::signal(SIGPIPE, SIG_IGN);
  if (!startMLIR())
    return tools::ExitFailed;
  while (!exitCode) {
    startDueCheck();
    pollfd waits[] = {
        {STDIN_FILENO, POLLIN, 0},
        {mlir->output(), POLLIN, 0},
        {unwritten < toMLIR.size() ? mlir->input() : -1, POLLOUT, 0},
        {check ? check->process.output() : -1, POLLIN, 0},
    };
    if (poll(waits, std::size(waits), nextTimeout()) < 0 && errno != EINTR)
      return tools::ExitFailed;
    std::string bytes;
    // Answers first: they are about the documents as they are.
    if (waits[1].revents) {
      if (!tools::readAvailable(mlir->output(), bytes)) {
        restartMLIR();
        continue;
      }
      fromMLIR.append(bytes);
      while (std::optional<std::string> text = fromMLIR.next())
        handleMLIR(*text);
    }
    if (waits[2].revents)
      writeToMLIR();
    if (waits[3].revents)
      readCheck();
    stopLateCheck();
    bytes.clear();
    if (waits[0].revents) {
      if (!tools::readAvailable(STDIN_FILENO, bytes))
        return endOfInput();
      fromEditor.append(bytes);
      while (std::optional<std::string> text = fromEditor.next())
        handleEditor(*text);
    }
  }
  return *exitCode;
}
