"""ONNX nodes on dynamic sizes: the same bits as with the sizes in the model, and refusals at the call."""

import subprocess

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import program
from onnx_model import Model


def random(*shape):
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


def run(tmp_path, dims, op, x, *operands, outputs=1, opset=19, **attributes):
    """The results for an input whose dimensions are `dims`, names or sizes."""
    graph = Model(opset)
    names = [graph.input("x", x, dims)]
    names += ["" if y is None else graph.constant(f"c{i}", y) for i, y in enumerate(operands)]
    results = graph.node(op, names, outputs, **attributes)
    return graph.run(tmp_path, [results] if outputs == 1 else results)


def assert_dynamic_is_static(tmp_path, x, dims, *operands, **attributes):
    dynamic = run(tmp_path, dims, operands[0], x, *operands[1:], **attributes)
    static = run(tmp_path, list(x.shape), operands[0], x, *operands[1:], **attributes)
    for a, e in zip(dynamic, static):
        program.assert_same_bits(a, e)


COORDINATES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_resize_by_scales(mode, coordinates, tmp_path, compiler):
    """Scales that are integers, fractions, and less than 1."""
    for size, scales in ((1, (2, 3)), (7, (1.5, 0.5)), (12, (2, 0.34375))):
        x = random(1, 2, size, size + 2)
        assert_dynamic_is_static(
            tmp_path, x, [1, 2, "h", "w"], "Resize", None, np.array([1, 1, *scales], np.float32),
            mode=mode, coordinate_transformation_mode=coordinates)


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_resize_by_sizes(rounding, coordinates, tmp_path, compiler):
    assert_dynamic_is_static(
        tmp_path, random(1, 1, 8, 12), [1, 1, "h", "w"], "Resize", None, None, np.array([1, 1, 16, 5], np.int64),
        mode="nearest", nearest_mode=rounding, coordinate_transformation_mode=coordinates)


def test_resize_to_the_size_of_another(tmp_path, compiler):
    """What a network of levels does: to the size that another level has."""
    x, level = random(1, 3, 4, 5), random(1, 3, 9, 11)

    def result(dynamic):
        graph = Model()
        a = graph.input("x", x, [1, 3, "h", "w"] if dynamic else None)
        b = graph.input("level", level, [1, 3, "H", "W"] if dynamic else None)
        size = graph.node("Shape", [b])
        y = graph.node("Resize", [a, "", "", size], mode="linear")
        return graph.run(tmp_path, [graph.node("Add", [y, b])])

    program.assert_same_bits(result(True)[0], result(False)[0])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_pad(mode, tmp_path, compiler):
    for pads in ([0, 2, 1, 3], [0, 4, 0, 0], [0, 0, 0, 4], [0, -1, 0, 2]):
        assert_dynamic_is_static(tmp_path, random(2, 6), [2, "n"], "Pad", np.array(pads, np.int64), mode=mode)


@pytest.mark.parametrize("mode", ["reflect", "wrap"])
def test_pad_by_more_than_there_is(mode, tmp_path, compiler):
    with pytest.raises(Exception, match="a slice (leaves its tensor|starts at a negative offset)"):
        run(tmp_path, [2, "n"], "Pad", random(2, 3), np.array([0, 4, 0, 0], np.int64), mode=mode)


def test_pad_to_a_multiple(tmp_path, compiler):
    """Amounts that are computed of the size."""
    for size in (5, 8):
        x = random(2, size)
        graph = Model()
        a = graph.input("x", x, [2, "n"])
        n = graph.node("Gather", [graph.node("Shape", [a]), graph.constant("one", np.array([1]))])
        eight = graph.constant("eight", np.array([8]))
        rest = graph.node("Mod", [graph.node("Sub", [eight, graph.node("Mod", [n, eight])]), eight])
        zero = graph.constant("zero", np.array([0]))
        pads = graph.node("Concat", [zero, zero, zero, rest], axis=0)
        (y,) = graph.run(tmp_path, [graph.node("Pad", [a, pads])])
        program.assert_same_bits(y, np.pad(x, [(0, 0), (0, 8 - size)]))


@pytest.mark.parametrize("op, a, b, expected, attributes", [
    ("Add", 6, 3, 9, {}), ("Sub", 3, 6, -3, {}), ("Mul", -6, 3, -18, {}), ("Div", -7, 4, -1, {}), ("Mod", -7, 4, 1, {}),
    ("Mod", -7, 4, -3, {"fmod": 1}), ("BitwiseAnd", 6, 3, 2, {}), ("BitwiseOr", 6, 3, 7, {}), ("BitwiseXor", 6, 3, 5, {})])
def test_known_integers(op, a, b, expected, attributes, tmp_path, compiler):
    """Of constants, and of a constant and the size of an input."""
    graph, x = Model(), np.zeros((abs(b), 1), np.int64)
    y = graph.input("x", x, ["n", 1])
    size = graph.node("Gather", [graph.node("Shape", [y]), graph.constant("zero", np.array([0]))])
    left, right = graph.constant("a", np.array([a])), graph.constant("b", np.array([b]))
    for other in (right, size):
        y = graph.node("Add", [y, graph.node(op, [left, other], **attributes)])
    (y,) = graph.run(tmp_path, [y])
    program.assert_same_bits(y, x + 2 * expected)


@pytest.mark.parametrize("factor", [1 << 30, 1103515245])
def test_sizes_of_int32_wrap(factor, tmp_path, compiler):
    graph, x = Model(), random(3, 5)
    size = graph.node("Cast", [graph.node("Shape", [graph.input("x", x, ["n", "m"])])], to=onnx.TensorProto.INT32)
    product = graph.node("Mul", [size, graph.constant("factor", np.array([factor], np.int32))])
    (y,) = graph.run(tmp_path, [graph.node("Cast", [product], to=onnx.TensorProto.INT64)])
    program.assert_same_bits(y, (np.array([3, 5], np.int32) * np.int32(factor)).astype(np.int64))


@pytest.mark.parametrize("op, expected", [("ReduceProd", 30), ("ReduceSum", 10), ("ReduceMax", 5), ("ReduceMin", 2)])
@pytest.mark.parametrize("keeps", [0, 1])
def test_reduced_sizes(keeps, op, expected, tmp_path, compiler):
    graph, x = Model(), random(5, 3, 2)
    shape = graph.node("Shape", [graph.input("x", x, ["n", 3, "m"])])
    size = graph.node(op, [shape], keepdims=keeps)
    if not keeps:
        size = graph.node("Unsqueeze", [size, graph.constant("axis", np.array([0]))])
    ones = graph.node("Expand", [graph.constant("one", np.ones(1, np.float32)), size])
    (y,) = graph.run(tmp_path, [ones])
    program.assert_same_bits(y, np.ones(expected, np.float32))


@pytest.mark.parametrize("op, expected", [("Max", 5), ("Min", 3)])
def test_combined_sizes(op, expected, tmp_path, compiler):
    graph, x = Model(), random(5, 3)
    shape = graph.node("Shape", [graph.input("x", x, ["n", "m"])])
    n, m = (graph.node("Gather", [shape, graph.constant(f"i{i}", np.array([i]))]) for i in range(2))
    ones = graph.node("Expand", [graph.constant("one", np.ones(1, np.float32)), graph.node(op, [n, m])])
    (y,) = graph.run(tmp_path, [ones])
    program.assert_same_bits(y, np.ones(expected, np.float32))


def test_split_into_equal_parts(tmp_path, compiler):
    x = random(3, 12, 2)
    for opset, count in ((13, {}), (18, {"num_outputs": 3})):
        assert_dynamic_is_static(tmp_path, x, [3, "n", 2], "Split", axis=1, outputs=3, opset=opset, **count)
    assert_dynamic_is_static(tmp_path, random(3, 10), [3, "n"], "Split", axis=1, outputs=3, opset=18, num_outputs=3)
    with pytest.raises(Exception, match="cannot run with these shapes: .* must be equal"):
        run(tmp_path, [3, "n"], "Split", random(3, 10), axis=1, outputs=3, opset=13)


@pytest.mark.parametrize("size", [3, 9])
def test_slice_from_an_end_that_is_computed(size, tmp_path, compiler):
    """An end of n - 5 is negative for small n, and then counts from the end."""
    x = random(size, 2)
    graph = Model()
    a = graph.input("x", x, ["n", 2])
    n = graph.node("Gather", [graph.node("Shape", [a]), graph.constant("first", np.array([0]))])
    end = graph.node("Sub", [n, graph.constant("five", np.array([5]))])
    start = graph.constant("start", np.array([0]))
    results = [graph.node("Slice", [a, start, end]), graph.node("Slice", [a, end, n])]
    for y, expected in zip(graph.run(tmp_path, results), (x[0:size - 5], x[size - 5:size])):
        program.assert_same_bits(y, expected)


@pytest.mark.parametrize("start, end, step", [
    (0, 2**63 - 1, 2**63 - 1), (2, 7, 2**40), (-1, -2**63, -2**63), (-2, -2**63, -2**63 + 1), (100, -100, -3), (-100, 100, 3),
    (5, 2, 1), (2, 5, -1), (-1, 0, -2), (2**31, -2**31, -1)])
@pytest.mark.parametrize("size", ["n", 7])
def test_slices(start, end, step, size, tmp_path, compiler):
    x = random(7, 2)
    graph = Model()
    numbers = [graph.constant(name, np.array([number])) for name, number in
               (("start", start), ("end", end), ("axis", 0), ("step", step))]
    (y,) = graph.run(tmp_path, [graph.node("Slice", [graph.input("x", x, [size, 2]), *numbers])])
    program.assert_same_bits(y, x[start:end:step].copy())


def test_nodes_in_any_order(tmp_path, compiler):
    """Some writers put nodes at the end that others read, also inside of branches."""
    x = random(4)
    graph = Model()
    a = graph.input("x", x)
    y = graph.node("Relu", [graph.node("Neg", [graph.node("Abs", [a])])])
    graph.nodes.reverse()
    (y,) = graph.run(tmp_path, [y])
    assert not y.any()


def test_nodes_in_a_circle_are_refused(tmp_path, compiler):
    graph = Model()
    a = graph.input("x", random(4))
    y = graph.node("Add", [a, "Neg_1_0"])
    graph.node("Neg", [y])
    with pytest.raises(Exception, match="which nothing computes before; correct the model"):
        graph.run(tmp_path, [y])


def test_expand_where_the_shape_is_unknown(tmp_path, compiler):
    """How PyTorch writes expand(-1, 4, n): where a size of the shape is -1 it is 1, which repeats nothing."""
    x, y = random(3, 1, 1), random(5)
    graph = Model()
    a, b = graph.input("x", x, ["m", 1, 1]), graph.input("y", y, ["n"])
    zero = graph.constant("zero", np.array(0))
    n = graph.node("Unsqueeze", [graph.node("Gather", [graph.node("Shape", [b]), zero]),
                                 graph.constant("front", np.array([0]))])
    shape = graph.node("Concat", [graph.constant("same", np.array([-1, 4])), n], axis=0)
    ones = graph.node("ConstantOfShape", [graph.node("Shape", [shape])], value=numpy_helper.from_array(np.array([1])))
    unknown = graph.node("Equal", [shape, graph.node("Mul", [ones, graph.constant("minus", np.array(-1))])])
    (result,) = graph.run(tmp_path, [graph.node("Expand", [a, graph.node("Where", [unknown, ones, shape])])])
    program.assert_same_bits(result, np.broadcast_to(x, (3, 4, 5)))


def test_expand_to_a_multiple_of_a_size(tmp_path, compiler):
    """The same with a size of 2 m, which is not -1 either."""
    x = random(6, 1)
    graph = Model()
    a, b = graph.input("x", x, ["k", 1]), graph.input("y", random(3), ["m"])
    double = graph.node("Mul", [graph.node("Shape", [b]), graph.constant("two", np.array([2]))])
    shape = graph.node("Concat", [double, graph.constant("columns", np.array([4]))], axis=0)
    ones = graph.node("ConstantOfShape", [graph.node("Shape", [shape])], value=numpy_helper.from_array(np.array([1])))
    unknown = graph.node("Equal", [shape, graph.node("Mul", [ones, graph.constant("minus", np.array(-1))])])
    (result,) = graph.run(tmp_path, [graph.node("Expand", [a, graph.node("Where", [unknown, ones, shape])])])
    program.assert_same_bits(result, np.broadcast_to(x, (6, 4)))


@pytest.mark.parametrize("op", ["Concat", "Mul"])
def test_the_simplest_of_equal_sizes(op, tmp_path, compiler):
    """A row before, from the front on and a row after, as MobileBERT joins them: their sizes are (n - 1) + 1 and n. The
    result has n rows, so a shape of (n, -1, 2) is possible."""
    def result(x):
        graph = Model()
        a = graph.input("x", x, ["n", 4])
        tail = graph.node("Slice", [a, graph.constant("one", np.array([1])), graph.constant("end", np.array([2**62]))])
        rows = graph.node("Pad", [tail, graph.constant("pads", np.array([0, 0, 1, 0]))])
        y = graph.node("Concat", [rows, a], axis=1) if op == "Concat" else graph.node("Mul", [rows, a])
        n = graph.node("Slice", [graph.node("Shape", [a]), graph.constant("zero", np.array([0])), "one"])
        shape = graph.node("Concat", [n, graph.constant("rest", np.array([-1, 2]))], axis=0)
        return graph.run(tmp_path, [graph.node("Reshape", [y, shape])])[0]

    x = random(5, 4)
    rows = np.pad(x[1:], [(0, 1), (0, 0)])
    expected = np.concatenate([rows, x], axis=1) if op == "Concat" else rows * x
    program.assert_same_bits(result(x), expected.reshape(5, -1, 2))
    with pytest.raises(Exception, match="cannot run with these shapes: .* must be equal"):
        result(random(0, 4))


@pytest.mark.parametrize("size", [12, 23])
def test_equal_quotients(size, tmp_path, compiler):
    """PyTorch writes n / 6 for what two poolings make of n: ((n - 2) / 2 + 1 - 3) / 3 + 1. That these are equal is known,
    so the size that -1 stands for is, and the product has rows of a known length."""
    x, w = random(1, 4, size), random(2, 3)
    graph = Model()
    y = graph.input("x", x, [1, 4, "n"])
    n = graph.node("Gather", [graph.node("Shape", [y]), graph.constant("last", np.array([2]))])
    for step in (2, 3):
        y = graph.node("MaxPool", [y], kernel_shape=[step], strides=[step])
    count = graph.node("Div", [n, graph.constant("six", np.array([6]))])
    shape = graph.node("Concat", [graph.constant("one", np.array([1])), count,
                                  graph.constant("rest", np.array([-1, 2]))], axis=0)
    y = graph.node("Reshape", [graph.node("Transpose", [y], perm=[0, 2, 1]), shape])
    path = tmp_path / "model.onnx"
    path.write_bytes(graph.model([y]).SerializeToString())
    command = [str(program.qcc()), "compile", str(path), "--emit=import", "-o", "-"]
    assert "-> (tensor<1x?x2x2xf32>" in subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (result,) = graph.run(tmp_path, [graph.node("MatMul", [y, graph.constant("w", w)])])
    pooled = x[:, :, :size // 6 * 6].reshape(1, 4, -1, 6).max(axis=3).transpose(0, 2, 1).reshape(1, -1, 2, 2)
    np.testing.assert_allclose(result, pooled @ w, rtol=1e-6, atol=1e-6)


def test_reshape_by_the_size_of_another(tmp_path, compiler):
    """A quotient of sizes that are known when the model runs; where it is none, the call is refused."""
    def result(x, rows):
        graph = Model()
        a, b = graph.input("x", x, ["m", "n"]), graph.input("rows", random(rows), ["k"])
        k = graph.node("Shape", [b])
        shape = graph.node("Concat", [k, graph.constant("rest", np.array([-1]))], axis=0)
        columns = graph.node("Div", [graph.node("Size", [a]), graph.node("Squeeze", [k])])
        zero, one = graph.constant("zero", np.array(0)), graph.constant("one", np.array(1))
        return graph.run(tmp_path, [graph.node("Reshape", [a, shape]), graph.node("Range", [zero, columns, one])])

    x = random(4, 6)
    y, counted = result(x, 8)
    program.assert_same_bits(y, x.reshape(8, 3))
    program.assert_same_bits(counted, np.arange(3))
    for rows in (5, 0):
        with pytest.raises(Exception, match="cannot run with these shapes: .* must be equal"):
            result(x, rows)


def test_sizes_by_floats(tmp_path, compiler):
    """How PyTorch writes int(math.ceil(h / 2) * 2) and int(16 ** 0.5)."""
    x = random(1, 7, 16)
    graph = Model()
    a = graph.input("x", x, ["batch", 7, 16])
    h = graph.node("Gather", [graph.node("Shape", [a]), graph.constant("one", np.array(1))])
    two = graph.constant("two", np.array(2, np.float32))
    half = graph.node("Ceil", [graph.node("Div", [graph.node("Cast", [h], to=1), two])])
    even = graph.node("Cast", [graph.node("Cast", [graph.node("Mul", [half, two])], to=7)], to=7)
    root = graph.node("Pow", [graph.constant("sixteen", np.array(16, np.float32)), graph.constant("r", np.float32(0.5))])
    front = graph.constant("front", np.array([0]))
    sizes = [graph.node("Unsqueeze", [size, front]) for size in (even, graph.node("Cast", [root], to=7))]
    padded = graph.node("Pad", [a, graph.constant("pads", np.array([0, 0, 0, 0, 1, 0]))])
    shape = graph.node("Concat", [graph.constant("minus", np.array([-1])), *sizes, sizes[1]], axis=0)
    (result,) = graph.run(tmp_path, [graph.node("Reshape", [padded, shape])])
    program.assert_same_bits(result, np.pad(x, [(0, 0), (0, 1), (0, 0)]).reshape(1, 8, 4, 4))


def test_pad_by_widths_in_reverse(tmp_path, compiler):
    """How PyTorch writes pad(x, (1, 2, 3, 0)): pairs from the last dimension on, turned round and transposed."""
    x = random(4, 3)
    graph = Model()
    a = graph.input("x", x, ["m", "n"])
    widths = graph.node("Concat", [graph.constant("widths", np.array([1, 2, 3, 0])),
                                   graph.node("ConstantOfShape", [graph.constant("none", np.array([0]))],
                                              value=numpy_helper.from_array(np.array([0])))], axis=0)
    pairs = graph.node("Reshape", [widths, graph.constant("pairs", np.array([-1, 2]))])
    turned = graph.node("Slice", [pairs] + [graph.constant(name, np.array([number])) for name, number in (
        ("start", -1), ("end", -np.iinfo(np.int64).max), ("axis", 0), ("step", -1))])
    flat = graph.node("Reshape", [graph.node("Transpose", [turned], perm=[1, 0]),
                                  graph.constant("flat", np.array([-1]))])
    (result,) = graph.run(tmp_path, [graph.node("Pad", [a, graph.node("Cast", [flat], to=7)])])
    program.assert_same_bits(result, np.pad(x, [(3, 0), (1, 2)]))


FLOAT_RANGES = [(0, 5, 1), (3, -2, -0.75), (0.1, 1.1, 0.1), (2, 2, 1), (5, 1, 2), (-7, 1000, 3)]


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
def test_range_of_floats(kind, tmp_path, compiler):
    """start + i * delta; as many as ONNX Runtime counts, by a quotient of float64."""
    graph = Model(27)
    names, expected = [], []
    for i, numbers in enumerate(FLOAT_RANGES):
        start, limit, delta = (kind(number) for number in numbers)
        names.append(graph.node("Range", [graph.constant(f"c{i}{j}", x) for j, x in enumerate((start, limit, delta))]))
        wide = np.float64 if kind is np.float64 else np.float32
        count = max(0, int(np.ceil(np.float64(wide(limit) - wide(start)) / np.float64(delta))))
        steps = (np.arange(count).astype(wide) * wide(delta)).astype(wide)
        expected.append((wide(start) + steps).astype(kind))
    for y, right, numbers in zip(graph.run(tmp_path, names), expected, FLOAT_RANGES):
        program.assert_same_bits(y, right, str(numbers))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_range_of_floats_to_a_size(kind, tmp_path, compiler):
    """How PyTorch writes arange(n, dtype=float): each of the three is cast."""
    x = random(7, 2)
    graph = Model()
    a = graph.input("x", x, ["n", 2])
    n = graph.node("Gather", [graph.node("Shape", [a]), graph.constant("first", np.array(0))])
    limit = graph.node("Cast", [n], to=helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
    bounds = [graph.constant(f"c{i}", kind(number)) for i, number in enumerate((0, 1, 10, -3))]
    up, down = graph.node("Range", [bounds[0], limit, bounds[1]]), graph.node("Range", [bounds[2], limit, bounds[3]])
    results = graph.run(tmp_path, [up, graph.node("Add", [a, graph.node("Unsqueeze", [
        graph.node("Cast", [up], to=1), graph.constant("last", np.array([1]))])]), down])
    program.assert_same_bits(results[0], np.arange(7, dtype=kind))
    program.assert_same_bits(results[1], x + np.arange(7, dtype=np.float32)[:, None])
    program.assert_same_bits(results[2], np.array([10], kind))


@pytest.mark.parametrize("numbers", [(0, 5, 0), (0, np.inf, 1), (np.nan, 1, 1), (0, 1e30, 1), (0, None, 0.5), (0.5, None, 1)])
def test_ranges_that_are_refused(numbers, tmp_path, compiler):
    graph = Model()
    size = graph.node("Size", [graph.input("x", random(3), ["n"])])
    names = [graph.node("Cast", [size], to=1) if number is None else graph.constant(f"c{i}", np.float32(number))
             for i, number in enumerate(numbers)]
    with pytest.raises(Exception, match="has a start, a limit or a delta that is no finite constant, or a delta of 0"):
        graph.run(tmp_path, [graph.node("Range", names)])


def test_shape_through_int32(tmp_path, compiler):
    """How PaddlePaddle writes a shape: sizes and constants of int32, each cast to int64."""
    x = random(3, 8)
    graph = Model()
    a = graph.input("x", x, ["m", 8])
    sizes = graph.node("Cast", [graph.node("Shape", [a])], to=6)
    ends = [graph.constant(name, np.array([number])) for name, number in (("from", 0), ("to", 1))]
    first = graph.node("Cast", [graph.node("Slice", [sizes, *ends])], to=7)
    rest = [graph.node("Cast", [graph.constant(f"part{part}", np.array([part], np.int32))], to=7) for part in (2, 4)]
    (result,) = graph.run(tmp_path, [graph.node("Reshape", [a, graph.node("Concat", [first, *rest], axis=0)])])
    program.assert_same_bits(result, x.reshape(3, 2, 4))


def test_size_of_minus_one(tmp_path, compiler):
    """What some writers mean unknown by; two of them differ."""
    x = random(3, 5)
    (result,) = run(tmp_path, [-1, -1], "Relu", x)
    program.assert_same_bits(result, np.maximum(x, 0))


def test_sizes_named_by_a_question_mark_are_unknown(tmp_path, compiler):
    """How Paddle2ONNX writes each size that it does not know."""
    x = random(2, 3)
    graph = Model()
    (y,) = graph.run(tmp_path, [graph.node("Neg", [graph.input("x", x, ["?", "?"])])])
    program.assert_same_bits(y, -x)


@pytest.mark.parametrize("others", [[3], ["n"]])
def test_squeeze_of_a_size_that_is_unknown(others, tmp_path, compiler):
    assert_dynamic_is_static(tmp_path, random(1, 3), ["m", *others], "Squeeze", np.array([0]))
    with pytest.raises(Exception, match="dimension 0 of argument 0 must be equal to 1, by 'tensor.cast' of layer 'Squeeze_0_0'"):
        run(tmp_path, ["m", *others], "Squeeze", random(2, 3), np.array([0]))


def conditional_squeeze(tmp_path, sizes, then="r = Squeeze(a, last)", condition="", opset=18):
    """squeeze(-1), of a size that is computed, as PyTorch writes it: the row of each image behind it needs two dimensions."""
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx.parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : {opset}]>
        g (float[N, 4, T] x, float[4, 2] w{condition and ", bool c"}) => (y)
        <int64[1] last = {{-1}}, int64 one = {{1}}, int64 place = {{-1}}> {{
          a = AveragePool<kernel_shape = [2], strides = [2]>(x)
          shape = Shape(a)
          size = Gather(shape, place)
          is = Equal(size, one)
          s = If (is) <then_branch = t () => (float[N, 4] r) {{ {then} }},
                       else_branch = e () => (float[N, 4, M] r) {{ r = Identity(a) }}>
          p = MatMul(s, w)
          {condition or "y = Identity(p)"}
        }}""").SerializeToString())
    x, w = random(*sizes), random(4, 2)
    arrays = [x, w, np.array(True)] if condition else [x, w]
    return program.run_file(path, tmp_path, arrays, 1)[0], x, w


@pytest.mark.parametrize("rows", [1, 3])
def test_squeeze_if_the_size_is_one(rows, tmp_path, compiler):
    y, x, w = conditional_squeeze(tmp_path, (rows, 4, 2))
    np.testing.assert_allclose(y, x.mean(axis=2) @ w, rtol=1e-5, atol=1e-6)


def test_squeeze_if_the_size_is_one_which_it_is_not(tmp_path, compiler):
    with pytest.raises(Exception, match=r"floor\(\(dimension 2 of argument 0\) / 2\) must be equal to 1, by 'tensor.cast' of layer 'r'"):
        conditional_squeeze(tmp_path, (3, 4, 5))


@pytest.mark.parametrize("then", ["q = Squeeze(a, last) r = Neg(q)", "r = ReduceSum<keepdims = 0>(a, last)"])
def test_branches_with_other_shapes_on_sizes(then, tmp_path, compiler):
    """Only what asks for the size itself can be chosen."""
    with pytest.raises(Exception, match="branches on a value that is known only when the model runs"):
        conditional_squeeze(tmp_path, (3, 4, 2), then)


def test_squeeze_in_a_branch_that_data_choose(tmp_path, compiler):
    """It would ask for the size of a branch that need not be taken."""
    with pytest.raises(Exception, match="branches on a value that is known only when the model runs"):
        conditional_squeeze(tmp_path, (3, 4, 2), condition="""y = If (c) <
            then_branch = u () => (float[N, 2] v) { t = If (is) <
                then_branch = k () => (float[N, 4] l) { l = Squeeze(a, last) },
                else_branch = j () => (float[N, 4, M] l) { l = Identity(a) }>
              v = MatMul(t, w) },
            else_branch = m () => (float[N, 2] v) { v = Neg(p) }>""")


@pytest.mark.parametrize("dims", [["m", "n"], [2, 3], ["m", 3]])
def test_reshape_to_the_size_of_another(dims, tmp_path, compiler):
    """Which has to have as many elements, even if nothing else is computed."""
    x = random(2, 3)

    def result(size):
        graph = Model()
        shape = graph.node("Shape", [graph.input("other", random(size), ["k"])])
        return graph.run(tmp_path, [graph.node("Reshape", [graph.input("x", x, dims), shape])])

    program.assert_same_bits(result(6)[0], x.reshape(6))
    with pytest.raises(Exception, match="dimension 0 of argument 0 must be equal to|must be equal to dimension 0 of argument 0"):
        result(5)


def test_reshape_of_a_constant_to_the_size_of_another(tmp_path, compiler):
    """A constant has a known number of elements, which becomes a requirement of the entry."""
    c = random(2, 6)

    def result(rows):
        graph = Model()
        size = graph.node("Shape", [graph.input("other", random(rows, 5), ["k", 5])], end=1)
        shape = graph.node("Concat", [size, graph.constant("rest", np.array([4]))], axis=0)
        return graph.run(tmp_path, [graph.node("Neg", [graph.node("Reshape", [graph.constant("c", c), shape])])])

    program.assert_same_bits(result(3)[0], -c.reshape(3, 4))
    with pytest.raises(Exception, match="dimension 0 of argument 0.* must be equal to|must be equal to .*dimension 0 of argument 0"):
        result(4)


def test_reshape_to_a_scalar(tmp_path, compiler):
    (result,) = run(tmp_path, ["n"], "Reshape", random(1), np.array([], np.int64))
    program.assert_same_bits(result, random(1).reshape(()))
    with pytest.raises(Exception, match="dimension 0 of argument 0 must be equal to 1"):
        run(tmp_path, ["n"], "Reshape", random(2), np.array([], np.int64))


def test_a_size_that_cancels_to_one_broadcasts(tmp_path, compiler):
    """[b, 1, 1, s] is expanded to [b, 6, 1, s], reshaped to [6b, 1, s] and to [b, 6, -1, s]: -1 is 1."""
    graph = Model(18)
    mask = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = graph.input("mask", mask, ["batch", "length"])
    b, s = graph.node("Shape", [x], start=0, end=1), graph.node("Shape", [x], start=1, end=2)
    six, one, rest = (graph.constant(name, np.array([n], np.int64)) for name, n in (("six", 6), ("one", 1), ("rest", -1)))
    rows = graph.node("Mul", [b, six])
    wide = graph.node("Reshape", [x, graph.node("Concat", [b, one, one, s], axis=0)])
    wide = graph.node("Expand", [wide, graph.node("Concat", [b, six, one, s], axis=0)])
    flat = graph.node("Reshape", [wide, graph.node("Concat", [rows, one, s], axis=0)])
    back = graph.node("Reshape", [flat, graph.node("Concat", [b, six, rest, s], axis=0)])
    scores = graph.node("Expand", [graph.constant("half", np.float32([0.5])), graph.node("Concat", [b, six, s, s], axis=0)])
    (y,) = graph.run(tmp_path, [graph.node("Add", [scores, back])])
    program.assert_same_bits(y, np.broadcast_to(mask[:, None, None] + np.float32(0.5), (2, 6, 3, 3)).copy())


def quotient(op, m, p, parts, dims=("k",), second=None, reverse=False):
    """`op` of [n, -1], as which a row of k elements is reshaped for the n rows of another input, and of `second`."""
    graph = Model(18)
    row = graph.input("row", np.arange(m, dtype=np.float32), list(dims))
    other = graph.input("other", random(parts, p), ["n", "p"])
    shape = graph.node("Concat", [graph.node("Shape", [other], start=0, end=1), graph.constant("rest", np.array([-1]))], axis=0)
    x = graph.node("Reshape", [row, shape])
    if op == "Expand":
        return graph, graph.node("Expand", [x, graph.node("Shape", [other])])
    if op == "Where":
        return graph, graph.node("Where", [graph.node("Less", [x, other]), other, x])
    if op == "MatMul":
        last = graph.constant("axis", np.array([-1]))
        return graph, graph.node("MatMul", [graph.node("Unsqueeze", [graph.node("Unsqueeze", [x, last]), last]),
                                            graph.node("Unsqueeze", [graph.node("Unsqueeze", [other, last]), last])])
    return graph, graph.node(op, [other, x] if reverse else [x, other])


@pytest.mark.parametrize("op", ["Add", "Where", "Expand", "MatMul"])
@pytest.mark.parametrize("rows, columns", [(3, 1), (3, 4), (1, 1), (1, 4)])
def test_a_size_that_is_computed_to_be_one_in_a_call(op, rows, columns, tmp_path, compiler):
    """-1 stands for k / n, and no factors cancel: the entry repeats the elements, or takes them as they are."""
    graph, y = quotient(op, rows * columns, 4, rows)
    (y,) = graph.run(tmp_path, [y])
    x, other = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns), random(rows, 4)
    expected = {"Add": lambda: x + other, "Where": lambda: np.where(x < other, other, x), "MatMul": lambda: (x * other + np.float32(0))[..., None, None],
                "Expand": lambda: np.broadcast_to(x, (rows, 4)).copy()}[op]()
    program.assert_same_bits(y, expected)


def test_quantized_sums_of_a_size_that_is_computed_to_be_one(tmp_path, compiler):
    for columns in (1, 4):
        graph = Model(18)
        a = graph.input("row", np.arange(3 * columns, dtype=np.int8), ["k"])
        other = np.arange(12, dtype=np.int8).reshape(3, 4)
        b = graph.input("other", other, ["n", "p"])
        shape = graph.node("Concat", [graph.node("Shape", [b], start=0, end=1), graph.constant("rest", np.array([-1]))], axis=0)
        scale, zero = graph.constant("scale", np.float32(0.5)), graph.constant("zero", np.int8(0))
        inputs = [graph.node("Reshape", [a, shape]), scale, zero, b, scale, zero, scale, zero]
        (y,) = graph.run(tmp_path, [graph.node("com.microsoft::QLinearAdd", inputs)])
        np.testing.assert_array_equal(y, np.arange(3 * columns).reshape(3, columns) + other)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_size_that_is_computed_and_fits_nothing(reverse, tmp_path, compiler):
    """Neither 1 nor that of the other operand: 6 / 3 beside 4."""
    graph, y = quotient("Add", 6, 4, 3, reverse=reverse)
    with pytest.raises(Exception, match=r"floor\(\(dimension 0 of argument 0\) / \(max\(dimension 0 of argument 1, 1\)\)\) must be 1 or "
                                        r"equal to dimension 1 of argument 1, by 'Add \(addf\)' of layer 'Add_3_0'"):
        graph.run(tmp_path, [y])
    # What the quotient itself asks for.
    graph, y = quotient("Add", 7, 4, 3)
    with pytest.raises(Exception, match="must be equal to dimension 0 of argument 1 \\* floor|of layer 'Reshape_2_0'"):
        graph.run(tmp_path, [y])


@pytest.mark.parametrize("x, y", [(1, 1), (1, 5), (5, 1), (5, 5)])
def test_two_sizes_that_are_computed(x, y, tmp_path, compiler):
    """Either may be 1."""
    graph, parts = Model(18), []
    count = graph.node("Shape", [graph.input("rows", random(3, 2), ["n", 2])], start=0, end=1)
    shape = graph.node("Concat", [count, graph.constant("rest", np.array([-1]))], axis=0)
    for name, size in (("a", x), ("b", y)):
        parts.append(np.arange(3 * size, dtype=np.float32).reshape(3, size))
    names = [graph.node("Reshape", [graph.input(f"x{i}", part.reshape(-1), [f"k{i}"]), shape]) for i, part in enumerate(parts)]
    (z,) = graph.run(tmp_path, [graph.node("Relu", [graph.node("Mul", names)])])
    program.assert_same_bits(z, parts[0] * parts[1])


def test_two_sizes_that_are_computed_and_differ(tmp_path, compiler):
    with pytest.raises(Exception, match=r"floor\(\(dimension 0 of argument [12]\) / .*\) must be 1 or equal to floor\(.*\), by 'Mul \(mulf\)'"):
        test_two_sizes_that_are_computed(2, 5, tmp_path, compiler)


@pytest.mark.parametrize("dims, other", [(["n"], ["m"]), (["n"], [5])])
def test_the_remedy_for_a_size_of_one_in_a_call(dims, other, tmp_path, compiler):
    """A size of an input is repeated only if the program is compiled for it."""
    graph = Model()
    a, b = random(1), random(5)
    y = graph.node("Add", [graph.input("a", a, dims), graph.input("b", b, other)])
    with pytest.raises(Exception, match=r"must be equal to .*, by 'Add \(addf\)' of layer 'Add_0_0' at .*; to repeat what has the size 1, fix it: "
                                        r"qcc compile --dim=NAME=1"):
        graph.run(tmp_path, [y])
    artifact = tmp_path / "fixed.so"
    subprocess.run([str(program.qcc()), "compile", str(tmp_path / "model.onnx"), "--dim=n=1", "-o", str(artifact)], check=True)
    (result,) = program.run_file(artifact, tmp_path, [a, b], 1)
    program.assert_same_bits(result, a + b)
