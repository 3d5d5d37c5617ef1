"""utils/ptx-on-gpu.py where there is no GPU: its refusals, and its emulator side."""

import ctypes
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import program

SCRIPT = program.ROOT / "utils" / "ptx-on-gpu.py"
EMULATOR = program.build_dir() / "bin" / "qcc-ptx-emu"

SCALE = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 in, .param .u64 out, .param .u32 n)
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
def emulator():
    if not EMULATOR.exists():
        message = f"{EMULATOR} does not exist"
        pytest.fail(message) if "QCC_BUILD_DIR" in os.environ else pytest.skip(message)
    return EMULATOR


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
    for text, message in [("five", "neither a .npy file nor a number"),
                          ("i32:0.5", "neither a .npy file nor a number"),
                          ("out:y.npy", "expected out:NAME:TYPE"),
                          ("out:y.npy:q8[4]", "expected out:NAME:TYPE"),
                          (str(tmp_path / "x.npy"), "No such file")]:
        with pytest.raises(script.Failure, match=message):
            script.Argument(text)
    with pytest.raises(script.Failure, match="no list of numbers"):
        script.dimensions("4x2")


def test_arguments(script, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(6, dtype="i2"))
    plain, inout, out = [script.Argument(text) for text in (
        str(tmp_path / "x.npy"), f"inout:{tmp_path / 'x.npy'}", "out:y.npy:f32[2,3]")]
    assert not plain.is_output and inout.is_output and out.is_output
    assert list(plain.array) == list(inout.array) == [0, 1, 2, 3, 4, 5]
    assert out.array.shape == (2, 3) and out.array.dtype == np.float32
    assert script.Argument("-5").scalar.value == -5
    assert script.Argument("u32:0x10").scalar.value == 16
    assert script.Argument("0.5").scalar.value == script.Argument("f64:0.5").scalar.value == 0.5


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


def test_runs_a_kernel_in_the_emulator(script, monkeypatch, capsys, tmp_path, emulator):
    (tmp_path / "scale.ptx").write_text(SCALE)
    np.save(tmp_path / "x.npy", np.arange(32, dtype="i4"))
    arguments = [tmp_path / "scale.ptx", "--kernel=scale", "--block=32",
                 f"--arg={tmp_path / 'x.npy'}", "--arg=out:y.npy:i32[32]", "--arg=3"]
    assert call(script, monkeypatch, *arguments, "--no-gpu", f"--emulator={emulator}") == 0
    assert capsys.readouterr().out == "scale: ran in the emulator alone\n"
    [result], _ = script.emulate(str(emulator), SCALE, "scale",
                                 script.Launch([1, 1, 1], [32, 1, 1]),
                                 [script.Argument(a.split("=")[1]) for a in arguments[3:]])
    assert list(result) == [3 * i for i in range(32)]
    # A report of the emulator is a failure: what is wrong has no result to compare.
    arguments[2] = "--block=33"
    assert call(script, monkeypatch, *arguments, "--no-gpu", f"--emulator={emulator}") == 2
    assert "the emulator failed on scale:\nout-of-bounds" in capsys.readouterr().err


def test_arithmetic_in_the_emulator(script, monkeypatch, capsys, emulator):
    """Some of the tests run here; the text of all of them is at least understood."""
    options = ["--arithmetic", "--no-gpu", f"--emulator={emulator}"]
    assert call(script, monkeypatch, *options, "--only=mma.m16") == 0
    assert capsys.readouterr().out == "8 instructions on the emulator alone, 0 differ\n"
    # Any report of the emulator is a failure.
    assert call(script, monkeypatch, *options, "--only=wgmma.m64n64") == 0
    count = sum("m64n64k" in test.name for test in script.ptx_wgmma.tests())
    assert count > 50 and capsys.readouterr().out == f"{count} instructions on the emulator alone, 0 differ\n"
    assert call(script, monkeypatch, *options, "--only=nothing") == 2
    assert "no instruction has 'nothing' in its name" in capsys.readouterr().err

    arithmetic = script.ptx_arithmetic
    tests = arithmetic.tests(90)
    assert len(tests) > 700 and len({test.kernel for test in tests}) == len(tests)
    ptx = arithmetic.header(90) + "".join(test.entry for test in tests)
    test = tests[0]
    arguments = [script.Argument("", array) for array in test.operands]
    arguments.append(script.Argument("", np.zeros_like(test.result), is_output=True))
    [result], _ = script.emulate(str(emulator), ptx, test.kernel,
                                 script.Launch([test.threads // 128, 1, 1], [128, 1, 1]),
                                 arguments)
    a, b = (operand.view("f4") for operand in test.operands)
    with np.errstate(all="ignore"):
        assert test.name == "add.rn.f32" and len(script.differences(result.view("f4"), a + b)) == 0
    assert test.compare(result, result) is None
    other = result.copy()
    other[5] ^= 1
    assert "1 of 16384 differ\n  of" in test.compare(other, result)


def test_time_models(script):
    class Gpu:
        name, capability = "NVIDIA H200", 90

    gpu = Gpu()
    assert script.time_model(gpu) == "h200"
    gpu.name = "NVIDIA H100 80GB HBM3"
    assert script.time_model(gpu) == "sm_90"
    gpu.name, gpu.capability = "Tesla T4", 75
    with pytest.raises(script.Failure, match="no time model for Tesla T4"):
        script.time_model(gpu)
