"""The programs of docs/examples against numpy, with weights and inputs of the test's own."""

import re

import numpy as np
import pytest

import float_library
import oracle
from program import EXAMPLES, assert_same_bits, run_file

f32 = np.float32
ROWS = 37
CHIPS = ["sm_75", "sm_80", "sm_90"]
SEEDS = 5


def int8(rng, *shape):
    return rng.integers(-128, 128, shape).astype(np.int8)


def relu(x):
    return oracle.maximumf(x, f32(0))


@pytest.mark.parametrize("weight_is_argument", [False, True])
def test_tf_linear(target, tmp_path, weight_is_argument):
    rng = np.random.default_rng(20)
    x, w = int8(rng, ROWS, 2048), int8(rng, 2048, 2048)
    x[0], w[:, 0] = -128, -128
    bias = rng.normal(0, 50000, 2048).astype(f32)
    scale = f32(3100.7)
    v = oracle.accumulate(x, 0, w, 0).astype(f32) + bias
    expected = np.clip(np.rint(relu(v) / scale), -128, 127).astype(np.int8)
    name = "tf_linear_weight_arg.mlir" if weight_is_argument else "tf_linear.mlir"
    weights = {"bias": bias} if weight_is_argument else {"bias": bias, "w": w}
    inputs = [x, scale, w] if weight_is_argument else [x, scale]
    (y,) = run_file(EXAMPLES / name, tmp_path, inputs, 1, weights, target)
    assert_same_bits(y, expected, name)


def test_mlp_f32(target, tmp_path):
    rng = np.random.default_rng(21)
    weights = {
        "w1": int8(rng, 2048, 512),
        "w1_scale": rng.uniform(0.001, 1, 2048).astype(f32),
        "b1": rng.normal(0, 500, 2048).astype(f32),
        "w2": int8(rng, 512, 2048),
        "w2_scale": rng.uniform(0.001, 1, 512).astype(f32),
        "b2": rng.normal(0, 500, 512).astype(f32),
    }
    x = rng.normal(0, 2, (ROWS, 512)).astype(f32)
    x[0, :3] = np.nan, np.inf, -np.inf
    sx, sh = f32(0.03125), f32(33)
    q = oracle.quantize(x, sx, 0, "i8")
    acc = oracle.accumulate(q, 0, weights["w1"].T, 0)
    h = relu(oracle.real_result(acc, sx * weights["w1_scale"], weights["b1"]))
    acc = oracle.accumulate(oracle.quantize(h, sh, 0, "i8"), 0, weights["w2"].T, 0)
    expected = oracle.real_result(acc, sh * weights["w2_scale"], weights["b2"])
    (y,) = run_file(EXAMPLES / "mlp_f32.mlir", tmp_path, [x], 1, weights, target)
    assert_same_bits(y, expected, "mlp_f32")


def test_mlp_f16(target, tmp_path):
    rng = np.random.default_rng(22)
    weights = {
        "w1": int8(rng, 2048, 512),
        "b1": rng.normal(0, 2, 2048).astype(f32),
        "w2": int8(rng, 512, 2048),
        "b2": rng.normal(0, 2, 512).astype(f32),
    }
    x = rng.normal(0, 2, (ROWS, 512)).astype(np.float16)
    x[0, :3] = np.nan, np.inf, -np.inf
    sx, sh = f32(0.03125), f32(0.04)
    acc = oracle.accumulate(oracle.quantize(x, sx, 0, "i8"), 0, weights["w1"].T, 0)
    h = relu(oracle.real_result(acc, sx * f32(1.1e-3), weights["b1"]))
    acc = oracle.accumulate(oracle.quantize(h, sh, 0, "i8"), 0, weights["w2"].T, 0)
    expected = oracle.real_result(acc, sh * f32(7e-4), weights["b2"]).astype(np.float16)
    (y,) = run_file(EXAMPLES / "mlp_f16.mlir", tmp_path, [x], 1, weights, target)
    assert_same_bits(y, expected, "mlp_f16")


def test_dynamic_quant(target, tmp_path):
    rng = np.random.default_rng(23)
    weights = {
        "w": int8(rng, 768, 1024),
        "w_scale": rng.uniform(0.001, 0.01, 768).astype(f32),
        "bias": rng.normal(0, 1, 768).astype(f32),
    }
    x = (rng.normal(0, 1, (ROWS, 1024)) * 10.0 ** rng.uniform(-8, 4, (ROWS, 1))).astype(f32)
    x[0] = 0
    largest = oracle.reduce_max(np.abs(x), 0.0)
    scale = (oracle.maximumf(largest, f32(1e-6)) / f32(127))[:, None]
    acc = oracle.accumulate(oracle.quantize(x, scale, 0, "i8"), 0, weights["w"].T, 0)
    expected = oracle.real_result(acc, scale * weights["w_scale"], weights["bias"])
    (y,) = run_file(EXAMPLES / "dynamic_quant.mlir", tmp_path, [x], 1, weights, target)
    assert_same_bits(y, expected, "dynamic_quant")


def test_asymmetric(target, tmp_path):
    rng = np.random.default_rng(24)
    text = (EXAMPLES / "asymmetric.mlir").read_text()
    scales = re.search(r"i8:f32:0, \{(.*?)\}", text).group(1).split(", ")
    scales = np.array([f32(s) for s in scales], f32)
    bias = np.array(
        [int(b) for b in re.search(r"dense<\[(.*?)\]>", text).group(1).split(", ")], np.int32
    )
    weights = {
        "w1": int8(rng, 32, 96),
        "w2": rng.integers(0, 256, (32, 32)).astype(np.uint8),
    }
    x = rng.integers(0, 256, (ROWS, 96)).astype(np.uint8)
    x[0], x[1] = 0, 255
    sx, sh, sy, sw2 = f32(0.0235), f32(0.11), f32(0.061), f32(0.0029)
    acc = oracle.accumulate(x, 113, weights["w1"].T, 0)
    acc = oracle.wrap(acc.astype(np.int64) + bias)
    h = oracle.quantized_result(acc, sx * scales, sh, 7, "u8", None, 0.0, 6.0)
    acc = oracle.accumulate(h, 7, weights["w2"].T, 131)
    expected = oracle.quantized_result(acc, sh * sw2, sy, 128, "u8")
    (y,) = run_file(EXAMPLES / "asymmetric.mlir", tmp_path, [x], 1, weights, target)
    assert_same_bits(y, expected, "asymmetric")


def layer_norm(x, gamma, beta):
    mean = oracle.reduce_sum(x) / f32(768)
    difference = x - mean[:, None]
    variance = oracle.reduce_sum(difference * difference) / f32(768)
    factor = float_library.apply("rsqrt", variance + f32(1e-12))
    return (difference * factor[:, None]) * gamma + beta


def test_encoder(target, tmp_path):
    rng = np.random.default_rng(25)
    weights = {}
    for name in ("q", "k", "v", "o"):
        weights[f"w{name}"] = int8(rng, 768, 768)
        weights[f"b{name}"] = rng.normal(0, 0.5, 768).astype(f32)
    weights["wi"], weights["bi"] = int8(rng, 3072, 768), rng.normal(0, 0.5, 3072).astype(f32)
    weights["wd"], weights["bd"] = int8(rng, 768, 3072), rng.normal(0, 0.5, 768).astype(f32)
    for i in (1, 2):
        weights[f"gamma{i}"] = rng.uniform(0.5, 1.5, 768).astype(f32)
        weights[f"beta{i}"] = rng.normal(0, 0.2, 768).astype(f32)
    x = rng.normal(0, 1, (128, 768)).astype(f32)
    x[3] = 0.25  # a row without variance of its own

    sx, sq, sk, sp, sv, sc, sf = (
        f32(s) for s in (0.03, 0.025, 0.026, 3.921569e-3, 0.024, 0.01, 0.019)
    )
    sa, sw = f32(4e-4), f32(3e-4)

    def linear(q, zero_point, scale, name):
        acc = oracle.accumulate(q, zero_point, weights[f"w{name}"].T, 0)
        return oracle.real_result(acc, scale, weights[f"b{name}"])

    xq = oracle.quantize(x, sx, 0, "i8")
    q, k, v = (
        linear(xq, 0, sx * sa, name).reshape(128, 12, 64).transpose(1, 0, 2) for name in "qkv"
    )
    qq, kq = oracle.quantize(q, sq, 0, "i8"), oracle.quantize(k, sk, 0, "i8")
    vq = oracle.quantize(v, sv, 0, "i8")
    acc = oracle.accumulate(qq, 0, kq.transpose(0, 2, 1), 0)
    scores = oracle.real_result(acc, sq * sk) * f32(0.125)
    probabilities = float_library.softmax_last(scores)
    acc = oracle.accumulate(oracle.quantize(probabilities, sp, 0, "u8"), 0, vq, 0)
    context = oracle.real_result(acc, sp * sv).transpose(1, 0, 2).reshape(128, 768)
    attention = linear(oracle.quantize(context, sc, 0, "i8"), 0, sc * sa, "o")
    normal = layer_norm(x + attention, weights["gamma1"], weights["beta1"])
    inner = linear(oracle.quantize(normal, sx, 0, "i8"), 0, sx * sw, "i")
    gelu = (inner * f32(0.5)) * (float_library.apply("erf", inner * f32(0.707106769)) + f32(1))
    outer = linear(oracle.quantize(gelu, sf, 9, "u8"), 9, sf * sw, "d")
    expected = layer_norm(normal + outer, weights["gamma2"], weights["beta2"])

    (y,) = run_file(EXAMPLES / "encoder.mlir", tmp_path, [x], 1, weights, target)
    assert_same_bits(y, expected, "encoder")


def classifier_weights():
    rng = np.random.default_rng(26)
    shapes = {"w1": (128, 64), "b1": 128, "w2": (64, 128), "b2": 64, "w3": (10, 64), "b3": 10}
    return {name: rng.uniform(-1, 1, shape).astype(f32) for name, shape in shapes.items()}


def test_classifier_f32(target, tmp_path):
    w = classifier_weights()
    x = np.random.default_rng(27).uniform(-1, 1, (ROWS, 64)).astype(f32)
    h1 = relu(oracle.fma_chain(x, w["w1"].T) + w["b1"])
    h2 = relu(oracle.fma_chain(h1, w["w2"].T) + w["b2"])
    expected = oracle.fma_chain(h2, w["w3"].T) + w["b3"]
    (y,) = run_file(EXAMPLES / "classifier_f32.mlir", tmp_path, [x], 1, w, target)
    assert_same_bits(y, expected, "classifier_f32")


def test_classifier_int8(target, tmp_path):
    w = classifier_weights()
    text = (EXAMPLES / "classifier_int8.mlir").read_text()
    s3 = re.search(r"!w3 = .*\{(.*?)\}", text).group(1).split(", ")
    s3 = np.array([f32(s) for s in s3], f32)
    sx, sw, sr1, sr2 = f32(7.874016e-3), f32(7.874016e-3), f32(0.045), f32(0.22)
    x = int8(np.random.default_rng(27), ROWS, 64)
    acc = oracle.accumulate(x, 0, oracle.quantize(w["w1"], sw, 0, "i8").T, 0)
    h1 = oracle.quantize(relu(oracle.real_result(acc, sx * sw, w["b1"])), sr1, 3, "u8")
    acc = oracle.accumulate(h1, 3, oracle.quantize(w["w2"], sw, 0, "i8").T, 0)
    h2 = oracle.quantize(relu(oracle.real_result(acc, sr1 * sw, w["b2"])), sr2, 0, "u8")
    acc = oracle.accumulate(h2, 0, oracle.quantize(w["w3"], s3[:, None], 0, "i8").T, 0)
    expected = oracle.real_result(acc, sr2 * s3, w["b3"])
    (y,) = run_file(EXAMPLES / "classifier_int8.mlir", tmp_path, [x], 1, w, target)
    assert_same_bits(y, expected, "classifier_int8")
