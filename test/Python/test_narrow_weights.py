"""Quantized weights of float products, which kernels widen as they read them, against numpy bit for bit."""

import os
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import oracle
from program import qcc, run_file, targets

f32 = np.float32
# Rows, K, columns and the size of groups; 0 is all of K. The compiler widens fewer than 65536 elements; the model
# chooses for floats that stay in the L2 cache.
SIZES = [
    (1, 512, 512, 0), (5, 521, 130, 0), (3, 640, 301, 32), (12, 512, 300, 16), (70, 1024, 129, 128),
    (70, 1024, 1040, 32), (1, 4096, 260, 64), (100, 520, 131, 0),
]
LEAST_ELEMENTS = 1 << 20
# Storage and whether there are zero points.
STORAGES = [("int8", False), ("uint8", True), ("int4", False), ("uint4", True), ("int4", True), ("uint4", False)]
ONNX_TYPES = {
    "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int4": TensorProto.INT4, "uint4": TensorProto.UINT4,
}
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int4": (-8, 7), "uint4": (0, 15)}


def initializer(name, array, storage):
    """A constant of codes."""
    return helper.make_tensor(name, ONNX_TYPES[storage], array.shape, array.astype(np.int32).flatten())


def dequantized_matmul(rng, rows, k, n, group, storage, has_zero_point):
    """A model with DequantizeLinear before MatMul, and its weight in f32."""
    low, high = RANGES[storage]
    codes = rng.integers(low, high + 1, (k, n))
    groups = k // group if group else 1
    scales = rng.uniform(0.001, 0.02, (groups, n)).astype(f32)
    zero_points = rng.integers(low, high + 1, (groups, n)) if has_zero_point else np.zeros((groups, n), int)
    size = group or k
    spread = [np.repeat(x, size, axis=0) for x in (zero_points, scales)]
    weight = (codes - spread[0]).astype(f32) * spread[1]
    squeeze = (lambda x: x) if group else (lambda x: x[0])
    constants = [initializer("w", codes, storage), numpy_helper.from_array(squeeze(scales), "s")]
    if has_zero_point:
        constants.append(initializer("z", squeeze(zero_points), storage))
    attributes = {"axis": 0, "block_size": group} if group else {"axis": 1}
    nodes = [
        helper.make_node("DequantizeLinear", [c.name for c in constants], ["f"], **attributes),
        helper.make_node("MatMul", ["x", "f"], ["y"]),
    ]
    return model(nodes, constants, rows, k, n), weight


def model(nodes, constants, rows, k, n):
    """A model of x [rows, k] and y [rows, n]."""
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, k])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, n])], constants,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def check(program, folder, rng, rows, k, weight):
    """Runs the model in each way, and compares with chains of fma in the order of K (N8); returns what explain says."""
    path = folder / "model.onnx"
    onnx.save(program, path)
    x = rng.standard_normal((rows, k)).astype(f32)
    expected = oracle.fma_chain(x, weight).view(np.int32)
    for target in targets():
        (y,) = run_file(path, folder, [x], 1, arguments=target)
        np.testing.assert_array_equal(y.view(np.int32), expected, err_msg=str(target))
    command = [qcc(), "explain", path, "--mcpu=x86-64-v3"]
    environment = {**os.environ, "COLUMNS": "300"}
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, env=environment
    ).stdout


@pytest.mark.parametrize("rows,k,n,group", SIZES)
@pytest.mark.parametrize("storage,has_zero_point", STORAGES)
def test_dequantized_weights(tmp_path, rows, k, n, group, storage, has_zero_point):
    rng = np.random.default_rng(rows * k + n)
    program, weight = dequantized_matmul(rng, rows, k, n, group, storage, has_zero_point)
    text = check(program, tmp_path, rng, rows, k, weight)
    if k * n >= LEAST_ELEMENTS:
        assert "rhs nibbles" in text or "rhs narrow" in text


@pytest.mark.parametrize("has_zero_points", [False, True])
@pytest.mark.parametrize("rows,k,n,group", [size for size in SIZES if size[3]])
def test_blocks_of_nibbles(tmp_path, rows, k, n, group, has_zero_points):
    """MatMulNBits whose accuracy level asks for floats."""
    rng = np.random.default_rng(rows + k + n)
    codes = rng.integers(0, 16, (n, k))
    scales = rng.uniform(0.001, 0.02, (n, k // group)).astype(f32)
    zero_points = rng.integers(0, 16, (n, k // group)) if has_zero_points else np.full((n, k // group), 8)
    weight = (codes - np.repeat(zero_points, group, axis=1)).astype(f32) * np.repeat(scales, group, axis=1)

    def packed(x):
        x = np.pad(x, ((0, 0), (0, x.shape[1] % 2)))
        return (x[:, ::2] | x[:, 1::2] << 4).astype(np.uint8)

    constants = [
        numpy_helper.from_array(packed(codes).reshape(n, k // group, group // 2), "w"),
        numpy_helper.from_array(scales, "s"),
    ]
    if has_zero_points:
        constants.append(numpy_helper.from_array(packed(zero_points), "z"))
    node = helper.make_node(
        "MatMulNBits", ["x"] + [c.name for c in constants], ["y"], domain="com.microsoft", K=k, N=n, bits=4,
        block_size=group,
    )
    text = check(model([node], constants, rows, k, n), tmp_path, rng, rows, k, weight.T)
    if k * n >= LEAST_ELEMENTS and not has_zero_points:
        assert "rhs nibbles" in text


def test_several_readers(tmp_path):
    """A weight that two products read is widened at compile time, once."""
    rng = np.random.default_rng(0)
    program, weight = dequantized_matmul(rng, 4, 512, 256, 0, "int8", False)
    program.graph.node.append(helper.make_node("MatMul", ["x", "f"], ["z"]))
    program.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, [4, 256]))
    x = rng.standard_normal((4, 512)).astype(f32)
    onnx.save(program, tmp_path / "model.onnx")
    for y in run_file(tmp_path / "model.onnx", tmp_path, [x], 2):
        np.testing.assert_array_equal(y.view(np.int32), oracle.fma_chain(x, weight).view(np.int32))
