"""A client of the language server protocol, which drives qcc-lsp-server in tests."""

import collections
import json
import os
import queue
import subprocess
import threading
from pathlib import Path

import program


def frame(text):
    """A message as bytes: its header and its text."""
    body = text if isinstance(text, bytes) else text.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Client:
    """A server and an editor's side of the conversation. Answers of requests are returned, and
    notifications and requests of the server are kept in `received` by their method."""

    def __init__(self, options=None, settings=None, capabilities=None, environment=None):
        self.process = subprocess.Popen([program.build_dir() / "bin" / "qcc-lsp-server", "--log=error"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=os.environ | (environment or {}))
        self.settings = settings
        self.messages = queue.Queue()
        self.errors = []
        self.received = {}
        self.diagnostics = collections.deque()  # that were published and nobody has taken
        self.last_id = 0
        for target in (self.read, self.read_errors):
            threading.Thread(target=target, daemon=True).start()
        document = {"hover": {}, "documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
        self.capabilities = self.request("initialize", {
            "processId": os.getpid(), "rootUri": None, "initializationOptions": options,
            "capabilities": capabilities or {"textDocument": document,
                                             "workspace": {"configuration": settings is not None}}})
        self.notify("initialized", {})
        while settings is not None and "workspace/configuration" not in self.received:
            self.next_message()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self):
        stream = self.process.stdout
        while line := stream.readline():
            length = None
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = stream.readline()
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    def read_errors(self):
        for line in self.process.stderr:
            self.errors.append(line.decode(errors="replace"))

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        self.send_bytes(frame(json.dumps({"jsonrpc": "2.0", **message})))

    def notify(self, method, params):
        self.send(method=method, params=params)

    def next_message(self, timeout=60):
        """The next message of the server, which is also kept."""
        message = self.messages.get(timeout=timeout)
        assert message is not None, "the server ended: " + "".join(self.errors)
        if "method" in message:
            self.received.setdefault(message["method"], []).append(message)
            if message["method"] == "textDocument/publishDiagnostics":
                self.diagnostics.append(message["params"])
            if message["method"] == "workspace/configuration":
                self.send(id=message["id"], result=[self.settings for _ in message["params"]["items"]])
        return message

    def next_diagnostics(self, name, version):
        """The next diagnostics of a version of a document."""
        while True:
            while not self.diagnostics:
                self.next_message()
            published = self.diagnostics.popleft()
            if (published["uri"], published["version"]) == (self.uri(name), version):
                return published["diagnostics"]

    def answer(self, number, timeout=60):
        """The answer to a request, with its error, if it has one."""
        while True:
            message = self.next_message(timeout)
            if message.get("id") == number and "method" not in message:
                return message

    def send_request(self, method, params):
        self.last_id += 1
        self.send(id=self.last_id, method=method, params=params)
        return self.last_id

    def request(self, method, params, timeout=60):
        answer = self.answer(self.send_request(method, params), timeout)
        assert "error" not in answer, answer
        return answer["result"]

    def uri(self, name):
        return Path("/tests", name).as_uri()

    def open(self, name, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "mlir", "version": version, "text": text}})

    def change(self, name, text, version):
        self.notify("textDocument/didChange", {"textDocument": {"uri": self.uri(name), "version": version},
                                               "contentChanges": [{"text": text}]})

    def close(self, name):
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def at(self, name, line, character):
        return {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": character}}

    def shut_down(self):
        """Ends the conversation as an editor does. Returns the exit code."""
        assert self.request("shutdown", None) is None
        self.notify("exit", None)
        return self.process.wait(timeout=60)
