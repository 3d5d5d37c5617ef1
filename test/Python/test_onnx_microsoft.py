"""Ops of the domain com.microsoft, which ONNX Runtime writes, against numpy."""

import math

import numpy as np
import pytest

import program
from test_onnx_composed import constant, explain, lstm, run, uniform

F32 = np.float32
RNG = np.random.default_rng(9)


def ms(tmp_path, op, inputs, outputs=1, **attributes):
    return run(tmp_path, f"com.microsoft::{op}", inputs, outputs, **attributes)


def stored(dtype, *shape):
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def real(q, scale, zero):
    return (q.astype(np.int32) - np.int32(zero)).astype(F32) * F32(scale)


def quantized(x, scale, zero):
    info = np.iinfo(type(zero))
    return np.clip(np.rint(x.astype(F32) / F32(scale)) + int(zero), info.min, info.max).astype(type(zero))


@pytest.mark.parametrize("dtype, zeros", [(np.uint8, (3, 200, 128)), (np.int8, (-5, 0, 17))])
@pytest.mark.parametrize("op", ["Add", "Mul"])
def test_binary(op, dtype, zeros, tmp_path, compiler):
    a, b = stored(dtype, 3, 4, 5), stored(dtype, 4, 1)
    za, zb, zy = (dtype(z) for z in zeros)
    scales = [F32(0.02), F32(0.3), F32(0.11)]
    (y,) = ms(tmp_path, f"QLinear{op}", [a, constant(scales[0]), constant(za), b, constant(scales[1]), constant(zb),
                                         constant(scales[2]), constant(zy)])
    x, w = real(a, scales[0], za), real(b, scales[1], zb)
    program.assert_same_bits(y, quantized(x + w if op == "Add" else x * w, scales[2], zy))


@pytest.mark.parametrize("op, function, attributes", [
    ("LeakyRelu", lambda x: np.where(x < 0, F32(0.1) * x, x), {"alpha": 0.1}),
    ("Sigmoid", lambda x: 1 / (1 + np.exp(-x.astype(np.float64))), {}),
    ("Softmax", lambda x: np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True), {"opset": 13}),
    ("Softmax", lambda x: np.exp(x) / np.exp(x).sum(axis=(1, 2), keepdims=True), {"opset": 12, "axis": 1})])
def test_unary(op, function, attributes, tmp_path, compiler):
    x, zero, zy = stored(np.uint8, 2, 3, 4), np.uint8(100), np.uint8(10)
    scale, sy = F32(0.03), F32(1 / 256)
    (y,) = ms(tmp_path, f"QLinear{op}", [x, constant(scale), constant(zero), constant(sy), constant(zy)], **attributes)
    expected = quantized(function(real(x, scale, zero)), sy, zy)
    assert np.max(np.abs(y.astype(int) - expected)) <= (op != "LeakyRelu")
    assert np.mean(y != expected) < 0.1


def test_results_without_a_zero_point_have_the_type_of_their_input(tmp_path, compiler):
    x = stored(np.int8, 4, 4)
    (y,) = ms(tmp_path, "QLinearLeakyRelu", [x, constant(F32(0.5)), None, constant(F32(0.5))], alpha=1.0)
    program.assert_same_bits(y, x)


def test_concat(tmp_path, compiler):
    a, b = stored(np.uint8, 2, 3), stored(np.uint8, 2, 4)
    params = [(F32(0.1), np.uint8(5)), (F32(0.25), np.uint8(128))]
    target = [constant(F32(0.25)), constant(np.uint8(128))]
    (y,) = ms(tmp_path, "QLinearConcat", [*target, a, *map(constant, params[0]), b, *map(constant, params[1])], axis=1)
    first = quantized(real(a, *params[0]), F32(0.25), np.uint8(128))
    program.assert_same_bits(y, np.concatenate([first, b], axis=1))


@pytest.mark.parametrize("zero", [np.uint8(128), np.int8(-3)])
def test_where(zero, tmp_path, compiler):
    a, b = stored(type(zero), 2, 3), stored(type(zero), 3)
    condition = np.array([[True, False, True], [False, False, True]])
    params = [(F32(0.1), type(zero)(5)), (F32(0.25), zero)]
    (y,) = ms(tmp_path, "QLinearWhere", [condition, a, *map(constant, params[0]), b, *map(constant, params[1]),
                                         *map(constant, params[1])])
    program.assert_same_bits(y, np.where(condition, quantized(real(a, *params[0]), F32(0.25), zero), b))


@pytest.mark.parametrize("last", [0, 1])
def test_pools(last, tmp_path, compiler):
    x, params = stored(np.uint8, 1, 3, 4, 6), [constant(v) for v in (F32(0.5), np.uint8(7), F32(0.4), np.uint8(9))]
    image = x.transpose(0, 2, 3, 1).copy() if last else x
    wide = real(x, 0.5, 7).astype(np.float64)
    for op, attributes, mean in [
            ("QLinearGlobalAveragePool", {}, wide.mean(axis=(2, 3), keepdims=True)),
            ("QLinearAveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]},
             wide.reshape(1, 3, 2, 2, 3, 2).mean(axis=(3, 5)))]:
        (y,) = ms(tmp_path, op, [image, *params], channels_last=last, **attributes)
        y = y.transpose(0, 3, 1, 2) if last else y
        assert np.max(np.abs(y.astype(int) - quantized(mean, 0.4, np.uint8(9)))) <= 1


@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("has_result", [False, True])
def test_q_gemm(per_column, has_result, tmp_path, compiler):
    a, b, c = stored(np.uint8, 5, 8), stored(np.int8, 6, 8), RNG.integers(-999, 999, 6, np.int32)
    scale = RNG.uniform(0.01, 0.1, 6).astype(F32) if per_column else F32(0.05)
    zero = np.zeros(6, np.int8) if per_column else np.int8(0)
    inputs = [a, constant(F32(0.1)), constant(np.uint8(120)), constant(b), constant(scale), constant(zero), constant(c)]
    inputs += [constant(F32(0.7)), constant(np.uint8(30))] if has_result else []
    (y,) = ms(tmp_path, "QGemm", inputs, transB=1, alpha=1.0)
    total = (a.astype(np.int64) - 120) @ b.T.astype(np.int64) + c
    expected = total.astype(F32) * (F32(0.1) * scale)
    program.assert_same_bits(y, quantized(expected, 0.7, np.uint8(30)) if has_result else expected)


def erf(x):
    return np.vectorize(math.erf)(x.astype(np.float64))


def test_gelus(tmp_path, compiler):
    x, bias = uniform(4, 6), uniform(6)
    moved = (x + bias).astype(np.float64)
    (y,) = ms(tmp_path, "Gelu", [x])
    np.testing.assert_allclose(y, 0.5 * x * (1 + erf(x / math.sqrt(2))), rtol=1e-4, atol=1e-6)
    (y,) = ms(tmp_path, "BiasGelu", [x, constant(bias)])
    np.testing.assert_allclose(y, 0.5 * moved * (1 + erf(moved / math.sqrt(2))), rtol=1e-4, atol=1e-6)
    (y,) = ms(tmp_path, "FastGelu", [x, constant(bias)])
    inner = math.sqrt(2 / math.pi) * (moved + 0.044715 * moved ** 3)
    np.testing.assert_allclose(y, 0.5 * moved * (1 + np.tanh(inner)), rtol=1e-4, atol=1e-6)
    (y,) = ms(tmp_path, "QuickGelu", [x])
    np.testing.assert_allclose(y, x / (1 + np.exp(-1.702 * x)), rtol=1e-4, atol=1e-6)


def test_skip_layer_normalization(tmp_path, compiler):
    x, skip, scale, move, bias = uniform(2, 3, 8), uniform(2, 3, 8), uniform(8), uniform(8), uniform(8)
    total = (x + skip + bias).astype(np.float64)
    weights = [constant(v) for v in (scale, move, bias)]
    y, mean, factor, actual = ms(tmp_path, "SkipLayerNormalization", [x, skip, *weights], 4, epsilon=1e-5)
    spread = 1 / np.sqrt(total.var(axis=-1, keepdims=True) + 1e-5)
    middle = total.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(y, (total - middle) * spread * scale + move, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(mean, middle, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(factor, spread, rtol=1e-4)
    program.assert_same_bits(actual, x + skip + bias)
    (y,) = ms(tmp_path, "SkipSimplifiedLayerNormalization", [x, skip, constant(scale)], epsilon=1e-5)
    total = (x + skip).astype(np.float64)
    root = np.sqrt((total ** 2).mean(axis=-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(y, total / root * scale, rtol=1e-4, atol=1e-5)


def test_fused_mat_mul(tmp_path, compiler):
    a, b = uniform(2, 5, 3), uniform(2, 4, 5)
    (y,) = ms(tmp_path, "FusedMatMul", [a, b], transA=1, transB=1, alpha=0.5)
    np.testing.assert_allclose(y, 0.5 * a.transpose(0, 2, 1) @ b.transpose(0, 2, 1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op", ["FusedMatMul", "TransposeMatMul"])
@pytest.mark.parametrize("swap", [0, 1])
@pytest.mark.parametrize("behind", [(1, 0), (0, 1), (1, 1)])
def test_rows_before_the_batch(op, swap, behind, tmp_path, compiler):
    """[rows, batch..., columns], as ONNX Runtime takes a Transpose before a MatMul in."""
    a, b = uniform(2, 3, 5, 4), uniform(2, 3, 4, 6)
    given = []
    for x, goes_behind in zip((a, b), behind):
        x = x.swapaxes(-1, -2) if swap else x
        given.append(np.ascontiguousarray(np.moveaxis(x, -2, 0) if goes_behind else x))
    names = {f"transBatch{letter}": goes for letter, goes in zip("AB", behind)} if op == "FusedMatMul" else {}
    if not names:
        given = [np.ascontiguousarray(x.swapaxes(-1, -2) if swap else x) for x in (a, b)]
    (y,) = ms(tmp_path, op, given, transA=swap, transB=swap, **names)
    program.assert_same_bits(y, run(tmp_path, "MatMul", [a, b])[0])


def test_namesakes_of_ops_of_onnx(tmp_path, compiler):
    """What ONNX Runtime had before ONNX, or with other inputs."""
    x, places = uniform(3, 4, 5), np.array([[2, 1], [-1, 0]], np.int64)
    (y,) = ms(tmp_path, "GatherND", [x, constant(places)])
    program.assert_same_bits(y, x[[2, -1], [1, 0]])
    (y,) = ms(tmp_path, "Trilu", [x, constant(np.array(1, np.int64))], upper=0)
    program.assert_same_bits(y, np.tril(x, 1))
    for amounts in (np.array([0, 1, 2, 1, 0, 0], np.int64), np.array([[0, 1, 2, 1, 0, 0]], np.int64)):
        (y,) = ms(tmp_path, "Pad", [x, constant(amounts), constant(np.array([7], F32))], mode="constant")
        program.assert_same_bits(y, np.pad(x, [(0, 1), (1, 0), (2, 0)], constant_values=7))
    for axis, shape in ((0, (1, 3, 4, 5)), (2, (3, 4, 1, 5)), (-1, (3, 4, 5, 1))):
        (y,) = ms(tmp_path, "ExpandDims", [x, constant(np.array(axis, np.int32))])
        program.assert_same_bits(y, x.reshape(shape))
    with pytest.raises(AssertionError, match="has several axes; give one"):
        ms(tmp_path, "ExpandDims", [x, constant(np.array([0, 1], np.int32))])
    for delta, expected in ((None, np.arange(2, 7)), (3, np.arange(2, 7, 3))):
        numbers = [np.array(n, np.int64) for n in (2, 7, delta) if n is not None]
        (y,) = ms(tmp_path, "Range", [constant(n) for n in numbers])
        program.assert_same_bits(y, expected)


@pytest.mark.parametrize("keeps", [0, 1])
def test_means_of_integers(keeps, tmp_path, compiler):
    x, zero = stored(np.uint8, 2, 3, 4), np.uint8(100)
    parameters = [constant(v) for v in (F32(0.03), zero, F32(0.02), np.uint8(90))]
    (y,) = ms(tmp_path, "QLinearReduceMean", [x, *parameters], axes=[0, -1], keepdims=keeps)
    expected = quantized(real(x, 0.03, zero).mean((0, 2), keepdims=bool(keeps), dtype=np.float64), 0.02, np.uint8(90))
    assert y.shape == expected.shape and np.max(np.abs(y.astype(int) - expected)) <= 1


def dynamic(x):
    """DynamicQuantizeLinear: integers without their zero point, and the scale."""
    low, high = min(F32(0), x.min()), max(F32(0), x.max())
    scale = F32(high - low) / F32(255)
    scale = F32(1) if scale == 0 else scale
    zero = np.clip(np.rint((0 - low) / scale), 0, 255)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.int64) - int(zero), scale


@pytest.mark.parametrize("per_column", [False, True])
def test_dynamic_products(per_column, tmp_path, compiler):
    x, w, bias = uniform(4, 16), stored(np.int8, 16, 8), uniform(8)
    scale = RNG.uniform(0.01, 0.1, 8).astype(F32) if per_column else F32(0.05)
    q, s = dynamic(x)
    expected = (q @ w.astype(np.int64)).astype(F32) * (s * scale) + bias
    (y,) = ms(tmp_path, "DynamicQuantizeMatMul", [x, constant(w), constant(scale), None, constant(bias)])
    program.assert_same_bits(y, expected)
    a = stored(np.uint8, 4, 16)
    (y,) = ms(tmp_path, "MatMulIntegerToFloat", [a, constant(w), constant(F32(0.5)), constant(scale),
                                                 constant(np.uint8(3)), None, constant(bias)])
    total = (a.astype(np.int64) - 3) @ w.astype(np.int64)
    program.assert_same_bits(y, total.astype(F32) * (F32(0.5) * scale) + bias)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_dynamic_quantize_lstm(direction, dtype, tmp_path, compiler):
    count, hidden, zero = (2 if direction == "bidirectional" else 1), 8, 128 if dtype is np.uint8 else 0
    x, b = uniform(5, 2, 4), uniform(count, 8 * hidden)
    w, r = stored(dtype, count, 4, 4 * hidden), stored(dtype, count, hidden, 4 * hidden)
    scales, zeros = np.full(count, 0.01, F32), np.full(count, zero, dtype)
    actual = ms(tmp_path, "DynamicQuantizeLSTM",
                [x, constant(w), constant(r), constant(b), None, None, None, None, constant(scales), constant(zeros),
                 constant(scales), constant(zeros)], 3, hidden_size=hidden, direction=direction)
    start = np.zeros((2, hidden))
    ways = [lstm(x, real(w[d], 0.01, zero).T, real(r[d], 0.01, zero).T, b[d], start, start, np.full(2, 5), d == 1)
            for d in range(count)]
    # Inputs and states are rounded to 8 bits.
    for i, axis in enumerate((1, 0, 0)):
        np.testing.assert_allclose(actual[i], np.stack([way[i] for way in ways], axis), atol=0.05)
    # Both products are kernels, that of the states in the loop.
    text = explain(tmp_path / "model.onnx")
    assert text.count(" atom ") == 2 * count, text


@pytest.mark.parametrize("activation, numbers, function", [
    (None, None, lambda x: x), ("Relu", None, lambda x: np.maximum(x, 0)),
    ("LeakyRelu", [0.25], lambda x: np.where(x < 0, F32(0.25) * x, x)),
    ("Clip", [-0.5, 0.75], lambda x: np.clip(x, F32(-0.5), F32(0.75))),
    ("HardSigmoid", [0.5, 0.25], lambda x: np.clip(F32(0.5) * x + F32(0.25), F32(0), F32(1)))])
@pytest.mark.parametrize("adds", [False, True])
def test_fused_conv(activation, numbers, function, adds, tmp_path, compiler):
    """The bits of a Conv, and what follows it."""
    x, w, b, z = uniform(2, 4, 7, 7), uniform(6, 4, 3, 3), uniform(6), uniform(2, 6, 4, 4)
    attributes = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
    (plain,) = run(tmp_path, "Conv", [x, constant(w), constant(b)], **attributes)
    if activation:
        attributes["activation"] = activation
    if numbers:
        attributes["activation_params"] = numbers
    (y,) = ms(tmp_path, "FusedConv", [x, constant(w), constant(b), *([z] if adds else [])], **attributes)
    program.assert_same_bits(y, function(plain + z if adds else plain))


def test_fused_conv_with_an_unknown_activation(tmp_path, compiler):
    with pytest.raises(AssertionError, match="has the activation 'Mish' with 0 parameters"):
        ms(tmp_path, "FusedConv", [uniform(1, 1, 4, 4), constant(uniform(1, 1, 3, 3))], activation="Mish")
    with pytest.raises(AssertionError, match="has the activation 'Elu' with 2 parameters"):
        ms(tmp_path, "FusedConv", [uniform(1, 1, 4, 4), constant(uniform(1, 1, 3, 3))], activation="Elu",
           activation_params=[1.0, 2.0])


@pytest.mark.parametrize("activation, parameters", [
    ("Relu", {}), ("LeakyRelu", {"alpha": 0.25}), ("Elu", {"alpha": 0.5}), ("Selu", {"alpha": 1.5, "gamma": 1.25}),
    ("Softplus", {}), ("Softsign", {}), ("ThresholdedRelu", {"alpha": 0.5}), ("HardSigmoid", {"alpha": 0.25, "beta": 0.5})])
def test_fused_gemm(activation, parameters, tmp_path, compiler):
    """The bits of a Gemm, and of the activation behind it."""
    a, b, c = uniform(3, 8), uniform(5, 8), uniform(5)
    (plain,) = run(tmp_path, "Gemm", [a, constant(b), constant(c)], transB=1)
    (expected,) = run(tmp_path, activation, [plain], **parameters)
    numbers = {f"activation_{name}": number for name, number in parameters.items()}
    (y,) = ms(tmp_path, "FusedGemm", [a, constant(b), constant(c)], transB=1, activation=activation, **numbers)
    program.assert_same_bits(y, expected)


def test_simplified_layer_normalization(tmp_path, compiler):
    """ONNX Runtime writes it into the default domain."""
    x, scale = uniform(3, 16), uniform(16)
    (y,) = run(tmp_path, "SimplifiedLayerNormalization", [x, constant(scale)], epsilon=1e-6)
    skip = np.zeros_like(x)
    (expected,) = ms(tmp_path, "SkipSimplifiedLayerNormalization", [x, constant(skip), constant(scale)], epsilon=1e-6)
    program.assert_same_bits(y, expected)
