"""LpNormalization, LRN and CumProd of ONNX against numpy, and refusals."""

import numpy as np
import pytest

import program
from onnx_model import Model

RANDOM = np.random.default_rng(4)


def run(tmp_path, op, x, dims=None, opset=27, operands=(), **attributes):
    graph = Model(opset)
    names = [graph.input("x", x, dims)] + [graph.constant(f"c{i}", y) for i, y in enumerate(operands)]
    return graph.run(tmp_path, [graph.node(op, names, **attributes)])[0]


@pytest.mark.parametrize("dims", [None, ["a", "b", 5]])
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lp_normalization(axis, p, dims, tmp_path, compiler):
    """0 where all elements are."""
    x = RANDOM.standard_normal((3, 4, 5)).astype(np.float32)
    x[np.s_[:, 1, 2] if axis == 0 else np.s_[1, :, 2] if axis == 1 else np.s_[1, 2]] = 0
    norm = np.linalg.norm(x.astype(np.float64), p, axis=axis, keepdims=True)
    right = np.divide(x, norm, out=np.zeros(x.shape), where=norm != 0)
    y = run(tmp_path, "LpNormalization", x, dims, 22, axis=axis, p=p)
    np.testing.assert_allclose(y, right, rtol=1e-5, atol=1e-7)
    assert not y[np.broadcast_to(norm == 0, x.shape)].any()


@pytest.mark.parametrize("shape, dims", [((2, 7, 4, 3), None), ((2, 7, 4, 3), ["n", 7, "h", "w"]), ((2, 7, 4, 3), ["n", "c", "h", 3]),
                                         ((3, 5), None), ((1, 3, 6), ["n", 3, "l"])])
@pytest.mark.parametrize("size", [1, 4, 5])
def test_lrn(size, shape, dims, tmp_path, compiler):
    """More channels behind than before each where their number is even."""
    x = RANDOM.uniform(-3, 3, shape).astype(np.float32)
    squares = np.pad(x.astype(np.float64) ** 2, [(0, 0), ((size - 1) // 2, size // 2)] + [(0, 0)] * (x.ndim - 2))
    total = sum(squares[:, i:i + shape[1]] for i in range(size))
    for opset, attributes in ((11, {}), (13, dict(alpha=0.3, beta=0.6, bias=2.0))):
        given = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0, **attributes}
        right = x / (given["bias"] + given["alpha"] / size * total) ** given["beta"]
        y = run(tmp_path, "LRN", x, dims, opset, size=size, **attributes)
        np.testing.assert_allclose(y, right, rtol=1e-5)


@pytest.mark.parametrize("dims", [None, ["m", "n"]])
@pytest.mark.parametrize("kind", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cum_prod(reverse, exclusive, kind, dims, tmp_path, compiler):
    x = RANDOM.integers(-4, 5, (3, 6)).astype(kind)
    right = np.ones_like(x)
    order = range(5, -1, -1) if reverse else range(6)
    product = np.ones(3, kind)
    for i in order:
        right[:, i] = product if exclusive else product * x[:, i]
        product = product * x[:, i]
    y = run(tmp_path, "CumProd", x, dims, 26, [np.array(-1)], exclusive=exclusive, reverse=reverse)
    program.assert_same_bits(y, right)


def test_half_precision_is_that_of_float32(tmp_path, compiler):
    x = RANDOM.uniform(0.5, 1.5, (2, 9, 3)).astype(np.float16)
    for op, operands, attributes in (("LpNormalization", [], dict(axis=1)), ("LRN", [], dict(size=3)),
                                     ("CumProd", [np.array(1)], {})):
        wide = run(tmp_path, op, x.astype(np.float32), operands=operands, **attributes)
        program.assert_same_bits(run(tmp_path, op, x, operands=operands, **attributes), wide.astype(np.float16), op)


@pytest.mark.parametrize("op, kind, message, attributes", [
    ("LpNormalization", np.float32, "has p = 3, which is not defined; use 1 or 2", dict(p=3)),
    ("LpNormalization", np.float32, "names the axis 4 of a value with 2 dimensions; correct the axis", dict(axis=4)),
    ("LpNormalization", np.float64, "does not take float64", {}),
    ("LRN", np.float32, "has a size that is not positive, or no channels; correct the node", dict(size=0)),
    ("LRN", np.int32, r"has elements of int32 in input 0 \('X'\), which takes float16", dict(size=3)),
])
def test_refusals(op, kind, message, attributes, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        run(tmp_path, op, np.ones((2, 3), kind), **attributes)
