"""The Python package: modules, functions, arrays of numpy and of others."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import program
from package import DOUBLE, DOUBLE_ROWS, LINEAR, TYPES, identity_of, linear_of, qcc

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Foreign:
    """A tensor of a library that has DLPack and nothing else."""

    def __init__(self, array, read_only=False):
        self.array, self.read_only = array, read_only

    def __dlpack__(self, max_version=None):
        if max_version is None:
            if self.read_only:
                raise BufferError("cannot be exported without a version")
            return self.array.__dlpack__()
        return self.array.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.fixture(scope="module")
def double():
    return qcc.compile(DOUBLE).function(threads=1)


@pytest.fixture(scope="module")
def double_rows():
    return qcc.compile(DOUBLE_ROWS).function(threads=1)


def test_call(double):
    y = double(X)
    assert isinstance(y, np.ndarray) and y.dtype == np.float32
    assert (y == 2 * X).all()
    assert y.flags.writeable


def test_quantized_layer():
    function = qcc.compile(LINEAR).function()
    x = np.random.default_rng(1).integers(-128, 128, (7, 4)).astype(np.int8)
    assert (function(x) == linear_of(x)).all()


def test_dynamic_rows(double_rows):
    for rows in (2, 5, 0, 2, 2000, 1):
        x = np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)
        y = double_rows(x)
        assert y.shape == x.shape and (y == 2 * x).all()


@pytest.mark.parametrize("name", TYPES)
def test_element_types(name):
    function = qcc.compile(identity_of(name)).function(threads=1)
    x = np.array([0, 1, 1], TYPES[name])
    for number in (x[1], x[1].item(), np.array(x[1])):
        y, s = function(x, number)
        assert y.dtype == s.dtype == x.dtype and s.shape == ()
        assert (y == x).all() and s == x[1]


def addresses_of_runs(monkeypatch):
    """Makes each run note the addresses of its arguments and results."""
    from qcc import _function
    from qcc._structures import DLTensor

    seen, run = [], _function._run

    def noting(context, arguments, num_arguments, results, num_results):
        def data(slots, count):
            pointers = ctypes.cast(slots, ctypes.POINTER(ctypes.POINTER(DLTensor)))
            return [pointers[i].contents.data + pointers[i].contents.byte_offset for i in range(count.value)]

        seen.append((data(arguments, num_arguments), data(results, num_results)))
        return run(context, arguments, num_arguments, results, num_results)

    monkeypatch.setattr(_function, "_run", noting)
    return seen


@pytest.mark.parametrize("rows", [2, 4096])
def test_nothing_is_copied(double_rows, monkeypatch, rows):
    """What the program reads is the caller's memory, and what it writes is what the caller gets."""
    seen = addresses_of_runs(monkeypatch)
    x = np.ones((rows, 3), np.float32)
    y = double_rows(x)
    assert seen[-1] == ([x.ctypes.data], [y.ctypes.data])
    out = np.empty_like(x)
    assert double_rows(x, out=out) is out
    assert seen[-1] == ([x.ctypes.data], [out.ctypes.data])
    target = Foreign(np.empty_like(x))
    assert double_rows(Foreign(x), out=target) is target
    assert seen[-1] == ([x.ctypes.data], [target.array.ctypes.data])
    assert (target.array == 2).all()


def test_large_results_are_aligned(double_rows):
    for rows in (1000, 1001, 4096):
        assert double_rows(np.ones((rows, 3), np.float32)).ctypes.data % 64 == 0


def test_large_results_take_memory_that_nobody_uses(double_rows):
    x = np.ones((20000, 3), np.float32)
    first, second = double_rows(x), double_rows(x)
    assert first.ctypes.data != second.ctypes.data
    place = first.ctypes.data
    part = first[1:]
    del first
    third = double_rows(x)  # a view still has the first
    assert third.ctypes.data not in (place, second.ctypes.data)
    del part
    assert double_rows(x).ctypes.data == place
    held = double_rows(x).__dlpack__()
    assert double_rows(x).ctypes.data != place
    del held


def test_read_only_arguments(double):
    x = X.copy()
    x.flags.writeable = False
    assert (double(x) == 2 * X).all()


def test_slices_that_are_compact(double_rows):
    x = np.arange(30, dtype=np.float32).reshape(10, 3)
    assert (double_rows(x[3:7]) == 2 * x[3:7]).all()


def test_results_are_taken_over_by_dlpack(double):
    y = double(X)
    z = np.from_dlpack(y)
    assert z.ctypes.data == y.ctypes.data


def test_several_results_and_out():
    function = qcc.compile(identity_of("f32")).function(threads=1)
    x, y, s = np.ones(3, np.float32), np.empty(3, np.float32), np.empty((), np.float32)
    results = function(x, 4.0, out=(y, s))
    assert results[0] is y and results[1] is s and s == 4
    with pytest.raises(qcc.InvalidArgumentError, match="has 2 results, but out has 1"):
        function(x, 4.0, out=(y,))
    with pytest.raises(qcc.InvalidArgumentError, match="has 2 results, but out has 1"):
        function(x, 4.0, out=y)


TO_BF16 = """
func.func @f(%x: tensor<3xf32>) -> tensor<3xbf16> {
  %e = tensor.empty() : tensor<3xbf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%e : tensor<3xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3xbf16>
  return %y : tensor<3xbf16>
}
"""


def test_types_that_numpy_lacks():
    """In a process that has not imported ml_dtypes, which adds bfloat16 to numpy."""
    script = ("import sys, numpy as np, qcc\n"
              "for text, args in ((sys.argv[1], (np.ones(3, np.float32), 1.0)), (sys.argv[2], (np.ones(3, np.float32),))):\n"
              "    function = qcc.compile(text).function(threads=1)\n"
              "    try: function(*args)\n"
              "    except qcc.Error as error: print(type(error).__name__, error)\n")
    environment = dict(os.environ, PYTHONPATH=str(program.ROOT / "python"))
    done = subprocess.run([sys.executable, "-c", script, identity_of("bf16"), TO_BF16], env=environment, capture_output=True, text=True)
    first, second = done.stdout.splitlines()
    assert first.startswith("InvalidArgumentError argument 1 of 'identity' is a number of Python, but the function takes bfloat16"), first
    assert second.startswith("UnsupportedError result 0 is of type bfloat16, which numpy does not have; give its memory by out="), second


def test_types_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    y = qcc.compile(TO_BF16).function(threads=1)(np.array([1, 1.00390625, -3], np.float32))
    assert y.dtype == ml_dtypes.bfloat16 and y.astype(np.float32).tolist() == [1, 1, -3]
    function = qcc.compile(identity_of("bf16")).function(threads=1)
    assert function.arguments[0].dtype == "bfloat16"
    x = np.ones(function.arguments[0].shape, ml_dtypes.bfloat16)
    results = function(x, 1.5)
    assert any(np.all(np.asarray(result, np.float32) == 1.5) for result in (results if isinstance(results, tuple) else (results,)))


@pytest.mark.parametrize("value, message", [
    (X.astype(np.float64), "argument 0 has elements of type f64, but the program wants f32"),
    (np.ones((2, 6), np.float32)[:, ::2], "argument 0 has the strides .*copy it to compact memory"),
    (X.T, "argument 0 has the strides"),
    (np.ones((3, 3), np.float32), "argument 0 .*3x3"),
    (np.ones(6, np.float32), "argument 0 is .* of rank 1"),
    (X.astype(">f4"), "argument 0 of 'double' has elements of type >f4, which qcc does not have"),
    (X.astype("c8"), "argument 0"),
    (np.array([["a"]]), "argument 0 of 'double' has elements of type <U1, which qcc does not have"),
    ([[0.0] * 3] * 2, "argument 0 of 'double' is of type list; give a numpy array"),
    (None, "argument 0 of 'double' is of type NoneType; give a numpy array"),
    (Foreign(X, read_only=True), "argument 0 of 'double' cannot be read by DLPack: cannot be exported"),
])
def test_arguments_that_are_refused(double, value, message):
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        double(value)
    assert (double(X) == 2 * X).all()


@pytest.mark.parametrize("name, value, message", [
    ("i8", 128, "is 128, which int8 does not hold"),
    ("ui8", -1, "is -1, which uint8 does not hold"),
    ("i32", 1.5, "is 1.5, but the function takes int32; convert it"),
    ("i1", 1, "is 1, but the function takes bool; convert it"),
    ("f32", True, "is True, but the function takes float32; convert it"),
])
def test_numbers_that_are_refused(name, value, message):
    function = qcc.compile(identity_of(name)).function(threads=1)
    with pytest.raises(qcc.InvalidArgumentError, match=f"argument 1 of 'identity' {message}"):
        function(np.zeros(3, TYPES[name]), value)


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("out, message", [
    (read_only(np.empty((2, 3), np.float32)), "result 0 of 'double' is read-only"),
    (Foreign(read_only(np.empty((2, 3), np.float32)), read_only=True), "result 0 of 'double' is read-only"),
    (3, "result 0 of 'double' is of type int"),
    (np.empty((3, 3), np.float32), "result 0 .*3x3"),
    (X, "overlap|memory"),
])
def test_results_that_are_refused(double, out, message):
    with pytest.raises(qcc.InvalidArgumentError, match=message):
        double(X, out=out)


def test_number_of_arguments(double):
    with pytest.raises(qcc.InvalidArgumentError, match=r"double\(float32\[2, 3\]\) -> \(float32\[2, 3\]\) takes 1 "
                       "argument, but the call has 2"):
        double(X, X)


def test_description():
    module = qcc.compile(LINEAR)
    function = module.function()
    (argument,), (result,) = function.arguments, function.results
    assert (argument.dtype, argument.shape[1], result.dtype) == ("int8", 4, "float32")
    assert isinstance(argument.shape[0], str)
    assert argument.quantization.axis is None
    assert argument.quantization.scales.tolist() == [0.5]
    assert argument.quantization.zero_points.tolist() == [3]
    assert result.quantization is None
    assert module.functions == ("layer",) and module.producer.startswith("qcc ")
    assert module.producer == f"qcc {qcc.__version__}"
    (variant,) = module.variants
    assert variant.chosen and variant.target == "native" and variant.refusal == "" and "avx2" in variant.features


def test_several_functions():
    module = qcc.compile(DOUBLE + DOUBLE_ROWS)
    assert module.functions == ("double", "double_rows")
    assert (module.function("double")(X) == 2 * X).all()
    with pytest.raises(qcc.InvalidArgumentError, match="the module has 2 functions; name one of double, double_rows"):
        module.function()
    with pytest.raises(qcc.NotFoundError, match="triple"):
        module.function("triple")
    with pytest.raises(qcc.InvalidArgumentError, match="threads"):
        module.function("double", threads=-1)


def test_function_outlives_module():
    function = qcc.compile(DOUBLE).function()
    assert (function(X) == 2 * X).all()


def test_profile():
    function = qcc.compile(LINEAR, name="layer.mlir").function(threads=1)
    profile = function.profile(np.zeros((64, 4), np.int8), runs=3)
    assert profile.runs == 3 and profile.threads == 1 and profile.nanoseconds > 0
    step = profile.steps[0]
    assert step.name.startswith("layer.") and step.operations >= 2 * 64 * 4 * 2 and step.nanoseconds > 0
    assert step.location.startswith("layer.mlir:")
    assert step.name in str(profile) and "3 runs on 1 thread" in str(profile)
    with pytest.raises(qcc.InvalidArgumentError, match="runs is 0"):
        function.profile(X, runs=0)


def test_diff(double):
    same = qcc.diff(double, lambda x: 2 * x, X)
    assert same.equal and same.results[0].elements == 6

    def other(x):
        y = 2 * x
        y[0, 1] += 0.5
        y[1, 1] = np.nan
        return y

    (result,) = qcc.diff(double, other, X).results
    assert result.different == 2 and result.largest == np.inf
    (result,) = qcc.diff(lambda x: x + np.float32(1), lambda x: x, np.full((4,), 2, np.float32)).results
    assert (result.different, result.largest, result.relative) == (4, 1.0, 0.5)
    (result,) = qcc.diff(lambda x: x, lambda x: x, np.array([np.nan, -0.0], np.float32)).results
    assert result.different == 0
    with pytest.raises(qcc.InvalidArgumentError, match="cannot be compared"):
        qcc.diff(double, lambda x: x.astype(np.float64), X)
    with pytest.raises(qcc.InvalidArgumentError, match="has 1 results and the other has 2"):
        qcc.diff(double, lambda x: (x, x), X)


def test_an_old_torch_is_refused(tmp_path):
    """A stand-in for it, which has nothing but a version."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("__version__ = '1.13.1+cpu'\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    done = subprocess.run([sys.executable, "-c", "import qcc.torch"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == (
        "ImportError: qcc.torch needs torch 2.5 or later, but this is torch 1.13.1+cpu; pip install --upgrade torch")


def test_strides_are_refused_without_names_of_c():
    """A message in Python names nothing that Python does not have."""
    function = qcc.compile(DOUBLE).function(threads=1)
    with pytest.raises(qcc.InvalidArgumentError) as info:
        function(Foreign(np.zeros((3, 2), np.float32).T))
    assert "copy it to compact memory" in str(info.value) and "QCC_" not in str(info.value)


def test_files_of_other_tools_are_refused(tmp_path):
    model = tmp_path / "model.pte"
    model.write_bytes(b"\x1c\0\0\0ET12" + bytes(64))
    for source in (model, model.read_bytes()):
        with pytest.raises(qcc.InvalidProgramError, match="this is an ExecuTorch program.* torch.onnx.export"):
            qcc.compile(source)
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "saved_model.pb").write_bytes(b"")
    with pytest.raises(qcc.InvalidArgumentError, match="this is a SavedModel of TensorFlow"):
        qcc.compile(tmp_path / "saved")
