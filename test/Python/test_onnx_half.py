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
