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
    "sin": (0.51, np.sin, (-1e5, 1e5)),
    "cos": (0.51, np.cos, (-1e5, 1e5)),
    "tan": (0.51, np.tan, (-1e5, 1e5)),
    "asin": (0.51, np.arcsin, (-1.0, 1.0)),
    "acos": (0.51, np.arccos, (-1.0, 1.0)),
    "atan": (0.51, np.arctan, (-30.0, 30.0)),
    "sinh": (0.51, np.sinh, (-89.0, 89.0)),
    "cosh": (0.51, np.cosh, (-89.0, 89.0)),
    "asinh": (0.51, np.arcsinh, (-100.0, 100.0)),
    "acosh": (0.51, np.arccosh, (1.0, 1e38)),
    "atanh": (0.51, np.arctanh, (-0.9999999, 0.9999999)),
    "expm1": (0.51, np.expm1, (-90.0, 88.0)),
    "log1p": (0.51, np.log1p, (-0.9999999, 100.0)),
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
    assert error(y, exact(x.astype(np.float64 if name == "erf" else np.longdouble))) <= bound


def error(y, truth):
    """The largest distance, in units of the last place there."""
    ulp = np.spacing(np.abs(truth).astype(np.float32)).astype(np.float64)
    return np.max(np.abs(y - truth) / ulp)


def test_document_of_powers():
    rng = np.random.default_rng(31)
    x = np.exp(rng.uniform(-5, 5, 100000)).astype(np.float32)
    y = rng.uniform(-16, 16, 100000).astype(np.float32)
    truth = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    assert error(float_library.apply("powf", x, y).astype(np.longdouble), truth) <= 0.51


def test_document_of_large_angles():
    """Of every binary exponent, where a period is far less than an ulp."""
    bits = np.arange(0x3F000000, 0x7F800000, 4999, dtype=np.uint32)
    x = bits.view(np.float32)
    for name, exact in (("sin", np.sin), ("cos", np.cos), ("tan", np.tan)):
        y = float_library.apply(name, x).astype(np.longdouble)
        assert error(y, exact(x.astype(np.longdouble))) <= 0.51


#: Numbers that functions treat in ways of their own.
ENDS = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3e38, -3e38, 1e-45, -1e-45], np.float32)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if FUNCTIONS[name][0] == 0.51])
def test_document_at_the_ends_of_wide_functions(name):
    """Those of C, also the sign of zero."""
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name][1](ENDS.astype(np.float64)).astype(np.float32)
    assert_same(float_library.apply(name, ENDS), exact)


EXPONENTS = np.array([3, -3, 2.5, -2.5, 16777217, 33554433, 1e30, -1e30], np.float32)


def powers():
    """Every pair of numbers that are special to a base or to an exponent."""
    x, y = np.meshgrid(ENDS, np.concatenate([ENDS, EXPONENTS]))
    return x.ravel(), y.ravel()


def assert_same(a, b):
    assert ((a.view(np.int32) == b.view(np.int32)) | (np.isnan(a) & np.isnan(b))).all()


def test_document_at_the_ends_of_powers():
    x, y = powers()
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    assert_same(float_library.apply("powf", x, y), exact)


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


def test_powers(target, tmp_path):
    rng = np.random.default_rng(32)
    x, y = powers()
    x = np.concatenate([x, rng.uniform(-4, 4, 5000).astype(np.float32), sample()[::7]])
    y = np.concatenate([y, rng.integers(-9, 9, 2500) / 2, rng.uniform(-99, 99, len(x) - len(y) - 2500)])
    p = Program()
    y = y.astype(np.float32)
    vx, vy = p.argument("tensor<?xf32>", x), p.argument("tensor<?xf32>", y)
    result = p.op(f"math.powf {vx}, {vy} : tensor<?xf32>")
    p.result(result, "tensor<?xf32>", float_library.apply("powf", x, y))
    p.check(tmp_path, target)


def combined(name, a, b):
    """The combine of N8 of each pair, with the zeros and NaNs of N7."""
    is_maximum = name.startswith("max")
    either = np.isnan(a) | np.isnan(b)
    first = np.where(a == b, np.signbit(a) != is_maximum, (a > b) == is_maximum)
    other = np.where(np.isnan(a), b, a) if name.endswith("numf") else np.float32(np.nan)
    return np.where(either, other, np.where(first, a, b)).astype(np.float32)


@pytest.mark.parametrize("name", ["maximumf", "minimumf", "maxnumf", "minnumf"])
def test_orders(target, tmp_path, name):
    """Each pair of special numbers, many times in a row, in a column and in a window."""
    rng = np.random.default_rng(33)
    a, b = (v.ravel() for v in np.meshgrid(ENDS, ENDS))
    expected = combined(name, a, b)
    p = Program()
    init = p.argument("tensor<225xf32>", a)
    for length, dim in ((2, 1), (70, 1), (70, 0), (9, 0)):
        x = np.where(rng.integers(0, 2, (length, 225)) == 0, a, b)
        x[-1] = b
        x, shape = (x, f"{length}x225") if dim == 0 else (x.T.copy(), f"225x{length}")
        v = p.argument(f"tensor<{shape}xf32>", x)
        result = p.op(
            f"linalg.reduce {{ arith.{name} }} ins({v} : tensor<{shape}xf32>) outs({init} : tensor<225xf32>) "
            f"dimensions = [{dim}]"
        )
        p.result(result, "tensor<225xf32>", expected)
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
