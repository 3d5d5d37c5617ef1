"""Contractions with groups of K on NVIDIA chips: each strategy and form of a packed weight, on the emulator, against numpy."""

import re
import subprocess

import numpy as np
import pytest

import oracle
from program import Program, number, qcc

f32 = np.float32
# Least and greatest elements of weights, and their storage.
NIBBLES, UNSIGNED_NIBBLES, BYTES = ("i8", -8, 7), ("u8", 0, 15), ("i8", -128, 127)
# Chip, size of groups, K, N, rows, weight, and zero points: of the input, of the weight by group.
CASES = [
    ("sm_75", 16, 128, 24, 3, NIBBLES, True, False),
    ("sm_75", 128, 512, 16, 9, BYTES, False, True),
    ("sm_75", 32, 128, 17, 70, BYTES, True, True),
    ("sm_80", 16, 192, 19, 20, UNSIGNED_NIBBLES, True, True),
    ("sm_80", 32, 2048, 8, 1, NIBBLES, False, False),
    ("sm_80", 64, 320, 17, 2, BYTES, True, True),
    ("sm_80", 128, 768, 21, 16, UNSIGNED_NIBBLES, False, True),
    ("sm_80", 192, 1152, 16, 5, NIBBLES, True, False),
    ("sm_80", 16, 128, 33, 70, BYTES, True, True),
    ("sm_80", 64, 256, 64, 70, BYTES, False, False),
    ("sm_80", 128, 512, 48, 70, NIBBLES, True, True),
    ("sm_89", 32, 96, 12, 7, NIBBLES, True, True),
    ("sm_90", 64, 4096, 16, 1, NIBBLES, True, False),
    ("sm_90", 20, 400, 9, 4, BYTES, True, True),
    ("sm_90a", 64, 256, 64, 130, BYTES, False, False),
    ("sm_86", 32, 256, 40, 12, BYTES, True, True),
    ("sm_120", 128, 256, 24, 8, UNSIGNED_NIBBLES, False, True),
]


def constant(p, array, element):
    return f"{p.weight(type_of(array, element), array)} : {type_of(array, element)}"


def type_of(array, element):
    return f"tensor<{'x'.join([*map(str, array.shape), element])}>"


def add_layer(p, size, k, n, rows, weight, has_input_zero, has_weight_zero, is_dynamic=False):
    rng = np.random.default_rng(size * k + rows)
    storage, low, high = weight
    groups = k // size
    x = rng.integers(-128, 128, (rows, k)).astype(np.int8)
    w = rng.integers(low, high + 1, (n, k)).astype(np.int8 if storage == "i8" else np.uint8)
    x[0], w[0] = -128, low
    sx, sw = rng.uniform(0.001, 0.05, (rows, 1)).astype(f32), rng.uniform(0.001, 0.05, (n, groups)).astype(f32)
    zx, zw = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.int32)
    bias = rng.normal(0, 5, n).astype(f32)
    row = "?" if is_dynamic else rows
    x_type, out = f"tensor<{row}x{k}xi8>", f"tensor<{row}x{n}xf32>"
    xv, sv = p.argument(x_type, x), p.argument(f"tensor<{row}x1xf32>", sx)
    w_type = type_of(w, "i8" if storage == "i8" else "ui8")
    operands = f"bias({constant(p, bias, 'f32')}) input_scale({sv} : tensor<{row}x1xf32>)"
    wv = p.weight(w_type, w)
    if has_input_zero:
        zx = rng.integers(-128, 128, (rows, groups)).astype(np.int32)
        operands += f" input_zero_point({p.argument(f'tensor<{row}x{groups}xi32>', zx)} : tensor<{row}x{groups}xi32>)"
    operands += f" weight_scale({constant(p, sw, 'f32')})"
    if has_weight_zero:
        zw = rng.integers(low, high + 1, (n, groups)).astype(np.int32)
        operands += f" weight_zero_point({constant(p, zw, 'i32')})"
    clamps = f"{{clamp_min = {number(-200)} : f32, clamp_max = {number(200)} : f32}}"
    value = p.op(f"qnn.linear {xv}, {wv} {operands} {clamps} : {x_type}, {w_type} -> {out}")
    p.result(value, out, oracle.grouped_linear(x, zx, sx, w, zw, sw, bias, -200, 200))


def tensor_stage(chip, folder):
    """The program with its configs, before weights are packed."""
    command = [qcc(), "compile", folder / "program.mlir", "--emit=kernel", "-o", "-", "--target=cuda", f"--mcpu={chip}"]
    command.append(f"--weights={folder / 'weights.npz'}")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("chip, size, k, n, rows, weight, input_zero, weight_zero", CASES, ids=str)
def test_groups(tmp_path, chip, size, k, n, rows, weight, input_zero, weight_zero):
    p = Program()
    add_layer(p, size, k, n, rows, weight, input_zero, weight_zero)
    p.check(tmp_path, ["--target=cuda", f"--mcpu={chip}", "--seeds=1"])
    text = tensor_stage(chip, tmp_path)
    assert text.count("group_epilogue") == 1
    strategy = "multistage" if rows > 64 else "decode"
    assert f"#nvptx.config<{strategy}" in text, re.findall("#nvptx.config[^>]*", text)
    assert ("rhs_bits = 4" in text) == (strategy == "decode" and weight is not BYTES)


@pytest.mark.parametrize("rows", [1, 40])
def test_dynamic_rows(tmp_path, rows):
    """One packed weight for any number of rows, of which few have a config of their own."""
    p = Program()
    add_layer(p, 32, 128, 16, rows, NIBBLES, True, False, is_dynamic=True)
    p.check(tmp_path, ["--target=cuda", "--mcpu=sm_80", "--seeds=1"])
    assert "few_rows" in tensor_stage("sm_80", tmp_path)
