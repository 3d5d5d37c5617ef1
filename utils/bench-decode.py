#!/usr/bin/env python3
"""Measures how fast one row reads weights of 4 bits, beside ONNX Runtime, llama.cpp and a loop that only reads.

Each model has as many layers MatMulNBits of one shape as fill --megabytes, so that no cache holds them. qcc, ONNX Runtime
(accuracy_level 4: both multiply int8), llama.cpp and the loop take turns. Before, results are compared with float64: qcc's
must be as near as ONNX Runtime's, or within 1 %. The exit code is 1 if they are not.

llama.cpp takes part if its wheel llama-cpp-python is installed: groups of 32, which its format Q4_0 has, in the faster of
its two layouts. Its scales have 16 bits, so it reads 0.9 of the bytes.

Usage: bench-decode.py [--shapes=4096x4096,...] [--groups=32,128] [--threads=1,2] [--rounds=9] [--json=FILE]

Shapes are columns x K. Needs onnx, onnxruntime and the Python package qcc.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import ggml_peer
import qcc

SHAPES = "4096x4096,11008x4096,4096x11008"


def make_layers(rng, n, k, size, megabytes):
    """(packed weights [N, K / G, G / 2], scales [N, K / G]) of each layer."""
    groups = k // size
    layer_bytes = n * (k // 2 + 4 * groups)
    for _ in range(max(1, round(megabytes * 1e6 / layer_bytes))):
        scales = rng.uniform(1e-3, 1e-2, (n, groups)).astype(np.float16)  # which all formats have
        yield rng.integers(0, 256, (n, groups, size // 2), dtype=np.uint8), scales.astype(np.float32)


def make_model(layers, n, k, size):
    nodes, initializers, results = [], [], []
    for i, (weight, scales) in enumerate(layers):
        initializers += [numpy_helper.from_array(weight, f"w{i}"), numpy_helper.from_array(scales, f"s{i}")]
        nodes.append(helper.make_node("MatMulNBits", ["x", f"w{i}", f"s{i}"], [f"y{i}"], domain="com.microsoft", K=k, N=n, bits=4,
                                      block_size=size, accuracy_level=4))
        results.append(helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [1, n]))
    graph = helper.make_graph(nodes, "decode", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, k])], results, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)], ir_version=10)


def codes_of(weight):
    return np.stack([weight & 15, weight >> 4], -1).reshape(len(weight), -1)


def exact(x, layer, size):
    """The product in float64."""
    weight, scales = layer
    return x.astype(np.float64) @ ((codes_of(weight) - 8.0) * np.repeat(scales.astype(np.float64), size, 1)).T


def make_llama(layers, x, threads):
    """What computes the layers by llama.cpp, for each of its layouts; nothing without its wheel."""
    if ggml_peer.find_library() is None:
        return []
    weights = [ggml_peer.blocks(codes_of(weight), scales) for weight, scales in layers]
    return [ggml_peer.Layers(weights, x, threads, repacked) for repacked in (False, True)]


def distance(result, expected):
    return float(np.abs(result - expected).max() / np.abs(expected).max())


def seconds(run, least=0.2):
    """The median time of runs for `least` seconds."""
    times = []
    while sum(times) < least or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(options, n, k, size, threads, memory):
    rng = np.random.default_rng(options.seed)
    layers = list(make_layers(rng, n, k, size, options.megabytes))
    model = make_model(layers, n, k, size).SerializeToString()
    total = sum(weight.nbytes + scales.nbytes for weight, scales in layers)
    x = rng.standard_normal((1, k), dtype=np.float32)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    function = qcc.compile(onnx.load_from_string(model)).function(threads=threads)
    expected = exact(x, layers[0], size)
    own, peer = distance(np.asarray(function(x)[0]), expected), distance(session.run(None, {"x": x})[0], expected)
    llama = make_llama(layers, x, threads) if size == ggml_peer.GROUP else []
    for layout in llama:
        layout.run()
        if distance(layout.result(), expected) > 0.02:
            raise SystemExit(f"llama.cpp: distance to float64 {distance(layout.result(), expected):.2e}")
    rounds = []
    for _ in range(options.rounds):
        rounds.append((seconds(lambda: function(x)), seconds(lambda: session.run(None, {"x": x})),
                       memory.nbytes / seconds(lambda: np.max(memory)), *(seconds(layout.run) for layout in llama)))
    times = [statistics.median(column) for column in zip(*rounds)]
    fastest = min(range(3, len(times)), key=lambda column: times[column], default=None)
    return {
        "llama_seconds": fastest and times[fastest],
        "ratio_to_llama": fastest and statistics.median(one[fastest] / one[0] for one in rounds),
        "shape": f"{n}x{k}", "group": size, "threads": threads, "layers": len(layers), "bytes": total,
        "qcc_seconds": times[0], "onnxruntime_seconds": times[1], "read_bytes_per_second": times[2],
        "share_of_reading": statistics.median(total / one[0] / one[2] for one in rounds),
        "ratio_to_onnxruntime": statistics.median(one[1] / one[0] for one in rounds),
        "qcc_distance": own, "onnxruntime_distance": peer, "is_right": own <= max(peer, 0.01),
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])

    def numbers(text):
        return [int(number) for number in text.split(",")]

    parser.add_argument("--shapes", default=SHAPES, type=lambda text: [numbers(shape.replace("x", ",")) for shape in text.split(",")])
    parser.add_argument("--groups", default="32,128", type=numbers)
    parser.add_argument("--threads", default="1", type=numbers)
    parser.add_argument("--rounds", default=9, type=int)
    parser.add_argument("--megabytes", default=100, type=float, help="of weights and scales in a model")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if options.rounds < 1 or any(len(shape) != 2 for shape in options.shapes):
        parser.error("--rounds must be 1 or more, and shapes COLUMNSxK")
    for _, k in options.shapes:
        for size in options.groups:
            if k % size or size < 16 or size & (size - 1):
                parser.error(f"groups of {size} elements: K {k} must be a multiple, and the size a power of 2 from 16 on")
    return options


def main():
    options = parse_arguments()
    memory = np.ones(256 << 20, np.uint8).view(np.uint64)
    print(f"qcc {qcc.__version__}, onnxruntime {onnxruntime.__version__}; one row")
    print("| columns x K | group | threads | qcc | reads | share of a loop that only reads (1 thread) | ONNX Runtime | its time over qcc's "
          "| llama.cpp | its time over qcc's |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    results = []
    for n, k in options.shapes:
        for size in options.groups:
            for threads in options.threads:
                one = measure(options, n, k, size, threads, memory)
                results.append(one)
                print(f"| {one['shape']} | {size} | {threads} | {one['qcc_seconds'] * 1e3:.2f} ms "
                      f"| {one['bytes'] / one['qcc_seconds'] / 1e9:.1f} GB/s | {one['share_of_reading']:.2f} "
                      f"| {one['onnxruntime_seconds'] * 1e3:.2f} ms | {one['ratio_to_onnxruntime']:.2f} "
                      + (f"| {one['llama_seconds'] * 1e3:.2f} ms | {one['ratio_to_llama']:.2f} |" if one["llama_seconds"]
                         else "| | |"), flush=True)
                if not one["is_right"]:
                    print(f"error: distance to float64 {one['qcc_distance']:.2e}, ONNX Runtime's {one['onnxruntime_distance']:.2e}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(one["is_right"] for one in results) else 1


if __name__ == "__main__":
    sys.exit(main())
