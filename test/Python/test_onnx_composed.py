"""Ops that are made of others: recurrences, Einsum, TopK, functions of the model, com.microsoft."""

import subprocess

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import program
from onnx_model import Model

F32, I64 = np.float32, np.int64
RNG = np.random.default_rng(5)


def uniform(*shape):
    return RNG.uniform(-2, 2, shape).astype(F32)


def run(tmp_path, op, inputs, outputs=1, arguments=(), **attributes):
    """`inputs`: arrays, None for what is left out, or ("constant", array)."""
    model = Model()
    names = []
    for i, value in enumerate(inputs):
        if value is None:
            names.append("")
        elif isinstance(value, tuple):
            names.append(model.constant(f"c{i}", value[1]))
        else:
            names.append(model.input(f"x{i}", value))
    y = model.node(op, names, outputs, **attributes)
    return model.run(tmp_path, [y] if outputs == 1 else y, arguments)


def constant(array):
    return ("constant", array)


def explain(path):
    return subprocess.run([str(program.qcc()), "explain", str(path)], capture_output=True, text=True, check=True).stdout


# Ops of ONNX.

@pytest.mark.parametrize("equation, shapes", [
    ("ij,jk->ik", [(3, 4), (4, 5)]), ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("bqhd,bkhd->bhqk", [(2, 4, 3, 5), (2, 6, 3, 5)]), ("i,j->ji", [(3,), (4,)]),
    ("ijk->k", [(2, 3, 4)]), ("ij->", [(3, 4)]), ("ii->i", [(4, 4)]), ("ii", [(4, 4)]),
    ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 6)]), ("ab,bc,cd->da", [(2, 3), (3, 4), (4, 5)]),
    (" i j , j k ", [(3, 4), (4, 5)]), ("bsd,dhe->bshe", [(2, 3, 4), (4, 5, 6)]), ("ij,ij->i", [(3, 4), (3, 4)])])
def test_einsum(equation, shapes, tmp_path, compiler):
    arrays = [uniform(*shape) for shape in shapes]
    (y,) = run(tmp_path, "Einsum", arrays, equation=equation)
    expected = np.einsum(equation.replace(" ", ""), *[x.astype(np.float64) for x in arrays])
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)


def test_einsum_of_dequantized_values_is_an_integer_kernel(tmp_path, compiler):
    model = Model()
    x = model.input("x", RNG.integers(-9, 9, (2, 4, 3, 8), np.int8))
    w = model.constant("w", RNG.integers(-9, 9, (2, 6, 3, 8)).astype(np.int8))
    scale = model.constant("s", F32(0.5))
    y = model.node("Einsum", [model.node("DequantizeLinear", [x, scale]),
                              model.node("DequantizeLinear", [w, scale])], equation="bqhd,bkhd->bhqk")
    (actual,) = model.run(tmp_path, [y])
    wide = [array.astype(I64) for array in (model.arrays[0], numpy_helper.to_array(model.constants[0]))]
    program.assert_same_bits(actual, (np.einsum("bqhd,bkhd->bhqk", *wide) * F32(0.25)).astype(F32))
    text = explain(tmp_path / "model.onnx")
    assert text.count(".contract") == 1 and "why:" not in text, text


def top(x, k, axis, largest):
    """The places of the first k elements: of equal ones, the first."""
    keys = -x.astype(np.float64) if largest else x.astype(np.float64)
    places = np.argsort(np.where(np.isnan(keys), np.inf * (-1 if largest else 1), keys), axis=axis, kind="stable")
    return np.take(places, range(k), axis=axis)


@pytest.mark.parametrize("dtype", [F32, np.float16, np.float64, np.int32, np.int64, np.int8, np.uint8])
@pytest.mark.parametrize("axis, largest, k", [(-1, 1, 3), (0, 1, 5), (1, 0, 1), (2, 0, 7)])
def test_top_k(dtype, axis, largest, k, tmp_path, compiler):
    low = 0 if np.dtype(dtype).kind == "u" else -4
    x = RNG.integers(low, 5, (5, 6, 7)).astype(dtype)  # many equal elements
    values, places = run(tmp_path, "TopK", [x, constant(np.array([k], I64))], 2, axis=axis, largest=largest)
    expected = top(x, k, axis, largest)
    program.assert_same_bits(places, expected.astype(I64))
    program.assert_same_bits(values, np.take_along_axis(x, expected, axis))


def test_top_k_of_special_values(tmp_path, compiler):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], F32)
    _, places = run(tmp_path, "TopK", [x, constant(np.array([7], I64))], 2)
    assert places.tolist() == [4, 2, 5, 0, 1, 6, 3]
    _, places = run(tmp_path, "TopK", [x, constant(np.array([7], I64))], 2, largest=0)
    assert places.tolist() == [3, 6, 0, 1, 5, 2, 4]


@pytest.mark.parametrize("dtype", [F32, np.int32, np.int64])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cum_sum(dtype, exclusive, reverse, tmp_path, compiler):
    x = RNG.integers(-50, 50, (3, 9, 2)).astype(dtype)
    (y,) = run(tmp_path, "CumSum", [x, constant(I64(1))], exclusive=exclusive, reverse=reverse)
    turned = x[:, ::-1] if reverse else x
    total = np.cumsum(turned, axis=1, dtype=dtype)
    total = total - turned if exclusive else total
    program.assert_same_bits(y, total[:, ::-1] if reverse else total)


def test_scatter_nd(tmp_path, compiler):
    x, updates = uniform(4, 5, 3), uniform(2, 3, 3)
    places = np.array([[[0, 1], [3, -1], [2, 2]], [[0, 1], [1, 0], [-4, 4]]], I64)
    for reduction, function in [("none", None), ("add", np.add), ("mul", np.multiply), ("max", np.maximum),
                                ("min", np.minimum)]:
        (y,) = run(tmp_path, "ScatterND", [x, places, updates], reduction=reduction)
        expected = x.copy()
        for at in np.ndindex(2, 3):
            place = tuple(places[at])
            expected[place] = updates[at] if function is None else function(expected[place], updates[at])
        program.assert_same_bits(y, expected)


# Recurrences.

def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def lstm(x, w, r, b, h, c, lengths, reverse=False, peephole=None):
    """One direction, in float64; w and r are [4 * hidden, size]."""
    size = r.shape[1]
    ys = np.zeros((x.shape[0], x.shape[1], size))
    steps = range(x.shape[0])
    p = np.zeros(3 * size) if peephole is None else peephole
    for t in reversed(steps) if reverse else steps:
        gates = x[t] @ w.T + h @ r.T + b[:4 * size] + b[4 * size:]
        i, o, f, g = np.split(gates, 4, axis=1)
        cell = sigmoid(f + p[2 * size:] * c) * c + sigmoid(i + p[:size] * c) * np.tanh(g)
        out = sigmoid(o + p[size:2 * size] * cell) * np.tanh(cell)
        there = (t < lengths)[:, None]
        h, c = np.where(there, out, h), np.where(there, cell, c)
        ys[t] = np.where(there, out, 0)
    return ys, h, c


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("full", [False, True])
def test_lstm(direction, full, tmp_path, compiler):
    steps, batch, size, hidden = 5, 3, 4, 6
    count = 2 if direction == "bidirectional" else 1
    x = uniform(steps, batch, size)
    w, r, b = uniform(count, 4 * hidden, size), uniform(count, 4 * hidden, hidden), uniform(count, 8 * hidden)
    h, c, p = uniform(count, batch, hidden), uniform(count, batch, hidden), uniform(count, 3 * hidden)
    lengths = np.array([5, 2, 3], np.int32)
    extra = [constant(b), lengths, h, c, constant(p)] if full else []
    actual = run(tmp_path, "LSTM", [x, constant(w), constant(r), *extra], 3, hidden_size=hidden, direction=direction)
    if not full:
        b, h, c, p = b * 0, h * 0, c * 0, p * 0
        lengths = np.full(3, steps)
    ways = [lstm(x, w[d], r[d], b[d], h[d], c[d], lengths, d == 1 or direction == "reverse", p[d])
            for d in range(count)]
    for i, axis in enumerate((1, 0, 0)):
        np.testing.assert_allclose(actual[i], np.stack([way[i] for way in ways], axis), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op, gates, states", [("RNN", 1, 1), ("GRU", 3, 1), ("LSTM", 4, 2)])
def test_constant_lengths_in_both_directions(op, gates, states, tmp_path, compiler):
    """The same as lengths that are given when the model runs."""
    x, w, r = uniform(5, 3, 4), uniform(2, gates * 6, 4), uniform(2, gates * 6, 6)
    lengths = np.array([5, 1, 3], np.int32)
    results = [run(tmp_path, op, [x, constant(w), constant(r), None, given], 1 + states, hidden_size=6, direction="bidirectional")
               for given in (lengths, constant(lengths))]
    for expected, actual in zip(*results):
        program.assert_same_bits(actual, expected)
    y, last = results[1][:2]
    for row, length in enumerate(lengths):
        assert not y[length:, :, row].any() and y[:length, :, row].all()
        program.assert_same_bits(last[:, row], np.stack([y[length - 1, 0, row], y[0, 1, row]]))


def test_lstm_whose_forget_gate_is_the_rest_of_its_input_gate(tmp_path, compiler):
    """1 - i is the gate of the opposite sums: those of i with the signs changed."""
    x, w, r = uniform(3, 2, 4), uniform(1, 24, 4), uniform(1, 24, 6)
    coupled = run(tmp_path, "LSTM", [x, constant(w), constant(r)], 3, hidden_size=6, input_forget=1)
    for weight in (w, r):
        weight[:, 12:18] = -weight[:, :6]
    for actual, expected in zip(coupled, run(tmp_path, "LSTM", [x, constant(w), constant(r)], 3, hidden_size=6)):
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def test_lstm_with_the_batch_first(tmp_path, compiler):
    x, w, r = uniform(3, 5, 4), uniform(1, 24, 4), uniform(1, 24, 6)
    expected = run(tmp_path, "LSTM", [x.transpose(1, 0, 2).copy(), constant(w), constant(r)], 3, hidden_size=6)
    actual = run(tmp_path, "LSTM", [x, constant(w), constant(r)], 3, hidden_size=6, layout=1)
    program.assert_same_bits(actual[0], expected[0].transpose(2, 0, 1, 3).copy())
    for a, e in zip(actual[1:], expected[1:]):
        program.assert_same_bits(a, e.transpose(1, 0, 2).copy())


@pytest.mark.parametrize("op, gates, states", [("RNN", 1, 1), ("GRU", 3, 1), ("LSTM", 4, 2)])
@pytest.mark.parametrize("layout", [0, 1])
def test_a_batch_that_only_the_initial_state_knows(op, gates, states, layout, tmp_path, compiler):
    """It becomes a requirement of the entry. The bits are the same as of a known batch."""
    x, w, r = uniform(2, 5, 4) if layout else uniform(5, 2, 4), uniform(1, gates * 6, 4), uniform(1, gates * 6, 6)
    state = uniform(2, 1, 6) if layout else uniform(1, 2, 6)

    def result(x, dims):
        model = Model()
        names = [model.input("x", x, dims), model.constant("w", w), model.constant("r", r), "", "",
                 *(model.constant(f"s{i}", state) for i in range(states))]
        return model.run(tmp_path, model.node(op, names, 1 + states, hidden_size=6, layout=layout))

    dims = ["batch", 5, 4] if layout else ["steps", "batch", 4]
    for actual, expected in zip(result(x, dims), result(x, x.shape)):
        program.assert_same_bits(actual, expected)
    wrong = np.repeat(x, 2, axis=0 if layout else 1)
    with pytest.raises(Exception, match=f"dimension {1 - layout} of argument 0 must be equal to 2"):
        result(wrong, dims)


@pytest.mark.parametrize("shape", [(0, 2, 6), (2, 2, 6), (1, 3, 6), (1, 2, 5), (2, 6)])
def test_initial_states_that_do_not_fit(shape, tmp_path, compiler):
    inputs = [uniform(5, 2, 4), constant(uniform(1, 18, 4)), constant(uniform(1, 18, 6)), None, None, constant(uniform(*shape))]
    with pytest.raises(AssertionError, match="node 'GRU_0_0' .GRU-14. has weights, biases or states that do not fit its hidden_size "
                                             "of 6, its direction or its batch; correct them"):
        run(tmp_path, "GRU", inputs, 2, hidden_size=6)


@pytest.mark.parametrize("reset", [0, 1])
def test_gru(reset, tmp_path, compiler):
    x, w, r, b, h = uniform(4, 2, 3), uniform(1, 15, 3), uniform(1, 15, 5), uniform(1, 30), uniform(1, 2, 5)
    actual = run(tmp_path, "GRU", [x, constant(w), constant(r), constant(b), None, h], 2, hidden_size=5,
                 linear_before_reset=reset)
    state, ys = h[0].astype(np.float64), []
    (wz, wr, wh), (rz, rr, rh) = np.split(w[0], 3), np.split(r[0], 3)
    bz, br, bh, cz, cr, ch = np.split(b[0], 6)
    for row in x:
        z = sigmoid(row @ wz.T + state @ rz.T + bz + cz)
        g = sigmoid(row @ wr.T + state @ rr.T + br + cr)
        new = np.tanh(row @ wh.T + bh + (g * (state @ rh.T + ch) if reset else (g * state) @ rh.T + ch))
        state = (1 - z) * new + z * state
        ys.append(state)
    np.testing.assert_allclose(actual[0], np.stack(ys)[:, None], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(actual[1], state[None], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
@pytest.mark.parametrize("bounds", [(None, 100), (3, None), (3, 100), "all"])
def test_clip_of_integers(dtype, bounds, tmp_path, compiler):
    range_ = np.iinfo(dtype)
    low, high = (range_.min, range_.max) if bounds == "all" else bounds
    x = np.random.default_rng(3).integers(max(range_.min, -200), min(range_.max, 300), (5, 7)).astype(dtype)
    given = [None if bound is None else constant(dtype(bound)) for bound in (low, high)]
    (y,) = run(tmp_path, "Clip", [x, *given])
    program.assert_same_bits(y, np.clip(x, low, high).astype(dtype))


# Functions and branches.

def save(tmp_path, text, functions=()):
    model = onnx.parser.parse_model(text)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_functions_of_the_model(tmp_path, compiler):
    path = save(tmp_path, """
        <ir_version: 9, opset_import: ["" : 20, "own" : 1]>
        g (float[3, 4] x) => (float[3, 4] y, float[3, 4] z) {
          y = own.Twice<alpha = 0.25, axis = 0>(x)
          z = own.Once(x)
        }
        <domain: "own", opset_import: ["" : 20]>
        Once<alpha: float = 0.5>(a, missing) => (b) { b = LeakyRelu<alpha: float = @alpha>(a) }
        <domain: "own", opset_import: ["" : 20, "own" : 1]>
        Twice<axis, alpha>(a) => (c) {
          b = own.Once<alpha: float = @alpha>(a)
          c = Softmax<axis: int = @axis>(b)
        }""")
    x = uniform(3, 4)
    y, z = program.run_file(path, tmp_path, [x], 2)
    program.assert_same_bits(z, np.where(x < 0, F32(0.5) * x, x))
    e = np.exp(np.where(x < 0, 0.25 * x.astype(np.float64), x))
    np.testing.assert_allclose(y, e / e.sum(axis=0), rtol=1e-5)
    # The nodes of a call have its name before theirs.
    assert "y/c" in explain(path)


@pytest.mark.parametrize("rows", [1, 3])
def test_branches_on_sizes(rows, tmp_path, compiler):
    path = save(tmp_path, f"""
        <ir_version: 9, opset_import: ["" : 20]>
        g (float[{rows}, 4] x) => (y) <int64 one = {{1}}, int64[1] axis = {{0}}, int64 zero = {{0}}> {{
          shape = Shape(x)
          size = Gather(shape, zero)
          is = Equal(size, one)
          y = If (is) <then_branch = a () => (float[4] r) {{ r = Squeeze(x, axis) }},
                       else_branch = b () => (float[M, 4] s) {{ s = Neg(x) }}>
        }}""")
    x = uniform(rows, 4)
    (y,) = program.run_file(path, tmp_path, [x], 1)
    program.assert_same_bits(y, x[0] if rows == 1 else -x)


@pytest.mark.parametrize("condition", [np.array(True), np.array([False])])
def test_branches_on_data(condition, tmp_path, compiler):
    """Both are computed; what the other one has, NaN or infinite, does not get in."""
    shape = "" if condition.ndim == 0 else "[1]"
    path = save(tmp_path, f"""
        <ir_version: 9, opset_import: ["" : 20]>
        g (float[N, 4] x, bool{shape} p) => (y, m) <float half = {{0.5}}> {{
          y, m = If (p) <then_branch = a () => (float[N, 4] r, float[N] s) {{
                           r = Log(x)
                           s = ReduceSum<keepdims = 0>(r, axis) }},
                         else_branch = b () => (float[N, 4] t, float[N] u) {{
                           t = Mul(x, half)
                           u = ReduceSum<keepdims = 0>(t, axis) }}>
        }}""".replace("float half", "int64[1] axis = {1}, float half"))
    x = np.array([[1, 2, 4, 8], [-1, 0, np.inf, 3], [0.5, 0.25, 9, 7]], np.float32)
    y, m = program.run_file(path, tmp_path, [x, condition], 2)
    if condition.all():
        np.testing.assert_allclose(y[[0, 2]], np.log(x[[0, 2]]), rtol=1e-6)
        assert np.isnan(m[1])
    else:
        program.assert_same_bits(y, x * np.float32(0.5))
    np.testing.assert_allclose(m, y.sum(axis=1), rtol=1e-6)


# Dynamic sizes.

@pytest.mark.parametrize("op", ["LSTM", "GRU"])
@pytest.mark.parametrize("sizes", [(1, 1), (4, 3)])
def test_recurrences_of_any_number_of_steps_and_rows(op, sizes, target, tmp_path):
    """The same bits as of static sizes."""
    gates = 4 if op == "LSTM" else 3
    x, w, r, b = uniform(*sizes, 4), uniform(2, gates * 5, 4), uniform(2, gates * 5, 5), uniform(2, gates * 10)
    results = []
    for shape in (x.shape, ("steps", "batch", 4)):
        model = Model()
        y, state = model.node(op, [model.input("x", x, shape), model.constant("w", w), model.constant("r", r),
                                   model.constant("b", b)], 2, hidden_size=5, direction="bidirectional")
        results.append(model.run(tmp_path, [y, state], target))
    for actual, expected in zip(*results):
        program.assert_same_bits(actual, expected)


def test_one_dimension_becomes_two_of_dynamic_sizes(target, tmp_path):
    x = uniform(3, 5, 4)
    model = Model()
    name = model.input("x", x, ("n", "m", 4))
    rows = model.node("Relu", [model.node("Reshape", [name, model.constant("flat", np.array([-1, 4], I64))])])
    # A sum over them is a loop that sees both.
    image = model.node("Reshape", [rows, model.node("Shape", [name])])
    y = model.node("Transpose", [model.node("Softmax", [image], axis=1)], perm=[1, 2, 0])
    (actual,) = model.run(tmp_path, [y], target)
    e = np.exp(np.maximum(x, 0).astype(np.float64))
    np.testing.assert_allclose(actual, (e / e.sum(axis=1, keepdims=True)).transpose(1, 2, 0), rtol=1e-5)
