"""Operator sets 9 and 10, in which inputs of today were attributes."""

import numpy as np
import pytest

import onnx_peer
import program
from onnx_model import Model
from test_onnx_composed import uniform

F32, I64 = np.float32, np.int64


def old(tmp_path, op, x, *constants, opset=9, outputs=1, **attributes):
    model = Model(opset)
    names = [model.input("x", x), *(model.constant(f"c{i}", array) for i, array in enumerate(constants))]
    y = model.node(op, names, outputs, **attributes)
    results = model.run(tmp_path, [y] if outputs == 1 else y)
    # The mask of a Dropout that keeps all elements is not defined.
    if op != "Dropout":
        onnx_peer.check(tmp_path, model.arrays, results)
    return results


@pytest.mark.parametrize("bounds", [{}, {"min": -0.5}, {"max": 0.75}, {"min": -0.5, "max": 0.75}])
def test_clip(bounds, tmp_path, compiler):
    x = uniform(3, 4)
    (y,) = old(tmp_path, "Clip", x, **bounds)
    program.assert_same_bits(y, np.clip(x, F32(bounds.get("min", -9)), F32(bounds.get("max", 9))))


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
def test_pad(mode, tmp_path, compiler):
    x = uniform(3, 5)
    (y,) = old(tmp_path, "Pad", x, mode=mode, pads=[1, 2, 0, 3], **({"value": 1.5} if mode == "constant" else {}))
    extra = {"constant_values": F32(1.5)} if mode == "constant" else {}
    program.assert_same_bits(y, np.pad(x, [(1, 0), (2, 3)], mode, **extra))


@pytest.mark.parametrize("p", [1, 2, 3])
def test_lp_pool(p, tmp_path, compiler):
    x = uniform(1, 2, 6, 5)
    (y,) = old(tmp_path, "LpPool", x, kernel_shape=[2, 3], strides=[2, 1], p=p)
    windows = np.lib.stride_tricks.sliding_window_view(np.abs(x.astype(np.float64)), (2, 3), (2, 3))[:, :, ::2]
    np.testing.assert_allclose(y, (windows ** p).sum((-2, -1)) ** (1 / p), rtol=1e-5)


@pytest.mark.parametrize("opset", [9, 10])
def test_slice(opset, tmp_path, compiler):
    x, parts = uniform(6, 7, 8), {"starts": [1, -3], "ends": [2**62, -1], "axes": [0, 2]}
    if opset == 9:
        (y,) = old(tmp_path, "Slice", x, **parts)
        program.assert_same_bits(y, x[1:, :, -3:-1])
        (y,) = old(tmp_path, "Slice", x, starts=[1, 2], ends=[3, 100])
        program.assert_same_bits(y, x[1:3, 2:])
    else:
        inputs = [np.array(part, I64) for part in parts.values()]
        (y,) = old(tmp_path, "Slice", x, *inputs, np.array([2, 1], I64), opset=10)
        program.assert_same_bits(y, x[1::2, :, -3:-1])


@pytest.mark.parametrize("opset", [9, 10])
def test_top_k(opset, tmp_path, compiler):
    x = uniform(4, 9)
    count = [] if opset == 9 else [np.array([3], I64)]
    values, places = old(tmp_path, "TopK", x, *count, opset=opset, outputs=2, axis=1, **({"k": 3} if opset == 9 else {}))
    order = np.argsort(-x, axis=1, kind="stable")[:, :3]
    program.assert_same_bits(places, order.astype(I64))
    program.assert_same_bits(values, np.take_along_axis(x, order, 1))


def resized(x, scales, mode):
    """Along each dimension: at i / scale; an image that gets smaller has the element behind as its nearest."""
    for d, scale in enumerate(scales):
        size = int(np.floor(x.shape[d] * F32(scale)))
        places = np.arange(size) / np.float64(F32(scale))
        if mode == "nearest":
            rounded = np.floor(places) if scale >= 1 else np.ceil(places)
            x = np.take(x, np.minimum(rounded.astype(int), x.shape[d] - 1), axis=d)
        elif scale != 1:
            low = np.minimum(np.floor(places).astype(int), x.shape[d] - 1)
            high = np.minimum(low + 1, x.shape[d] - 1)
            part = (places - low).reshape([-1 if k == d else 1 for k in range(x.ndim)])
            x = np.take(x, low, axis=d) * (1 - part) + np.take(x, high, axis=d) * part
    return x


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("op, opset, scales", [
    ("Upsample", 9, [1, 1, 2, 3]), ("Upsample", 9, [1, 1, 1.5, 2]), ("Resize", 10, [1, 1, 2, 2]),
    ("Resize", 10, [1, 1, 0.5, 0.6]), ("Resize", 10, [1, 1, 2.5, 0.5])])
def test_resize(mode, op, opset, scales, tmp_path, compiler):
    x = uniform(1, 2, 5, 6)
    (y,) = old(tmp_path, op, x, np.array(scales, F32), opset=opset, mode=mode)
    np.testing.assert_allclose(y, resized(x, scales, mode), rtol=1e-5, atol=1e-6)


def test_upsample_is_no_op_of_later_sets(tmp_path, compiler):
    with pytest.raises(AssertionError, match="is no op of operator set 10 and later ones; use Resize"):
        old(tmp_path, "Upsample", uniform(1, 1, 2, 2), np.array([1, 1, 2, 2], F32), opset=10)


@pytest.mark.parametrize("op, missing", [("Slice", "starts"), ("Pad", "pads"), ("TopK", "k")])
def test_attributes_that_are_missing(op, missing, tmp_path, compiler):
    with pytest.raises(AssertionError, match=f"lacks the attribute '{missing}'"):
        old(tmp_path, op, uniform(3, 4), outputs=2 if op == "TopK" else 1)


def test_other_ops(tmp_path, compiler):
    """A mask of Dropout is of floats; Softmax is that of all elements from its axis on."""
    x = uniform(2, 3, 4)
    y, mask = old(tmp_path, "Dropout", x, outputs=2, ratio=0.5)
    program.assert_same_bits(y, x)
    program.assert_same_bits(mask, np.ones_like(x))
    (y,) = old(tmp_path, "Softmax", x, axis=1)
    e = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(y, e / e.sum(axis=(1, 2), keepdims=True), rtol=1e-5)
    (y,) = old(tmp_path, "Squeeze", x.reshape(2, 1, 3, 4), axes=[1])
    program.assert_same_bits(y, x)
    (y,) = old(tmp_path, "ReduceMean", x, axes=[2], keepdims=0)
    np.testing.assert_allclose(y, x.mean(axis=2), rtol=1e-5, atol=1e-6)
    (y,) = old(tmp_path, "Scatter", x, np.zeros((2, 1, 4), I64), uniform(2, 1, 4), axis=1)
    assert (y[:, 1:] == x[:, 1:]).all() and not (y[:, 0] == x[:, 0]).any()
