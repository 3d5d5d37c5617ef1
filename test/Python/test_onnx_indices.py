"""ScatterElements, TensorScatter, OneHot and Hardmax of ONNX against numpy, on known and on dynamic sizes, and refusals."""

import numpy as np
import pytest

import program
from onnx_model import Model

RANDOM = np.random.default_rng(11)
KINDS = [np.float32, np.uint8, np.int64]
REDUCTIONS = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new,
              "max": max, "min": min}


def numbers(kind, *shape):
    return RANDOM.integers(0, 12, shape).astype(kind)


def run(tmp_path, op, arrays, dynamic, opset=18, **attributes):
    """Arrays are inputs, each with dynamic sizes or with known ones."""
    graph = Model(opset)
    names = [graph.input(f"x{i}", a, [f"d{i}{d}" for d in range(a.ndim)] if dynamic else None)
             for i, a in enumerate(arrays)]
    return graph.run(tmp_path, [graph.node(op, names, **attributes)])[0]


def scattered(x, places, updates, axis, reduction):
    y = x.copy()
    for at in np.ndindex(*places.shape):
        to = list(at)
        to[axis] = places[at]
        y[tuple(to)] = REDUCTIONS[reduction](y[tuple(to)], updates[at])
    return y


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("axis", [0, -1, 1])
def test_scatter_elements(axis, dynamic, tmp_path, compiler):
    """In the order of the updates, which meet: indices repeat, and are negative."""
    for kind in (np.float32, np.int64):
        x = numbers(kind, 4, 5, 3)
        places = RANDOM.integers(-x.shape[axis], x.shape[axis], (3, 5, 2)).astype(np.int32 if kind is np.int64 else np.int64)
        updates = numbers(kind, 3, 5, 2)
        for reduction in REDUCTIONS:
            y = run(tmp_path, "ScatterElements", [x, places, updates], dynamic, axis=axis, reduction=reduction)
            program.assert_same_bits(y, scattered(x, places, updates, axis, reduction), f"{kind} {reduction}")


def test_scatter_of_bytes(tmp_path, compiler):
    x, updates, places = numbers(np.uint8, 6), numbers(np.uint8, 3), np.array([1, -1, 1])
    y = run(tmp_path, "ScatterElements", [x, places, updates], False, opset=11)
    program.assert_same_bits(y, scattered(x, places, updates, 0, "none"))


@pytest.mark.parametrize("dims", [None, ["m", "n"]])
def test_scatter_of_nothing(dims, tmp_path, compiler):
    x = numbers(np.float32, 3, 4)
    graph = Model(18)
    names = [graph.input("x", x, dims), graph.constant("places", np.zeros((0, 4), np.int64)),
             graph.constant("updates", np.zeros((0, 4), np.float32))]
    (y,) = graph.run(tmp_path, [graph.node("ScatterElements", names)])
    program.assert_same_bits(y, x)


@pytest.mark.parametrize("shapes, places, message", [
    (((4, 5), (4, 5), (4, 4)), None, "has indices or updates that do not fit its input; correct their shapes"),
    (((4, 5), (4, 6), (4, 6)), None, "has indices or updates that do not fit its input"),
    (((4, 5), (4,), (4,)), None, "has indices or updates that do not fit its input"),
    (((4,), (2,), (2,)), np.array([0, 4]), "takes element 4 of a dimension of 4; correct the indices"),
    (((4,), (2,), (2,)), np.array([0, 1], np.float32), r"has elements of float32 in input 1 \('indices'\), which takes int32 or int64"),
])
def test_scatter_is_refused(shapes, places, message, tmp_path, compiler):
    graph = Model(18)
    x, at, updates = (np.zeros(shape, np.float32) for shape in shapes)
    at = at.astype(np.int64) if places is None else places
    names = [graph.input("x", x), graph.constant("places", at), graph.input("updates", updates)]
    with pytest.raises(AssertionError, match=message):
        graph.run(tmp_path, [graph.node("ScatterElements", names)])


def one_hot(places, depth, values, axis):
    place = np.where(places < 0, places + depth, places).astype(np.int64)
    hits = np.expand_dims(place, axis) == np.arange(depth).reshape([-1] + [1] * (-axis - 1))
    return np.where(hits, values[1], values[0])


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("batches, dynamic", [(3, False), (3, True), (9, False)])
@pytest.mark.parametrize("kind", KINDS)
def test_tensor_scatter(kind, batches, dynamic, mode, tmp_path, compiler):
    """Rows go into caches, of few batches by updates, of others by looking up each row."""
    past, rows, places = numbers(kind, batches, 2, 7, 5), numbers(kind, batches, 2, 3, 5), RANDOM.integers(0, 5, batches)
    if mode == "circular":
        places[0] = 6
    want = past.copy()
    for b, place in enumerate(places):
        want[b][:, (place + np.arange(3)) % 7] = rows[b]
    program.assert_same_bits(run(tmp_path, "TensorScatter", [past, rows, places], dynamic, opset=24, mode=mode), want)


@pytest.mark.parametrize("dynamic", [False, True])
def test_tensor_scatter_moves_rows_to_the_end(dynamic, tmp_path, compiler):
    past, rows, places = numbers(np.float32, 3, 7, 5), numbers(np.float32, 3, 3, 5), np.array([6, -2, 1 << 40])
    want = past.copy()
    want[0, 4:], want[1, :3], want[2, 4:] = rows
    program.assert_same_bits(run(tmp_path, "TensorScatter", [past, rows, places], dynamic, opset=24), want)


def test_tensor_scatter_of_too_many_rows(tmp_path, compiler):
    arrays = [numbers(np.float32, 9, 3, 5), numbers(np.float32, 9, 4, 5), np.zeros(9, np.int64)]
    with pytest.raises(AssertionError, match="op 'TensorScatter' writes more rows than its cache has; give fewer"):
        run(tmp_path, "TensorScatter", arrays, True, opset=24)


def test_tensor_scatter_without_places_along_the_last_dimension(tmp_path, compiler):
    past, rows = numbers(np.float32, 2, 3, 7), numbers(np.float32, 2, 3, 4)
    want = np.concatenate([rows, past[..., 4:]], -1)
    program.assert_same_bits(run(tmp_path, "TensorScatter", [past, rows], False, opset=24, axis=-1), want)


@pytest.mark.parametrize("shapes, attributes, message", [
    ([(2, 7, 5), (2, 8, 5)], {}, "writes 8 rows into a cache of 7; correct the shapes"),
    ([(2, 7, 5), (2, 3, 4)], {}, "has an update that is not of the cache's sizes beside the axis"),
    ([(2, 7, 5), (2, 3, 5), (3,)], {}, r"has write_indices that is not \[batch\]"),
    ([(2, 7, 5), (2, 7, 5)], {"axis": 0}, "writes along dimension 0, which is that of batches"),
    ([(2, 7, 5), (2, 3, 5)], {"mode": "ring"}, "has mode = ring; give linear or circular")])
def test_tensor_scatter_is_refused(shapes, attributes, message, tmp_path, compiler):
    arrays = [np.zeros(shape, np.int64 if len(shape) == 1 else np.float32) for shape in shapes]
    with pytest.raises(AssertionError, match=message):
        run(tmp_path, "TensorScatter", arrays, False, opset=24, **attributes)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("axis", [-1, -2, -3])
@pytest.mark.parametrize("kind", KINDS)
def test_one_hot(kind, axis, dynamic, tmp_path, compiler):
    """Negative places count from the end, others that the depth does not have are nowhere."""
    places = np.array([[0, 3, -1], [7, -4, -5]]).astype(np.float32 if kind is np.uint8 else np.int64)
    values = np.array([2, 9], kind)
    graph = Model(13)
    names = [graph.input("x", places, ["m", "n"] if dynamic else None),
             graph.constant("depth", np.array([4], np.float32 if kind is np.float32 else np.int64)),
             graph.value("values", values, kind is np.int64)]
    (y,) = graph.run(tmp_path, [graph.node("OneHot", names, axis=axis)])
    program.assert_same_bits(y, one_hot(places, 4, values, axis))


def test_one_hot_of_the_depth_of_another(tmp_path, compiler):
    graph = Model(13)
    depth = graph.node("Shape", [graph.input("other", np.zeros(5, np.float32), ["n"])])
    names = [graph.input("x", np.array([1, 4, -2])), depth, graph.constant("values", np.array([0, 1], np.float32))]
    (y,) = graph.run(tmp_path, [graph.node("OneHot", names)])
    program.assert_same_bits(y, np.eye(5, dtype=np.float32)[[1, 4, 3]])


@pytest.mark.parametrize("depth, values", [(0, [0, 1]), (-3, [0, 1]), (np.float32("nan"), [0, 1]), (4, [0, 1, 2])])
def test_one_hot_is_refused(depth, values, tmp_path, compiler):
    graph = Model(13)
    names = [graph.input("x", np.array([1])), graph.constant("depth", np.array(depth)),
             graph.constant("values", np.array(values))]
    with pytest.raises(AssertionError, match="has a depth that is no positive number, or values that are not two"):
        graph.run(tmp_path, [graph.node("OneHot", names)])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("opset, axis", [(11, 1), (11, 2), (13, -1), (13, 0)])
def test_hardmax(opset, axis, dynamic, tmp_path, compiler):
    """The first of several maxima; of all dimensions from one on before operator set 13."""
    x = numbers(np.float32, 3, 4, 5)
    y = run(tmp_path, "Hardmax", [x], dynamic, opset, axis=axis)
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1) if opset == 11 else np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    hits = np.eye(rows.shape[1], dtype=np.float32)[rows.argmax(axis=1)]
    right = hits.reshape(x.shape) if opset == 11 else np.moveaxis(
        hits.reshape(np.moveaxis(x, axis, -1).shape), -1, axis)
    program.assert_same_bits(y, right)
