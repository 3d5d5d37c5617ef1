"""Which values qcc quantize rounds: zero points of channels, gates, and activations that tables compute."""

import types

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from package import qcc

from qcc.quantize import _placement, _prices  # noqa: E402

HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'
#: A depthwise convolution whose operand has a range for each channel.
DEPTHWISE = HEAD + """
g (float[1, 16, 8, 8] x) => (float[1, 16, 8, 8] y)
<float[16] s, int8[16] z, int8[16, 1, 3, 3] w, float[16] ws, int8[16] wz> {
  q = QuantizeLinear <axis = 1> (x, s, z)
  d = DequantizeLinear <axis = 1> (q, s, z)
  v = DequantizeLinear <axis = 0> (w, ws, wz)
  [conv] y = Conv <group = 16, pads = [1, 1, 1, 1]> (d, v)
}"""
#: Rounding before an activation; the layer after it reads bytes anyway.
ACTIVATION = HEAD + """
g (float[64, 64] x) => (float[64, 64] y)
<float one = {1.0}, float s = {0.05}, int8 z = {0}, int8[64, 64] w, float half = {0.5}> {
  qx = QuantizeLinear (x, s, z)
  dx = DequantizeLinear (qx, s, z)
  dw = DequantizeLinear (w, s, z)
  [first] a = MatMul (dx, dw)
  qa = QuantizeLinear (a, s, z)
  da = DequantizeLinear (qa, s, z)
  e = Erf (da)
  f = Add (e, one)
  b = Mul (f, da)
  qb = QuantizeLinear (b, s, z)
  db = DequantizeLinear (qb, s, z)
  [second] y = MatMul (db, dw)
}"""


def parse(text, **arrays):
    model = onnx.parser.parse_model(text)
    for name, array in arrays.items():
        tensor = next((tensor for tensor in model.graph.initializer if tensor.name == name), None)
        if tensor is not None:
            model.graph.initializer.remove(tensor)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    given = set(arrays)
    kept = [value for value in model.graph.input if value.name not in given]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    del model.graph.value_info[:]
    onnx.checker.check_model(model)
    return model


def depthwise(zeros, scales):
    return parse(DEPTHWISE, s=np.array(scales, np.float32), z=np.array(zeros, np.int8),
                 w=np.ones((16, 1, 3, 3), np.int8), ws=np.ones(16, np.float32), wz=np.zeros(16, np.int8))


def parameters(model):
    """Scales and zero points of the activation."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.name != "conv" and node.output[0] in ("q", "d")]
    assert len(nodes) == 2 and list(nodes[0].input[1:]) == list(nodes[1].input[1:])
    return tuple(values[name] for name in nodes[0].input[1:])


def products(model):
    (step,) = [step for step in qcc.explain(model.SerializeToString(), target="haswell").steps if step.layer == "conv"
               and "contraction" in step.work]
    return step


def test_channels_get_one_zero_point():
    zeros, scales = [-128, -128, 20, -30] * 4, [0.1, 0.2, 0.3, 0.001] * 4
    model = depthwise(zeros, scales)
    assert "generic-contraction" in products(model).unwanted
    assert _placement.share_zero_points(model) == 1
    onnx.checker.check_model(model)
    new_scales, new_zeros = parameters(model)
    assert len(set(new_zeros.tolist())) == 1 and new_zeros.dtype == np.int8
    # No channel loses a part of its range, and the steps at most double.
    for scale, zero, new in zip(scales, zeros, new_scales):
        low, high = scale * (-128 - zero), scale * (127 - zero)
        assert new * (-128 - int(new_zeros[0])) <= low + 1e-5 and new * (127 - int(new_zeros[0])) >= high - 1e-5
        assert new <= 2.1 * scale
    step = products(model)
    assert "generic-contraction" not in step.unwanted and step.config.startswith("depthwise")


@pytest.mark.parametrize("zeros, scale", [([-128] * 16, 0.1), ([5] * 16, 0.1)])
def test_equal_zero_points_stay(zeros, scale):
    model = depthwise(zeros, [scale] * 16)
    before = model.SerializeToString()
    assert _placement.share_zero_points(model) == 0 and model.SerializeToString() == before


def test_zero_points_that_other_nodes_use_stay():
    """The scale of a reader is another one: the pair is no rounding."""
    model = depthwise([0, 1] * 8, [0.1] * 16)
    other = numpy_helper.from_array(np.full(16, 0.2, np.float32), "other")
    model.graph.initializer.append(other)
    next(node for node in model.graph.node if node.output[0] == "d").input[1] = "other"
    assert _placement.share_zero_points(model) == 0


def activation():
    return parse(ACTIVATION, w=np.ones((64, 64), np.int8))


def is_rounded(model):
    return any(node.op_type == "QuantizeLinear" and node.input[0] == "a" for node in model.graph.node)


@pytest.mark.parametrize("lean, fast, stays", [(4e-6, 2e-6, True), (4e-6, 3.5e-6, False), (4e-6, None, False)])
def test_rounding_that_pays_stays(monkeypatch, lean, fast, stays):
    times = iter([lean, fast])

    def explain(_, shapes):
        assert shapes == {"x": (64, 64)}
        return types.SimpleNamespace(steps=[types.SimpleNamespace(layer="first", expected_seconds=next(times))])

    monkeypatch.setattr(_prices, "explain", explain)
    model = activation()
    assert _placement.roundings_in_kernels(model) == {"a": "first"}
    assert is_rounded(_prices.place_rounding(model, {"x": (64, 64)})) == stays
    assert is_rounded(model)


def test_the_cost_model_prices_tables():
    """A table for the bytes of the error function is faster than the function."""
    assert is_rounded(_prices.place_rounding(activation(), {"x": (64, 64)}))
    assert not is_rounded(_prices.place_rounding(parse(ACTIVATION.replace("Erf", "Relu"), w=np.ones((64, 64), np.int8)),
                                                 {"x": (64, 64)}))


GATE = HEAD + """
g (float[4, 64] x) => (float[4, 64] y)
<float s = {0.05}, int8 z = {0}, int8[64, 64] w> {
  qx = QuantizeLinear (x, s, z)
  dx = DequantizeLinear (qx, s, z)
  dw = DequantizeLinear (w, s, z)
  a = MatMul (dx, dw)
  b = MatMul (dx, dw)
  gate = Mul (a, b)
  qg = QuantizeLinear (gate, s, z)
  dg = DequantizeLinear (qg, s, z)
  moved = Identity (dg)
  sum = Add (moved, dx)
  qs = QuantizeLinear (sum, s, z)
  ds = DequantizeLinear (qs, s, z)
  y = MatMul (READ, dw)
}"""


@pytest.mark.parametrize("read, stays", [("ds", False), ("dg", True)])
def test_gates_in_sums_are_not_rounded(read, stays):
    """A product of two layers is stored only if another op than one sum reads it."""
    model = parse(GATE.replace("READ", read), w=np.ones((64, 64), np.int8))
    _placement.remove_needless(model)
    onnx.checker.check_model(model)
    assert any(node.input[0] == "gate" for node in model.graph.node if node.op_type == "QuantizeLinear") == stays
