"""examples/python/generate.py on a small decoder."""

import os
import re
import subprocess
import sys

import onnx
import pytest

import program
import test_onnx_group_query_attention as attention

import qcc

EXAMPLE = program.ROOT / "examples" / "python" / "generate.py"
PROMPT = [3, 1, 4, 1, 5]


@pytest.fixture(scope="module", params=[32, 4])
def path(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("decoder") / "model.onnx"
    onnx.save(attention.Decoder(request.param).model(), path)
    return path


def run(path, *options):
    command = [sys.executable, EXAMPLE, path, f"--tokens={','.join(map(str, PROMPT))}", *options]
    environment = {**os.environ, "PYTHONPATH": str(program.ROOT / "python")}
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    tokens, prompt, speed = done.stdout.splitlines()
    assert re.fullmatch(r"prompt: [\d.]+ ms", prompt)
    assert re.fullmatch(r"[\d.]+ tokens/s; one thread that only reads would allow [\d.]+ tokens/s", speed)
    return [int(token) for token in tokens.split()]


def test_greedy_tokens(path):
    expected, _ = attention.generate(qcc.compile(str(path)).function(), PROMPT, 20)
    assert run(path, "--count=20") == expected


def test_sampled_tokens(path):
    """They follow from the seed, and are not the most probable ones."""
    first = run(path, "--count=20", "--temperature=2", "--seed=7")
    assert first == run(path, "--count=20", "--temperature=2", "--seed=7", "--threads=2")
    assert first != run(path, "--count=20")
