"""The Python package is typed, and so is what its examples do with it."""

import os
import subprocess
import sys

import pytest

from program import ROOT

pytest.importorskip("mypy")


def test_package_and_examples(tmp_path):
    examples = sorted((ROOT / "examples" / "python").glob("*.py"))
    assert len(examples) == 4
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", "--follow-untyped-imports",
               "--allow-untyped-calls", "--no-warn-return-any", str(ROOT / "python" / "qcc"), *map(str, examples)]
    # torch is there on demand.
    command[5:5] = ["--disable-error-code=import-not-found"]
    done = subprocess.run(command, env=dict(os.environ, MYPYPATH=str(ROOT / "python")), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_use_is_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import qcc\nqcc.compile(3)\nqcc.load('x.so').function(threads='2')\n")
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", str(wrong)]
    done = subprocess.run(command, env=dict(os.environ, MYPYPATH=str(ROOT / "python")), capture_output=True, text=True)
    assert done.stdout.count("[arg-type]") == 2, done.stdout + done.stderr
