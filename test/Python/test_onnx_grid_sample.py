"""GridSample against numpy in float64."""

import itertools

import numpy as np
import pytest

import onnx_peer
import program
from onnx_model import Model
from test_onnx_composed import run

F32 = np.float32
RNG = np.random.default_rng(12)


def to_image(point, size, align):
    return (point + 1) / 2 * (size - 1) if align else ((point + 1) * size - 1) / 2


def reflected(place, size, align):
    low, high = (0.0, size - 1.0) if align else (-0.5, size - 0.5)
    while high > low and not low <= place <= high:
        place = 2 * low - place if place < low else 2 * high - place
    return int(place)


def neighbours(place, size, mode, padding, align):
    """[(index or None, weight)]"""
    def keys(t):
        t, a = abs(t), -0.75
        if t <= 1:
            return ((a + 2) * t - (a + 3)) * t * t + 1
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    start = int(np.rint(place) if mode == "nearest" else np.floor(place))
    offsets = {"nearest": [0], "linear": [0, 1], "cubic": [-1, 0, 1, 2]}[mode]
    for offset in offsets:
        index, far = start + offset, place - (start + offset)
        weight = {"nearest": 1.0, "linear": 1 - abs(far), "cubic": keys(far)}[mode]
        if padding == "border":
            index = min(max(index, 0), size - 1)
        elif padding == "reflection":
            index = reflected(index, size, align)
        yield (index if 0 <= index < size else None), weight


def grid_sample(x, grid, mode, padding, align):
    spatial = x.ndim - 2
    out = np.zeros((x.shape[0], x.shape[1], *grid.shape[1:-1]))
    for point in np.ndindex(x.shape[0], *grid.shape[1:-1]):
        places = [to_image(float(grid[point][spatial - 1 - d]), x.shape[2 + d], align) for d in range(spatial)]
        each = [list(neighbours(p, x.shape[2 + d], mode, padding, align)) for d, p in enumerate(places)]
        for taps in itertools.product(*each):
            if all(index is not None for index, _ in taps):
                element = x[(point[0], slice(None), *(index for index, _ in taps))].astype(np.float64)
                out[(point[0], slice(None), *point[1:])] += element * np.prod([weight for _, weight in taps])
    return out


def points(*shape):
    """No point at which the nearest element, or that behind a border, depends on the last bit."""
    return (RNG.integers(-107, 108, shape) / 64.0 + 1 / 512).astype(F32)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("spatial, mode", [(1, "linear"), (1, "cubic"), (2, "nearest"), (2, "linear"), (2, "cubic"),
                                           (3, "nearest"), (3, "linear")])
def test_modes(spatial, mode, padding, align, tmp_path, compiler):
    x = RNG.uniform(-2, 2, (2, 3, *(5, 7, 4)[:spatial])).astype(F32)
    grid = points(2, *(3, 5, 2)[:spatial], spatial)
    (y,) = run(tmp_path, "GridSample", [x, grid], mode=mode, padding_mode=padding, align_corners=align)
    np.testing.assert_allclose(y, grid_sample(x, grid, mode, padding, align), rtol=1e-4, atol=1e-4)
    onnx_peer.check(tmp_path, [x, grid], [y])


@pytest.mark.parametrize("op, opset", [("GridSample", 16), ("com.microsoft::GridSample", 20)])
@pytest.mark.parametrize("name, mode", [("bilinear", "linear"), ("bicubic", "cubic"), ("nearest", "nearest")])
def test_names_of_modes_before_operator_set_20(op, opset, name, mode, tmp_path, compiler):
    x, grid = RNG.uniform(-2, 2, (1, 2, 5, 4)).astype(F32), points(1, 3, 3, 2)
    model = Model(opset)
    y = model.node(op, [model.input("x", x), model.input("g", grid)], mode=name)
    (actual,) = model.run(tmp_path, [y])
    np.testing.assert_allclose(actual, grid_sample(x, grid, mode, "zeros", 0), rtol=1e-4, atol=1e-4)


def dynamic(x, grid, padding="zeros"):
    model = Model()
    names = [model.input("x", x, ["N", 3, "H", "W"]), model.input("g", grid, ["M", "h", "w", 2])]
    return model, [model.node("GridSample", names, padding_mode=padding)]


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_dynamic_sizes(padding, tmp_path, compiler):
    x, grid = RNG.uniform(-2, 2, (2, 3, 8, 9)).astype(F32), points(2, 4, 5, 2)
    model, outputs = dynamic(x, grid, padding)
    (y,) = model.run(tmp_path, outputs)
    np.testing.assert_allclose(y, grid_sample(x, grid, "linear", padding, 0), rtol=1e-4, atol=1e-4)


def test_numbers_of_images_and_grids_that_differ_when_run(tmp_path, compiler):
    model, outputs = dynamic(RNG.uniform(-2, 2, (2, 3, 8, 9)).astype(F32), points(3, 4, 5, 2))
    with pytest.raises(AssertionError, match="dimension 0 of argument"):
        model.run(tmp_path, outputs)


@pytest.mark.parametrize("mode, padding, expected", [
    ("nearest", "zeros", [0, 0, 0, 0]), ("linear", "zeros", [0, 0, np.nan, 0]),
    ("nearest", "border", [7, 4, 4, 12]), ("linear", "border", [7, 4, np.nan, 12])])
def test_points_far_away(mode, padding, expected, tmp_path, compiler):
    x = np.arange(16, dtype=F32).reshape(1, 1, 4, 4)
    grid = np.array([[[[1e30, -0.2], [-1e30, -0.2], [np.nan, -0.2], [-np.inf, np.inf]]]], F32)
    (y,) = run(tmp_path, "GridSample", [x, grid], mode=mode, padding_mode=padding)
    # -0.2 is the place 1.1 of four elements.
    wanted = np.array(expected, F32)
    if mode == "linear" and padding == "border":
        wanted[:2] += F32(0.4)
    np.testing.assert_allclose(y.reshape(-1), wanted, rtol=1e-5)


@pytest.mark.parametrize("x, grid, attributes, message", [
    ((1, 2, 4, 4), (1, 3, 3, 3), {}, "needs an image .* and a grid"),
    ((1, 2, 4, 4), (2, 3, 3, 2), {}, "has 2 grids for 1 images"),
    ((1, 2, 4, 4, 4), (1, 3, 3, 3, 3), {"mode": "cubic"}, "interpolates volumes by the mode cubic"),
    ((1, 2, 4, 4), (1, 3, 3, 2), {"mode": "area"}, "has the modes area and zeros, which are not defined"),
    ((1, 2, 4, 4), (1, 3, 3, 2), {"padding_mode": "wrap"}, "has the modes linear and wrap, which are not defined")])
def test_refused(x, grid, attributes, message, tmp_path, compiler):
    with pytest.raises(AssertionError, match=message):
        run(tmp_path, "GridSample", [np.zeros(x, F32), np.zeros(grid, F32)], **attributes)


def test_half(tmp_path, compiler):
    x, grid = RNG.uniform(-2, 2, (1, 2, 5, 4)).astype(np.float16), points(1, 3, 3, 2).astype(np.float16)
    (y,) = run(tmp_path, "GridSample", [x, grid])
    wide = run(tmp_path, "GridSample", [x.astype(F32), grid.astype(F32)])[0]
    program.assert_same_bits(y, wide.astype(np.float16))
