"""qcc-lsp-server: what an editor sees of programs, of broken ones, and of a server that broken ones crash."""

import json
import os
import re
import shutil
import signal
import subprocess

import pytest

import program
from lsp_client import Client, frame

pytestmark = pytest.mark.usefixtures("compiler")

ERROR, WARNING, INFORMATION, HINT = 1, 2, 3, 4

GOOD = """func.func @f(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %0 = qnn.linear %x, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
"""

#: A program that MLIR's verifier rejects: the result of its op has no scale.
NO_SCALE = """func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xi8> {
  %0 = qnn.quantize %x : tensor<4x8xf32> -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}
"""
NO_SCALE_MESSAGE = "'qnn.quantize' op result of type 'tensor<4x8xi8>' has no scale; give a scale operand or a quantized type"

#: A program that is refused for GPUs, and compiled for processors.
LOOP = """func.func @f(%x: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4x8xf32>) {
    %s = linalg.add ins(%a, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    scf.yield %s : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}
"""


def chain(length):
    """A program that takes long to compile."""
    ops = "".join(f"  %{i} = arith.addf %{i - 1 if i else 'x'}, %x : tensor<4x8xf32>\n" for i in range(length))
    return (f"func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{\n{ops}"
            f"  return %{length - 1} : tensor<4x8xf32>\n}}\n")


@pytest.fixture
def client():
    with Client() as client:
        yield client


def published(client, name, version=1):
    return client.next_diagnostics(name, version)


def checked(client, name, version=1):
    """The diagnostics of a program that was compiled. They are published when it was read, and at the end."""
    published(client, name, version)
    return published(client, name, version)


def positions(diagnostic):
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


def command_line(text, tmp_path, *arguments):
    """What `qcc explain` prints about a program, without line ends."""
    path = tmp_path / "program.mlir"
    path.write_text(text)
    run = subprocess.run([program.qcc(), "explain", path, "--weights=random", *arguments], capture_output=True,
                         text=True, check=False)
    return re.sub(r"\s+", " ", run.stdout + run.stderr)


def children(client):
    pid = client.process.pid
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


# Diagnostics


def test_syntax_error(client):
    client.open("a.mlir", "func.func @f(%x: tensor<4x8xf32>) {\n  %0 = qnn.linaer %x\n}\n")
    (error,) = published(client, "a.mlir")
    assert (error["severity"], error["source"], positions(error)[:2]) == (ERROR, "mlir", (1, 7))
    assert "qnn.linaer" in error["message"]
    assert [note["message"] for note in error["relatedInformation"]] == ["did you mean 'qnn.linear'?"]


@pytest.mark.parametrize("location", ["", ' loc("fc1")', ' loc("model.py":7:3)', " loc(unknown)",
                                      ' loc("fc1"("model.py":7:3))', ' loc(fused["a.py":1:2, "b.py":3:4])'])
def test_verifier_error_is_at_its_op(client, location):
    client.open("a.mlir", NO_SCALE.replace("xi8>\n  return", f"xi8>{location}\n  return"))
    (error,) = published(client, "a.mlir")
    assert (error["severity"], error["source"], error["message"]) == (ERROR, "mlir", NO_SCALE_MESSAGE)
    assert positions(error) == (1, 7, 1, 19)


def test_characters_are_counted_in_utf16(client):
    client.open("a.mlir", NO_SCALE.replace("  %0 =", '  "f.g"() {a = "é😀"} : () -> () %0 ='))
    error = published(client, "a.mlir")[0]
    # One unit for é, two for the emoji.
    column = '  "f.g"() {a = "é..'.index("..") + len('.."} : () -> () %0 = ')
    assert positions(error) == (1, column, 1, column + len("qnn.quantize"))


def test_parts_of_a_file_have_positions_of_the_file(client):
    client.open("a.mlir", GOOD + "// -----\n" + NO_SCALE + "// ----- of one program\n// -----\n\n" + NO_SCALE)
    errors = published(client, "a.mlir")
    assert [error["message"] for error in errors] == [NO_SCALE_MESSAGE] * 2
    assert [positions(error)[0] for error in errors] == [6, 13]


def test_unknown_dialect_is_refused(client, tmp_path):
    text = GOOD.replace("  return", '  "foo.bar"(%x) : (tensor<4x8xf32>) -> ()\n  return')
    client.open("a.mlir", text)
    (warning,) = published(client, "a.mlir")
    assert (warning["severity"], warning["source"], positions(warning)[:2]) == (WARNING, "qcc", (2, 2))
    assert "belongs to dialect 'foo', which is not accepted" in warning["message"]
    assert warning["message"] in command_line(text, tmp_path)


def test_slow_steps_have_hints(client, tmp_path):
    client.open("a.mlir", GOOD)
    hints = checked(client, "a.mlir")
    assert {(hint["severity"], hint["source"], positions(hint)) for hint in hints} == {(HINT, "qcc", (1, 7, 1, 17))}
    printed = command_line(GOOD, tmp_path)
    for hint in hints:
        reason, _, remedy = hint["message"].removeprefix("not faster: ").partition("; ")
        assert remedy
        assert "remedy: " + remedy in printed
    assert "not faster: its operands are floats; quantize both operands to 8 bits" in [h["message"] for h in hints]


def test_target_of_the_initialization_options(tmp_path):
    with Client({"mcpu": "sm_80"}) as client:
        client.open("a.mlir", LOOP)
        refused = [d for d in checked(client, "a.mlir") if d["severity"] == WARNING]
    assert [positions(warning)[:2] for warning in refused] == [(4, 7)]
    assert "which devices do not run" in refused[0]["message"]
    assert refused[0]["message"] in command_line(LOOP, tmp_path, "--target=cuda", "--mcpu=sm_80")
    with Client() as client:
        client.open("a.mlir", LOOP)
        assert not [d for d in checked(client, "a.mlir") if d["severity"] <= WARNING]


@pytest.mark.parametrize("options, message", [
    ({"mcpu": "sm_70"}, "setting 'mcpu': unknown chip 'sm_70'"),
    ({"mcpu": "native,sm_80"}, "setting 'mcpu': a document is checked for one processor at a time"),
    ({"weights": "w.txt"}, "setting 'weights': 'w.txt' is no source of weights"),
    ({"weights": "missing.npz"}, "missing.npz"),
])
def test_wrong_values_of_settings(options, message):
    text = GOOD.replace("%w: tensor<16x8xf32>", "%v: f32").replace(
        "  %0", "  %w = arith.constant dense_resource<w> : tensor<16x8xf32>\n  %0")
    with Client(options) as client:
        client.open("a.mlir", text)
        (warning,) = published(client, "a.mlir")
    assert warning["severity"] == WARNING
    assert message in warning["message"]


def test_unknown_settings_are_shown():
    with Client({"mcpu": 7, "compile": "no", "seconds": 0, "cpu": "native"}) as client:
        shown = [message["params"]["message"] for message in client.received["window/showMessage"]]
    assert sorted(shown) == ["qcc: setting 'compile' must be true or false; it is left out",
                             "qcc: setting 'mcpu' must be a text; it is left out",
                             "qcc: setting 'seconds' must be a whole number from 1 to 3600; it is left out",
                             "qcc: unknown setting 'cpu'; use compile, hints, mcpu, weights or seconds"]


def test_settings_of_the_editor():
    """VS Code and Neovim answer workspace/configuration."""
    with Client(settings={"hints": False}) as client:
        client.open("a.mlir", GOOD)
        assert checked(client, "a.mlir") == []
        client.settings = None
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert checked(client, "a.mlir") != []
        client.notify("workspace/didChangeConfiguration", {"settings": {"qcc": {"compile": False}}})
        assert published(client, "a.mlir") == []


def test_without_compile_only_mlir_checks():
    with Client({"compile": False}) as client:
        client.open("a.mlir", '"foo.bar"() : () -> ()\n')
        assert published(client, "a.mlir") == []
        client.open("b.mlir", NO_SCALE)
        assert [d["message"] for d in published(client, "b.mlir")] == [NO_SCALE_MESSAGE]


def test_the_newest_version_wins(client):
    client.open("a.mlir", chain(4000))
    for version in range(2, 30):
        client.change("a.mlir", NO_SCALE if version % 2 else GOOD, version)
    assert [d["message"] for d in published(client, "a.mlir", 29)] == [NO_SCALE_MESSAGE]
    seen = [message["params"]["version"] for message in client.received["textDocument/publishDiagnostics"]]
    assert seen == sorted(seen)
    # Nothing of an older version comes later.
    client.open("b.mlir", GOOD)
    assert checked(client, "b.mlir")
    assert client.received["textDocument/publishDiagnostics"][-3]["params"]["version"] == 29


def test_closing_clears(client):
    client.open("a.mlir", NO_SCALE)
    assert published(client, "a.mlir")
    client.close("a.mlir")
    assert published(client, "a.mlir") == []


# Hover and completion


def hover(client, name, line, character):
    answer = client.request("textDocument/hover", client.at(name, line, character))
    return answer and answer["contents"]["value"]


def test_hover_has_documentation_of_ops(client):
    client.open("a.mlir", GOOD)
    text = hover(client, "a.mlir", 1, 10)
    description = (program.ROOT / "include/qcc/Dialect/QNN/IR/QNNOps.td").read_text()
    summary = re.search(r'def QNN_LinearOp.*?let summary = "(.*?)"', description, re.S).group(1)
    assert text.startswith("### `qnn.linear`")
    assert summary[1:] in text
    assert "Constraints:" in text
    assert "| `weight` |" in text
    # What MLIR's server says follows.
    assert text.index("\n---\n") < text.index('"qnn.linear"(%arg0, %arg1)')
    assert "Function return operation" in hover(client, "a.mlir", 2, 4)
    assert hover(client, "a.mlir", 1, 3).startswith('Operation: "qnn.linear"')


@pytest.mark.parametrize("op, part", [
    ("qnn.avg_pool2d", "| `count_include_pad` | `::mlir::UnitAttr` | unit attribute |"), ("kernel.pack", "### `kernel.pack`"),
    ("linalg.matmul", "linalg.matmul"), ("arith.addf", "Floating point addition operation"), ("tosa.abs", "tosa.abs"),
    ("tensor.pad", "tensor.pad"), ("math.exp", "math.exp"), ("scf.for", "scf.for")])
def test_hover_in_a_program_that_does_not_parse(client, op, part):
    client.open("a.mlir", f"func.func @f(\n  %0 = {op} (\n")
    text = hover(client, "a.mlir", 1, 9)
    assert part in text
    assert "<td>" not in text


def completions(client, text, name="a.mlir"):
    """The completions at the bar in a text, by their labels."""
    before, _, after = text.partition("|")
    client.open(name, before + after)
    line = before.count("\n")
    items = client.request("textDocument/completion", client.at(name, line, len(before) - before.rfind("\n") - 1))
    return {item["label"]: item for item in items["items"]}


def test_completion_of_ops(client):
    items = completions(client, GOOD.replace("qnn.linear %x, %w", "qnn.|"))
    assert {"linear", "conv2d", "quantize"} <= set(items)
    assert items["quantize"]["detail"] == "Real numbers to int8 or uint8"
    assert "pack" in completions(client, GOOD.replace("qnn.linear %x, %w", "kernel.|"))
    # Something else does not parse.
    assert "max_pool2d" in completions(client, "func.func @f(\n  %0 = qnn.ma|\n")
    assert {"qnn", "linalg"} <= set(completions(client, GOOD.replace("qnn.linear %x, %w", "|")))


def test_completion_of_attributes(client):
    start = "func.func @f(%x: tensor<1x8x8x4xf32>) {\n  %0 = qnn.avg_pool2d %x "
    items = completions(client, start + "{|")
    assert {"window", "strides", "padding", "count_include_pad"} <= set(items)
    assert items["strides"]["insertText"] == "strides = "
    assert "insertText" not in items["count_include_pad"]
    items = completions(client, start + "{strides = array<i64: 1, 1>, |")
    assert "strides" not in items
    assert "window" in items
    assert "window" not in completions(client, start + "{strides = |")
    assert "window" not in completions(client, start + '{strides = "a, |')
    assert "window" not in completions(client, start + ": |")
    # A region is no list of attributes.
    assert "sym_name" not in completions(client, "func.func @f() {\n  |")


def test_completion_of_clauses(client):
    items = completions(client, "func.func @f() {\n  %0 = qnn.linear %x, %w bias(%b : tensor<8xf32>) |")
    assert {"input_scale", "output_zero_point"} <= set(items)
    assert "bias" not in items
    assert items["input_scale"]["insertText"] == "input_scale("


def test_definition(client):
    client.open("a.mlir", GOOD)
    (place,) = client.request("textDocument/definition", client.at("a.mlir", 2, 10))
    assert place["range"]["start"] == {"line": 1, "character": 2}


def test_an_unsaved_edit_counts(client):
    client.open("a.mlir", NO_SCALE)
    client.change("a.mlir", "\n\n" + GOOD, 2)
    assert hover(client, "a.mlir", 3, 10).startswith("### `qnn.linear`")
    assert hover(client, "a.mlir", 1, 10) is None


# What must not end a session


def test_a_crash_of_a_check_is_reported(client):
    client.open("a.mlir", chain(20000))
    # The program has been read when the first diagnostics come, and is compiled.
    assert published(client, "a.mlir") == []
    _, check = children(client)
    os.kill(check, signal.SIGSEGV)
    (crash,) = published(client, "a.mlir")
    assert re.fullmatch("the compiler crashed in stage [a-z]+; this is a bug of qcc, please report it with the program",
                        crash["message"])
    client.change("a.mlir", NO_SCALE, 2)
    assert [d["message"] for d in published(client, "a.mlir", 2)] == [NO_SCALE_MESSAGE]


def test_a_long_check_is_stopped():
    with Client({"seconds": 1}) as client:
        client.open("a.mlir", chain(20000))
        client.open("b.mlir", GOOD)
        assert hover(client, "b.mlir", 1, 10)
        # Nothing is found by the time the program was read.
        (stopped,) = published(client, "a.mlir") or published(client, "a.mlir")
        assert stopped["severity"] == INFORMATION
        assert re.match("the check was stopped after 1 s, (while reading the program|in stage [a-z]+); raise the "
                        "setting 'seconds'", stopped["message"])
        assert checked(client, "b.mlir")


def test_a_crash_of_the_parser_ends_no_session(client):
    client.open("a.mlir", GOOD)
    client.open("b.mlir", GOOD)
    assert hover(client, "b.mlir", 1, 3)
    server = children(client)[0]
    os.kill(server, signal.SIGSTOP)
    waiting = client.send_request("textDocument/hover", client.at("b.mlir", 1, 3))
    # The request was read before this answer.
    client.send_bytes(frame(b"7"))
    assert client.answer(None)["error"]
    os.kill(server, signal.SIGSEGV)
    os.kill(server, signal.SIGCONT)
    assert "crashed on this document" in client.answer(waiting)["error"]["message"]
    assert hover(client, "a.mlir", 1, 3)
    # The document that was asked about last comes back with its next change.
    assert hover(client, "b.mlir", 1, 3) is None
    client.change("b.mlir", GOOD, 2)
    assert hover(client, "b.mlir", 1, 3)

def test_a_crash_is_blamed_on_the_document_that_was_handled(client):
    for name in ("a.mlir", "b.mlir"):
        client.open(name, GOOD)
        assert hover(client, name, 1, 3)
    server = children(client)[0]
    os.kill(server, signal.SIGSTOP)
    first = client.send_request("textDocument/hover", client.at("a.mlir", 1, 3))
    client.change("b.mlir", GOOD, 2)
    second = client.send_request("textDocument/hover", client.at("b.mlir", 1, 3))
    # The requests were read before this answer.
    client.send_bytes(frame(b"7"))
    assert client.answer(None)["error"]
    os.kill(server, signal.SIGSEGV)
    os.kill(server, signal.SIGCONT)
    assert "crashed on this document" in client.answer(first)["error"]["message"]
    assert client.answer(second)["error"]["message"] == \
        "MLIR's server crashed on /tests/a.mlir before it answered; ask again"
    assert hover(client, "b.mlir", 1, 3)
    assert hover(client, "a.mlir", 1, 3) is None
    client.change("a.mlir", GOOD, 2)
    assert hover(client, "a.mlir", 1, 3)


def test_a_change_that_crashes_the_parser_is_blamed(client):
    """A change has no answer; what comes after it is not to blame."""
    for name in ("a.mlir", "b.mlir"):
        client.open(name, GOOD)
        assert hover(client, name, 1, 3)
    server = children(client)[0]
    os.kill(server, signal.SIGSTOP)
    client.change("a.mlir", GOOD, 2)
    waiting = client.send_request("textDocument/hover", client.at("b.mlir", 1, 3))
    client.send_bytes(frame(b"7"))
    assert client.answer(None)["error"]
    os.kill(server, signal.SIGSEGV)
    os.kill(server, signal.SIGCONT)
    assert "crashed on /tests/a.mlir" in client.answer(waiting)["error"]["message"]
    assert hover(client, "b.mlir", 1, 3)
    assert hover(client, "a.mlir", 1, 3) is None


def test_a_huge_file(client):
    text = "".join(f"func.func @f{i}(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{\n  return %x : tensor<4x8xf32>\n}}\n"
                   for i in range(20000))
    client.open("a.mlir", text)
    for version in range(2, 12):
        client.change("a.mlir", text, version)
    assert hover(client, "a.mlir", 1, 3)
    client.change("a.mlir", text + NO_SCALE, 12)
    assert [d["message"] for d in published(client, "a.mlir", 12)] == [NO_SCALE_MESSAGE]


@pytest.mark.parametrize("data", [
    frame(b'{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover"'),
    frame(b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a", '
          b'"languageId": "mlir", "version": 1, "text": "\xff\xfe"}}}'),
    frame(b"[]"), frame(b"7"), frame(b""),
])
def test_what_is_no_message_has_an_error(client, data):
    client.send_bytes(data)
    error = client.next_message()["error"]
    assert error["code"] == -32700
    assert error["message"].startswith("the message is no ")
    client.open("a.mlir", GOOD)
    assert hover(client, "a.mlir", 1, 10)


@pytest.mark.parametrize("method, params", [
    ("textDocument/didOpen", {}), ("textDocument/didOpen", {"textDocument": {"uri": 7}}),
    ("textDocument/didChange", {"textDocument": {"uri": "file:///tests/a.mlir"}, "contentChanges": [7]}),
    ("textDocument/didClose", {"textDocument": {"uri": "file:///tests/unknown.mlir"}}),
    ("workspace/didChangeConfiguration", {"settings": {"qcc": 7}}), ("unknown", {}), ("$/cancelRequest", {"id": 1}),
    ("textDocument/didOpen", {"textDocument": {"uri": "untitled:1", "version": 1, "text": "x"}})])
def test_damaged_notifications_change_nothing(client, method, params):
    client.open("a.mlir", GOOD)
    client.notify(method, params)
    assert hover(client, "a.mlir", 1, 3)


def test_damaged_headers_are_skipped(client):
    client.send_bytes(b"Content-Length: many\r\n\r\n")
    client.send_bytes(b"Content-Length: 99999999999999\r\nContent-Type: a\r\n\r\n")
    client.open("a.mlir", GOOD)
    assert hover(client, "a.mlir", 1, 10)


@pytest.mark.parametrize("params", [
    {"textDocument": {"uri": "file:///tests/unknown.mlir"}, "position": {"line": 0, "character": 0}},
    {"textDocument": {"uri": "file:///tests/a.mlir"}, "position": {"line": 1000, "character": 0}},
    {"textDocument": {"uri": "file:///tests/a.mlir"}, "position": {"line": 1, "character": 1000}}])
def test_positions_outside_have_no_hover(client, params):
    client.open("a.mlir", GOOD)
    assert client.request("textDocument/hover", params) is None


def test_unknown_request_has_an_error(client):
    assert client.answer(client.send_request("unknown", {}))["error"]["code"] == -32601


def test_shutdown_and_exit(client):
    client.open("a.mlir", chain(20000))
    assert client.capabilities["serverInfo"]["name"] == "qcc-lsp-server"
    published(client, "a.mlir")
    processes = children(client)
    assert len(processes) == 2
    assert client.shut_down() == 0
    assert not any(os.path.exists(f"/proc/{child}") for child in processes)


def test_exit_without_shutdown_fails(client):
    client.notify("exit", None)
    assert client.process.wait(timeout=60) == 1


def test_an_editor_that_goes_ends_the_server(client):
    client.process.stdin.close()
    assert client.process.wait(timeout=60) == 1


def test_messages_for_tests_of_mlir():
    """MLIR's server alone answers in the form of its tests."""
    server = program.build_dir() / "bin" / "qcc-lsp-server"
    run = subprocess.run([server, "--lit-test"], text=True, capture_output=True, check=False,
                         input='{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}\n// -----\n'
                               '{"jsonrpc": "2.0", "method": "exit"}\n')
    assert run.returncode == 0, run.stderr
    assert '"result": null' in run.stdout


def test_wrong_option():
    server = program.build_dir() / "bin" / "qcc-lsp-server"
    with subprocess.Popen([server, "--unknown"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.wait(timeout=60) == 2
        assert "Unknown command line argument '--unknown'" in process.stderr.read()
    # Also if the editor has gone before the option is read.
    assert subprocess.run([server, "--unknown"], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 2
    assert subprocess.run([server], stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 1


#: What Neovim shows of a program with an error, and of the op in its second line.
NEOVIM_SCRIPT = """
vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end, 20)
local shown = vim.diagnostic.get(0)[1]
print(vim.json.encode({ line = shown.lnum, column = shown.col, severity = shown.severity, message = shown.message }))
local position = { line = 1, character = 10 }
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover",
  { textDocument = vim.lsp.util.make_text_document_params(), position = position }, 30000)
for _, answer in pairs(answers) do print(answer.result.contents.value) end
vim.cmd("qa!")
"""


def editors_page():
    return (program.ROOT / "docs" / "HowTo" / "Editors.md").read_text()


def test_neovim_with_the_configuration_of_the_page(tmp_path):
    editor = shutil.which("nvim")
    version = re.match(r"NVIM v(\d+)\.(\d+)", subprocess.run([editor, "--version"], capture_output=True, text=True,
                                                             check=True).stdout) if editor else None
    if not version or (int(version[1]), int(version[2])) < (0, 11):
        pytest.skip("Neovim 0.11 or later is not installed")
    (configuration,) = re.findall(r"^```lua\n(.*?)^```", editors_page(), re.M | re.S)
    # The chip that the settings name refuses the program.
    (tmp_path / "init.lua").write_text(configuration.replace('"native"', '"sm_80"'))
    (tmp_path / "script.lua").write_text(NEOVIM_SCRIPT)
    (tmp_path / "a.mlir").write_text(GOOD.replace("  return", '  "foo.bar"(%x) : (tensor<4x8xf32>) -> ()\n  return'))
    environment = dict(os.environ, HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path / "state"))
    environment["PATH"] = f"{program.build_dir().resolve() / 'bin'}{os.pathsep}{environment['PATH']}"
    run = subprocess.run([editor, "--headless", "-u", "init.lua", "a.mlir", "-c", "luafile script.lua"], cwd=tmp_path,
                         env=environment, capture_output=True, text=True, timeout=120, check=False)
    output = run.stdout + run.stderr
    assert '"line":2' in output and '"column":2' in output and '"severity":2' in output, output
    assert "belongs to dialect 'foo', which is not accepted" in output
    assert "### `qnn.linear`" in output


def test_settings_of_the_page():
    """The page has every setting, with a default that the server takes; the JSON that it quotes is right."""
    rows = dict(re.findall(r"^\| `qcc\.(\w+)` \| `([^`]+)` \|", editors_page(), re.M))
    with Client({name: json.loads(value) for name, value in rows.items()}) as client:
        assert "window/showMessage" not in client.received
    with Client({"unknown": 1}) as client:
        (message,) = client.received["window/showMessage"]
    assert set(re.findall(r"\w+", message["params"]["message"].partition("use ")[2])) - {"or"} == set(rows)
    quoted = json.loads(re.search(r"^```json\n(.*?)^```", editors_page(), re.M | re.S).group(1))
    assert {name.removeprefix("qcc.") for name in quoted if name.startswith("qcc.")} <= set(rows)
