"""`qcc diff` of float models and their quantized forms, as ONNX Runtime and NNCF write these: Q/DQ graphs whose scales are
initializers, with names of nodes and of values that differ. Every value that both have is compared."""

import json
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import program


class Model:
    """A network of a convolution with padding, a pool, a Pad and another convolution; quantized where asked."""

    def __init__(self, is_quantized, fuses_relu=False, pools_bytes=False):
        self.random, self.tensors, self.nodes = np.random.default_rng(0), [], []
        self.is_quantized, self.fuses_relu, self.pools_bytes = is_quantized, fuses_relu, pools_bytes

    def constant(self, name, array):
        self.tensors.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, name, *shape):
        numbers = self.random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        if not self.is_quantized:
            return self.constant(name, numbers.astype(np.float32))
        scale = self.constant(f"{name}_scale", np.float32(np.max(np.abs(numbers)) / 127))
        stored = self.constant(f"{name}_quantized", np.rint(numbers / np.max(np.abs(numbers)) * 127).astype(np.int8))
        self.node("DequantizeLinear", f"{name}_DequantizeLinear", [stored, scale], name)
        return name

    def node(self, op, name, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name, **attributes))

    def quantized(self, value, zero=0, scale=0.02, to=None):
        """The name of the value after Q and DQ, which the float model does not have."""
        if not self.is_quantized:
            return value
        to = to or f"{value}_dequantized"
        parameters = [self.constant(f"{value}_scale", np.float32(scale)), self.constant(f"{value}_zero", np.uint8(zero))]
        self.node("QuantizeLinear", f"{value}_QuantizeLinear", [value, *parameters], f"{value}_quantized")
        self.node("DequantizeLinear", f"{value}_DequantizeLinear", [f"{value}_quantized", *parameters], to)
        return to

    def relu(self, conv, name, value, output):
        """ONNX Runtime leaves out a Relu before a Q that cuts off negative numbers; the convolution has its output then."""
        conv(output if self.fuses_relu else value)
        if not self.fuses_relu:
            self.node("Relu", name, [value], output)

    def build(self):
        x = self.quantized("x", 128)
        w1, w2 = self.weight("w1", 8, 3, 3, 3), self.weight("w2", 8, 8, 3, 3)
        self.relu(lambda out: self.node("Conv", "conv1", [x, w1], out, pads=[1] * 4), "relu1", "c1", "r1")
        self.node("MaxPool", "pool1", [self.quantized("r1")], "p1", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        pads = self.constant("pads", np.int64([0, 0, 1, 1, 0, 0, 1, 1]))
        self.node("Pad", "pad1", ["p1" if self.pools_bytes else self.quantized("p1"), pads], "padded")
        padded = "padded" if self.pools_bytes else self.quantized("padded")
        self.relu(lambda out: self.node("Conv", "conv2", [padded, w2], out), "relu2", "c2", "r2")
        self.node("GlobalAveragePool", "pooling", [self.quantized("r2")], "pooled")
        self.node("Flatten", "flatten", [self.quantized("pooled")], "flat")
        fc = self.weight("w3", 4, 8)
        self.node("Gemm", "fc", ["flat", fc], "y_raw" if self.is_quantized else "y", transB=1)
        if self.is_quantized:
            self.quantized("y_raw", 128, to="y")
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 12, 12])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])], self.tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def diff(folder, *arguments, **form):
    """What the report has: the values by their names, and the layers that only one model has."""
    onnx.save(Model(False).build(), folder / "float.onnx")
    onnx.save(Model(True, **form).build(), folder / "int8.onnx")
    done = subprocess.run([program.qcc(), "diff", "float.onnx", "int8.onnx", "--dim=batch=2", "--input=random:1:-2:2", "--json",
                           "--tolerance=0.1", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    only = {side: {layer["layer"] for layer in report[f"only_{side}"]} for side in "ab"}
    return {value["name"]: value for value in report["values"]}, only["a"], only["b"]


#: The float model does not quantize its argument, and pads a value in place.
ONLY_QUANTIZED = {"x_QuantizeLinear", "pad1"}


def check(values, wanted):
    assert wanted <= values.keys(), values.keys()
    for value in values.values():
        assert value["comparable"], value
        assert 0 < value["relative_error"] < 0.05, value


@pytest.mark.parametrize("arguments", [[], ["--mcpu=x86-64-v3"]], ids=["native", "avx2"])
def test_values_behind_padding_and_scales_of_initializers(tmp_path, arguments):
    values, only_a, only_b = diff(tmp_path, *arguments)
    check(values, {"relu1", "pool1", "fc"})
    assert values["relu1"]["b"]["quantization"]["scales"] == pytest.approx([0.02])
    assert values["relu1"]["a"]["dtype"] == "f32"
    # A step of the quantized model computes the pooling and the product.
    assert only_a <= {"pooling"} and only_b <= ONLY_QUANTIZED


def test_every_layer(tmp_path):
    values, only_a, only_b = diff(tmp_path, "--unfused")
    check(values, {"conv1", "relu1", "pool1", "conv2", "relu2", "pooling", "fc"})
    assert not only_a and only_b <= ONLY_QUANTIZED


def test_a_relu_that_the_quantizer_leaves_out(tmp_path):
    values, only_a, only_b = diff(tmp_path, "--unfused", fuses_relu=True)
    check(values, {"relu1", "pool1", "relu2", "pooling", "fc"})
    assert only_a == {"conv1", "conv2"} and only_b <= ONLY_QUANTIZED


def test_a_maximum_of_bytes(tmp_path):
    """NNCF quantizes no value that a pool has not changed; qcc computes the maximum of the bytes."""
    values, _, _ = diff(tmp_path, pools_bytes=True)
    check(values, {"relu1", "pool1", "fc"})
    assert values["pool1"]["b"]["dtype"] in ("i8", "u8")
