"""The functions of N8: qcc against the document's steps, and the steps against binary64."""

import math

import numpy as np
import pytest

import float_library
from program import Program

# Stated bounds in ulp, and the range where they are measured here.
FUNCTIONS = {
    "exp": (1.02, np.exp, (-103.0, 88.7)),
    "tanh": (1.5, np.tanh, (-12.0, 12.0)),
    "erf": (1.25, np.vectorize(math.erf), (-5.0, 5.0)),
    "rsqrt": (1.5, lambda x: 1 / np.sqrt(x), (1e-38, 1e38)),
    "log": (1.0, np.log, (1e-44, 1e38)),
}


def sample():
    """Binary32 of every exponent and sign, and the special ones."""
    bits = np.arange(0, 1 << 32, 16381 * 2, dtype=np.uint64).astype(np.uint32)
    special = [0, 1, 0x007FFFFF, 0x00800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000]
    special += [0x3F1FFFFF, 0x3F200000, 0x3F6BFFFF, 0x3F6C0000, 0x3F2AAAAA, 0x3F2AAAAB]
    special += [b | 0x80000000 for b in special]
    near = np.arange(0x42AF0000, 0x42D30000, 997, dtype=np.uint32)
    return np.concatenate([bits, np.array(special, np.uint32), near, near | 0x80000000]).view(
        np.float32
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_document_is_accurate(name):
    bound, exact, (low, high) = FUNCTIONS[name]
    rng = np.random.default_rng(30)
    if low > 0:
        x = np.exp(rng.uniform(np.log(low), np.log(high), 40000)).astype(np.float32)
    else:
        x = rng.uniform(low, high, 40000).astype(np.float32)
        x[:20000] = (x[:20000] * 10.0 ** rng.uniform(-30, 0, 20000)).astype(np.float32)
    y = float_library.apply(name, x).astype(np.float64)
    truth = exact(x.astype(np.float64))
    ulp = np.spacing(np.abs(truth).astype(np.float32)).astype(np.float64)
    assert np.max(np.abs(y - truth) / ulp) <= bound


def test_document_at_the_ends():
    inf, nan = np.inf, np.nan

    def values(name, *x):
        return float_library.apply(name, np.array(x, np.float32)).tolist()

    assert values("exp", -inf, inf, 0.0) == [0.0, inf, 1.0]
    assert values("tanh", -inf, inf, 0.0) == [-1.0, 1.0, 0.0]
    assert values("erf", -inf, inf, 0.0) == [-1.0, 1.0, 0.0]
    assert values("rsqrt", 0.0, -0.0, inf, 4.0) == [inf, -inf, 0.0, 0.5]
    assert values("log", 0.0, -0.0, inf, 1.0) == [-inf, -inf, inf, 0.0]
    for name in FUNCTIONS:
        assert np.isnan(values(name, nan)[0])
    for name in ("log", "rsqrt"):
        assert np.isnan(values(name, -1.0)[0])


def test_functions(target, tmp_path):
    p = Program()
    x = sample()
    v = p.argument("tensor<?xf32>", x)
    for name in FUNCTIONS:
        result = p.op(f"math.{name} {v} : tensor<?xf32>")
        p.result(result, "tensor<?xf32>", float_library.apply(name, x))
    p.check(tmp_path, target)


def test_softmax(target, tmp_path):
    rng = np.random.default_rng(9)
    p = Program()
    for length in (1, 17, 70):
        x = rng.normal(0, 30, (5, length)).astype(np.float32)
        x[0, 0], x[1, 0] = np.inf, np.nan
        x[2, :] = -np.inf
        type = f"tensor<?x{length}xf32>"
        v = p.argument(type, x)
        result = p.op(f"linalg.softmax dimension(1) ins({v} : {type}) outs({v} : {type}) -> {type}")
        p.result(result, type, float_library.softmax_last(x))
    p.check(tmp_path, target)
