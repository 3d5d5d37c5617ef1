"""ONNX nodes of float16 and bfloat16 that sum: computed in float32, and rounded once."""

import numpy as np
import pytest

import program
from onnx_model import Model


def run(tmp_path, op, inputs, half, outputs=1, **attributes):
    """The results, as float16, for values of float16: computed in that type, or in float32 and rounded."""
    graph = Model()
    names = [graph.input(f"x{i}", x if half else x.astype(np.float32)) for i, x in enumerate(inputs)]
    results = graph.node(op, names, outputs, **attributes)
    arrays = graph.run(tmp_path, [results] if outputs == 1 else results)
    return [array.astype(np.float16) for array in arrays]


def random(*shape):
    return np.random.default_rng(3).standard_normal(shape).astype(np.float16)


CASES = {
    "MatMul": ([random(3, 200), random(200, 5)], {}),
    "Gemm": ([random(3, 200), random(5, 200), random(5)], dict(transB=1, alpha=0.5)),
    "Conv": ([random(1, 8, 6, 6), random(4, 8, 3, 3), random(4)], dict(pads=[1] * 4)),
    "ConvTranspose": ([random(1, 8, 4, 4), random(8, 3, 2, 2)], dict(strides=[2, 2])),
    "Einsum": ([random(4, 90), random(90, 2)], dict(equation="ij,jk->ik")),
    "Softmax": ([random(4, 50)], {}),
    "LogSoftmax": ([random(4, 50)], {}),
    "InstanceNormalization": ([random(2, 3, 40), random(3), random(3)], {}),
    "ReduceMean": ([random(4, 99)], {}),
    "ReduceL2": ([random(4, 99)], {}),
    "AveragePool": ([random(1, 2, 9, 9)], dict(kernel_shape=[3, 3])),
    "LSTM": ([random(4, 2, 6), random(1, 20, 6), random(1, 20, 5), random(1, 40)], dict(hidden_size=5, outputs=3)),
    "GRU": ([random(4, 2, 6), random(1, 15, 6), random(1, 15, 5), random(1, 30)], dict(hidden_size=5, outputs=2)),
    "Resize": ([random(1, 2, 5, 5)], dict(scales=[1, 1, 2, 1.5], mode="linear")),
}


@pytest.mark.parametrize("op", CASES)
def test_sums_are_those_of_float32(op, tmp_path, compiler):
    inputs, attributes = CASES[op]
    results = []
    for half in (True, False):
        options = dict(attributes)
        if "scales" in options:
            graph = Model()
            x = graph.input("x", inputs[0] if half else inputs[0].astype(np.float32))
            scales = graph.constant("s", np.array(options.pop("scales"), np.float32))
            results.append([y.astype(np.float16) for y in graph.run(
                tmp_path, [graph.node(op, [x, "", scales], **options)])])
        else:
            results.append(run(tmp_path, op, inputs, half, **options))
    for actual, expected in zip(*results):
        program.assert_same_bits(actual, expected)


def test_statistics_of_a_normalization_are_float32(tmp_path, compiler):
    x = random(3, 64)
    graph = Model()
    names = [graph.input("x", x), graph.constant("s", np.ones(64, np.float16))]
    y, mean, _ = graph.node("LayerNormalization", names, 3)
    y, mean = graph.run(tmp_path, [y, mean])
    assert y.dtype == np.float16 and mean.dtype == np.float32
    np.testing.assert_allclose(mean[:, 0], x.astype(np.float64).mean(axis=1), rtol=0, atol=1e-6)


@pytest.mark.parametrize("per_channel", [False, True])
def test_scales_of_float16(per_channel, tmp_path, compiler):
    """As in float32 with the same scale, like ONNX Runtime; the result of DequantizeLinear is rounded once."""
    rows = np.arange(2 ** 16, dtype=np.uint16).view(np.float16).reshape(4, -1)
    scale = np.array([0.0123, 0.5, 2.5, 300], np.float16)
    zero = np.array([3, 128, 0, 255], np.uint8)
    shape = (4, 1)
    if not per_channel:
        scale, zero, shape = scale[0], zero[0], ()
    graph = Model()
    names = [graph.constant("s", scale), graph.constant("z", zero)]
    q = graph.node("QuantizeLinear", [graph.input("x", rows), *names], axis=0)
    y = graph.node("DequantizeLinear", [q, *names], axis=0)
    q, y = graph.run(tmp_path, [q, y])
    wide = scale.astype(np.float32).reshape(shape)
    center = zero.astype(np.float32).reshape(shape)
    with np.errstate(all="ignore"):
        scaled = np.rint(np.clip(rows.astype(np.float32) / wide, -1e6, 1e6)) + center
    expected = np.clip(np.where(np.isnan(scaled), center, scaled), 0, 255).astype(np.uint8)
    program.assert_same_bits(q, expected)
    program.assert_same_bits(y, ((expected.astype(np.float32) - center) * wide).astype(np.float16))


def test_contraction_with_scales_of_float16(tmp_path, compiler):
    """The sum is one of integers, and its result is rounded once."""
    rng = np.random.default_rng(5)
    x, w = rng.integers(-128, 128, (3, 70), np.int8), rng.integers(-127, 128, (70, 5), np.int8)
    sx, sw = np.float16(0.013), np.linspace(0.01, 0.03, 5).astype(np.float16)
    graph = Model()
    a = graph.node("DequantizeLinear", [graph.input("x", x), graph.constant("sx", sx)])
    b = graph.node("DequantizeLinear", [graph.constant("w", w), graph.constant("sw", sw)], axis=1)
    (y,) = graph.run(tmp_path, [graph.node("MatMul", [a, b])])
    factor = sx.astype(np.float32) * sw.astype(np.float32)
    expected = ((x.astype(np.int32) @ w.astype(np.int32)).astype(np.float32) * factor).astype(np.float16)
    program.assert_same_bits(y, expected)


def test_contractions_of_integers_with_scales_of_float16(tmp_path, compiler):
    """As with the float32 of the same values. QLinearConv of ONNX takes scales of float32 alone."""
    rng = np.random.default_rng(7)
    x, w = rng.integers(0, 256, (1, 40, 9), np.uint8), rng.integers(-127, 128, (9, 5), np.int8)
    results = []
    for kind in (np.float16, np.float32):
        scales = [np.array(s, np.float16).astype(kind) for s in (0.013, [0.01, 0.02, 0.03, 0.04, 0.05], 1.7)]
        graph = Model(21)
        operands = [x, scales[0], np.uint8(3), w, scales[1], np.zeros(scales[1].shape, np.int8), scales[2], np.int8(-4)]
        names = [graph.input("x", x)] + [graph.constant(f"c{i}", y) for i, y in enumerate(operands[1:])]
        results += graph.run(tmp_path, [graph.node("QLinearMatMul", names)])
    program.assert_same_bits(*results)
