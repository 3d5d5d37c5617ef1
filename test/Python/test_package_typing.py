"""The Python package is typed, and so is what its examples do with it."""

import os
import subprocess
import sys

import pytest

from program import ROOT

pytest.importorskip("mypy")


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Runs mypy; what it found out about numpy serves all tests."""
    cache = tmp_path_factory.mktemp("mypy")

    def run(*arguments):
        command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", *map(str, arguments)]
        environment = dict(os.environ, MYPYPATH=str(ROOT / "python"))
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    return run


def test_package_and_examples(check):
    examples = sorted((ROOT / "examples" / "python").glob("*.py"))
    assert len(examples) == 8
    # torch is there on demand, and not all of it is typed.
    done = check("--disable-error-code=import-not-found", "--allow-untyped-calls", ROOT / "python" / "qcc", *examples)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_use_is_found(check, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import qcc\nqcc.compile(3)\nqcc.load('x.so').function(threads='2')\n")
    done = check(wrong)
    assert done.stdout.count("[arg-type]") == 2, done.stdout + done.stderr


def test_calls_are_typed(check, tmp_path):
    """Results are arrays for tools, also unpacked; arguments are tensors of any library."""
    right = tmp_path / "right.py"
    right.write_text("""
from typing import Any
import numpy as np
import numpy.typing as npt
import qcc

class Tensor:
    def __dlpack__(self, stream: int | None = None) -> Any: ...

function = qcc.load("x.so").function()
x = np.zeros((2, 3), np.float32)
y: npt.NDArray[np.float32] = function(x, 3, np.float32(1), image=Tensor(), timeout=1.0)
a, b = function(x)
print(y.shape, a.shape, function(x).shape, function(x)[0], function.start(x).result().shape)
tensor: Tensor = function(x, out=Tensor())
c, d = function(x, out=[x, x])
""")
    done = check("--disable-error-code=import-not-found", right)  # torch is there on demand
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "wrong_calls.py"
    calls = ("function('x')", "function(image='x')", "function(x, out='x')", "function(x, timeout='3')",
             "tensor: str = function(x, out=x)", "function.start(['x'])", "function(x).no_member")
    wrong.write_text("\n".join(["import numpy as np", "import qcc", "function = qcc.load('x.so').function()",
                                "x = np.zeros(3)", *calls, ""]))
    done = check(wrong)
    assert all(f"{wrong}:{line}: error" in done.stdout for line in range(5, 5 + len(calls))), done.stdout + done.stderr
