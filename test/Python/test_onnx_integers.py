"""Single-op ONNX models of integers against numpy, bit for bit.

The oracle sums in int64 and computes float32 as docs/Numerics.md (N2, N5, N6) writes it.
"""

import subprocess

import numpy as np
import pytest
from onnx import TensorProto, helper

import program
from onnx_model import Model

SEEDS = range(12)
KINDS = (np.int8, np.uint8)
F32 = np.float32


def integers(random, kind, shape):
    """Integers over the whole range, its ends more often."""
    info = np.iinfo(kind)
    values = random.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
    ends = random.choice(np.array([info.min, info.max], kind), shape)
    return np.where(random.random(shape) < 0.2, ends, values).astype(kind)


def saturate(v, zero, kind):
    """rint(v) + zero, saturated; NaN gives zero (N5)."""
    info = np.iinfo(kind)
    rounded = np.rint(v.astype(np.float64))
    moved = np.where(np.isnan(rounded), 0, rounded) + np.float64(zero)
    return np.clip(moved, info.min, info.max).astype(kind)


def scale(random, shape=()):
    return random.uniform(0.001, 0.1, shape).astype(F32)


def requantize(acc, sx, sw, sy, zy, kind):
    m = ((sx * sw).astype(F32) / sy).astype(F32)
    return saturate((acc.astype(np.int32).astype(F32) * m).astype(F32), zy, kind)


def convolve(x, w, strides, dilations, pads, groups):
    """Sums in int64 of images [N, C, ...]; `pads` are those before each dimension, then those behind each."""
    rank = x.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *zip(pads[:rank], pads[rank:])))
    filters, depth, *kernel = w.shape
    sizes = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, strides, dilations)]
    acc = np.zeros((x.shape[0], filters, *sizes), np.int64)
    for f in range(filters):
        first = f // (filters // groups) * depth
        for c in range(depth):
            for at in np.ndindex(*kernel):
                places = tuple(slice(i * d, i * d + (n - 1) * s + 1, s)
                               for i, n, s, d in zip(at, sizes, strides, dilations))
                acc[:, f] += x[(slice(None), first + c, *places)] * w[(f, c, *at)]
    return acc


class Convolution:
    """A convolution drawn by chance."""

    def __init__(self, random, weight_kinds=KINDS, image=(7, 9)):
        rank = len(image)
        self.groups = int(random.choice([1, 1, 2, 3]))
        depth, filters = int(random.integers(1, 5)), self.groups * int(random.integers(1, 4))
        self.kernel = [int(k) for k in random.integers(1, 4, rank)]
        self.strides = [int(s) for s in random.integers(1, 3, rank)]
        self.dilations = [int(d) for d in random.integers(1, 3, rank)]
        extents = [d * (k - 1) + 1 for d, k in zip(self.dilations, self.kernel)]
        self.pads = [int(random.integers(0, e)) for e in extents + extents]
        self.x_kind, w_kind = random.choice(KINDS), random.choice(weight_kinds)
        self.x = integers(random, self.x_kind, (2, depth * self.groups, *image))
        self.w = integers(random, w_kind, (filters, depth, *self.kernel))
        self.zx = integers(random, self.x_kind, ())
        self.filters, self.w_kind = filters, w_kind

    def attributes(self):
        return dict(strides=self.strides, dilations=self.dilations, pads=self.pads,
                    group=self.groups)

    def along_channels(self, values):
        """One value for each result, in the shape in which results are combined with it."""
        return np.asarray(values).reshape(-1, *[1] * len(self.kernel))

    def sums(self, zw):
        x = self.x.astype(np.int64) - np.int64(self.zx)
        w = self.w.astype(np.int64) - self.along_channels(zw).astype(np.int64)[:, None]
        return convolve(x, w, self.strides, self.dilations, self.pads, self.groups)


# An image of one, two and three spatial dimensions for each of a few draws.
DRAWS = [(seed, (7, 9)) for seed in SEEDS] + [(seed, (11,)) for seed in range(3)] + [
    (seed, (5, 6, 7)) for seed in range(8)]


@pytest.mark.parametrize("seed, image", DRAWS, ids=str)
def test_qlinear_conv(seed, image, cpu, tmp_path):
    random = np.random.default_rng(seed)
    conv = Convolution(random, image=image)
    channels = conv.filters if seed % 2 else 1
    zw = integers(random, conv.w_kind, channels) if seed % 3 else np.zeros(channels, conv.w_kind)
    sx, sw, sy = scale(random), scale(random, channels), scale(random) * F32(50)
    kind = random.choice(KINDS)
    zy = integers(random, kind, ())
    bias = random.integers(-5000, 5000, conv.filters, dtype=np.int32)
    model = Model()
    scalar = channels == 1
    names = [model.input("x", conv.x), model.constant("sx", sx), model.constant("zx", conv.zx),
             model.value("w", conv.w, seed % 4 == 0),
             model.constant("sw", sw[0] if scalar else sw),
             model.constant("zw", zw[0] if scalar else zw),
             model.constant("sy", sy), model.constant("zy", zy)]
    acc = conv.sums(zw)
    if seed % 5:
        names.append(model.constant("bias", bias))
        acc = acc + conv.along_channels(bias)
    y = model.node("QLinearConv", names, **conv.attributes())
    expected = requantize(acc, sx, conv.along_channels(sw), sy, zy, kind)
    (actual,) = model.run(tmp_path, [y], [f"--mcpu={cpu}"])
    program.assert_same_bits(actual, expected)


@pytest.mark.parametrize("seed, image", DRAWS, ids=str)
def test_conv_integer(seed, image, tmp_path):
    random = np.random.default_rng(100 + seed)
    conv = Convolution(random, image=image)
    zw = integers(random, conv.w_kind, ())
    model = Model()
    names = [model.input("x", conv.x), model.constant("w", conv.w)]
    zeros = [conv.zx, zw]
    if seed % 3 == 0:
        conv.zx, zeros = np.zeros((), conv.x_kind), []
        zw = np.zeros((), conv.w_kind)
    names += [model.value(f"z{i}", zero, seed % 2 == 0) for i, zero in enumerate(zeros)]
    y = model.node("ConvInteger", names, **conv.attributes())
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, conv.sums(zw).astype(np.int32))


# Shapes of both operands of a product.
PRODUCTS = [((5, 17), (17, 6)), ((2, 3, 4, 9), (9, 5)), ((3, 4, 9), (3, 9, 5)),
            ((4, 9), (2, 9, 5)), ((2, 1, 4, 9), (1, 3, 9, 5)), ((9,), (9, 5)), ((4, 9), (9,))]


@pytest.mark.parametrize("shapes", PRODUCTS, ids=str)
@pytest.mark.parametrize("kinds", [(a, b) for a in KINDS for b in KINDS],
                         ids=lambda kinds: "x".join(k.__name__ for k in kinds))
def test_matmul_integer(shapes, kinds, tmp_path):
    random = np.random.default_rng(7)
    a, b = (integers(random, kind, shape) for kind, shape in zip(kinds, shapes))
    za, zb = (integers(random, kind, ()) for kind in kinds)
    model = Model()
    y = model.node("MatMulInteger", [model.input("a", a), model.constant("b", b),
                                     model.input("za", za), model.constant("zb", zb)])
    expected = np.matmul(a.astype(np.int64) - np.int64(za), b.astype(np.int64) - np.int64(zb))
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, expected.astype(np.int32))


@pytest.mark.parametrize("shapes", PRODUCTS, ids=str)
@pytest.mark.parametrize("kinds", [(a, b) for a in KINDS for b in KINDS],
                         ids=lambda kinds: "x".join(k.__name__ for k in kinds))
def test_qlinear_matmul(shapes, kinds, tmp_path):
    random = np.random.default_rng(8)
    a, b = (integers(random, kind, shape) for kind, shape in zip(kinds, shapes))
    per_column = shapes[1] in ((17, 6), (9, 5))
    columns = shapes[1][-1] if per_column else 1
    za, zb = integers(random, kinds[0], ()), integers(random, kinds[1], columns)
    sa, sb, sy = scale(random), scale(random, columns), scale(random) * F32(30)
    kind = random.choice(KINDS)
    zy = integers(random, kind, ())
    model = Model()
    y = model.node("QLinearMatMul", [
        model.input("a", a), model.constant("sa", sa), model.constant("za", za),
        model.constant("b", b), model.constant("sb", sb), model.constant("zb", zb),
        model.constant("sy", sy), model.constant("zy", zy)])
    acc = np.matmul(a.astype(np.int64) - np.int64(za),
                    b.astype(np.int64) - (zb if per_column else zb[0]).astype(np.int64))
    expected = requantize(acc, sa, sb if per_column else sb[0], sy, zy, kind)
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, expected)


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [None, 0, -1, 1])
def test_quantize_linear(kind, axis, tmp_path):
    random = np.random.default_rng(9)
    shape = (4, 5, 6)
    s = scale(random, () if axis is None else shape[axis])
    z = integers(random, kind, s.shape)
    place = [1, 1, 1]
    if axis is not None:
        place[axis] = -1
    wide_s, wide_z = s.reshape(place), z.reshape(place)
    # Ties, halves between two integers, and what no scale makes finite.
    x = (random.integers(-300, 300, shape).astype(F32) / 2 * wide_s).astype(F32)
    x[0, 0] = SPECIAL[:6]
    x[1, 1, :3] = SPECIAL[6:]
    model = Model()
    names = [model.input("x", x), model.constant("s", s), model.constant("z", z)]
    attributes = {} if axis in (None, 1) else {"axis": axis}
    y = model.node("QuantizeLinear", names, **attributes)
    back = model.node("DequantizeLinear", [y, "s", "z"], **attributes)
    with np.errstate(all="ignore"):
        expected = saturate((x / wide_s).astype(F32), wide_z, kind)
    actual, real = model.run(tmp_path, [y, back])
    program.assert_same_bits(actual, expected)
    difference = expected.astype(np.int32) - wide_z.astype(np.int32)
    program.assert_same_bits(real, (difference.astype(F32) * wide_s).astype(F32))


@pytest.mark.parametrize("low, high", [(-3, 5), (0, 0), (1, 4), (-7, -2), (-1e-38, 1e-39)])
def test_dynamic_quantize_linear(low, high, tmp_path):
    x = np.random.default_rng(10).uniform(low, high, (7, 33)).astype(F32)
    model = Model()
    names = model.node("DynamicQuantizeLinear", [model.input("x", x)], outputs=3)
    least, most = np.minimum(F32(0), x.min()), np.maximum(F32(0), x.max())
    with np.errstate(all="ignore"):
        s = F32(F32(most - least) / F32(255))
        s = F32(1) if s == 0 else s
        z = saturate(np.asarray(F32(0) - F32(least / s)), 0, np.uint8)
        expected = saturate((x / s).astype(F32), z, np.uint8)
    y, actual_s, actual_z = model.run(tmp_path, names)
    assert actual_s == s and actual_z == z
    program.assert_same_bits(y, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pads, strides, sy", [
    ([0, 0, 0, 0], [2, 2], None), ([1, 1, 1, 1], [1, 2], None), ([1, 0, 0, 1], [2, 1], 0.07)])
def test_max_pool_of_a_quantized_image(kind, pads, strides, sy, tmp_path, compiler):
    """Between the same parameters it is the greatest integers, also in other ones a maximum."""
    random = np.random.default_rng(11)
    q = integers(random, kind, (2, 3, 8, 9))
    s, z = F32(0.05), integers(random, kind, ())
    sy = s if sy is None else F32(sy)
    model = Model()
    names = [model.constant("s", s), model.constant("z", z)]
    real = model.node("DequantizeLinear", [model.input("q", q), *names])
    pooled = model.node("MaxPool", [real], kernel_shape=[2, 3], pads=pads, strides=strides)
    y = model.node("QuantizeLinear", [pooled, model.constant("sy", sy), "z"])
    top, left, bottom, right = pads
    wide = np.pad(q.astype(np.int32), ((0, 0), (0, 0), (top, bottom), (left, right)),
                  constant_values=-1000)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (2, 3), axis=(2, 3))
    greatest = windows[:, :, ::strides[0], ::strides[1]].max(axis=(4, 5))
    values = ((greatest - np.int32(z)).astype(F32) * s).astype(F32)
    actual, floats = model.run(tmp_path, [y, pooled])
    program.assert_same_bits(floats, values)
    program.assert_same_bits(actual, saturate((values / sy).astype(F32), z, kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ceil", [0, 1])
def test_a_quantized_max_pool_of_a_contraction(ceil, kind, tmp_path, compiler):
    """The stem of a residual network, whose max pooling stands between a convolution and its quantization: of bytes."""
    random = np.random.default_rng(13)
    x, w = integers(random, kind, (2, 3, 8, 11)), integers(random, np.int8, (4, 3, 1, 1))
    sx, sw, sy, zy = F32(0.03), F32(0.02), F32(0.5), integers(random, kind, ())
    model = Model()
    image = model.node("DequantizeLinear", [model.input("x", x), model.constant("sx", sx)])
    weight = model.node("DequantizeLinear", [model.constant("w", w), model.constant("sw", sw)])
    real = model.node("Relu", [model.node("Conv", [image, weight])])
    pooled = model.node("MaxPool", [real], kernel_shape=[3, 3], strides=[2, 3], pads=[1, 1, 1, 1], ceil_mode=ceil)
    y = model.node("QuantizeLinear", [pooled, model.constant("sy", sy), model.constant("zy", zy)])
    acc = np.einsum("nchw,fc->nfhw", x.astype(np.int64), w[:, :, 0, 0].astype(np.int64))
    values = np.maximum(acc.astype(F32) * (sx * sw), F32(0))
    rows, columns = 5 if ceil else 4, 4
    wide = np.full((2, 4, 2 * rows + 2, 3 * columns + 2), -np.inf, F32)
    wide[:, :, 1:9, 1:12] = values[:, :, :wide.shape[2] - 1, :wide.shape[3] - 1]
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(2, 3))[:, :, ::2, ::3]
    greatest = windows[:, :, :rows, :columns].max(axis=(4, 5))
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, saturate((greatest / sy).astype(F32), zy, kind))
    done = subprocess.run([str(program.qcc()), "explain", str(tmp_path / "model.onnx"), "--json"], capture_output=True,
                          text=True, check=True)
    assert "may be NaN" not in done.stdout and done.stdout.count('"contract"') == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_quantized_max_pool_with_nan(kind, tmp_path, compiler):
    """A NaN is quantized to the zero point after the maximum, not before."""
    x = np.array([[[1, np.nan, 2, 3, np.inf, -np.inf, -1]]], F32)
    sy, zy = F32(0.1), kind(50)
    model = Model()
    pooled = model.node("MaxPool", [model.input("x", x)], kernel_shape=[2])
    y = model.node("QuantizeLinear", [pooled, model.constant("sy", sy), model.constant("zy", zy)])
    (actual,) = model.run(tmp_path, [y])
    most = np.iinfo(kind).max
    np.testing.assert_array_equal(actual, np.array([[[50, 50, 80, most, most, 40]]], kind))
    done = subprocess.run([str(program.qcc()), "explain", str(tmp_path / "model.onnx")], capture_output=True, text=True,
                          check=True)
    assert "its operand may be NaN, as far as is known" in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_conv_transpose_of_dequantized_values(kind, tmp_path, compiler):
    """fma(f32(acc), sx * sw, bias) of exact sums (N3), with scales of channels."""
    random = np.random.default_rng(12)
    x, w = integers(random, kind, (1, 3, 4, 5)), integers(random, np.int8, (3, 4, 2, 3))
    sx, sw, zx = scale(random), scale(random, 4), integers(random, kind, ())
    bias = random.uniform(-3, 3, 4).astype(F32)
    model = Model()
    real = model.node("DequantizeLinear", [
        model.input("x", x), model.constant("sx", sx), model.constant("zx", zx)])
    weight = model.node("DequantizeLinear", [model.constant("w", w), model.constant("sw", sw)],
                        axis=1)
    y = model.node("ConvTranspose", [real, weight, model.constant("b", bias)], strides=[2, 2],
                   pads=[0, 1, 1, 1], output_padding=[1, 0])
    acc = np.zeros((1, 4, 8, 11), np.int64)
    for i in range(4):
        for j in range(5):
            pixel = x[:, :, i, j].astype(np.int64) - np.int64(zx)
            acc[:, :, 2 * i:2 * i + 2, 2 * j:2 * j + 3] += np.einsum("nc,cfhw->nfhw", pixel,
                                                                   w.astype(np.int64))
    acc = np.pad(acc, ((0, 0), (0, 0), (0, 1), (0, 0)))[:, :, 0:8, 1:10]
    product = acc.astype(np.int32).astype(F32).astype(np.float64) * np.float64(
        (sx * sw).astype(F32)).reshape(-1, 1, 1)
    # A product of two f32 is exact in f64, the sum nearly: no tie is that near here.
    expected = (product + bias.astype(np.float64).reshape(-1, 1, 1)).astype(F32)
    (actual,) = model.run(tmp_path, [y])
    program.assert_same_bits(actual, expected)


@pytest.mark.parametrize("raw", [False, True])
def test_constants_of_a_page_or_more_in_fields_of_their_type(raw, tmp_path, compiler):
    """What the importer unpacks is read long after it has gone, when kernels are made."""
    random = np.random.default_rng(3)
    w, s = integers(random, np.int8, (64, 4096)), scale(random, (4096,))
    model = Model()
    x = model.input("x", integers(random, np.int8, (2, 64)))
    weight = model.node("DequantizeLinear", [model.constant("w", w), model.constant("s", s)], axis=1)
    y = model.node("MatMul", [model.node("DequantizeLinear", [x, model.constant("one", np.float32(1))]), weight])
    if not raw:
        for tensor, field, array in zip(model.constants, ("int32_data", "float_data"), (w, s)):
            tensor.ClearField("raw_data")
            getattr(tensor, field).extend(array.ravel().tolist())
    (actual,) = model.run(tmp_path, [y])
    expected = (model.arrays[0].astype(np.int64) @ w.astype(np.int64)).astype(np.float32) * s
    program.assert_same_bits(actual, expected)


@pytest.mark.parametrize("rows", [1, 7, 40])
@pytest.mark.parametrize("form", ["dequantized", "qlinear", "integer"])
def test_a_dynamic_sum_is_on_integers(form, rows, cpu, tmp_path):
    """As the product of probabilities and values, of sequences of any length."""
    random = np.random.default_rng(rows)
    model = Model()
    p = model.input("p", integers(random, np.uint8, (2, 3, rows)), (2, 3, "length"))
    v = model.input("v", integers(random, np.int8, (2, rows, 5)), (2, "length", 5))
    zp, zv, zy = np.uint8(3), np.int8(-7), np.int8(11)
    sp, sv, sy = F32(0.004), F32(0.03), F32(0.5)
    names = [model.constant(f"c{i}", value) for i, value in enumerate((sp, zp, sv, zv, sy, zy))]
    if form == "dequantized":
        y = model.node("MatMul", [model.node("DequantizeLinear", [p, *names[:2]]),
                                  model.node("DequantizeLinear", [v, *names[2:4]])])
    elif form == "qlinear":
        y = model.node("QLinearMatMul", [p, *names[:2], v, *names[2:]])
    else:
        y = model.node("MatMulInteger", [p, v, names[1], names[3]])
    (actual,) = model.run(tmp_path, [y], [f"--mcpu={cpu}"])
    acc = (model.arrays[0].astype(np.int64) - zp) @ (model.arrays[1].astype(np.int64) - zv)
    expected = {"dequantized": acc.astype(F32) * (sp * sv), "qlinear": requantize(acc, sp, sv, sy, zy, np.int8),
                "integer": acc.astype(np.int32)}[form]
    program.assert_same_bits(actual, expected)


def test_a_dynamic_sum_that_could_overflow_is_refused(tmp_path, compiler):
    model = Model()
    p = model.input("p", np.ones((1, 65794), np.uint8), (1, "length"))
    v = model.input("v", np.ones((65794, 1), np.int8), ("length", 1))
    zero = model.constant("z", np.int8(0))
    y = model.node("MatMulInteger", [p, v, "", zero])
    with pytest.raises(AssertionError, match="could overflow i32: K must be at most 65793"):
        model.run(tmp_path, [y])


@pytest.mark.parametrize("shape", [(), (1,)])
def test_parameters_of_one_element_that_are_inputs(shape, tmp_path, compiler):
    """Scales and zero points in a dimension of their own, as ONNX's tests of QLinearMatMul have them."""
    random = np.random.default_rng(2)
    a, b = (random.integers(-128, 128, size).astype(np.int8) for size in ((2, 20), (20, 12)))
    graph = Model()
    names = []
    for i, value in enumerate([a, np.float32(0.5), np.int8(3), b, np.float32(0.25), np.int8(-7), np.float32(8), np.int8(5)]):
        names.append(graph.input(f"x{i}", np.asarray(value).reshape(shape) if np.ndim(value) == 0 else value))
    (y,) = graph.run(tmp_path, [graph.node("QLinearMatMul", names)])
    total = (a.astype(np.int64) - 3) @ (b.astype(np.int64) + 7)
    expected = np.clip(np.rint(total.astype(np.float32) * np.float32(0.5 * 0.25 / 8)) + 5, -128, 127).astype(np.int8)
    program.assert_same_bits(y, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_pad_of_quantized_values(kind, tmp_path, compiler):
    """By a value that is quantized as well, as ONNX Runtime writes it: dequantized, and as integers."""
    random = np.random.default_rng(4)
    x, value = integers(random, kind, (2, 5)), np.array(7, kind)
    graph = Model()
    names = [graph.constant("s", np.float32(0.5)), graph.constant("z", np.array(3, kind))]
    stored = graph.input("x", x)
    pads, one = graph.constant("pads", np.array([0, 2, 1, 0])), graph.constant("value", value)
    real = graph.node("DequantizeLinear", [stored, *names])
    by = graph.node("DequantizeLinear", [one, *names])
    results = graph.run(tmp_path, [graph.node("Pad", [real, pads, by]), graph.node("Pad", [stored, pads, one]),
                                   graph.node("Pad", [stored, pads])])
    expected = np.pad(x, [(0, 1), (2, 0)], constant_values=value)
    program.assert_same_bits(results[0], (expected.astype(np.float32) - 3) * np.float32(0.5))
    program.assert_same_bits(results[1], expected)
    program.assert_same_bits(results[2], np.pad(x, [(0, 1), (2, 0)]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [-0.75, 1.25, 0.75, 400.0, -400.0, np.nan])
def test_pad_by_a_constant_that_the_model_quantizes(value, kind, tmp_path, compiler):
    """As ONNX Runtime writes a value that is a node of op Constant; ties go to even, NaN to the zero point."""
    random = np.random.default_rng(4)
    x = random.standard_normal((2, 5)).astype(np.float32)
    graph = Model()
    names = [graph.constant("s", np.float32(0.5)), graph.constant("z", np.array(3, kind))]
    quantized = graph.node("QuantizeLinear", [graph.constant("value", np.float32(value)), *names])
    by = graph.node("DequantizeLinear", [quantized, *names])
    y, q = graph.run(tmp_path, [graph.node("Pad", [graph.input("x", x), graph.constant("pads", np.array([0, 2, 1, 0])), by]),
                                quantized])
    info = np.iinfo(kind)
    expected = 3 if np.isnan(value) else int(np.clip(np.rint(value / 0.5) + 3, info.min, info.max))
    program.assert_same_bits(q, np.array(expected, kind))
    program.assert_same_bits(y, np.pad(x, [(0, 1), (2, 0)], constant_values=np.float32((expected - 3) * 0.5)))


@pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT4])
@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("as_node", [False, True])
def test_weights_of_four_bits(kind, raw, as_node, tmp_path, compiler):
    """Two in a byte, of an odd number of elements; a scale and a zero point for each result."""
    random = np.random.default_rng(6)
    least = -8 if kind == TensorProto.INT4 else 0
    weight, zero = random.integers(least, least + 16, (5, 3)), random.integers(least, least + 16, 3)
    x = random.integers(-128, 128, (2, 5)).astype(np.int8)
    scale = (2.0 ** random.integers(-4, 0, 3)).astype(np.float32)
    graph = Model(opset=21)

    def constant(name, values):
        packed = np.append(values.ravel(), 0)[:values.size + values.size % 2] & 15
        data = (packed[::2] | packed[1::2] << 4).astype(np.uint8)
        tensor = (helper.make_tensor(name, kind, values.shape, data.tobytes(), raw=True) if raw else
                  TensorProto(name=name, data_type=kind, dims=values.shape, int32_data=data.tolist()))
        if as_node:
            return graph.node("Constant", [], value=tensor)
        graph.constants.append(tensor)
        return name

    half = graph.constant("half", np.float32(0.5))
    real = graph.node("DequantizeLinear", [constant("w", weight), graph.constant("s", scale), constant("z", zero)], axis=1)
    (y,) = graph.run(tmp_path, [graph.node("MatMul", [graph.node("DequantizeLinear", [graph.input("x", x), half]), real])])
    program.assert_same_bits(y, ((x * 0.5) @ ((weight - zero) * scale)).astype(np.float32))


def test_four_bits_are_not_taken_for_eight(tmp_path):
    """What saturates to four bits, or is itself four bits, is refused by name."""
    graph = Model(opset=21)
    graph.constants.append(helper.make_tensor("z", TensorProto.INT4, [], [1]))
    x, s = graph.input("x", np.ones(4, np.float32)), graph.constant("s", np.float32(1))
    with pytest.raises(AssertionError, match="reads a constant of 2 or 4 bits, which only DequantizeLinear may"):
        graph.run(tmp_path, [graph.node("QuantizeLinear", [x, s, "z"])])
    graph = Model(opset=21)
    value = helper.make_tensor("value", TensorProto.INT4, [1], [1])
    y = graph.node("ConstantOfShape", [graph.constant("n", np.array([3]))], value=value)
    with pytest.raises(AssertionError, match="has a value of 2 or 4 bits, which is not supported"):
        graph.run(tmp_path, [y])


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("kind", [*KINDS, np.int16, np.int32, np.int64])
def test_casts_of_integers_keep_the_lowest_bits(kind, constant, tmp_path, compiler):
    x = integers(np.random.default_rng(3), kind, 70)
    graph = Model()
    name = graph.constant("x", x) if constant else graph.input("x", x)
    kinds = [np.uint8, np.int8, np.int16, np.int32, np.int64]
    casts = [graph.node("Cast", [name], to=helper.np_dtype_to_tensor_dtype(np.dtype(to))) for to in kinds]
    for actual, to in zip(graph.run(tmp_path, casts), kinds):
        program.assert_same_bits(actual, x.astype(to))


@pytest.mark.parametrize("kind", [*KINDS, np.int64])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_places_of_extremes(op, kind, tmp_path, compiler):
    x = integers(np.random.default_rng(2), kind, (3, 7, 5))
    model = Model()
    (y,) = model.run(tmp_path, [model.node(op, [model.input("x", x)], axis=1, keepdims=0)])
    program.assert_same_bits(y, getattr(np, op.lower())(x, axis=1))


@pytest.mark.parametrize("kind", [*KINDS, np.int32, np.int64, np.bool_])
@pytest.mark.parametrize("op", ["Max", "Min"])
def test_extremes(op, kind, tmp_path, compiler):
    """Also of no elements, where it is the end of the type."""
    random = np.random.default_rng(2)
    x = random.random((3, 7, 5)) < 0.3 if kind is np.bool_ else integers(random, kind, (3, 7, 5))
    x[1] = x.min() if op == "Max" else x.max()
    model = Model()
    a, axis = model.input("x", x), model.constant("axis", np.array([1]))
    names = [model.node(f"Reduce{op}", [a, axis], keepdims=0), model.node(f"Reduce{op}", [a]),
             model.node(f"Reduce{op}", [model.constant("none", np.zeros((2, 0), kind)), axis])]
    rows, all_, none = model.run(tmp_path, names)
    program.assert_same_bits(rows, getattr(x, op.lower())(axis=1))
    program.assert_same_bits(all_, getattr(x, op.lower())(keepdims=True))
    low, high = (False, True) if kind is np.bool_ else (np.iinfo(kind).min, np.iinfo(kind).max)
    program.assert_same_bits(none, np.full((2, 1), low if op == "Max" else high, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_interpolation(kind, tmp_path, compiler):
    """Twice as many, each 1/4 from an element and 3/4 from the next: cut off, not rounded."""
    x = integers(np.random.default_rng(3), kind, (2, 1, 9))
    model = Model()
    operands = [model.input("x", x), "", model.constant("scales", np.array([1, 1, 2], F32))]
    (y,) = model.run(tmp_path, [model.node("Resize", operands, mode="linear")])
    at = np.clip((np.arange(18) + 0.5) / 2 - 0.5, 0, 8)
    low = np.floor(at).astype(int)
    v = x.astype(np.float64)
    exact = v[..., low] + (v[..., np.minimum(low + 1, 8)] - v[..., low]) * (at - low)
    program.assert_same_bits(y, np.trunc(exact).astype(kind))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64])
@pytest.mark.parametrize("axes, keepdims", [([0], 1), ([2], 0), ([0, 2], 0), ([0, 1, 2], 1)], ids=str)
def test_sums_of_constants(kind, axes, keepdims, tmp_path, compiler):
    """Integers are summed when the model is compiled; they wrap."""
    x, wide = integers(np.random.default_rng(len(axes)), kind, (4, 3, 5)), np.int32 if kind == np.int32 else np.int64
    graph = Model()
    cast = graph.node("Cast", [graph.constant("x", x)], to=helper.np_dtype_to_tensor_dtype(np.dtype(wide)))
    sums = graph.node("ReduceSum", [cast, graph.constant("axes", np.array(axes, np.int64))], keepdims=keepdims)
    expected = x.astype(wide).sum(axis=tuple(axes), keepdims=bool(keepdims), dtype=wide)
    (got,) = graph.run(tmp_path, [graph.node("Add", [sums, graph.input("zero", np.zeros(expected.shape, wide))])])
    program.assert_same_bits(got, expected)
    done = subprocess.run([compiler, "explain", str(tmp_path / "model.onnx"), "--json"], capture_output=True, text=True, check=True)
    assert '"elementwise"' in done.stdout and '"reduction"' not in done.stdout
