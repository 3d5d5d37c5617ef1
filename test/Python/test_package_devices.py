"""The Python package on GPUs, by the driver of tests, which runs kernels on the emulator."""

import ctypes

import numpy as np
import pytest

import program
from package import DOUBLE_ROWS, LINEAR, linear_of, qcc
from qcc._structures import DataType, DLTensor

LEGACY = 1
X = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture(scope="module")
def driver():
    """The library that the runtime then finds by its name."""
    library = ctypes.CDLL(str(program.build_dir() / "test" / "Unit" / "Runtime" / "FakeCuda" / "libcuda.so.1"))
    library.qccFakeStream.restype = ctypes.c_void_p
    assert library.cuInit(0) == 0
    return library


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    path = tmp_path_factory.mktemp("gpu") / "double.so"
    qcc.compile(DOUBLE_ROWS, target=["x86-64-v3", "sm_75", "sm_80"]).save(path)
    return path


@pytest.fixture
def double_rows(driver, artifact):
    return qcc.load(artifact, device="cuda").function()


class OnGpu:
    """A tensor of a library that has memory of the GPU; it notes the streams that are to wait for it."""

    def __init__(self, driver, array):
        self.driver, self.array, self.streams = driver, array, []
        self.address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(array.nbytes)) == 0
        assert driver.cuMemcpyHtoDAsync_v2(self.address, array.ctypes.data_as(ctypes.c_void_p),
                                           ctypes.c_size_t(array.nbytes), None) == 0

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        sizes = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
        self.tensor = DLTensor(self.address.value, 2, 0, self.array.ndim, DataType(2, 32, 1), sizes, None, 0)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def numpy(self):
        array = np.empty_like(self.array)
        assert self.driver.cuMemcpyDtoHAsync_v2(array.ctypes.data_as(ctypes.c_void_p), self.address,
                                                ctypes.c_size_t(array.nbytes), None) == 0
        return array


def counts(driver):
    """How often the runtime copied, and how often it waited."""
    copies = sum(driver.qccFakeCalls(f"cuMemcpy{way}Async_v2".encode()) for way in ("HtoD", "DtoH", "DtoD"))
    return copies, driver.qccFakeCalls(b"cuStreamSynchronize")


def test_arrays_of_the_host(double_rows):
    assert double_rows.device == "cuda:0"
    for rows in (4, 0, 200, 4, 4, 4):
        x = np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)
        y = double_rows(x)
        assert isinstance(y, np.ndarray) and (y == 2 * x).all()
        out = np.empty_like(x)
        assert double_rows(x, out=out) is out and (out == 2 * x).all()


def test_other_gpus(driver, artifact):
    for device, target in (("cuda:0", "sm_80"), ("cuda:1", "sm_75"), ("cpu", "x86-64-v3"), (None, "x86-64-v3")):
        module = qcc.load(artifact.read_bytes(), device=device)
        assert [variant.target for variant in module.variants if variant.chosen] == [target]
        assert module.function().device == (device or "cpu")
        assert (module.function()(X) == 2 * X).all()


def test_nothing_is_copied(driver, double_rows):
    x, out = OnGpu(driver, X), OnGpu(driver, np.zeros_like(X))
    double_rows(x, out=out)
    copies, waits = counts(driver)
    assert double_rows(x, out=out) is out
    # The call returns at the end of the run, which follows all that was to be done with the tensors.
    assert counts(driver) == (copies, waits + 1)
    assert x.streams == out.streams == [LEGACY, LEGACY]
    assert (out.numpy() == 2 * X).all()


def test_tensors_of_both(driver, double_rows):
    assert (double_rows(OnGpu(driver, X)) == 2 * X).all()
    out = OnGpu(driver, np.zeros_like(X))
    double_rows(X, out=out)
    assert (out.numpy() == 2 * X).all()


def test_streams(driver, double_rows):
    x, out = OnGpu(driver, X), OnGpu(driver, np.zeros_like(X))
    own = driver.qccFakeStream(0)
    for stream, known in ((own, own), (0, LEGACY), (LEGACY, LEGACY)):
        double_rows(x, out=out, stream=stream)
        before = counts(driver)
        double_rows(x, out=out, stream=stream)
        assert counts(driver) == before
        assert x.streams[-1] == out.streams[-1] == known
    assert (out.numpy() == 2 * X).all()
    with pytest.raises(qcc.InvalidArgumentError, match="not of the primary context of cuda:0"):
        double_rows(x, out=out, stream=driver.qccFakeStream(1))
    # Results of the host are there when the call returns.
    assert (double_rows(x, stream=own) == 2 * X).all()


def test_quantized_layer(driver, tmp_path):
    qcc.compile(LINEAR, target="sm_80").save(tmp_path / "layer.so")
    function = qcc.load(tmp_path / "layer.so", device="cuda").function()
    x = np.random.default_rng(1).integers(-128, 128, (7, 4)).astype(np.int8)
    assert (function(x) == linear_of(x)).all()
    profile = function.profile(x, runs=2)
    assert profile.steps and all(step.nanoseconds == 500000 for step in profile.steps)


def test_wrong_use(driver, artifact, double_rows):
    with pytest.raises(qcc.NotFoundError, match="there is no GPU 7"):
        qcc.load(artifact, device="cuda:7")
    with pytest.raises(qcc.InvalidArgumentError, match="there is no device 'gpu'"):
        qcc.load(artifact, device="gpu")
    with pytest.raises(qcc.UnsupportedError, match="needs sm_80"):
        qcc.load(artifact, device="cuda:1", variant="sm_80")
    on_host = qcc.load(artifact).function()
    with pytest.raises(qcc.InvalidArgumentError, match="runs on the CPU; give none"):
        on_host(X, stream=LEGACY)
    with pytest.raises(qcc.InvalidArgumentError, match="the program runs on the CPU"):
        on_host(OnGpu(driver, X))
    lost = OnGpu(driver, X)
    lost.address.value += 1 << 30
    with pytest.raises(qcc.InvalidArgumentError, match="not to memory of the device"):
        double_rows(lost)
    assert (double_rows(X) == 2 * X).all()
