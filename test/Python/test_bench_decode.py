"""utils/bench-decode.py on small layers: results are compared, figures written, arguments checked."""

import json
import os
import subprocess
import sys

import pytest

from program import ROOT, build_dir

SCRIPT = ROOT / "utils" / "bench-decode.py"


def run(*arguments):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), QCC_LIBRARY_PATH=str(build_dir() / "lib"))
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, env=environment)


def test_small_layers(tmp_path):
    pytest.importorskip("onnxruntime")
    figures = tmp_path / "figures.json"
    done = run("--shapes=48x64", "--groups=16,32", "--rounds=1", "--megabytes=0.01", f"--json={figures}")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "| 48x64 | 32 | 1 |" in done.stdout
    sixteen, _ = json.loads(figures.read_text())
    assert sixteen["bytes"] == sixteen["layers"] * 48 * (64 // 2 + 4 * 4)
    assert sixteen["is_right"] and 0 < sixteen["qcc_distance"] < 0.05


@pytest.mark.parametrize("arguments", [["--shapes=48x40"], ["--groups=8"], ["--shapes=48"]])
def test_arguments_that_fit_nothing(arguments):
    pytest.importorskip("onnxruntime")
    done = run(*arguments)
    assert done.returncode == 2 and "error:" in done.stderr
