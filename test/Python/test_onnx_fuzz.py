"""Random ONNX models against numpy and, where it is installed, ONNX Runtime, bit for bit: of one op on integers, and
quantized ones of many ops.

QCC_ONNX_SEEDS says how many of each; docs/Testing.md has the command for 2,000.
"""

import collections
import os

import numpy as np
import pytest
from onnx import numpy_helper

import fuzz_onnx_graph
import program
from fuzz_onnx import FAMILIES, draw
from package import qcc

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

SEEDS = int(os.environ.get("QCC_ONNX_SEEDS") or 5 * len(FAMILIES))
GRAPHS = int(os.environ.get("QCC_ONNX_SEEDS") or 80)
SHARDS = 8


def is_exact_there(model):
    """Whether ONNX Runtime multiplies bytes exactly: its kernels for processors without VNNI add pairs of products of uint8 and
    int8 in 16 bits, which saturate. Those of uint8 alone do not."""
    if {"cascadelake", "alderlake"} & set(program.host_cpus()):
        return True
    takes_bytes = any(node.op_type in ("MatMulInteger", "QLinearMatMul", "ConvInteger", "QLinearConv") for node in model.nodes)
    arrays = [*model.arrays, *(numpy_helper.to_array(constant) for constant in model.constants)]
    return not takes_bytes or all(array.dtype != np.int8 for array in arrays if array.ndim > 1)


def check(results, case, what):
    for i, (actual, expected) in enumerate(zip(results, case.expected)):
        program.assert_same_bits(np.asarray(actual), np.asarray(expected), f"{what}, result {i}")


def run_here(data, arrays):
    """The results for each processor that this host can be."""
    for target in program.host_cpus():
        results = qcc.compile(data, target=target).function()(*arrays)
        yield target, results if isinstance(results, tuple) else (results,)


def run_there(data, names, arrays):
    """The results of ONNX Runtime without optimizations, or None where it does not have the op for these types."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        return session.run(None, dict(zip(names, arrays)))
    except Exception:  # whatever it raises
        return None


@pytest.mark.parametrize("shard", range(SHARDS))
def test_bits(shard, compiler):
    counts, there = collections.Counter(), 0
    for seed in range(shard, SEEDS, SHARDS):
        name, case = draw(seed)
        data, arrays = case.model.model(case.outputs).SerializeToString(), case.model.arrays
        for target, results in run_here(data, arrays):
            check(results, case, f"{name}, seed {seed}, {target}")
        counts[name] += 1
        if onnxruntime and case.has_peer and is_exact_there(case.model):
            peer = run_there(data, [info.name for info in case.model.inputs], arrays)
            check(peer or (), case, f"{name}, seed {seed}, ONNX Runtime")
            there += peer is not None
    print(f"{sum(counts.values())} models have the bits of numpy, {there} also in ONNX Runtime: {dict(counts)}")
    assert SEEDS < 5 * len(FAMILIES) or len(counts) > len(set(FAMILIES)) / 2


def check_values(results, expected, what):
    """A zero may have either sign."""
    assert len(results) == len(expected), what
    for i, (actual, wanted) in enumerate(zip(results, expected)):
        actual = np.asarray(actual)
        assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape), f"{what}, result {i}"
        differ = np.argwhere(actual != wanted)
        assert not len(differ), (f"{what}, result {i}: {len(differ)} of {actual.size} elements differ, first at {differ[0]}: "
                                 f"{actual[tuple(differ[0])]}, expected {wanted[tuple(differ[0])]}")


@pytest.mark.parametrize("shard", range(SHARDS))
def test_graphs(shard, compiler):
    nodes, there = 0, 0
    for seed in range(shard, GRAPHS, SHARDS):
        model, outputs, expected = fuzz_onnx_graph.draw(seed)
        data = model.model(outputs).SerializeToString()
        for target, results in run_here(data, model.arrays):
            check_values(results, expected, f"graph {seed}, {target}")
        nodes += len(model.nodes)
        has_peer = onnxruntime and is_exact_there(model)
        peer = run_there(data, [info.name for info in model.inputs], model.arrays) if has_peer else None
        if peer is not None:
            check_values(peer, expected, f"graph {seed}, ONNX Runtime")
            there += 1
    print(f"{len(range(shard, GRAPHS, SHARDS))} graphs of {nodes} nodes have the values of float64, {there} also in ONNX Runtime")
    assert nodes > 2 * len(range(shard, GRAPHS, SHARDS))
