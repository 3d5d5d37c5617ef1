"""utils/bench-decoder.py on a small decoder: bits are compared, and times printed."""

import os
import re
import subprocess
import sys

import pytest

from program import ROOT, build_dir

SCRIPT = ROOT / "utils" / "bench-decoder.py"


def run(*arguments):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), QCC_LIBRARY_PATH=str(build_dir() / "lib"))
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, text=True, env=environment)


def test_small_decoder(tmp_path):
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    import test_onnx_group_query_attention as attention

    onnx.save(attention.Decoder(4, level=4).model(), tmp_path / "model.onnx")
    done = run(tmp_path / "model.onnx", "--past=0,9", "--rounds=2")
    assert done.returncode == 0, done.stderr + done.stdout
    lines = re.findall(r"^past (\d+): qcc in place [\d.]+ ms, qcc growing [\d.]+ ms, ONNX Runtime [\d.]+ ms; [\d.]+ and [\d.]+ of the "
                       r"time of ONNX Runtime; bits equal, difference from ONNX Runtime [\d.e-]+$", done.stdout, re.M)
    assert lines == ["0", "9"], done.stdout


@pytest.mark.parametrize("arguments", [["--past=-1"], ["--rounds=0"], ["--past=x"]])
def test_arguments_that_fit_nothing(arguments):
    pytest.importorskip("onnxruntime")
    done = run("model.onnx", *arguments)
    assert done.returncode == 2 and "error:" in done.stderr
