"""utils/ptx-on-gpu.py where there is no GPU: its refusals, and its emulator side."""

import ctypes
import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import program

SCRIPT = program.ROOT / "utils" / "ptx-on-gpu.py"
EMULATOR = program.build_dir() / "bin" / "qcc-ptx-emu"

COPY = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .b32 %r<4>;
  .reg .b64 %p<4>;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %p3, %r1, 4;
  ld.param.u64 %p1, [in];
  ld.param.u64 %p2, [out];
  add.s64 %p1, %p1, %p3;
  add.s64 %p2, %p2, %p3;
  ld.global.u32 %r2, [%p1];
  ld.param.u32 %r3, [n];
  mul.lo.u32 %r2, %r2, %r3;
  st.global.u32 [%p2], %r2;
  ret;
}
"""


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location("ptx_on_gpu", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["ptx-on-gpu.py", *map(str, arguments)])
    return script.main()


def test_refuses_without_driver(script, monkeypatch, capsys):
    def no_library(name):
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    assert call(script, monkeypatch, "--arithmetic") == 2
    error = capsys.readouterr().err
    assert "ptx-on-gpu: no NVIDIA driver: libcuda.so.1 cannot be opened" in error
    assert "run this on a machine with an NVIDIA GPU, or with --no-gpu" in error


class Library:
    """A driver in which every call returns `codes[name]`, or success."""

    def __init__(self, **codes):
        self.codes = codes

    def __getattr__(self, name):
        def function(*arguments):
            if name == "cuGetErrorString":
                arguments[1]._obj.value = b"no CUDA-capable device is detected"
            return self.codes.get(name, 0)

        return function


def test_refuses_without_device(script, monkeypatch, capsys):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    assert call(script, monkeypatch, "--arithmetic") == 2
    assert "the NVIDIA driver sees no GPU" in capsys.readouterr().err


def test_hands_on_errors_of_the_driver(script, monkeypatch, capsys):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library(cuInit=100))
    assert call(script, monkeypatch, "--arithmetic") == 2
    assert "cuInit: no CUDA-capable device is detected (100)" in capsys.readouterr().err


def test_usage(script, monkeypatch, capsys, tmp_path):
    for arguments, message in [
        ([], "give either a PTX file or --arithmetic"),
        (["--arithmetic", "x.ptx"], "give either a PTX file or --arithmetic"),
        (["x.ptx"], "--kernel is missing"),
        (["x.ptx", "--kernel=k", "--no-gpu", "--emulator=/nowhere"], "is not at /nowhere"),
    ]:
        assert call(script, monkeypatch, *arguments) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(script.Failure, match="neither a .npy file nor a number"):
        script.Argument("five")
    with pytest.raises(script.Failure, match="No such file"):
        script.Argument(str(tmp_path / "x.npy"))
    with pytest.raises(script.Failure, match="no list of numbers"):
        script.dimensions("4x2")


def test_runs_as_a_program():
    done = subprocess.run([sys.executable, str(SCRIPT), "x.ptx"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "ptx-on-gpu: --kernel is missing\n"


def test_compares_bits(script):
    nans = np.array([0x7fc00000, 0x7f800001, 1], "u4").view("f4")
    other = np.array([0xffc00000, 0x7fc00000, 2], "u4").view("f4")
    assert list(script.differences(nans, other)) == [2]
    zeros = np.array([0.0, -0.0], "f4")
    assert list(script.differences(zeros, -zeros)) == [0, 1]
