"""What the importer chooses where ONNX, ONNX Runtime and PyTorch do not say the same; docs/Numerics.md states each choice."""

import subprocess

import numpy as np
import pytest

import program
from onnx_model import Model
from package import qcc

F32, I64 = np.float32, np.int64
NAN, INF = np.nan, np.inf


def run(tmp_path, op, arrays, constants=(), outputs=1, opset=19, dims=None, **attributes):
    """The results of one node; `constants` are the places of inputs that are constants."""
    model = Model(opset)
    names = ["" if x is None else model.constant(f"x{i}", x) if i in constants else
             model.input(f"x{i}", np.asarray(x), dims if i == 0 else None) for i, x in enumerate(arrays)]
    results = model.node(op, names, outputs, **attributes)
    data = model.model(results if outputs > 1 else [results]).SerializeToString()
    (tmp_path / "model.onnx").write_bytes(data)
    y = qcc.compile(data).function()(*model.arrays)
    return [np.asarray(part) for part in (y if isinstance(y, tuple) else (y,))]


def warning_of(tmp_path, op, arrays, constants=(), **attributes):
    """What the import says of a node."""
    run(tmp_path, op, arrays, constants, **attributes)
    done = subprocess.run([str(program.qcc()), "compile", str(tmp_path / "model.onnx"), "-o", str(tmp_path / "m.so")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def transposed(x, w, stride, before, after):
    """A transposed convolution of a row, from which elements are cut off, or added at the end."""
    full = np.zeros((len(x) - 1) * stride + len(w) + max(-after, 0))
    for i, value in enumerate(x):
        full[i * stride:i * stride + len(w)] += value * w
    return full[before:len(full) - max(after, 0)]


@pytest.mark.parametrize("mode", [None, "NOTSET", "VALID", "SAME_LOWER", "SAME_UPPER"])
@pytest.mark.parametrize("wanted", [11, 9, 8, 7, 2])
def test_the_larger_half_is_cut_off_at_the_start(mode, wanted, tmp_path, compiler):
    """Unless auto_pad is SAME_UPPER."""
    x, w = np.arange(1, 5, dtype=F32), np.array([1, 10, 100], F32)
    total = 9 - wanted
    less, more = max(total, 0) // 2, max(total, 0) - max(total, 0) // 2
    before, after = (less, more) if mode == "SAME_UPPER" else (more, less)
    attributes = {"auto_pad": mode} if mode else {}
    (y,) = run(tmp_path, "ConvTranspose", [x[None, None], w[None, None]], (1,), strides=[2], output_shape=[wanted], **attributes)
    expected = transposed(x, w, 2, before, after if total >= 0 else total)
    np.testing.assert_array_equal(y[0, 0], expected.astype(F32))


def test_padding_of_a_transposed_convolution_beyond_its_window(tmp_path, compiler):
    x, w = np.arange(1, 6, dtype=F32), np.array([1, 10, 100], F32)
    for pads in ([3, 4], [5, 0], [0, 6]):
        for dims in (None, [1, 1, "n"]):
            (y,) = run(tmp_path, "ConvTranspose", [x[None, None], w[None, None]], (1,), strides=[2], pads=pads, dims=dims)
            np.testing.assert_array_equal(y[0, 0], transposed(x, w, 2, *pads).astype(F32))
    with pytest.raises(qcc.Error, match="has padding by which no element of the image is left; correct the padding"):
        run(tmp_path, "ConvTranspose", [x[None, None], w[None, None]], (1,), strides=[2], pads=[11, 0], output_padding=[1])


def test_windows_shorter_than_strides(tmp_path, compiler):
    x, w = np.arange(1, 5, dtype=F32)[None, None], np.ones((1, 1, 1), F32)
    (y,) = run(tmp_path, "ConvTranspose", [x, w], (1,), strides=[2], auto_pad="SAME_LOWER")
    np.testing.assert_array_equal(y.ravel(), [1, 0, 2, 0, 3, 0, 4, 0])
    text = warning_of(tmp_path, "ConvTranspose", [x, w], (1,), strides=[2], auto_pad="SAME_LOWER")
    assert "warning: node 'ConvTranspose_0_0' (ConvTranspose-11) has auto_pad, a stride of 2 and windows of 1" in text
    assert text.count("warning") == 1


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_places_of_nan(op, tmp_path, compiler):
    """A NaN is better than any number, the first one or the last one."""
    for x in ([1, NAN, 3, NAN], [NAN, 1, 3], [1, 3, NAN], [NAN, NAN, 1], [INF, -INF, NAN]):
        places = np.flatnonzero(np.isnan(x))
        for last in (0, 1):
            (y,) = run(tmp_path, op, [np.array(x, F32)], axis=0, select_last_index=last)
            assert y[0] == places[-1 if last else 0], (x, last)


def test_backward_slices(tmp_path, compiler):
    x = np.arange(5, dtype=F32)
    for end in (2**31 - 1, 2**63 - 1):
        inputs = [x, np.array([-1]), np.array([end]), np.array([0]), np.array([-1])]
        assert run(tmp_path, "Slice", inputs, (1, 2, 3, 4))[0].shape == (0,)
        text = warning_of(tmp_path, "Slice", inputs, (1, 2, 3, 4))
        assert f"has a negative step and the end {end}, by which ONNX takes no element" in text
    (y,) = run(tmp_path, "Slice", [x, np.array([9]), np.array([-2**63]), np.array([0]), np.array([-2])], (1, 2, 3, 4))
    np.testing.assert_array_equal(y, x[::-2])


def test_casts_to_bytes_saturate(tmp_path, compiler):
    x = np.array([-1.5, -300, 300, 256.7, NAN, INF, -INF], F32)
    assert run(tmp_path, "Cast", [x], to=2)[0].tolist() == [0, 0, 255, 255, 0, 255, 0]
    assert run(tmp_path, "Cast", [x], to=3)[0].tolist() == [-1, -128, 127, 127, 0, 127, -128]


def test_nan_is_quantized_to_the_zero_point(tmp_path, compiler):
    x = np.array([NAN, INF, -INF, 3], F32)
    for zero, expected in ((np.uint8(7), [7, 255, 0, 13]), (np.int8(7), [7, 127, -128, 13])):
        assert run(tmp_path, "QuantizeLinear", [x, F32(0.5), zero], (1, 2))[0].tolist() == expected


def test_the_power_of_a_half(tmp_path, compiler):
    """The same as a constant and as an input: that of C."""
    x = np.array([-INF, -0.0, 0.0, -1, 4, 2, NAN, INF], F32)
    expected = np.array([INF, 0, 0, NAN, 2, np.sqrt(F32(2)), NAN, INF], F32)
    program.assert_same_bits(run(tmp_path, "Pow", [x, F32(0.5)], (1,))[0], expected)
    (y,) = run(tmp_path, "Pow", [x, F32(0.5)])
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert not np.signbit(y[1])


def test_remainders_of_floats(tmp_path, compiler):
    random = np.random.default_rng(8)
    with np.errstate(all="ignore"):
        x = (random.standard_normal(4000) * 10.0 ** random.integers(-44, 38, 4000)).astype(F32)
        y = (random.standard_normal(4000) * 10.0 ** random.integers(-44, 38, 4000)).astype(F32)
        x[:9], y[:9] = [5.5, -5.5, 3, -3, INF, 1, NAN, -4, 0], [2, 2, -2, 0, 2, INF, 2, 4, INF]
        expected = np.fmod(x, y)
        program.assert_same_bits(run(tmp_path, "Mod", [x, y], fmod=1)[0], expected)
        half = x[:9].astype(np.float16), y[:9].astype(np.float16)
        program.assert_same_bits(run(tmp_path, "Mod", half, fmod=1)[0], np.fmod(*half))
    with pytest.raises(qcc.Error, match=r"has fmod = 0, which ONNX defines for integers only; set it to 1"):
        run(tmp_path, "Mod", [x, y])


@pytest.mark.parametrize("scale", [0.7, 2.3, 0.6, 1.1, 0.35, 1.5, 3])
@pytest.mark.parametrize("mode", ["align_corners", "half_pixel_symmetric"])
def test_sizes_from_scales(scale, mode, tmp_path, compiler):
    """The product is one of float32, and corners are aligned by the size that results; of dynamic sizes, too."""
    for n in (10, 20, 30, 7):
        x = np.random.default_rng(n).standard_normal((1, 1, n)).astype(F32)
        inputs, attributes = [x, None, np.array([1, 1, scale], F32)], dict(mode="linear", coordinate_transformation_mode=mode)
        (y,) = run(tmp_path, "Resize", inputs, (2,), **attributes)
        size = int(np.floor(F32(scale) * F32(n)))
        assert y.shape == (1, 1, size), n
        if mode == "align_corners":
            expected = np.interp(np.arange(size) * (n - 1) / (size - 1), np.arange(n), x[0, 0])
            np.testing.assert_allclose(y[0, 0], expected, atol=1e-6)
        program.assert_same_bits(run(tmp_path, "Resize", inputs, (2,), dims=[1, 1, "n"], **attributes)[0], y)


def test_sums_of_bytes_have_no_bias(tmp_path, compiler):
    """Exact halves are rounded to even, as in float64: 1 + x in quarters."""
    a = np.arange(-128, 128, dtype=np.int8)
    scale = F32(2 / 255)
    inputs = [a, scale, np.int8(0), np.array([127], np.int8), F32(scale / 2), np.int8(0), scale, np.int8(-127)]
    (y,) = run(tmp_path, "com.microsoft::QLinearAdd", inputs, range(1, 8))
    real = np.rint(a + 127 * 0.5) - 127
    np.testing.assert_array_equal(y, np.clip(real, -128, 127).astype(np.int8))


@pytest.mark.parametrize("scale, zero", [([0.1], 3), (0.1, [3]), ([0.1], [3]), (0.1, 3)])
def test_one_scale_of_either_shape(scale, zero, tmp_path, compiler):
    x = np.arange(6, dtype=F32).reshape(2, 3)
    scale, zero = np.array(scale, F32), np.array(zero, np.uint8)
    (q,) = run(tmp_path, "QuantizeLinear", [x, scale, zero], (1, 2))
    np.testing.assert_array_equal(q, np.rint(x / F32(0.1)) + 3)
    for constants in ((1, 2), ()):
        (y,) = run(tmp_path, "DequantizeLinear", [q, scale, zero], constants)
        program.assert_same_bits(y, (q.astype(F32) - 3) * F32(0.1))


@pytest.mark.parametrize("zero", [np.int32(3), np.array([3, -4], np.int32)])
def test_int32_with_a_zero_point(zero, tmp_path, compiler):
    x = np.array([[5, -5, 0], [1 << 30, 7, -9]], np.int32)
    scale = np.full(np.shape(zero), 0.5, F32)
    (y,) = run(tmp_path, "DequantizeLinear", [x, scale, zero], (1, 2), axis=0)
    wide = np.reshape(zero, (-1, 1)) if np.ndim(zero) else zero
    program.assert_same_bits(y, (x - wide).astype(F32) * F32(0.5))


def test_a_size_that_is_computed_to_be_one(tmp_path, compiler):
    """[6b, 1, s] as [b, 6, -1, s] is broadcast along what -1 stands for."""
    model, x = Model(18), np.random.default_rng(1).standard_normal((2, 3)).astype(F32)
    m = model.input("m", x, ["b", "s"])
    b, s = (model.node("Shape", [m], start=i, end=i + 1) for i in (0, 1))
    six, one, rest = (model.constant(name, np.array([v], I64)) for name, v in (("six", 6), ("one", 1), ("rest", -1)))
    rows = model.node("Mul", [b, six])
    y = model.node("Reshape", [m, model.node("Concat", [b, one, one, s], axis=0)])
    y = model.node("Expand", [y, model.node("Concat", [b, six, one, s], axis=0)])
    y = model.node("Reshape", [y, model.node("Concat", [rows, one, s], axis=0)])
    y = model.node("Reshape", [y, model.node("Concat", [b, six, rest, s], axis=0)])
    scores = model.node("Expand", [model.constant("half", np.array([0.5], F32)), model.node("Concat", [b, six, s, s], axis=0)])
    (y,) = model.run(tmp_path, [model.node("Add", [scores, y])])
    program.assert_same_bits(y, np.broadcast_to(x[:, None, None] + F32(0.5), (2, 6, 3, 3)))
