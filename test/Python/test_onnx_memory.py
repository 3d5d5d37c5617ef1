"""The weights of an ONNX model are in memory about once while it is compiled.

They lie in a file beside the model, and leave memory once they have been transposed or packed.
"""

import os
import subprocess
import sys

import pytest

import program

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402

LAYERS, INPUTS, FEW, MANY = 8, 4096, 64, 9216

# A process of its own, for the largest memory of a child counts that of who started it.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
"""


def write_model(path, op, outputs):
    """Layers side by side, of which each has weights of zeros in a file beside the model."""
    shape = [INPUTS, outputs] if op == "MatMul" else [outputs, INPUTS]
    size = INPUTS * outputs
    data = path.with_suffix(".data")
    with data.open("wb") as file:
        file.truncate(LAYERS * size)  # Takes no room on the disk.
    initializers = [helper.make_tensor("scale", TensorProto.FLOAT, [], [0.03]),
                    helper.make_tensor("zero", TensorProto.INT8, [], [0])]
    nodes = [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
             helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["d"])]
    for i in range(LAYERS):
        weight = TensorProto(name=f"w{i}", data_type=TensorProto.INT8, dims=shape,
                             data_location=TensorProto.EXTERNAL)
        for key, value in (("location", data.name), ("offset", i * size), ("length", size)):
            weight.external_data.add(key=key, value=str(value))
        initializers.append(weight)
        attributes = {"transB": 1} if op == "Gemm" else {}
        nodes += [helper.make_node("DequantizeLinear", [f"w{i}", "scale", "zero"], [f"v{i}"]),
                  helper.make_node(op, ["d", f"v{i}"], [f"y{i}"], **attributes)]
    graph = helper.make_graph(
        nodes, "layers", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, INPUTS])],
        [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [4, outputs])
         for i in range(LAYERS)], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def peak_memory(path):
    done = subprocess.run([sys.executable, "-c", MEASURE, str(program.qcc()), "compile", str(path),
                           "-o", str(path.with_suffix(".so"))],
                          capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.parametrize("op", ["MatMul", "Gemm"])
def test_weights_are_in_memory_once(op, tmp_path, compiler):
    few, many = tmp_path / "few.onnx", tmp_path / "many.onnx"
    write_model(few, op, FEW)
    write_model(many, op, MANY)
    weights = LAYERS * INPUTS * MANY
    times = (peak_memory(many) - peak_memory(few)) / weights
    os.remove(many.with_suffix(".so"))
    assert times < 1.3
