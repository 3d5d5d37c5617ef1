"""Quantized networks whose scales are no powers of two, against float64, layer by layer.

Each layer is given the bytes that the layer before it gave here, so that one tie does not change all that follows. Its value before
it is rounded is that of python/qcc/verify/_float64.py. Results are a nearest byte of that value; values within 1e-4 of a tie go either way.
"""

import os
import sys

import numpy as np
import pytest

import program
from onnx_model import Model
from package import qcc

sys.path.insert(0, str(program.ROOT / "utils"))
from onnx_models.exact import Exact  # noqa: E402

F32 = np.float32
SEEDS = int(os.environ.get("QCC_ONNX_SEEDS") or 24)
SHARDS = 4
TIE = 1e-4


class Layer:
    """The nodes from bytes to the value that is quantized, which models of several layers and of one have in common."""

    def __init__(self, random, shape):
        self.random, self.shape = random, shape
        self.kind = random.choice([np.int8, np.uint8])
        self.op = str(random.choice(["Conv", "Relu", "Add", "Mul", "MaxPool", "AveragePool", "Sigmoid", "Concat", "Resize"]
                                    if len(shape) == 4 else ["Gemm", "MatMul", "Add", "HardSwish", "Softmax", "Gelu"]))
        self.constants = {}
        self.relu = self.op in ("Conv", "Gemm", "Add") and random.random() < 0.4
        depth = shape[1] if len(shape) == 4 else shape[-1]
        self.filters = int(random.choice([4, 8, 17])) if self.op in ("Conv", "Gemm", "MatMul") else depth
        if self.op in ("Conv", "Gemm", "MatMul"):
            size = (self.filters, depth, 3, 3) if self.op == "Conv" else (depth, self.filters)
            axis = 0 if self.op == "Conv" else 1
            by_channel = random.random() < 0.6
            self.weight = random.integers(-127, 128, size).astype(np.int8)
            self.axis = axis
            self.weight_scale = random.uniform(0.001, 0.02, self.filters if by_channel else ()).astype(F32)
            self.bias = random.normal(0, 1, self.filters).astype(F32) if random.random() < 0.7 and self.op != "MatMul" else None
        self.integer_bias = self.op == "Conv" and random.random() < 0.5

    def emit(self, model, q, x_scale, x_zero):
        """The name of the value."""
        name = f"l{len(model.nodes)}"
        x = model.node("DequantizeLinear", [q, model.constant(f"{name}_s", x_scale), model.constant(f"{name}_z", x_zero)])
        if self.op in ("Conv", "Gemm", "MatMul"):
            scale = model.constant(f"{name}_ws", self.weight_scale)
            zero = model.constant(f"{name}_wz", np.zeros(np.shape(self.weight_scale), np.int8))
            w = model.node("DequantizeLinear", [model.constant(f"{name}_w", self.weight), scale, zero], axis=self.axis)
            inputs = [x, w]
            if self.bias is not None:
                inputs.append(self.emit_bias(model, name, x_scale))
            y = model.node(self.op, inputs, **(dict(pads=[1, 1, 1, 1]) if self.op == "Conv" else {}))
        elif self.op in ("Add", "Mul"):
            y = model.node(self.op, [x, model.node("Relu", [x])])
        elif self.op == "Concat":
            y = model.node("Concat", [x, x], axis=1)
        elif self.op == "Resize":
            y = model.node("Resize", [x, "", model.constant(f"{name}_r", np.array([1, 1, 2, 2], F32))], mode="nearest",
                           coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        elif self.op in ("MaxPool", "AveragePool"):
            y = model.node(self.op, [x], kernel_shape=[2, 2], strides=[1, 1])
        else:
            y = model.node(self.op, [x])
        return model.node("Relu", [y]) if self.relu else y

    def emit_bias(self, model, name, x_scale):
        if not self.integer_bias:
            return model.constant(f"{name}_b", self.bias)
        scale = np.broadcast_to(F32(x_scale) * self.weight_scale, self.filters).astype(F32)
        stored = np.rint(self.bias / scale).astype(np.int32)
        return model.node("DequantizeLinear", [model.constant(f"{name}_b", stored), model.constant(f"{name}_bs", scale)], axis=0)


def exact_value(layer, tmp_path, q, scale, zero):
    """The value of one layer, of these bytes, in float64."""
    model = Model(20)
    y = layer.emit(model, model.input("q", q), scale, zero)
    path = tmp_path / "layer.onnx"
    path.write_bytes(model.model([y]).SerializeToString())
    return np.asarray(Exact(path).run({"q": q})[0], np.float64)


def parameters_for(random, value, kind):
    """A scale by which values fill most of the range, or saturate, and a zero point."""
    span = max(float(value.max() - value.min()), 1e-3)
    scale = F32(span / random.choice([180, 255, 330]))
    info = np.iinfo(kind)
    zero = np.clip(np.rint(info.min - value.min() / scale), info.min, info.max).astype(kind)
    return scale, zero if random.random() < 0.8 else kind(random.choice([0, 1, 3]))


def draw(seed, tmp_path):
    """(model, layers with their parameters, names of their bytes, arrays)"""
    random = np.random.default_rng(seed)
    shape = (1, int(random.choice([3, 8])), 6, 7) if random.random() < 0.6 else (5, int(random.choice([8, 24])))
    model, x = Model(20), random.normal(0, 2, shape).astype(F32)
    kind = random.choice([np.int8, np.uint8])
    scale, zero = parameters_for(random, x, kind)
    names = [model.node("QuantizeLinear", [model.input("x", x), model.constant("s", scale), model.constant("z", zero)])]
    layers = []
    value = x.astype(np.float64)
    for i in range(int(random.integers(2, 7))):
        info = np.iinfo(kind)
        q = np.clip(np.rint(value / np.float64(scale)) + zero, info.min, info.max).astype(kind)
        layer = Layer(random, q.shape)
        value = exact_value(layer, tmp_path, q, scale, zero)
        if value.size > 20000:
            break
        y = layer.emit(model, names[-1], scale, zero)
        layers.append((layer, scale, zero))
        kind = layer.kind
        scale, zero = parameters_for(random, value, kind)
        names.append(model.node("QuantizeLinear", [y, model.constant(f"s{i}", scale), model.constant(f"z{i}", zero)]))
    return model, layers, (scale, zero), names


def check_bytes(actual, value, scale, zero, what):
    info = np.iinfo(actual.dtype)
    real = np.clip(value / np.float64(scale) + float(zero), info.min, info.max)
    far = np.argwhere(np.abs(actual - real) > 0.5 + TIE)
    assert not len(far), f"{what}: at {far[0]} {actual[tuple(far[0])]}, which is no rounding of {real[tuple(far[0])]}"


@pytest.mark.parametrize("shard", range(SHARDS))
def test_layers(shard, tmp_path, compiler):
    count = 0
    for seed in range(shard, SEEDS, SHARDS):
        model, layers, last, names = draw(seed, tmp_path)
        data = model.model(names).SerializeToString()
        for target in program.host_cpus():
            results = [np.asarray(y) for y in qcc.compile(data, target=target).function()(*model.arrays)]
            _, scale, zero = layers[0]
            check_bytes(results[0], model.arrays[0].astype(np.float64), scale, zero, f"network {seed}, {target}, input")
            after = [(scale, zero) for _, scale, zero in layers[1:]] + [last]
            for i, ((layer, scale, zero), (to, by)) in enumerate(zip(layers, after)):
                value = exact_value(layer, tmp_path, results[i], scale, zero)
                check_bytes(results[i + 1], value, to, by, f"network {seed}, {target}, layer {i} ({layer.op})")
                count += 1
    print(f"{count} layers are rounded as float64 is")
    assert count > SEEDS // SHARDS
