"""The kernels of all configs that the cost model may choose for NVIDIA chips are taken by ptxas, and do not spill.

All of them take hours. A sample, which QCC_CONFIG_SEED chooses, is assembled unless QCC_CONFIG_SAMPLE says how many of each
chip, or "all".
"""

import concurrent.futures
import os
import re
import subprocess

import pytest

import device
import program

CHIPS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"]
REGISTERS_OF_CHIP, REGISTERS_OF_THREAD = 65536, 255


def check(ptx, chip):
    """Assembles the kernels of a file; returns how many there are."""
    counts = device.assemble(ptx, chip)
    blocks = re.findall(r"\.entry (\w+)\(.*?\.reqntid (\d+)", ptx.read_text(), re.S)
    assert len(blocks) == len(counts) > 0
    for kernel, threads in blocks:
        most = min(REGISTERS_OF_THREAD, REGISTERS_OF_CHIP // int(threads))
        assert 0 < counts[kernel] <= most, f"{kernel} of {ptx} has {counts[kernel]} registers of {most}"
    return len(blocks)


@pytest.mark.parametrize("chip", CHIPS)
def test_configs_are_assembled(compiler, tmp_path, chip):
    tool = program.build_dir() / "test" / "Unit" / "Sweep" / "ConfigCodeTests"
    sample = os.environ.get("QCC_CONFIG_SAMPLE", "8")
    done = subprocess.run([str(tool), f"--gtest_filter=*/{chip}"], capture_output=True, text=True,
                          env={**os.environ, "QCC_CONFIG_FOLDER": str(tmp_path), "QCC_CONFIG_SAMPLE": sample})
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        kernels = sum(pool.map(lambda ptx: check(ptx, chip), sorted(tmp_path.glob("*.ptx"))))
    # Contractions may be among other kernels of their programs.
    assert sample == "all" or kernels >= int(sample)
