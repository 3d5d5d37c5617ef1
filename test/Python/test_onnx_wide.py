"""Quantization to 16 bits, NonZero, and ops whose results have sizes that are data."""

import numpy as np
import pytest
from onnx import numpy_helper

import program
from onnx_model import Model
from test_onnx_composed import constant, run, uniform

F32, I64 = np.float32, np.int64
RNG = np.random.default_rng(14)
WIDE = (np.int16, np.uint16)


def parameters(kind, per_channel):
    info, size = np.iinfo(kind), (4,) if per_channel else ()
    return RNG.uniform(0.001, 0.1, size).astype(F32), RNG.integers(info.min, info.max, size, endpoint=True).astype(kind)


def quantized(x, scale, zero):
    info = np.iinfo(zero.dtype)
    v = np.rint((x / scale).astype(F32).astype(np.float64))
    return np.clip(np.where(np.isnan(v), 0, v) + zero, info.min, info.max).astype(zero.dtype)


@pytest.mark.parametrize("kind", WIDE)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("domain, opset", [("", 21), ("com.microsoft::", 17)])
def test_16_bits(kind, per_channel, domain, opset, tmp_path, compiler):
    scale, zero = parameters(kind, per_channel)
    x = RNG.normal(0, 1500, (3, 4, 5)).astype(F32) * F32(0.05)
    x[:, :, 1] = RNG.integers(-9000, 9000, (3, 4)) / F32(2) * scale  # ties
    x[0, :, 0] = [1e9, -np.inf, np.inf, np.nan]
    model = Model(opset)
    names = [model.constant("s", scale), model.constant("z", zero)]
    attributes = {"axis": 1} if per_channel else {}
    q = model.node(domain + "QuantizeLinear", [model.input("x", x), *names], **attributes)
    turned = model.node("Transpose", [q], perm=[1, 0, 2])
    back = model.node("Transpose", [turned], perm=[1, 0, 2])
    y = model.node(domain + "DequantizeLinear", [back, *names], **attributes)
    results = model.run(tmp_path, [y, q] if kind is np.int16 else [y])
    wide = [v.reshape(-1, 1) if per_channel else v for v in (scale, zero)]
    expected = quantized(x, *wide)
    program.assert_same_bits(results[0], ((expected.astype(np.int64) - wide[1]).astype(F32) * wide[0]).astype(F32))
    if kind is np.int16:
        program.assert_same_bits(results[1], expected)


# Inputs of programs are not of uint16.
@pytest.mark.parametrize("kind, are_inputs", [(np.int16, False), (np.int16, True), (np.uint16, False)])
def test_weights_of_16_bits_are_those_of_the_float_program(kind, are_inputs, tmp_path, compiler):
    info = np.iinfo(kind)
    w = RNG.integers(info.min, info.max, (6, 4), endpoint=True).astype(kind)
    scale, zero = parameters(kind, True)
    x = uniform(3, 6)
    model = Model(21)
    names = [model.value("w", w, are_inputs), model.constant("s", scale), model.constant("z", zero)]
    y = model.node("MatMul", [model.input("x", x), model.node("DequantizeLinear", names, axis=1)])
    model.arrays = [w, x] if are_inputs else [x]
    (actual,) = model.run(tmp_path, [y])
    real = ((w.astype(I64) - zero).astype(F32) * scale).astype(F32)
    (expected,) = run(tmp_path, "MatMul", [x, constant(real)])
    program.assert_same_bits(actual, expected)


def test_output_dtype(tmp_path, compiler):
    x = uniform(3, 4) * F32(1000)
    model = Model(21)
    q = model.node("QuantizeLinear", [model.input("x", x), model.constant("s", F32(0.5))], output_dtype=5)
    (y,) = model.run(tmp_path, [q])
    program.assert_same_bits(y, quantized(x, F32(0.5), np.int16(0)))


def of_uint16(tmp_path, then):
    model = Model(21)
    names = [model.constant("s", F32(0.5)), model.constant("z", np.uint16(9))]
    q = model.node("QuantizeLinear", [model.input("x", uniform(3, 4)), *names])
    return model.run(tmp_path, [then(model, q, names)])


@pytest.mark.parametrize("then, message", [
    (lambda model, q, names: model.node("Add", [q, q]), "reads uint16, which only QuantizeLinear"),
    (lambda model, q, names: q, "has elements of uint16, which are not supported; cut the model"),
    (lambda model, q, names: model.node("DequantizeLinear", [q, names[0], model.constant("i", np.int32(9))]),
     "has elements of int32 in .* and of uint16")])
def test_what_uint16_is_not_for(then, message, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        of_uint16(tmp_path, then)


# Sizes that are data.

@pytest.mark.parametrize("array", [
    np.array([[1, 0, 2], [0, 0, 3]], F32), np.array([True, False, True]), np.array([0, 5, 0, -1], I64),
    np.array([-0.0, np.nan, 1], np.float64), np.array([[0, 0], [0, 7]], np.uint8), np.array([0.0, -0.0, 2], np.float16)])
def test_non_zero_of_constants(array, tmp_path, compiler):
    (y,) = run(tmp_path, "NonZero", [constant(array)])
    program.assert_same_bits(y, np.stack(np.nonzero(array)).astype(I64))


@pytest.mark.parametrize("element", [I64(1), F32(2), np.array(True)])
def test_numbers_from_0_on_as_exporters_write_them(element, tmp_path, compiler):
    model = Model(17)
    shape = model.node("Shape", [model.input("x", uniform(9, 2), ["T", 2])])
    count = model.node("Gather", [shape, model.constant("first", np.array([0], I64))])
    ones = model.node("ConstantOfShape", [count], value=numpy_helper.from_array(np.array([element])))
    y = model.node("Squeeze", [model.node("Transpose", [model.node("NonZero", [ones])]), model.constant("one", np.array([1], I64))])
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, np.arange(9))


@pytest.mark.parametrize("op, inputs, message", [
    ("NonZero", [uniform(3, 4)], "the size of its result is data, and an artifact knows all sizes before it runs"),
    ("NonZero", [constant(np.zeros(3, F32))], "finds no element other than 0"),
    ("NonMaxSuppression", [uniform(1, 5, 4), uniform(1, 1, 5)],
     "NonMaxSuppression .* is not supported, in node .*; the size of its result is data"),
    ("Unique", [uniform(5)], "the size of its result is data"),
    ("com.microsoft::QMoE", [uniform(2, 4), uniform(2, 2)], "data decide which experts each row is multiplied by"),
    ("SequenceConstruct", [uniform(5)], "sequences and optional values are no tensors"),
    ("RandomNormalLike", [uniform(5)], "its results are random; make them inputs")])
def test_refused_with_a_reason(op, inputs, message, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        run(tmp_path, op, inputs)
