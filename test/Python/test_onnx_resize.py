"""Resize of ONNX by cubic interpolation, and by one scale: the bits that docs/Numerics.md says, near ONNX's own reference, and refusals.

test_onnx_sizes.py compares dynamic with static sizes, test_onnx_integers.py has linear interpolation of bytes.
"""

import subprocess

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import onnx_peer
import oracle
import program
from onnx_model import Model

F32 = np.float32
COORDINATES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]
# Shapes, then scales or sizes: of images, of one dimension only, of single elements, and of fewer elements than weights.
CASES = {
    "larger": ((1, 2, 4, 5), [1, 1, 2, 2.5], None),
    "smaller": ((2, 1, 9, 7), [1, 1, 0.5, 0.375], None),
    "sizes": ((2, 1, 6, 9), None, [2, 1, 5, 13]),
    "row": ((1, 3, 12), None, [1, 3, 31]),
    "single": ((1, 1, 1, 3), [1, 1, 3, 1], None),
}


def random(*shape):
    return np.random.default_rng(8).standard_normal(shape).astype(F32)


def resize(x, scales=None, sizes=None, dims=None, opset=19, variants=({},)):
    """A model with one node for each of the variants of attributes."""
    graph = Model(opset)
    operands = [graph.input("x", x, dims), "", "", ""]
    if scales is not None:
        operands[2] = graph.constant("scales", np.array(scales, F32))
    if sizes is not None:
        operands[3] = graph.constant("sizes", np.array(sizes, np.int64))
    return graph, [graph.node("Resize", operands, **{"mode": "cubic", **attributes}) for attributes in variants]


def place(o, n, m, scale, coordinates, start=0.0, end=1.0):
    if coordinates == "tf_half_pixel_for_nn":
        return (o + 0.5) / scale
    if coordinates == "tf_crop_and_resize":
        if m == 1:
            return 0.5 * (start + end) * (n - 1)
        return start * (n - 1) + o * (end - start) * (n - 1) / (m - 1)
    if coordinates == "asymmetric":
        return o / scale
    if coordinates == "align_corners":
        return o * (n - 1) / (m - 1) if m > 1 else 0.0
    centered = (o + 0.5) / scale - 0.5
    if coordinates == "half_pixel_symmetric":
        return n / 2 * (1 - m / (scale * n)) + (o + 0.5) / scale - 0.5
    return 0.0 if coordinates == "pytorch_half_pixel" and m == 1 else centered


def weights(t, a):
    def near(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far((1 - t) + 1)]


def expected(x, scales, sizes, coordinates, a=-0.75, excludes=False):
    """Along one dimension after the other, the last one first; tables in binary64, elements in binary32."""
    for axis in reversed(range(x.ndim)):
        n = x.shape[axis]
        m = sizes[axis] if sizes else int(np.floor(F32(scales[axis]) * F32(n)))
        scale = m / n if sizes else scales[axis]
        if scale == 1:
            continue
        elements, table = np.zeros((4, m), int), np.zeros((4, m), F32)
        for o in range(m):
            at = place(float(o), float(n), float(m), scale, coordinates)
            first = np.floor(at)
            w = weights(at - first, a)
            if excludes:
                w = [v if 0 <= first + i - 1 < n else 0.0 for i, v in enumerate(w)]
                total = ((w[0] + w[1]) + w[2]) + w[3]
                w = [v / total for v in w]
            elements[:, o] = np.clip(first + np.arange(-1, 3), 0, n - 1)
            table[:, o] = w
        v = [np.moveaxis(np.take(x, elements[i], axis), axis, -1) for i in range(4)]
        y = (v[0] * table[0]).astype(F32)
        for i in range(1, 4):
            y = oracle.fma(v[i], table[i], y)
        x = np.ascontiguousarray(np.moveaxis(y, -1, axis))
    return x


@pytest.mark.parametrize("case", CASES)
def test_bits(case, tmp_path, compiler):
    """With sizes that are known, and with dynamic ones; near the reference, whose scales are float32."""
    shape, scales, sizes = CASES[case]
    x = random(*shape)
    variants, right = [], []
    for coordinates in COORDINATES:
        for excludes, coefficient in ((0, -0.75), (1, -0.5)):
            right.append(expected(x, scales, sizes, coordinates, coefficient, excludes))
            variants.append(dict(coordinate_transformation_mode=coordinates, exclude_outside=excludes))
            if coefficient != -0.75:  # which is what holds without the attribute
                variants[-1]["cubic_coeff_a"] = coefficient
    for dims in (None, [f"d{d}" if d > 1 else size for d, size in enumerate(shape)]):
        graph, names = resize(x, scales, sizes, dims, variants=variants)
        for y, bits, variant in zip(graph.run(tmp_path, names), right, variants):
            program.assert_same_bits(y, bits, f"{dims} {variant}")
    graph, names = resize(x.astype(np.float64), scales, sizes, variants=variants)
    real = ReferenceEvaluator(graph.model(names)).run(None, {"x": x.astype(np.float64)})
    for exact, bits, variant in zip(real, right, variants):
        # For these the reference does not take the scale that the node has, or the size that results.
        if sizes or variant["coordinate_transformation_mode"] not in ("half_pixel_symmetric", "align_corners"):
            np.testing.assert_allclose(bits, exact, rtol=0, atol=1e-5, err_msg=str(variant))


def test_bits_are_those_of_every_target(target, tmp_path):
    for dims in (None, [1, 3, "h", "w"]):
        graph, names = resize(random(1, 3, 9, 20), [1, 1, 1.75, 2], dims=dims)
        (y,) = graph.run(tmp_path, names, target)
        program.assert_same_bits(y, expected(random(1, 3, 9, 20), [1, 1, 1.75, 2], None, "half_pixel"))


def test_operator_set_11(tmp_path, compiler):
    """Which has an input of regions, and no other difference here."""
    x = random(1, 1, 4, 4)
    graph = Model(11)
    operands = [graph.input("x", x), graph.constant("roi", np.array([], F32)),
                graph.constant("scales", np.array([1, 1, 2, 2], F32))]
    (y,) = graph.run(tmp_path, [graph.node("Resize", operands, mode="cubic",
                                           coordinate_transformation_mode="pytorch_half_pixel")])
    program.assert_same_bits(y, expected(x, [1, 1, 2, 2], None, "pytorch_half_pixel"))


def test_half_precision_is_rounded_once(tmp_path, compiler):
    x = random(1, 1, 5, 6).astype(np.float16)
    graph, names = resize(x, [1, 1, 2, 1.5])
    (y,) = graph.run(tmp_path, names)
    program.assert_same_bits(y, expected(x.astype(F32), [1, 1, 2, 1.5], None, "half_pixel").astype(np.float16))


def test_infinite_elements(tmp_path, compiler):
    """An infinite element makes all that it is a part of infinite or NaN, also where its weight is 0."""
    x = random(1, 1, 1, 9)
    x[0, 0, 0, 4] = np.inf
    graph, names = resize(x, [1, 1, 1, 2], variants=[dict(coordinate_transformation_mode="asymmetric")])
    (y,) = graph.run(tmp_path, names)
    program.assert_same_bits(y, expected(x, [1, 1, 1, 2], None, "asymmetric"))


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("policy, sizes", [("not_larger", [7, 8]), ("not_smaller", [7, 8]), ("not_larger", [3, 3])])
def test_keep_aspect_ratio(policy, sizes, mode, tmp_path, compiler):
    """One scale for all dimensions that have a size, and sizes that are rounded."""
    x = random(1, 2, 4, 5)
    graph, names = resize(x, sizes=sizes, variants=[dict(mode=mode, keep_aspect_ratio_policy=policy, axes=[2, 3])])
    (y,) = graph.run(tmp_path, names)
    scale = (min if policy == "not_larger" else max)(sizes[0] / 4, sizes[1] / 5)
    assert y.shape == (1, 2, int(scale * 4 + 0.5), int(scale * 5 + 0.5))
    (real,) = ReferenceEvaluator(graph.model(names)).run(None, {"x": x})
    np.testing.assert_allclose(y, real, rtol=0, atol=1e-5)


@pytest.mark.parametrize("policy, dims, message", [
    ("not_larger", [1, 1, "h", 4], "keeps the aspect ratio of dynamic or empty sizes, which is not supported; give the sizes"),
    ("smaller", None, "has keep_aspect_ratio_policy = smaller, which is not defined; correct the attribute")])
def test_aspect_ratios_that_are_refused(policy, dims, message, tmp_path, compiler):
    graph, names = resize(random(1, 1, 4, 4), sizes=[8, 9], dims=dims,
                          variants=[dict(keep_aspect_ratio_policy=policy, axes=[2, 3])])
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, names)


@pytest.mark.parametrize("message, kind, attributes", [
    ("has antialias with the mode nearest, which ONNX does not define; remove the attribute", F32, dict(antialias=1, mode="nearest")),
    ("interpolates uint8, which is not supported; cast it to float32", np.uint8, {}),
    ("interpolates float64, which is not supported; cast it to float32", np.float64, {}),
    ("has a cubic_coeff_a that is not finite; correct it", F32, dict(cubic_coeff_a=float("nan"))),
    ("has the modes corners and round_prefer_floor, which ONNX does not define; correct them", F32,
     dict(coordinate_transformation_mode="corners")),
])
def test_refusals(message, kind, attributes, tmp_path, compiler):
    graph, names = resize(np.ones((1, 1, 4, 4), kind), [1, 1, 2, 2], variants=[attributes])
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, names)


@pytest.mark.parametrize("mode, message", [
    ("linear", "has exclude_outside, which ONNX defines for the mode cubic and with antialias only; remove the attribute"),
    ("lanczos", "resizes by mode lanczos, which is not supported; nearest, linear and cubic are")])
def test_other_modes(mode, message, tmp_path, compiler):
    graph, names = resize(random(1, 1, 4), [1, 1, 2], variants=[dict(mode=mode, exclude_outside=1)])
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, names)


# Antialias, and parts of the image.

def window(x, n, scale, mode, a, excludes):
    """Elements of the window of a place, brought into the image, and their weights."""
    reach = 2.0 if mode == "cubic" else 1.0
    small = min(scale, 1.0)
    first = np.floor(x + 1 - (reach / scale if scale < 1 else reach))
    elements = first + np.arange(int(np.ceil(2 * reach / small)))
    table = []
    for element in elements:
        t = abs(element - x) * small
        near, far = ((a + 2) * t - (a + 3)) * t * t + 1, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
        weight = (near if t < 1 else far if t < 2 else 0.0) if mode == "cubic" else max(1 - t, 0.0)
        table.append(0.0 if excludes and not 0 <= element < n else weight)
    total = 0.0
    for weight in table:
        total += weight
    return np.clip(elements, 0, n - 1).astype(int), (np.array(table) / total).astype(F32)


def antialiased(x, scales, sizes, mode, coordinates="half_pixel", a=-0.75, excludes=False, rounds=None):
    """Along one dimension after the other, the last one first; `rounds` has the bounds of bytes."""
    for axis in reversed(range(x.ndim)):
        n = x.shape[axis]
        m = sizes[axis] if sizes else int(np.floor(F32(scales[axis]) * F32(n)))
        scale = m / n if sizes else float(F32(scales[axis]))
        if scale == 1:
            continue
        y = np.zeros((*np.delete(x.shape, axis), m), F32)
        moved = np.moveaxis(x, axis, -1)
        for o in range(m):
            elements, table = window(place(float(o), n, m, scale, coordinates), n, scale, mode, a, excludes)
            for element, weight in zip(elements, table):
                y[..., o] = oracle.fma(moved[..., element], weight, y[..., o])
        x = np.ascontiguousarray(np.moveaxis(y, -1, axis))
        if rounds:
            x = np.clip(np.floor(x + F32(0.5)), *rounds).astype(F32)
    return x


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("case", CASES)
def test_antialias(case, mode, tmp_path, compiler):
    """With sizes that are known, and with dynamic ones; near ONNX Runtime."""
    shape, scales, sizes = CASES[case]
    x = random(*shape)
    variants, right = [], []
    for coordinates in COORDINATES:
        for excludes in (0, 1):
            right.append(antialiased(x, scales, sizes, mode, coordinates, excludes=bool(excludes)))
            variants.append(dict(mode=mode, antialias=1, coordinate_transformation_mode=coordinates, exclude_outside=excludes))
    for dims in (None, [f"d{d}" if d > 1 else size for d, size in enumerate(shape)]):
        graph, names = resize(x, scales, sizes, dims, variants=variants)
        results = graph.run(tmp_path, names)
        for y, bits, variant in zip(results, right, variants):
            program.assert_same_bits(y, bits, f"{dims} {variant}")
        if dims is None and len(shape) == 4:
            onnx_peer.check(tmp_path, [x], results, 1e-4)


def test_antialias_has_the_bits_of_every_target(target, tmp_path):
    x = random(1, 3, 9, 20)
    for dims in (None, [1, 3, "h", "w"]):
        graph, names = resize(x, [1, 1, 0.75, 0.4], dims=dims, variants=[dict(antialias=1), dict(antialias=1, mode="linear")])
        for y, mode in zip(graph.run(tmp_path, names, target), ("cubic", "linear")):
            program.assert_same_bits(y, antialiased(x, [1, 1, 0.75, 0.4], None, mode))


@pytest.mark.parametrize("kind, bounds", [(np.uint8, (0, 255)), (np.int8, (-128, 127))])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_antialias_of_bytes(mode, kind, bounds, tmp_path, compiler):
    """Rounded along each dimension, as Pillow and ONNX Runtime do it."""
    x = np.random.default_rng(3).integers(*bounds, (1, 2, 12, 9), kind, endpoint=True)
    graph, names = resize(x, [1, 1, 0.4, 0.7], variants=[dict(mode=mode, antialias=1)])
    (y,) = graph.run(tmp_path, names)
    expected = antialiased(x.astype(F32), [1, 1, 0.4, 0.7], None, mode, rounds=bounds).astype(kind)
    program.assert_same_bits(y, expected)
    if kind == np.uint8:  # of int8 ONNX Runtime makes negative results 0
        real = onnx_peer.run(tmp_path / "model.onnx", [x])
        assert real is None or np.abs(real[0].astype(int) - y).max() <= 1


PART = [0, 0, 0.2, -0.3, 1, 1, 0.9, 1.4]


@pytest.mark.parametrize("is_constant", [True, False])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("dims", [None, [1, 2, "h", "w"]])
@pytest.mark.parametrize("size", [[5, 7], [1, 3]])
def test_parts_of_an_image(size, dims, mode, is_constant, tmp_path, compiler):
    """What lies outside has a value of its own. A part that is an input gives the same bits."""
    x, part = random(1, 2, 4, 6), np.array(PART, F32)
    graph = Model(19)
    names = [graph.input("x", x, dims), graph.value("part", part, not is_constant), "",
             graph.constant("sizes", np.array([1, 2, *size], np.int64))]
    attributes = dict(mode=mode, coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.5)
    (y,) = graph.run(tmp_path, [graph.node("Resize", names, **attributes)])
    expected, outside = x, np.zeros((1, 2, *size), bool)
    for axis in (3, 2):
        n, m = x.shape[axis], size[axis - 2]
        at = [place(float(o), n, m, m / n, "tf_crop_and_resize", float(part[axis]), float(part[axis + 4])) for o in range(m)]
        rows = []
        for o, where in enumerate(at):
            first = np.floor(where)
            take = [np.take(expected, int(np.clip(first + i, 0, n - 1)), axis) for i in range(-1, 3)]
            if mode == "nearest":
                rows.append(np.take(expected, int(np.clip(np.ceil(where - 0.5), 0, n - 1)), axis))
            elif mode == "linear":
                rows.append(oracle.fma(take[2] - take[1], F32(where - first), take[1]))
            else:
                w = [F32(v) for v in weights(where - first, -0.75)]
                row = (take[0] * w[0]).astype(F32)
                for i in range(1, 4):
                    row = oracle.fma(take[i], w[i], row)
                rows.append(row)
            if not 0 <= where <= n - 1:
                np.moveaxis(outside, axis, 0)[o] = True
        expected = np.stack(rows, axis)
    expected = np.where(outside, F32(7.5), expected)
    assert outside.any() and not outside.all()
    program.assert_same_bits(y, expected)
    onnx_peer.check(tmp_path, graph.arrays, [y], 1e-4)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int32, np.int64, np.bool_])
def test_parts_of_other_types(kind, tmp_path, compiler):
    """The value outside is one of the type."""
    x = (random(1, 1, 4, 4) * 50).astype(kind)
    graph = Model(19)
    names = [graph.input("x", x), graph.constant("part", np.array([-0.4, 0.1, 0.9, 0.8], F32)), "",
             graph.constant("sizes", np.array([5, 3], np.int64))]
    (y,) = graph.run(tmp_path, [graph.node("Resize", names, axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize",
                                           extrapolation_value=1.0)])
    rows = [-0.4 * 3 + o * 1.3 * 3 / 4 for o in range(5)]
    columns = [int(np.ceil(0.1 * 3 + o * 0.7 * 3 / 2 - 0.5)) for o in range(3)]
    for o, row in enumerate(rows):
        wanted = x[0, 0, int(np.ceil(row - 0.5)), columns] if row >= 0 else np.ones(3, kind)
        program.assert_same_bits(y[0, 0, o], wanted)


def test_a_part_of_the_same_size(tmp_path, compiler):
    """It is taken, as ONNX says it; ONNX Runtime takes all of a dimension whose size does not change."""
    x = np.arange(5, dtype=F32).reshape(1, 1, 1, 5)
    graph = Model(19)
    names = [graph.input("x", x), graph.constant("part", np.array([0.0, 0.5], F32)), "", graph.constant("sizes", np.array([5]))]
    graph_y = graph.node("Resize", names, mode="linear", axes=[3], coordinate_transformation_mode="tf_crop_and_resize")
    (y,) = graph.run(tmp_path, [graph_y])
    program.assert_same_bits(y, np.linspace(0, 2, 5, dtype=F32).reshape(x.shape))
    done = subprocess.run([str(program.qcc()), "compile", str(tmp_path / "model.onnx"), "-o", str(tmp_path / "m.so")],
                          capture_output=True, text=True)
    assert "takes a part of a dimension whose size does not change, as ONNX defines it; ONNX Runtime takes all of" in done.stderr


@pytest.mark.parametrize("part, message", [
    (np.zeros(3, F32), "has a roi that does not have a start and an end for each of 4 dimensions; correct it"),
    (np.zeros((2, 4), F32), "has a roi that does not have a start and an end")])
def test_parts_that_are_refused(part, message, tmp_path, compiler):
    graph = Model(19)
    names = [graph.input("x", random(1, 1, 4, 4)), graph.constant("part", part), graph.constant("scales", np.array([1, 1, 2, 2], F32))]
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, [graph.node("Resize", names, coordinate_transformation_mode="tf_crop_and_resize")])


def test_half_pixels_for_nearest(tmp_path, compiler):
    """Of operator set 11: (o + 1/2) / s."""
    x = random(1, 1, 6, 7)
    graph = Model(11)
    operands = [graph.input("x", x), graph.constant("roi", np.array([], F32)), graph.constant("scales", np.array([1, 1, 1.5, 2], F32))]
    (y,) = graph.run(tmp_path, [graph.node("Resize", operands, mode="nearest", nearest_mode="floor",
                                           coordinate_transformation_mode="tf_half_pixel_for_nn")])
    rows, columns = [np.minimum(np.floor((np.arange(m) + 0.5) / s), n - 1).astype(int) for m, s, n in ((9, 1.5, 6), (14, 2.0, 7))]
    program.assert_same_bits(y, x[:, :, rows][:, :, :, columns])
    onnx_peer.check(tmp_path, [x], [y], 0)
