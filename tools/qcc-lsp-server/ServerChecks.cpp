//===- ServerChecks.cpp - Checks of open documents ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Positions.h"
#include "Server.h"
#include "common/ExitCodes.h"
#include "common/LargeStack.h"
#include "common/Messages.h"
#include "llvm/Support/LSP/Protocol.h"

using namespace qcc;
using namespace qcc::lsp;
using llvm::StringRef;
namespace json = llvm::json;

/// A document is checked this long after its last change.
static constexpr std::chrono::milliseconds kPause(250);

void Server::scheduleCheck(StringRef uri) {
  documents[uri].due = Clock::now() + kPause;
  // The result would be for an old version.
  if (check && check->uri == uri)
    check.reset();
}

void Server::startDueCheck() {
  if (check)
    return;
  auto found = documents.end();
  for (auto document = documents.begin(); document != documents.end();
       ++document)
    if (document->second.due && *document->second.due <= Clock::now() &&
        (found == documents.end() ||
         *document->second.due < *found->second.due))
      found = document;
  if (found == documents.end())
    return;
  Document &document = found->second;
  document.due.reset();
  std::string uri = found->first().str();
  CheckRequest request{uri, pathOf(uri), document.text, settings};
  rt::Result<tools::Child> process =
      tools::Child::start(tools::Child::Prints::Errors, [&](int, int output) {
        llvm::raw_fd_ostream results(output, /*shouldClose=*/false);
        return tools::runWithLargeStack("qcc-lsp-server", [&] {
          checkDocument(request, results);
          return tools::ExitSuccess;
        });
      });
  if (!process.isOk())
    return show("qcc: the document cannot be checked: " + process.message());
  Clock::time_point deadline =
      Clock::now() + std::chrono::seconds(settings.seconds);
  check.emplace(
      Check{std::move(*process), uri, document.version, deadline, "", "", {}});
}

void Server::handleCheck(StringRef line) {
  llvm::Expected<json::Value> parsed = json::parse(line);
  if (!parsed)
    return llvm::consumeError(parsed.takeError());
  json::Object *object = parsed->getAsObject();
  if (json::Object *diagnostic = object->getObject("diagnostic"))
    check->diagnostics.push_back(std::move(*diagnostic));
  if (std::optional<StringRef> stage = object->getString("stage")) {
    // What was wrong before the program could be read is shown no longer.
    if (check->stage.empty())
      publish(check->uri, check->version, check->diagnostics);
    check->stage = stage->str();
  }
  if (object->get("end")) {
    publish(check->uri, check->version, std::move(check->diagnostics));
    check.reset();
  }
}

void Server::readCheck() {
  if (!tools::readAvailable(check->process.output(), check->unread))
    return endCheck();
  std::string unread = std::move(check->unread);
  StringRef rest = unread;
  while (check && rest.contains('\n')) {
    auto [line, next] = rest.split('\n');
    rest = next;
    handleCheck(line);
  }
  if (check)
    check->unread = rest.str();
}

/// When something happened: "while reading the program", "in stage kernel".
static std::string whenIn(const std::string &stage) {
  return stage.empty() ? "while reading the program" : "in stage " + stage;
}

/// The process of the check ended before the check did.
void Server::endCheck() {
  check->process.kill();
  check->diagnostics.push_back(
      makeDiagnostic(rangeAt("", 0, 0), Severity::Warning, "qcc",
                     tools::crashMessage(whenIn(check->stage))));
  publish(check->uri, check->version, std::move(check->diagnostics));
  check.reset();
}

void Server::stopLateCheck() {
  if (!check || Clock::now() < check->deadline)
    return;
  check->diagnostics.push_back(makeDiagnostic(
      rangeAt("", 0, 0), Severity::Information, "qcc",
      "the check was stopped after " + std::to_string(settings.seconds) +
          " s, " + whenIn(check->stage) +
          "; raise the setting 'seconds', or set 'compile' to false"));
  publish(check->uri, check->version, std::move(check->diagnostics));
  check.reset();
}

void Server::publish(StringRef uri, int64_t version, json::Array diagnostics) {
  send(makeNotification("textDocument/publishDiagnostics",
                        json::Object{{"uri", uri},
                                     {"version", version},
                                     {"diagnostics", std::move(diagnostics)}}));
}

int Server::nextTimeout() const {
  std::optional<Clock::time_point> next;
  if (check)
    next = check->deadline;
  else
    for (const auto &document : documents)
      if (document.second.due && (!next || *document.second.due < *next))
        next = document.second.due;
  if (!next)
    return -1;
  auto rest =
      std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return int(std::max<int64_t>(rest.count(), 0));
}
