"""Each instruction of utils/ptx_arithmetic.py through qcc-ptx-emu, against ptx_model.py."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import program
import ptx_model

sys.path.insert(0, str(program.ROOT / "utils"))
import ptx_arithmetic  # noqa: E402

EMULATOR = program.build_dir() / "bin" / "qcc-ptx-emu"
THREADS = 128


@pytest.fixture(scope="module")
def tests():
    if not EMULATOR.exists():
        message = f"{EMULATOR} does not exist"
        pytest.fail(message) if "QCC_BUILD_DIR" in os.environ else pytest.skip(message)
    threads, ptx_arithmetic.THREADS = ptx_arithmetic.THREADS, THREADS
    yield ptx_arithmetic.tests(100)
    ptx_arithmetic.THREADS = threads


def emulate(test, folder):
    (folder / "k.ptx").write_text(test.ptx)
    command = [EMULATOR, "k.ptx", f"--block={THREADS}", "--threads=1"]
    for i, operand in enumerate(test.operands):
        np.save(folder / f"{i}.npy", operand)
        command.append(f"--arg={i}.npy")
    np.save(folder / "d.npy", np.zeros_like(test.result))
    done = subprocess.run([*command, "--arg=inout:d.npy"], cwd=folder, capture_output=True,
                          text=True)
    assert done.returncode == 0, f"{test.name}: {done.stdout}{done.stderr}"
    return np.load(folder / "d.npy")


def is_nan(kind, bits):
    return ptx_model.decode(kind, bits)[1] == ptx_model.NAN


def agrees(test, got, expected):
    """Whether the bits of a register are those of a result."""
    if isinstance(expected, tuple):  # The halves of a packed float.
        kind = test.kind.removesuffix("x2")
        bits = ptx_model.width(kind)
        return all(is_nan(kind, part) if want == ptx_model.NAN else part == want
                   for part, want in zip((got & 2**bits - 1, got >> bits), expected))
    if expected == ptx_model.NAN:
        kind = "f32" if test.kind == "b32" else test.kind
        return is_nan(kind, got)
    return got == expected % 2 ** (8 * test.result.itemsize)


def differences(test, folder):
    got = emulate(test, folder)
    found = []
    for i, value in enumerate(got):
        operands = [int(operand[i]) for operand in test.operands]
        expected = ptx_model.compute(test.name, operands)
        if not agrees(test, int(value), expected):
            found.append(f"{test.name} of {[hex(x) for x in operands]}: {int(value):#x}, "
                         f"expected {expected if isinstance(expected, (str, tuple)) else hex(expected)}")
    return found


#: What the model leaves out: approximations have bounds, not bits, and mma tests of its own.
UNKNOWN = re.compile(r".*\.(approx|full)\b.*|mma\..*")


def test_instructions(tests, tmp_path):
    found, checked = [], 0
    for test in tests:
        if UNKNOWN.fullmatch(test.name):
            continue
        found += differences(test, tmp_path)[:3]
        checked += 1
    assert not found, "\n".join(found[:40])
    assert checked > 760


def test_notices_wrong_results(tests, tmp_path):
    """The model is no echo: another instruction's results are not taken for right."""
    by_name = {test.name: test for test in tests}
    for name, other in [("add.rn.f32", "add.rz.f32"), ("cvt.rni.s32.f32", "cvt.rzi.s32.f32"),
                        ("mul.hi.s32", "mul.hi.u32"), ("min.NaN.f16x2", "min.f16x2"),
                        ("fma.rn.f32x2", "fma.rp.f32x2"), ("add.f32x2", "sub.f32x2"),
                        ("fma.rz.f32.bf16", "fma.rn.f32.bf16")]:
        test = by_name[name]
        test.name = other
        assert differences(test, tmp_path), f"{name} passes for {other}"
        test.name = name
