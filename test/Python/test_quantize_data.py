"""Calibration data of python -m qcc quantize: where it comes from, and what is wrong with it."""

import itertools

import numpy as np
import pytest

from package import qcc
from quantizing import SAMPLES, SHAPE, Network, samples, two_inputs

pytest.importorskip("onnx")

from qcc.quantize import _data, _graph  # noqa: E402

INPUTS = _graph.inputs_of(Network().model)
TWO = _graph.inputs_of(two_inputs())


def arrays(data):
    return [sample["x"] for sample in data]


def check_equal(data, expected):
    for _ in range(2):  # A source can be read again.
        found = arrays(data)
        assert len(found) == len(expected)
        assert all(np.array_equal(a, b) and a.dtype == np.float32 for a, b in zip(found, expected))


def test_inputs_of_a_model():
    assert [str(given) for given in INPUTS] == ["float32[batch, 3, 12, 12]"]
    assert [(given.name, given.shape) for given in TWO] == [("a", ("rows", 4)), ("b", ())]


@pytest.mark.parametrize("form", ["batch", "samples", "columns", "doubles", "compressed"])
def test_npz(tmp_path, form):
    """The first dimension counts samples, whether it is the model's batch or comes before it."""
    path, expected = tmp_path / "calib.npz", samples(5)
    array = np.stack(expected) if form == "samples" else np.concatenate(expected)
    array = np.asfortranarray(array) if form == "columns" else array
    array = array.astype(np.float64) if form == "doubles" else array
    (np.savez_compressed if form == "compressed" else np.savez)(path, x=array)
    check_equal(_data.open_data(str(path), INPUTS), expected)


def test_npz_of_a_fixed_batch(tmp_path):
    inputs = _graph.inputs_of(Network(batch=2).model)
    np.savez(tmp_path / "calib.npz", x=np.concatenate(samples(5)))
    found = arrays(_data.open_data(str(tmp_path / "calib.npz"), inputs))
    assert [array.shape for array in found] == [(2, *SHAPE[1:])] * 2


def test_several_inputs(tmp_path):
    a, b = np.arange(24, dtype=np.float32).reshape(3, 2, 4), np.arange(3, dtype=np.float32)
    np.savez(tmp_path / "calib.npz", a=a, b=b)
    found = list(_data.open_data(str(tmp_path / "calib.npz"), TWO))
    assert len(found) == 3 and np.array_equal(found[2]["a"], a[2]) and found[2]["b"] == 2
    assert found[2]["b"].shape == ()


def test_folders(tmp_path):
    expected = samples(3)
    for folder in ("npy", "npz"):
        (tmp_path / folder).mkdir()
    for index, array in enumerate(expected):
        np.save(tmp_path / "npy" / f"{index}.npy", array)
        np.savez(tmp_path / "npz" / f"{index}.npz", x=array)
    (tmp_path / "npy" / "notes.txt").write_text("no data")
    check_equal(_data.open_data(str(tmp_path / "npy"), INPUTS), expected)
    check_equal(_data.open_data(str(tmp_path / "npz"), INPUTS), expected)


def test_script(tmp_path):
    (tmp_path / "data.py").write_text(SAMPLES)
    check_equal(_data.open_data(str(tmp_path / "data.py"), INPUTS), samples(8))


def test_samples_are_read_one_at_a_time(tmp_path):
    """A script without an end, of which no sample is read that nobody asked for."""
    (tmp_path / "data.py").write_text(
        "import numpy as np\ncount = 0\n\ndef samples():\n    global count\n    while True:\n        count += 1\n"
        "        assert count <= 4, 'too many'\n        yield {'x': np.zeros((1, 3, 12, 12), np.float32)}\n")
    data = _data.open_data(str(tmp_path / "data.py"), INPUTS)
    assert len(list(itertools.islice(iter(data), 2))) == 2
    assert len(list(data.limited(2))) == 2


def test_random_data():
    data = _data.open_data("random:3:5", INPUTS, dims={"batch": 2})
    first, again = arrays(data), arrays(data)
    assert len(first) == 5 and first[0].shape == (2, *SHAPE[1:]) and data.random
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    assert not np.array_equal(first[0], arrays(_data.open_data("random:4", INPUTS, dims={"x:0": 2}))[0])
    with pytest.raises(qcc.InvalidArgumentError, match=r"dimension 'batch' of .* 'x' has no size.*--dim=batch=N"):
        _data.open_data("random", INPUTS)
    with pytest.raises(qcc.InvalidArgumentError, match="dimension 0 of the input 'x' has the size 0"):
        _data.open_data("random", INPUTS, dims={"batch": 0})
    with pytest.raises(qcc.InvalidArgumentError, match="must be random, random:SEED or random:SEED:N"):
        _data.open_data("random:x", INPUTS)


def write(folder, name, **contents):
    np.savez(folder / name, **contents)
    return folder / name


ZEROS = np.zeros(SHAPE, np.float32)


@pytest.mark.parametrize("contents, message", [
    ({"z": ZEROS}, "has the arrays 'z'; the model has the inputs 'x'"),
    ({"x": ZEROS[0, 0]}, r"array 'x' of '.*' has the shape \[12, 12\]; the model takes float32\[batch, 3, 12, 12\]"),
    ({"x": ZEROS[:, :, :5]}, r"sample 0 of '.*' has an array of shape \[1, 3, 5, 12\] for the input 'x'"),
    ({"x": ZEROS.astype(np.complex64)}, "has elements of type complex64 for the input 'x', which takes float32"),
    ({"x": ZEROS + np.nan}, "has infinities or NaNs for the input 'x'"),
    ({"x": ZEROS[:0]}, "has no samples; calibration needs at least one"),
    ({"x": np.float32(0)}, "has no dimensions; its first one must count samples"),
])
def test_wrong_arrays(tmp_path, contents, message):
    path = write(tmp_path, "calib.npz", **contents)
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        list(_data.open_data(str(path), INPUTS))


def test_different_numbers_of_samples(tmp_path):
    path = write(tmp_path, "calib.npz", a=np.zeros((3, 2, 4), np.float32), b=np.zeros(2, np.float32))
    with pytest.raises(qcc.InvalidArgumentError, match="different numbers of samples: 3 for 'a', 2 for 'b'"):
        list(_data.open_data(str(path), TWO))


def test_wrong_files(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "empty").mkdir()
    (tmp_path / "single").mkdir()
    np.save(tmp_path / "single" / "a.npy", np.zeros((2, 4), np.float32))
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "a.npz").write_text("no archive")
    (tmp_path / "model.txt").write_text("")
    for name, inputs, message in (("text.npz", INPUTS, "is no .npz file, or it is damaged"),
                                  ("empty", INPUTS, "has no .npz or .npy files"),
                                  ("single", TWO, "has one array, but the model has 2 inputs"),
                                  ("damaged", INPUTS, "a.npz' cannot be read"),
                                  ("model.txt", INPUTS, "has another kind of name")):
        with pytest.raises(qcc.InvalidArgumentError, match=message):
            list(_data.open_data(str(tmp_path / name), inputs))
    with pytest.raises(qcc.NotFoundError, match="none.npz' does not exist; --data takes"):
        _data.open_data(str(tmp_path / "none.npz"), INPUTS)


@pytest.mark.parametrize("text, message", [
    ("raise ValueError('no disk')", "fails .ValueError: no disk."),
    ("x = 1", r"has no function samples\(\), which yields"),
    ("def samples():\n    yield 3", "sample 0 of '.*' is of type int; it must be a dictionary"),
    ("def samples():\n    yield {'z': 1}", "has arrays for 'z'; the model has the inputs 'x'"),
    ("def samples():\n    yield from [].missing", r"samples\(\) of '.*' fails .AttributeError"),
    ("def samples():\n    return []", "has no samples"),
])
def test_wrong_scripts(tmp_path, text, message):
    (tmp_path / "data.py").write_text(text)
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        list(_data.open_data(str(tmp_path / "data.py"), INPUTS))


@pytest.mark.parametrize("source", ["random", "calib.npz"])
def test_dimensions_that_the_model_lacks(source):
    for name, inputs, told in [("bach", INPUTS, "it has: batch"), ("x:1", INPUTS, "it has: batch"), ("y:0", TWO, "it has: rows"),
                               ("n", INPUTS[:0], "none of its dimensions is dynamic")]:
        with pytest.raises(_data.UsageError, match=f"'--dim={name}=1': the model has no dimension '{name}'; {told}"):
            _data.open_data(source, inputs, dims={name: 1})
