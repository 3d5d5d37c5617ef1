"""Results that go on in the memory of an argument have the values that they have in memory of their own."""

import numpy as np
import pytest

from package import qcc

F32, I32, I64 = np.float32, np.int32, np.int64
SIZE = 6


def compiled(folder, text, **options):
    path = folder / "program.mlir"
    path.write_text(text)
    return qcc.compile(str(path), **options)


def check(function, arrays, expected=None):
    """Runs apart, and with each result in the memory of the argument that it may share."""
    arrays = [np.asarray(array) for array in arrays]
    apart = function(*arrays)
    apart = list(apart) if isinstance(apart, tuple) else [apart]
    for a, e in zip(apart, expected or []):
        np.testing.assert_array_equal(a, e)
    inputs = [array.copy() for array in arrays]
    places = [result.in_place_argument for result in function.results]
    out = [None if i is None or inputs[i].shape != y.shape else inputs[i] for i, y in zip(places, apart)]
    results = function(*inputs, out=out)
    for y, e, memory in zip(results if isinstance(results, tuple) else [results], apart, out):
        np.testing.assert_array_equal(y, e)
        assert memory is None or y is memory
    changed = [i for i in places if i is not None]
    for i, (a, e) in enumerate(zip(inputs, arrays)):
        if i not in changed:
            np.testing.assert_array_equal(a, e)
    return places


UPDATE = """
func.func @main(%cache: tensor<2x{rows}x64xf32>, %new: tensor<2x1x64xf32>, %pos: tensor<i32>) -> (tensor<2x64xf32>, tensor<2x{rows}x64xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.dynamic_update_slice %cache, %new, %z, %pos, %z : (tensor<2x{rows}x64xf32>, tensor<2x1x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x{rows}x64xf32>
  %r = stablehlo.reduce(%c init: %f) applies stablehlo.add across dimensions = [1] : (tensor<2x{rows}x64xf32>, tensor<f32>) -> tensor<2x64xf32>
  return %r, %c : tensor<2x64xf32>, tensor<2x{rows}x64xf32>
}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_dynamic_update_slice(tmp_path, threads):
    module = compiled(tmp_path, UPDATE.replace("{rows}", "32"))
    function = module.function(threads=threads)
    rng = np.random.default_rng(3)
    for row in (0, 7, 31, 99, -4):
        cache, new = rng.standard_normal((2, 32, 64), F32), rng.standard_normal((2, 1, 64), F32)
        expected = cache.copy()
        at = min(max(row, 0), 31)
        expected[:, at:at + 1] = new
        assert check(function, [cache, new, I32(row)]) == [None, 0]
        np.testing.assert_array_equal(function(cache, new, I32(row))[1], expected)


def test_saved(tmp_path):
    path = tmp_path / "program.qcc"
    compiled(tmp_path, UPDATE.replace("{rows}", "32")).save(str(path))
    function = qcc.load(str(path)).function()
    rng = np.random.default_rng(4)
    assert check(function, [rng.standard_normal((2, 32, 64), F32), rng.standard_normal((2, 1, 64), F32), I32(5)]) == [None, 0]


def test_the_copy_is_idle(tmp_path):
    """An update of one row takes less than a copy of all: the first step has nothing to do."""
    function = compiled(tmp_path, UPDATE.replace("{rows}", "65536")).function(threads=1)
    cache, new = np.ones((2, 65536, 64), F32), np.zeros((2, 1, 64), F32)
    apart = function.profile(cache, new, I32(9), runs=3).steps[0]
    in_place = function.profile(cache, new, I32(9), runs=3, out=[None, cache]).steps[0]
    assert apart.bytes == 2 * cache.nbytes
    assert in_place.nanoseconds < apart.nanoseconds / 10


def test_refused_memory(tmp_path):
    function = compiled(tmp_path, UPDATE.replace("{rows}", "32")).function()
    memory = np.zeros(2 * 33 * 64, F32)
    cache, part = memory[:4096].reshape(2, 32, 64), memory[64:4160].reshape(2, 32, 64)
    arguments = [cache, np.zeros((2, 1, 64), F32), I32(0)]
    with pytest.raises(qcc.InvalidArgumentError, match="only tensors of one address and one shape may share it"):
        function(*arguments, out=[None, part])
    with pytest.raises(qcc.InvalidArgumentError, match="which the program does not compute in place"):
        function(*arguments, out=[arguments[1].reshape(2, 64), None])


GROWING = """
func.func @main(%past: tensor<2x?x64xf32>, %new: tensor<2x1x64xf32>, %pos: tensor<1xi32>, %mask: tensor<?xi8>) -> (tensor<2x?x64xf32> {qcc.name = "present"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %before = tensor.dim %past, %c1 : tensor<2x?x64xf32>
  %total = tensor.dim %mask, %c0 : tensor<?xi8>
  %after = arith.maxsi %before, %total : index
  %more = arith.subi %after, %before : index
  %p = tensor.pad %past low[0, 0, 0] high[0, %more, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<2x?x64xf32> to tensor<2x?x64xf32>
  %e = tensor.extract %pos[%c0] : tensor<1xi32>
  %at = arith.index_cast %e : i32 to index
  %r = tensor.insert_slice %new into %p[0, %at, 0] [2, 1, 64] [1, 1, 1] : tensor<2x1x64xf32> into tensor<2x?x64xf32>
  return %r : tensor<2x?x64xf32>
}
"""


def test_growing(tmp_path):
    """A cache that has room keeps its memory; one that is full becomes a larger one."""
    function = compiled(tmp_path, GROWING).function()
    rng = np.random.default_rng(5)
    for before, total in ((8, 8), (8, 3), (8, 9), (8, 20), (1, 1), (0, 1)):
        past, new = rng.standard_normal((2, before, 64), F32), rng.standard_normal((2, 1, 64), F32)
        expected = np.zeros((2, max(before, total), 64), F32)
        expected[:, :before] = past
        expected[:, total - 1:total] = new
        assert check(function, [past, new, np.array([total - 1], I32), np.zeros(total, np.int8)], [expected]) == [0]
    memory = np.zeros(2 * 9 * 64, F32)
    past, larger = memory[:2 * 8 * 64].reshape(2, 8, 64), memory.reshape(2, 9, 64)
    with pytest.raises(qcc.InvalidArgumentError, match="one address and one shape"):
        function(past, new, np.array([8], I32), np.zeros(9, np.int8), out=[larger])


@pytest.mark.parametrize("kind", [np.float32, np.uint8])
def test_tensor_scatter(kind, tmp_path):
    onnx = pytest.importorskip("onnx")
    kinds = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)), onnx.TensorProto.INT64
    infos = [onnx.helper.make_tensor_value_info(*info) for info in (
        ("cache", kinds[0], [2, 3, SIZE, 8]), ("rows", kinds[0], [2, 3, 2, 8]), ("places", kinds[1], [2]))]
    node = onnx.helper.make_node("TensorScatter", ["cache", "rows", "places"], ["present"])
    graph = onnx.helper.make_graph([node], "scatter", infos, [onnx.helper.make_tensor_value_info("present", kinds[0], [2, 3, SIZE, 8])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 24)], ir_version=10)
    cache, rows = np.arange(2 * 3 * SIZE * 8).reshape(2, 3, SIZE, 8).astype(kind), np.full((2, 3, 2, 8), 200, kind)
    expected = cache.copy()
    expected[0, :, 1:3], expected[1, :, 4:] = 200, 200
    assert check(qcc.compile(model).function(), [cache, rows, np.array([1, 4])], [expected]) == [0]


def test_out_by_name(tmp_path):
    function = compiled(tmp_path, GROWING).function()
    past, new, at, mask = np.ones((2, 4, 64), F32), np.zeros((2, 1, 64), F32), np.array([1], I32), np.zeros(4, np.int8)
    assert function(past, new, at, mask, out={"present": past}) is past
    assert (past[:, 1] == 0).all() and (past[:, 2] == 1).all()
    assert function(past, new, at, mask, out={}) is not past
    for name in ("past", ""):
        with pytest.raises(qcc.InvalidArgumentError, match=f"out has memory for '{name}'"):
            function(past, new, at, mask, out={name: past})


def drawn(rng):
    """A program of updates of two arguments and ops that read them before and after, and its results in numpy."""
    lines, values = [], {"%a": "x", "%b": "y"}
    tensor = f"tensor<{SIZE}x8xf32>"
    updates = {"%a": ["%a"], "%b": ["%b"]}
    for i in range(rng.integers(2, 7)):
        base = updates[rng.choice(["%a", "%b"])]
        kind = rng.integers(4)
        name = f"%v{i}"
        if kind < 2:  # an update, mostly of the latest value
            of = base[-1] if rng.integers(4) else base[rng.integers(len(base))]
            row = rng.integers(SIZE)
            lines.append(f"{name} = tensor.insert_slice %u into {of}[{row}, 0] [1, 8] [1, 1] : tensor<1x8xf32> into {tensor}")
            values[name] = ("update", of, row)
            base.append(name)
        else:
            one, two = (rng.choice(list(values)) for _ in range(2))
            lines.append(f"{name} = arith.addf {one}, {two} : {tensor}")
            values[name] = ("add", one, two)
    names = list(values)
    results = [updates["%a"][-1], updates["%b"][-1], names[rng.integers(len(names))]]
    rng.shuffle(results)
    body = "\n  ".join(lines)
    text = (f"func.func @main(%a: {tensor}, %b: {tensor}, %u: tensor<1x8xf32>) -> ({', '.join([tensor] * 3)}) {{\n  {body}\n"
            f"  return {', '.join(results)} : {', '.join([tensor] * 3)}\n}}\n")

    def compute(a, b, u):
        known = {"%a": a, "%b": b}
        for name, (kind, one, two) in list(values.items())[2:]:
            if kind == "add":
                known[name] = known[one] + known[two]
            else:
                known[name] = known[one].copy()
                known[name][two] = u
        return [known[name] for name in results]

    return text, compute


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_drawn_programs(tmp_path, first):
    shared = 0
    for seed in range(first, first + 20):
        rng = np.random.default_rng(seed)
        text, compute = drawn(rng)
        arrays = [rng.standard_normal((SIZE, 8), F32), rng.standard_normal((SIZE, 8), F32), rng.standard_normal((1, 8), F32)]
        function = compiled(tmp_path, text).function()
        places = check(function, arrays, compute(*arrays))
        shared += sum(i is not None for i in places)
    assert shared > 5
