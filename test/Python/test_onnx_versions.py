"""Ops whose meaning or whose inputs ONNX changed, in both forms, against numpy."""

import numpy as np
import pytest

import program
from onnx_model import Model

X = np.random.default_rng(3).uniform(-2, 2, (2, 3, 4)).astype(np.float32)
I64 = np.int64


def softmax(x, axes):
    e = np.exp(x.astype(np.float64) - x.max(axis=axes, keepdims=True))
    return (e / e.sum(axis=axes, keepdims=True)).astype(np.float32)


def run(tmp_path, opset, op, inputs=(), x=X, outputs=1, **attributes):
    """`inputs` are constants after x."""
    model = Model(opset)
    names = [model.input("x", x)]
    names += [model.constant(f"c{i}", array) if array is not None else ""
              for i, array in enumerate(inputs)]
    y = model.node(op, names, outputs, **attributes)
    return model.run(tmp_path, [y] if outputs == 1 else y)


@pytest.mark.parametrize("opset, attributes, axes", [
    (11, {}, (1, 2)), (11, {"axis": 0}, (0, 1, 2)), (11, {"axis": -1}, (2,)),
    (12, {"axis": 2}, (2,)), (13, {}, (2,)), (13, {"axis": 0}, (0,)), (20, {"axis": 1}, (1,))])
def test_softmax(opset, attributes, axes, tmp_path, compiler):
    (y,) = run(tmp_path, opset, "Softmax", **attributes)
    np.testing.assert_allclose(y, softmax(X, axes), rtol=1e-5)
    (y,) = run(tmp_path, opset, "LogSoftmax", **attributes)
    np.testing.assert_allclose(y, np.log(softmax(X, axes)), rtol=1e-4, atol=1e-5)


def test_axes_are_attributes_and_inputs(tmp_path, compiler):
    x = X[:, None]
    for opset, given in ((11, dict(axes=[1])), (13, dict(inputs=[np.array([1], I64)]))):
        (y,) = run(tmp_path, opset, "Squeeze", x=x, **given)
        program.assert_same_bits(y, X)
        (y,) = run(tmp_path, opset, "Unsqueeze", **given)
        program.assert_same_bits(y, x)
        (y,) = run(tmp_path, opset, "ReduceSum", keepdims=0, **given)
        np.testing.assert_allclose(y, X.sum(axis=1), rtol=1e-5)
    for opset, given in ((13, dict(axes=[-1, 0])), (18, dict(inputs=[np.array([0, 2], I64)]))):
        (y,) = run(tmp_path, opset, "ReduceMean", **given)
        np.testing.assert_allclose(y, X.mean(axis=(0, 2), keepdims=True), rtol=1e-5)
        (y,) = run(tmp_path, opset, "ReduceMax", **given)
        program.assert_same_bits(y, X.max(axis=(0, 2), keepdims=True))


def test_split(tmp_path, compiler):
    parts = [X[..., :1], X[..., 1:]]
    for opset, given in ((11, dict(split=[1, 3])), (13, dict(inputs=[np.array([1, 3], I64)]))):
        for y, expected in zip(run(tmp_path, opset, "Split", outputs=2, axis=-1, **given), parts):
            program.assert_same_bits(y, expected)
    # The last of equal parts may be smaller since opset 18.
    for y, expected in zip(run(tmp_path, 18, "Split", outputs=2, axis=1, num_outputs=2),
                           [X[:, :2], X[:, 2:]]):
        program.assert_same_bits(y, expected)


@pytest.mark.parametrize("low, high", [(-1.0, 0.5), (None, 0.5), (-1.0, None), (None, None)])
def test_clip(low, high, tmp_path, compiler):
    bounds = [None if v is None else np.float32(v) for v in (low, high)]
    (y,) = run(tmp_path, 13, "Clip", inputs=bounds)
    expected = X
    if low is not None:
        expected = np.maximum(expected, np.float32(low))
    if high is not None:
        expected = np.minimum(expected, np.float32(high))
    program.assert_same_bits(y, expected)


@pytest.mark.parametrize("shape, allowzero, expected", [
    ([0, -1], 0, (2, 12)), ([-1], 0, (24,)), ([4, 0, -1], 0, (4, 3, 2)), ([2, 1, 12, 1], 1, (2, 1, 12, 1))])
def test_reshape(shape, allowzero, expected, tmp_path, compiler):
    (y,) = run(tmp_path, 14, "Reshape", inputs=[np.array(shape, I64)], allowzero=allowzero)
    program.assert_same_bits(y, X.reshape(expected))


def test_resize_before_and_after_sizes(tmp_path, compiler):
    x = X[None]
    wide = x.repeat(2, axis=2).repeat(3, axis=3)
    for inputs in ([None, np.float32([1, 1, 2, 3])], [None, None, np.array([1, 2, 6, 12], I64)]):
        (y,) = run(tmp_path, 13, "Resize", x=x, inputs=inputs, mode="nearest",
                   coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        program.assert_same_bits(y, wide)


@pytest.mark.parametrize("op, function", [("And", np.logical_and), ("Or", np.logical_or),
                                          ("Xor", np.logical_xor)])
def test_booleans(op, function, tmp_path, compiler):
    x, y = np.array([[False, True]]), np.array([[False], [True], [True]])
    model = Model()
    names = [model.input("x", x), model.input("y", y)]
    z = model.node(op, names)
    both, negated = model.run(tmp_path, [z, model.node("Not", [z])])
    program.assert_same_bits(both, function(x, y))
    program.assert_same_bits(negated, ~function(x, y))


@pytest.mark.parametrize("opset, inputs", [(11, ()), (12, (np.array(0.3, np.float32),)),
                                           (13, (np.array(0.3, np.float32), np.array(False)))])
def test_dropout_keeps_all(opset, inputs, tmp_path, compiler):
    y, mask = run(tmp_path, opset, "Dropout", inputs, outputs=2)
    program.assert_same_bits(y, X)
    program.assert_same_bits(mask, np.ones_like(X, bool))


def test_dropout_in_training_is_refused(tmp_path, compiler):
    with pytest.raises(AssertionError, match="is in training, which is not supported; export the model for inference"):
        run(tmp_path, 13, "Dropout", (np.array(0.3, np.float32), np.array(True)), outputs=2)
    graph = Model(13)
    names = [graph.input("x", X), "", graph.input("t", np.array(False))]
    with pytest.raises(AssertionError, match="may be in training, which is not supported; make training_mode the constant"):
        graph.run(tmp_path, [graph.node("Dropout", names)])
