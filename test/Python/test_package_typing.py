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
    assert len(examples) == 6
    # torch is there on demand, and not all of it is typed.
    done = check("--disable-error-code=import-not-found", "--allow-untyped-calls", ROOT / "python" / "qcc", *examples)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_use_is_found(check, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import qcc\nqcc.compile(3)\nqcc.load('x.so').function(threads='2')\n")
    done = check(wrong)
    assert done.stdout.count("[arg-type]") == 2, done.stdout + done.stderr
