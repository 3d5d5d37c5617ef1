"""Every qnn op against numpy, on each way to run it that this host has.

One program per family of ops holds many variants of it, each a result of its own.
"""

import numpy as np
import pytest

import oracle
from program import Program, number, uniform

f32 = np.float32
ROWS = 37
CHIPS = ["sm_75", "sm_80", "sm_90"]


def real_data(rng, shape, scale=0.05, zero_point=0):
    """Reals around a quantization's range, with ties, ends and what is no number."""
    x = rng.normal(0, 60 * scale, shape).astype(f32)
    flat = x.reshape(-1)
    ties = (rng.integers(-140, 140, flat.size // 4) + 0.5) * np.float64(f32(scale))
    flat[: ties.size] = ties.astype(f32)
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-40, 3e38, -3e38, 1e9, -1e9]
    flat[-len(special) :] = special
    return flat.reshape(shape)


def stored(rng, storage, shape):
    low, high = oracle.RANGES[storage]
    q = rng.integers(low, high + 1, shape)
    q.reshape(-1)[:2] = (low, high)[: q.size]
    return q.astype(oracle.STORAGE[storage])


def extreme(storage, shape, end):
    return np.full(shape, oracle.RANGES[storage][end], oracle.STORAGE[storage])


def tensor(shape, element):
    """The type of an array whose first dimension is dynamic."""
    return "tensor<" + "x".join(["?", *map(str, shape[1:])]) + f"x{element}>"


STORED_TYPE = {"i8": "i8", "u8": "ui8"}


def test_quantize(target, tmp_path):
    rng = np.random.default_rng(10)
    p = Program()
    n = 33
    x = real_data(rng, (ROWS, n))
    xv = p.argument(tensor(x.shape, "f32"), x)
    half = real_data(rng, (ROWS, n)).astype(np.float16)
    hv = p.argument(tensor(half.shape, "f16"), half)
    row_scales = rng.uniform(0.01, 0.2, (ROWS, 1)).astype(f32)
    rv = p.argument(tensor((ROWS, 1), "f32"), row_scales)
    scalar = f32(0.037)
    sv = p.argument("f32", scalar)
    zero_point = np.int32(-7)
    zv = p.argument("i32", zero_point)

    for storage, z in (("i8", 0), ("i8", 3), ("i8", -128), ("u8", 128), ("u8", 255)):
        type = tensor(x.shape, uniform(storage, 0.05, z))
        q = p.op(f"qnn.quantize {xv} : {tensor(x.shape, 'f32')} -> {type}")
        p.result(q, type, oracle.quantize(x, 0.05, z, storage))
        q = p.op(
            f"qnn.quantize {xv} {{zero_point_before_rounding}} : "
            f"{tensor(x.shape, 'f32')} -> {type}"
        )
        p.result(q, type, oracle.quantize(x, 0.05, z, storage, before_rounding=True))
        q = p.op(f"qnn.quantize {hv} : {tensor(x.shape, 'f16')} -> {type}")
        p.result(q, type, oracle.quantize(half, 0.05, z, storage))
    scales = rng.uniform(0.01, 0.2, n).astype(f32)
    type = tensor(x.shape, uniform("i8", scales, axis=1))
    q = p.op(f"qnn.quantize {xv} : {tensor(x.shape, 'f32')} -> {type}")
    p.result(q, type, oracle.quantize(x, scales, 0, "i8"))
    for storage in ("i8", "u8"):
        type = tensor(x.shape, STORED_TYPE[storage])
        q = p.op(
            f"qnn.quantize {xv} scale({rv} : {tensor((ROWS, 1), 'f32')}) : "
            f"{tensor(x.shape, 'f32')} -> {type}"
        )
        p.result(q, type, oracle.quantize(x, row_scales, 0, storage))
    type = tensor(x.shape, "i8")
    q = p.op(
        f"qnn.quantize {xv} scale({sv} : f32) zero_point({zv} : i32) : "
        f"{tensor(x.shape, 'f32')} -> {type}"
    )
    p.result(q, type, oracle.quantize(x, scalar, zero_point, "i8"))
    p.check(tmp_path, target)


@pytest.mark.parametrize("scale", [0.0, -0.05, np.nan, np.inf, 1e-42, 1e38])
def test_quantize_run_time_scale(target, tmp_path, scale):
    """Run-time scales follow IEEE through the formulas (N9)."""
    p = Program()
    x = real_data(np.random.default_rng(11), (ROWS, 33))
    xv = p.argument(tensor(x.shape, "f32"), x)
    sv = p.argument("f32", f32(scale))
    type = tensor(x.shape, "i8")
    q = p.op(f"qnn.quantize {xv} scale({sv} : f32) : {tensor(x.shape, 'f32')} -> {type}")
    with np.errstate(all="ignore"):
        p.result(q, type, oracle.quantize(x, scale, 0, "i8"))
    p.check(tmp_path, target)


def test_dequantize(target, tmp_path):
    rng = np.random.default_rng(12)
    p = Program()
    shape = (ROWS, 19)
    for storage, z in (("i8", 0), ("i8", 127), ("u8", 0), ("u8", 200)):
        q = stored(rng, storage, shape)
        type = tensor(shape, uniform(storage, 0.0371, z))
        v = p.argument(type, q)
        expected = oracle.dequantize(q, 0.0371, z)
        out = tensor(shape, "f32")
        p.result(p.op(f"qnn.dequantize {v} : {type} -> {out}"), out, expected)
        out = tensor(shape, "f16")
        p.result(
            p.op(f"qnn.dequantize {v} : {type} -> {out}"), out, expected.astype(np.float16)
        )
        d = p.op(f"qnn.dequantize {v} : {type} -> {tensor(shape, 'bf16')}")
        wide = p.op(f"arith.extf {d} : {tensor(shape, 'bf16')} to {tensor(shape, 'f32')}")
        p.result(wide, tensor(shape, "f32"), oracle.to_bf16(expected))
    scales = rng.uniform(1e-3, 1, shape[1]).astype(f32)
    zero_points = rng.integers(-128, 128, shape[1])
    q = stored(rng, "i8", shape)
    type = tensor(shape, uniform("i8", scales, zero_points, axis=1))
    v = p.argument(type, q)
    out = tensor(shape, "f32")
    p.result(
        p.op(f"qnn.dequantize {v} : {type} -> {out}"),
        out,
        oracle.dequantize(q, scales, zero_points),
    )
    wide = rng.integers(-(2**31), 2**31, shape).astype(np.int32)
    v = p.argument(tensor(shape, "i32"), wide)
    s = p.argument(f"tensor<{shape[1]}xf32>", scales)
    p.result(
        p.op(
            f"qnn.dequantize {v} scale({s} : tensor<{shape[1]}xf32>) : "
            f"{tensor(shape, 'i32')} -> {out}"
        ),
        out,
        wide.astype(f32) * scales,
    )
    p.check(tmp_path, target)


def test_requantize(target, tmp_path):
    rng = np.random.default_rng(13)
    p = Program()
    shape = (ROWS, 21)
    forms = [("i8", 0.05, 3), ("u8", 0.013, 250), ("i8", 0.4, -128)]
    for storage, s, z in forms:
        q = stored(rng, storage, shape)
        type = tensor(shape, uniform(storage, s, z))
        v = p.argument(type, q)
        for out_storage, sy, zy in forms:
            out = tensor(shape, uniform(out_storage, sy, zy))
            p.result(
                p.op(f"qnn.requantize {v} : {type} -> {out}"),
                out,
                oracle.requantize(q, s, z, sy, zy, out_storage),
            )
    acc = rng.integers(-(2**31), 2**31, shape).astype(np.int32)
    acc[0, :6] = [0, 1, -1, 2**31 - 1, -(2**31), 2**24 + 1]
    v = p.argument(tensor(shape, "i32"), acc)
    s, sy = f32(3e-8), f32(0.5)
    sv, tv = p.argument("f32", s), p.argument("f32", sy)
    out = tensor(shape, "ui8")
    zv = p.argument("i32", np.int32(120))
    p.result(
        p.op(
            f"qnn.requantize {v} input_scale({sv} : f32) output_scale({tv} : f32) "
            f"output_zero_point({zv} : i32) : {tensor(shape, 'i32')} -> {out}"
        ),
        out,
        oracle.requantize(acc, s, 0, sy, 120, "u8"),
    )
    p.check(tmp_path, target)


@pytest.mark.parametrize("k, n", [(1, 1), (3, 5), (37, 17), (64, 64), (131, 33)])
def test_linear(target, tmp_path, k, n):
    rng = np.random.default_rng(14 + k)
    p = Program()
    forms = [
        ("i8", 0, "i8", 0, False),
        ("u8", 131, "i8", 0, True),
        ("i8", -128, "u8", 255, False),
        ("u8", 0, "u8", 3, True),
    ]
    for x_storage, zx, w_storage, zw, per_channel in forms:
        x = stored(rng, x_storage, (ROWS, k))
        x[-1] = extreme(x_storage, k, 0)
        x[-2] = extreme(x_storage, k, 1)
        w = stored(rng, w_storage, (n, k))
        w[-1] = extreme(w_storage, k, 0)
        sx = f32(0.031)
        sw = rng.uniform(1e-3, 1e-2, n).astype(f32) if per_channel else f32(0.0071)
        x_type = tensor(x.shape, uniform(x_storage, sx, zx))
        w_type = f"tensor<{n}x{k}x{uniform(w_storage, sw, zw, 0 if per_channel else None)}>"
        xv, wv = p.argument(x_type, x), p.weight(w_type, w)
        bias_i32 = rng.integers(-20000, 20000, n).astype(np.int32)
        bias_i32[0] = 2**31 - 1
        bias_f32 = rng.normal(0, 5, n).astype(f32)
        iv, fv = p.weight(f"tensor<{n}xi32>", bias_i32), p.weight(f"tensor<{n}xf32>", bias_f32)
        plain = oracle.accumulate(x, zx, w.T, zw)
        biased = oracle.wrap(plain.astype(np.int64) + bias_i32)
        scale = sx * sw

        def linear(bias, attributes, out):
            return p.op(
                f"qnn.linear {xv}, {wv} {bias} {attributes} : {x_type}, {w_type} -> {out}"
            )

        out = tensor((ROWS, n), "i32")
        p.result(linear("", "", out), out, plain)
        i32_bias = f"bias({iv} : tensor<{n}xi32>)"
        f32_bias = f"bias({fv} : tensor<{n}xf32>)"
        p.result(linear(i32_bias, "", out), out, biased)

        out = tensor((ROWS, n), "f32")
        p.result(linear("", "", out), out, oracle.real_result(plain, scale))
        p.result(linear(i32_bias, "", out), out, oracle.real_result(biased, scale))
        p.result(linear(f32_bias, "", out), out, oracle.real_result(plain, scale, bias_f32))
        bounds = f"{{clamp_min = {number(-1.5)} : f32, clamp_max = {number(2.5)} : f32}}"
        clamped = oracle.real_result(plain, scale, bias_f32, -1.5, 2.5)
        p.result(linear(f32_bias, bounds, out), out, clamped)
        out = tensor((ROWS, n), "f16")
        p.result(
            linear(f32_bias, "", out),
            out,
            oracle.real_result(plain, scale, bias_f32).astype(np.float16),
        )
        out = tensor((ROWS, n), "bf16")
        narrow = linear(f32_bias, "", out)
        wide = p.op(f"arith.extf {narrow} : {out} to {tensor((ROWS, n), 'f32')}")
        p.result(
            wide,
            tensor((ROWS, n), "f32"),
            oracle.to_bf16(oracle.real_result(plain, scale, bias_f32)),
        )

        for storage, sy, zy in (("i8", 0.07, 0), ("u8", 0.11, 90), ("i8", 1e-4, 5)):
            out = tensor((ROWS, n), uniform(storage, sy, zy))
            args = (sy, zy, storage)
            p.result(
                linear("", "", out), out, oracle.quantized_result(plain, scale, *args)
            )
            p.result(
                linear(i32_bias, "", out), out, oracle.quantized_result(biased, scale, *args)
            )
            p.result(
                linear(f32_bias, bounds, out),
                out,
                oracle.quantized_result(plain, scale, *args, bias_f32, -1.5, 2.5),
            )
    p.check(tmp_path, target)


def test_linear_operands(target, tmp_path):
    """Scales and zero points as operands: scalar, per channel, per row."""
    rng = np.random.default_rng(15)
    p = Program()
    k, n = 45, 23
    x = stored(rng, "u8", (ROWS, k))
    w = stored(rng, "i8", (n, k))
    rows = rng.uniform(0.01, 0.1, (ROWS, 1)).astype(f32)
    row_zero_points = rng.integers(0, 256, (ROWS, 1)).astype(np.int32)
    channels = rng.uniform(0.001, 0.01, n).astype(f32)
    channel_zero_points = rng.integers(-128, 128, n).astype(np.int32)
    x_type, w_type = tensor(x.shape, "ui8"), f"tensor<{n}x{k}xi8>"
    xv, wv = p.argument(x_type, x), p.argument(w_type, w)
    rv = p.argument(tensor((ROWS, 1), "f32"), rows)
    rz = p.argument(tensor((ROWS, 1), "i32"), row_zero_points)
    cv = p.argument(f"tensor<{n}xf32>", channels)
    cz = p.argument(f"tensor<{n}xi32>", channel_zero_points)
    sy = f32(0.2)
    yv, yz = p.argument("f32", sy), p.argument("i32", np.int32(-9))
    bias = rng.normal(0, 3, n).astype(f32)
    bv = p.argument(f"tensor<{n}xf32>", bias)
    acc = oracle.wrap(
        np.matmul(
            oracle.centred(x, row_zero_points), oracle.centred(w, channel_zero_points[:, None]).T
        )
    )
    operands = (
        f"bias({bv} : tensor<{n}xf32>) input_scale({rv} : {tensor((ROWS, 1), 'f32')}) "
        f"input_zero_point({rz} : {tensor((ROWS, 1), 'i32')}) "
        f"weight_scale({cv} : tensor<{n}xf32>) weight_zero_point({cz} : tensor<{n}xi32>)"
    )
    out = tensor((ROWS, n), "f32")
    p.result(
        p.op(f"qnn.linear {xv}, {wv} {operands} : {x_type}, {w_type} -> {out}"),
        out,
        oracle.real_result(acc, rows * channels, bias),
    )
    out = tensor((ROWS, n), "i8")
    p.result(
        p.op(
            f"qnn.linear {xv}, {wv} {operands} output_scale({yv} : f32) "
            f"output_zero_point({yz} : i32) : {x_type}, {w_type} -> {out}"
        ),
        out,
        oracle.quantized_result(acc, rows * channels, sy, -9, "i8", bias),
    )
    p.check(tmp_path, target)


def test_linear_of_floats(target, tmp_path):
    """Of two dequantized values: integers (N3). Of others: a chain of fma (N8)."""
    rng = np.random.default_rng(16)
    p = Program()
    k, n = 39, 11
    q = stored(rng, "i8", (ROWS, k))
    w = stored(rng, "i8", (n, k))
    x_type, w_type = tensor(q.shape, uniform("i8", 0.05, 4)), f"tensor<{n}x{k}x{uniform('i8', 0.01)}>"
    xv, wv = p.argument(x_type, q), p.weight(w_type, w)
    xd = p.op(f"qnn.dequantize {xv} : {x_type} -> {tensor(q.shape, 'f32')}")
    wd = p.op(f"qnn.dequantize {wv} : {w_type} -> tensor<{n}x{k}xf32>")
    x = rng.normal(0, 1, (ROWS, k)).astype(f32)
    fv = p.argument(tensor(x.shape, "f32"), x)
    bias = rng.normal(0, 3, n).astype(f32)
    bv = p.weight(f"tensor<{n}xf32>", bias)
    out = tensor((ROWS, n), "f32")
    types = f"{tensor(q.shape, 'f32')}, tensor<{n}x{k}xf32> -> {out}"
    acc = oracle.accumulate(q, 4, w.T, 0)
    p.result(
        p.op(f"qnn.linear {xd}, {wd} bias({bv} : tensor<{n}xf32>) : {types}"),
        out,
        oracle.real_result(acc, f32(0.05) * f32(0.01), bias),
    )
    real = oracle.fma_chain(x, oracle.dequantize(w, 0.01).T)
    p.result(p.op(f"qnn.linear {fv}, {wd} : {types}"), out, real)
    p.result(
        p.op(f"qnn.linear {fv}, {wd} bias({bv} : tensor<{n}xf32>) : {types}"), out, real + bias
    )
    p.check(tmp_path, target)


@pytest.mark.parametrize("transposed", [False, True])
def test_matmul(target, tmp_path, transposed):
    rng = np.random.default_rng(17)
    p = Program()
    batch, m, k, n = 3, 29, 35, 13
    attributes = "{transpose_rhs}" if transposed else ""
    for a_storage, za, b_storage, zb in (("i8", 0, "i8", 0), ("u8", 9, "i8", -5), ("u8", 0, "u8", 255)):
        a = stored(rng, a_storage, (batch, m, k))
        b = stored(rng, b_storage, (batch, k, n))
        a[0, 0], b[0, :, 0] = extreme(a_storage, k, 0), extreme(b_storage, k, 1)
        a_type = tensor(a.shape, uniform(a_storage, 0.05, za))
        given = np.ascontiguousarray(b.swapaxes(1, 2)) if transposed else b
        b_type = tensor(given.shape, uniform(b_storage, 0.02, zb))
        av, bv = p.argument(a_type, a), p.argument(b_type, given)
        acc = oracle.accumulate(a, za, b, zb)
        scale = f32(0.05) * f32(0.02)
        for element, expected in (
            ("i32", acc),
            ("f32", oracle.real_result(acc, scale)),
            ("f16", oracle.real_result(acc, scale).astype(np.float16)),
            (uniform("u8", 0.4, 100), oracle.quantized_result(acc, scale, 0.4, 100, "u8")),
        ):
            out = tensor((batch, m, n), element)
            p.result(
                p.op(f"qnn.matmul {av}, {bv} {attributes} : {a_type}, {b_type} -> {out}"),
                out,
                expected,
            )
        bounds = f"clamp_min = {number(0)} : f32, clamp_max = {number(6)} : f32"
        attributes_and_bounds = f"{{{'transpose_rhs, ' if transposed else ''}{bounds}}}"
        out = tensor((batch, m, n), uniform("i8", 0.06, -3))
        p.result(
            p.op(
                f"qnn.matmul {av}, {bv} {attributes_and_bounds} : {a_type}, {b_type} -> {out}"
            ),
            out,
            oracle.quantized_result(acc, scale, 0.06, -3, "i8", None, 0.0, 6.0),
        )
    p.check(tmp_path, target)


@pytest.mark.parametrize("op", ["add", "mul"])
def test_binary(target, tmp_path, op):
    """All pairs of stored values, for several parameters."""
    p = Program()
    function = {"add": oracle.add, "mul": oracle.mul}[op]
    grid = np.arange(256)
    forms = [
        (("i8", 0.05, 0), ("i8", 0.07, 0), ("i8", 0.09, 0)),
        (("u8", 0.05, 131), ("i8", 0.013, -128), ("u8", 0.021, 17)),
        (("i8", 1.7, 127), ("u8", 0.3, 255), ("i8", 0.6, -128)),
    ]
    for (ta, sa, za), (tb, sb, zb), (ty, sy, zy) in forms:
        a = np.broadcast_to((grid + oracle.RANGES[ta][0])[:, None], (256, 256))
        b = np.broadcast_to((grid + oracle.RANGES[tb][0])[None, :], (256, 256))
        a = np.ascontiguousarray(a).astype(oracle.STORAGE[ta])
        b = np.ascontiguousarray(b).astype(oracle.STORAGE[tb])
        a_type, b_type = (
            tensor(a.shape, uniform(ta, sa, za)),
            tensor(b.shape, uniform(tb, sb, zb)),
        )
        out = tensor(a.shape, uniform(ty, sy, zy))
        av, bv = p.argument(a_type, a), p.argument(b_type, b)
        p.result(
            p.op(f"qnn.{op} {av}, {bv} : {a_type}, {b_type} -> {out}"),
            out,
            function(a, sa, za, b, sb, zb, sy, zy, ty),
        )
    p.check(tmp_path, target)


@pytest.mark.parametrize("op", ["add", "mul"])
def test_broadcast(target, tmp_path, op):
    """Operands with one element along a dimension, with parameters in types and per row."""
    rng = np.random.default_rng(19)
    p = Program()
    function = {"add": oracle.add, "mul": oracle.mul}[op]
    shapes = [(1, 1, 1, 21), (1, 5, 3, 21), (1, 5, 1, 1), (1, 1, 1, 1), (1, 1, 3, 1)]
    whole = (ROWS, 5, 3, 21)
    big = stored(rng, "u8", whole)
    big_type = tensor(whole, uniform("u8", 0.05, 131))
    bv = p.argument(big_type, big)
    out = tensor(whole, uniform("i8", 0.09, -5))
    for shape in shapes:
        sizes = "x".join(map(str, shape))
        small = stored(rng, "i8", shape)
        typed = f"tensor<{sizes}x{uniform('i8', 0.013, 7)}>"
        sv = p.argument(typed, small)
        p.result(
            p.op(f"qnn.{op} {sv}, {bv} : {typed}, {big_type} -> {out}"),
            out,
            function(small, 0.013, 7, big, 0.05, 131, 0.09, -5, "i8"),
        )
        rows = shape[:-1] + (1,)
        row_type = "tensor<" + "x".join(map(str, rows)) + "xf32>"
        scales = rng.uniform(1e-3, 1e-1, rows).astype(f32)
        rv = p.argument(row_type, scales)
        plain = f"tensor<{sizes}xi8>"
        pv = p.argument(plain, small)
        p.result(
            p.op(
                f"qnn.{op} {bv}, {pv} rhs_scale({rv} : {row_type}) : "
                f"{big_type}, {plain} -> {out}"
            ),
            out,
            function(big, 0.05, 131, small, scales, 0, 0.09, -5, "i8"),
        )
    p.check(tmp_path, target)


def image(shape, element):
    """The type of an image whose N, H and W are dynamic."""
    return f"tensor<?x?x?x{shape[3]}x{element}>"


POOLS = [
    # window, strides, dilations, padding
    ((2, 2), (2, 2), (1, 1), (0, 0, 0, 0)),
    ((3, 3), (2, 2), (1, 1), (1, 1, 1, 1)),
    ((1, 5), (1, 3), (1, 1), (0, 0, 4, 2)),
    ((4, 2), (3, 1), (2, 3), (5, 0, 1, 2)),
]


def pool_attributes(window, strides, dilations, padding):
    numbers = {"window": window, "strides": strides, "dilations": dilations, "padding": padding}
    return ", ".join(
        f"{name} = array<i64: {', '.join(map(str, values))}>"
        for name, values in numbers.items()
        if values
    )


def pool_places(shape, window, strides, dilations, padding):
    return [
        oracle.places(
            shape[1 + d], window[d], strides[d], dilations[d], padding[2 * d], padding[2 * d + 1]
        )
        for d in range(2)
    ]


def test_max_pool2d(target, tmp_path):
    rng = np.random.default_rng(23)
    p = Program()
    shape = (3, 9, 11, 21)
    for storage in ("i8", "u8"):
        q = stored(rng, storage, shape)
        for element in (STORED_TYPE[storage], uniform(storage, 0.05, 3)):
            type = image(shape, element)
            v = p.argument(type, q)
            for pool in POOLS:
                p.result(
                    p.op(f"qnn.max_pool2d {v} {{{pool_attributes(*pool)}}} : {type} -> {type}"),
                    type,
                    oracle.max_pool2d(q, *pool_places(shape, *pool)),
                )
    p.check(tmp_path, target)


def test_avg_pool2d(target, tmp_path):
    rng = np.random.default_rng(24)
    p = Program()
    shape = (2, 9, 10, 13)
    for storage, s, z in (("i8", 0.031, 5), ("u8", 0.07, 255), ("i8", 0.5, 0)):
        q = stored(rng, storage, shape)
        type = image(shape, uniform(storage, s, z))
        v = p.argument(type, q)
        for window, strides, dilations, padding in POOLS[:3]:
            text = pool_attributes(window, strides, None, padding)
            rows, columns = pool_places(shape, window, strides, (1, 1), padding)
            for count, flag in ((None, ""), (window[0] * window[1], ", count_include_pad")):
                args = (q, s, z, rows, columns, count)
                for out in ((0.04, 17, "u8"), (0.11, -3, "i8")):
                    out_type = image(shape, uniform(out[2], *out[:2]))
                    p.result(
                        p.op(f"qnn.avg_pool2d {v} {{{text}{flag}}} : {type} -> {out_type}"),
                        out_type,
                        oracle.avg_pool2d(*args, out),
                    )
                for element in ("f32", "f16"):
                    out_type = image(shape, element)
                    p.result(
                        p.op(f"qnn.avg_pool2d {v} {{{text}{flag}}} : {type} -> {out_type}"),
                        out_type,
                        oracle.avg_pool2d(*args).astype(np.float16 if element == "f16" else f32),
                    )
        whole = f"tensor<?x1x1x{shape[3]}x{uniform('u8', 0.02, 9)}>"
        p.result(
            p.op(f"qnn.avg_pool2d {v} : {type} -> {whole}"),
            whole,
            oracle.avg_pool2d(
                q, s, z, *(oracle.places(n, n) for n in shape[1:3]), out=(0.02, 9, "u8")
            ),
        )
    p.check(tmp_path, target)


TRANSFORMATIONS = ["asymmetric", "half_pixel", "align_corners"]


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_resize(target, tmp_path, transformation):
    rng = np.random.default_rng(29)
    p = Program()
    s, z = 0.031, 200
    place = f'coordinate_transformation = "{transformation}"'
    for n, height, m, width in ((5, 10, 7, 14), (9, 4, 6, 3), (3, 1, 1, 5), (4, 11, 13, 9)):
        q = stored(rng, "u8", (2, n, m, 19))

        def sized(element, height, width):
            return f"tensor<?x{height}x{width}x19x{element}>"

        element = uniform("u8", s, z)
        type = sized(element, n, m)
        v = p.argument(type, q)
        for rounding in oracle.ROUNDINGS:
            out = sized(element, height, width)
            p.result(
                p.op(
                    f'qnn.resize {v} {{mode = "nearest", {place}, rounding = "{rounding}"}} : '
                    f"{type} -> {out}"
                ),
                out,
                oracle.resize_nearest(q, height, width, transformation, rounding),
            )
        linear = f'qnn.resize {v} {{mode = "linear", {place}}} : {type} -> '
        args = (q, s, z, height, width, transformation)
        for to in ((0.04, 17, "u8"), (0.011, -3, "i8")):
            out = sized(uniform(to[2], *to[:2]), height, width)
            p.result(p.op(linear + out), out, oracle.resize_linear(*args, to))
        for name, dtype in (("f32", f32), ("f16", np.float16)):
            out = sized(name, height, width)
            p.result(p.op(linear + out), out, oracle.resize_linear(*args).astype(dtype))
    p.check(tmp_path, target)


def test_clamp(target, tmp_path):
    p = Program()
    for storage, s, z in (("i8", 0.05, 3), ("u8", 0.1, 128)):
        low, high = oracle.RANGES[storage]
        q = np.arange(low, high + 1).astype(oracle.STORAGE[storage])[:, None]
        type = tensor(q.shape, uniform(storage, s, z))
        v = p.argument(type, q)
        for least, most in ((0.0, 6.0), (None, 2.525), (-1.475, None), (-1e30, 1e30)):
            bounds = []
            if most is not None:
                bounds.append(f"max = {number(most)} : f32")
            if least is not None:
                bounds.append(f"min = {number(least)} : f32")
            p.result(
                p.op(f"qnn.clamp {v} {{{', '.join(bounds)}}} : {type}"),
                type,
                oracle.clamp(q, s, z, least, most, storage),
            )
    p.check(tmp_path, target)


def test_lookup(target, tmp_path):
    rng = np.random.default_rng(18)
    p = Program()
    tables = {
        "i8": rng.integers(-128, 128, 256).astype(np.int8),
        "ui8": rng.integers(0, 256, 256).astype(np.uint8),
        "i32": rng.integers(-(2**31), 2**31, 256).astype(np.int32),
        "f16": rng.normal(0, 1, 256).astype(np.float16),
        "f32": rng.normal(0, 1, 256).astype(f32),
    }
    for storage in ("i8", "u8"):
        q = np.arange(256).astype(np.uint8).view(oracle.STORAGE[storage]).reshape(16, 16)
        type = tensor(q.shape, uniform(storage, 0.05, 3))
        v = p.argument(type, q)
        for element, table in tables.items():
            t = p.weight(f"tensor<256x{element}>", table)
            out = tensor(q.shape, element)
            p.result(
                p.op(f"qnn.lookup {v}, {t} : {type}, tensor<256x{element}> -> {out}"),
                out,
                oracle.lookup(q, table),
            )
        t = p.weight("tensor<256xi8>", tables["i8"])
        out = tensor(q.shape, uniform("i8", 0.1, 2))
        p.result(
            p.op(f"qnn.lookup {v}, {t} : {type}, tensor<256xi8> -> {out}"),
            out,
            oracle.lookup(q, tables["i8"]),
        )
    p.check(tmp_path, target)
