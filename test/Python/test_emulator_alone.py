"""The emulator builds by itself: its project configures without LLVM, and has the tool."""

import shutil
import subprocess

import pytest

from program import ROOT


def test_configures_without_the_compiler(tmp_path):
    if not shutil.which("cmake") or not shutil.which("ninja"):
        pytest.skip("cmake and ninja are not installed")
    command = ["cmake", "-S", ROOT / "emulator", "-B", tmp_path, "-G", "Ninja", "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON",
               "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    targets = subprocess.run(["ninja", "-C", str(tmp_path), "-t", "targets", "all"], capture_output=True, text=True).stdout
    assert "qcc-ptx-emu: phony" in targets
    commands = (tmp_path / "build.ninja").read_text()
    assert "llvm-22/include" not in commands and "libMLIR" not in commands
