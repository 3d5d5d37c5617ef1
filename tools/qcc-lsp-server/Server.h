//===- Server.h - The language server ------------------------- -*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The server stands between an editor and MLIR's own server, which is a process
// of it. MLIR's server answers requests; this one adds to its answers what qcc
// knows of ops. Diagnostics come from checks (Check.h), each in a process of
// its own. So neither a program that crashes a parser nor one that takes long
// to compile ends or stops the session.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_LSP_SERVER_SERVER_H
#define QCC_TOOLS_QCC_LSP_SERVER_SERVER_H

#include "Messages.h"
#include "Settings.h"
#include "common/Child.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <deque>
#include <functional>
#include <map>

namespace qcc::lsp {

class Server {
public:
  /// `serveMLIR` is MLIR's server: it reads the standard input, and returns its
  /// exit code.
  explicit Server(std::function<int()> serveMLIR)
      : serveMLIR(std::move(serveMLIR)) {}

  /// Serves until the editor ends the session; returns the exit code.
  int run();

private:
  using Clock = std::chrono::steady_clock;

  struct Document {
    std::string text;
    int64_t version = 0;
    /// When to check it; nothing while it is checked or was.
    std::optional<Clock::time_point> due;
    /// Whether MLIR's server has it. A document that crashes that server comes
    /// back with its next change.
    bool isServed = false;
  };

  /// A request that MLIR's server answers.
  struct Request {
    llvm::json::Value id;
    std::string method, uri;
    llvm::json::Object position;
  };

  /// A message that MLIR's server is not known to have handled.
  struct Outgoing {
    std::string bytes; ///< Empty once it is written.
    std::string uri;   ///< The document that it is about, or empty.
    /// What shows that it was handled: the id of a request, or the name and the
    /// version of a document, for which there are diagnostics then.
    std::string key;
    bool isChange; ///< A later change of the document replaces it.
  };

  /// The check that runs.
  struct Check {
    tools::Child process;
    std::string uri;
    int64_t version;
    Clock::time_point deadline;
    std::string unread;
    std::string stage; ///< The stage that runs; empty before the first.
    llvm::json::Array diagnostics;
  };

  // Messages (Server.cpp).
  void handleEditor(llvm::StringRef text);
  void handleRequest(const llvm::json::Object &message, llvm::StringRef method,
                     llvm::StringRef text);
  void initialize(const llvm::json::Object &message, llvm::StringRef text);
  void initialized();
  void changeDocument(llvm::StringRef method, const llvm::json::Object &params);
  void handleMLIR(llvm::StringRef text);
  llvm::json::Value amend(const Request &request, llvm::json::Value result);
  void send(const llvm::json::Value &message);
  void sendText(llvm::StringRef text);
  void show(llvm::StringRef message);

  // Settings (Server.cpp).
  void askForSettings();
  void updateSettings(const llvm::json::Object *section);

  // MLIR's server (Server.cpp).
  bool startMLIR();
  void restartMLIR();
  void forward(llvm::StringRef text, llvm::StringRef uri = "",
               std::string key = "", bool isChange = false);
  void forwardDocument(llvm::StringRef uri, const Document &document);
  void writeToMLIR();
  /// MLIR's server has handled the message with this key, and all before it.
  void markHandled(llvm::StringRef key);

  // Checks (ServerChecks.cpp).
  void scheduleCheck(llvm::StringRef uri);
  void startDueCheck();
  void readCheck();
  void handleCheck(llvm::StringRef line);
  void endCheck();
  void stopLateCheck();
  void publish(llvm::StringRef uri, int64_t version,
               llvm::json::Array diagnostics);
  // The loop (Server.cpp).
  /// The exit code where the editor's messages end.
  int endOfInput();
  /// Milliseconds until a check has to start or to stop; -1: none has.
  int nextTimeout() const;

  std::function<int()> serveMLIR;
  std::optional<tools::Child> mlir;
  bool hasAnswered = false; ///< MLIR's server, since it was started.
  MessageReader fromEditor, fromMLIR;
  std::deque<Outgoing> toMLIR;
  size_t unwritten = 0; ///< The first message that is not written as a whole.
  size_t written = 0;   ///< Bytes of that message.

  std::map<std::string, Request> requests; ///< By their ids.
  std::string initializeText;
  bool canAskForSettings = false, canRegisterSettings = false;
  Settings initialSettings, settings;

  llvm::StringMap<Document> documents;
  std::optional<Check> check;
  bool isShutDown = false;
  std::optional<int> exitCode;
};

} // namespace qcc::lsp

#endif // QCC_TOOLS_QCC_LSP_SERVER_SERVER_H
