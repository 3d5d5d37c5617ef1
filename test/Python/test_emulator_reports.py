"""The examples of docs/HowTo/ReadEmulatorReports.md: each program gives the output below it."""

import os
import re
import subprocess

import pytest

import program

PAGE = program.ROOT / "docs" / "HowTo" / "ReadEmulatorReports.md"
EMULATOR = program.build_dir() / "bin" / "qcc-ptx-emu"
EXAMPLE = re.compile(r"^```ptx\n(.*?)^```\n\n```\n\$ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def emulator():
    if not EMULATOR.exists():
        message = f"{EMULATOR} does not exist"
        pytest.fail(message) if "QCC_BUILD_DIR" in os.environ else pytest.skip(message)


def run(arguments, folder):
    return subprocess.run([EMULATOR, *arguments], cwd=folder, capture_output=True, text=True)


def examples():
    return [(command.split(), ptx, output)
            for ptx, command, output in EXAMPLE.findall(PAGE.read_text())]


@pytest.mark.parametrize("command, ptx, output", examples(), ids=[c[1] for c, _, _ in examples()])
def test_example(command, ptx, output, tmp_path):
    assert command[0] == "qcc-ptx-emu"
    (tmp_path / command[1]).write_text(ptx)
    done = run(command[1:], tmp_path)
    assert done.stdout + done.stderr == output
    name = command[1].removesuffix(".ptx")
    if output.startswith("qcc-ptx-emu: error"):
        assert done.returncode == 2
    else:
        assert done.returncode == 1 and output.startswith(name + ": ")


def test_every_kind_has_an_example():
    source = (program.ROOT / "emulator" / "lib" / "Check" / "ReportLog.cpp").read_text()
    kinds = re.findall(r'case ReportKind::\w+:\s+return "([\w-]+)";', source)
    assert len(kinds) >= 12
    shown = [command[1].removesuffix(".ptx") for command, _, _ in examples()]
    headings = re.findall(r"^### ([\w-]+)$", PAGE.read_text(), re.MULTILINE)
    assert set(kinds) == set(headings) and set(kinds) <= set(shown)


def test_reports_in_the_text():
    """The report that explains the form is the one of the example."""
    text = PAGE.read_text()
    first = re.search(r"^```\n(race:.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    assert text.count(first) == 2


def test_time_model(tmp_path):
    shown = re.search(r"^```\n(estimate for .*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    done = run([program.ROOT / "emulator" / "test" / "Inputs" / "gemm-512x512x512.ptx",
                "--kernel=gemm", "--grid=2,4", "--block=256", "--shared=98304",
                "--arg=out:a.npy:i8[512,512]", "--arg=out:b.npy:i8[512,512]",
                "--arg=out:c.npy:f32[512]", "--arg=out:d.npy:f32[512]",
                "--arg=out:e.npy:i8[512,512]", "--time-model=sm_80"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(shown[1])
