"""Weights in the pages of a file: they are read, and compared with their hash, by the first run."""

import os
import signal

import numpy as np
import pytest

from package import qcc

F32 = np.float32
PROGRAM = """
func.func @main(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %w = arith.constant dense_resource<w> : tensor<512x512xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x512xf32>) -> tensor<4x512xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x512xf32>, tensor<512x512xf32>) outs(%f : tensor<4x512xf32>) -> tensor<4x512xf32>
  return %y : tensor<4x512xf32>
}
"""
X = np.random.default_rng(1).standard_normal((4, 512), F32)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """An artifact as bytes, and what it computes."""
    path = tmp_path_factory.mktemp("shared") / "program.mlir"
    path.write_text(PROGRAM)
    module = qcc.compile(str(path), weights="random:7")
    module.save(str(path.with_suffix(".so")))
    return path.with_suffix(".so").read_bytes(), module.function()(X)


def written(folder, data):
    path = folder / "changed.so"
    path.write_bytes(data)
    return str(path)


def test_undamaged(saved, tmp_path):
    function = qcc.load(written(tmp_path, saved[0]), share_weights=True).function(threads=2)
    for _ in range(2):
        np.testing.assert_array_equal(function(X), saved[1])


@pytest.mark.parametrize("place", [-1, -512 * 512 * 4, -100000])
def test_damaged_weights(saved, tmp_path, place):
    """No run computes with them, and loading alone does not read them."""
    data = bytearray(saved[0])
    data[place] ^= 4
    path = written(tmp_path, data)
    with pytest.raises(qcc.CorruptArtifactError, match="its contents do not match their hash"):
        qcc.load(path)
    function = qcc.load(path, share_weights=True).function()
    for _ in range(2):
        with pytest.raises(qcc.CorruptArtifactError, match="its weights, which were not read when it was loaded, are damaged"):
            function(X)
    module = qcc.load(path, share_weights=True)
    assert module.function().arguments[0].shape == (4, 512)
    for _ in range(2):
        with pytest.raises(qcc.CorruptArtifactError, match="are damaged"):
            module.check_health()


def test_damaged_code(saved, tmp_path):
    """Everything before the weights is read before it is mapped: each byte of it counts."""
    code = len(saved[0]) - 512 * 512 * 4
    for place in [*range(0, code, 97), code - 1]:
        data = bytearray(saved[0])
        data[place] ^= 16
        with pytest.raises(qcc.Error):
            qcc.load(written(tmp_path, data), share_weights=True)


def test_forked_during_the_check(saved, tmp_path):
    """A child of fork reads the weights on its own; nobody waits for another's check."""
    module = qcc.load(written(tmp_path, saved[0]), share_weights=True)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if np.array_equal(module.function(threads=1)(X), saved[1]) else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(module.function(threads=1)(X), saved[1])


def test_truncated(saved, tmp_path):
    with pytest.raises(qcc.CorruptArtifactError, match="it is truncated or damaged"):
        qcc.load(written(tmp_path, saved[0][:-1]), share_weights=True)
