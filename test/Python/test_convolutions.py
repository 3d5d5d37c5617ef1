"""qnn.conv2d and qnn.conv_transpose2d against numpy, on each way to run it that this host has.

A program holds one form of windows with many results: all types of results, biases and clamps.
"""

import numpy as np
import pytest

import oracle
from program import Program, number, uniform
from test_ops import STORED_TYPE, extreme, stored

f32 = np.float32
CHIPS = ["sm_80"]


class Form:
    """Sizes and attributes of a convolution; one with `output_padding` is transposed."""

    def __init__(
        self,
        x,
        w,
        strides=(1, 1),
        dilations=(1, 1),
        padding=(0, 0, 0, 0),
        groups=1,
        output_padding=None,
    ):
        self.x, self.w, self.groups = x, w, groups
        self.lists = {"strides": strides, "dilations": dilations, "padding": padding}
        self.op, self.oracle = "qnn.conv2d", oracle.convolve
        if output_padding is not None:
            self.lists["output_padding"] = output_padding
            self.op, self.oracle = "qnn.conv_transpose2d", oracle.convolve_transposed

    def __repr__(self):
        lists = [name[0] + "".join(map(str, values)) for name, values in self.lists.items()]
        shapes = ["x".join(map(str, shape)) for shape in (self.x, self.w)]
        return "-".join([self.op[4:], *shapes, *lists, f"g{self.groups}"])

    def attributes(self, rest=()):
        entries = [
            f"{name} = array<i64: {', '.join(map(str, values))}>"
            for name, values in self.lists.items()
        ]
        return "{" + ", ".join([*entries, f"groups = {self.groups} : i64", *rest]) + "}"

    def accumulate(self, x, zx, w, zw):
        return self.oracle(x, zx, w, zw, groups=self.groups, **self.lists)


FORMS = [
    Form((2, 5, 4, 7), (5, 1, 1, 7)),
    Form((1, 6, 9, 8), (16, 3, 3, 8), padding=(1, 1, 1, 1)),
    Form((1, 15, 13, 3), (20, 7, 7, 3), strides=(2, 2), padding=(3, 3, 3, 3)),
    Form((2, 9, 11, 5), (4, 3, 2, 5), strides=(1, 3), dilations=(2, 3), padding=(0, 4, 3, 1)),
    Form((1, 7, 5, 6), (4, 3, 3, 3), padding=(2, 0, 1, 2), groups=2),
    Form((2, 6, 5, 12), (48, 3, 3, 4), strides=(2, 1), padding=(1, 1, 1, 1), groups=3),
    Form((1, 7, 8, 19), (19, 3, 3, 1), padding=(1, 1, 1, 1), groups=19),
    Form((1, 7, 8, 6), (12, 3, 3, 1), strides=(2, 2), padding=(1, 0, 0, 1), groups=6),
    Form((2, 1, 17, 4), (9, 1, 5, 4), dilations=(1, 2), padding=(0, 0, 8, 0)),
    Form((1, 3, 3, 2), (3, 3, 3, 2)),
    Form((2, 4, 5, 6), (7, 2, 2, 6), strides=(2, 2), output_padding=(0, 0)),
    Form((1, 4, 3, 8), (5, 3, 3, 8), (2, 2), padding=(1, 1, 1, 1), output_padding=(1, 1)),
    Form((1, 3, 4, 5), (4, 4, 3, 5), (3, 1), (1, 2), (0, 3, 2, 1), output_padding=(2, 1)),
    Form((1, 5, 4, 6), (4, 3, 3, 3), padding=(1, 0, 2, 1), groups=2, output_padding=(0, 0)),
    Form((1, 4, 4, 5), (10, 3, 3, 1), (2, 1), groups=5, output_padding=(1, 0)),
    Form((1, 3, 4, 9), (9, 2, 3, 1), (2, 2), padding=(0, 0, 1, 1), groups=9, output_padding=(0, 1)),
    Form((1, 2, 3, 3), (4, 1, 1, 3), (3, 2), output_padding=(1, 0)),
    Form((1, 4, 3, 8), (5, 1, 2, 8)),
]


def shape_type(shape, element, dynamic=()):
    sizes = ["?" if d in dynamic else str(size) for d, size in enumerate(shape)]
    return f"tensor<{'x'.join(sizes)}x{element}>"


def data(rng, form, x_storage, w_storage):
    """Random elements, and one image and one filter of extremes."""
    x, w = stored(rng, x_storage, form.x), stored(rng, w_storage, form.w)
    x[-1, 0] = extreme(x_storage, form.x[2:], 1)
    w[0] = extreme(w_storage, form.w[1:], 0)
    return x, w


QUANTIZATIONS = [("i8", 0, "i8", 0, False), ("u8", 131, "i8", 0, True), ("i8", -7, "u8", 5, True)]


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_convolution(target, tmp_path, form):
    place = FORMS.index(form)
    rng = np.random.default_rng(100 + place)
    p = Program()
    f = form.w[0]
    # N, H and W are dynamic in every other form.
    dynamic = (0, 1, 2) if place % 2 else ()
    for turn, (x_storage, zx, w_storage, zw, per_channel) in enumerate(QUANTIZATIONS):
        x, w = data(rng, form, x_storage, w_storage)
        sx = f32(0.031)
        sw = rng.uniform(1e-3, 1e-2, f).astype(f32) if per_channel else f32(0.0071)
        x_type = shape_type(x.shape, uniform(x_storage, sx, zx), dynamic)
        w_type = shape_type(w.shape, uniform(w_storage, sw, zw, 0 if per_channel else None))
        xv, wv = p.argument(x_type, x), p.weight(w_type, w)
        bias_i32 = rng.integers(-20000, 20000, f).astype(np.int32)
        bias_i32[0] = 2**31 - 1
        bias_f32 = rng.normal(0, 5, f).astype(f32)
        integers = f"bias({p.weight(f'tensor<{f}xi32>', bias_i32)} : tensor<{f}xi32>)"
        reals = f"bias({p.weight(f'tensor<{f}xf32>', bias_f32)} : tensor<{f}xf32>)"
        acc = form.accumulate(x, zx, w, zw)
        biased = oracle.wrap(acc.astype(np.int64) + bias_i32)
        scale = sx * sw
        bounds = [f"clamp_min = {number(-1.5)} : f32", f"clamp_max = {number(2.5)} : f32"]

        real = oracle.real_result(acc, scale, bias_f32)
        results = [
            ("", "i32", acc, ()),
            (integers, "i32", biased, ()),
            ("", "f32", oracle.real_result(acc, scale), ()),
            (integers, "f16", oracle.real_result(biased, scale).astype(np.float16), ()),
            (reals, "bf16", oracle.to_bf16(real), ()),
            (reals, "f32", oracle.real_result(acc, scale, bias_f32, -1.5, 2.5), bounds),
        ]
        for args in ((0.07, 0, "i8"), (0.11, 90, "u8")):
            element = uniform(args[2], args[0], args[1])
            clamped = oracle.quantized_result(acc, scale, *args, bias_f32, -1.5, 2.5)
            results += [
                ("", element, oracle.quantized_result(acc, scale, *args), ()),
                (integers, element, oracle.quantized_result(biased, scale, *args), ()),
                (reals, element, clamped, bounds),
            ]
        # Each form has every result with one of the quantizations, in turn.
        for bias, element, expected, rest in results[(place + turn) % 3 :: 3]:
            out = shape_type(acc.shape, element, dynamic)
            value = p.op(
                f"{form.op} {xv}, {wv} {bias} {form.attributes(rest)} : {x_type}, {w_type} -> {out}"
            )
            if element == "bf16":
                wide = shape_type(acc.shape, "f32", dynamic)
                value, out = p.op(f"arith.extf {value} : {out} to {wide}"), wide
            p.result(value, out, expected)
    p.check(tmp_path, target)


@pytest.mark.parametrize("form", [*FORMS[1:8:2], *FORMS[11:]], ids=repr)
def test_parameters_at_run_time(target, tmp_path, form):
    """Scales and zero points as operands. Of the input's zero point the lowest 8 bits count."""
    rng = np.random.default_rng(31)
    p = Program()
    f = form.w[0]
    for x_storage, w_storage, zx, given in (
        ("u8", "i8", 200, 200),
        ("i8", "u8", -128, -128),
        ("u8", "u8", 44, 300),
        ("i8", "i8", -56, 200),
    ):
        x, w = data(rng, form, x_storage, w_storage)
        channels = rng.uniform(0.001, 0.01, f).astype(f32)
        low, high = oracle.RANGES[w_storage]
        zw = rng.integers(low, high + 1, f).astype(np.int32)
        bias = rng.normal(0, 3, f).astype(f32)
        x_type = shape_type(x.shape, STORED_TYPE[x_storage], (1,))
        w_type = shape_type(w.shape, STORED_TYPE[w_storage])
        xv, wv = p.argument(x_type, x), p.argument(w_type, w)
        sx, sy, zy = f32(0.02), f32(0.2), -9
        operands = (
            f"bias({p.argument(f'tensor<{f}xf32>', bias)} : tensor<{f}xf32>) "
            f"input_scale({p.argument('f32', sx)} : f32) "
            f"input_zero_point({p.argument('i32', np.int32(given))} : i32) "
            f"weight_scale({p.argument(f'tensor<{f}xf32>', channels)} : tensor<{f}xf32>) "
            f"weight_zero_point({p.argument(f'tensor<{f}xi32>', zw)} : tensor<{f}xi32>)"
        )
        acc = form.accumulate(x, zx, w, zw[:, None, None, None])
        scale = sx * channels
        out = shape_type(acc.shape, "f32", (1,))
        op = f"{form.op} {xv}, {wv} {operands}"
        value = p.op(f"{op} {form.attributes()} : {x_type}, {w_type} -> {out}")
        p.result(value, out, oracle.real_result(acc, scale, bias))
        out = shape_type(acc.shape, "i8", (1,))
        op += (
            f" output_scale({p.argument('f32', sy)} : f32)"
            f" output_zero_point({p.argument('i32', np.int32(zy))} : i32)"
        )
        value = p.op(f"{op} {form.attributes()} : {x_type}, {w_type} -> {out}")
        p.result(value, out, oracle.quantized_result(acc, scale, sy, zy, "i8", bias))
    p.check(tmp_path, target)


ZEROS_AROUND = [
    Form((1, 4, 5, 32), (9, 3, 3, 32), padding=(1, 1, 1, 1)),
    Form((2, 2, 3, 40), (5, 5, 3, 40), strides=(2, 1), padding=(4, 3, 1, 1)),
    Form((1, 7, 4, 70), (17, 3, 2, 70), strides=(1, 2), dilations=(3, 2), padding=(5, 4, 1, 2)),
    Form((1, 1, 6, 66), (4, 7, 1, 33), dilations=(2, 1), padding=(9, 6, 0, 0), groups=2),
    Form((2, 3, 2, 24), (6, 3, 3, 24), (2, 1), padding=(1, 0, 1, 1), output_padding=(1, 0)),
]


@pytest.mark.parametrize("form", ZEROS_AROUND, ids=repr)
def test_zeros_around_the_image(target, tmp_path, form):
    """Padding is stored as 0, and products with it are left out: windows that begin above of the
    image, end below of it, or both."""
    rng = np.random.default_rng(200 + ZEROS_AROUND.index(form))
    p = Program()
    f = form.w[0]
    for x_storage, zx, w_storage, zw, dynamic in (
        ("u8", 0, "i8", 0, ()),
        ("i8", -128, "u8", 131, (1, 2)),
        ("i8", 0, "i8", 4, ()),
    ):
        x, w = data(rng, form, x_storage, w_storage)
        channels = rng.uniform(0.001, 0.01, f).astype(f32)
        x_type = shape_type(x.shape, uniform(x_storage, 0.02, zx), dynamic)
        w_type = shape_type(w.shape, uniform(w_storage, channels, zw, 0))
        xv, wv = p.argument(x_type, x), p.weight(w_type, w)
        acc = form.accumulate(x, zx, w, zw)
        out = shape_type(acc.shape, "i32", dynamic)
        p.result(
            p.op(f"{form.op} {xv}, {wv} {form.attributes()} : {x_type}, {w_type} -> {out}"),
            out,
            acc,
        )
    p.check(tmp_path, target)
