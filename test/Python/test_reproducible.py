"""Bits of results depend neither on the processor, nor on threads, nor on neighbours in a batch: 20 models.

docs/HowTo/Reproducible.md states the rule. Other tests hold it for every op and kernel; here it is held for whole networks.
"""

import subprocess
import sys

import numpy as np
import pytest

import program
from package import qcc
from quantizing import Network

sys.path.insert(0, str(program.ROOT / "utils"))
from onnx_models.networks import NETWORKS  # noqa: E402
from qcc.verify._rows import Rows, axis_of, row_of  # noqa: E402

ROWS, THREADS = 5, (1, 2, 3)


def example(name, **options):
    return lambda folder: dict(source=program.EXAMPLES / f"{name}.mlir", **options)


def network(name):
    return lambda folder: dict(source=NETWORKS[name]())


def classifier(folder):
    """A model with QuantizeLinear and DequantizeLinear."""
    path = folder / "classifier.onnx"
    subprocess.run([sys.executable, program.EXAMPLES / "make_classifier.py", path], check=True)
    return dict(source=path)


#: What is compiled, and the sizes of dynamic dimensions besides that of the batch.
MODELS = {
    **{name: (network(name), sizes) for name, sizes in {
        "mlp": {}, "encoder": {"sequence": 7}, "t5": {"sequence": 6}, "decoder": {"sequence": 2, "past": 5}, "residual": {},
        "mobile": {}, "recognizer": {"width": 32}, "tagger": {"sequence": 6}, "listener": {"samples": 64},
        "conformer": {"frames": 9}}.items()},
    "convolutions": (lambda folder: dict(source=Network().model), {}),
    "classifier": (classifier, {}),
    **{name: (example(name, weights="random:7"), {}) for name in (
        "classifier_f32", "classifier_int8", "mlp_f32", "mlp_f16", "asymmetric", "dynamic_quant", "tf_linear")},
    "dynamic_sequence": (example("dynamic_sequence"), {"d0": 9, "d1": 9, "d2": 9}),
}
#: Models without a dimension that counts rows.
ONE_ROW = ("dynamic_sequence",)


def targets():
    found = program.host_cpus()
    if "cascadelake" in found:
        found.append("cascadelake+emulated-amx")
    return found


def array_of(random, argument, sizes):
    shape = [sizes[size] if isinstance(size, str) else size for size in argument.shape]
    dtype = np.dtype(argument.dtype)
    if dtype.kind == "f":
        return np.asarray(random.standard_normal(shape)).astype(dtype) if shape else np.asarray(3.5, dtype)
    low, high = (0, 2) if dtype.itemsize > 1 else (np.iinfo(dtype).min, np.iinfo(dtype).max + 1)
    return random.integers(low, high, shape).astype(dtype)


def sample_of(function, sizes, seed):
    random = np.random.default_rng(seed)
    return {argument.name or str(index): array_of(random, argument, sizes)
            for index, argument in enumerate(function.arguments)}


def runner(function):
    def run(sample):
        results = function(*sample.values())
        return dict(enumerate(results if isinstance(results, tuple) else (results,)))
    return run


def assert_equal(actual, expected, what):
    assert actual.keys() == expected.keys()
    for name in expected:
        program.assert_same_bits(actual[name], expected[name], f"result {name}, {what}")


def check(runs, sample, others, rows):
    """All of `runs` have the same bits: for the whole batch, and for each row alone or among rows of `others`."""
    expected, axes = next(iter(runs.values()))(sample), {}
    for what, run in runs.items():
        assert_equal(run(sample), expected, what)
        if rows is None:
            continue
        alone = {row: run(rows.take(sample, [row])) for row in range(rows.count)}
        axes = {name: axis for name, array in expected.items()
                if (axis := axis_of(array, alone[0][name], rows.count)) is not None}
        assert axes, "no result has rows"
        for row in range(rows.count):
            own = row_of(expected, axes, rows.count, row)
            assert_equal({name: alone[row][name] for name in axes}, own, f"{what}: row {row} alone")
            # At another position, among other rows.
            mixed = {name: array.copy() for name, array in others.items()}
            position = (row + 2) % rows.count
            for name, axis in rows.axes.items():
                index = (slice(None),) * axis
                mixed[name][(*index, position)] = sample[name][(*index, row)]
            # Inputs without rows are the same for all.
            mixed.update({name: array for name, array in sample.items() if name not in rows.axes})
            found = row_of(run(mixed), axes, rows.count, position)
            assert_equal(found, own, f"{what}: row {row} with other neighbours")


@pytest.mark.parametrize("name", MODELS)
def test_bits(name, tmp_path):
    make, sizes = MODELS[name]
    options, runs, rows = make(tmp_path), {}, None
    for target in targets():
        module = qcc.compile(**options, target=target)
        for threads in THREADS:
            function = module.function("padded" if name in ONE_ROW else None, threads=threads)
            runs[f"{target} with {threads} threads"] = runner(function)
    dim = None if name in ONE_ROW else next(size for argument in function.arguments for size in argument.shape
                                            if isinstance(size, str))
    sizes = sizes if dim is None else {**sizes, dim: ROWS}
    sample, others = sample_of(function, sizes, 1), sample_of(function, sizes, 2)
    if dim is not None:
        axes = {name: argument.shape.index(dim) for name, argument in zip(sample, function.arguments) if dim in argument.shape}
        rows = Rows(dim, axes, ROWS)
    check(runs, sample, others, rows)


def test_there_are_20_models():
    assert len(MODELS) == 20


ROWS_OF_X = Rows("rows", {"x": 0}, ROWS)


@pytest.mark.parametrize("wrong, told", [
    (lambda x: x - x.max(), "row . alone"),
    (lambda x: np.vstack([x[:1], x[:-1]]) * 0 + x + (np.arange(len(x))[:, None] == 3) * np.float32(1e-6), "row"),
    (lambda x: np.where(x == 0, np.float32(-0.0), x) if len(x) == 1 else x, "row 1 alone"),
])
def test_dependences_are_found(wrong, told):
    """Of a row on others, on its position, and on the number of rows, which changes the sign of a zero."""
    random = np.random.default_rng(3)
    x, y = (random.standard_normal((ROWS, 4)).astype(np.float32) for _ in range(2))
    x[1, 2] = 0
    check({"right": lambda sample: {0: sample["x"]}}, {"x": x}, {"x": y}, ROWS_OF_X)
    with pytest.raises(AssertionError, match=told):
        check({"wrong": lambda sample: {0: wrong(sample["x"])}}, {"x": x}, {"x": y}, ROWS_OF_X)


def test_differences_of_runs_are_found():
    x = np.zeros((ROWS, 4), np.float32)
    with pytest.raises(AssertionError, match="result 0, second"):
        check({"first": lambda sample: {0: x}, "second": lambda sample: {0: -x}}, {"x": x}, {"x": x}, None)
