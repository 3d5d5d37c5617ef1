"""Loop and Scan against numpy."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnx_peer
import program
from onnx_model import Model
from test_onnx_composed import explain, uniform

F32, I64 = np.float32, np.int64
RNG = np.random.default_rng(13)


def info(name, array=None, kind=None):
    kind = kind or (helper.np_dtype_to_tensor_dtype(array.dtype) if array is not None else TensorProto.FLOAT)
    return helper.make_tensor_value_info(name, kind, None)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, [outputs], **attributes)


class Loop:
    """A Loop in a model. `body` reads i, goes and the carried names; it gives `goes_on`, values and rows."""

    def __init__(self, body, carried=(), rows=(), constants=None, goes_on="goes"):
        self.model, self.body, self.rows = Model(17), body, rows
        self.carried, self.constants, self.goes_on = dict(carried), constants or {}, goes_on

    def graph(self):
        inputs = [info("i", kind=TensorProto.INT64), info("goes", kind=TensorProto.BOOL)]
        inputs += [info(name, array) for name, array in self.carried.items()]
        outputs = [info("goes_after", kind=TensorProto.BOOL)]
        outputs += [info(f"{name}_after", array) for name, array in self.carried.items()]
        outputs += [info(row) for row in self.rows]
        constants = [numpy_helper.from_array(np.asarray(array), name) for name, array in self.constants.items()]
        return helper.make_graph([node("Identity", [self.goes_on], "goes_after"), *self.body], "body", inputs, outputs, constants)

    def run(self, folder, count, condition="", arguments=()):
        model = self.model
        count = count if isinstance(count, str) else model.constant("count", I64(count))
        start = [model.input(f"{name}_0", array) for name, array in self.carried.items()]
        outputs = len(start) + len(self.rows)
        y = model.node("Loop", [count, condition, *start], outputs, body=self.graph())
        results = model.run(folder, [y] if outputs == 1 else y, arguments)
        onnx_peer.check(folder, model.arrays, results)
        return results


HALVE = [node("Mul", ["s", "half"], "h"), node("Cast", ["i"], "f", to=1), node("Add", ["h", "f"], "s_after"),
         node("Transpose", ["s_after"], "row")]


@pytest.mark.parametrize("count", [1, 3, 70, 3000])
def test_counts(count, tmp_path, compiler):
    x = uniform(3, 4)
    last, rows = Loop(HALVE, {"s": x}, ["row"], {"half": F32(0.5)}).run(tmp_path, count)
    wanted = []
    for i in range(count):
        x = x * F32(0.5) + F32(i)
        wanted.append(x.T)
    program.assert_same_bits(last, x)
    program.assert_same_bits(rows, np.stack(wanted))


def test_no_iteration_gives_the_start(tmp_path, compiler):
    x = uniform(3, 4)
    for count, condition in [(0, True), (5, False)]:
        loop = Loop(HALVE, {"s": x}, [], {"half": F32(0.5)})
        (y,) = loop.run(tmp_path, count, loop.model.constant("begins", np.array(condition)))
        program.assert_same_bits(y, x)


@pytest.mark.parametrize("count", [3, 50])
def test_shapes_that_grow(count, tmp_path, compiler):
    x, first = uniform(1, 4), uniform(2, 4)
    loop = Loop([node("Concat", ["s", "x"], "s_after", axis=0)], {"s": first})
    loop.model.input("x", x)
    (y,) = loop.run(tmp_path, count)
    program.assert_same_bits(y, np.concatenate([first] + [x] * count))


@pytest.mark.parametrize("count", ["", 100])
def test_a_condition_on_the_number_of_the_iteration(count, tmp_path, compiler):
    x = uniform(2, 2)
    body = [node("Less", ["i", "limit"], "less"), node("Add", ["s", "s"], "s_after")]
    (y,) = Loop(body, {"s": x}, constants={"limit": I64(4)}, goes_on="less").run(tmp_path, count)
    program.assert_same_bits(y, x * F32(32))


def test_a_while_loop_as_tensorflow_writes_it(tmp_path, compiler):
    """Counters of its own, a condition on them, and a limit that is no limit."""
    x = uniform(2, 2)
    body = [node("Add", ["time", "step"], "time_after"), node("Less", ["time_after", "end"], "a"),
            node("Less", ["i", "most"], "b"), node("And", ["a", "b"], "less"), node("Add", ["s", "s"], "s_after")]
    model = Model(17)
    loop = Loop(body, {"time": np.int32(0), "s": x}, ["s_after"],
                {"step": np.int32(1), "end": np.int32(5), "most": I64(2**62)}, "less")
    names = [model.constant("M", I64(2**63 - 1)), model.constant("begins", np.array(True)),
             model.constant("time_0", np.int32(0)), model.input("x", x)]
    time, last, rows = model.run(tmp_path, model.node("Loop", names, 3, body=loop.graph()))
    program.assert_same_bits(time, np.array(5, np.int32))
    program.assert_same_bits(last, x * F32(32))
    program.assert_same_bits(rows, np.stack([x * F32(2**k) for k in range(1, 6)]))


#: A character of each word after the other: its vector, and the state.
READ = [node("Gather", ["words", "i"], "letters"), node("Gather", ["table", "letters"], "e"),
        node("MatMul", ["s", "w"], "p"), node("Add", ["e", "p"], "t"), node("Tanh", ["t"], "s_after"),
        node("Identity", ["s_after"], "row")]


def read_words(words, table, w):
    state, rows = np.zeros((words.shape[1], table.shape[1])), []
    for letters in words:
        state = np.tanh(table[letters] + state @ w)
        rows.append(state)
    return state, np.stack(rows)


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_sequences(is_dynamic, tmp_path, compiler):
    words, table, w = RNG.integers(0, 30, (20, 2)), uniform(30, 8), uniform(8, 8) * F32(0.2)
    loop = Loop(READ, {"s": np.zeros((2, 8), F32)}, ["row"])
    loop.model.input("words", words, ["T", 2] if is_dynamic else None)
    loop.model.input("table", table)
    loop.model.constant("w", w)
    shape = loop.model.node("Shape", ["words"])
    count = loop.model.node("Gather", [shape, loop.model.constant("first", I64(0))])
    actual = loop.run(tmp_path, count)
    for a, e in zip(actual, read_words(words, table, w)):
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5)
    # A loop, whose product is compiled once.
    assert explain(tmp_path / "model.onnx").count("contract") <= 2


def test_loops_in_loops(tmp_path, compiler):
    inner = Loop([node("Add", ["v", "s"], "v_after")], {"v": uniform(2, 2)}).graph()
    x = uniform(2, 2)
    for outer_count, inner_count in [(2, 3), (30, 20)]:
        body = [helper.make_node("Loop", ["n", "", "s"], ["sum"], body=inner), node("Mul", ["sum", "part"], "s_after")]
        loop = Loop(body, {"s": x}, constants={"n": I64(inner_count), "part": F32(1 / 16)})
        (y,) = loop.run(tmp_path, outer_count)
        wanted = x
        for _ in range(outer_count):
            total = wanted
            for _ in range(inner_count):
                total = total + wanted
            wanted = total * F32(1 / 16)
        program.assert_same_bits(y, wanted)


@pytest.mark.parametrize("count, begins, body, goes_on, message", [
    (None, None, HALVE, "goes", "takes its number of iterations from a value that is known only when the model runs"),
    (5, "input", HALVE, "goes", "begins if a condition holds that is known only when the model runs"),
    (5, None, [*HALVE, node("ReduceSum", ["s"], "t", keepdims=0), node("Less", ["t", "half"], "less")], "less",
     "ends when a condition does not hold that is known only when the model runs"),
    ("", None, HALVE, "goes", "does not end after [0-9]+ iterations"),
    (3000, None, [node("Concat", ["s", "s"], "s_after", axis=0)], "goes", "carries a value, number 0, whose type or shape"),
    (0, None, HALVE, "goes", "has no iteration, and a result that would be empty"),
    (3, None, [node("Unknown", ["s"], "s_after")], "goes", "the op ai.onnx.Unknown .* is not supported")])
def test_refused(count, begins, body, goes_on, message, tmp_path, compiler):
    loop = Loop(body, {"s": uniform(2, 2)}, ["row"] if body[0].op_type == "Mul" else [], {"half": F32(0.5)}, goes_on)
    if count is None:
        count = loop.model.input("M", np.array(3, I64))
    if begins:
        begins = loop.model.input("begins", np.array(True))
    with pytest.raises(AssertionError, match=message):
        loop.run(tmp_path, count, begins or "")


def test_bodies_that_do_not_fit(tmp_path, compiler):
    loop = Loop(HALVE, {"s": uniform(2, 2)}, ["row"], {"half": F32(0.5)})
    graph = loop.graph()
    graph.input.pop()
    model = loop.model
    y = model.node("Loop", [model.constant("n", I64(3)), "", model.input("x", uniform(2, 2))], 2, body=graph)
    with pytest.raises(AssertionError, match="has a body of 2 inputs and 3 outputs where it needs 3 and 3"):
        model.run(tmp_path, y)


# Scan.

@pytest.mark.parametrize("steps", [2, 40])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("turn_in, turn_out", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_scan(steps, axis, turn_in, turn_out, tmp_path, compiler):
    model, start, x = Model(17), uniform(3), uniform(steps, 3)
    body = helper.make_graph([node("Add", ["s", "e"], "s_after"), node("Mul", ["s_after", "e"], "row")], "body",
                             [info("s"), info("e")], [info("s_after"), info("row")])
    names = [model.input("s0", start), model.input("x", np.ascontiguousarray(np.moveaxis(x, 0, axis)))]
    outputs = model.node("Scan", names, 2, body=body, num_scan_inputs=1, scan_input_axes=[axis], scan_output_axes=[axis - 2],
                         scan_input_directions=[turn_in], scan_output_directions=[turn_out])
    last, rows = model.run(tmp_path, outputs)
    wanted = []
    for e in x[::-1] if turn_in else x:
        start = start + e
        wanted.append(start * e)
    program.assert_same_bits(last, start)
    wanted = np.stack(wanted[::-1] if turn_out else wanted)
    program.assert_same_bits(rows, np.ascontiguousarray(np.moveaxis(wanted, 0, axis)))


def test_scan_over_a_dynamic_size(tmp_path, compiler):
    model, x, y = Model(17), uniform(7, 3), uniform(7, 3)
    body = helper.make_graph([node("Mul", ["a", "b"], "p"), node("Add", ["s", "p"], "s_after")], "body",
                             [info("s"), info("a"), info("b")], [info("s_after")])
    names = [model.input("s0", np.zeros(3, F32)), model.input("x", x, ["T", 3]), model.input("y", y, ["T", 3])]
    (actual,) = model.run(tmp_path, [model.node("Scan", names, body=body, num_scan_inputs=2)])
    wanted = np.zeros(3, F32)
    for a, b in zip(x, y):
        wanted = wanted + a * b
    program.assert_same_bits(actual, wanted)


@pytest.mark.parametrize("scanned, sizes, message", [
    (3, (4, 4), "has num_scan_inputs = 3 of 2 inputs"), (2, (4, 5), "scans dimensions of different sizes")])
def test_scans_that_do_not_fit(scanned, sizes, message, tmp_path, compiler):
    model = Model(17)
    body = helper.make_graph([node("Add", ["a", "b"], "row")], "body", [info("a"), info("b")], [info("row")])
    names = [model.input(f"x{i}", uniform(size, 3)) for i, size in enumerate(sizes)]
    y = model.node("Scan", names, body=body, num_scan_inputs=scanned)
    with pytest.raises(AssertionError, match=message):
        model.run(tmp_path, [y])
