"""ConvTranspose of any number of dimensions, strides, dilations, padding and groups, which qcc computes phase by phase.

Elements are small integers, whose sums are exact in any order, so that results have to be equal.
"""

import itertools
import json
import subprocess

import numpy as np
import pytest

import program
from onnx_model import Model

F32 = np.float32


def scatter(x, w, bias, strides, dilations, pads, added, group):
    """Each element of the image adds a multiple of the kernel to the result (the definition of ONNX)."""
    rank, (c, m) = x.ndim - 2, w.shape[:2]
    full = [(n - 1) * s + d * (k - 1) + 1 + a for n, s, d, k, a in zip(x.shape[2:], strides, dilations, w.shape[2:], added)]
    y = np.zeros((x.shape[0], m * group, *full))
    per = c // group
    for g in range(group):
        out = y[:, g * m:(g + 1) * m]
        for place in itertools.product(*map(range, x.shape[2:])):
            pixel = x[(slice(None), slice(g * per, (g + 1) * per), *place)].astype(np.float64)
            window = tuple(slice(i * s, i * s + d * (k - 1) + 1, d) for i, s, d, k in zip(place, strides, dilations, w.shape[2:]))
            out[(slice(None), slice(None), *window)] += np.tensordot(pixel, w[g * per:(g + 1) * per].astype(np.float64), 1)
    y = y[(slice(None), slice(None), *(slice(a, n - b) for a, b, n in zip(pads, pads[rank:], full)))]
    return y if bias is None else y + bias.reshape(1, -1, *[1] * rank)


def draw(random, rank):
    """(image, kernel, bias, attributes) of a node with a result."""
    while True:
        kernel, sizes = random.integers(1, 6, rank), random.integers(1, 7 if rank < 3 else 4, rank)
        strides, dilations = random.integers(1, 5, rank), random.choice([1, 1, 1, 2, 3], rank)
        added = [int(random.integers(0, max(s, d))) if random.random() < 0.5 else 0 for s, d in zip(strides, dilations)]
        pads = [int(random.integers(0, d * (k - 1) + 2)) for k, d in zip([*kernel] * 2, [*dilations] * 2)]
        full = [(n - 1) * s + d * (k - 1) + 1 + a for n, s, d, k, a in zip(sizes, strides, dilations, kernel, added)]
        left = [n - a - b for n, a, b in zip(full, pads, pads[rank:])]
        if min(left) >= 1 and all(max(a, b) < d * (k - 1) + 1 for a, b, d, k in zip(pads, pads[rank:], dilations, kernel)):
            break
    group, c, m = int(random.choice([1, 1, 2, 3])), int(random.integers(1, 4)), int(random.integers(1, 5))
    x = random.integers(-9, 10, (int(random.integers(1, 3)), c * group, *sizes))
    w = random.integers(-9, 10, (c * group, m, *kernel))
    bias = random.integers(-9, 10, m * group) if random.random() < 0.6 else None
    attributes = dict(strides=[int(s) for s in strides], dilations=[int(d) for d in dilations], pads=pads,
                      output_padding=added, group=group)
    return x, w, bias, attributes


@pytest.mark.parametrize("seed", range(24))
def test_floats(seed, tmp_path, compiler):
    """Of known and of dynamic sizes."""
    random = np.random.default_rng(seed)
    x, w, bias, attributes = draw(random, 1 + seed % 3)
    expected = scatter(x, w, bias, attributes["strides"], attributes["dilations"], attributes["pads"],
                       attributes["output_padding"], attributes["group"]).astype(F32)
    for dims in (None, ["n", x.shape[1], *"dhw"[:x.ndim - 2]]):
        model = Model(19)
        names = [model.input("x", x.astype(F32), dims), model.constant("w", w.astype(F32))]
        if bias is not None:
            names.append(model.constant("b", bias.astype(F32)))
        (y,) = model.run(tmp_path, [model.node("ConvTranspose", names, **attributes)])
        np.testing.assert_array_equal(y, expected, f"{attributes} {dims}")


@pytest.mark.parametrize("seed", range(12))
def test_dequantized_values(seed, tmp_path, compiler):
    """f32(acc) * (sx * sw), with a zero point around the image."""
    random = np.random.default_rng(100 + seed)
    x, w, _, attributes = draw(random, 1 + seed % 3)
    zero = int(random.integers(100, 150))
    expected = scatter(x, w, None, attributes["strides"], attributes["dilations"], attributes["pads"],
                       attributes["output_padding"], attributes["group"]).astype(F32)
    sx, sw = F32(0.3), F32(0.07)
    model = Model(19)
    image = model.node("DequantizeLinear", [model.input("x", (x + zero).astype(np.uint8)), model.constant("sx", sx),
                                            model.constant("zx", np.uint8(zero))])
    weight = model.node("DequantizeLinear", [model.constant("w", w.astype(np.int8)), model.constant("sw", sw)])
    (y,) = model.run(tmp_path, [model.node("ConvTranspose", [image, weight], **attributes)])
    program.assert_same_bits(y, expected * (sx * sw))


def steps_of(tmp_path, model, outputs):
    (tmp_path / "explained.onnx").write_bytes(model.model(outputs).SerializeToString())
    text = subprocess.run([str(program.qcc()), "explain", str(tmp_path / "explained.onnx"), "--mcpu=x86-64-v3", "--json"],
                          capture_output=True, text=True, check=True).stdout
    return json.loads(text)["kernels"]


@pytest.mark.parametrize("rank", [1, 2])
def test_phases_of_bytes_are_kernels_that_store_where_results_belong(rank, tmp_path, compiler):
    """As many kernels as phases, and nothing that moves or quantizes what they compute."""
    random = np.random.default_rng(3)
    model = Model(19)
    x = random.integers(0, 256, (1, 16, *[8] * rank)).astype(np.uint8)
    w = random.integers(-128, 128, (16, 16, *[3] * rank)).astype(np.int8)
    scale, zero = model.constant("s", F32(0.01)), model.constant("z", np.uint8(128))
    image = model.node("DequantizeLinear", [model.input("x", x), scale, zero])
    weight = model.node("DequantizeLinear", [model.constant("w", w), scale])
    y = model.node("ConvTranspose", [image, weight], strides=[2] * rank, pads=[1] * 2 * rank, output_padding=[1] * rank)
    q = model.node("QuantizeLinear", [model.node("Relu", [y]), model.constant("sy", F32(0.2)), zero])
    steps = steps_of(tmp_path, model, [q])
    kernels = [step for step in steps if step["kind"] == "contract"]
    assert len(kernels) == 2 ** rank
    assert all("qnn.quantize" in step["fused"] for step in kernels)
    # The image gets its channels last and a border, the result its channels first.
    others = [step for step in steps if step["kind"] != "contract"]
    assert len(others) <= 3 and all("moves" in step["refused"] or "copies" in step["refused"] for step in others), others


def test_generic_loops_of_floats_say_why(tmp_path, compiler):
    model = Model(19)
    x, w = np.ones((1, 2, 8, 8), F32), np.ones((2, 3, 4, 4), F32)
    y = model.node("ConvTranspose", [model.input("x", x), model.constant("w", w)], strides=[2, 2], pads=[1, 1, 1, 1])
    steps = steps_of(tmp_path, model, [y])
    assert [step["kind"] for step in steps] == ["generic"] * len(steps)
    reasons = [step["refused"] for step in steps]
    assert sum("no single dimension belongs to the right operand alone" in reason for reason in reasons) == 4, reasons
    assert all(reasons)


@pytest.mark.parametrize("dims", [None, ["n", 2, "h", "w"]])
def test_no_images(dims, tmp_path, compiler):
    """Of a batch of none nothing is taken, whether that is known or not."""
    x, w = np.ones((0, 2, 4, 5), F32), np.ones((2, 3, 3, 3), F32)
    model = Model(19)
    y = model.node("ConvTranspose", [model.input("x", x, dims), model.constant("w", w)], strides=[2, 2], pads=[1, 1, 1, 1])
    (actual,) = model.run(tmp_path, [y])
    assert actual.shape == (0, 3, 7, 9)


def test_strides_put_no_zeros_into_a_sum(tmp_path, compiler):
    """An infinite element of the kernel makes NaN of a zero beside the image, and of nothing between its elements."""
    x, w = np.array([[[1, 2, 3]]], F32), np.array([[[1, np.inf]]], F32)
    model = Model(19)
    y = model.node("ConvTranspose", [model.input("x", x), model.constant("w", w)], strides=[2])
    (actual,) = model.run(tmp_path, [y])
    np.testing.assert_array_equal(actual, [[[1, np.inf, 2, np.inf, 3, np.inf]]])


def test_results_without_products_are_the_bias(tmp_path, compiler):
    x, w, b = np.ones((1, 1, 3), F32), np.ones((1, 1, 2), F32), np.array([-0.0], F32)
    model = Model(19)
    names = [model.input("x", x), model.constant("w", w), model.constant("b", b)]
    (y,) = model.run(tmp_path, [model.node("ConvTranspose", names, strides=[4], dilations=[2])])
    program.assert_same_bits(y, np.array([[[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]]], F32))


def test_a_large_stride_is_one_contraction(tmp_path, compiler):
    """As in the inverse of a short-time transform."""
    random = np.random.default_rng(4)
    x, w = random.integers(-3, 4, (1, 5, 6)).astype(F32), random.integers(-3, 4, (5, 1, 64)).astype(F32)
    model = Model(19)
    y = model.node("ConvTranspose", [model.input("x", x), model.constant("w", w)], strides=[16], pads=[24, 24])
    (actual,) = model.run(tmp_path, [y])
    np.testing.assert_array_equal(actual, scatter(x, w, None, [16], [1], [24, 24], [0], 1).astype(F32))
    assert sum("no single dimension" in step["refused"] for step in steps_of(tmp_path, model, [y])) == 2


@pytest.mark.parametrize("attributes, text", [
    (dict(strides=[70000]), "has a stride of 70000, which is more than 65536; use a smaller one"),
    (dict(strides=[1000], dilations=[7]), "has strides and dilations by which parts of its window differ in")])
def test_strides_that_are_refused(attributes, text, tmp_path, compiler):
    model = Model(19)
    names = [model.input("x", np.ones((1, 1, 2), F32)), model.constant("w", np.ones((1, 1, 999), F32))]
    y = model.node("ConvTranspose", names, **attributes)
    (tmp_path / "m.onnx").write_bytes(model.model([y]).SerializeToString())
    done = subprocess.run([str(program.qcc()), "compile", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "m.so")],
                          capture_output=True, text=True)
    assert done.returncode == 3 and text in done.stderr, done.stderr
