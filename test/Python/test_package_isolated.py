"""The Python package: compilations in a process of their own."""

import os

import numpy as np
import onnx.parser
import pytest

from package import DOUBLE, qcc

WITH_WEIGHTS = """
!w = !quant.uniform<i8:f32, 2.500000e-01>
func.func @layer(%x: tensor<?x4x!w>) -> tensor<?x2xf32> {
  %w = arith.constant dense_resource<w> : tensor<2x4x!w>
  %y = qnn.linear %x, %w : tensor<?x4x!w>, tensor<2x4x!w> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
"""
BROKEN = "func.func @f(%x: tensor<4xf3>)\n"
GRAPH = onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n, m] x, float[k, l] w, float[m] bias, int64 axis) => (float[n, m] y, float[k, l] v) {
      s = CumSum(x, axis)
      y = Add(s, bias)
      v = Neg(w)
    }""").SerializeToString()


def script(folder, body):
    """A program in place of the compiler's."""
    path = folder / "compiler.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o700)
    return path


def saved(module, folder):
    path = folder / "module.so"
    module.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("source, options", [
    (DOUBLE, {"name": "a name"}),
    (WITH_WEIGHTS, {}),
    (WITH_WEIGHTS, {"weights": "random:3"}),
    (WITH_WEIGHTS, {"weights": {"w": np.arange(-4, 4, dtype=np.int8).reshape(2, 4)}}),
    (GRAPH, {"dims": {"n": 2}, "shapes": {"w": (3, 4)},
             "constants": {"axis": 1, "bias": np.array([1, 2, 3], np.float32)}}),
    (DOUBLE, {"target": ["x86-64-v3", "cascadelake"]}),
])
def test_same_as_in_this_process(source, options, tmp_path):
    outcomes = []
    for isolated in (False, True):
        try:
            outcomes.append(saved(qcc.compile(source, isolated=isolated, **options), tmp_path))
        except qcc.Error as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


def test_diagnostics_are_the_same():
    seen = []
    for isolated in (False, True):
        with pytest.raises(qcc.InvalidProgramError) as error:
            qcc.compile(BROKEN, name="broken", isolated=isolated)
        seen.append((str(error.value), error.value.diagnostics))
    assert seen[0] == seen[1]
    assert seen[0][1][0].file == "broken"


@pytest.mark.parametrize("body, error, message", [
    ("kill -SEGV $$", qcc.InternalError, "the compiler crashed in its process, by signal 11"),
    ("kill -KILL $$", qcc.KilledError, "killed by signal 9"),
    ("exit 100", qcc.OutOfMemoryError, "ran out of memory"),
    ("exec sleep 60", qcc.TimedOutError, "the time limit of"),
])
def test_processes_that_end(body, error, message, tmp_path):
    compiler = script(tmp_path, body)
    for _ in range(3):
        with pytest.raises(error, match=message):
            qcc.compile(DOUBLE, isolated=compiler, timeout=.2)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_memory_is_limited():
    large = ("func.func @f() -> tensor<400x1048576xi8> {\n"
             "  %w = arith.constant dense_resource<w> : tensor<400x1048576xi8>\n"
             "  return %w : tensor<400x1048576xi8>\n}\n")
    for isolated in (False, True):
        with pytest.raises(qcc.OutOfMemoryError, match="the limit of 100000000 bytes of memory does not suffice"):
            qcc.compile(large, weights="random:1", isolated=isolated, memory_limit=100_000_000)


def test_wrong_options():
    with pytest.raises(qcc.NotFoundError, match="cannot start the compiler's process /nowhere"):
        qcc.compile(DOUBLE, isolated="/nowhere")
    for timeout in (0, -1, float("nan")):
        with pytest.raises(qcc.InvalidArgumentError, match="timeout is .*; give a number of seconds above 0"):
            qcc.compile(DOUBLE, timeout=timeout)
    for limit in (0, -5, 2**63):
        with pytest.raises(qcc.InvalidArgumentError, match="memory_limit is .*; give a number of bytes above 0"):
            qcc.compile(DOUBLE, memory_limit=limit)
    qcc.compile(DOUBLE, timeout=float("inf"))
    for threads in (0, -1, 2**31):
        with pytest.raises(qcc.InvalidArgumentError, match="threads is .*; give a number of threads above 0"):
            qcc.compile(DOUBLE, threads=threads)
    with pytest.raises(qcc.InvalidArgumentError, match="threads is 1.5, which is no whole number"):
        qcc.compile(DOUBLE, threads=1.5)


@pytest.mark.parametrize("isolated", [False, True])
def test_code_does_not_depend_on_threads(isolated, tmp_path):
    artifacts = []
    for threads in (None, 1, 4):
        # Two variants are two parts, so that threads have work.
        module = qcc.compile(DOUBLE, target=["x86-64-v3", "cascadelake"], isolated=isolated, threads=threads)
        module.save(tmp_path / "module.so")
        artifacts.append((tmp_path / "module.so").read_bytes())
    assert artifacts[1:] == artifacts[:-1]
