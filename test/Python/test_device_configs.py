"""The kernels of all configs that the cost model may choose for NVIDIA chips are taken by ptxas, and do not spill.

All of them take hours. A sample, which QCC_CONFIG_SEED chooses, is assembled unless QCC_CONFIG_SAMPLE says how many of each
chip, or "all". All kernels of sm_80 are kernels of later chips, where their code is the same but for the name of the chip.
"""

import concurrent.futures
import os
import re
import subprocess

import pytest

import device
import program

# Chips whose kernels may have the same code.
FAMILIES = [["sm_75"], ["sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_120"]]
HEADER = r"(?m)^\.version.*\n\.target.*\n"
REGISTERS_OF_CHIP, REGISTERS_OF_THREAD = 65536, 255


def check(ptx, chip):
    """Assembles the kernels of a file for a chip; returns how many there are."""
    counts = device.assemble(ptx, chip)
    blocks = re.findall(r"\.entry (\w+)\(.*?\.reqntid (\d+)", ptx.read_text(), re.S)
    assert len(blocks) == len(counts) > 0
    for kernel, threads in blocks:
        most = min(REGISTERS_OF_THREAD, REGISTERS_OF_CHIP // int(threads))
        assert 0 < counts[kernel] <= most, f"{kernel} of {ptx} has {counts[kernel]} registers of {most}"
    return len(blocks)


def for_chip(ptx, header, chip):
    """A file of another chip with the header of files of this one."""
    copy = ptx.with_name(f"{chip}.{ptx.name}")
    copy.write_text(re.sub(HEADER, header, ptx.read_text(), count=1))
    return copy


def header_of(folder, chip):
    """The lines of PTX that name a chip and the version that its code is written in."""
    ptx = folder / f"{chip}.ptx"
    device.run_tool([program.qcc(), "compile", program.EXAMPLES / "mlp_f16.mlir", "--weights=random:7", "--target=cuda",
                     f"--mcpu={chip}", "-o", ptx])
    return re.search(HEADER, ptx.read_text()).group(0)


@pytest.mark.parametrize("chips", FAMILIES, ids=lambda chips: chips[0])
def test_configs_are_assembled(compiler, tmp_path, chips):
    tool = program.build_dir() / "test" / "Unit" / "Sweep" / "ConfigCodeTests"
    sample = os.environ.get("QCC_CONFIG_SAMPLE", "8")
    done = subprocess.run([str(tool), "--gtest_filter=" + ":".join(f"*/{chip}" for chip in chips)],
                          capture_output=True, text=True,
                          env={**os.environ, "QCC_CONFIG_FOLDER": str(tmp_path), "QCC_CONFIG_SAMPLE": sample})
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    for number, chip in enumerate(chips):
        files = sorted(tmp_path.glob(f"{chip}.[0-9]*.ptx"))
        if sample == "all":
            header = header_of(tmp_path, chip)
            files += [for_chip(ptx, header, chip)
                      for before in chips[:number] for ptx in sorted(tmp_path.glob(f"{before}.[0-9]*.ptx"))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            kernels = sum(pool.map(lambda ptx: check(ptx, chip), files))
        print(f"{kernels} kernels are assembled for {chip}")
        # Contractions may be among other kernels of their programs.
        assert sample == "all" or kernels >= int(sample)
