#!/usr/bin/env python3
"""Measures transposed convolutions beside ONNX Runtime, on one thread.

    utils/bench-transposed.py                       # in float32
    utils/bench-transposed.py --quantized           # between convolutions of a quantized network
    utils/bench-transposed.py --filter=k4 --rounds=3

Both sides run the same ONNX model. In each round they take turns, in alternating order; a turn is the median of the calls
of --seconds. The table has the medians of the turns, and of the ratios within a round: above 1 qcc is faster.
docs/Benchmarking.md says more.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("QCC_LIBRARY_PATH", str(ROOT / "build/release/lib"))
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import qcc  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402

#: (channels, results, sizes of the image, kernel, stride, padding, output padding)
SHAPES = [
    (256, 128, (16, 16), 2, 2, 0, 0), (128, 64, (32, 32), 2, 2, 0, 0), (64, 32, (64, 64), 2, 2, 0, 0),
    (32, 16, (128, 128), 2, 2, 0, 0), (256, 128, (16, 16), 4, 2, 1, 0), (64, 32, (64, 64), 4, 2, 1, 0),
    (16, 16, (128, 128), 4, 2, 1, 0), (128, 64, (32, 32), 3, 2, 1, 1), (32, 16, (128, 128), 3, 2, 1, 1),
    (256, 128, (375,), 2, 2, 0, 0), (64, 32, (1500,), 4, 2, 1, 0), (64, 32, (1500,), 8, 4, 2, 0),
]


def name_of(shape):
    """"64x64x64-32k4s2p1", as Benchmarking.md names convolutions; `o` is the output padding."""
    c, m, sizes, k, s, p, o = shape
    return f"{'x'.join(map(str, sizes))}x{c}-{m}k{k}s{s}" + (f"p{p}" if p else "") + (f"o{o}" if o else "")


class Graph:
    def __init__(self, seed=0):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants = [], []

    def constant(self, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, op, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def weight(self, shape, quantized):
        if not quantized:
            return self.constant(self.random.standard_normal(shape).astype(np.float32))
        values = self.random.integers(-127, 128, shape).astype(np.int8)
        return self.node("DequantizeLinear", *map(self.constant, (values, np.float32(0.01), np.int8(0))))

    def quantized(self, x):
        """The value as bytes, and as floats again."""
        parameters = [self.constant(value) for value in (np.float32(0.1), np.uint8(0))]
        return self.node("DequantizeLinear", self.node("QuantizeLinear", x, *parameters), *parameters)

    def convolution(self, x, channels, results, rank):
        """A convolution by 1, a relu and the quantization of its result."""
        weight = self.weight((results, channels, *[1] * rank), True)
        return self.quantized(self.node("Relu", self.node("Conv", x, weight)))


def model_of(shape, quantized):
    """A model of one transposed convolution with a bias; a quantized one stands between two convolutions, as in a network."""
    c, m, sizes, k, s, p, o = shape
    graph, rank = Graph(), len(sizes)
    channels = 4 if quantized else c
    x = "x"
    if quantized:
        x = graph.convolution(graph.quantized(x), channels, c, rank)
    bias = graph.constant(graph.random.standard_normal(m).astype(np.float32))
    y = graph.node("ConvTranspose", x, graph.weight((c, m, *[k] * rank), quantized), bias, strides=[s] * rank,
                   pads=[p] * 2 * rank, output_padding=[o] * rank)
    if quantized:
        y = graph.convolution(graph.quantized(graph.node("Relu", y)), m, channels, rank)
    array = np.abs(graph.random.standard_normal((1, channels, *sizes))).astype(np.float32)
    info = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, array.shape)
    result = helper.make_empty_tensor_value_info(y)
    body = helper.make_graph(graph.nodes, "bench", [info], [result], graph.constants)
    return helper.make_model(body, ir_version=10, opset_imports=[helper.make_opsetid("", 19)]).SerializeToString(), array


def turn(call, seconds):
    call()
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def measure(shape, options):
    data, x = model_of(shape, options.quantized)
    function = qcc.compile(data).function(threads=1)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(data, settings, providers=["CPUExecutionProvider"])
    calls = [lambda: function(x), lambda: session.run(None, {"x": x})]
    ours, theirs = np.asarray(calls[0]()), calls[1]()[0]
    # Without VNNI the sums of quantized convolutions of ONNX Runtime saturate.
    if ours.shape != theirs.shape or not (options.quantized or np.allclose(ours, theirs, rtol=1e-3, atol=1e-3)):
        sys.exit(f"{name_of(shape)}: the results differ")
    rounds = []
    for i in range(options.rounds):
        times = [turn(call, options.seconds) for call in (calls if i % 2 == 0 else calls[::-1])]
        rounds.append(times if i % 2 == 0 else times[::-1])
    mine, peer = zip(*rounds)
    return statistics.median(mine), statistics.median(peer), statistics.median(b / a for a, b in rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quantized", action="store_true", help="int8 instead of float32")
    parser.add_argument("--filter", default="", help="only shapes whose name has this text")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each turn")
    options = parser.parse_args()
    print(f"| shape | qcc, ms | ONNX Runtime {onnxruntime.__version__}, ms | ratio |\n| --- | --- | --- | --- |")
    ratios = []
    for shape in SHAPES:
        if options.filter not in name_of(shape):
            continue
        ours, theirs, ratio = measure(shape, options)
        ratios.append(ratio)
        print(f"| {name_of(shape)} | {ours * 1e3:.3f} | {theirs * 1e3:.3f} | {ratio:.2f} |", flush=True)
    if not ratios:
        sys.exit(f"no shape has {options.filter!r} in its name")
    print(f"\nGeometric mean of the ratios {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}.")


if __name__ == "__main__":
    main()
