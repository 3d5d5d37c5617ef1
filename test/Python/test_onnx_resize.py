"""Resize of ONNX by cubic interpolation, and by one scale: the bits that docs/Numerics.md says, near ONNX's own reference, and refusals.

test_onnx_sizes.py compares dynamic with static sizes, test_onnx_integers.py has linear interpolation of bytes.
"""

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

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


def place(o, n, m, scale, coordinates):
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
    ("resizes with antialias, which is not supported", F32, dict(antialias=1)),
    ("interpolates uint8, which is not supported; cast it to float32", np.uint8, {}),
    ("interpolates float64, which is not supported; cast it to float32", np.float64, {}),
    ("has a cubic_coeff_a that is not finite; correct it", F32, dict(cubic_coeff_a=float("nan"))),
    ("has the modes tf_crop_and_resize and round_prefer_floor, which are not supported", F32,
     dict(coordinate_transformation_mode="tf_crop_and_resize")),
])
def test_refusals(message, kind, attributes, tmp_path, compiler):
    graph, names = resize(np.ones((1, 1, 4, 4), kind), [1, 1, 2, 2], variants=[attributes])
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, names)


@pytest.mark.parametrize("mode, message", [
    ("linear", "has exclude_outside, which is supported for the mode cubic only; remove the attribute"),
    ("lanczos", "resizes by mode lanczos, which is not supported; nearest, linear and cubic are")])
def test_other_modes(mode, message, tmp_path, compiler):
    graph, names = resize(random(1, 1, 4), [1, 1, 2], variants=[dict(mode=mode, exclude_outside=1)])
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, names)
