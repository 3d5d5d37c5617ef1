"""Linear layers whose parameters vary along K, against numpy, on each way to run them that this host has.

A program has one size of groups and many results: each form of parameters, storage, bias, clamp and result.
"""

import itertools
import subprocess

import numpy as np
import pytest

import oracle
from program import Program, number, qcc
from test_ops import STORED_TYPE, extreme, stored

f32 = np.float32
CHIPS = ["sm_80"]
CLAMP = (-1.5, 2.5)

# The size of groups, K, N and rows. A size of 0 is all of K.
SIZES = [
    (1, 5, 3, 1), (3, 21, 17, 2), (16, 80, 33, 4), (32, 96, 64, 7), (64, 192, 16, 16),
    (128, 256, 40, 33), (256, 768, 19, 70), (0, 100, 9, 6), (0, 64, 32, 1), (32, 4096, 8, 3),
]
# Storage and zero point of the input, storage and zero point of the weight: the dimensions along which a parameter
# varies ("" for one of the tensor).
FORMS = [
    ("i8", None, "i8", None),
    ("u8", "", "i8", None),
    ("i8", None, "u8", "kn"),
    ("u8", "m", "u8", "n"),
    ("i8", "mk", "i8", ""),
    ("u8", "mk", "u8", "kn"),
]
# The scales of input and weight.
SCALES = [("", "kn"), ("m", "kn"), ("mk", "kn"), ("mk", "n"), ("mk", ""), ("m", "n")]


def sized(varies, outer, groups):
    """The shape [outer, groups] of a parameter, with 1 where it does not vary."""
    return (outer if set(varies or "") & set("mn") else 1, groups if "k" in (varies or "") else 1)


class Operand:
    """One operand: its elements, and its parameters in the forms of the oracle and of the program."""

    def __init__(self, rng, name, storage, shape, groups, zero_point, scale):
        self.name, self.storage = name, storage
        self.q = stored(rng, storage, shape)
        self.q[-1] = extreme(storage, shape[1:], rng.integers(2))
        low, high = oracle.RANGES[storage]
        self.has_zero_point = zero_point is not None
        self.z = np.zeros((1, 1), np.int32)
        if self.has_zero_point:
            self.z = rng.integers(low, high + 1, sized(zero_point, shape[0], groups)).astype(np.int32)
        self.s = rng.uniform(0.001, 0.05, sized(scale, shape[0], groups)).astype(f32)
        self.forms = {"zero_point": zero_point, "scale": scale}

    def spell(self, p, which, array, element, constant, dynamic):
        """The operand of a parameter: a scalar, [channels], [rows, 1] or [outer, groups]."""
        varies = self.forms[which]
        if not varies:
            text = p.op(f"arith.constant {number(array[0, 0]) if element == 'f32' else int(array[0, 0])} : {element}")
            return f"{self.name}_{which}({text} : {element})"
        if varies == "n":
            array = array[:, 0]
        sizes = ["?" if dynamic and d == 0 else str(size) for d, size in enumerate(array.shape)]
        type = f"tensor<{'x'.join(sizes)}x{element}>"
        value = p.weight(type, array) if constant else p.argument(type, array)
        return f"{self.name}_{which}({value} : {type})"

    def parameters(self, p, constant, dynamic):
        text = self.spell(p, "scale", self.s, "f32", constant, dynamic)
        if self.has_zero_point:
            text += " " + self.spell(p, "zero_point", self.z, "i32", constant, dynamic)
        return text


def add_layer(p, rng, size, k, n, rows, form, scales, turn):
    """Adds one layer to the program; `turn` chooses what FORMS and SCALES do not: constants, bias, clamp, result."""
    groups = k // (size or k)
    x = Operand(rng, "input", form[0], (rows, k), groups, form[1], scales[0])
    w = Operand(rng, "weight", form[2], (n, k), groups, form[3], scales[1])
    constant, dynamic = turn % 3 != 0, turn % 2 == 0
    row = "?" if dynamic else rows
    x_type, w_type = f"tensor<{row}x{k}x{STORED_TYPE[x.storage]}>", f"tensor<{n}x{k}x{STORED_TYPE[w.storage]}>"
    xv = p.argument(x_type, x.q)
    wv = p.weight(w_type, w.q) if constant else p.argument(w_type, w.q)
    operands, bias, bounds, attributes = [], None, (None, None), ""
    if turn % 4 > 1:
        bias = rng.normal(0, 5, n).astype(f32)
        operands.append(f"bias({p.weight(f'tensor<{n}xf32>', bias)} : tensor<{n}xf32>)")
    operands += [x.parameters(p, False, dynamic), w.parameters(p, constant, False)]
    if turn % 5 == 3:
        bounds = CLAMP
        attributes = f" {{clamp_min = {number(CLAMP[0])} : f32, clamp_max = {number(CLAMP[1])} : f32}}"
    element = ("f32", "f16", "bf16")[turn % 7 % 3]
    out = f"tensor<{row}x{n}x{element}>"
    value = p.op(f"qnn.linear {xv}, {wv} {' '.join(operands)}{attributes} : {x_type}, {w_type} -> {out}")
    expected = oracle.grouped_linear(x.q, x.z, x.s, w.q, w.z, w.s, bias, *bounds)
    if element == "f16":
        expected = expected.astype(np.float16)
    if element == "bf16":
        wide = f"tensor<{row}x{n}xf32>"
        value, out = p.op(f"arith.extf {value} : {out} to {wide}"), wide
        expected = oracle.to_bf16(expected)
    p.result(value, out, expected)


def grouped(form, scales):
    """Whether a parameter varies along K."""
    return any("k" in (varies or "") for varies in (form[1], form[3], *scales))


@pytest.mark.parametrize("size, k, n, rows", SIZES, ids=str)
def test_groups(target, tmp_path, size, k, n, rows):
    place = SIZES.index((size, k, n, rows))
    rng = np.random.default_rng(700 + place)
    pairs = [pair for pair in itertools.product(FORMS, SCALES) if grouped(*pair)]
    if "--target=cuda" in target:
        if rows > 7 or k > 1000:
            pytest.skip("too long for the emulator")
        pairs = pairs[place :: 8]
    else:
        # Two sizes together have every pair.
        pairs = pairs[place % 2 :: 10 if k > 1000 else 2]
    p = Program()
    for turn, (form, scales) in enumerate(pairs):
        add_layer(p, rng, size, k, n, rows, form, scales, turn + place)
    p.check(tmp_path, target)


def test_batches(target, tmp_path):
    """Rows of two dimensions, of which one is dynamic, each with parameters of its own."""
    rng = np.random.default_rng(71)
    p = Program()
    x, w = stored(rng, "u8", (2, 5, 48)), stored(rng, "i8", (11, 48))
    sx, sw = rng.uniform(0.01, 0.1, (2, 5, 3)).astype(f32), rng.uniform(0.01, 0.1, (11, 3)).astype(f32)
    zx = rng.integers(0, 256, (2, 5, 3)).astype(np.uint8)
    xv, sv, zv = (
        p.argument(f"tensor<2x?x{a.shape[-1]}x{type}>", a) for a, type in ((x, "ui8"), (sx, "f32"), (zx, "ui8"))
    )
    wv, tv = p.weight("tensor<11x48xi8>", w), p.weight("tensor<11x3xf32>", sw)
    value = p.op(
        f"qnn.linear {xv}, {wv} input_scale({sv} : tensor<2x?x3xf32>) input_zero_point({zv} : tensor<2x?x3xui8>) "
        f"weight_scale({tv} : tensor<11x3xf32>) : tensor<2x?x48xui8>, tensor<11x48xi8> -> tensor<2x?x11xf32>"
    )
    p.result(value, "tensor<2x?x11xf32>", oracle.grouped_linear(x, zx, sx, w, np.zeros((1, 1)), sw))
    p.check(tmp_path, target)


def test_zero_points_of_few_bits(target, tmp_path):
    """Weights of 4 bits with a zero point for the tensor, each channel or each group. Those of constants without groups are
    folded."""
    rng = np.random.default_rng(72)
    p = Program()
    x = stored(rng, "i8", (5, 64))
    xv, sv = p.argument("tensor<5x64xi8>", x), p.op("arith.constant 0.03125 : f32")
    s = rng.uniform(0.01, 0.1, (12, 4)).astype(f32)
    tv = p.weight("tensor<12x4xf32>", s)
    for shape in ((), (12,), (12, 4)):
        w = rng.integers(0, 16, (12, 64)).astype(np.uint8)
        z = rng.integers(0, 16, shape).astype(np.int32)
        type = "x".join([*map(str, shape), "i32"])
        for make in (p.weight, p.argument):
            zv = make(f"tensor<{type}>", z)
            wv = make("tensor<12x64xui8>", w)
            value = p.op(
                f"qnn.linear {xv}, {wv} input_scale({sv} : f32) weight_scale({tv} : tensor<12x4xf32>) "
                f"weight_zero_point({zv} : tensor<{type}>) : tensor<5x64xi8>, tensor<12x64xui8> -> tensor<5x12xf32>"
            )
            per_group = np.broadcast_to(z.reshape(*shape, *[1] * (2 - len(shape))), (12, 4))
            none = np.zeros((1, 1), np.int32)
            expected = oracle.grouped_linear(x, none, np.full((1, 1), 0.03125, f32), w, per_group, s)
            p.result(value, "tensor<5x12xf32>", expected)
    p.check(tmp_path, target)
    if "--target=reference" not in target:
        # What is left is subtracted at run time: zero points of arguments, and of groups of a weight of 4 bits.
        command = [qcc(), "compile", tmp_path / "program.mlir", "--emit=tensor", "-o", "-", *target[:1]]
        command += [f"--weights={tmp_path / 'weights.npz'}", *(["--target=cuda"] if "--target=cuda" in target else [])]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert text.count("arith.subi") == 4
