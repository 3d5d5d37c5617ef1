"""Models of TensorFlow Lite that tflite_model.py writes, beside TFLite's arithmetic in numpy; test/Frameworks has TFLite itself."""

import os
import subprocess
import sys

import numpy as np
import pytest

import program
import tflite_model as t
from package import qcc
from tflite_model import Model, new, options

RANDOM = np.random.default_rng(0)
MUTANTS = int(os.environ.get("QCC_TFLITE_MUTANTS") or 300)


def run(model, *inputs):
    return qcc.compile(model, target="native").function(threads=1)(*inputs)


def stored(shape, dtype=np.int8):
    info = np.iinfo(dtype)
    return RANDOM.integers(info.min, info.max, shape, dtype, endpoint=True)


def windows(x, size, stride):
    """[n, y, x, c] as [n, y', x', ky, kx, c]."""
    view = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))
    return np.moveaxis(view[:, ::stride, ::stride], 3, 5)


@pytest.mark.parametrize("activation", [0, t.RELU6])
def test_convolution(activation):
    """SAME padding is the zero point; each channel has a factor of its own; the bias comes first."""
    m = Model()
    w, b = stored((5, 3, 3, 4)), RANDOM.integers(-3000, 3000, 5, np.int32)
    scales = np.float32([0.01, 0.02, 0.5, 0.003, 0.07])
    x = m.main.input((1, 8, 8, 4), np.int8, 0.05, 7)
    y = m.main.op("CONV_2D", [x, m.main.constant(w, scale=scales), m.main.constant(b)], new((1, 4, 4, 5), np.int8, 0.4, -3),
                  opts=options(1, f0=t.i8(t.SAME), f1=2, f2=2, f3=t.i8(activation)))
    model = m.write(y)
    image = stored((1, 8, 8, 4))
    padded = np.pad(image, ((0, 0), (0, 1), (0, 1), (0, 0)), constant_values=7).astype(np.int32) - 7
    sums = np.einsum("nyxijc,oijc->nyxo", windows(padded, 3, 2), w.astype(np.int32)) + b
    want = np.stack([t.scale_twice(sums[..., c], np.float64(np.float32(0.05)) * scales[c] / np.float32(0.4)) for c in range(5)], -1)
    high = None if activation == 0 else -3 + round(6 / 0.4)
    want = t.narrow(want, -3, least=None if activation == 0 else -3, most=high)
    np.testing.assert_array_equal(run(model, image), want)


def test_unsigned_depthwise_convolution():
    m = Model()
    w = stored((1, 3, 3, 8))
    x = m.main.input((2, 6, 6, 4), np.uint8, 0.05, 130)
    q = m.main.op("QUANTIZE", [x], new((2, 6, 6, 4), np.int8, 0.05, 2))
    y = m.main.op("DEPTHWISE_CONV_2D", [q, m.main.constant(w, scale=np.full(8, 0.02, np.float32), axis=3)],
                  new((2, 4, 4, 8), np.int8, 0.3, 5), opts=options(2, f0=t.i8(t.VALID), f1=1, f2=1, f3=2))
    z = m.main.op("QUANTIZE", [y], new((2, 4, 4, 8), np.uint8, 0.3, 133))
    image = stored((2, 6, 6, 4), np.uint8)
    wide = np.repeat(image.astype(np.int32) - 130, 2, 3)
    sums = np.einsum("nyxijc,ijc->nyxc", windows(wide, 3, 1), w[0].astype(np.int32))
    want = t.narrow(t.scale_twice(sums, np.float64(np.float32(0.05)) * np.float32(0.02) / np.float32(0.3)), 5)
    np.testing.assert_array_equal(run(m.write(z), image), (want.astype(np.int32) + 128).astype(np.uint8))


def test_rounding(tmp_path):
    """--rounding=xnnpack rounds once where the reference rounds twice; some results differ."""
    m = Model()
    a, b = (m.main.input((200, 50), np.int8, scale, zero) for scale, zero in ((0.05, 3), (0.021, -70)))
    (tmp_path / "m.tflite").write_bytes(m.write(m.main.op("MUL", [a, b], new((200, 50), np.int8, 0.1, -9))))
    x, y = stored((200, 50)), stored((200, 50))
    product, factor = (x.astype(np.int32) - 3) * (y.astype(np.int32) + 70), np.float64(np.float32(0.05)) * np.float32(0.021) / np.float32(0.1)
    want = {"reference": t.narrow(t.scale_twice(product, factor), -9), "xnnpack": t.narrow(t.scale_once(product, factor), -9)}
    assert (want["reference"] != want["xnnpack"]).any()
    tool = program.build_dir() / "bin" / "qcc"
    for rounding, expected in want.items():
        subprocess.run([tool, "compile", tmp_path / "m.tflite", f"--rounding={rounding}", "-o", tmp_path / "m.so"], check=True)
        np.testing.assert_array_equal(qcc.load(tmp_path / "m.so").function(threads=1)(x, y), expected)
        for isolated in (False, True):
            module = qcc.compile(tmp_path / "m.tflite", rounding=rounding, isolated=isolated)
            np.testing.assert_array_equal(module.function(threads=1)(x, y), expected)
    with pytest.raises(qcc.InvalidArgumentError, match="unknown rounding 'twice'; use reference or xnnpack"):
        qcc.compile(tmp_path / "m.tflite", rounding="twice")
    with pytest.raises(qcc.InvalidProgramError, match="rounding xnnpack is for TFLite models, and this is not one"):
        qcc.compile("func.func @main() {\n  return\n}", rounding="xnnpack")


@pytest.mark.parametrize("batch", [3, -1])
def test_fully_connected_rounds_once(batch):
    m = Model()
    w, b = stored((64, 100)), RANDOM.integers(-3000, 3000, 64, np.int32)
    x = m.main.input((batch, 100), np.int8, 0.03, -11)
    y = m.main.op("FULLY_CONNECTED", [x, m.main.constant(w, scale=0.02), m.main.constant(b)], new((batch, 64), np.int8, 0.9, 4))
    rows = stored((200 if batch < 0 else batch, 100))
    sums = (rows.astype(np.int32) + 11) @ w.T.astype(np.int32) + b
    want = t.narrow(t.scale_once(sums, np.float64(np.float32(0.03)) * np.float32(0.02) / np.float32(0.9)), 4)
    np.testing.assert_array_equal(run(m.write(y), rows), want)


@pytest.mark.parametrize("shape", [(1, 5), (1, 1, 1, 5), (5, 1)])
def test_biases_have_other_dimensions(shape):
    m = Model()
    w, b = stored((5, 8)), RANDOM.integers(-3000, 3000, 5, np.int32)
    x = m.main.input((3, 8), np.int8, 0.03, -11)
    y = m.main.op("FULLY_CONNECTED", [x, m.main.constant(w, scale=0.02), m.main.constant(b.reshape(shape))], new((3, 5), np.int8, 0.9, 4))
    rows = stored((3, 8))
    sums = (rows.astype(np.int32) + 11) @ w.T.astype(np.int32) + b
    want = t.narrow(t.scale_once(sums, np.float64(np.float32(0.03)) * np.float32(0.02) / np.float32(0.9)), 4)
    np.testing.assert_array_equal(run(m.write(y), rows), want)


def test_biases_of_another_size_are_refused():
    m = Model()
    w, b = m.main.constant(stored((5, 8)), scale=0.02), m.main.constant(np.zeros((1, 4), np.int32))
    y = m.main.op("FULLY_CONNECTED", [m.main.input((3, 8), np.int8, 0.03), w, b], new((3, 5), np.int8, 0.9, name="out"))
    with pytest.raises(qcc.InvalidProgramError, match="op 'FULLY_CONNECTED' of 'out' has a bias of 'tensor<1x4xi32>'"):
        qcc.compile(m.write(y))


@pytest.mark.parametrize("factors", [[2 ** -30.5], [1e-5], [0.26], [900.0], [2 ** -30.5, 1e-5, 0.1, 0.24, 0.26, 0.6, 1.7, 900.0]])
def test_fully_connected_of_int16_has_sums_of_64_bits(factors):
    """Neither the sums nor the factors lose bits."""
    m = Model()
    scales = np.float32(factors) * 1000
    w = stored((8, 64))
    b = np.int64(RANDOM.choice([-1, 1], 8) * 2 ** RANDOM.uniform(10, 46, 8))
    x = m.main.input((5, 64), np.int16, 0.001)
    y = m.main.op("FULLY_CONNECTED", [x, m.main.constant(w, scale=scales), m.main.constant(b)], new((5, 8), np.int16, 1.0))
    rows = stored((5, 64), np.int16)
    sums = rows.astype(np.int64) @ w.T.astype(np.int64) + b
    assert (np.abs(sums) >= 2 ** 31).any()
    every = np.float64(np.float32(0.001)) * np.broadcast_to(scales, 8)
    want = np.stack([t.narrow(t.scale_once(sums[:, c], every[c]), 0, np.int16) for c in range(8)], -1)
    np.testing.assert_array_equal(run(m.write(y), rows), want)


def test_addition_and_product():
    m = Model()
    a, b = (m.main.input((4, 50), np.int8, scale, zero) for scale, zero in ((0.05, 3), (0.021, -70)))
    total = m.main.op("ADD", [a, b], new((4, 50), np.int8, 0.06, 9))
    product = m.main.op("MUL", [a, b], new((4, 50), np.int8, 0.1, -9))
    x, y = stored((4, 50)), stored((4, 50))
    sa, sb, so, sp = (np.float64(np.float32(s)) for s in (0.05, 0.021, 0.06, 0.1))
    fine = [t.scale_twice((v.astype(np.int32) - z) << 20, s / (2 * sa)) for v, z, s in ((x, 3, sa), (y, -70, sb))]
    want_sum = t.narrow(t.scale_twice(fine[0] + fine[1], 2 * sa / (2.0 ** 20 * so)), 9)
    want_product = t.narrow(t.scale_twice((x.astype(np.int32) - 3) * (y.astype(np.int32) + 70), sa * sb / sp), -9)
    got = run(m.write(total, product), x, y)
    np.testing.assert_array_equal(got[0], want_sum)
    np.testing.assert_array_equal(got[1], want_product)


@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize("scales", [(0.25, 0.5, 0.75), (0.25, 0.375, 0.5), (0.125, 0.5, 2)])
@pytest.mark.parametrize("zero, may_shift", [(0, True), (3, True), (0, False)])
def test_sums_of_int16(name, scales, zero, may_shift):
    """TFLite has another kernel for scales that are powers of 2, which is refused."""
    m = Model()
    a, b = (m.main.input((500,), np.int16, scale, zero) for scale in scales[:2])
    fields = {} if may_shift else {"f1": False}
    y = m.main.op(name, [a, b], new((500,), np.int16, scales[2], zero), opts=options(11 if name == "ADD" else 28, **fields))
    if may_shift and zero == 0 and scales[2] == 2:
        with pytest.raises(qcc.InvalidProgramError, match="adds int16 with scales that are powers of 2"):
            qcc.compile(m.write(y))
        return
    x = [stored((500,), np.int16) for _ in range(2)]
    twice = 2 * max(scales[:2])
    fine = [t.scale_twice((v.astype(np.int64) - zero) << 15, scale / twice) for v, scale in zip(x, scales)]
    total = fine[0] + fine[1] if name == "ADD" else fine[0] - fine[1]
    want = t.narrow(t.scale_twice(total, twice / (2.0 ** 15 * scales[2])), zero, np.int16)
    np.testing.assert_array_equal(run(m.write(y), *x), want)


def test_average_rounds_away_from_zero():
    m = Model()
    x = m.main.input((1, 5, 5, 3), np.int8, 0.05, 7)
    y = m.main.op("AVERAGE_POOL_2D", [x], new((1, 5, 5, 3), np.int8, 0.05, 7),
                  opts=options(5, f0=t.i8(t.SAME), f1=1, f2=1, f3=3, f4=3))
    image = stored((1, 5, 5, 3))
    sums = windows(np.pad(image.astype(np.int32), ((0, 0), (1, 1), (1, 1), (0, 0))), 3, 1).sum((3, 4))
    counts = windows(np.pad(np.ones_like(image, np.int32), ((0, 0), (1, 1), (1, 1), (0, 0))), 3, 1).sum((3, 4))
    want = np.sign(sums) * ((np.abs(sums) + counts // 2) // counts)
    np.testing.assert_array_equal(run(m.write(y), image), want.astype(np.int8))


def best_positions(x, is_better):
    """TFLite's loop over the last dimension."""
    best = np.zeros(x.shape[:-1], np.int32)
    for row in np.ndindex(best.shape):
        for i in range(1, x.shape[-1]):
            if is_better(x[row][i], x[row][best[row]]):
                best[row] = i
    return best


@pytest.mark.parametrize("name, number, is_better", [("ARG_MAX", 40, np.greater), ("ARG_MIN", 57, np.less)])
@pytest.mark.parametrize("size", [3, -1])
def test_positions_of_the_best(name, number, is_better, size):
    """A NaN is chosen in the first position only."""
    m = Model()
    x = m.main.input((7, 7, 7, size))
    y = m.main.op(name, [x, m.main.constant(-1, np.int32)], new((7, 7, 7), np.int32), opts=options(number, f0=2))
    function = qcc.compile(m.write(y)).function(threads=1)
    values = np.float32([np.nan, -np.inf, np.inf, -1, 1, 0, 2])
    rows = np.stack(np.meshgrid(values, values, values), -1)
    np.testing.assert_array_equal(function(rows), best_positions(rows, is_better))
    if size < 0:
        with pytest.raises(qcc.InvalidArgumentError, match=f"op '{name}' takes the greatest or least of no elements"):
            function(np.zeros((7, 7, 7, 0), np.float32))


def test_positions_of_nothing_are_refused():
    m = Model()
    x = m.main.op("SLICE", [m.main.input((2, 3)), *(m.main.constant(v, np.int32) for v in ([0, 0], [2, 0]))], new((2, -1)))
    y = m.main.op("ARG_MAX", [x, m.main.constant(1, np.int32)], new((2,), np.int32), opts=options(40, f0=2))
    with pytest.raises(qcc.InvalidProgramError, match="takes the greatest or least of no elements; correct the model"):
        qcc.compile(m.write(y))


@pytest.mark.parametrize("aligns, is_half", [(0, 0), (0, 1), (1, 0)])
def test_images_of_bytes_are_resized_in_float(aligns, is_half):
    m = Model()
    x = m.main.input((1, 7, 9, 2), np.uint8, 0.1, 128)
    y = m.main.op("RESIZE_BILINEAR", [x, m.main.constant([12, 5], np.int32)], new((1, 12, 5, 2), np.uint8, 0.1, 128),
                  opts=options(15, f2=bool(aligns), f3=bool(is_half)))
    image = stored((1, 7, 9, 2), np.uint8)
    one, half, lines = np.float32(1), np.float32(0.5), []
    for size, wanted in ((7, 12), (9, 5)):
        scale = np.float32(size - 1) / np.float32(wanted - 1) if aligns else np.float32(size) / np.float32(wanted)
        i = np.arange(wanted, dtype=np.float32)
        at = (i + half) * scale - half if is_half else i * scale
        low = np.maximum(np.floor(at).astype(int), 0)
        lines.append((low, np.clip(np.ceil(at).astype(int), 0, size - 1), at - low.astype(np.float32)))
    (y0, y1, py), (x0, x1, px) = lines
    py, px = py[:, None, None], px[None, :, None]
    want = sum((image[0][ys][:, xs].astype(np.float32) * wy * wx for ys, xs, wy, wx in (
        (y0, x0, one - py, one - px), (y1, x0, py, one - px), (y0, x1, one - py, px), (y1, x1, py, px))), np.float32(0))
    np.testing.assert_array_equal(run(m.write(y), image)[0], (want + half).astype(np.uint8))


def test_tables():
    """All stored integers of functions of one argument."""
    m = Model()
    x = m.main.input((256,), np.int8, 0.05, -20)
    out = [m.main.op(name, [x], new((256,), np.int8, scale, zero), opts=opts) for name, scale, zero, opts in (
        ("LOGISTIC", 1 / 256, -128, None), ("TANH", 1 / 128, 0, None), ("LEAKY_RELU", 0.04, -30, options(75, f0=0.3)),
        ("RELU6", 0.03, -128, None))]
    all_stored = np.arange(-128, 128).astype(np.int8)
    got = run(m.write(*out), all_stored)
    moved = all_stored.astype(np.int32) + 20
    real = np.float32(0.05) * moved.astype(np.float32)
    np.testing.assert_array_equal(got[0], t.narrow(np.floor(256 / (1 + np.exp(-real)) + 0.5).astype(int), -128))
    np.testing.assert_array_equal(got[1], t.narrow(np.trunc(np.tanh(real) * 128 + np.copysign(0.5, real)).astype(int), 0))
    factor = np.float64(np.float32(0.05)) / np.float32(0.04)
    slope = np.float32(0.05) * np.float32(0.3) / np.float32(0.04)
    leaky = np.where(moved >= 0, t.scale_twice(moved, factor), t.scale_twice(moved, slope))
    np.testing.assert_array_equal(got[2], t.narrow(leaky, -30))
    np.testing.assert_array_equal(got[3], t.narrow(t.scale_twice(moved, np.float32(0.05) / np.float32(0.03)), -128, most=72))


def test_quantization_of_floats_saturates():
    m = Model()
    x = m.main.input((8,))
    q = m.main.op("QUANTIZE", [x], new((8,), np.int8, 0.5, -100))
    y = m.main.op("DEQUANTIZE", [q], new((8,)))
    values = np.float32([0, 0.25, -0.25, 1e9, -1e30, np.inf, 113.6, -14.1])
    got = run(m.write(q, y), values)
    np.testing.assert_array_equal(got[0], [-100, -99, -101, 127, -128, 127, 127, -128])
    np.testing.assert_array_equal(got[1], (got[0].astype(np.float32) + 100) / 2)


def test_shapes_of_dynamic_sizes():
    """SHAPE, STRIDED_SLICE and PACK become sizes."""
    m = Model()
    g = m.main
    x = g.input((-1, 4, 6))
    shape = g.op("SHAPE", [x], new((3,), np.int32))
    batch = g.op("STRIDED_SLICE", [shape, g.constant([0], np.int32), g.constant([1], np.int32), g.constant([1], np.int32)],
                 new((), np.int32), opts=options(32, f4=1))
    wanted = g.op("PACK", [batch, g.constant(24, np.int32)], new((2,), np.int32), opts=options(59, f0=2))
    y = g.op("RESHAPE", [x, wanted], new((-1, 24)))
    array = RANDOM.standard_normal((5, 4, 6)).astype(np.float32)
    np.testing.assert_array_equal(run(m.write(y), array), array.reshape(5, 24))


def test_sizes_that_are_computed():
    """As a Dense layer of Keras writes them for an input of three dimensions: the rows of all batches, and back."""
    m = Model()
    g = m.main
    x = g.input((-1, 4, 6))
    shape = g.op("SHAPE", [x], new((3,), np.int32))
    outer = g.op("GATHER", [shape, g.constant([0, 1], np.int32)], new((2,), np.int32))
    rows = g.op("REDUCE_PROD", [outer, g.constant([0], np.int32)], new((), np.int32), opts=options(27))
    flat = g.op("RESHAPE", [x, g.op("PACK", [rows, g.constant(6, np.int32)], new((2,), np.int32), opts=options(59, f0=2))],
                new((-1, 6)))
    turned = g.op("NEG", [flat], new((-1, 6)))
    batch = g.op("FLOOR_DIV", [rows, g.constant(4, np.int32)], new((), np.int32))
    columns = g.op("SUB", [g.op("MUL", [g.constant(5, np.int32), g.constant(5, np.int32)], new((), np.int32)),
                           g.constant(1, np.int32)], new((), np.int32))
    y = g.op("RESHAPE", [turned, g.op("PACK", [batch, columns], new((2,), np.int32), opts=options(59, f0=2))], new((-1, 24)))
    array = RANDOM.standard_normal((5, 4, 6)).astype(np.float32)
    np.testing.assert_array_equal(run(m.write(y), array), -array.reshape(5, 24))


def variables():
    """A model that adds up its inputs, from 0.5 on."""
    m = Model()
    once = m.graph()
    for g in (once, m.main):
        g.handle = g.op("VAR_HANDLE", [], new((), t.RESOURCE), opts=options(111, f1="sum"))
    once.op("ASSIGN_VARIABLE", [once.handle, once.constant(np.full((1, 4), 0.5, np.float32))])
    m.main.op("CALL_ONCE", [], opts=options(103, f0=1))
    x = m.main.input((1, 4), name="x")
    total = m.main.op("ADD", [m.main.op("READ_VARIABLE", [m.main.handle], new((1, 4))), x], new((1, 4)))
    m.main.op("ASSIGN_VARIABLE", [m.main.handle, total])
    return m.write(m.main.op("ADD", [total, total], new((1, 4))))


def test_variables():
    module = qcc.compile(variables())
    assert module.functions == ("main", "initial_state")
    main = module.function("main", threads=1)
    assert [a.name for a in main.arguments] == ["x", "sum"]
    state = module.function("initial_state", threads=1)()
    x = np.arange(4, dtype=np.float32).reshape(1, 4)
    for step in (1, 2, 3):
        y, state = main(x, state)
        np.testing.assert_array_equal(y, 2 * (0.5 + step * x))


def test_loop():
    m = Model()
    condition, body = m.graph(), m.graph()
    for g in (condition, body):
        g.i, g.v = g.input((), np.int32), g.input((3,))
    condition.outputs = [condition.op("LESS", [condition.i, condition.constant(5, np.int32)], new((), np.bool_))]
    body.outputs = [body.op("ADD", [body.i, body.constant(1, np.int32)], new((), np.int32)), body.op("ADD", [body.v, body.v], new((3,)))]
    x = m.main.input((3,))
    outputs = m.main.op("WHILE", [m.main.constant(0, np.int32), x], new((), np.int32), new((3,)), opts=options(93, f0=1, f1=2))
    np.testing.assert_array_equal(run(m.write(outputs[1]), np.float32([1, 2, 3])), [32, 64, 96])


def branches(*shapes):
    """A model that chooses one of its inputs of these shapes."""
    m = Model()
    inputs = [m.main.input((), np.bool_), *(m.main.input(shape) for shape in shapes)]
    for chosen in (0, 1):
        g = m.graph()
        g.outputs = [[g.input(shape) for shape in shapes][chosen]]
    return m.write(m.main.op("IF", inputs, new(shapes[0], name="out"), opts=options(92, f0=1, f1=2)))


@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((-1, 3), (-1, 3)), ((-1, 3), (2, 3)), ((-1, 3), (1, 3))])
def test_branches(shapes):
    function = qcc.compile(branches(*shapes)).function(threads=1)
    rows = max(shapes[1][0], 1)
    x, y = (RANDOM.standard_normal((rows, 3)).astype(np.float32) for _ in range(2))
    np.testing.assert_array_equal(function(np.array(True), x, y), x)
    np.testing.assert_array_equal(function(np.array(False), x, y), y)
    if shapes[0][0] < 0:
        with pytest.raises(qcc.InvalidArgumentError):
            function(np.array(True), np.zeros((rows + 1, 3), np.float32), y)


@pytest.mark.parametrize("shapes", [((2, 3), (1, 3)), ((1, 3), (2, 3)), ((2, 3), (4, 3)), ((1, -1), (2, -1))])
def test_branches_of_other_sizes_are_refused(shapes):
    with pytest.raises(qcc.InvalidProgramError, match="op 'IF' of 'out' has branches that give 'tensor<.*; give both one shape"):
        qcc.compile(branches(*shapes))


def test_external_buffers():
    """Data behind the flatbuffer, as files of more than 2 GB have."""
    m = Model()
    values = np.float32([1, 2, 3, 4])
    x, c = m.main.input((4,)), m.main.constant(values)
    y = m.main.op("ADD", [x, c], new((4,)))
    model = m.write(y, external=True)
    assert model.endswith(values.tobytes())
    np.testing.assert_array_equal(run(model, values), 2 * values)
    with pytest.raises(qcc.InvalidProgramError, match="the model is damaged: buffer 1 lies behind the end of the file"):
        qcc.compile(model[:-1])


# Refusals

def refused(name, *inputs, **fields):
    m = Model()
    g = m.main
    x = g.input((2, 3), np.float32)
    return m.write(g.op(name, [x, *(g.constant(value) for value in inputs)], new((2, 3), name="out", **fields)))


@pytest.mark.parametrize("model, message", [
    (lambda: refused("my_op"), "op 'CUSTOM' of 'out' 'my_op' is a custom op, which is not supported; write it in terms of others"),
    (lambda: refused("WHERE"), "op 'WHERE' of 'out' is not supported; qcc ops --tflite lists those that are"),
    (lambda: refused("ADD"), "op 'ADD' of 'out' has 1 operands where 2 are needed; correct the model"),
    (lambda: refused("ADD", np.int32([1])), "op 'ADD' of 'out' takes elements of float32 and of int32 together; convert one of them"),
    (lambda: refused("RESHAPE", np.int32([4, 2])), "op 'RESHAPE' of 'out' gives 'tensor<2x3xf32>' another number of elements"),
    (lambda: refused("TRANSPOSE", np.int32([0, 0])), "op 'TRANSPOSE' of 'out' has a permutation that does not name each of 2 dimensions"),
    (lambda: refused("QUANTIZE"), "op 'QUANTIZE' of 'out' needs one scale for tensor 'out', which has 0; quantize it as a whole"),
    (lambda: refused("SOFTMAX", scale=[0.1, 0.2, 0.3]), "the model is damaged: tensor 'out' has 3 scales"),
    (lambda: b"\x1c\0\0\0TFL3" + 64 * b"\x7f", "the model is damaged: its tables do not lie in the file; write it again by its converter"),
])
def test_refusals(model, message):
    with pytest.raises(qcc.InvalidProgramError) as info:
        qcc.compile(model())
    assert message in str(info.value)


def signed(*signatures):
    m = Model()
    m.signatures = signatures
    for g in (m.graph(), m.main):
        g.outputs = [g.op("RELU", [g.input((4,))], new((4,)))]
    return m.write(*m.main.outputs)


def test_signatures():
    """Several names of the first graph are one program."""
    for signatures in ((), (("serve", 0),), (("serve", 0), ("again", 0))):
        np.testing.assert_array_equal(run(signed(*signatures), np.float32([-1, 2, -3, 4])), [0, 2, 0, 4])
    for signatures in ((("encode", 0), ("decode", 1)), (("encode", 7), ("decode", 0))):
        with pytest.raises(qcc.InvalidProgramError, match="signatures of other graphs than its first: 'encode', 'decode'; this is not "
                           "supported; convert each signature to a model of its own"):
            qcc.compile(signed(*signatures))


def named(tensor="x", variable="v"):
    m = Model()
    m.main.op("VAR_HANDLE", [], new((), t.RESOURCE, name="handle"), opts=options(111, f1=variable))
    return m.write(m.main.op("RELU", [m.main.input((4,), name=tensor)], new((4,))))


def test_names_are_utf_8():
    assert qcc.compile(named("größe", "größe")).function().arguments[0].name == "größe"
    for name in (b"gr\xf6\xdfe", b"\xff", b"\xc3"):
        with pytest.raises(qcc.InvalidProgramError, match="the model is damaged: the name of a tensor is not UTF-8: '"):
            qcc.compile(named(tensor=name))
        with pytest.raises(qcc.InvalidProgramError, match="op 'VAR_HANDLE' of 'handle' has a name for its variable that is not UTF-8"):
            qcc.compile(named(variable=name))
    with pytest.raises(qcc.InvalidProgramError, match="the model is damaged: the name of a custom op is not UTF-8"):
        qcc.compile(refused(b"my\xff"))


def densified(indices):
    """DENSIFY of a matrix whose second dimension is sparse."""
    m = Model()
    lists = t.Table({0: np.array(indices, np.uint8)})
    dims = [t.Table({0: t.i8(0), 1: 2}), t.Table({0: t.i8(1), 2: t.i8(3), 3: t.Table({0: np.array([0, 1, 3], np.uint8)}), 4: t.i8(3), 5: lists})]
    w = m.main.constant(np.float32([5, 6, 7]), f0=np.array([2, 4], np.int32),
                        f6=t.Table({0: np.array([0, 1], np.int32), 2: dims}))
    dense = m.main.op("DENSIFY", [w], new((2, 4)))
    return m.write(m.main.op("ADD", [m.main.input((2, 4)), dense], new((2, 4))))


def test_sparse_constants():
    zeros = np.zeros((2, 4), np.float32)
    np.testing.assert_array_equal(run(densified([3, 0, 2]), zeros), [[0, 0, 0, 5], [6, 0, 7, 0]])
    for indices in ([4, 0, 2], [3, 0], [255, 0, 2]):
        with pytest.raises(qcc.InvalidProgramError, match="is sparse, and its indices do not fit its shape"):
            qcc.compile(densified(indices))


def test_constants_that_grow():
    """A small file may name one buffer of bytes, or one sparse constant, many times."""
    m = Model()
    large = m.main.constant(np.zeros((1 << 20, 4), np.uint8), scale=1.0)
    names = m.main.tensors[large]
    for _ in range(300):
        m.main.tensors.append(t.Table(names))
    x = m.main.input((2, 2))
    with pytest.raises(qcc.InvalidProgramError, match="its constants take more than 10.* bytes once they are converted"):
        qcc.compile(m.write(m.main.op("ADD", [x, x], new((2, 2)))))


def test_batches_of_blocks():
    m = Model()
    x = m.main.input((2, 4, 5, 3))
    blocks = m.main.constant([2, 3], np.int32)
    there = m.main.op("SPACE_TO_BATCH_ND", [x, blocks, m.main.constant([[0, 0], [1, 0]], np.int32)], new((12, 2, 2, 3)))
    back = m.main.op("BATCH_TO_SPACE_ND", [there, blocks, m.main.constant([[0, 0], [1, 0]], np.int32)], new((2, 4, 5, 3)))
    image = RANDOM.standard_normal((2, 4, 5, 3)).astype(np.float32)
    padded = np.pad(image, ((0, 0), (0, 0), (1, 0), (0, 0))).reshape(2, 2, 2, 2, 3, 3)
    got = run(m.write(there, back), image)
    np.testing.assert_array_equal(got[0], padded.transpose(2, 4, 0, 1, 3, 5).reshape(12, 2, 2, 3))
    np.testing.assert_array_equal(got[1], image)


def test_shapes_of_inputs_are_given():
    m = Model()
    x = m.main.input((-1, 3), name="x")
    model = m.write(m.main.op("RELU", [x], new((-1, 3))))
    assert qcc.compile(model, shapes={"x": (7, 3)}).function().arguments[0].shape == (7, 3)
    with pytest.raises(qcc.InvalidProgramError, match="there is no input 'y' for which a shape is given"):
        qcc.compile(model, shapes={"y": (7, 3)})
    with pytest.raises(qcc.InvalidProgramError, match="dimensions of a TFLite model have no names"):
        qcc.compile(model, dims={"n": 3})


def test_mutants():
    """Damaged files are refused or compiled, and crash nothing."""
    script = program.ROOT / "test" / "Python" / "tflite_mutants.py"
    done = subprocess.run([sys.executable, str(script), "0", str(MUTANTS)], capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode}, the last seed was {done.stdout.split()[-1]}\n{done.stderr[-3000:]}"
    assert done.stdout.endswith("compiled\n")
